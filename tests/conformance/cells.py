"""What a case expects of one column, in terms of this project's matchers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from pytest_toolsandbox import matchers
from pytest_toolsandbox.language.values import Expected
from pytest_toolsandbox.matchers import Matcher, Reading
from pytest_toolsandbox.scoring.milestones.comparison import Target

Json = dict[str, Any]
Values = list[Json]
Extractor = Callable[[Any], Values]

BUS = "SANDBOX"
EXACT = "column_exact_match_similarity"
CLOSE = "column_close_similarity"
CONTAINS = "column_contains_similarity"
ROUGE_L = "column_rouge_l_similarity"
TOOL_TRACE = "column_tool_trace_exact_match_similarity"
ONE = "column_one_similarity"

FUNCTIONS = {
    (BUS, "content"): ROUGE_L,
    ("MESSAGING", "content"): ROUGE_L,
    ("REMINDER", "content"): ROUGE_L,
    ("CONTACT", "relationship"): ROUGE_L,
    (BUS, "tool_trace"): TOOL_TRACE,
    (BUS, "openai_tool_call_id"): ONE,
    (BUS, "openai_function_name"): ONE,
    (BUS, "tool_call_exception"): ONE,
}
"""How a column is compared unless its constraint says otherwise; the others are exact."""


@dataclass(frozen=True)
class Measure:
    """How a constraint compares a column; ``tolerances`` go by column or argument."""

    function: str
    tolerances: Mapping[str, float]
    column: str

    @classmethod
    def of(cls, constraint: Json, column: str) -> Measure:
        """Return the measure that a constraint has for a column."""
        override = constraint["column_overrides"].get(column, {})
        usual = FUNCTIONS.get((constraint["database"], column), EXACT)
        return cls(override.get("function", usual), override.get("atol") or {}, column)

    def matchers(self, value: Any) -> tuple[Matcher, ...]:
        """Return the matchers of a value, of which any is enough."""
        if self.function == TOOL_TRACE and value is not None:
            return self.trace_matchers(golden_traces(value))
        return (matchers.read(self._as_written(value)),)

    def trace_matchers(self, traces: Sequence[Json]) -> tuple[Matcher, ...]:
        """Return the matchers of golden traces."""
        return tuple(TraceMatcher.read((trace, self.tolerances), Reading()) for trace in traces)

    def _as_written(self, value: Any) -> Json:
        """Return what a scenario would write for the value; null is null alone."""
        if self.function == ONE:
            return {"anything": True}
        if value is None or self.function in (EXACT, TOOL_TRACE):
            return {"exact": value}
        if self.function == CLOSE:
            return close(value, self.tolerances.get(self.column))
        if self.function == CONTAINS:
            return {"contains": value} if value else {"not": {"exact": None}}
        if self.function == ROUGE_L:
            return {"rouge_l": value}
        raise ValueError(f"unknown column function {self.function!r}")


def close(value: Any, tolerance: float | None) -> Json:
    """Return what a scenario would write for a value with a tolerance, where there is one."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if tolerance is None or not is_number:
        return {"exact": value}
    return {"close": {"to": value, "within": tolerance}}


def golden_traces(text: str) -> list[Json]:
    """Return the traces of a cell: one, or a list of alternatives."""
    golden = json.loads(text)
    return golden if isinstance(golden, list) else [golden]


@dataclass(frozen=True)
class TraceMatcher(Matcher):
    """Any trace of a message against one golden trace."""

    tool_name: str
    arguments: Mapping[str, Matcher]

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        """Take a golden trace and the tolerances of its arguments."""
        golden, tolerances = argument
        arguments = {
            name: matchers.read(close(value, tolerances.get(name)))
            for name, value in golden["arguments"].items()
        }
        return cls(golden["tool_name"], arguments)

    def similarity(self, value: Any) -> float:
        """Return 1 if one of the traces is as expected, else 0."""
        return float(any(map(self._agrees, value or ())))

    def describe(self) -> str:
        """Write it as a call."""
        arguments = (f"{name}={argument.describe()}" for name, argument in self.arguments.items())
        return f"{self.tool_name}({', '.join(arguments)})"

    def _agrees(self, trace: Json) -> bool:
        cells = Target({name: (argument,) for name, argument in self.arguments.items()})
        same = bool(trace["tool_name"] == self.tool_name)
        return same and cells.compare(trace["arguments"]).reached


@dataclass(frozen=True)
class Known(Expected):
    """What is expected, as matchers."""

    matchers: tuple[Matcher, ...] = ()

    def alternatives(self, _: Mapping[str, Any]) -> tuple[Matcher, ...]:
        """Return the matchers."""
        return self.matchers


@dataclass(frozen=True)
class Filled(Expected):
    """What the results of another milestone complete.

    ``complete`` makes matchers out of values that ``extract`` found; a milestone has a result for
    every trace of its message.
    """

    reference: str = ""
    extract: Extractor = lambda _: []
    complete: Callable[[Json], tuple[Matcher, ...]] = lambda _: ()

    @property
    def references(self) -> frozenset[str]:
        """The milestone whose results it takes."""
        return frozenset({self.reference})

    def alternatives(self, results: Mapping[str, Any]) -> tuple[Matcher, ...]:
        """Return the matchers for everything that is extracted."""
        extractions = extracted(self.extract, results.get(self.reference, ()))
        try:
            return tuple(matcher for values in extractions for matcher in self.complete(values))
        except (KeyError, IndexError):  # a field that the extractor does not give
            return ()


def known(measure: Measure, value: Any) -> Expected:
    """Return what is expected of a column."""
    return Known(None, matchers=measure.matchers(value))


def filled(measure: Measure, value: str, reference: str, extractor: str) -> Expected:
    """Return what is expected of a column that extracted values fill."""
    complete = _completed_traces if measure.function == TOOL_TRACE else _completed_text
    return Filled(
        None,
        reference=reference,
        extract=EXTRACTORS[extractor],
        complete=lambda values: complete(measure, value, values),
    )


def _completed_text(measure: Measure, value: str, values: Json) -> tuple[Matcher, ...]:
    return measure.matchers(value.format(**values))


def _completed_traces(measure: Measure, value: str, values: Json) -> tuple[Matcher, ...]:
    """Put the values in the arguments' place, and also where there is no such argument."""
    return measure.trace_matchers(
        [
            {**trace, "arguments": arguments}
            for trace in golden_traces(value)
            for arguments in ({**trace["arguments"], **values}, {**values, **trace["arguments"]})
        ]
    )


def extracted(extract: Extractor, results: Sequence[Any]) -> Iterator[Json]:
    """Yield what an extractor finds in results; what it cannot read gives nothing."""
    for result in results:
        try:
            yield from extract(result)
        except (KeyError, IndexError, TypeError, ValueError):
            continue


def _days(result: Any) -> Values:
    return [{"days": int(result["days"])}]


def _place(result: Any) -> Values:
    return [{name: result[name] for name in ("latitude", "longitude")}]


def _number(name: str, *path: str) -> Extractor:
    return lambda result: [{name: _float_at(result, path)}]


def _decimals(name: str, *path: str) -> Extractor:
    return lambda result: [{name: f"{_float_at(result, path):.{n}f}"} for n in range(4)]


def _float_at(result: Any, path: tuple[str, ...]) -> float:
    for key in path:
        result = result[key]
    return float(result)


EXTRACTORS: Mapping[str, Extractor] = {
    "days_extractor": _days,
    "lat_lon_dict_extractor": _place,
    "result_to_timestamp0_extractor": _number("timestamp_0"),
    "result_to_timestamp1_extractor": _number("timestamp_1"),
    "current_temperature_extractor": _number("amount", "current_temperature"),
    "result_to_temperature_extractor": _decimals("temperature"),
    "search_weather_around_lat_lon_temperature_extractor": _decimals(
        "temperature", "current_temperature"
    ),
    "result_to_reminder_timestamp_lowerbound_extractor": _number("reminder_timestamp_lowerbound"),
    "min_temperature_amount_extractor": _number("amount", "min_temperature"),
    "min_temperature_extractor": _decimals("min_temperature"),
}
"""What a later milestone may take from the result of a call: name → values, in several forms."""
