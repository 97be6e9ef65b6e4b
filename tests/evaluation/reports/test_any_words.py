"""Which values any words meet where others judge them, and which stay as they are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from pantry import played, scenario
from rows import every

from pytest_toolsandbox.agents.scripted import counterexample
from pytest_toolsandbox.conversation.play import converse
from pytest_toolsandbox.evaluation.milestones.evaluate import evaluate_in_any_words
from pytest_toolsandbox.evaluation.reports.any_words import texts_of
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.loading import load_file
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.users.user import scripted_user

PHONE = Path(__file__).parents[3] / "scenarios" / "phone"
OTHER = "{add_item: {name: tea, note: matcha}}"
NOTHING = "{list_items: }"


def passes(event: str, *steps: str) -> bool:
    scene = scenario(
        f"""
        milestones: {{there: {{{event}}}}}
        guardrails: none
        solutions: {{s: [{", ".join((*steps, "{say: Done.}"))}]}}
        """
    )
    return evaluate_in_any_words(scene, played(scene)).passed


@every(
    ("note", "is_met"),
    [
        ("{rouge_l: green tea}", True),
        ("{mentions: [green]}", True),
        ("{restates: green tea}", True),
        ("{any_of: [{mentions: [green]}, {exact: black}]}", True),
        ("{all_of: [{mentions: [green]}, {not: {mentions: [black]}}]}", True),
        ("{not: {mentions: [matcha]}}", True),
        ("{exact: green}", False),
        ("{contains: green}", False),
        ("{regex: green}", False),
        ("null", False),
        ("{all_of: [{mentions: [green]}, {contains: green}]}", False),
        ("{not: {contains: matcha}}", False),
    ],
)
def test_a_free_text_may_be_any_where_words_are_compared(note: str, is_met: bool) -> None:
    assert passes(f"state: {{item: {{added: [{{name: tea, note: {note}}}]}}}}", OTHER) is is_met
    assert passes(f"call: {{add_item: {{note: {note}}}}}", OTHER) is is_met


@every(("note", "is_met"), [("a tea that is green", True), ("green tea", False), ("matcha", True)])
def test_a_bare_text_of_a_column_for_texts_is_one_of_words(note: str, is_met: bool) -> None:
    assert passes(f"state: {{item: {{added: [{{name: tea, note: {note}}}]}}}}", OTHER) is is_met


@every(
    ("event", "steps", "is_met"),
    [
        ("state: {item: {added: [{note: {mentions: [green]}}]}}", (OTHER,), True),
        ("state: {item: {added: [{note: {mentions: [green]}}]}}", (NOTHING,), False),
        (
            "state: {item: {added: [{name: tea, note: {mentions: [green]}}]}}",
            ("{add_item: {name: tea}}",),
            False,
        ),
        ("call: {add_item: {note: {mentions: [green]}}}", ("{add_item: {name: tea}}",), False),
        ("state: {item: {includes: [{name: tea, note: {mentions: [green]}}]}}", (OTHER,), True),
        ("state: {item: {includes: [{note: {mentions: [green]}}]}}", (OTHER,), False),
        ("state: {item: {includes: [{note: {mentions: [green]}}]}}", (NOTHING,), False),
        (
            "state: {item: {removed: [{note: coarse sea salt}]}}",
            ("{remove_item: {name: rice}}",),
            False,
        ),
        (
            "state: {item: {removed: [{note: coarse sea salt}]}}",
            ("{remove_item: {name: salt}}",),
            True,
        ),
        ("state: {item: {excludes: [{note: {mentions: [green]}}]}}", (NOTHING,), True),
        ("says: {exact: It is there.}", (NOTHING,), True),
        ("user_says: {mentions: [never]}", (NOTHING,), False),
    ],
)
def test_rows_are_those_that_are_meant(event: str, steps: tuple[str, ...], is_met: bool) -> None:
    assert passes(event, *steps) is is_met


def test_texts_are_told_by_column_and_argument() -> None:
    scene = scenario(
        """
        milestones:
          there:
            state: {item: {added: [{name: tea, note: {mentions: [green]}}]}}
            call: {add_item: {name: tea, note: {any_of: [{mentions: [green]}, {exact: black}]}}}
        """
    )
    (event,) = scene.task_as(Milestones).milestones.values()
    assert [[*texts_of(one)] for one in event.constraints] == [["note"], ["note"]]


@pytest.mark.any_pytest
def test_of_shipped_counterexamples_those_of_words_alone_need_a_judge() -> None:
    """What the others do wrong stands in tables and calls."""
    written: dict[str, set[str]] = {}
    for file in find_files([PHONE]):
        for scene in load_file(file):
            events = scene.task_as(Milestones).milestones.values()
            texts = {
                name for event in events for one in event.constraints for name in texts_of(one)
            }
            for name in scene.counterexamples:
                made = converse(scene, counterexample(scene, name), scripted_user(scene))
                if evaluate_in_any_words(scene, made).passed:
                    written[f"{scene.name}::{name}"] = texts
    assert set().union(*written.values()) == {"content"}
    assert {"save_the_physio::forgets_who_she_is"}.isdisjoint(written)
    assert {"text_the_gate_code::sends_the_opposite"} <= written.keys()
