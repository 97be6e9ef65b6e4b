"""Words are as somebody else thinks, where nothing but words can decide."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pantry import played, scenario
from replayed import Taking, call, recorded
from rows import every

from pytest_toolsandbox.conversation.play import converse
from pytest_toolsandbox.evaluation.judging import Judgement, judge, judge_with
from pytest_toolsandbox.evaluation.opinion import Opinion
from pytest_toolsandbox.language.protocol import protocol_of
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Replay
from pytest_toolsandbox.users.user import scripted_user

RIGHT = Opinion("right", "", "It is so.")
FALSE = Opinion("false", "said", "It is not so.")
INCOMPLETE = Opinion("incomplete", "", "It is not said.")

TEA = scenario(
    """
    milestones:
      asked: {says: {asks: [amount]}}
      there:
        state: {item: {added: [{name: tea, amount: 2, note: {mentions: [green]}}]}}
      told: {says: {all_of: [claims: [added], mentions: [tea]]}}
    minefields:
      boasted: {says: {mentions: [best]}}
    user: {opening: Add green tea., replies: [{say: Two.}]}
    solutions:
      rightly:
        - say: Which amount?
        - add_item: {name: tea, amount: 2, note: green}
        - say: Added the tea.
    counterexamples:
      in_other_words:
        - say: How much of it?
        - add_item: {name: tea, amount: 2, note: matcha}
        - say: It is in there now, the best there is.
      another_amount:
        - say: Which amount?
        - add_item: {name: tea, amount: 3, note: green}
        - say: Added the tea.
      without_a_word:
        - add_item: {name: tea, amount: 2, note: green}
      more_than_that:
        - say: Which amount?
        - add_item: {name: tea, amount: 2, note: green}
        - add_item: {name: rice, amount: 2}
        - say: Added the tea.
    """
)
RICE = scenario(
    """
    query: How much rice is there?
    answer: {mentions: [2]}
    forbidden: [RAC]
    solutions:
      looked: [{list_items: {}}, {weigh: {name: rice}}, {finish: {answer: "There are 2."}}]
    counterexamples:
      in_other_words: [{list_items: {}}, {weigh: {name: rice}}, {finish: {answer: a brace}}]
      twice: [{list_items: {}}, {list_items: {}}, {weigh: {name: rice}}, {finish: {answer: "2"}}]
      guessed: [{finish: {answer: "There are 2."}}]
    """
)


class Asked:
    """Somebody who is asked, and thinks always the same."""

    def __init__(self, opinion: Opinion = RIGHT) -> None:
        self.opinion, self.times = opinion, 0

    def __call__(self) -> Opinion:
        self.times += 1
        return self.opinion


def judged(scene: Scenario, name: str, opinion: Opinion = RIGHT) -> tuple[Judgement, int]:
    asked = Asked(opinion)
    return judge_with(scene, played(scene, name), asked), asked.times


@every(
    ("scene", "name", "by_rules", "times"),
    [
        (TEA, "rightly", True, 1),
        (TEA, "in_other_words", False, 1),
        (TEA, "another_amount", False, 0),
        (TEA, "without_a_word", False, 1),
        (TEA, "more_than_that", False, 0),
        (RICE, "looked", True, 1),
        (RICE, "in_other_words", False, 1),
        (RICE, "twice", False, 0),
        (RICE, "guessed", False, 0),
    ],
)
def test_somebody_is_asked_where_words_alone_decide(
    scene: Scenario, name: str, by_rules: bool, times: int
) -> None:
    assert judge(scene, played(scene, name)).passed is by_rules
    judgement, asked = judged(scene, name)
    assert (judgement.passed, asked) == (bool(times), times)
    assert judgement.by_rules == (by_rules if times else None)
    for opinion in (FALSE, INCOMPLETE) if times else ():
        judgement, _ = judged(scene, name, opinion)
        assert not judgement.passed
        assert judgement.result.score <= (0 if opinion is FALSE else 2 / 3)
        assert (judgement.opinion, judgement.by_rules) == (opinion, by_rules)


def test_incomplete_words_are_worth_what_was_done_without_them() -> None:
    assert judged(TEA, "rightly", FALSE)[0].result.score == 0
    result: Any = judged(TEA, "in_other_words", INCOMPLETE)[0].result
    assert result.score == 2 / 3
    *met, missed = result.milestones
    assert all(one.reached for one in met)
    (said,) = missed.nearest.constraints
    (difference,) = said.differences
    assert (missed.name, missed.reached, difference.note) == ("told", False, "It is not said.")
    assert difference.found == "It is in there now, the best there is."


def test_events_are_reached_in_any_words() -> None:
    result: Any = judged(TEA, "in_other_words")[0].result
    assert (result.score, result.minefields) == (1.0, ())
    assert [one.reached for one in result.milestones] == [True, True, True]
    assert [one.name for one in result.milestones] == [*TEA.task.milestones]  # type: ignore[attr-defined]


def test_what_somebody_raises_is_raised() -> None:
    def ask() -> Opinion:
        raise OSError("nobody is there")

    with pytest.raises(OSError, match="nobody is there"):
        judge_with(TEA, played(TEA, "rightly"), ask)


TOLD = recorded("""
    world: office
    categories: [easy]
    now: 2025-09-15 13:00
    session: {user: mbell, location: New York}
    conversation:
      - user: Tell bob that I am on my way, and wake me at half past six.
      - calls:
          - SendMessage: {receiver: bob, message: I am on my way}
          - AddAlarm: {time: "18:30:00"}
        assistant: He knows.
""")
ALARM = call("AddAlarm", time="18:30:00")


def told(message: str, opinion: Opinion, *others: Any, rules: Any = "turnwise") -> Any:
    scene = replace(TOLD, task=replace(TOLD.task_as(Replay), rules=rules))
    sent = call("SendMessage", receiver="bob", message=message)
    made = converse(scene, Taking([sent, *(others or (ALARM,))]), scripted_user(scene))
    asked = Asked(opinion)
    judgement = judge_with(scene, made, asked)
    return judgement, asked.times


def test_texts_of_recorded_calls_may_be_told_in_any_words() -> None:
    judgement, asked = told("Ich komme gleich", RIGHT)
    assert (judgement.passed, judgement.by_rules, asked) == (True, False, 1)


def test_a_recorded_call_is_none_whose_text_is_wrong() -> None:
    opinion = Opinion("false", "on my way", "He is not.")
    judgement, _ = told("I am on my way", opinion)
    counts = judgement.result.counts
    assert (judgement.passed, judgement.by_rules) == (False, True)
    assert (counts.matches, counts.ground_truths, counts.bad_actions) == (1, 2, 1)
    made, truth = judgement.result.predictions[0], judgement.result.ground_truths[0]
    assert (made.bad_action, made.match, truth.match) == (True, None, None)
    (difference,) = truth.nearest.differences
    assert (difference.where, difference.found) == ("message", "I am on my way")
    assert (difference.expected, difference.note) == ("'I am on my way'", "He is not.")


def test_calls_that_are_joined_are_unmatched_together() -> None:
    scene = recorded(
        """
        world: office
        categories: [easy]
        now: 2025-09-15 13:00
        protocol: turnwise
        session: {user: jtran2}
        conversation:
          - user: Call it a feast, with cake, please.
          - calls:
              - ModifyEvent: {event_id: EVENT, new_name: Feast, new_description: with cake}
            assistant: It is one.
    """.replace("EVENT", "b281da86-ab88")
    )
    parts = ({"new_name": "Feast"}, {"new_description": "with cake"})
    made = [call("ModifyEvent", event_id="b281da86-ab88", **part) for part in parts]
    trajectory = converse(scene, Taking(made), scripted_user(scene))
    opinion = Opinion("false", "cake", "There is none.")
    judgement = judge_with(scene, trajectory, Asked(opinion))
    result: Any = judgement.result
    assert [one.match for one in result.predictions] == [None, None]
    assert [one.bad_action for one in result.predictions] == [False, True]
    assert [one.match for one in result.ground_truths] == [None]


@every(
    ("others", "rules"),
    [
        ((call("AddAlarm", time="18:00:00"),), "turnwise"),
        ((ALARM,), "published_code"),
        ((ALARM,), "paper"),
    ],
)
def test_other_calls_and_published_rules_are_as_ever(others: Any, rules: str) -> None:
    judgement, asked = told("Ich komme gleich", RIGHT, *others, rules=rules)
    assert (judgement.passed, judgement.opinion, asked) == (False, None, 0)


def test_a_conversation_without_texts_asks_nobody() -> None:
    scene = recorded("""
        world: office
        categories: [easy]
        now: 2025-09-15 13:00
        session: {user: mbell, location: New York}
        conversation:
          - user: Wake me at half past six.
          - {calls: [{AddAlarm: {time: "18:30:00"}}], assistant: It is set.}
    """)
    made = converse(scene, Taking([ALARM]), scripted_user(scene))
    assert protocol_of(scene).judge_in_any_words(scene, made) is None
