"""``--sandbox-rejudge``: stored conversations, today's scenarios, nobody called."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from desk import LIGHT, Suite, section

TWO = (
    LIGHT
    + """
scenarios:
  solved: {}
  twice: {trials: 2}
"""
)
NOBODY = """
@pytest.fixture
def agent():
    raise AssertionError("nobody may be called")
"""


@pytest.fixture
def stored(suite: Suite) -> Suite:
    """A suite with the records of its counterexample, and an agent that must not be called."""
    suite.write("a.scenario.yaml", TWO)
    suite.run("--agent=counterexample", "--sandbox-results=old.jsonl")
    suite.conftest(NOBODY)
    return suite


@pytest.mark.parametrize("options", [(), ("-n2",)])
def test_the_records_are_the_same_again(stored: Suite, options: tuple[str, ...]) -> None:
    result = stored.run_apart(
        "--sandbox-rejudge=old.jsonl", "--sandbox-results=new.jsonl", *options
    )
    result.assert_outcomes(failed=2)
    assert stored.records("new.jsonl") == stored.records("old.jsonl")
    assert [record["agent"] for record in stored.records("new.jsonl")] == ["counterexample"] * 3


def test_records_of_before_there_were_variants_are_judged(stored: Suite) -> None:
    records = stored.records("old.jsonl")
    older = [{key: record[key] for key in record if key != "variant"} for record in records]
    stored.write("older.jsonl", "\n".join(map(json.dumps, older)))
    result = stored.run("--sandbox-rejudge=older.jsonl", "--sandbox-results=new.jsonl")
    result.assert_outcomes(failed=2)
    assert stored.records("new.jsonl") == records
    result.stdout.fnmatch_lines(["all scenarios * 2 * 0 * 2 * 0 * 0.500*"])


def test_today_s_milestones_judge(stored: Suite) -> None:
    stored.write("a.scenario.yaml", TWO.replace('["on"]', "[anything]"))
    result = stored.run("--sandbox-rejudge=old.jsonl", "--sandbox-results=new.jsonl")
    result.assert_outcomes(passed=2)
    assert {record["scores"]["score"] for record in stored.records("new.jsonl")} == {1.0}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda text: "tools: [switch_lamp]\n" + text, "no longer offered: read_notes, write_note"),
        (lambda text: "state: {lamp: {on: true}}\n" + text, "it starts with other rows in lamp"),
        (
            lambda text: "now: 2025-03-15\n" + text,
            "its clock said 2025-03-14T16:00:00+00:00, and says 2025-03-15T00:00:00+00:00",
        ),
        (lambda text: text.replace("the light.", "it!"), "the user opens it with other words"),
        (
            lambda text: text.replace("world: desk", "world: phone"),
            "its world was desk, and is phone",
        ),
    ],
)
def test_another_start_is_an_error_that_says_what_changed(
    stored: Suite, change: Callable[[str], str], reason: str
) -> None:
    text = change(LIGHT)
    if "phone" in text:
        text = "world: phone\nuser: {opening: Hi.}\nmilestones: {a: {says: {anything: true}}}\n"
    stored.write("a.scenario.yaml", text + "scenarios: {solved: {}}\n")
    result = stored.run("--sandbox-rejudge=old.jsonl", "--sandbox-results=new.jsonl")
    result.assert_outcomes(errors=1)
    line = f"the scenario is another one now: {reason}; play it again"
    assert section(result, "ERROR at setup of solved") == line
    (record,) = stored.records("new.jsonl")
    assert (record["outcome"], record["reason"], record["scores"]) == ("error", line, None)


def test_any_trials_can_be_kept(stored: Suite) -> None:
    lines = (stored.path / "old.jsonl").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if json.loads(line)["trial"] == 2]
    stored.write("kept.jsonl", "\n".join(kept))
    result = stored.run("--sandbox-rejudge=kept.jsonl")
    result.assert_outcomes(failed=1, skipped=1)
    assert section(result, "twice").startswith("score 0.50 of 1: missed user_told")


def test_what_was_not_finished_stays_an_error(stored: Suite) -> None:
    stored.run("--agent=counterexample:none", "--sandbox-results=broken.jsonl")
    result = stored.run("--sandbox-rejudge=broken.jsonl")
    result.assert_outcomes(errors=2)
    assert "the stored conversation was not finished: " in section(
        result, "ERROR at setup of solved"
    )


def test_what_has_no_record_is_skipped(stored: Suite) -> None:
    stored.write("b.scenario.yaml", LIGHT)
    result = stored.run("--sandbox-rejudge=old.jsonl", "-rs")
    result.assert_outcomes(failed=2, skipped=1)
    result.stdout.fnmatch_lines(
        [
            "SKIPPED*there is no stored conversation of this item",
        ]
    )
    line = "1 item skipped without a stored conversation: -rs tells why"
    assert line in result.outlines


@pytest.mark.parametrize(
    ("then", "now", "items"),
    [
        ((), ("--sandbox-augment=all",), 8),
        (("--sandbox-augment=all",), (), 1),
        ((), ("--sandbox-feedback=on,off",), 2),
    ],
)
def test_what_was_played_in_other_ways_is_skipped_for_another_reason(
    suite: Suite, then: tuple[str, ...], now: tuple[str, ...], items: int
) -> None:
    suite.write("a.scenario.yaml", LIGHT)
    suite.run("--agent=oracle", "--sandbox-results=old.jsonl", *then)
    result = suite.run("--sandbox-rejudge=old.jsonl", "-rs", *now)
    result.assert_outcomes(skipped=items)
    reason = "those of its scenario have another --sandbox-augment or --sandbox-feedback, or *"
    result.stdout.fnmatch_lines([f"SKIPPED*there is no stored conversation of this item; {reason}"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{}", "bad.jsonl:1: this is no record of a scenario"),
        ("\n[1]", "bad.jsonl:2: this is no record of a scenario"),
        ("{", "bad.jsonl:1: torn: the run was stopped while it was written"),
        ("{\n", "bad.jsonl:1: no JSON"),
        (
            json.dumps({"record": 3}),
            (
                "bad.jsonl:1: a record of version 3; this program reads versions 1 to 2: "
                "play the scenarios again"
            ),
        ),
        (
            json.dumps({"record": 1, "id": "x"}),
            "bad.jsonl:1: the record is not complete: it lacks trial",
        ),
        ("\n", "bad.jsonl: it has no records; was the run that should write them stopped?"),
    ],
)
def test_a_file_that_is_none(stored: Suite, content: str, message: str) -> None:
    stored.write("bad.jsonl", content)
    result = stored.run_apart("--sandbox-rejudge=bad.jsonl")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --sandbox-rejudge: *{message}"])


def test_the_file_itself_is_not_written_to(stored: Suite) -> None:
    before = stored.records("old.jsonl")
    result = stored.run_apart("--sandbox-rejudge=old.jsonl", "--sandbox-results=./old.jsonl")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: --sandbox-results: records cannot be written to the file that they are read from*"]
    )
    assert stored.records("old.jsonl") == before


def test_a_file_that_is_not_there(stored: Suite) -> None:
    result = stored.run_apart("--sandbox-rejudge=nowhere.jsonl")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --sandbox-rejudge: there is no file nowhere.jsonl"])
