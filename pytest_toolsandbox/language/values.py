"""Values that are worked out: results of earlier calls, and what is expected of a value.

``{from: …}`` becomes a value when the call that it names has a result: of a milestone's call in
constraints, of the solution's own latest call in solutions.
"""

from __future__ import annotations

import itertools
import math
import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from pytest_toolsandbox import matchers
from pytest_toolsandbox.matchers import Deciding, Matcher, MatcherMistake, Reading
from pytest_toolsandbox.matchers.registry import only_key
from pytest_toolsandbox.text.formatting import quote

_DECIMALS = range(4)
"""The roundings under which a float is looked for in a text, as in ToolSandbox."""

COMBINING = ("any_of", "all_of", "not")
"""The matchers that hold values, each of which may be a matcher again."""

_STAND_INS = ("0", 0)
_MOST_SOURCES = 6
"""From how many results on a matcher is not read before the run: every combination is tried."""


@dataclass(frozen=True)
class FromResult:
    """A value out of the result of a call: all of it, or what a JMESPath finds in it.

    ``name`` names a milestone that matched the call, or in a solution the tool, called last.
    """

    name: str
    path: str | None = None
    format: str | None = None

    def value(self, result: Any) -> Any:
        """Return the value, formatted where a format is given; ``None`` where nothing is found."""
        found = self._found(result)
        if found is None or self.format is None:
            return found
        return next(_formatted(self.format, [found]), None)

    def candidates(self, result: Any, *, in_text: bool) -> tuple[Any, ...]:
        """Return the values that may stand for the result, if something is found in it.

        A float that is looked for in a text may stand there with 0 to 3 decimals as well.
        """
        found = self._found(result)
        if found is None:
            return ()
        values = [found]
        is_rounded = isinstance(found, float) and math.isfinite(found)
        if is_rounded and (in_text or self.format is not None):
            values += [round(found, digits or None) for digits in _DECIMALS]
        if self.format is not None:
            values = list(_formatted(self.format, values))
        return (found,) if values == [found] else tuple(dict.fromkeys(values))

    def _found(self, result: Any) -> Any:
        if self.path is None:
            return result
        import jmespath

        try:
            parsed = jmespath.compile(self.path).parsed
            return _interpreter()().visit(parsed, result)
        except Exception:  # noqa: BLE001  # not all of its errors are of its own class
            return None


UNREADABLE_RESULT = FromResult("")
"""Stands for a value in which there is a mistake, so that it makes no others."""


@cache
def _interpreter() -> type[Any]:
    """Return what evaluates a JMESPath, up to a number of values: lists can grow exponentially."""
    from jmespath.visitor import TreeInterpreter

    class BoundedInterpreter(TreeInterpreter):
        left = 1_000_000

        def visit(self, node: Any, *arguments: Any, **options: Any) -> Any:
            found = super().visit(node, *arguments, **options)
            self.left -= 1 + (len(found) if isinstance(found, list) else 0)
            if self.left < 0:
                raise ValueError("too many values")
            return found

    return BoundedInterpreter


def _formatted(form: str, values: list[Any]) -> Iterator[str]:
    for value in values:
        try:
            yield form.format(value)
        except (ValueError, TypeError, OverflowError):
            continue  # the format does not fit a value of this type


def path_problem(path: str) -> str | None:
    """Say what is wrong with a JMESPath."""
    import jmespath

    try:
        called = set(_functions(jmespath.compile(path).parsed))
    except RecursionError:
        return f"{quote(path)} is not a JMESPath: nested too deeply"
    except Exception as error:  # noqa: BLE001  # not all of its errors are of its own class
        reason = str(error).partition("\n")[0].rstrip(":").removesuffix(", for expression")
        return f"{quote(path)} is not a JMESPath: {reason}"
    known = jmespath.functions.Functions.FUNCTION_TABLE
    unknown = sorted(called - set(known))
    return f"JMESPath has no function {unknown[0]!r}" if unknown else None


def _functions(node: Mapping[str, Any]) -> Iterator[str]:
    if node["type"] == "function_expression":
        yield node["value"]
    for child in node["children"]:
        if isinstance(child, Mapping):
            yield from _functions(child)


def format_problem(form: str) -> str | None:
    """Say what is wrong with a format: it must hold one plain field such as ``{}`` or ``{:.1f}``.

    Widths and precisions have two digits at most, lest a format makes a text of any length.
    """
    try:
        fields = [field for field in string.Formatter().parse(form) if field[1] is not None]
    except ValueError as error:
        return f"{quote(form)} is not a valid format: {error}"
    if len(fields) != 1 or fields[0][1] or re.search(r"[{}]|\d{3}", fields[0][2] or ""):
        return f"{quote(form)} must format exactly one value: write it as {{}} or {{:.1f}}"
    if not list(_formatted(form, ["text", 1, 1.5])):
        return f"{quote(form)} cannot format a text or a number"
    return None


def substituted(value: Any, replace: Callable[[FromResult], Any]) -> Any:
    """Return a value with everything that comes from a result replaced."""
    if isinstance(value, FromResult):
        return replace(value)
    if isinstance(value, Mapping):
        return {key: substituted(item, replace) for key, item in value.items()}
    if isinstance(value, list):
        return [substituted(item, replace) for item in value]
    return value


def results_in(value: Any) -> list[FromResult]:
    """Find everything in a value that comes from a result."""
    found: list[FromResult] = []
    substituted(value, found.append)
    return found


def _stands_in(matcher: str, value: Any) -> bool:
    if isinstance(value, Mapping):
        return set(value) == {matcher} or any(_stands_in(matcher, v) for v in value.values())
    return isinstance(value, list) and any(_stands_in(matcher, item) for item in value)


@dataclass(frozen=True)
class Expected:
    """What is expected, ``in_text`` or elsewhere; it may wait for results of other milestones.

    With ``deciding`` its matchers ask only for what can be decided without reading words.
    """

    value: Any
    reading: Reading = field(default_factory=Reading)
    in_text: bool = False
    deciding: Deciding | None = None

    @cached_property
    def sources(self) -> tuple[FromResult, ...]:
        """The results that it waits for."""
        return tuple(dict.fromkeys(results_in(self.value)))

    @cached_property
    def references(self) -> frozenset[str]:
        """The milestones from whose results it takes values."""
        return frozenset(source.name for source in self.sources)

    def uses(self, matcher: str) -> bool:
        """Whether a matcher of this name is asked, be it as the measure of a bare value."""
        return self.reading.own == matcher or _stands_in(matcher, self.value)

    @cached_property
    def _own_matcher(self) -> Matcher:
        return self._matcher(self.value)

    @cached_property
    def has_facts(self) -> bool:
        """Whether something of it can be decided without reading words."""
        if self.sources:  # such as a figure that a call returned
            return True
        return self._own_matcher.decided(self.deciding or Deciding()).has_facts

    def problem(self) -> MatcherMistake | None:
        """Say what is wrong with its matcher, with stand-ins for what only a run can give."""
        if len(self.sources) > _MOST_SOURCES:
            return None
        mistakes = [
            self._mistake(substituted(self.value, choice.__getitem__))
            for choice in _combinations(dict.fromkeys(self.sources, _STAND_INS))
        ]
        return None if None in mistakes else mistakes[-1]

    def alternatives(self, results: Mapping[str, Any]) -> tuple[Matcher, ...]:
        """Return the matchers that it stands for, of which the best counts.

        A result that is missing, or lacks what is taken from it, leaves no matcher.
        """
        if not self.sources:
            return (self._own_matcher,)
        if not self.references <= set(results):
            return ()
        candidates = {
            source: source.candidates(results[source.name], in_text=self.in_text)
            for source in self.sources
        }
        values = self._written_out(self.value, candidates)
        return tuple(map(self._matcher, values))

    def _matcher(self, value: Any) -> Matcher:
        found = matchers.read(value, self.reading)
        return found if self.deciding is None else found.decided(self.deciding)

    def _written_out(self, value: Any, candidates: Mapping[FromResult, Any]) -> list[Any]:
        """Return the values that a value may be, with results written out; one must be met.

        What is denied, or demanded beside others, is denied or demanded as any of its values.
        """
        name = only_key(value)
        if name not in COMBINING:
            return self._choices(value, candidates)
        items = value[name] if isinstance(value[name], list) else [value[name]]
        written = [self._written_out(item, candidates) for item in items]
        if name == "any_of":
            choices = [choice for choices in written for choice in choices]
            return [{name: choices}] if choices else []
        if not all(written):
            return []
        either = [{"any_of": choices} if len(choices) > 1 else choices[0] for choices in written]
        return [{name: either if isinstance(value[name], list) else either[0]}]

    def _choices(self, value: Any, candidates: Mapping[FromResult, Any]) -> list[Any]:
        choices = []
        for given in _combinations({source: candidates[source] for source in results_in(value)}):
            texts = {source: as_text(item) for source, item in given.items()}
            only_text = self.in_text and isinstance(value, FromResult)
            for taken in (texts,) if only_text else (given, texts):
                written = substituted(value, taken.__getitem__)
                if self._mistake(written) is None:
                    choices.append(written)
                    break
        return choices

    def _mistake(self, value: Any) -> MatcherMistake | None:
        try:
            matchers.read(value, self.reading)
        except MatcherMistake as mistake:
            return mistake
        return None


def _combinations(choices: Mapping[FromResult, Iterable[Any]]) -> Iterator[dict[FromResult, Any]]:
    for chosen in itertools.product(*choices.values()):
        yield dict(zip(choices, chosen, strict=True))


def as_text(value: Any) -> Any:
    """Return a number as the text that it is where a text is expected."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else value
