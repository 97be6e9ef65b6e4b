"""State, calls and facts decide first; then a solution's words, a judge, or nobody."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pantry import played, scenario
from replayed import Taking, call, recorded
from rows import every

from pytest_toolsandbox.conversation.play import converse
from pytest_toolsandbox.language.constraints import Criteria
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Replay
from pytest_toolsandbox.scoring.judging import Judgement, judge
from pytest_toolsandbox.scoring.results import CriterionOpinion, Opinion
from pytest_toolsandbox.scoring.words import SUCCESS
from pytest_toolsandbox.users.user import scripted_user

RIGHT = Opinion("right", "", "It is so.")
FALSE = Opinion("false", "said", "It is not so.")
INCOMPLETE = Opinion("incomplete", "", "It is not said.")

TEA = scenario(
    """
    milestones:
      asked: {says: {asks: [amount]}}
      there:
        state: {item: {added: [{name: tea, amount: 2, note: {all_of: [{same_facts: green tea},
                                                                      {mentions: [green]}]}}]}}
      told: {says: {all_of: [claims: [added], mentions: [tea], not: {denies: added}]}}
    minefields:
      boasted: {says: {mentions: [best]}}
      claimed: {says: {claims: [paid]}}
    user: {opening: Add green tea., replies: [{say: Two.}]}
    solutions:
      rightly:
        - say: Which amount?
        - add_item: {name: tea, amount: 2, note: green}
        - say: Added the tea.
    counterexamples:
      in_other_words:
        - say: How much of it?
        - add_item: {name: tea, amount: 2, note: a green one}
        - say: The tea is in there now, and paid.
      without_a_fact:
        - say: Which amount?
        - add_item: {name: tea, amount: 2, note: green}
        - say: It is in there now.
      without_a_fact_in_a_row:
        - say: Which amount?
        - add_item: {name: tea, amount: 2, note: matcha}
        - say: Added the tea.
      forbidden_fact:
        - say: Which amount?
        - add_item: {name: tea, amount: 2, note: green}
        - say: Added the best tea.
      another_amount:
        - say: Which amount?
        - add_item: {name: tea, amount: 3, note: green}
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
      in_other_words: [{list_items: {}}, {weigh: {name: rice}}, {finish: {answer: 2 kilos}}]
      another: [{list_items: {}}, {weigh: {name: rice}}, {finish: {answer: a brace}}]
      twice: [{list_items: {}}, {list_items: {}}, {weigh: {name: rice}}, {finish: {answer: "2"}}]
      guessed: [{finish: {answer: "There are 2."}}]
    """
)
SORRY = scenario(
    """
    milestones:
      told: {says: {any_of: [refuses: paid, asks: account]}}
    user: {opening: Pay the rent.}
    solutions:
      rightly: [say: I cannot pay it.]
    counterexamples:
      done: [say: "As you like. I've paid the rent. Anything else?"]
      in_german: [say: Ich habe die Miete bezahlt.]
      in_other_words: [say: There is no tool for payments here.]
      silent: [say: "..."]
    """
)


class Judge:
    """A judge that is asked, and has always the same opinion."""

    def __init__(self, opinion: Opinion = RIGHT) -> None:
        self.opinion, self.times = opinion, 0

    def __call__(self) -> Opinion:
        self.times += 1
        return self.opinion


def judged(scene: Scenario, name: str, opinion: Opinion = RIGHT) -> tuple[Judgement, int]:
    asked = Judge(opinion)
    return judge(scene, played(scene, name), asked), asked.times


@every(
    ("scene", "name", "words"),
    [
        (TEA, "rightly", "exact"),
        (TEA, "in_other_words", "facts"),
        (TEA, "without_a_fact", None),
        (TEA, "without_a_fact_in_a_row", None),
        (TEA, "forbidden_fact", None),
        (TEA, "another_amount", None),
        (RICE, "looked", "exact"),
        (RICE, "in_other_words", "facts"),
        (RICE, "another", None),
        (RICE, "twice", None),
        (RICE, "guessed", None),
        (SORRY, "rightly", "exact"),
        (SORRY, "in_other_words", "by_rules"),
        (SORRY, "in_german", "by_rules"),
    ],
)
def test_a_judge_is_asked_if_facts_are_right_and_the_words_are_from_no_solution(
    scene: Scenario, name: str, words: str | None
) -> None:
    alone = judge(scene, played(scene, name))
    assert (alone.passed, alone.words) == (words is not None, words)
    is_asked = words not in (None, "exact")
    judgement, asked = judged(scene, name)
    assert (judgement.passed, asked) == (words is not None, is_asked)
    assert judgement.words == ("judged" if is_asked else words)
    for opinion in (FALSE, INCOMPLETE) if is_asked else ():
        judgement, _ = judged(scene, name, opinion)
        assert (judgement.passed, judgement.opinion) == (False, opinion)
        assert judgement.result.score <= (0 if opinion is FALSE else 2 / 3)


def test_where_only_words_are_asked_for_what_is_plainly_wrong_fails() -> None:
    judgement = judge(SORRY, played(SORRY, "done"))
    assert (judgement.passed, judgement.words) == (False, "by_rules")
    result: Any = judgement.result
    (says,) = result.milestones[0].nearest.constraints
    assert says.differences[0].note == f'{SUCCESS}: "I\'ve paid the rent."'
    assert judged(SORRY, "done")[0].passed  # a judge decides alone
    assert not judge(SORRY, played(SORRY, "silent")).passed


def test_words_that_lack_something_are_worth_what_was_done_without_them() -> None:
    result: Any = judged(TEA, "in_other_words", INCOMPLETE)[0].result
    assert result.score == 2 / 3
    *met, missed = result.milestones
    assert all(constraint.reached for constraint in met)
    (says,) = missed.nearest.constraints
    (difference,) = says.differences
    assert (missed.name, missed.reached, difference.note) == ("told", False, "It is not said.")
    assert difference.found == "The tea is in there now, and paid."


@every("passed", [True, False])
def test_criteria_are_checked_whatever_the_words_are(passed: bool) -> None:
    opinion = Opinion("right", criteria=(CriterionOpinion("polite", met=passed, why="It barks."),))
    scene = TEA.with_criteria(Criteria(("polite",)))
    judgement, asked = judged(scene, "rightly", opinion)
    assert (judgement.passed, judgement.words, asked) == (passed, "judged", 1)
    assert judge(scene, played(scene, "rightly")).passed  # nobody to check them
    result: Any = judgement.result
    assert all(milestone.reached for milestone in result.milestones)
    assert (result.score, result.milestone_score) == (float(passed), 1)

    answer, asked = judged(RICE.with_criteria(Criteria(("polite",))), "looked", opinion)
    result = answer.result
    assert (answer.passed, result.answered, result.score) == (passed, True, float(passed))

    rules = replace(TOLD.task_as(Replay), rules="published_code")
    talk = replace(TOLD, task=rules).with_criteria(Criteria(("polite",)))
    sent = call("SendMessage", receiver="bob", message="I am on my way at five")
    made = converse(talk, Taking([sent, ALARM]), scripted_user(talk))
    calls = judge(talk, made, Judge(opinion))
    assert (calls.passed, calls.result.score) == (passed, float(passed))


def test_an_exception_of_a_judge_is_raised() -> None:
    def ask() -> Opinion:
        raise OSError("nobody is there")

    with pytest.raises(OSError, match="nobody is there"):
        judge(TEA, played(TEA, "in_other_words"), ask)


TOLD = recorded("""
    world: office
    categories: [easy]
    now: 2025-09-15 13:00
    session: {user: mbell, location: New York}
    conversation:
      - user: Tell bob that I am on my way at five, and wake me at half past six.
      - calls:
          - SendMessage: {receiver: bob, message: I am on my way at five}
          - AddAlarm: {time: "18:30:00"}
        assistant: He knows.
""")
ALARM = call("AddAlarm", time="18:30:00")


def judged_with(message: str, opinion: Opinion | None, *calls: Any, rules: Any = "turnwise") -> Any:
    scene = replace(TOLD, task=replace(TOLD.task_as(Replay), rules=rules))
    sent = call("SendMessage", receiver="bob", message=message)
    made = converse(scene, Taking([sent, *(calls or (ALARM,))]), scripted_user(scene))
    asked = Judge(opinion) if opinion else None
    judgement = judge(scene, made, asked)
    return judgement, asked.times if asked else 0


@every(
    ("message", "opinion", "passed", "words"),
    [
        ("I am on my way at five", None, True, "exact"),
        ("I'm on my way at 5 o'clock", None, True, "facts"),
        ("I am on my way at six", None, False, None),
        ("Ich komme gleich", None, False, None),
        ("Um fünf komme ich", RIGHT, True, "judged"),
    ],
)
def test_texts_of_recorded_calls_are_compared_by_words_and_quantities(
    message: str, opinion: Opinion | None, passed: bool, words: str | None
) -> None:
    judgement, asked = judged_with(message, opinion)
    assert (judgement.passed, judgement.words, asked) == (passed, words, int(opinion is not None))


def test_a_recorded_call_does_not_match_whose_text_is_wrong() -> None:
    judgement, _ = judged_with("I'm on my way, at 5", Opinion("false", "on my way", "He is not."))
    counts = judgement.result.counts
    assert not judgement.passed
    assert (counts.matches, counts.ground_truths, counts.bad_actions) == (1, 2, 1)
    made, truth = judgement.result.predictions[0], judgement.result.ground_truths[0]
    assert (made.bad_action, made.match, truth.match) == (True, None, None)
    (difference,) = truth.nearest.differences
    assert (difference.where, difference.found) == ("message", "I'm on my way, at 5")
    assert (difference.expected, difference.note) == ("'I am on my way at five'", "He is not.")


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
    parts = ({"new_name": "A feast"}, {"new_description": "with cake"})
    made = [call("ModifyEvent", event_id="b281da86-ab88", **part) for part in parts]
    trajectory = converse(scene, Taking(made), scripted_user(scene))
    opinion = Opinion("false", "cake", "There is none.")
    result: Any = judge(scene, trajectory, Judge(opinion)).result
    assert [prediction.match for prediction in result.predictions] == [None, None]
    assert [prediction.bad_action for prediction in result.predictions] == [False, True]
    assert [truth.match for truth in result.ground_truths] == [None]


@every(
    ("calls", "rules"),
    [
        ((call("AddAlarm", time="18:00:00"),), "turnwise"),
        ((ALARM,), "published_code"),
        ((ALARM,), "paper"),
    ],
)
def test_no_judge_is_asked_about_wrong_calls_or_under_published_rules(
    calls: Any, rules: str
) -> None:
    judgement, asked = judged_with("Ich komme gleich", RIGHT, *calls, rules=rules)
    assert (judgement.passed, judgement.opinion, asked) == (False, None, 0)


def test_a_conversation_without_texts_has_no_words_to_judge() -> None:
    scene = recorded("""
        world: office
        categories: [easy]
        now: 2025-09-15 13:00
        session: {user: mbell, location: New York}
        conversation:
          - user: Wake me at half past six.
          - {calls: [{AddAlarm: {time: "18:30:00"}}], assistant: It is set.}
    """)
    asked = Judge(FALSE)
    judgement = judge(scene, converse(scene, Taking([ALARM]), scripted_user(scene)), asked)
    assert (judgement.passed, judgement.words, asked.times) == (True, None, 0)
