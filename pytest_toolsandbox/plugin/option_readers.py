"""Read the values of options, or raise what is wrong with them."""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

from pytest_toolsandbox.concurrency.time_limit import LONGEST
from pytest_toolsandbox.text.files import why_not_writable
from pytest_toolsandbox.text.formatting import join_words, parse_fraction
from pytest_toolsandbox.text.redaction import redacted_line

from .options import Option, given_value

if TYPE_CHECKING:
    from pytest_toolsandbox.models.usage import Price
    from pytest_toolsandbox.output.totals import MinimumScore
    from pytest_toolsandbox.runs.job import PassRule
    from pytest_toolsandbox.runs.sharding import Shard


class Feedback(NamedTuple):
    """Which arms of feedback are played: one, both, or what the scenario says (none).

    An arm that ``is_default``, since the ini file names it, gives way to what a scenario says.
    """

    arms: tuple[bool, ...] = ()
    is_default: bool = True

    def of(self, from_scenario: bool | None) -> bool | None:
        """Return whether a scenario gives feedback; ``from_scenario`` is its setting, if any."""
        if len(self.arms) != 1 or (self.is_default and from_scenario is not None):
            return from_scenario
        return self.arms[0]


class Trials(NamedTuple):
    """How often conversations are played; where the ini file says it, a scenario's own wins."""

    number: int
    is_default: bool
    is_auto: bool = False
    """Whether more are played until a baseline decides, of each scenario the same number."""

    def of(self, from_scenario: int | None) -> int:
        """Return how often the conversation of a scenario is played."""
        return (
            from_scenario if from_scenario and self.is_default and not self.is_auto else self.number
        )


ONCE: Final = Trials(1, is_default=True)


class Prompts(NamedTuple):
    """System prompts by name; where the ini file names them, they give way to a scenario's own."""

    texts: Mapping[str, str] = MappingProxyType({})
    is_default: bool = True

    def names(self, from_scenario: str | None) -> Sequence[str]:
        """Return with which prompts a scenario is played, if with several; it may have its own."""
        is_from_scenario = bool(from_scenario) and self.is_default
        return () if is_from_scenario or len(self.texts) == 1 else tuple(self.texts)

    def text(self, from_scenario: str | None, name: str | None) -> str | None:
        """Return the system prompt of a scenario: the prompt of a name, or the only one.

        ``None`` leaves it to the scenario.
        """
        if not self.texts or (from_scenario and self.is_default):
            return from_scenario
        return self.texts[name or next(iter(self.texts))]


_LONGEST: Final = 500
"""Characters of a message about an option: its value may be of any length."""
_LONGEST_LABEL: Final = 60


class _GivenOption(NamedTuple):
    """An option as the user gives it, in lines, the last of which is ``text``."""

    row: Option
    lines: tuple[str, ...]
    text: str
    folder: Path
    on_command_line: bool
    is_worker: bool

    def path(self, name: str) -> Path:
        """Return the path of a file; ``~`` is the user's home: no shell reads an ini file."""
        return self.folder / os.path.expanduser(name)  # noqa: PTH111  # Path's raises for ~nobody


def read(option: Option, config: pytest.Config) -> Any:
    """Return the value of an option, if it is given. Raises ``pytest.UsageError``."""
    if (name_and_words := given_value(option, config)) is None:
        return None
    name, words = name_and_words
    lines = tuple(words) if isinstance(words, list) else (str(words),)
    on_command_line = name == option.flag
    folder = config.invocation_params.dir if on_command_line else config.rootpath
    is_worker = hasattr(config, "workerinput")
    if not all(map(str.strip, lines)):
        raise pytest.UsageError(f"{name}: nothing is given; is a variable empty?")
    try:
        value = _GivenOption(option, lines, lines[-1], folder, on_command_line, is_worker)
        return _READERS[option.reader](value)
    except ValueError as error:
        raise pytest.UsageError(redacted_line(f"{name}: {error}", _LONGEST)) from None


def _choice(option: _GivenOption) -> str:
    words = (option.row.metavar or "").split("|")
    if option.text not in words:
        raise ValueError(f"expected {join_words(words)}, found {option.text!r}")
    return option.text


def _augmentations(option: _GivenOption) -> tuple[str, ...]:
    from pytest_toolsandbox.language.variants import read_augmentations

    return read_augmentations(option.text)


def _feedback(option: _GivenOption) -> Feedback:
    words = [word.strip() for word in option.text.split(",") if word.strip()]
    wrong = [repr(word) for word in words if word not in ("on", "off")]
    if wrong or not words:
        unexpected = wrong[0] if wrong else "nothing"
        raise ValueError(f"expected on, off, or on,off for both, found {unexpected}")
    arms = tuple(dict.fromkeys(word == "on" for word in words))
    return Feedback(arms, is_default=not option.on_command_line)


def _minimum_scores(option: _GivenOption) -> tuple[MinimumScore, ...]:
    from pytest_toolsandbox.output.totals import MinimumScore

    minimums = []
    for line in option.lines:
        category, separator, score = map(str.strip, line.rpartition("="))
        if separator and not category:
            raise ValueError(f"{line!r} names no category before '='")
        minimums.append(
            MinimumScore(category or None, parse_fraction(score), option.on_command_line)
        )
    return tuple(minimums)


def _trials(option: _GivenOption) -> Trials:
    if option.text == "auto":
        return Trials(1, is_default=not option.on_command_line, is_auto=True)
    return Trials(_integer(option.text, 1), is_default=not option.on_command_line)


def _pass_rule(option: _GivenOption) -> PassRule:
    if option.text in ("all", "any", "majority"):
        return option.text  # type: ignore[return-value]  # it is one of them
    if not re.fullmatch("[1-9][0-9]{0,2}", option.text):
        raise ValueError(f"expected all, any, majority or a number, found {option.text!r}")
    return int(option.text)


def _shard(option: _GivenOption) -> Shard:
    from pytest_toolsandbox.runs.sharding import Shard

    number, _, of = option.text.partition("/")
    wanted = f"expected I/N, such as 2/3 for the second part of three, found {option.text!r}"
    try:
        shards = _integer(of, 1)
        return Shard(_integer(number, 1, shards), shards)
    except ValueError:
        raise ValueError(wanted) from None


def _pairs(option: _GivenOption) -> dict[str, str]:
    parts = [(line, *map(str.strip, line.partition("="))) for line in option.lines]
    for line, name, _, value in parts:
        if not (name and value):
            raise ValueError(f"expected NAME = VALUE, found {line!r}")
    return {name: value for _, name, _, value in parts}


def _prices(option: _GivenOption) -> dict[str, Price]:
    from pytest_toolsandbox.models.usage import Price

    prices = {}
    for model, text in _pairs(option).items():
        try:
            prices[model] = Price(*map(_dollars, text.split()))
        except (TypeError, ValueError):
            expected = "expected MODEL = READ WRITTEN, or MODEL = READ WRITTEN CACHED"
            line = f"{model} = {text}"
            raise ValueError(f"{expected}, in US dollars for a million, found {line!r}") from None
    return prices


def _amount(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < math.inf:
        raise ValueError(f"{text.strip()!r} is not a number above 0")
    return value


def _seconds(text: str) -> float:
    if (value := _amount(text)) > LONGEST:
        raise ValueError(f"{text.strip()!r} is more than {LONGEST} seconds (30 days)")
    return value


def _integer(text: str, least: int, most: int = 999, expected: str = "") -> int:
    if not re.fullmatch("[0-9]{1,15}", text.strip()) or not least <= int(text) <= most:
        raise ValueError(
            f"{text.strip()!r} is {expected or f'not a number from {least} to {most}'}"
        )
    return int(text)


def _concurrency(text: str) -> int | None:
    if text.strip() == "auto":
        return None
    return _integer(text, 1, 9999, "neither auto nor a number from 1 to 9999")


def _odd(text: str) -> int:
    expected = "not an odd number from 1 to 999"
    if not (number := _integer(text, 1, expected=expected)) % 2:
        raise ValueError(f"{text.strip()!r} is {expected}")
    return number


def _dollars(text: str) -> float:
    value = float(text)
    if not 0 <= value < math.inf:
        raise ValueError
    return value


def _file(option: _GivenOption) -> Path:
    path = option.path(option.text)
    if not os.path.isfile(path):  # noqa: PTH113  # unlike Path, it takes names that are too long
        raise ValueError(f"there is no file {option.text}")
    return path


def _several(option: _GivenOption) -> list[str]:
    """Return the lines of a text that may name several, each once."""
    lines = (line.strip() for text in option.lines for line in text.splitlines())
    return list(dict.fromkeys(filter(None, lines)))


def _prompts(option: _GivenOption) -> Prompts:
    files = _several(option)
    texts = [_prompt(option._replace(text=file)) for file in files]
    stems = [os.path.basename(os.path.splitext(file)[0]) for file in files]  # noqa: PTH119, PTH122
    names = labels(stems if len(set(stems)) == len(stems) else files)
    return Prompts(dict(zip(names, texts, strict=True)), is_default=not option.on_command_line)


def _prompt(option: _GivenOption) -> str:
    path = _file(option)
    try:
        text = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text in UTF-8"
        raise ValueError(f"{option.text} cannot be read: {reason}") from None
    if not text:
        raise ValueError(f"{option.text} is empty")
    return text


def labels(names: Sequence[str]) -> list[str]:
    """Return the label of each name in ids of items: short ASCII, no two the same."""
    unique: list[str] = []
    for name in names:
        label = re.sub(r"[^\w./:@+=-]+|::+", "_", redacted_line(name, _LONGEST), flags=re.ASCII)
        label = label[:_LONGEST_LABEL]
        unique.append(label if label not in unique else f"{label}_{len(unique) + 1}")
    return unique


def _new_file(option: _GivenOption) -> Path:
    name = option.text.replace("{time}", time.strftime("%Y-%m-%dT%H%M%S"))
    path = option.path(name)
    if option.is_worker:  # the controller writes it, maybe on another machine
        return path
    reason = why_not_writable(path)
    if reason or name.endswith("/"):
        raise ValueError(f"cannot write to {name}: {reason or 'it is a folder; name a file in it'}")
    return path


def _replaced_file(option: _GivenOption) -> Path:
    """Return the path of a file that may replace another one, unless that holds records."""
    from pytest_toolsandbox.gate.baseline import why_not_replaced

    path = _new_file(option)
    if not option.is_worker and (reason := why_not_replaced(path)):
        raise ValueError(f"cannot write to {option.text}: {reason}")
    return path


_READERS: Final[Mapping[str, Callable[[_GivenOption], Any]]] = {
    "text": lambda option: option.text,
    "lines": lambda option: option.lines,
    "criteria": lambda option: tuple(dict.fromkeys(map(str.strip, option.lines))),
    "flag": lambda _: True,
    "choice": _choice,
    "augmentations": _augmentations,
    "feedback": _feedback,
    "minimum scores": _minimum_scores,
    "pairs": _pairs,
    "count": lambda option: _integer(option.text, 0),
    "odd": lambda option: _odd(option.text),
    "amount": lambda option: _amount(option.text),
    "seconds": lambda option: _seconds(option.text),
    "whole": lambda option: _integer(option.text, 1, 10**15, "not a whole number from 1 on"),
    "shard": _shard,
    "trials": _trials,
    "pass rule": _pass_rule,
    "concurrency": lambda option: _concurrency(option.text),
    "share": lambda option: parse_fraction(option.text),
    "shares": lambda option: {name: parse_fraction(text) for name, text in _pairs(option).items()},
    "prices": _prices,
    "file": _file,
    "folder": lambda option: option.path(option.text),
    "agents": lambda option: tuple(_several(option)),
    "prompts": _prompts,
    "new file": _new_file,
    "replaced file": _replaced_file,
}
"""Reader → makes a value, or raises ``ValueError`` with what is wrong."""
