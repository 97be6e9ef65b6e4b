from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from rows import every
from wordings import ANNOUNCES, ASKS, HELD_OUT, REPORTS, turns

from pytest_toolsandbox.language.tasks import Assent, ScriptedReply, UserScript
from pytest_toolsandbox.text.regular_expression import RegularExpression
from pytest_toolsandbox.users.turns import turn_of
from pytest_toolsandbox.users.user import ScriptedUser


def kind(text: str) -> str:
    turn = turn_of(text)
    return "asks" if turn.questions else "announces" if turn.announces else "tells"


@pytest.mark.parametrize(
    ("listing", "expected"), [(ASKS, "asks"), (ANNOUNCES, "announces"), (REPORTS, "tells")]
)
def test_the_kind_of_a_turn(listing: str, expected: str) -> None:
    """All that the rules were tuned with, and of those kept aside all but one in twenty."""
    wrong = [i for i, text in enumerate(turns(listing)) if kind(text) != expected]
    kept_aside = [i for i in wrong if i % HELD_OUT == HELD_OUT - 1]
    assert kept_aside == wrong
    assert len(kept_aside) <= 1


KEPT_ASIDE = {
    "consent": "asks",
    "information": "asks",
    "announces": "announces",
    "done": "tells",
    "quoted_asks": "asks",
    "quoted_ends": "tells",
}
"""The listings of turns that were written before the rules had seen them."""
MISSED = {
    "Your account has been created. You will need to confirm your email address within 24 hours.",
    "Could be any of these three people. Which one exactly I can't tell.",
    "The last line of the poem is *Do I dare to eat a peach?*",
}


@pytest.mark.parametrize("name", ["agent_turns", "later_agent_turns", "last_agent_turns"])
def test_turns_that_were_kept_aside(name: str) -> None:
    listed = yaml.safe_load((Path(__file__).parent / f"{name}.yaml").read_text("utf-8"))
    assert listed.keys() == KEPT_ASIDE.keys()
    turns = {text: KEPT_ASIDE[listing] for listing, texts in listed.items() for text in texts}
    assert {text for text in turns if kind(text) != turns[text]} == MISSED & turns.keys()


@every(
    ("text", "expected"),
    [
        ("Ready to send on your go.", "asks"),
        ("Your OK is all that's missing.", "asks"),
        ("Your confirmation is in your inbox.", "tells"),
        ("Your order confirmation number is 12345.", "tells"),
        ("Let me do that now.", "announces"),
        ('Next up is "Teeth cleaning", tomorrow at 8:45.', "tells"),
        ("Alright, working on it…", "announces"),
        ("Hold on, I'm on it.", "announces"),
        ("ok, warning at 19:32", "tells"),
        ("Okay, setting the warning.", "announces"),
        ("I'll hold until you say so.", "asks"),
        ("I've placed a hold on the book for you.", "tells"),
        ("Your hold on the book is set.", "tells"),
        ("Absolutely!", "announces"),
        ("Leave it to me.", "announces"),
        ("I'd be happy to help with that!", "announces"),
        ("Great, starting with the contact.", "announces"),
        ("brb, looking it up", "announces"),
        ("🔍 Searching…", "announces"),
        ("I'm on the case.", "announces"),
        ("I found no address, and you don't want me to ask Fern.", "tells"),
        ("I can ask Fern if you want me to.", "asks"),
        ("Let's do this!", "announces"),
        ("Okay, got it, thanks.", "announces"),
        ("Thanks for your patience, nearly there.", "announces"),
        ("Thank you for waiting!", "announces"),
        ("I'm almost done.", "announces"),
        ("Thanks for waiting, it's 5 miles.", "tells"),
        ("You're almost there: 2 miles are left.", "tells"),
        ("Whenever you're ready.", "asks"),
        ("Stop me if that's wrong.", "asks"),
        ("Sure, it's 5 miles.", "tells"),
        ("Sorry, I can't do that.", "tells"),
        ("My pleasure.", "tells"),
        ("It's 5 miles. Okay.", "tells"),
        ("Working on the train is fine, says Leo.", "tells"),
        ("He wants to stay at home on Friday, and asks if that's all right.", "tells"),
    ],
)
def test_accepting_a_task_is_an_announcement(text: str, expected: str) -> None:
    assert kind(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Done. Anything else?", True),
        ("Is there anything else I can do for you?", True),
        ("Let me know if you need anything else!", False),
        ("Before anything else, shall I turn on the wifi?", False),
        ("Done.", False),
    ],
)
def test_an_offer_of_more_is_heard_with_its_question_mark(text: str, expected: bool) -> None:
    turn = turn_of(text)
    assert turn.offers_more is expected
    assert not (turn.offers_more and turn.questions)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Please confirm. I'll wait.", "Please confirm? I'll wait."),
        ('Shall I send "Yes. OK?" to Dr. Marsh?', 'Shall I send "Yes OK" to Dr Marsh?'),
        ("At 8 a.m. then. Let me know!", "At 8 am then. Let me know?"),
        ("It is 2.02 miles.", "It is 2.02 miles."),
        ("Done\n- Bins\n- Cello", "Done. Bins. Cello."),
    ],
)
def test_punctuation_of_a_turn(text: str, expected: str) -> None:
    assert turn_of(text).punctuated == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("You haven't told me the time, so I used noon.", "tells"),
        ("You didn't mention a day, so I've set it for Monday.", "tells"),
        ("You didn't mention a day, so I need one.", "asks"),
        ("You haven't told me the time, so I wanted to ask.", "asks"),
        ("I wonder what time suits him; the reminder is set.", "tells"),
        ("I wonder what time suits him.", "asks"),
    ],
)
def test_a_missing_detail_that_was_filled_in_is_not_a_request(text: str, expected: str) -> None:
    assert kind(text) == expected


YES, NO, SURE = "Yes, send it.", "No, my sister.", "Sure, turn it on."
FIRST, SECOND = "That's all.", "Really."
SCRIPT = UserScript(
    opening="Text my sister that we've landed and are waiting for our bags.",
    goal="Have your sister told in a text that you have landed.",
    agrees=Assent((YES,), ("Katherine",), ("Kat", "call"), (NO,)),
    permits=Assent((SURE,), ("cellular", "battery")),
    otherwise=(FIRST, SECOND),
)


def answers(script: UserScript, *heard: str) -> list[Any]:
    messages = []
    replies = []
    for text in heard:
        messages.append({"role": "assistant", "content": text})
        replies.append(ScriptedUser(script)(messages))
    return replies


@every(
    ("asked", "expected"),
    [
        *(
            (text, YES)
            for text in (
                "Shall I go ahead?",
                "Just to confirm: you want me to do this, right?",
                "Please confirm and I'll go ahead.",
                "Just say the word.",
                "Ready to send?",
                "I would send your sister this: “Landed. Waiting for the bags?” Okay?",
                "Should I let your sister know that you've landed?",
                "Do you want me to send a message to Katherine Lindqvist at +14155550111?",
                "I've found Katherine Lindqvist, your sister. Is that correct?",
                "Would it be okay if I messaged her?",
                "Do you mean Katherine Lindqvist?",
                "Let me know if I should proceed.",
                "Here it is. Shall I change it?",
                "So 7:30 pm, right?",
                'Shall I send them "Cellular is off, open up"?',
                "If that's right, I'll send it.",
                "May I write to her now, or would you rather wait?",
                "I'll text Katherine, and I won't text Kat. Shall I go ahead?",
            )
        ),
        *(
            (text, NO)
            for text in (
                "Should I call her?",
                "Shall I text Kat Lindholm that you've landed?",
                "I would send it to Kat Lindholm. Is that right?",
                "Would you like me to call your sister instead?",
                "What about Kat?",
            )
        ),
        *(
            (text, SURE)
            for text in (
                "Cellular service is off. Shall I turn it on?",
                "Do you want me to enable cellular service?",
                "May I switch low battery mode off?",
                "If you'd like, I can turn cellular service on.",
            )
        ),
        *(
            (text, FIRST)
            for text in (
                "Would you like me to explain how?",
                "Is there anything else?",
                "Should I also text Leo?",
                "Should I text your mother instead?",
                "Which number should I use?",
                "Could you give me her number?",
                "I'd need her number.",
                "Should I text Katherine or Priya?",
                "Do you know her number?",
                "Do you want me to set a reminder?",
            )
        ),
    ],
)
def test_answers_to_proposals(asked: str, expected: str) -> None:
    assert answers(SCRIPT, asked) == [expected]


def test_both_can_be_used_again_and_texts_take_turns() -> None:
    script = UserScript("Text Jo.", agrees=Assent(("Yes.", "Yes, please.")), otherwise=("A.", "B."))
    assert answers(script, *["Shall I?"] * 3) == ["Yes.", "Yes, please.", "Yes."]
    assert answers(script, *["Why?"] * 3) == ["A.", "B.", None]


def test_permits_without_phrases_allows_intermediate_steps() -> None:
    script = UserScript("Text Jo.", permits=Assent(("Sure.",)), otherwise=("Dunno.",))
    asked = ["Shall I enable wifi?", "May I look it up?", "Shall I go ahead?", "Shall I text Kat?"]
    assert answers(script, *asked) == ["Sure.", "Sure.", "Sure.", "Dunno."]


@pytest.mark.parametrize(
    "asked",
    [
        "Do these look right to you?",
        "It'd be 7 pm. Does that look good?",
        "That's July 9. Is that really what you want?",
        "Does this text work for you?",
    ],
)
def test_whether_something_looks_right_asks_for_no_permission_to_look(asked: str) -> None:
    script = UserScript("Text Jo.", permits=Assent(("Look.",)), agrees=Assent(("Yes.",)))
    assert answers(script, asked) == ["Yes."]


@pytest.mark.parametrize(
    "asked",
    [
        "24 euros go back. Agreed?",
        "24 euros go back. May I do both?",
        "24 euros go back. Do you want all that?",
        "24 euros go back. Do you want both?",
        "24 euros go back. Yes or no?",
    ],
)
def test_whether_all_or_both_is_wanted_asks_only_to_proceed(asked: str) -> None:
    script = UserScript("Text Jo.", agrees=Assent(("Yes.",)), otherwise=("Dunno.",))
    assert answers(script, asked) == ["Yes."]


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Shall I let everybody know?", "No."),
        ("Should I let Ada and Bo know about it?", "No."),
        ("Shall I tell everybody?", "No."),
        ("Shall I tell you what is booked?", "Yes."),
        ("Shall I text Jo? Let me know.", "Yes."),
    ],
)
def test_letting_somebody_know_is_telling(asked: str, answer: str | None) -> None:
    script = UserScript(
        "Book it.", agrees=Assent(("Yes.",), ("Jo",), ("tell Ada", "everybody inform"), ("No.",))
    )
    assert answers(script, asked) == [answer]


def test_told_matches_statements_only() -> None:
    after_statement = ScriptedReply("Now Jo.", told=RegularExpression("text", ignore_case=True))
    script = UserScript(
        "Text Al.", replies=(after_statement,), agrees=Assent(("Yes.",)), otherwise=("Dunno.",)
    )
    for text, expected in (
        ("I've texted Al.", "Now Jo."),
        ("I've texted Al. Is there anything else?", "Now Jo."),
        ("The text went out. Should I call him?", "Now Jo."),
        ("Shall I send the text?", "Yes."),
        ("Do you want me to include anything else in the text?", "Dunno."),
        ("Let me write the text.", "OK"),
        ("Done.", None),
    ):
        assert answers(script, text) == [expected]


def test_told_can_require_a_turn_without_questions() -> None:
    after_statement = ScriptedReply("Now Jo.", told=RegularExpression("^[^?]+$"))
    script = UserScript(
        "Text Al.", replies=(after_statement,), agrees=Assent(("Yes.",)), otherwise=("So.",)
    )
    for text, expected in (
        ("He knows.", "Now Jo."),
        ("He knows. Anything else?", "Now Jo."),
        ("I've found Al. Shall I text him?", "Yes."),
        ("One moment.", "OK"),
    ):
        assert answers(script, text) == [expected]


def test_when_does_not_match_a_request_to_proceed() -> None:
    when = ScriptedReply("Jo.", RegularExpression(r"\bwho\b|\bright\b.*\?", ignore_case=True))
    script = UserScript("Text Al.", replies=(when,), agrees=Assent(("Yes.",)), otherwise=("So.",))
    assert answers(script, "I know who. Is that right?", "And who is it?") == ["Yes.", "Jo."]


def test_a_matching_reply_overrides_agrees() -> None:
    when = ScriptedReply("At noon.", RegularExpression(r"\bwhen\b.*\?", ignore_case=True))
    script = UserScript(
        "Text Al.", replies=(when,), agrees=Assent(("Yes.",)), otherwise=("Dunno.",)
    )
    assert answers(script, *["Shall I text Al, and when?"] * 2) == ["At noon.", "Dunno."]


@pytest.mark.parametrize("heard", ["Shall I?", "May I enable wifi?"])
def test_without_agrees_and_permits_a_proposal_is_a_question(heard: str) -> None:
    assert answers(UserScript("Text Al.", otherwise=("Dunno.",)), heard) == ["Dunno."]
