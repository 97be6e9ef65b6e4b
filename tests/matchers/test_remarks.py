"""What is said of an answer as a whole, in words that are in no list of sentences."""

from __future__ import annotations

import pytest

from pytest_toolsandbox.matchers.statements.asserted import asserted

ABOUT = frozenset(("lusara", "island", "rent", "capital", "claim", "filed"))

DOUBTS = [
    "My memory could play tricks on me.",
    "I'm not at all convinced of this.",
    "I only went through half of the list.",
    "Call it an intuition.",
    "It is a theory at best.",
    "I'd give it a 40 percent chance.",
    "This was extrapolated.",
    "Who's to say?",
    "I haven't a clue.",
    "Let's hope that this is so.",
]
RETRACTIONS = [
    "It is the other way round.",
    "On a closer look that's incorrect.",
    "I must walk that back.",
    "Cancel that, it was wrong.",
    "All of this was fabricated.",
    "The records tell something else.",
    "Those were placeholders.",
    "That's not how it is, I misread the table.",
]
OPENINGS = [
    "I'm tempted to say that",
    "It is rumoured that",
    "It would be a mistake to think that",
    "My gut says that",
    "What I cannot confirm:",
    "The wrong conclusion would be:",
    "Contrary to the facts:",
]
HARMLESS = [
    "I left nothing out.",
    "I couldn't find any inconsistency.",
    "Nothing suggests otherwise.",
    "None of the others qualifies.",
    "There is no error in it.",
    "Without further ado:",
    "Let me know if anything is unclear.",
    "The first page did not have it, the second did.",
    "If you need it in another form, just tell me.",
    "The claim was false, and the capital is not on the island.",
    "It is certain.",
]


@pytest.mark.parametrize("remark", DOUBTS)
def test_a_remark_leaves_all_open(remark: str) -> None:
    assert not asserted(f"It is Lusara. {remark}", (), ABOUT).strip()
    assert not asserted(f"{remark} It is Lusara.", (), ABOUT).strip()


@pytest.mark.parametrize("remark", RETRACTIONS)
def test_a_remark_takes_back_what_was_said(remark: str) -> None:
    text = f"It is Gavaria. {remark} It is Lusara."
    assert asserted(text, (), ABOUT).split() == ["It", "is", "Lusara."]


@pytest.mark.parametrize("opening", OPENINGS)
def test_what_leads_to_an_answer_leaves_it_open(opening: str) -> None:
    assert not asserted(f"{opening} it is Lusara.", (), ABOUT).strip()


@pytest.mark.parametrize("remark", HARMLESS)
def test_other_remarks_do_not(remark: str) -> None:
    assert "It is Lusara" in asserted(f"It is Lusara. {remark}", (), ABOUT)
    assert "It is Lusara" in asserted(f"{remark} It is Lusara.", (), ABOUT)
