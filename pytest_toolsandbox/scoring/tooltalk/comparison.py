"""Compare a predicted call with a ground-truth call (ToolTalk, section 3).

Free texts are compared by the embedder in use, or by their words if there is none. In turn-by-turn
mode, the numbers, dates and times in them must agree, too.
"""

from __future__ import annotations

import datetime as dt
import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache, partial
from typing import Any, Final, Literal

from pytest_toolsandbox.matchers import embedding
from pytest_toolsandbox.scoring.results import Difference
from pytest_toolsandbox.text.formatting import beginning_and_end, format_value
from pytest_toolsandbox.text.quantities import (
    Meaning,
    Quantity,
    meanings_in,
    missing,
    quantities_in,
)
from pytest_toolsandbox.text.quantities.dates import in_years
from pytest_toolsandbox.worlds.state import plain
from pytest_toolsandbox.worlds.tool import (
    ArgumentMeasure,
    CallComparison,
    FreeText,
    ResultMeasure,
    SupersetOf,
    Tool,
)

from .rules import Call, CallProtocol

_DAYS: Final = {
    "today": 0, "some time today": 0, "evening": 0, "morning": 0, "afternoon": 0, "tomorrow": 1,
    "after tomorrow": 2, "yesterday": -1, "before yesterday": -2,
}  # fmt: skip
_WEEK: Final = 7
_DAY: Final = "day"
_OF_DAYS: Final = frozenset(("date", "full date", "weekday"))


def other_quantities(expected: str, actual: str, today: dt.date | None) -> tuple[str, ...]:
    """Return the numbers, dates and times that a text has instead of the expected ones.

    Missing quantities do not count, since the text may have them in a notation that is not
    supported, such as ``Wed`` or ``9-12``. If ``today`` is known, ``tomorrow`` and ``on Saturday``
    may be the same day.
    """
    actual = _with_days_of(expected, actual, today) if today else actual
    lacking = missing(expected, actual)
    kinds = {
        kind
        for quantity in quantities_in(expected)
        if quantity.written in lacking
        for kind in _kinds(quantity)
    }
    stated = meanings_in(expected)
    differing = (
        quantity
        for quantity in quantities_in(actual)
        if quantity.asked and quantity.asked.isdisjoint(stated)
    )
    return tuple(
        dict.fromkeys(quantity.written for quantity in differing if kinds & _kinds(quantity))
    )


def _kinds(quantity: Quantity) -> frozenset[str]:
    """Return the kinds of a quantity; dates and days of the week are days."""
    return frozenset(_DAY if kind in _OF_DAYS else str(kind) for kind, *_ in quantity.asked)


def unknown_quantities(text: str, known: Iterable[str]) -> Iterator[str]:
    """Yield the numbers, dates and times of a text that no known text has.

    Durations are left out, since they can be calculated from times.
    """
    asked = [quantity for quantity in quantities_in(text) if quantity.asked]
    stated = frozenset[Meaning]().union(*map(meanings_in, known)) if asked else frozenset()
    for quantity in asked:
        is_span = any(kind in ("seconds", "months") for kind, *_ in quantity.asked)
        if quantity.asked.isdisjoint(stated) and not is_span:
            yield quantity.written


def _with_days_of(expected: str, actual: str, today: dt.date) -> str:
    """Return a text that names days as the expected text does: ``tomorrow`` for a Saturday."""
    named = {
        day: quantity.written
        for quantity in quantities_in(expected)
        for day in _days_of(quantity, today)
    }
    # Each distinct quantity is replaced once: ``re.sub`` replaces all its occurrences.
    for quantity in dict.fromkeys(quantities_in(actual)) if named else ():
        words = next(
            (named[day] for day in _days_of(quantity, today) if day in named), quantity.written
        )
        if words != quantity.written:
            actual = re.sub(rf"(?<!\w){re.escape(quantity.written)}(?!\w)", words, actual)
    return actual


@lru_cache(maxsize=1024)
def _days_of(quantity: Quantity, today: dt.date) -> Iterator[dt.date]:
    """Yield the days that a quantity may mean."""
    for kind, *values in quantity.asked:
        if kind == "weekday":
            ahead = (int(str(values[0])) - today.weekday()) % _WEEK
            yield today + dt.timedelta(ahead)
            # On a Saturday, "on Saturday" may mean today or the next one.
            if not ahead:
                yield today + dt.timedelta(_WEEK)
        elif kind == "day" and values[0] in _DAYS:
            yield today + dt.timedelta(_DAYS[str(values[0])])
        elif kind == "date":
            month, day = map(int, map(str, values))
            # A date without a year may be one of this year or of the next.
            yield from in_years((today.year, today.year + 1), month, day)


SimilarityName = Literal["cosine", "token_f1"]
_NO_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True)
class TextSimilarity:
    """A measure of the similarity of two texts in [0, 1], and its name for reports."""

    name: SimilarityName
    measure: Callable[[str, str], float]

    def __call__(self, first: str, second: str) -> float:
        """Return the similarity; equal texts have 1. Raises ``EmbedderError``."""
        return 1.0 if first == second else self.measure(first, second)


def text_similarity_in_use() -> TextSimilarity:
    """Return the cosine of the embedder in use, or token F1 without one."""
    try:
        embeddings = embedding.current()
    except embedding.EmbedderError:
        return TextSimilarity("token_f1", token_f1)
    return TextSimilarity("cosine", partial(_cosine, embeddings))


def _cosine(embeddings: embedding.Embeddings, first: str, second: str) -> float:
    """Return the cosine. Blank texts are similar to each other only; no embedder is asked."""
    if not first.strip() or not second.strip():
        return float(first.strip() == second.strip())
    return embeddings.similarity(first, second)


def token_f1(first: str, second: str) -> float:
    """Return the F1 of the words of two texts, in [0, 1]; repeated words count repeatedly.

    Case and ASCII punctuation are ignored: ``it's`` is the word ``its``. Two texts without words
    have 1; if only one of them has words, they have 0.
    """
    first_words, second_words = (
        text.casefold().translate(_NO_PUNCTUATION).split() for text in (first, second)
    )
    if not first_words and not second_words:
        return 1.0
    shared = (Counter(first_words) & Counter(second_words)).total()
    return 2 * shared / (len(first_words) + len(second_words))


_NamedMeasure = Literal["exact", "set", "date", "moment", "attendees"]

_WORDS: Final = {"cosine": "cosine of the embedder's vectors", "token_f1": "F1 of the words"}


@dataclass(frozen=True)
class CallComparer:
    """Compares predicted calls with ground-truth calls. ``tools`` are the world's, by name."""

    tools: Mapping[str, Tool]
    protocol: CallProtocol
    similarity: TextSimilarity
    today: dt.date | None = None

    def agrees(self, predicted: Call, truth: Call) -> bool:
        """Return whether a call has no difference from the ground-truth call."""
        return next(self.differences(predicted, truth), None) is None

    def differences(self, predicted: Call, truth: Call) -> Iterator[Difference]:
        """Yield the differences of a call from the ground-truth call.

        Results are compared only if the errors agree. Texts come last, since their similarity is
        expensive and ``agrees`` stops at the first difference. No argument makes it raise, but the
        embedder may (:class:`~pytest_toolsandbox.matchers.embedding.EmbedderError`).
        """
        if predicted.tool != truth.tool:
            yield _difference("tool", truth.tool, predicted.tool)
            return
        protocol, tool = self.protocol, self.tools.get(truth.tool)
        if protocol.compares(protocol.rules.in_turn, tool) and predicted.turn != truth.turn:
            yield _difference("turn", truth.turn, predicted.turn)
        comparison = protocol.comparison(truth.tool, tool)
        if protocol.error_of(predicted) != protocol.error_of(truth):
            expected = "no error" if truth.error is None else format_value(truth.error)
            yield Difference("error", expected, predicted.error, 0.0)
        else:
            yield from _result_differences(predicted.result, truth.result, comparison.result)
        if protocol.compares(protocol.rules.arguments, tool):
            yield from self._request_differences(predicted, truth, comparison)

    def _request_differences(
        self, predicted: Call, truth: Call, comparison: CallComparison
    ) -> Iterator[Difference]:
        compared = truth.session is not None or comparison.whole_request
        if compared and predicted.session != truth.session:
            yield _difference("session", truth.session, predicted.session)
        predicted, truth = self._completed(predicted), self._completed(truth)
        actual, expected = predicted.arguments, truth.arguments
        if actual is None or expected is None:
            yield Difference("arguments", "arguments that can be read", plain(actual), 0.0)
            return
        unwanted = frozenset(actual if comparison.whole_request else ())
        if self.protocol.rules.joined:
            # Joined calls may have further arguments, unless they change or invent something.
            unwanted |= {*predicted.unasked, *_guests(predicted, comparison)}
        for name in actual:
            if name in unwanted and name not in expected:
                yield Difference(name, "no such argument", plain(actual[name]), 0.0)
        usual = self.protocol.exact()
        measures = {name: comparison.arguments.get(name, usual) for name in expected}
        for name, measure in measures.items():
            if measure == "attendees":
                # Tools add the caller to the attendees, so lists with and without the caller are
                # equal.
                actual, expected = _with_user(predicted, name), _with_user(truth, name)
            yield from _argument_differences(name, actual, expected[name], measure)
        for name, measure in measures.items():
            if isinstance(measure, FreeText) and name in actual:
                yield from self._text_differences(name, actual[name], expected[name], measure)

    def _completed(self, call: Call) -> Call:
        """Return a call with the defaults inside of its arguments, such as those of a model."""
        tool = self.tools.get(call.tool)
        if tool is None or call.arguments is None:
            return call
        return replace(call, arguments=tool.completed(call.arguments))

    def _text_differences(
        self, name: str, actual: Any, expected: Any, measure: FreeText
    ) -> Iterator[Difference]:
        if not isinstance(actual, str) or not isinstance(expected, str):
            yield _difference(name, expected, actual, "only texts can be alike")
            return
        if self.protocol.any_texts:
            return
        if self.protocol.rules.quantities and (
            wrong_quantities := other_quantities(expected, beginning_and_end(actual), self.today)
        ):
            yield _difference(name, expected, actual, f"instead: {', '.join(wrong_quantities)}")
            return
        similarity, threshold = self.similarity(actual, expected), measure.threshold
        if similarity < threshold:
            note = _WORDS[self.similarity.name]
            yield Difference(name, format_value(expected), actual, similarity, note, threshold)


def _guests(predicted: Call, comparison: CallComparison) -> Iterator[str]:
    """Yield the lists of attendees of new events other than the caller, who attends anyway."""
    arguments = predicted.arguments or {}
    for name, measure in comparison.arguments.items():
        guests = (
            arguments.get(name) if measure == "attendees" and not comparison.merged_by else None
        )
        if guests and guests != [predicted.user]:
            yield name


def _with_user(call: Call, name: str) -> Mapping[str, Any]:
    """Return the arguments with the caller added to a list of users."""
    arguments = call.arguments or {}
    users = arguments.get(name)
    if not isinstance(users, (list, tuple)) or call.user is None or call.user in users:
        return arguments
    return {**arguments, name: [*users, call.user]}


def _difference(where: str, expected: Any, actual: Any, note: str | None = None) -> Difference:
    return Difference(where, format_value(expected), plain(actual), 0.0, note)


def _argument_differences(
    name: str, actual: Mapping[str, Any], expected: Any, measure: ArgumentMeasure
) -> Iterator[Difference]:
    """Compare an argument; a free text only has to be given."""
    if measure == "ignored":
        return
    if name not in actual:
        yield _difference(name, expected, None, "not given")
    elif not isinstance(measure, FreeText) and not MEASURES[measure](actual[name], expected):
        yield _difference(name, expected, actual[name])


def _result_differences(actual: Any, expected: Any, measure: ResultMeasure) -> Iterator[Difference]:
    if measure == "ignored" or equal(actual, expected):
        return
    asked, there = _identifiers(expected, measure), _identifiers(actual, measure)
    are_of_a_kind = isinstance(actual, Mapping) == isinstance(expected, Mapping)
    if asked is None or there is None or not are_of_a_kind:
        yield _difference("result", expected, actual)
        return
    if missing := [format_value(identifier) for identifier in asked if identifier not in there]:
        yield _difference("result", expected, actual, f"missing: {', '.join(missing)}")


def _identifiers(result: Any, measure: ResultMeasure) -> list[Any] | None:
    """Return the identifiers of a result's rows, ``None`` if it has no such rows."""
    if not isinstance(measure, SupersetOf):
        return None
    rows, name = rows_of(result, measure), measure.identifier
    comparable = isinstance(rows, list) and all(isinstance(r, dict) and name in r for r in rows)
    return [row[name] for row in rows] if comparable else None


def rows_of(result: Any, measure: SupersetOf) -> Any:
    """Return the list of rows in a result, which may be that list itself."""
    whole = plain(result)
    return whole.get(measure.rows) if isinstance(whole, dict) else whole


def equal(first: Any, second: Any) -> bool:
    """Return whether two JSON values are equal in Python: 1, 1.0 and true are."""
    return bool(plain(first) == plain(second))


def same_members(first: Any, second: Any) -> bool:
    """Return whether two lists have the same members, in any order and number."""
    if not isinstance(first, (list, tuple)) or not isinstance(second, (list, tuple)):
        return False
    first_members, second_members = plain(first), plain(second)
    return all(member in second_members for member in first_members) and all(
        m in first_members for m in second_members
    )


def same_day(first: Any, second: Any) -> bool:
    """Return whether two texts are equal, or dates and times of the same day."""
    days = [moment and moment.date() for moment in (_read(first, _DATES), _read(second, _DATES))]
    return equal(first, second) or (days[0] is not None and days[0] == days[1])


def same_moment(first: Any, second: Any) -> bool:
    """Return whether two values are equal, or texts of the same date and time or time of day."""
    moment = _read(first, _MOMENTS)
    return equal(first, second) or (moment is not None and moment == _read(second, _MOMENTS))


def _read(text: Any, readers: Iterable[Callable[[str], datetime]]) -> datetime | None:
    for read in readers if isinstance(text, str) else ():
        try:
            return read(text)
        except ValueError:
            continue
    return None


def _date_and_time(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%d %H:%M:%S")  # noqa: DTZ007  # compared with its like


def _time(text: str) -> datetime:
    return datetime.strptime(text, "%H:%M:%S")  # noqa: DTZ007  # compared with its like


_DATES: Final = (_date_and_time, datetime.fromisoformat)
_MOMENTS: Final = (_date_and_time, _time)
"""These also accept numbers without leading zeros, unlike ISO 8601."""

MEASURES: Final[Mapping[_NamedMeasure, Callable[[Any, Any], bool]]] = {
    "exact": equal,
    "set": same_members,
    "date": same_day,
    "moment": same_moment,
    "attendees": same_members,
}
