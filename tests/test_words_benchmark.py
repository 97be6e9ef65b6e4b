"""Reports in free words, as rules judge them, and the table that the documentation shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from words import HEADINGS, Report, judged, reports, reworded, rows, wanted, written

from pytest_toolsandbox.reporting.tables import aligned

pytestmark = pytest.mark.any_pytest

ROOT = Path(__file__).parents[1]


def test_the_documentation_shows_how_often_rules_are_wrong() -> None:
    page = (ROOT / "docs" / "judge.md").read_text(encoding="utf-8")
    shown = page.partition("$ python benchmarks/words.py\n")[2].partition("```")[0]
    table = aligned([HEADINGS, *rows(judged([*reports()], None))])
    assert shown.splitlines() == table


def test_misjudged_reports_are_counted() -> None:
    first, *_ = reports()
    others = [first._replace(right=right) for right in (True, False)]
    pairs = [(one, outcome) for one in others for outcome in ("passed", "failed", "error")]
    assert [*rows(pairs)] == [("phone", "3", "1", "3", "1", "2")]  # type: ignore[arg-type]
    assert [wanted(one) for one in others] == ["passed", "failed"]


def test_each_scenario_has_right_and_wrong_words() -> None:
    found: dict[str, list[Report]] = {}
    for one in reports():
        found.setdefault(one.scenario.name, []).append(one)
    assert all({one.right for one in some} == {True, False} for some in found.values())
    assert all(one.note for some in found.values() for one in some if not one.right)


def test_words_of_a_report_stand_in_the_place_of_others() -> None:
    for one in reports():
        steps = written(one.scenario)
        for text, another in one.texts.items():
            assert reworded(steps, {text: another}) != steps
