"""``toolsandbox compare`` and ``gate --self-test``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from gate_records import SCENARIOS, write

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.output.comparison_forms import MARKER
from pytest_toolsandbox.output.tables import TitledTable, table_lines


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "before.jsonl", "passed", messages=said("Be kind."), prompt_digest="p1")
    write(
        tmp_path / "now.jsonl",
        "failed",
        messages=said("Be brief."),
        prompt_digest="p2",
        agent_settings={"name": "new", "type": None, "parameter": None, "model": "m"},
        error_patterns={"words": ["IAC pay_*bill*"]},
    )
    return tmp_path


def said(prompt: str) -> list[dict[str, Any]]:
    return [
        {"sender": "system", "recipient": "agent", "content": prompt, "call": None},
        {"sender": "user", "recipient": "agent", "content": prompt[3:], "call": None},
    ]


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    status = main(["compare", *words])
    out, err = capsys.readouterr()
    return status, (out + err).strip()


ESTIMATES = (
    "estimates",
    (
        "                 scenarios  pass rate  these scenarios  scenarios like these  score"
        "  pass^1  pass@1  flips"
    ),
    (
        "  all scenarios         12      0.000              n/a        0.000 to 0.288  0.000"
        "   0.000   0.000      0"
    ),
    "",
    "what a trial took, by part",
    "                 turns  tool calls",
    "  all scenarios    2.0         1.0",
    "",
    "mistakes in 100 trials, by part",
    "                 IAC",
    "  all scenarios  100",
)
TEXT = f"""\
now.jsonl beside before.jsonl
worse: it passes less often than the baseline
  pass rate 0.000, baseline 1.000: drop 1.000, 95% interval 0.743 to 1.000, margin 0.05
  chance of it without a change: <0.001 on this suite, <0.001 on scenarios like these
  12 scenarios compared; trials of each: 1 and 1

passed less often; each alone may be luck
  before  now      p  parts at  scenario
{"".join(f"     1/1  0/1  0.500       [0]  {name}{chr(10)}" for name in SCENARIOS)}
mistakes in 100 trials
                  before  now
  IAC pay_*bill*       0  100

what a trial took
              before  now  change
  turns          2.0  2.0     +0%
  tool calls     1.0  1.0     +0%

what differs in how it was played
                            before  now
  agent                     mine    new
  model                     null    "m"
  prompt (in 12 scenarios)  p1      p2

{chr(10).join(ESTIMATES)}

the prompt
  --- before
  +++ now
  @@ -1 +1 @@
  -Be kind.
  +Be brief."""


def test_all_that_changed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "before.jsonl", "now.jsonl") == (1, TEXT)


def test_a_file_beside_itself(capsys: pytest.CaptureFixture[str]) -> None:
    status, text = run(capsys, "now.jsonl", "now.jsonl")
    assert status == 0
    assert "inconclusive: the trials are too few to tell; " in text
    assert "differs" not in text


def test_one_file_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "now.jsonl") == (0, "\n".join(ESTIMATES))


def test_three_files(capsys: pytest.CaptureFixture[str]) -> None:
    status, text = run(capsys, "before.jsonl", "now.jsonl", "before.jsonl", "--margin=0.4")
    assert status == 1
    firsts = [line for line in text.splitlines() if "beside" in line or line[:2] in ("wo", "no")]
    assert firsts == [
        "now.jsonl beside before.jsonl",
        "worse: it passes less often than the baseline",
        "before.jsonl beside before.jsonl",
        "no worse: the drop is smaller than the margin of 0.4",
    ]


def test_json_has_all_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    status, text = run(capsys, "before.jsonl", "now.jsonl", "--format=json")
    found = json.loads(text)
    assert (status, found["baseline"]) == (1, "before.jsonl")
    one = found["compared"]["now.jsonl"]
    assert (one["verdict"], one["drop"]["found"], len(one["broken"])) == ("worse", 1.0, 12)
    assert one["broken"][0]["stratum"]["trials_before"] == 1
    assert {row["name"]: row["now"] for row in one["setup"]}["agent"] == "new"
    assert one["prompt_diff"][-1] == "+Be brief."


def test_markdown_shows_names_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    _, text = run(capsys, "before.jsonl", "now.jsonl", "--format=markdown")
    assert text.startswith(f"{MARKER}\n### ❌ worse: it passes less often than the baseline\n")
    assert "| IAC pay\\_\\*bill\\* | 0 | 100 |" in text
    assert "```diff\n--- before\n" in text


def test_markdown_is_cut_by_whole_sections(capsys: pytest.CaptureFixture[str]) -> None:
    _, whole = run(capsys, "before.jsonl", "now.jsonl", "--format=markdown")
    _, text = run(capsys, "before.jsonl", "now.jsonl", "--format=markdown", "--limit=1300")
    assert len(text) <= 1300
    head, _, last = text.rpartition("\n")
    assert whole.startswith(head.rstrip())
    assert last == "6 more sections: see the text of the comparison"


def test_a_part_of_the_scenarios(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (folder / "now.jsonl").read_text(encoding="utf-8").splitlines()
    (folder / "part.jsonl").write_text("\n".join(lines[:6]), encoding="utf-8")
    for option, expected in (("fail", 1), ("pass", 0)):
        how = f"--inconclusive={option}"
        status, text = run(capsys, "before.jsonl", "part.jsonl", how)
        assert (status, "inconclusive: 50% of the trials are missing" in text) == (expected, True)
    assert run(capsys, "before.jsonl", "part.jsonl") == (0, text)
    status, text = run(capsys, "before.jsonl", "part.jsonl", "--common")
    assert (status, text.splitlines()[1][:6]) == (1, "worse:")


def test_what_has_nothing_to_be_compared_is_not_green(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    others = (folder / "now.jsonl").read_text(encoding="utf-8").replace(".yaml::", ".yaml::other_")
    (folder / "others.jsonl").write_text(others, encoding="utf-8")
    status, text = run(capsys, "before.jsonl", "others.jsonl")
    assert (status, text.splitlines()[1]) == (1, "inconclusive: no scenario can be compared")


def test_a_baseline_is_compared_like_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["baseline", "add", "before.jsonl"]) == 0
    status, text = run(capsys, "baseline.jsonl", "now.jsonl")
    assert status == 1
    assert "     1/1  0/1  0.500       [0]  " in text


def test_a_run_is_not_compared_with_itself_in_a_baseline(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["baseline", "accept", "--reason=both", "before.jsonl", "now.jsonl"]) == 0
    capsys.readouterr()
    status, text = run(capsys, "baseline.jsonl", "now.jsonl")
    assert status == 1
    assert "12 scenarios compared; trials of each: 1 and 1" in text


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["now.jsonl", "nowhere"], "nowhere: cannot be read: No such file or directory"),
    ],
)
def test_mistakes(capsys: pytest.CaptureFixture[str], words: list[str], text: str) -> None:
    assert run(capsys, *words) == (1, text)


def test_another_user(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "other.jsonl", "passed", user="human")
    status, text = run(capsys, "before.jsonl", "other.jsonl")
    assert status == 1
    assert text == (
        "other.jsonl cannot be compared with before.jsonl, which was played otherwise: "
        'the user: {"name": "human"} here, scripted there'
    )


def test_the_order_of_the_lines_says_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["baseline", "add", "before.jsonl"]) == 0
    capsys.readouterr()
    told = run(capsys, "baseline.jsonl", "now.jsonl")
    assert told[0] == 1
    for name in ("baseline.jsonl", "now.jsonl"):
        lines = (folder / name).read_text(encoding="utf-8").splitlines()
        (folder / name).write_text("\n".join(lines[::-1]), encoding="utf-8")
    assert run(capsys, "baseline.jsonl", "now.jsonl") == told


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


def test_it_says_how_often_it_is_wrong_and_what_it_sees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for day in ("passed", "failed"):
        write(tmp_path / f"{day}.jsonl", day)
    assert main(["gate", "--self-test", "passed.jsonl", "failed.jsonl"]) == 0
    first, second, third, *rest = capsys.readouterr().out.splitlines()
    assert first == ("1000 times the trials of 12 scenarios in two random halves; nothing changed")
    shares = dict(part.rsplit(" ", 1) for part in second.strip().split(", "))
    assert list(shares) == ["worse", "better", "no worse", "inconclusive"]
    assert float(shares["worse"].rstrip("%")) <= 5
    assert third == "the drop that is told worse in 4 of 5 runs, with these trials as the baseline"
    assert rest[0].split()[-4:] == ["1", "2", "3", "5"]


def test_a_single_run_of_one_trial(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path / "a.jsonl", "passed")
    assert main(["gate", "--self-test", str(file)]) == 1
    assert capsys.readouterr().err == (
        f"{file}: no scenario has two trials, so there are no halves to compare; play with more "
        "trials, or name several runs or a baseline\n"
    )
