"""Comparison as ToolTalk's published code has it, and what the reports read of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import pytest
from cosines import Cosines
from hypothesis import given, strategies as st
from pydantic import BaseModel
from rows import every

from pytest_toolsandbox.builtin.office import world
from pytest_toolsandbox.matchers.embedding import EmbedderError, using
from pytest_toolsandbox.scoring.results import Difference
from pytest_toolsandbox.scoring.tooltalk.comparison import (
    MEASURES,
    CallComparer,
    text_similarity_in_use,
    token_f1,
)
from pytest_toolsandbox.scoring.tooltalk.rules import PUBLISHED_CODE, Call, CallProtocol
from pytest_toolsandbox.worlds.state import Row
from pytest_toolsandbox.worlds.tool import CallComparison, FreeText, SupersetOf, Tool, tool

TEN = "one two three four five six seven eight nine ten"
NINE = "one two three four five six seven eight nine too"
EIGHT = "one two three four five six seven eight too much"
"""Texts that share nine and eight of ten words with the first one."""


def comparer(protocol: CallProtocol = PUBLISHED_CODE) -> CallComparer:
    return CallComparer(world.tools, protocol, text_similarity_in_use())


def agrees(predicted: Call, truth: Call, protocol: CallProtocol = PUBLISHED_CODE) -> bool:
    return comparer(protocol).agrees(predicted, truth)


def where(predicted: Call, truth: Call, protocol: CallProtocol = PUBLISHED_CODE) -> list[str]:
    return [difference.where for difference in comparer(protocol).differences(predicted, truth)]


GROUND_TRUTH: dict[str, dict[str, Any]] = {
    "ChangePassword": {"old_password": "a", "new_password": "b"},
    "DeleteAccount": {"password": "a"},
    "GetAccountInformation": {},
    "LogoutUser": {},
    "QueryUser": {"email": "a@b.c"},
    "RegisterUser": {"username": "ada", "password": "a", "email": "a@b.c"},
    "ResetPassword": {"username": "ada", "verification_code": "123456", "new_password": "b"},
    "SendVerificationCode": {"username": "ada", "email": "a@b.c"},
    "UpdateAccountInformation": {"password": "a", "new_email": "a@b.c"},
    "UserLogin": {"username": "ada", "password": "a"},
    "AddAlarm": {"time": "07:30:00"},
    "DeleteAlarm": {"alarm_id": "12-34"},
    "FindAlarms": {"start_range": "07:00:00"},
    "CreateEvent": {
        "name": TEN,
        "event_type": "meeting",
        "start_time": "2023-09-12 10:00:00",
        "end_time": "2023-09-12 11:00:00",
        "description": TEN,
        "location": TEN,
        "attendees": ["ada", "bob"],
    },
    "DeleteEvent": {"event_id": "12-34"},
    "ModifyEvent": {
        "event_id": "12-34",
        "new_name": TEN,
        "new_start_time": "2023-09-12 10:00:00",
        "new_end_time": "2023-09-12 11:00:00",
        "new_description": TEN,
        "new_location": TEN,
        "new_attendees": ["ada", "bob"],
    },
    "QueryCalendar": {"start_time": "2023-09-12 00:00:00", "end_time": "2023-09-13 00:00:00"},
    "SearchInbox": {"query": "tea", "match_type": "any"},
    "SendEmail": {"to": ["a@b.c", "d@e.f"], "subject": TEN, "body": TEN},
    "SearchMessages": {"query": "tea", "sender": "ada"},
    "SendMessage": {"receiver": "ada", "message": TEN},
    "AddReminder": {"task": TEN, "due_date": "2023-09-12 10:00:00"},
    "CompleteReminder": {"reminder_id": "12-34"},
    "DeleteReminder": {"reminder_id": "12-34"},
    "GetReminders": {},
    "CurrentWeather": {"location": "London"},
    "ForecastWeather": {"location": "London"},
    "HistoricWeather": {"location": "London", "month": "May"},
}
SEARCHES = {
    "FindAlarms": ("alarms", "alarm_id"),
    "QueryCalendar": ("events", "event_id"),
    "SearchInbox": ("emails", "email_id"),
    "SearchMessages": ("messages", "message_id"),
    "GetReminders": ("reminders", "reminder_id"),
}


def result_of(name: str, *identifiers: str, **more: Any) -> dict[str, Any]:
    """Return a result of a search, with so many rows."""
    rows, identifier = SEARCHES[name]
    return {rows: [{identifier: value, **more} for value in identifiers]}


def truth_of(name: str, **more: Any) -> Call:
    result = result_of(name, "1", "2") if name in SEARCHES else {"status": "success"}
    call = Call(name, GROUND_TRUTH[name], result, None, "token", turn=3)
    return replace(call, **more)


def changed(call: Call, **arguments: Any) -> Call:
    return replace(call, arguments={**(call.arguments or {}), **arguments})


def without(call: Call, name: str) -> Call:
    kept = {key: value for key, value in (call.arguments or {}).items() if key != name}
    return replace(call, arguments=kept)


def test_these_are_all_tools() -> None:
    assert GROUND_TRUTH.keys() == world.tools.keys()


@every("name", GROUND_TRUTH)
def test_a_call_agrees_with_itself(name: str) -> None:
    for truth in (truth_of(name), truth_of(name, session=None), failed(truth_of(name))):
        assert where(truth, truth) == []


def failed(call: Call, error: str = "The tea is cold.") -> Call:
    return replace(call, result=None, error=error)


@every("name", GROUND_TRUTH)
def test_tool_error_and_session_are_compared_and_the_turn_is_not(name: str) -> None:
    truth = truth_of(name)
    assert agrees(replace(truth, turn=1), truth)
    assert where(replace(truth, tool=f"No{name}"), truth) == ["tool"]
    assert where(failed(truth), truth) == ["error"]
    assert where(truth, failed(truth)) == ["error"]
    assert where(failed(truth, "Nobody is in."), failed(truth)) == ["error"]
    assert where(replace(truth, session="another"), truth) == ["session"]
    assert where(replace(truth, session=None), truth) == ["session"]


@every("name", GROUND_TRUTH)
def test_a_session_that_the_truth_has_not_is_not_compared(name: str) -> None:
    truth = truth_of(name, session=None)
    whole = ["session"] if name == "GetReminders" else []
    assert where(replace(truth, session="token"), truth) == whole


@every("name", GROUND_TRUTH)
def test_arguments_that_could_not_be_read_never_agree(name: str) -> None:
    truth = truth_of(name)
    unread = failed(replace(truth, arguments=None), "Failed to parse API call")
    assert where(unread, truth)[0] == "error"
    assert where(unread, failed(truth, "Failed to parse API call")) == ["arguments"]
    assert not agrees(unread, unread)
    assert where(truth, replace(truth, arguments=None)) == ["arguments"]


@every("name", GROUND_TRUTH)
def test_more_arguments_do_not_matter_unless_the_whole_request_does(name: str) -> None:
    truth = truth_of(name)
    whole = ["foo"] if name == "GetReminders" else []
    assert where(changed(truth, foo=1), truth) == whole


@every(
    ("name", "argument"),
    [(name, argument) for name, arguments in GROUND_TRUTH.items() for argument in arguments],
)
def test_what_the_truth_gives_must_be_given_where_it_is_compared(name: str, argument: str) -> None:
    truth = truth_of(name)
    missed = [] if name in SEARCHES else [argument]
    assert where(without(truth, argument), truth) == missed
    assert where(changed(truth, **{argument: None}), truth) == missed
    assert where(truth, without(truth, argument)) == []


@every("name", [name for name in GROUND_TRUTH if name not in SEARCHES])
def test_the_result_must_be_equal_or_is_ignored(name: str) -> None:
    truth = truth_of(name)
    ignored = {"AddAlarm", "CreateEvent", "SendEmail", "SendMessage", "AddReminder"}
    differing = [] if name in ignored else ["result"]
    assert where(replace(truth, result={"status": "done"}), truth) == differing
    assert where(replace(truth, result={}), truth) == differing


@every(
    ("expected", "identifiers", "enough"),
    [
        (["1", "2"], ["1", "2"], True),
        (["1", "2"], ["2", "3", "1"], True),
        (["1", "1"], ["1"], True),
        ([], [], True),
        ([], ["1"], True),
        (["1", "2"], ["1"], False),
        (["1"], [], False),
        (["1"], ["01"], False),
    ],
)
def test_a_search_must_find_what_the_truth_found(
    expected: list[str], identifiers: list[str], enough: bool
) -> None:
    for name in SEARCHES:
        truth = truth_of(name, result=result_of(name, *expected, more="text"))
        predicted = replace(truth, result=result_of(name, *identifiers))
        assert where(predicted, truth) == ([] if enough else ["result"])


@every(
    "result",
    [
        None,
        7,
        "events",
        [],
        {},
        {"events": None},
        {"events": {}},
        {"events": ["12"]},
        {"events": [{}]},
    ],
)
def test_another_kind_of_result_agrees_only_with_itself(result: Any) -> None:
    truth = truth_of("QueryCalendar")
    odd = replace(truth, result=result)
    assert where(odd, truth) == where(truth, odd) == ["result"]
    assert agrees(odd, odd)


@every(
    ("name", "argument", "value", "is_equal"),
    [
        ("AddAlarm", "time", "7:30:00", False),
        ("CurrentWeather", "location", "london", False),
        ("ForecastWeather", "location", " London", False),
        ("HistoricWeather", "month", "may", False),
        ("QueryUser", "email", "A@b.c", False),
        ("CreateEvent", "event_type", "event", False),
        ("CreateEvent", "start_time", "2023-9-12 10:00:00", False),
        ("CreateEvent", "end_time", "2023-09-12 11:00", False),
        ("CreateEvent", "attendees", ["bob", "ada"], False),
        ("CreateEvent", "attendees", ["ada", "bob", "eve"], False),
        ("CreateEvent", "attendees", ("ada", "bob"), True),
        ("ModifyEvent", "event_id", "12-35", False),
        ("ModifyEvent", "new_start_time", "2023-09-12 10:00:01", False),
        ("ModifyEvent", "new_attendees", ["bob", "ada"], False),
        ("SendEmail", "to", ["a@b.c"], False),
        ("SendEmail", "to", ["a@b.c", "d@e.f", "g@h.i"], False),
        ("SendEmail", "to", "a@b.c", False),
        ("SendEmail", "to", ["d@e.f", "a@b.c", "d@e.f"], True),
        ("AddReminder", "due_date", "2023-09-13 10:00:00", False),
        ("AddReminder", "due_date", "soon", False),
        ("AddReminder", "due_date", "2023-09-12 23:59:59", True),
        ("AddReminder", "due_date", "2023-9-12 1:0:0", True),
        ("DeleteReminder", "reminder_id", 12, False),
    ],
)
def test_different_arguments(name: str, argument: str, value: Any, is_equal: bool) -> None:
    differing = where(changed(truth_of(name), **{argument: value}), truth_of(name))
    assert differing == [argument] * (not is_equal)


FREE_TEXTS = [
    *(("CreateEvent", argument, 0.9) for argument in ("name", "description", "location")),
    *(("ModifyEvent", f"new_{argument}", 0.9) for argument in ("name", "description", "location")),
    ("SendEmail", "subject", 0.9),
    ("SendEmail", "body", 0.8),
    ("SendMessage", "message", 0.8),
    ("AddReminder", "task", 0.9),
]


@every(("name", "argument", "threshold"), FREE_TEXTS)
def test_free_texts_agree_from_their_threshold_on(
    name: str, argument: str, threshold: float
) -> None:
    truth = truth_of(name)
    for text, similarity in ((TEN.upper(), 1), (NINE, 0.9), (EIGHT, 0.8), ("", 0)):
        predicted = changed(truth, **{argument: text})
        assert where(predicted, truth) == ([] if similarity >= threshold else [argument])
    values: list[Any] = [None, 7, ["one"], {}]
    for odd in (changed(truth, **{argument: value}) for value in values):
        assert where(odd, truth) == where(truth, odd) == where(odd, odd) == [argument]


@every(("name", "argument", "threshold"), FREE_TEXTS)
def test_an_embedder_takes_the_place_of_words(name: str, argument: str, threshold: float) -> None:
    near, far = "much the same", "much the other"
    predicted = changed(truth_of(name), **{argument: near})
    other = changed(truth_of(name), **{argument: far})
    with using(Cosines(TEN, {near: threshold + 0.001, far: threshold - 0.001})):
        assert where(predicted, truth_of(name)) == []
        assert where(other, truth_of(name)) == [argument]


def test_the_receiver_is_compared_unless_the_published_slip_is_asked_for() -> None:
    truth, event = truth_of("SendMessage"), truth_of("CreateEvent")
    slip = CallProtocol("published_code", receiver_compared=False)
    for other in (changed(truth, receiver="eve"), without(truth, "receiver")):
        assert where(other, truth) == ["receiver"]
        assert where(other, truth, slip) == []
    assert where(changed(truth, message="no"), truth, slip) == ["message"]
    other, event = changed(event, receiver="eve"), changed(event, receiver="ada")
    assert where(other, event, slip) == ["receiver"]


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["", TEN, "a@b.c"]),
    lambda values: st.lists(values, max_size=2) | st.dictionaries(st.text(max_size=2), values),
    max_leaves=4,
)


@given(st.data(), st.sampled_from(sorted(GROUND_TRUTH)))
def test_nothing_raises_on_odd_arguments_and_results(data: st.DataObject, name: str) -> None:
    calls = [
        replace(
            truth_of(name),
            arguments={argument: data.draw(ODD) for argument in GROUND_TRUTH[name]},
            result=data.draw(ODD),
        )
        for _ in range(2)
    ]
    for protocol in (PUBLISHED_CODE, CallProtocol("paper")):
        for predicted, truth in (calls, calls[::-1], (truth_of(name), calls[0])):
            assert agrees(predicted, truth, protocol) == (where(predicted, truth, protocol) == [])


# what reports read


def differences(predicted: Call, truth: Call) -> list[Difference]:
    return list(comparer().differences(predicted, truth))


def test_all_differences_are_yielded_and_texts_come_last() -> None:
    truth = truth_of("SendEmail")
    predicted = without(changed(truth, to=["a@b.c"], body=EIGHT, subject=EIGHT), "to")
    predicted = replace(predicted, session=None)
    assert differences(predicted, truth) == [
        Difference("session", "'token'", None, 0.0),
        Difference("to", "['a@b.c', 'd@e.f']", None, 0.0, "not given"),
        Difference("subject", f"'{TEN}'", EIGHT, 0.8, "F1 of the words", 0.9),
    ]


def test_a_difference_says_that_a_cosine_was_used() -> None:
    truth = truth_of("AddReminder")
    with using(Cosines(TEN, {"no": 0.25})):
        (difference,) = differences(changed(truth, task="no"), truth)
    assert (difference.where, difference.expected, difference.found) == ("task", f"'{TEN}'", "no")
    assert difference.similarity == pytest.approx(0.25)
    assert difference.note == "cosine of the embedder's vectors"


@every(
    ("changes", "difference"),
    [
        ({"result": None, "error": "No."}, ("error", "no error", "No.", 0.0)),
        (
            {"result": result_of("QueryCalendar", "2", "3")},
            (
                "result",
                "{events: [{event_id: '1'}, {event_id: '2'}]}",
                result_of("QueryCalendar", "2", "3"),
                0.0,
                "missing: '1'",
            ),
        ),
        ({"arguments": None}, ("arguments", "arguments that can be read", None, 0.0)),
        ({"tool": "FindEvents"}, ("tool", "'QueryCalendar'", "FindEvents", 0.0)),
    ],
)
def test_the_text_of_a_difference(changes: Any, difference: tuple[Any, ...]) -> None:
    truth = truth_of("QueryCalendar")
    assert differences(replace(truth, **changes), truth) == [Difference(*difference)]


def test_differences_of_a_refused_truth_and_of_a_whole_request() -> None:
    refused = failed(truth_of("UserLogin"), "The password is incorrect.")
    (error,) = differences(truth_of("UserLogin"), refused)
    assert error == Difference("error", "'The password is incorrect.'", None, 0.0)
    truth = truth_of("GetReminders")
    (status,) = differences(changed(truth, status=("done",)), truth)
    assert status == Difference("status", "no such argument", ["done"], 0.0)
    (sort,) = differences(changed(truth, status="a", sort="b"), changed(truth, status="a"))
    assert sort == Difference("sort", "no such argument", "b", 0.0)
    event = truth_of("CreateEvent")
    (name,) = differences(changed(event, name=7), event)
    assert name == Difference("name", f"'{TEN}'", 7, 0.0, "only texts can be alike")


def test_no_embedder_is_asked_where_something_else_differs() -> None:
    truth = truth_of("SendMessage")
    embedder = Cosines(TEN, {})
    with using(embedder):
        assert not agrees(changed(truth, message="other", receiver="eve"), truth)
        assert agrees(truth, truth)
    assert embedder.asked == []


# tools of one's own


@tool(
    "Kitchen",
    action=True,
    comparison=CallComparison(
        {"note": FreeText(0.5), "spices": "set", "day": "date", "trace": "ignored"},
        SupersetOf("dishes", "id"),
    ),
)
def cook(note: str, spices: list[str], day: str, trace: str, heat: int) -> dict[str, Any]:
    """Cook a dish."""
    raise NotImplementedError


@tool("Kitchen")
def taste(dish: str) -> dict[str, Any]:
    """Taste a dish."""
    raise NotImplementedError


@every(
    ("tools", "arguments", "result", "expected"),
    [
        ([cook], {"note": "b a", "trace": "8"}, {"dishes": [{"id": 2}, {"id": 1}]}, []),
        ([cook], {"spices": ["y", "x"], "day": "2024-02-01T12:00"}, {"dishes": [{"id": 1}]}, []),
        ([cook], {"heat": 4}, {"dishes": []}, ["result", "heat"]),
        ([cook], {"note": "c"}, {"dishes": [{"id": 1}]}, ["note"]),
        ([taste], {"note": "b a"}, {"dishes": [{"id": 1}]}, ["note"]),
        ([], {"trace": "8"}, {"dishes": [{"id": 1}, {"id": 2}]}, ["result", "trace"]),
        ([cook], {}, [{"id": 1}], ["result"]),
    ],
)
def test_a_tool_is_compared_as_it_declares_and_exactly_where_it_does_not(
    tools: list[Tool], arguments: dict[str, Any], result: Any, expected: list[str]
) -> None:
    usual = {"note": "a b", "spices": ["x", "y"], "day": "2024-02-01", "trace": "7", "heat": 3}
    truth = Call("cook", usual, {"dishes": [{"id": 1}]})
    predicted = replace(truth, arguments=usual | arguments, result=result)
    assert where_by(tools, predicted, truth) == expected


def where_by(tools: list[Tool], predicted: Call, truth: Call) -> list[str]:
    known = {definition.name: definition for definition in tools}
    by_tools = CallComparer(known, PUBLISHED_CODE, text_similarity_in_use())
    return [difference.where for difference in by_tools.differences(predicted, truth)]


@every(
    ("result", "expected"),
    [
        ([{"id": 2}, {"id": 1, "name": "soup"}], []),
        ([{"id": 2}], ["result"]),
        ([], ["result"]),
        ({"dishes": [{"id": 1}]}, ["result"]),
    ],
)
def test_a_result_that_is_a_list_is_compared_by_its_rows(result: Any, expected: list[str]) -> None:
    truth = Call("cook", {}, [{"id": 1}])
    assert where_by([cook], replace(truth, result=result), truth) == expected


class Slot(BaseModel):
    hour: int
    hours: int = 1


@tool("Kitchen", action=True)
def reserve(slot: Slot) -> None:
    """Reserve a table."""


@every(
    ("slot", "expected"),
    [
        ({"hour": 9}, []),
        ({"hours": 1, "hour": 9}, []),
        ({"hour": 9, "hours": 2}, ["slot"]),
        ({"hour": 8}, ["slot"]),
        (9, ["slot"]),
    ],
)
def test_what_is_left_out_of_a_model_has_its_default(slot: Any, expected: list[str]) -> None:
    for truth in ({"hour": 9}, {"hour": 9, "hours": 1}):
        made, recorded = Call("reserve", {"slot": slot}), Call("reserve", {"slot": truth})
        assert where_by([reserve], made, recorded) == expected


def test_texts_are_compared_by_the_f1_of_their_words_or_by_an_embedder() -> None:
    similarity = text_similarity_in_use()
    assert similarity.name == "token_f1"
    assert similarity("Buy milk", "buy oat milk") == pytest.approx(0.8)
    with using(Cosines("Buy milk", {"get some milk": 0.75})):
        similarity = text_similarity_in_use()
        assert similarity.name == "cosine"
        assert similarity("Buy milk", "get some milk") == pytest.approx(0.75)
        assert similarity("get some milk", "Buy milk") == pytest.approx(0.75)


@every(
    ("text", "other", "expected"),
    [("x", "x", 1), ("", "", 1), ("", " \n", 1), ("", "x", 0), ("x", " ", 0)],
)
def test_no_embedder_is_asked_about_equal_or_blank_texts(
    text: str, other: str, expected: float
) -> None:
    embedder = Cosines("", {})
    for used in (embedder, None):
        with using(used):
            assert text_similarity_in_use()(text, other) == expected
    assert embedder.asked == []


def test_the_embedders_failure_is_an_error() -> None:
    def failing(_: list[str]) -> list[list[float]]:
        raise ConnectionError("no route")

    with using(failing), pytest.raises(EmbedderError) as caught:
        text_similarity_in_use()("a", "b")
    assert str(caught.value).startswith("the embedder failed: ConnectionError: no route (")


# the F1 of words


TEXTS = st.text(st.sampled_from("abAB ß.,'\t\u00a0É"), max_size=12)


@every(
    ("text", "other", "expected"),
    [
        ("take out the trash", "take out the trash", 1),
        ("Take out, the TRASH!", "take out the trash", 1),
        ("it's", "its", 1),
        ("well-known", "wellknown", 1),
        ("well-known", "well known", 0),
        ("STRASSE", "straße", 1),
        ("a  b\n", "b a", 1),
        ("a b", "a c", 0.5),
        ("a a b", "a", 0.5),
        ("a a b", "a a", 0.8),
        ("“a”", "a", 0),
        ("", "", 1),
        ("", "?!", 1),
        ("", "a", 0),
        ("a", "...", 0),
    ],
)
def test_token_f1_is_the_share_of_common_words(text: str, other: str, expected: float) -> None:
    assert token_f1(text, other) == pytest.approx(expected, abs=0)
    assert token_f1(other, text) == pytest.approx(expected, abs=0)


@given(TEXTS, TEXTS)
def test_token_f1_is_symmetric_and_1_only_for_the_same_words(text: str, other: str) -> None:
    def words(text: str) -> list[str]:
        kept = "".join(char for char in text.casefold() if char not in ".,'")
        return sorted(kept.split())

    assert 0 <= token_f1(text, other) == token_f1(other, text) <= 1
    assert (token_f1(text, other) == 1) == (words(text) == words(other))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.text(max_size=2), values),
    max_leaves=5,
)


@given(VALUES, VALUES)
def test_whatever_is_compared_the_answer_is_yes_or_no(value: Any, other: Any) -> None:
    for measure in MEASURES.values():
        assert measure(value, other) in (True, False)
        assert measure(value, other) == measure(other, value)


@every(
    ("measure", "value", "other", "expected"),
    [
        ("exact", 1, 1.0, True),
        ("exact", 1, True, True),
        ("exact", 1, "1", False),
        ("exact", "London", "london", False),
        ("exact", None, None, True),
        ("exact", None, "", False),
        ("exact", [1, 2], [1, 2], True),
        ("exact", [1, 2], (1, 2), True),
        ("exact", [1, 2], [2, 1], False),
        ("exact", {"a": [1]}, Row({"a": [1]}), True),
        ("exact", {"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ("exact", {"a": 1}, {"a": 1, "b": None}, False),
        ("set", ["a", "b"], ["b", "a"], True),
        ("set", ["a", "a", "b"], ("b", "a"), True),
        ("set", [], [], True),
        ("set", ["a"], ["a", "b"], False),
        ("set", ["a"], [], False),
        ("set", [["a"], {"b": 1}], [{"b": 1}, ["a"]], True),
        ("set", [["a", "b"]], [["b", "a"]], False),
        ("set", ["a"], "a", False),
        ("set", "ab", "ab", False),
        ("set", None, None, False),
        ("set", 7, [7], False),
        ("date", "2023-09-12 07:00:00", "2023-09-12 19:30:00", True),
        ("date", "2023-09-12 07:00:00", "2023-9-12 7:0:0", True),
        ("date", "2023-09-12 07:00:00", "2023-09-13 07:00:00", False),
        ("date", "2023-09-12", "2023-09-12T19:30:00Z", True),
        ("date", "2023-09-12", "2023-09-11", False),
        ("date", "2023-09-12 07:00:00", "tomorrow", False),
        ("date", "tomorrow", "tomorrow", True),
        ("date", "tomorrow", "Tomorrow", False),
        ("date", "2023-09-12 07:00:00", None, False),
        ("date", "2023-09-12 07:00:00", ["2023-09-12 07:00:00"], False),
        ("date", None, None, True),
    ],
)
def test_measures_of_arguments(
    measure: Literal["exact", "set", "date"], value: Any, other: Any, expected: bool
) -> None:
    assert MEASURES[measure](value, other) is expected
    assert MEASURES[measure](other, value) is expected
