"""Figures in texts that nobody gave, and reports that turn round what a text says."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml
from pantry import scenario
from replies import Reply, Written, told, written
from rows import every

from pytest_toolsandbox.evaluation.reports.inventions import inventions
from pytest_toolsandbox.evaluation.reports.reports import Reports
from pytest_toolsandbox.language.loading import read_file
from pytest_toolsandbox.language.scenario import Scenario

TEXTS = yaml.safe_load((Path(__file__).parent / "texts.yaml").read_text(encoding="utf-8"))
SCENE = """
world: phone
categories: [single_user_turn]
user: {opening: "%s"}
milestones: {told: {says: '\\w'}}
"""
LATE = "Text my sister that I'm running late."


@cache
def scene(opening: str) -> Scenario:
    (one,) = read_file((SCENE % opening).encode(), "scene", "scene.yaml")
    return one


def text(content: str) -> Written:
    return written("send_message_with_phone_number", phone_number="+14155550111", content=content)


def invented(opening: str, *said: Reply | Written) -> list[tuple[str, str]]:
    trajectory = told(scene(opening), *said)
    found = inventions(Reports(scene(opening), trajectory))
    return [(one.claim, one.why) for one in found]


@every(
    ("opening", "kind", "content"),
    [
        (one["opening"], kind, content)
        for one in TEXTS["figures"]
        for kind in ("given", "invented")
        for content in one[kind]
    ],
)
def test_a_figure_of_a_text_was_given(opening: str, kind: str, content: str) -> None:
    assert bool(invented(opening, text(content), "Done.")) is (kind == "invented")


@every(
    ("content", "kind", "report"),
    [
        (one["text"], kind, report)
        for one in TEXTS["reports"]
        for kind in ("right", "turned")
        for report in one[kind]
    ],
)
def test_a_report_does_not_turn_a_text_round(content: str, kind: str, report: str) -> None:
    found = invented(f"Text my sister: {content}", text(content), report)
    assert bool(found) is (kind == "turned")


def test_what_is_wrong_is_told_with_its_text() -> None:
    content = "I'm late: 20 minutes, at least until 5 pm."
    assert invented(LATE, text(content), "I told Katherine that you're not late.") == [
        ("you are not late", "the text says otherwise"),
        (content, "nobody gave 20 minutes, 5 pm"),
    ]


def test_a_user_who_has_heard_of_a_figure_may_object() -> None:
    late = text("I'll be 20 minutes late.")
    asks = "Shall I text her that you'll be 20 minutes late?"
    assert invented(LATE, asks, late, "Done.") == []
    assert invented(LATE, late, asks) != []


def test_an_earlier_text_gives_no_figure() -> None:
    late = text("I'll be 20 minutes late.")
    found = written("search_messages", content="minutes late")
    assert len(invented(LATE, late, late, "Done.")) == 2
    assert invented(LATE, found, written("search_contacts", name="Kat"), late, "Done.") != []


@every(
    ("note", "is_invented"),
    [
        ("Put here for the two of us.", False),
        ("Keeps for 12 months, at least.", True),
        ("Bought on Friday, two kilos, some 4.4 lbs.", False),
    ],
)
def test_texts_in_worlds_of_your_own(note: str, is_invented: bool) -> None:
    scene = scenario("""
    user: {opening: "We have 2 kg of flour since Friday, put it in with a note."}
    categories: [single_user_turn]
    milestones: {told: {says: '\\w'}}
    """)
    trajectory = told(scene, written("add_item", name="flour", amount=2, note=note), "Done.")
    assert bool([*inventions(Reports(scene, trajectory))]) is is_invented


def test_figures_that_a_milestone_wants_are_given() -> None:
    scene = scenario("""
    user: {opening: Put flour in with a note of how long it keeps.}
    categories: [single_user_turn]
    milestones: {put: {state: {item: {added: [{note: {mentions: 12}}]}}}}
    """)
    for months, count in ((12, 0), (18, 1)):
        note = f"It keeps for {months} months."
        trajectory = told(scene, written("add_item", name="flour", note=note), "Done.")
        assert len([*inventions(Reports(scene, trajectory))]) == count
