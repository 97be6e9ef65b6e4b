from __future__ import annotations

import pytest
from rows import every

from pytest_toolsandbox.language.tasks import Assent, ScriptedReply, UserScript
from pytest_toolsandbox.text.regular_expression import RegularExpression
from pytest_toolsandbox.users.user import ScriptedUser

YES, NO, SURE = "Yes, send it.", "No, my sister.", "Sure, turn it on."
FIRST, SECOND = "That's all.", "Really."
SCRIPT = UserScript(
    opening="Text my sister that we've landed and are waiting for our bags.",
    goal="Have your sister told in a text that you have landed.",
    agrees=Assent((YES,), ("Katherine",), ("Kat", "call"), (NO,)),
    permits=Assent((SURE,), ("cellular", "battery")),
    otherwise=(FIRST, SECOND),
)


def answers(script: UserScript, *heard: str) -> list[str | None]:
    messages = []
    given = []
    for text in heard:
        messages.append({"role": "assistant", "content": text})
        given.append(ScriptedUser(script)(messages))
    return given


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
def test_what_is_agreed_to_and_what_not(asked: str, expected: str) -> None:
    assert answers(SCRIPT, asked) == [expected]


def test_both_can_be_used_again_and_texts_take_turns() -> None:
    script = UserScript("Text Jo.", agrees=Assent(("Yes.", "Yes, please.")), otherwise=("A.", "B."))
    assert answers(script, *["Shall I?"] * 3) == ["Yes.", "Yes, please.", "Yes."]
    assert answers(script, *["Why?"] * 3) == ["A.", "B.", None]


def test_who_permits_without_words_permits_steps_on_the_way() -> None:
    script = UserScript("Text Jo.", permits=Assent(("Sure.",)), otherwise=("Dunno.",))
    asked = ["Shall I enable wifi?", "May I look it up?", "Shall I go ahead?", "Shall I text Kat?"]
    assert answers(script, *asked) == ["Sure.", "Sure.", "Sure.", "Dunno."]


def test_a_reply_that_was_told_hears_reports_only() -> None:
    told = ScriptedReply("Now Jo.", told=RegularExpression("text", ignore_case=True))
    script = UserScript(
        "Text Al.", replies=(told,), agrees=Assent(("Yes.",)), otherwise=("Dunno.",)
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


def test_a_report_that_asks_nothing_can_be_waited_for() -> None:
    told = ScriptedReply("Now Jo.", told=RegularExpression("^[^?]+$"))
    script = UserScript("Text Al.", replies=(told,), agrees=Assent(("Yes.",)), otherwise=("So.",))
    for text, expected in (
        ("He knows.", "Now Jo."),
        ("He knows. Anything else?", "Now Jo."),
        ("I've found Al. Shall I text him?", "Yes."),
        ("One moment.", "OK"),
    ):
        assert answers(script, text) == [expected]


def test_whether_to_go_ahead_is_no_question_for_a_reply() -> None:
    when = ScriptedReply("Jo.", RegularExpression(r"\bwho\b|\bright\b.*\?", ignore_case=True))
    script = UserScript("Text Al.", replies=(when,), agrees=Assent(("Yes.",)), otherwise=("So.",))
    assert answers(script, "I know who. Is that right?", "And who is it?") == ["Yes.", "Jo."]


def test_a_reply_that_knows_the_question_comes_first() -> None:
    when = ScriptedReply("At noon.", RegularExpression(r"\bwhen\b.*\?", ignore_case=True))
    script = UserScript(
        "Text Al.", replies=(when,), agrees=Assent(("Yes.",)), otherwise=("Dunno.",)
    )
    assert answers(script, *["Shall I text Al, and when?"] * 2) == ["At noon.", "Dunno."]


@pytest.mark.parametrize("heard", ["Shall I?", "May I enable wifi?"])
def test_without_them_a_proposal_is_a_question(heard: str) -> None:
    assert answers(UserScript("Text Al.", otherwise=("Dunno.",)), heard) == ["Dunno."]
