"""Expected values, and values that come from results of earlier calls.

``{from: …}`` is replaced when the call that it names has a result. In constraints that is the call
of a milestone, in solutions the latest call of a tool.
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
"""The numbers of decimals with which a text may contain a float, as in ToolSandbox."""

COMBINING = ("any_of", "all_of", "not")
"""The matchers of values and other matchers."""

_PLACEHOLDERS = ("0", 0)
_MOST_SOURCES = 6
"""With more results, a matcher is not checked before the run: it takes every combination."""


@dataclass(frozen=True)
class FromResult:
    """A value from the result of a call: the whole result, or what a JMESPath finds in it.

    ``name`` is the milestone that matched the call or, in a solution, the tool.
    """

    name: str
    path: str | None = None
    format: str | None = None

    def value(self, result: Any) -> Any:
        """Return the value, formatted if a format is given; ``None`` if nothing is found."""
        value = self._extracted(result)
        if value is None or self.format is None:
            return value
        return next(_formatted(self.format, [value]), None)

    def candidates(self, result: Any, *, in_text: bool) -> tuple[Any, ...]:
        """Return the accepted forms of the value, none if nothing is found in the result.

        A text may contain a float with 0 to 3 decimals.
        """
        value = self._extracted(result)
        if value is None:
            return ()
        values = [value]
        is_rounded = isinstance(value, float) and math.isfinite(value)
        if is_rounded and (in_text or self.format is not None):
            values += [round(value, digits or None) for digits in _DECIMALS]
        if self.format is not None:
            values = list(_formatted(self.format, values))
        return (value,) if values == [value] else tuple(dict.fromkeys(values))

    def _extracted(self, result: Any) -> Any:
        if self.path is None:
            return result
        import jmespath

        try:
            parsed = jmespath.compile(self.path).parsed
            return _interpreter()().visit(parsed, result)
        except Exception:  # noqa: BLE001  # not all of its errors are of its own class
            return None


UNREADABLE_RESULT = FromResult("")
"""Replaces an invalid value, so that it causes no further mistakes."""


@cache
def _interpreter() -> type[Any]:
    """Return an interpreter with a limit of values: lists of a JMESPath can grow exponentially."""
    from jmespath.visitor import TreeInterpreter

    class BoundedInterpreter(TreeInterpreter):
        left = 1_000_000

        def visit(self, node: Any, *arguments: Any, **options: Any) -> Any:
            value = super().visit(node, *arguments, **options)
            self.left -= 1 + (len(value) if isinstance(value, list) else 0)
            if self.left < 0:
                raise ValueError("too many values")
            return value

    return BoundedInterpreter


def _formatted(form: str, values: list[Any]) -> Iterator[str]:
    for value in values:
        try:
            yield form.format(value)
        except (ValueError, TypeError, OverflowError):
            continue  # the format does not fit a value of this type


def path_problem(path: str) -> str | None:
    """Return what is wrong with a JMESPath, if anything."""
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
    """Return what is wrong with a format; it must have one plain field, as ``{}`` or ``{:.1f}``.

    Widths and precisions have at most two digits, so that no format makes a huge text.
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
    """Return a value with every reference to a result replaced."""
    if isinstance(value, FromResult):
        return replace(value)
    if isinstance(value, Mapping):
        return {key: substituted(item, replace) for key, item in value.items()}
    if isinstance(value, list):
        return [substituted(item, replace) for item in value]
    return value


def results_in(value: Any) -> list[FromResult]:
    """Return the references to results in a value."""
    references: list[FromResult] = []
    substituted(value, references.append)
    return references


def _has_matcher(matcher: str, value: Any) -> bool:
    if isinstance(value, Mapping):
        return set(value) == {matcher} or any(_has_matcher(matcher, v) for v in value.values())
    return isinstance(value, list) and any(_has_matcher(matcher, item) for item in value)


@dataclass(frozen=True)
class Expected:
    """An expected value, of a text if ``in_text``; it may refer to results of other milestones.

    With ``deciding``, its matchers check only what rules can decide without a judge.
    """

    value: Any
    reading: Reading = field(default_factory=Reading)
    in_text: bool = False
    deciding: Deciding | None = None

    @cached_property
    def sources(self) -> tuple[FromResult, ...]:
        """The results that it refers to."""
        return tuple(dict.fromkeys(results_in(self.value)))

    @cached_property
    def references(self) -> frozenset[str]:
        """The milestones whose results it refers to."""
        return frozenset(source.name for source in self.sources)

    def uses(self, matcher: str) -> bool:
        """Whether it uses a matcher, also as the default of a bare value."""
        return self.reading.own == matcher or _has_matcher(matcher, self.value)

    @cached_property
    def _own_matcher(self) -> Matcher:
        return self._matcher(self.value)

    @cached_property
    def has_facts(self) -> bool:
        """Whether rules can decide a part of it without a judge."""
        if self.sources:  # such as a figure that a call returned
            return True
        return self._own_matcher.decided(self.deciding or Deciding()).has_facts

    def problem(self) -> MatcherMistake | None:
        """Return what is wrong with its matcher, with placeholders for results."""
        if len(self.sources) > _MOST_SOURCES:
            return None
        mistakes = [
            self._mistake(substituted(self.value, choice.__getitem__))
            for choice in _combinations(dict.fromkeys(self.sources, _PLACEHOLDERS))
        ]
        return None if None in mistakes else mistakes[-1]

    def alternatives(self, results: Mapping[str, Any]) -> tuple[Matcher, ...]:
        """Return its possible matchers, of which the best counts.

        There is none if a result is missing, or has no such value.
        """
        if not self.sources:
            return (self._own_matcher,)
        if not self.references <= set(results):
            return ()
        candidates = {
            source: source.candidates(results[source.name], in_text=self.in_text)
            for source in self.sources
        }
        values = self._combined(self.value, candidates)
        return tuple(map(self._matcher, values))

    def _matcher(self, value: Any) -> Matcher:
        matcher = matchers.read(value, self.reading)
        return matcher if self.deciding is None else matcher.decided(self.deciding)

    def _combined(self, value: Any, candidates: Mapping[FromResult, Any]) -> list[Any]:
        """Return the value with each combination of results inserted; one must be met.

        Inside ``not`` and ``all_of``, the combinations become an ``any_of``.
        """
        name = only_key(value)
        if name not in COMBINING:
            return self._choices(value, candidates)
        items = value[name] if isinstance(value[name], list) else [value[name]]
        inserted = [self._combined(item, candidates) for item in items]
        if name == "any_of":
            choices = [choice for choices in inserted for choice in choices]
            return [{name: choices}] if choices else []
        if not all(inserted):
            return []
        either = [{"any_of": choices} if len(choices) > 1 else choices[0] for choices in inserted]
        return [{name: either if isinstance(value[name], list) else either[0]}]

    def _choices(self, value: Any, candidates: Mapping[FromResult, Any]) -> list[Any]:
        choices = []
        for chosen in _combinations({source: candidates[source] for source in results_in(value)}):
            texts = {source: as_text(item) for source, item in chosen.items()}
            only_text = self.in_text and isinstance(value, FromResult)
            for replacements in (texts,) if only_text else (chosen, texts):
                choice = substituted(value, replacements.__getitem__)
                if self._mistake(choice) is None:
                    choices.append(choice)
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
    """Convert a number to text; return other values unchanged."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else value
