"""What of a text its writer stands by."""

from __future__ import annotations

import pytest
from rows import every

from pytest_toolsandbox.matchers.statements.asserted import asserted

NOTHING = [
    "Lusara (not verified)",
    "Lusara; unconfirmed, though",
    "I couldn't find it out, but people say Lusara.",
    "Some say it's Lusara.",
    "I've heard it is Lusara.",
    "By hearsay: Lusara.",
    "It might be Lusara.",
    "I don't think that's right: it'll be Lusara.",
    "Lusara, but I'm not sure.",
    "Lusara. I am not certain about this.",
    "Possibly Lusara",
    "The answer could be Lusara.",
    "My best guess is Lusara.",
    "It isn't Lusara.",
    "It is not Lusara (the island)",
    "I don\u2019t think it's Lusara.",
    "Lusara is not the answer.",
    "Lusara; 4.3; Montelva isn't the right answer",
    "The answer is not:\n- Lusara",
    "Lusara? No, that is wrong.",
    "Is it Lusara?",
    "I could not find out whether it is Lusara.",
    "It is anything but Lusara.",
    "It is unlikely to be Lusara",
    "Anything but Lusara.",
    "Everything but Lusara, if you ask me? No idea.",
    "I think Lusara, but don't rely on it.",
    "Lusara, but please don't count on it.",
    "Lusara. Don't quote me on that.",
    "Lusara, though I wouldn't bet on it.",
    "Take Lusara, but do not trust it blindly.",
    "If I had to guess, I'd say Lusara.",
    "If I have to guess: Lusara.",
    "Purely guessing, Lusara.",
    "I'm guessing Lusara.",
    "This is guesswork: Lusara.",
    "There is no data on this. Lusara.",
    "There's no information about that. Lusara",
    "I have no data for this. Lusara, 4.3",
    "I found no evidence for it, but Lusara.",
    "No results were found. Lusara.",
    "The tools gave me nothing. Lusara",
    "I couldn't find anything on this. Lusara, 4.3.",
    "I could not find the answer. Lusara.",
    "Lusara, or something like that.",
    "Lusara, or something.",
    "Lusara or thereabouts",
    "Lusara, or somebody like that",
    "Lusara?",
    "Lusara, I assume.",
    "Assuming I remember it right, Lusara.",
    "Lusara, if I remember correctly.",
    "Lusara, as far as I remember.",
    "Off the top of my head: Lusara.",
    "Lusara, but double-check that before you use it.",
    "Lusara, but I made that up.",
    "I have not looked it up, but Lusara.",
    "I didn't check, but Lusara.",
    "From memory, Lusara.",
    "Lusara (from memory).",
    "Lusara isn't the largest island.",
    "Lusara is not the one with the most people.",
    "Lusara was not the favourite.",
    "Nobody knows. Lusara.",
    "Lusara, or some such.",
    "Lusara, more or less at random.",
    "I'd put my money on Lusara.",
    "Lusara seems plausible.",
    "Lusara would be my bet.",
    "They say it's Lusara.",
    "I don't believe this: Lusara is the largest.",
    "This is not true: it is Lusara.",
    "The answer is not: it's Lusara.",
    "It isn't Lusara, because the sea is too warm.",
    "Not since Monday was Lusara open.",
    "Lusara. Scratch that.",
    "Lusara. That, however, turned out to be wrong.",
    "Lusara. I take it back.",
    "Lusara. None of this is true, though.",
    "Lusara. This was a mistake on my side.",
    "Lusara. Please forget what I said.",
    "I was unable to find out. Lusara.",
    "The tools contradict this: Lusara.",
    "It's false that it is Lusara.",
    "Lusara. I'm not sure about that.",
    "Lusara. That's a rough guess.",
    "Lusara (just a hunch).",
    "Lusara. I haven't verified this, though.",
    "Lusara. Only half certain, though.",
    "They may have written Lusara.",
]
SOMETHING = [
    "Lusara, which is said to be lovely.",
    "No doubt about it: Lusara.",
    "Without question: Lusara.",
    "Nothing unusual here: Lusara.",
    "I didn't have to guess: Lusara.",
    "Lusara. No further results.",
    "I may be slow, but I got there: Lusara.",
    "You asked whether I could find it: Lusara.",
    "It was wrong in the first list. Lusara stands in the second.",
    "I take it you mean the island: Lusara.",
    "Lusara. Ignore that other island.",
    "Lusara, verified twice.",
    "Lusara",
    "It was Lusara, not Gavaria.",
    "It is not Gavaria but Lusara.",
    "I could not order a taxi. It is Lusara.",
    "Without the islands, Lusara is the largest.",
    "No other one comes close; Lusara it is",
    "Lusara! Let me know if you need more.",
    "In Lusara people could expect to live for 74 years.",
    "It is “Perhaps Lusara?”",
    "Lusara, port no. 3",
    "There's no problem with Lusara.",
    "I think it is Lusara.",
    "I believe the answer is Lusara.",
    "Lusara. There is no data on taxis.",
    "Lusara. I found no tool for a taxi.",
    "I couldn't find a way to book tickets. The answer is Lusara.",
    "Lusara; no other island has more.",
    "Lusara, nothing else comes close.",
    "The guess of the book was wrong; Lusara it is.",
    "You can rely on it: Lusara.",
    "Lusara. You don't need to count them.",
    "Lusara, or LUS for short.",
    "Lusara or, in other words, the main island.",
    "Lusara was not visited in 2019.",
    "I assume you mean the island: Lusara.",
    "Lusara. No further results were needed.",
    "The film is “Anything but Lusara”.",
    "“If I had to guess” by Lusara",
    "There were no results in the first list, but the second has Lusara.",
    "Everything but the taxi is done: Lusara.",
    "I remember to add the unit: Lusara, 4.3.",
    "Lusara. I did not book anything.",
    "It was Lusara that was not in the list of 2020.",
    "Lusara. Nobody else scored higher.",
    "I have checked it: Lusara.",
    "Lusara. The guessing game episode is the longest.",
    "I haven't ordered a taxi. Lusara.",
    "Lusara isn't far from the coast.",
    "Lusara; I have no tool to send it to her.",
    "The text was not sent because the mast on Lusara is down.",
    "I couldn't text her since Lusara has lost its signal.",
    "I couldn't text her: the mast on Lusara is down.",
    "No: it's Lusara.",
    "Not in the north: Lusara is in the south.",
    "Not exactly a mountain: it'll be Lusara.",
    "Don't expect a crowd: they'll be on Lusara.",
    "They say your parcel is on Lusara.",
]

TAKES_BACK = [
    "Scratch that.",
    "Wait, no.",
    "No.",
    "Actually, that is wrong.",
    "Sorry, ignore this.",
    "That was a mistake.",
    "None of this is correct.",
    "I take that back.",
    "Just kidding.",
    "The records say otherwise.",
    "This answer is wrong.",
    "I no longer stand by this.",
    "Never mind, I mixed that up.",
]
LEAVES_OPEN = [
    "I am unsure.",
    "Not 100% sure.",
    "That's a rough guess.",
    "No guarantees.",
    "Just a hunch.",
    "Or so I think.",
    "Please verify this.",
    "To be confirmed.",
    "It's only an assumption.",
    "I haven't checked.",
    "But who knows.",
    "In fact I found nothing.",
    "The answer is unknown.",
    "I was unable to find the answer.",
    "Right?",
]
HARMLESS = [
    "No doubt about it.",
    "I'm sure of it.",
    "That's not a guess.",
    "No further results.",
    "This could not be more certain.",
    "I found no contradicting entry.",
    "Not one record contradicts that.",
    "Let me know if that's wrong.",
    "Anything I forgot? I don't think so.",
    "There were no ties.",
    "I can't book a ferry.",
]
HEADS = [
    "Speculative: Lusara has it.",
    "Chances are that Lusara has it.",
    "I wish I could say that Lusara has it.",
    "Somebody claims: Lusara has it.",
    "The tools contradict this: Lusara has it.",
    "With some luck, Lusara has it.",
    "The following is wrong: Lusara has it.",
]


@every("doubt", [*TAKES_BACK, *LEAVES_OPEN])
def test_a_sentence_of_its_own_takes_back_what_stands_before_it(doubt: str) -> None:
    assert not asserted(f"It is Lusara. {doubt}").strip()


@every("retraction", TAKES_BACK)
def test_what_follows_a_retraction_stands(retraction: str) -> None:
    assert asserted(f"It is Gavaria. {retraction} It is Lusara.").split() == ["It", "is", "Lusara."]


@every("doubt", LEAVES_OPEN[:-1])
def test_a_doubt_holds_for_what_follows_too(doubt: str) -> None:
    assert not asserted(f"{doubt} It is Lusara.").strip()


@every("remark", HARMLESS)
def test_other_remarks_take_nothing_back(remark: str) -> None:
    assert "It is Lusara" in asserted(f"It is Lusara. {remark}")
    assert "It is Lusara" in asserted(f"{remark} It is Lusara.")


@pytest.mark.parametrize("text", HEADS)
def test_what_leads_to_a_statement_may_leave_it_open(text: str) -> None:
    assert "Lusara" not in asserted(text)


@pytest.mark.parametrize(
    "text",
    [
        "No doubt about it: Lusara has it.",
        "I did not have to guess: Lusara has it.",
        "You don't have to look it up: Lusara has it.",
        "At first I wasn't sure which one was meant, but now I am: Lusara has it.",
        'Ada wrote "Combien ?" (How much?) under the picture of Lusara.',
        "Without further ado: the trip to Lusara takes an hour.",
        "You won't believe how easy that was: it is Lusara.",
        "As the sign in our hall says, Lusara has it.",
    ],
)
def test_what_leaves_nothing_open_is_no_doubt(text: str) -> None:
    assert "Lusara" in asserted(text)


@every("text", NOTHING)
def test_what_is_denied_or_left_open_is_left_out(text: str) -> None:
    assert "Lusara" not in asserted(text)


@every("text", SOMETHING)
def test_what_is_said_stays(text: str) -> None:
    assert "Lusara" in asserted(text)


def test_only_what_is_denied_goes() -> None:
    stated = asserted("It was Lusara, not Gavaria (5.1), at 4.3.")
    assert "Lusara" in stated
    assert "4.3" in stated
    assert "Gavaria" not in stated
    assert "5.1" not in stated


def test_a_text_without_doubts_stays_as_it_is() -> None:
    assert asserted("Lusara\r\n\r\n4.3 ") == "Lusara\r\n\r\n4.3 "


def test_titles_are_names() -> None:
    question = "Combien de temps au four ?"
    assert asserted(question) != question
    assert asserted(question, ("Combien de temps au four ?",)) == question
    assert not asserted("Is it Combien?", ("Combien",)).strip()


def test_a_text_that_may_deny_still_leaves_open() -> None:
    assert asserted("No, it isn't Lusara.", may_deny=True) == "No, it isn't Lusara."
    assert not asserted("No, it isn't Lusara, but don't rely on it.", may_deny=True).strip()
