"""A conversation of a record is judged again with what the record notes of its user."""

from __future__ import annotations

from typing import Any, cast

import pytest
from pantry import scenario

from pytest_toolsandbox import play_trial
from pytest_toolsandbox.records.reading import StoredRecord
from pytest_toolsandbox.records.record import read_record
from pytest_toolsandbox.runs.resuming import KeptTrial
from pytest_toolsandbox.runs.trial import judge_again

OPEN = scenario("milestones: {told: {says: {mentions: [open]}}}")
USER = {"name": "gpt", "type": "module:User", "model": "openai/gpt-4o"}


def record(reply: str, kind: str, effect: str) -> dict[str, Any]:
    """Return the record of a conversation in which a fault of its user was left."""
    fault = {"kind": kind, "told": "It is none.", "utterance": "Milk.", "left": True}
    notes = {
        "style": "plain",
        "utterances": 2,
        "asked_again": 1,
        "conversations": 2,
        "faults": [{**fault, "effect": effect, "published": "hallucination"}],
        "review": {"verdict": "none", "utterance": "", "why": "It is right."},
    }
    played = play_trial(OPEN, lambda _messages, _tools: reply).record
    return {
        **played,
        "user": "gpt",
        "user_settings": USER,
        "user_notes": notes,
        "other_calls": {"shell": 2},
    }


@pytest.mark.parametrize(
    ("reply", "kind", "effect", "outcome"),
    [
        ("It is open.", "world", "helped", "inconclusive"),
        ("It is open.", "invention", "hindered", "passed"),
        ("No.", "invention", "hindered", "inconclusive"),
        ("No.", "world", "helped", "failed"),
    ],
)
def test_faults_of_its_user_decide_as_before(
    reply: str, kind: str, effect: str, outcome: str
) -> None:
    before = record(reply, kind, effect)
    trial = judge_again(OPEN, cast("StoredRecord", read_record(before)))
    assert trial.outcome == outcome
    for field in ("user", "user_settings", "user_notes", "other_calls"):
        assert trial.record[field] == before[field]


def test_a_trial_whose_user_is_looked_at_is_not_judged_without_that() -> None:
    before = record("No.", "world", "helped")
    assert not KeptTrial(before).may_be_reviewed
    reviewed = {**before, "user_settings": {**USER, "reviewer": "openai/gpt-4o"}}
    assert KeptTrial(reviewed).may_be_reviewed
    assert not KeptTrial({**before, "outcome": "error"}).is_finished
