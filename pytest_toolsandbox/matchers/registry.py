"""Which matchers there are, and how an expected value becomes one."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from .matcher import Matcher, Reading, below

MatcherClass = TypeVar("MatcherClass", bound=type[Matcher])

AS_WRITTEN: Final = Reading()
"""Bare values are exact, thresholds are the usual ones."""

_registered: dict[str, type[Matcher]] = {}


def matcher(name: str) -> Callable[[MatcherClass], MatcherClass]:
    """Make a subclass of :class:`Matcher` known as ``name``, for ``{name: argument}``.

    Raises ``ValueError`` where the name is taken, and ``TypeError`` for a class that is no whole
    matcher. To register a class once more, as two imports of one ``conftest.py`` do, is harmless.
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"a matcher's name is one word, as in @matcher('iban'), not {name!r}")

    def register(cls: MatcherClass) -> MatcherClass:
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


def read(expected: Any, reading: Reading = AS_WRITTEN) -> Matcher:
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
