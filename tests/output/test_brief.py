"""The Markdown of a step's summary: within its limit, and names are no markup."""

from __future__ import annotations

from html_records import record

from pytest_toolsandbox.output.brief import step_summary


def test_it_keeps_its_limit_and_says_how_many_are_left_out() -> None:
    failed = record("cellar", "clumsy")
    many = [{**failed, "id": f"a.yaml::scenario_{number}"} for number in range(200)]
    text = step_summary(many, {}, lambda _: None, limit=3000)  # type: ignore[arg-type]
    assert len(text.encode()) <= 3000
    shown = text.count("| failed |")
    assert f"and {200 - shown} more, which the terminal's summary names" in text
    assert "| all scenarios | 200 |" in text


def test_names_and_reasons_are_texts() -> None:
    failed = {**record("cellar", "clumsy"), "id": "a.yaml::<b>|*x*"}
    text = step_summary([failed], {failed["id"]: "`a|b` [c](d)"}, lambda _: None)  # type: ignore[list-item]
    assert r"| failed | \<b\>\|\*x\* | \`a\|b\` \[c\](d) |" in text


def test_a_scenario_that_passed_with_enough_of_its_trials_is_not_missed() -> None:
    plan = {"of_trials": {"planned": 2, "needed": 1}}
    trials = [record("fork", "oracle") | plan, record("fork", "clumsy", 2) | plan]
    text = step_summary(trials, {}, lambda _: None)  # type: ignore[arg-type]
    assert text.startswith("### ✅ 1 scenario passed")
