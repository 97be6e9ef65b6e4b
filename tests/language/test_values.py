"""Values that are worked out: moments, and results of earlier calls."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings, strategies as st
from rows import every

from pytest_toolsandbox.language.values import (
    Expected,
    FromResult,
    format_problem,
    path_problem,
    results_in,
    substituted,
)
from pytest_toolsandbox.matchers import Reading

PLACES = [
    {"address": "1 Elm Street", "latitude": 47.6},
    {"address": "2 Alder Street", "latitude": 47.61234},
]
ALDER = "[?contains(address, 'Alder')].latitude | [0]"


@every(
    ("source", "result", "value"),
    [
        (FromResult("t"), 5, 5),
        (FromResult("t"), None, None),
        (FromResult("t", ALDER), PLACES, 47.61234),
        (FromResult("t", "[5].latitude"), PLACES, None),
        (FromResult("t", "length(@)"), PLACES, 2),
        (FromResult("t", "length(@)"), 5, None),  # a function that meets another type
        (FromResult("t", "[@,@,@,@][]|" * 3 + "length(@)"), [1], 64),
        (FromResult("t", "[@,@,@,@][]|" * 14 + "[0]"), [1], None),  # lists that grow without end
        (FromResult("t", "[::0]"), PLACES, None),  # an error of Python's, not of JMESPath's
        (FromResult("t", ALDER, "{:.1f} north"), PLACES, "47.6 north"),
        (FromResult("t", None, "{:.1f}"), "text", None),
        (FromResult("t", None, "{}"), "text", "text"),
        (FromResult("t", None, "{:c}"), 10**9, None),
        (FromResult("t", "[5]", "{}"), PLACES, None),
    ],
)
def test_a_value_is_taken_from_a_result(source: FromResult, result: Any, value: Any) -> None:
    assert source.value(result) == value


@every(
    ("source", "result", "in_text", "candidates"),
    [
        (FromResult("m", ALDER), PLACES, False, (47.61234,)),
        (FromResult("m", ALDER), PLACES, True, (47.61234, 48, 47.6, 47.61, 47.612)),
        (FromResult("m"), 20.5, True, (20.5, 20)),
        (FromResult("m"), 20, True, (20,)),
        (FromResult("m"), "text", True, ("text",)),
        (FromResult("m"), [1.5], True, ([1.5],)),
        (FromResult("m"), {"a": 1}, True, ({"a": 1},)),
        (FromResult("m"), float("inf"), True, (float("inf"),)),
        (FromResult("m", "[9]"), PLACES, True, ()),
        (FromResult("m"), None, True, ()),
        (FromResult("m", None, "{:.0f} °C"), 20.5, False, ("20 °C",)),
        (FromResult("m", None, "{} °C"), 20.26, False, ("20.26 °C", "20 °C", "20.3 °C")),
        (FromResult("m", None, "{:.0f}"), "warm", True, ()),
    ],
)
def test_several_values_may_stand_for_a_result(
    source: FromResult, result: Any, in_text: bool, candidates: tuple[Any, ...]
) -> None:
    assert source.candidates(result, in_text=in_text) == candidates


ONE_VALUE = "%r must format exactly one value: write it as {} or {:.1f}"


@every(
    ("form", "problem"),
    [
        *((form, None) for form in ("{}", "{:.1f}", "{:>10}", "{:,}", "{!r}", "{{{}}}", "{} m")),
        *(
            (form, ONE_VALUE % form)
            for form in ("", "20", "{} {}", "{0}", "{value}", "{.real}", "{[0]}", "{:{}}")
        ),
        ("{:>999999999}", ONE_VALUE % "{:>999999999}"),
        ("{", "'{' is not a valid format: Single '{' encountered in format string"),
        ("}", "'}' is not a valid format: Single '}' encountered in format string"),
        ("{:q}", "'{:q}' cannot format a text or a number"),
        ("{!x}", "'{!x}' cannot format a text or a number"),
    ],
)
def test_problems_of_formats(form: str, problem: str | None) -> None:
    assert format_problem(form) == problem


@given(st.text("{}:.0123456789f>,!rs[]a ", max_size=10))
@settings(max_examples=400, deadline=None)
def test_a_format_that_is_taken_never_fails(form: str) -> None:
    if format_problem(form) is None:
        for value in ("text", 5, 5.5, None, [1], {"a": 1}, True, 10**30):
            FromResult("t", None, form).value(value)


@every(
    ("path", "problem"),
    [
        *((path, None) for path in ("a", "a.b[0]", ALDER, "sort_by(@, &a)[-1]", "`[]`", "@")),
        ("a[", "'a[' is not a JMESPath: Invalid jmespath expression: Incomplete expression"),
        ("", "'' is not a JMESPath: Invalid JMESPath expression: cannot be empty."),
        (
            "a b",
            ("'a b' is not a JMESPath: Unexpected token: b: "
            'Parse error at column 2, token "b" (UNQUOTED_IDENTIFIER)'),
        ),
        ("$", "'$' is not a JMESPath: Bad jmespath expression: Unknown token $"),
        ("[*].first(@)", "JMESPath has no function 'first'"),
        ("(" * 3000, f"'{'(' * 59}…' is not a JMESPath: nested too deeply"),
    ],
)  # fmt: skip
def test_problems_of_paths(path: str, problem: str | None) -> None:
    assert path_problem(path) == problem


@given(
    st.lists(
        st.sampled_from(
            [*"ab.[]*()?&|!<>=`\"'@{},:019- ", "length(", "sort_by(", "&a", "[?", "[::"]
        ),
        max_size=8,
    ).map("".join)
)
@settings(max_examples=400, deadline=None)
def test_a_path_that_is_taken_never_fails(path: str) -> None:
    if path_problem(path) is None:
        for result in (None, 5, "text", [1, "a", {"a": 1}], {"a": [1, {"b": 2}]}):
            FromResult("t", path).value(result)


def test_results_are_found_and_replaced_wherever_they_stand() -> None:
    first, second = FromResult("a"), FromResult("b")
    value = {"x": [first, {"y": second}], "z": 1}
    assert list(results_in(value)) == [first, second]
    assert substituted(value, lambda source: source.name) == {"x": ["a", {"y": "b"}], "z": 1}


def best(expected: Expected, results: dict[str, Any], value: Any) -> float:
    return max((m.similarity(value) for m in expected.alternatives(results)), default=-1.0)


TEMPERATURE = FromResult("weather", "temperature")
RESULTS = {"weather": {"temperature": 20.26, "sky": "clear", "days": ["Mon", "Tue"]}}


@every(
    ("value", "text", "similarity"),
    [
        # A bare number is a text where a text is expected, rounded or not.
        (TEMPERATURE, "20.26", 1.0),
        (TEMPERATURE, "20.3", 1.0),
        (TEMPERATURE, "20", 1.0),
        (TEMPERATURE, "21", 0.0),
        (FromResult("weather", "sky"), "clear", 1.0),
        # Matchers take it as a number or, where they take texts alone, as a text.
        ({"mentions": TEMPERATURE}, "It has 20.3 degrees.", 1.0),
        ({"mentions": [TEMPERATURE, FromResult("weather", "sky")]}, "20 and clear", 1.0),
        ({"mentions": [TEMPERATURE, FromResult("weather", "sky")]}, "20 and rainy", 0.5),
        ({"mentions": FromResult("weather", "days")}, "Mon and Tue", 1.0),
        ({"contains": TEMPERATURE}, "It has 20.3 degrees.", 1.0),
        ({"contains": TEMPERATURE}, "It has 19 degrees.", 0.0),
        ({"number": {"to": TEMPERATURE, "within": 0.1}}, "about 20.35", 1.0),
        ({"rouge_l": {"text": FromResult("weather", "sky")}}, "clear", 1.0),
        # One of several values is enough, all of them are denied.
        ({"any_of": [TEMPERATURE, "warm"]}, "20", 1.0),
        ({"any_of": [TEMPERATURE, "warm"]}, "warm", 1.0),
        ({"all_of": [{"contains": TEMPERATURE}, {"contains": "deg"}]}, "20.3 deg", 1.0),
        ({"all_of": [{"contains": TEMPERATURE}, {"contains": "deg"}]}, "20.3", 0.0),
        ({"not": {"contains": TEMPERATURE}}, "19 degrees", 1.0),
        ({"not": {"contains": TEMPERATURE}}, "20.3 degrees", 0.0),
        ({"not": {"contains": TEMPERATURE}}, "20.26 degrees", 0.0),
        ({"not": {"any_of": [TEMPERATURE, "warm"]}}, "20.3", 0.0),
        ({"not": {"any_of": [TEMPERATURE, "warm"]}}, "cold", 1.0),
        ({"not": {"not": TEMPERATURE}}, "20.3", 1.0),
        # Nothing can match what is not there, or cannot be read.
        (FromResult("weather", "wind"), "20", -1.0),
        ({"not": FromResult("weather", "wind")}, "20", -1.0),
        ({"any_of": [FromResult("weather", "wind"), "warm"]}, "warm", 1.0),
        ({"any_of": [FromResult("weather", "wind")]}, "warm", -1.0),
        ({"all_of": [FromResult("weather", "wind"), "warm"]}, "warm", -1.0),
        ({"contains": FromResult("weather", "days")}, "Mon", -1.0),
        ({"not": {"contains": FromResult("weather", "days")}}, "Mon", -1.0),
    ],
)
def test_what_is_expected_in_a_text(value: Any, text: str, similarity: float) -> None:
    expected = Expected(value, Reading(own="rouge_l"), in_text=True)
    assert best(expected, RESULTS, text) == similarity


@every(
    ("value", "compared", "similarity"),
    [
        (TEMPERATURE, 20.26, 1.0),
        (TEMPERATURE, 20.3, 0.0),
        (TEMPERATURE, "20.26", 0.0),
        ({"close": {"to": TEMPERATURE, "within": 0.1}}, 20.3, 1.0),
        ([TEMPERATURE, 1], [20.26, 1], 1.0),
        ({"a": TEMPERATURE, "b": 1}, {"a": 20.26, "b": 1}, 1.0),
        ({"not": TEMPERATURE}, 20.26, 0.0),
        ({"not": TEMPERATURE}, 20.3, 1.0),
        ({"contains": "blue"}, "blue pot", 1.0),
    ],
)
def test_what_is_expected_elsewhere(value: Any, compared: Any, similarity: float) -> None:
    assert best(Expected(value), RESULTS, compared) == similarity


def test_nothing_matches_without_the_result() -> None:
    expected = Expected({"any_of": [TEMPERATURE, 5]})
    assert expected.alternatives({}) == ()
    assert expected.references == {"weather"}
    assert expected.sources == (TEMPERATURE,)


@every(
    ("value", "problem"),
    [
        ({"contains": TEMPERATURE}, None),
        ({"close": {"to": TEMPERATURE, "within": 1}}, None),
        ({"all_of": [{"contains": TEMPERATURE}, {"number": {"to": FromResult("b")}}]}, None),
        ({"contains": 5}, "expected text, found the number 5; put it in quotes: '5'"),
        ({"any_of": [TEMPERATURE, {"contains": []}]}, "expected text, found an empty list"),
        ({"regex": {"from": TEMPERATURE}}, "expected text, found a mapping of from"),
    ],
)
def test_a_matcher_is_read_before_the_run(value: Any, problem: str | None) -> None:
    mistake = Expected(value).problem()
    assert (str(mistake) if mistake else None) == problem
