"""``toolsandbox compare`` and ``gate --self-test``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from command_line import Run
from gate_records import SCENARIOS, write

from pytest_toolsandbox.output.comparison_forms import MARKER
from pytest_toolsandbox.output.tables import TitledTable, table_lines


@pytest.fixture(autouse=True)
def folder(folder: Path) -> Path:
    write(
        folder / "before.jsonl", "passed", messages=prompt_message("Be kind."), prompt_digest="p1"
    )
    write(
        folder / "now.jsonl",
        "failed",
        messages=prompt_message("Be brief."),
        prompt_digest="p2",
        agent_settings={"name": "new", "type": None, "parameter": None, "model": "m"},
        error_patterns={"words": ["IAC pay_*bill*"]},
    )
    return folder


def prompt_message(prompt: str) -> list[dict[str, Any]]:
    return [
        {"sender": sender, "recipient": "agent", "content": content, "call": None}
        for sender, content in (("system", prompt), ("user", prompt[3:]))
    ]


ESTIMATES = """\
estimates
                 scenarios  pass rate  these scenarios  scenarios like these  score  pass^1  \
pass@1  flips
  all scenarios         12      0.000              n/a        0.000 to 0.288  0.000   0.000   \
0.000      0

what a trial took, by part
                 turns  tool calls
  all scenarios    2.0         1.0

mistakes per 100 trials, by part
                 IAC
  all scenarios  100
"""
TEXT = f"""\
now.jsonl beside before.jsonl
worse: it passes less often than the baseline
  IAC (insufficient API calls) pay_*bill* 0 -> 100 per 100 trials;
  12 scenarios passed less often; each alone may be luck;
  among them s00, s01, s02
  pass rate 0.000, baseline 1.000: drop 1.000, 95% interval 0.743 to 1.000
  is the drop below the margin of 0.05? no: it may be up to 1.000
  is it worse on these scenarios? p <0.001, worse at 0.05 or less <- decides
  is it worse on scenarios like these? p <0.001
  12 scenarios compared; trials of each: 1 and 1

mistakes per 100 trials
                  before  now
  IAC pay_*bill*       0  100

passed less often; each alone may be luck
  before  now      p  parts at  scenario
{"".join(f"     1/1  0/1  0.500       [1]  {name}{chr(10)}" for name in SCENARIOS)}
what a trial took
              before  now  change
  turns          2.0  2.0     +0%
  tool calls     1.0  1.0     +0%

what differs in how it was played
                            before  now
  agent                     mine    new
  model                     null    "m"
  prompt (in 12 scenarios)  p1      p2

{ESTIMATES}
the prompt
  --- before
  +++ now
  @@ -1 +1 @@
  -Be kind.
  +Be brief.
"""


def test_one_file_and_two(run: Run) -> None:
    assert run("compare", "now.jsonl") == (0, ESTIMATES, "")
    assert run("compare", "before.jsonl", "now.jsonl") == (1, TEXT, "")
    status, out, _ = run("compare", "now.jsonl", "now.jsonl")
    assert status == 0
    assert "inconclusive: the trials are too few to tell;\n  " in out
    assert max(map(len, out.partition("\n\n")[0].splitlines())) <= 80
    assert "differs" not in out


def test_three_files(run: Run) -> None:
    printed = run("compare", "before.jsonl", "now.jsonl", "before.jsonl", "--margin=0.4")
    assert printed.status == 1
    firsts = [line for line in printed.lines if "beside" in line or line[:2] in ("wo", "no")]
    assert firsts == [
        "now.jsonl beside before.jsonl",
        "worse: it passes less often than the baseline",
        "before.jsonl beside before.jsonl",
        "no worse: the drop is smaller than the margin of 0.4",
    ]


def test_json_has_all_of_it(run: Run) -> None:
    status, out, _ = run("compare", "before.jsonl", "now.jsonl", "--format=json")
    comparison = json.loads(out)
    assert (status, comparison["baseline"]) == (1, "before.jsonl")
    now = comparison["compared"]["now.jsonl"]
    assert (now["verdict"], now["drop"]["found"], len(now["broken"])) == ("worse", 1.0, 12)
    assert now["broken"][0]["stratum"]["trials_before"] == 1
    assert {row["name"]: row["now"] for row in now["setup"]}["agent"] == "new"
    assert now["prompt_diff"][-1] == "+Be brief."


def test_markdown_shows_names_as_they_are_and_is_cut_by_whole_sections(run: Run) -> None:
    command = ("compare", "before.jsonl", "now.jsonl", "--format=markdown")
    whole = run(*command).out
    assert whole.startswith(f"{MARKER}\n### ❌ worse: it passes less often than the baseline\n")
    assert "| IAC pay\\_\\*bill\\* | 0 | 100 |" in whole
    assert "```diff\n--- before\n" in whole
    cut = run(*command, "--limit=1440").out.strip()
    assert len(cut) <= 1440
    head, _, last = cut.rpartition("\n")
    assert whole.startswith(head.rstrip())
    assert last == "6 more sections: see the text of the comparison"


def test_a_part_of_the_scenarios(folder: Path, run: Run) -> None:
    lines = (folder / "now.jsonl").read_text(encoding="utf-8").splitlines()
    (folder / "part.jsonl").write_text("\n".join(lines[:6]), encoding="utf-8")
    for option, status in (("--inconclusive=fail", 1), ("--inconclusive=pass", 0)):
        printed = run("compare", "before.jsonl", "part.jsonl", option)
        assert printed.status == status
        assert "inconclusive: 50% of the trials are missing" in printed.out
    assert run("compare", "before.jsonl", "part.jsonl") == printed
    common = run("compare", "before.jsonl", "part.jsonl", "--common")
    assert (common.status, common.lines[1][:6]) == (1, "worse:")


def test_what_has_nothing_to_be_compared_is_not_green(folder: Path, run: Run) -> None:
    renamed = (folder / "now.jsonl").read_text(encoding="utf-8").replace(".yaml::", ".yaml::other_")
    (folder / "others.jsonl").write_text(renamed, encoding="utf-8")
    printed = run("compare", "before.jsonl", "others.jsonl")
    verdict = "inconclusive: no scenario can be compared"
    assert (printed.status, printed.lines[1]) == (1, verdict)


def test_a_baseline_is_compared_like_a_run_whatever_the_order_of_lines(
    folder: Path, run: Run
) -> None:
    assert run("baseline", "add", "before.jsonl").status == 0
    printed = run("compare", "baseline.jsonl", "now.jsonl")
    assert printed.status == 1
    assert "     1/1  0/1  0.500       [1]  " in printed.out
    for name in ("baseline.jsonl", "now.jsonl"):
        lines = (folder / name).read_text(encoding="utf-8").splitlines()
        (folder / name).write_text("\n".join(lines[::-1]), encoding="utf-8")
    assert run("compare", "baseline.jsonl", "now.jsonl") == printed


def test_a_run_is_not_compared_with_itself_in_a_baseline(run: Run) -> None:
    accept = run("baseline", "accept", "--reason=both", "before.jsonl", "now.jsonl")
    printed = run("compare", "baseline.jsonl", "now.jsonl")
    assert (accept.status, printed.status) == (0, 1)
    assert "12 scenarios compared; trials of each: 1 and 1" in printed.out


def test_what_cannot_be_compared(folder: Path, run: Run) -> None:
    problem = "nowhere: cannot be read: No such file or directory\n"
    assert run("compare", "now.jsonl", "nowhere") == (1, "", problem)
    write(folder / "other.jsonl", "passed", user="human")
    assert run("compare", "before.jsonl", "other.jsonl").err == (
        "other.jsonl cannot be compared with before.jsonl, which was played otherwise: "
        'the user: {"name": "human"} here, scripted there\n'
    )


@pytest.mark.parametrize("before", [{"failure_modes": []}, {}])
def test_mistakes_that_are_no_calls_are_compared_where_both_sides_have_counted_them(
    folder: Path, run: Run, before: dict[str, Any]
) -> None:
    write(folder / "old.jsonl", **before)
    write(folder / "new.jsonl", "failed", failure_modes=["wrong report", "side effect: item"])
    assert run("baseline", "add", "old.jsonl", "--file=base.jsonl").status == 0
    text = run("compare", "base.jsonl", "new.jsonl").out
    assert ("  wrong report            0  100\n" in text) is bool(before)
    assert ("  side effect: item 0 -> 100 per 100 trials;\n" in text) is bool(before)
    row = "mistakes per 100 trials, by part\n                 side effect  wrong report\n"
    assert row in text


def test_scenarios_stand_below_each_other() -> None:
    """Where a mended scenario has no place at which it parts from one that passed, too."""
    rows = [("0.500", "", "one"), ("0.500", "[2]", "two")]
    table = TitledTable("mended", ("p", "parts at", "scenario"), rows, words=0)
    assert table_lines(table, most=10) == [
        "mended",
        "      p  parts at  scenario",
        "  0.500            one",
        "  0.500       [2]  two",
    ]


def test_the_self_test_says_how_often_it_is_wrong_and_what_it_sees(run: Run) -> None:
    printed = run("gate", "--self-test", "before.jsonl", "now.jsonl")
    first, second, third, head, *_ = printed.lines
    assert printed.status == 0
    assert first == "1000 times the trials of 12 scenarios in two random halves; nothing changed"
    shares = dict(part.rsplit(" ", 1) for part in second.strip().split(", "))
    assert list(shares) == ["worse", "better", "no worse", "inconclusive"]
    assert float(shares["worse"].rstrip("%")) <= 5
    assert third == "the drop that is told worse in 4 of 5 runs, with these trials as the baseline"
    assert head.split()[-4:] == ["1", "2", "3", "5"]
    at = "no worse at a margin of 0.05, without a change, in 4 of 5 runs: "
    few = "5 trials of each scenario are too few; "
    enough = "--sandbox-margin=0.[0-9]+ or about [0-9]+ scenarios like these with 5 trials would do"
    assert re.fullmatch(f"{at}{few}{enough}", printed.lines[-1])
    wide = run("gate", "--self-test", "before.jsonl", "now.jsonl", "--margin=0.9").lines[-1]
    assert wide == f"{at.replace('0.05', '0.9')}1 trial of each scenario"
    problem = "no scenario has two trials, so there are no halves to compare; play with more trials"
    remedy = "or name several runs or a baseline"
    printed = run("gate", "--self-test", "before.jsonl")
    assert printed == (1, "", f"before.jsonl: {problem}, {remedy}\n")


def test_the_plan_says_what_can_be_told_and_with_which_options(run: Run) -> None:
    status, out, err = run("gate", "--plan", "30", "129")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "the smallest drop that is told worse, in 4 of 5 runs"
    assert [line.split()[:2] for line in lines[2:4]] == [["30", "scenarios"], ["129", "scenarios"]]
    assert lines[-1] == "129 scenarios: --sandbox-trials=3 decides with a margin of 0.05"
    first, *remedies = lines[-5:-1]
    assert first == "30 scenarios: 10 trials are too few for a margin of 0.05; what would do:"
    assert [line.partition("=")[0] for line in remedies[:2]] == [
        *("  --sandbox-margin", "  --sandbox-trials")
    ]
    assert remedies[2] == "  about 47 scenarios like these with 10 trials"
    assert (
        run("gate", "--plan", "47").lines[-1]
        == "47 scenarios: --sandbox-trials=10 decides with a margin of 0.05"
    )
    of_records = run("gate", "--plan", "before.jsonl", "--margin=0.9").out
    assert "scenarios of before.jsonl: --sandbox-trials=1 decides" in of_records


@pytest.mark.parametrize("words", [(), ("--plan", "3", "--self-test", "before.jsonl")])
def test_a_plan_or_a_self_test(run: Run, words: tuple[str, ...]) -> None:
    assert run("gate", *words) == (2, "", "give either --self-test FILE or --plan SUITE\n")
