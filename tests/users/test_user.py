from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from pantry import contents, played, scenario
from rows import every

from pytest_toolsandbox.language.tasks import ScriptedReply, UserScript
from pytest_toolsandbox.text.regular_expression import RegularExpression
from pytest_toolsandbox.users.user import (
    GO_ON,
    ScriptedUser,
    UserError,
    VisibleMessage,
    ask_user,
    is_user_factory,
    make_user,
    scripted_user,
    user_retries,
)

OTHERWISE = "I don't have more information."


def user(*replies: tuple[str | None, str], otherwise: str = OTHERWISE) -> ScriptedUser:
    return ScriptedUser(
        UserScript(
            opening="Go on.",
            goal=None,
            knowledge_boundary=None,
            demonstration=None,
            replies=tuple(
                ScriptedReply(
                    say, None if when is None else RegularExpression(when, ignore_case=True)
                )
                for when, say in replies
            ),
            otherwise=(otherwise,),
        )
    )


def answers(somebody: ScriptedUser, *heard: str) -> list[Any]:
    """Return what a user answers to one message after another."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Go on."}]
    replies = []
    for text in heard:
        messages.append({"role": "assistant", "content": text})
        answer = somebody(messages)
        replies.append(answer)
        messages.append({"role": "user", "content": answer or ""})
    return replies


NUMBER = ("(which|what) number", "It is in my contacts.")
COLOR = ("colou?r", "Blue.")
AYE = (None, "Yes.")
NAY = (None, "No.")


@every(
    ("replies", "heard", "expected"),
    [
        # what is neither a question nor answered by a rule ends the conversation
        ((), ["Done."], [None]),
        ((AYE,), ["Done."], [None]),
        ((NUMBER,), ["Done."], [None]),
        # a rule is found anywhere in a message, whatever its case, asked or not
        ((NUMBER,), ["WHAT NUMBER shall I use?"], ["It is in my contacts."]),
        ((NUMBER,), ["Tell me which number."], ["It is in my contacts."]),
        ((NUMBER, COLOR), ["And the color?"], ["Blue."]),
        # the first that is unused
        (
            (COLOR, ("color", "Green.")),
            ["Color?", "Color?", "Color?"],
            ["Blue.", "Green.", OTHERWISE],
        ),
        ((COLOR,), ["Color.", "Color."], ["Blue.", None]),
        ((COLOR, COLOR), ["Color.", "Color.", "Color."], ["Blue.", "Blue.", None]),
        # without a rule: to questions, in order, after all rules
        ((AYE, NAY), ["Now?", "Now?"], ["Yes.", "No."]),
        ((AYE, COLOR), ["Color?", "Sure?"], ["Blue.", "Yes."]),
        ((AYE, COLOR), ["Sure?", "Color?"], ["Yes.", "Blue."]),
        ((AYE,), ["Sent.", "Sure?"], [None, "Yes."]),
        # it has taken the errand on, and does nothing
        ((AYE,), ["Sure.", "Sure.", "Sure."], ["OK", None, "OK"]),
        ((AYE,), ["Sure.", "Now?", "Sure."], ["OK", "Yes.", "OK"]),
        # otherwise, twice at most
        ((), ["Why?", "Why?", "Why?"], [OTHERWISE, OTHERWISE, None]),
        (
            (NUMBER,),
            ["Why?", "What number?", "Why?", "Why?"],
            [OTHERWISE, NUMBER[1], OTHERWISE, None],
        ),
        ((AYE,), ["Why?", "Why?", "Why?", "Why?"], ["Yes.", OTHERWISE, OTHERWISE, None]),
        ((COLOR,), ["Why?", "Why?", "Why?", "Color?"], [OTHERWISE, OTHERWISE, None, "Blue."]),
        # a question in another script is one too
        ((AYE,), ["続けますか\uff1f"], ["Yes."]),
        ((AYE,), ["هل أستمر\u061f"], ["Yes."]),
    ],
)
def test_the_rules(
    replies: Sequence[tuple[str | None, str]], heard: Sequence[str], expected: Sequence[str | None]
) -> None:
    assert answers(user(*replies), *heard) == expected


def test_otherwise_may_be_in_other_words() -> None:
    assert answers(user(otherwise="No idea."), "Why?", "Done.") == ["No idea.", None]


def test_nothing_is_kept_between_calls() -> None:
    somebody = user(COLOR)
    messages = [{"role": "assistant", "content": "Color?"}]
    assert [somebody(messages) for _ in range(3)] == ["Blue."] * 3


def test_a_user_without_messages_ends_the_conversation() -> None:
    assert user(AYE)([]) is None


def test_earlier_agent_messages_use_up_no_replies() -> None:
    scene = scenario(
        """
        history:
          - user: Good morning.
          - agent: Good morning! What color is the door?
          - {role: agent, content: Is this a secret?, visible_to: [agent]}
        user:
          opening: Fill the pantry.
          otherwise: I do not know.
          replies:
            - {when: color, say: Blue.}
            - say: Flour.
        solutions:
          only:
            - say: With what?
            - say: What color shall it have?
            - say: Why?
            - say: Done.
        """
    )
    user = scripted_user(scene)
    assert isinstance(user, ScriptedUser)
    assert user.seen_before == 1
    assert contents(played(scene))[4:] == [
        "Fill the pantry.",
        "With what?",
        "Flour.",
        "What color shall it have?",
        "Blue.",
        "Why?",
        "I do not know.",
        "Done.",
        "",
        "null",
    ]


class Maker:
    """Makes users for each conversation, as a project of one's own might."""

    def __init__(self, made: object, retries: object = 0) -> None:
        self.made, self.retries = made, retries

    def begin(self, *_: object) -> Any:
        if isinstance(self.made, BaseException):
            raise self.made
        return self.made


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (5, "begin returned an int; expected a user, which can be called"),
        (SystemExit(3), "the user raised SystemExit: 3 ("),
        (UserError("asleep; wake it"), "asleep; wake it"),
    ],
)
def test_a_user_factory_that_makes_no_user(made: object, message: str) -> None:
    with pytest.raises(UserError) as caught:
        make_user(Maker(made), scenario(""), 0)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("retries", [None, True, -1, 1.5, "2"])
def test_retries_are_a_number(retries: object) -> None:
    with pytest.raises(UserError, match="expected a whole number from 0 on"):
        user_retries(Maker(None, retries))  # type: ignore[arg-type]


def test_is_user_factory_reads_no_attributes() -> None:
    class Asked:
        def __getattribute__(self, name: str) -> object:
            raise SystemExit(name)

    assert not is_user_factory(Asked())
    assert is_user_factory(Maker(None))


def test_a_custom_user_that_exceeds_its_timeout() -> None:
    def sleeps(messages: object) -> None:
        del messages
        threading.Event().wait(60)

    with pytest.raises(UserError) as caught:
        ask_user(sleeps, [], 0.05)
    line = "the user took longer than 0.05 s for an answer; the scenario's 'timeout' sets another"
    assert str(caught.value) == line


@pytest.mark.parametrize(
    ("text", "follows_calls", "answer"),
    [
        ("OK, that's done.", True, "And the other one?"),
        ("Great, all three are deleted.", True, "And the other one?"),
        ("OK, that's done.", False, None),
        ("One moment, please.", True, GO_ON),
        ("Okay. Which one?", True, OTHERWISE),
    ],
)
def test_after_calls_few_words_are_a_report(
    text: str, answer: str | None, *, follows_calls: bool
) -> None:
    asks_on = ScriptedReply("And the other one?", told=RegularExpression("^[^?]+$"))
    script = replace(user().script, replies=(asks_on,))
    message = VisibleMessage({"role": "assistant", "content": text})
    message.follows_calls = follows_calls
    assert ScriptedUser(script)([{"role": "user", "content": "Go on."}, message]) == answer


@every(
    ("heard", "expected"),
    [
        # the report came with a question, and nothing is left to say after its answer
        (
            ["It's moved. Why not today?", "All right, as you like it."],
            [OTHERWISE, "And the other one?"],
        ),
        (
            ["It's moved. Why not today?", "Yes, everything is done."],
            [OTHERWISE, "And the other one?"],
        ),
        (["Why not today?", "All right, as you like it."], [OTHERWISE, None]),
        # a report is followed once
        (["It's moved.", "All right, as you like it."], ["And the other one?", None]),
        (["It's moved. Why not today?", "Sure."], [OTHERWISE, GO_ON]),
    ],
)
def test_a_report_with_a_question_counts_when_only_filler_follows(
    heard: list[str], expected: list[str | None]
) -> None:
    report = RegularExpression("^[^?]+$")
    asks_on = (
        ScriptedReply("And the other one?", told=report),
        ScriptedReply("More.", told=report),
    )
    replies = asks_on if len(heard) > 1 and "?" not in heard[0] else asks_on[:1]
    script = replace(user().script, replies=replies)
    assert answers(ScriptedUser(script), *heard) == expected
