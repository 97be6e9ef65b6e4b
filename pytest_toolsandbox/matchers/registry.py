"""What a matcher is: one expected value, which says how well a found value agrees with it.

Which matchers there are, and how an expected value becomes one.
"""

from __future__ import annotations

import copy
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Self, TypeVar

ROUNDING: Final = 1e-9
"""By how much a similarity may miss its threshold: floats are not exact."""


class MatcherMistake(ValueError):  # noqa: N818  # a mistake of a scenario's author
    """An expected value that cannot be read, and the path to what is wrong in it."""

    def __init__(self, text: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(text)
        self.text = text
        self.path = path


@contextmanager
def below(*keys: str | int) -> Iterator[None]:
    """Put ``keys`` before the path of a mistake that is made inside."""
    try:
        yield
    except MatcherMistake as mistake:
        raise MatcherMistake(mistake.text, (*keys, *mistake.path)) from None


@dataclass(frozen=True)
class Reading:
    """How an expected value is to be read: a bare value means the matcher ``own``.

    ``thresholds`` maps names of graded matchers to other thresholds, in [0, 1], than their usual
    ones; ``threshold``, that of an event, is stronger, and one in a matcher's long form still more.
    """

    own: str = "exact"
    thresholds: Mapping[str, float] = field(default_factory=dict, hash=False)
    threshold: float | None = None

    def threshold_of(self, name: str, usual: float) -> float:
        """Return what the graded matcher ``name`` must reach unless its long form says."""
        return self.thresholds.get(name, usual) if self.threshold is None else self.threshold


@dataclass(frozen=True)
class Deciding:
    """Where a matcher stands, for the question what can be decided without reading words.

    ``denied`` inside of an odd number of ``not``, or in a minefield; ``judged`` where a judge reads
    the words, so that measures of likeness need not decide; ``tells_apart`` where a text has to
    tell rows or calls from others.
    """

    denied: bool = False
    judged: bool = False
    tells_apart: bool = False

    @property
    def inverted(self) -> Deciding:
        """The same below a ``not``."""
        return Deciding(not self.denied, self.judged)


class Matcher(ABC):
    """How one expected value is compared with one found value.

    Subclasses are frozen dataclasses: pure, hashable, registered with :func:`matcher`. A graded
    one, whose similarity may lie between 0 and 1, has a field ``threshold``.
    """

    name: ClassVar[str] = ""
    """What scenarios call it; the registration sets it."""

    argument_schema: ClassVar[Mapping[str, Any]] = {}
    """The JSON Schema of the argument; ``{"$ref": "#/$defs/Value"}`` is any value or matcher."""

    threshold: float = 1.0
    """The similarity, in [0, 1], from which on a found value is good enough."""

    @classmethod
    @abstractmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        """Make the matcher from what stands behind its name. Raises :class:`MatcherMistake`."""

    @abstractmethod
    def similarity(self, found: Any) -> float:
        """Return how well a found value agrees, from 0 (not at all) to 1 (fully)."""

    @abstractmethod
    def describe(self) -> str:
        """Say in a few words what is expected, for a report."""

    @property
    def facts(self) -> tuple[tuple[str | int | float, ...], ...]:
        """The words and numbers that it wants in a text, each with its alternatives."""
        return ()

    def reached(self, found: Any) -> bool:
        """Whether a found value is good enough."""
        return self.similarity(found) >= self.threshold - ROUNDING

    def decided(self, how: Deciding) -> Matcher:  # noqa: ARG002  # most decide all that they ask
        """Return the matcher with what only a judge can decide taken as met, or in vain denied."""
        return self

    @property
    def has_facts(self) -> bool:
        """Whether it checks something of a text; of alternatives each one must."""
        return True

    def explain(self, found: Any) -> str | None:  # noqa: ARG002  # most have nothing to add
        """Say what a found value lacks, where there is more to say than the description does."""
        return None

    @classmethod
    def fits(cls, literal: Any) -> bool:
        """Whether a bare value can mean this matcher; one that does not fit is read as exact."""
        return literal is not None


def has_text(found: Any) -> bool:
    """Whether a value is a text that says something."""
    return isinstance(found, str) and any(map(str.isalnum, found))


@dataclass(frozen=True)
class Unread(Matcher):
    """What a matcher asks of a text that nobody reads: ``met`` by every text, or by none."""

    asked: Matcher
    met: bool

    @classmethod
    def read(cls, argument: Any, reading: Reading) -> Self:
        raise NotImplementedError("it has no name in scenarios")

    def similarity(self, found: Any) -> float:
        return float(self.met and has_text(found))

    def describe(self) -> str:
        return self.asked.describe()

    @property
    def has_facts(self) -> bool:
        return False


_MatcherClass = TypeVar("_MatcherClass", bound=type[Matcher])

_AS_WRITTEN: Final = Reading()
"""Bare values are exact, thresholds are the usual ones."""

_registered: dict[str, type[Matcher]] = {}


def matcher(name: str) -> Callable[[_MatcherClass], _MatcherClass]:
    """Make a subclass of :class:`Matcher` known as ``name``, for ``{name: argument}``.

    Raises ``ValueError`` where the name is taken, and ``TypeError`` for a class that is no whole
    matcher. To register a class once more, as two imports of one ``conftest.py`` do, is harmless.
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"a matcher's name is one word, as in @matcher('iban'), not {name!r}")

    def register(cls: _MatcherClass) -> _MatcherClass:
        _check(name, cls)
        cls.name = name
        _registered[name] = cls
        return cls

    return register


def _check(name: str, cls: type[Matcher]) -> None:
    if not issubclass(cls, Matcher):
        raise TypeError(f"{cls.__name__} is no matcher: derive it from Matcher")
    if inspect.isabstract(cls):
        missing = ", ".join(sorted(cls.__abstractmethods__))
        raise TypeError(f"{cls.__name__} is no whole matcher: it lacks {missing}")
    other = _registered.get(name, cls)
    if (other.__module__, other.__qualname__) != (cls.__module__, cls.__qualname__):
        raise ValueError(
            f"the name {name!r} is taken by {other.__module__}.{other.__qualname__}; "
            f"choose another one for {cls.__qualname__}"
        )


def only_key(value: Any) -> Any:
    """Return the key of a mapping that has no other; ``None`` for everything else."""
    return next(iter(value)) if isinstance(value, Mapping) and len(value) == 1 else None


def is_graded(name: str) -> bool:
    """Whether a matcher may find a value nearly right, as those do that compare words."""
    return "threshold" in inspect.signature(find(name)).parameters


def names() -> list[str]:
    """Return the names of all matchers, in alphabetical order."""
    return sorted(_registered)


def shape(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a matcher's argument, with the matcher's summary."""
    cls = find(name)
    summary = (inspect.getdoc(cls) or "").partition("\n")[0]
    return {"description": summary, **copy.deepcopy(dict(cls.argument_schema))}


def find(name: str) -> type[Matcher]:
    """Return the matcher of that name. Raises ``ValueError``."""
    if name not in _registered:
        raise ValueError(f"unknown matcher {name!r} (known: {', '.join(names())})")
    return _registered[name]


def read(expected: Any, reading: Reading = _AS_WRITTEN) -> Matcher:
    """Return the matcher that an expected value means.

    That is a mapping whose one key is a matcher's name. Every other value is a literal and means
    ``reading.own``, or ``exact`` where that cannot take it. Raises :class:`MatcherMistake`.
    """
    name = only_key(expected)
    if name in _registered:
        with below(name):
            return _registered[name].read(expected[name], reading)
    own = find(reading.own)
    return (own if own.fits(expected) else find("exact")).read(expected, reading)
