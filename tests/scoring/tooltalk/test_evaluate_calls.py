from __future__ import annotations

import doctest
import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from cosines import Cosines
from rows import every

from pytest_toolsandbox.builtin.office import world
from pytest_toolsandbox.matchers.embedding import using
from pytest_toolsandbox.scoring.results import Difference
from pytest_toolsandbox.scoring.tooltalk.evaluate_calls import (
    CallCounts,
    CallErrors,
    CallEvaluation,
    evaluate_calls,
)
from pytest_toolsandbox.scoring.tooltalk.rules import (
    PAPER,
    PUBLISHED_CODE,
    Call,
    CallProtocol,
    NearestCall,
)
from pytest_toolsandbox.worlds.tool import Tool


def alarm(time: str, turn: int = 1, error: str | None = None) -> Call:
    result = None if error else {"alarm_id": "1"}
    return Call("AddAlarm", {"time": time}, result, error, "token", turn)


def weather(place: str, turn: int = 1) -> Call:
    return Call("CurrentWeather", {"location": place}, {"weather": {}}, turn=turn)


def message(text: str, turn: int = 1, **more: Any) -> Call:
    arguments = {"receiver": "ada", "message": text, **more}
    return Call("SendMessage", arguments, {"message_id": "1"}, None, "token", turn)


def unknown(turn: int = 1) -> Call:
    return Call("OpenDoor", {}, None, "API OpenDoor not found", turn=turn)


def unread(turn: int = 1) -> Call:
    return Call("AddAlarm", None, None, "Failed to parse API call", "token", turn)


def evaluate(
    predictions: list[Call], truths: list[Call], protocol: CallProtocol = PUBLISHED_CODE
) -> CallEvaluation:
    return evaluate_calls(predictions, truths, world.tools, protocol)


REFUSED = "The alarm is broken."


# counts and rates


@every(
    ("predictions", "truths", "counts"),
    [
        ([], [], (0, 0, 0, 0, 0, 0)),
        ([], [alarm("1")], (0, 1, 0, 0, 0, 0)),
        ([alarm("1")], [], (1, 0, 0, 1, 0, 1)),
        ([alarm("1")], [alarm("1")], (1, 1, 1, 1, 1, 0)),
        ([alarm("1"), alarm("1")], [alarm("1")], (2, 1, 1, 2, 1, 1)),
        ([alarm("1", error=REFUSED)], [alarm("1")], (1, 1, 0, 1, 0, 0)),
        ([alarm("1", error=REFUSED)], [alarm("1", error=REFUSED)], (1, 1, 1, 1, 1, 0)),
        ([weather("Rome")], [weather("Oslo")], (1, 1, 0, 0, 0, 0)),
        ([weather("Rome"), alarm("2")], [weather("Rome")], (2, 1, 1, 1, 0, 1)),
        ([unknown(), unread()], [alarm("1")], (2, 1, 0, 1, 0, 0)),
        ([unknown()], [unknown()], (1, 1, 1, 0, 0, 0)),
        ([alarm("2"), alarm("1")], [alarm("1"), alarm("2")], (2, 2, 2, 2, 2, 0)),
    ],
)
def test_counts(predictions: list[Call], truths: list[Call], counts: tuple[int, ...]) -> None:
    assert tuple(asdict(evaluate(predictions, truths).counts).values()) == counts


def test_rates() -> None:
    def rates(counts: CallCounts) -> tuple[float | None, ...]:
        bad_actions = counts.bad_action_rate
        return counts.precision, counts.recall, counts.action_precision, bad_actions

    assert rates(CallCounts(8, 5, 4, 6, 3, 2)) == (4 / 8, 4 / 5, 3 / 6, 2 / 6)
    assert rates(CallCounts()) == (None,) * 4
    assert rates(CallCounts(predictions=1, ground_truths=1, actions=1)) == (0, 0, 0, 0)


@every(
    ("predictions", "truths", "success", "soft_success"),
    [
        ([alarm("1")], [alarm("1")], True, 1),
        ([alarm("1"), weather("Rome")], [alarm("1")], True, 1),
        ([alarm("1", error=REFUSED), alarm("1")], [alarm("1")], True, 1),
        ([alarm("1"), alarm("2")], [alarm("1")], False, 0.5),
        ([alarm("1")], [alarm("1"), alarm("2")], False, 0.5),
        ([alarm("1"), alarm("3")], [alarm("1"), alarm("2")], False, 0.25),
        ([], [alarm("1")], False, 0),
        ([], [], True, None),
        ([weather("Rome")], [], True, None),
        ([alarm("1")], [], False, None),
    ],
)
def test_success(
    predictions: list[Call], truths: list[Call], success: bool, soft_success: float | None
) -> None:
    evaluation = evaluate(predictions, truths)
    assert evaluation.passed is success
    assert evaluation.soft_success == soft_success


# matching


def test_the_published_code_pools_and_the_paper_does_not() -> None:
    predictions, truths = [alarm("1", 1), alarm("2", 1)], [alarm("1", 1), alarm("2", 3)]
    pooled, per_turn = evaluate(predictions, truths), evaluate(predictions, truths, PAPER)
    assert [prediction.match for prediction in pooled.predictions] == [0, 1]
    assert [prediction.match for prediction in per_turn.predictions] == [0, None]
    assert [prediction.bad_action for prediction in per_turn.predictions] == [False, True]
    assert (pooled.protocol, per_turn.protocol) == (PUBLISHED_CODE, PAPER)


def test_where_the_first_to_come_would_take_too_much_more_is_matched() -> None:
    """The second call can only be the first truth; the published code gives that to the first."""
    sent = message("see you")
    narrow = replace(sent, arguments={"message": "see you"})
    evaluation = evaluate([sent, narrow], [narrow, sent])
    assert [prediction.match for prediction in evaluation.predictions] == [1, 0]
    assert [truth.match for truth in evaluation.ground_truths] == [1, 0]
    assert evaluation.passed


def test_both_sides_know_their_matches() -> None:
    evaluation = evaluate([weather("Rome"), alarm("1")], [alarm("1"), alarm("2")])
    predictions = [(p.match, p.matched, p.action, p.bad_action) for p in evaluation.predictions]
    assert predictions == [(None, False, False, False), (0, True, True, False)]
    assert [(t.match, t.matched) for t in evaluation.ground_truths] == [(1, True), (None, False)]
    assert evaluation.predictions[1].call == alarm("1")


def test_the_result_says_how_texts_were_compared() -> None:
    predictions, truths = [message("see you there")], [message("see you here")]
    assert evaluate(predictions, truths).similarity == "token_f1"
    assert not evaluate(predictions, truths).passed
    with using(Cosines("see you here", {"see you there": 0.95})):
        evaluation = evaluate(predictions, truths)
    assert evaluation.similarity == "cosine"
    assert evaluation.passed


# what came nearest


def test_the_nearest_call_differs_least() -> None:
    truth = message("one two three four", receiver="bob")
    predictions = [
        alarm("1"),
        message("five"),
        message("one", receiver="bob"),
        message("two one", receiver="bob"),
        message("one two", receiver="bob"),
    ]
    (missed,) = evaluate(predictions, [truth]).ground_truths
    assert missed.nearest is not None
    assert missed.nearest.place == 3
    assert [difference.where for difference in missed.nearest.differences] == ["message"]


def test_what_came_nearest_is_not_matched() -> None:
    calls = [alarm("1"), alarm("1"), alarm("2"), alarm("4"), weather("Rome")]
    evaluation = evaluate(calls, [alarm("1"), alarm("3")])
    made, missed = evaluation.ground_truths
    assert made.nearest is None
    assert missed.nearest == NearestCall(1, (Difference("time", "'3'", "1", 0.0),))
    assert [prediction.nearest for prediction in evaluation.predictions] == [
        None,
        NearestCall(0, ()),
        NearestCall(0, (Difference("time", "'1'", "2", 0.0),)),
        NearestCall(0, (Difference("time", "'1'", "4", 0.0),)),
        None,
    ]
    assert evaluate([alarm("1")], [alarm("1"), alarm("1")]).ground_truths[1].nearest is None
    assert evaluate([weather("Rome")], [alarm("1")]).ground_truths[0].nearest is None


# plugins


def test_a_plugins_counts_are_those_of_its_tools() -> None:
    evaluation = evaluate(
        [weather("Rome"), alarm("1"), alarm("2"), unknown()],
        [alarm("1"), weather("Oslo"), message("see you")],
    )
    assert evaluation.plugins == {
        "Alarm": CallCounts(2, 1, 1, 2, 1, 1),
        "Messages": CallCounts(0, 1, 0, 0, 0, 0),
        "Weather": CallCounts(1, 1, 0, 0, 0, 0),
    }
    assert list(evaluation.plugins) == ["Alarm", "Messages", "Weather"]
    assert evaluation.tools == {
        "AddAlarm": CallCounts(2, 1, 1, 2, 1, 1),
        "CurrentWeather": CallCounts(1, 1, 0, 0, 0, 0),
        "SendMessage": CallCounts(0, 1, 0, 0, 0, 0),
    }
    assert evaluation.counts == CallCounts(4, 3, 1, 2, 1, 1)
    assert [prediction.plugin for prediction in evaluation.predictions][2:] == ["Alarm", ""]


# kinds of errors


@every(
    ("predictions", "truths", "errors"),
    [
        # a turn that asks for no call
        ([alarm("1", 3)], [], (1, 0, 0)),
        ([alarm("1", 3), alarm("2", 3), alarm("3", 5)], [], (3, 0, 0)),
        ([alarm("9", 1), alarm("1", 3, REFUSED), weather("Rome", 3), unknown(3)], [], (1, 0, 0)),
        # one that does
        ([], [alarm("1")], (0, 1, 0)),  # left out
        ([alarm("2")], [alarm("1")], (0, 0, 1)),  # the right tool
        ([weather("Oslo")], [alarm("1")], (0, 1, 0)),  # another one
        ([alarm("2"), weather("Oslo")], [alarm("1")], (0, 1, 0)),  # one more
        ([alarm("2"), alarm("3")], [alarm("1")], (0, 1, 0)),  # too often
        ([alarm("3")], [alarm("1"), alarm("2")], (0, 0, 1)),  # not often enough
        ([alarm("1"), alarm("2")], [alarm("1")], (0, 1, 0)),  # all is found, and one is too much
        ([alarm("2", 1, REFUSED)], [alarm("1")], (0, 0, 1)),
        ([unread()], [alarm("1")], (0, 0, 1)),
        ([weather("Rome"), alarm("9")], [weather("Rome"), alarm("1")], (0, 0, 1)),
        ([weather("Rome"), alarm("1", 3, REFUSED), alarm("1", 3)], [alarm("1", 3)], (0, 0, 0)),
        # once for each turn
        ([alarm("3"), alarm("4", 3)], [alarm("1"), alarm("2", 3)], (0, 0, 2)),
        ([alarm("3"), alarm("4", 3)], [alarm("1"), weather("Rome", 3)], (0, 1, 1)),
        ([alarm("3"), alarm("4", 5)], [alarm("1")], (1, 0, 1)),
        # a call is matched in another turn
        ([alarm("1", 1), alarm("2", 1)], [alarm("1", 1), alarm("2", 3), alarm("3", 5)], (0, 1, 0)),
    ],
)
def test_the_kinds_of_errors(
    predictions: list[Call], truths: list[Call], errors: tuple[int, int, int]
) -> None:
    assert evaluate(predictions, truths).errors == CallErrors(*errors)


PAGE = (Path(__file__).parents[3] / "docs" / "calls.md").read_text(encoding="utf-8")


def test_the_session_is_a_real_one() -> None:
    examples = doctest.DocTestParser().get_doctest(PAGE, {}, "calls.md", None, None)
    result = doctest.DocTestRunner().run(examples)
    assert result.failed == 0
    assert result.attempted == 16


def test_the_tool_is_one() -> None:
    (_, program, _) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    namespace: dict[str, Any] = {"__name__": __name__}
    exec(compile(program, "conftest.py", "exec", dont_inherit=True), namespace)
    tool = namespace["open_ticket"]
    assert isinstance(tool, Tool)
    arguments = {"title": "Cold tea", "labels": ["a", "b"], "due": "2024-02-01", "trace": "1"}
    other = arguments | {"labels": ["b", "a"], "due": "2024-02-01 09:00:00", "trace": "2"}
    calls = [Call("open_ticket", arguments) for arguments in (arguments, other)]
    assert evaluate_calls(calls[1:], calls[:1], {"open_ticket": tool}).passed
