"""``--sandbox-rejudge``: stored conversations, today's scenarios, nobody called."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from desk import LIGHT, Suite, section

pytestmark = pytest.mark.any_pytest

TWO = (
    LIGHT
    + """
scenarios:
  solved: {}
  twice: {trials: 2}
"""
)
QUERY = """
world: desk
query: What do the notes say?
answer: {mentions: ferns}
solutions: {reads: [{read_notes: }, {finish: {answer: Water the ferns.}}]}
"""
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


V2 = ("tool_calls", "untried_orders", "agent_settings", "limits", "ran_out", "time_zone")
UNKNOWN = {"name": "counterexample", "type": None, "parameter": None}


@pytest.mark.parametrize(
    ("version", "lacks", "judged_fields"),
    [(1, V2, {"agent_settings": UNKNOWN}), (3, ("variant",), {})],
)
def test_records_of_earlier_versions_are_judged(
    stored: Suite, version: int, lacks: tuple[str, ...], judged_fields: dict[str, Any]
) -> None:
    records = stored.records("old.jsonl")
    older = [{key: record[key] for key in record if key not in lacks} for record in records]
    lines = [json.dumps({**record, "record": version}) for record in older]
    stored.write("older.jsonl", "\n".join(lines))
    result = stored.run("--sandbox-rejudge=older.jsonl", "--sandbox-results=new.jsonl")
    result.assert_outcomes(failed=2)
    assert stored.records("new.jsonl") == [{**record, **judged_fields} for record in records]
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
    assert section(result, "ERROR at conversation of solved") == line
    (record,) = stored.records("new.jsonl")
    assert (record["outcome"], record["reason"], record["scores"]) == ("error", line, None)


def test_any_trials_can_be_kept_and_what_has_no_record_is_skipped(stored: Suite) -> None:
    lines = (stored.path / "old.jsonl").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if json.loads(line)["trial"] == 2]
    stored.write("kept.jsonl", "\n".join(kept))
    result = stored.run("--sandbox-rejudge=kept.jsonl", "-rs")
    result.assert_outcomes(failed=1, skipped=1)
    assert section(result, "twice").startswith("missed user_told")
    result.stdout.fnmatch_lines(["SKIPPED*there is no stored conversation of this item"])
    line = "1 item skipped without a stored conversation: -rs tells why"
    assert line in result.outlines


def test_what_was_not_finished_stays_an_error(stored: Suite) -> None:
    stored.run("--agent=counterexample:none", "--sandbox-results=broken.jsonl")
    result = stored.run("--sandbox-rejudge=broken.jsonl")
    result.assert_outcomes(errors=2)
    assert "the stored conversation was not finished: " in section(
        result, "ERROR at conversation of solved"
    )


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
    reason = "those of its scenario have another --agent, --sandbox-prompt, --sandbox-augment or *"
    result.stdout.fnmatch_lines([f"SKIPPED*there is no stored conversation of this item; {reason}"])


def test_a_file_without_records_is_a_usage_error(stored: Suite) -> None:
    stored.write("bad.jsonl", "{}")
    result = stored.run_apart("--sandbox-rejudge=bad.jsonl")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    line = "ERROR: --sandbox-rejudge: *bad.jsonl:1: this is no record of a scenario; name *"
    result.stderr.fnmatch_lines([line])


@pytest.mark.parametrize("name", ["./old.jsonl", "link.jsonl"])
def test_the_file_itself_is_not_written_to(stored: Suite, name: str) -> None:
    before = stored.records("old.jsonl")
    (stored.path / "link.jsonl").hardlink_to(stored.path / "old.jsonl")
    options = ("--sandbox-rejudge=old.jsonl", f"--sandbox-results={name}")
    result = stored.run_apart(*options, "--sandbox-overwrite")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: --sandbox-results: records cannot be written to the file that they are read from*"]
    )
    assert stored.records("old.jsonl") == before


def test_lines_that_cannot_be_used_are_said_and_the_others_are_judged(stored: Suite) -> None:
    first, *other_lines = (stored.path / "old.jsonl").read_text(encoding="utf-8").splitlines()
    stored.write("bad.jsonl", "\n".join([first[:-9], *other_lines, ""]))
    result = stored.run("--sandbox-rejudge=bad.jsonl")
    result.assert_outcomes(failed=1, skipped=1)
    result.stdout.fnmatch_lines(["1 stored record cannot be used: *bad.jsonl:1: no JSON"])


MOON: dict[str, Any] = {"moon": {"added": [], "removed": []}}
NO_MOON = "there is no table 'moon' in world desk; it has lamp, note; *"


@pytest.mark.parametrize(
    ("changes", "tools", "why"),
    [
        ({"lamp": {"added": [{"off": 1}], "removed": []}}, [], "*does not fit the world: *"),
        (MOON, [], f"the stored conversation does not fit the world: {NO_MOON}"),
        ({}, ["x"], "the scenario is another one now: no longer offered: x; *"),
    ],
)
def test_a_record_that_no_conversation_writes_is_an_error_of_its_item(
    stored: Suite, changes: dict[str, Any], tools: list[str], why: str
) -> None:
    first, *other_records = stored.records("old.jsonl")
    first["snapshots"][0]["changes"] = changes
    first["tools"] += tools
    stored.write("bad.jsonl", "\n".join(map(json.dumps, [first, *other_records])))
    result = stored.run("--sandbox-rejudge=bad.jsonl")
    result.assert_outcomes(failed=1, errors=1)
    result.stdout.fnmatch_lines([why])


def test_a_record_that_breaks_the_judge_is_an_error_of_its_item(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> None:
        raise KeyError("answer")

    suite.write("a.scenario.yaml", QUERY)
    suite.run("--agent=oracle", "--sandbox-results=bad.jsonl")
    monkeypatch.setattr("pytest_toolsandbox.scoring.queries.conclusion_of", broken)
    result = suite.run("--sandbox-rejudge=bad.jsonl")
    result.assert_outcomes(errors=1)
    shown = section(result, "ERROR at conversation of a")
    assert shown.startswith("the stored conversation cannot be judged: KeyError: 'answer' (")
    assert "; play it again\n\nconversation so far" in shown
