"""Values that are worked out: moments, and results of earlier calls.

``{at: tomorrow 17:00}`` becomes a timestamp when a file is read. ``{from: …}`` becomes a value
when the call that it names has a result: of a milestone's call in constraints, of the solution's
own latest call in solutions.
"""

from __future__ import annotations

import itertools
import string
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pytest_toolsandbox import matchers
from pytest_toolsandbox.matchers import Matcher, Reading

DECIMALS = range(4)
"""The roundings under which a float is looked for in a text, as in ToolSandbox."""


@dataclass(frozen=True)
class FromResult:
    """A value out of the result of a call: all of it, or what a JMESPath finds in it."""

    name: str
    path: str | None = None
    format: str | None = None

    def value(self, result: Any) -> Any:
        """Return the value, formatted where a format is given. ``None`` where there is none."""
        found = self._found(result)
        if found is None or self.format is None:
            return found
        return next(_formatted(self.format, [found]), None)

    def candidates(self, result: Any, *, in_text: bool) -> tuple[Any, ...]:
        """Return the values that may stand for the result; none where nothing is found in it.

        A float that is looked for in a text may stand there with 0 to 3 decimals as well.
        """
        found = self._found(result)
        if found is None:
            return ()
        values = [found]
        if isinstance(found, float) and (in_text or self.format is not None):
            values += [round(found, digits) if digits else round(found) for digits in DECIMALS]
        if self.format is not None:
            values = list(_formatted(self.format, values))
        return tuple(dict.fromkeys(values)) if _hashable(values) else tuple(values)

    def _found(self, result: Any) -> Any:
        if self.path is None:
            return result
        import jmespath

        try:
            return jmespath.search(self.path, result)
        except jmespath.exceptions.JMESPathError:
            return None  # a function met a value of another type: nothing to take


class FromMilestone(FromResult):
    """A value out of the result of the call that another milestone matched."""


class FromCall(FromResult):
    """A value out of the latest result of a tool."""


def _formatted(form: str, values: list[Any]) -> Iterator[str]:
    for value in values:
        try:
            yield form.format(value)
        except (ValueError, TypeError):
            continue  # the format does not fit a value of this type


def _hashable(values: list[Any]) -> bool:
    return not any(isinstance(value, (list, dict)) for value in values)


def format_problem(form: str) -> str | None:
    """Say what is wrong with a format: it may hold plain fields such as ``{}`` or ``{:.1f}``."""
    try:
        fields = [name for _, name, _, _ in string.Formatter().parse(form) if name is not None]
    except ValueError as error:
        return f"{form!r} is no format: {error}"
    if not fields or any(fields):
        return f"{form!r} is no format for a value: write it as {{}} or {{:.1f}}"
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


def results_in(value: Any) -> Iterator[FromResult]:
    """Find everything in a value that comes from a result."""
    if isinstance(value, FromResult):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from results_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from results_in(item)


@dataclass(frozen=True)
class Expected:
    """An expected value or matcher, which may wait for results of other milestones.

    ``in_text`` says that it is compared with a text.
    """

    value: Any
    reading: Reading = field(default_factory=Reading)
    in_text: bool = False

    @cached_property
    def sources(self) -> tuple[FromResult, ...]:
        """The results that it waits for."""
        return tuple(dict.fromkeys(results_in(self.value)))

    @cached_property
    def references(self) -> frozenset[str]:
        """The milestones from whose results it takes values."""
        return frozenset(source.name for source in self.sources)

    @cached_property
    def _own_matcher(self) -> Matcher:
        return matchers.read(self.value, self.reading)

    def alternatives(self, results: Mapping[str, Any]) -> tuple[Matcher, ...]:
        """Return the matchers that it stands for, of which the best counts.

        ``results`` maps a milestone to the result of the call that it matched. There is none
        where a result is missing, or has not what is taken from it.
        """
        if not self.sources:
            return (self._own_matcher,)
        choices = [
            source.candidates(results[source.name], in_text=self.in_text)
            if source.name in results
            else ()
            for source in self.sources
        ]
        return tuple(
            matchers.read(
                substituted(self.value, dict(zip(self.sources, choice, strict=True)).__getitem__),
                self.reading,
            )
            for choice in itertools.product(*choices)
        )
