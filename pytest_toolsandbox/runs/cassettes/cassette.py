"""The files of cassettes: the settings and the exchanges of each trial of an item.

Files are read and written as a whole. Also here: the recorded vectors of an embedder, and the
errors of cassettes.
"""

from __future__ import annotations

import base64
import errno
import itertools
import json
import operator
import re
import sys
import threading
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from textwrap import indent
from typing import Any, Final

import yaml

from pytest_toolsandbox.language.yaml12 import LimitError, load_yaml, write_yaml
from pytest_toolsandbox.matchers.embedding import Embedder
from pytest_toolsandbox.models.errors import ProviderError
from pytest_toolsandbox.text.files import read_whole, write_whole
from pytest_toolsandbox.text.locking import locked

from .exchanges import Exchange, Setting, cleaned, is_reply, read_exchanges, written_exchanges

VERSION: Final = 1
_HEAD: Final = "# Recorded by pytest --sandbox-record; how to read it: docs/cassettes.md\n"
_SETTINGS: Final = "settings:\n"
AGAIN: Final = "record it again with --sandbox-record=all"
"""The remedy for an unreadable cassette."""
MEGABYTES: Final = 50
"""The maximum size of a cassette; larger ones take minutes to read."""

_writing = threading.Lock()


class UnreadableError(ValueError):
    """The cassette is unreadable; the text is one line without its name."""


@dataclass(frozen=True)
class RecordedTrial:
    """The requests and replies of a trial, and further notes for its record.

    The settings of requests are left out if they were not read; ``names`` are their names.
    """

    exchanges: list[Exchange]
    notes: Mapping[str, Any] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Cassette:
    """The recorded trials of an item by number; ``about`` has its id, agent and user.

    ``shown`` is its name in errors.
    """

    shown: str
    about: Mapping[str, Any]
    written: Mapping[int, Mapping[str, Any]]
    settings_text: str = ""

    def trial(self, number: int) -> RecordedTrial | None:
        """Return a trial without the settings of its requests, ``None`` if it is not recorded."""
        if (written := self.written.get(number)) is None:
            return None
        try:
            pairs = [*read_exchanges(written["exchanges"])]
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            raise UnreadableError(f"trial {number} is no list of exchanges; {AGAIN}") from error
        for place, (_, exchange) in enumerate(pairs, 1):
            if not is_reply(exchange.reply):
                text = f"trial {number}: reply {place} is neither a text nor calls; {AGAIN}"
                raise UnreadableError(text)
        notes = {key: note for key, note in written.items() if key not in ("trial", "exchanges")}
        settings, exchanges = [name for name, _ in pairs], [exchange for _, exchange in pairs]
        return RecordedTrial(exchanges, notes, settings)

    def has_setting(self, name: str, setting: Setting) -> bool:
        """Return whether a name means a setting, which rarely has to be read for that."""
        return self._texts.get(name, "") == _setting_text(setting) or self.setting(name) == setting

    def setting(self, name: str) -> Setting:
        """Return a setting by its name."""
        return self._settings.get(name) or {}

    @cached_property
    def _texts(self) -> dict[str, str]:
        parts = re.split(r"^  (\S+):\n", self.settings_text, flags=re.MULTILINE)
        return dict(zip(parts[1::2], parts[2::2], strict=True))

    @cached_property
    def _settings(self) -> dict[str, Setting]:
        settings = _loaded(f"{_SETTINGS}{self.settings_text}")["settings"]
        return settings if isinstance(settings, dict) else {}


def cassette_text(about: Mapping[str, Any], trials: Mapping[int, RecordedTrial]) -> str:
    """Return the text of a cassette; equal conversations have equal texts."""
    settings: dict[str, Setting] = {}
    written = [
        {
            "trial": number,
            "exchanges": [*written_exchanges(trial.exchanges, settings)],
            **trial.notes,
        }
        for number, trial in sorted(trials.items())
    ]
    texts = "".join(
        f"  {name}:\n{_setting_text(setting)}" for name, setting in settings.items() if setting
    )
    head = write_yaml({"cassette": VERSION, **about, "trials": written}, folded=False)
    return f"{_HEAD}{head}{_SETTINGS if texts else ''}{texts}"


def read_cassette(text: str, shown: str = "") -> Cassette:
    """Return the cassette in a text. Raises :class:`UnreadableError`."""
    head, _, settings = text.partition(f"\n{_SETTINGS}")
    values = _loaded(head)
    if not isinstance(values, dict) or "cassette" not in values:
        raise UnreadableError(f"it is no cassette; {AGAIN}")
    if (version := values.pop("cassette")) != VERSION:
        newer = "update pytest-toolsandbox, or " if isinstance(version, int) else ""
        raise UnreadableError(f"its version is {version!r}, not {VERSION}; {newer}{AGAIN}")
    try:
        trials = {operator.index(written["trial"]): written for written in values.pop("trials")}
    except (LookupError, TypeError) as error:
        raise UnreadableError(f"'trials' is no list of trials; {AGAIN}") from error
    return Cassette(shown, values, trials, settings)


def _setting_text(setting: Setting) -> str:
    """Return a setting in the format of a cassette."""
    parameters = {name: value for name, value in setting.items() if name != "tools"}
    text = write_yaml(parameters, folded=False) if parameters else ""
    if tools := setting.get("tools"):
        text += "tools:\n" + "".join(_tool_text(json.dumps(tool)) for tool in tools)
    return indent(text, "    ")


@lru_cache(maxsize=4096)
def _tool_text(tool: str) -> str:
    """Return the text of a tool, cached: many scenarios share tools, and writing YAML is slow."""
    return write_yaml({"tools": [json.loads(tool)]}, folded=False).partition("\n")[2]


def _loaded(text: str) -> Any:
    try:
        return load_yaml(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"line {mark.line + 1}: " if mark else ""
        what = "" if isinstance(error, LimitError) else "invalid YAML: "
        raise UnreadableError(f"{place}{what}{error.problem}; {AGAIN}") from None
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        raise UnreadableError(f"invalid YAML: {error}; {AGAIN}") from None


REMEDY: Final = "record it with --sandbox-record=new"


class CassetteError(ProviderError):
    """A request is not recorded: the item ends in an error, without a score.

    ``lines`` show the difference from the recording. To the code that makes the request, it is a
    provider's error, since the cassette replaces the provider.
    """

    def __init__(self, text: str, lines: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.lines = [*lines]


class MissingError(CassetteError):
    """The cassette or the trial is missing, or it is of another agent or user."""


def written_vector(vector: Sequence[Any]) -> str:
    """Return the numbers of a vector with seven digits each, in base64."""
    numbers = array("f", map(float, vector))
    if sys.byteorder == "big":
        numbers.byteswap()
    return base64.b64encode(numbers.tobytes()).decode()


def read_vector(text: str) -> list[float]:
    """Return the numbers of a written vector."""
    numbers = array("f", base64.b64decode(text))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tolist()


class RecordedVectors:
    """An embedder that returns ``kept`` vectors, and asks ``ask`` for others and keeps them."""

    def __init__(self, kept: Mapping[str, str], ask: Embedder) -> None:
        self.kept = dict(kept)
        self._ask = ask

    def __call__(self, texts: list[str]) -> list[list[float]]:
        """Return a vector for each text. Raises what ``ask`` raises."""
        if new := [text for text in texts if cleaned(text) not in self.kept]:
            vectors = map(written_vector, self._ask(new))
            self.kept.update(zip(map(cleaned, new), vectors, strict=True))
        return [read_vector(self.kept[cleaned(text)]) for text in texts]


def load(path: Path, shown: str = "") -> Cassette:
    """Return a cassette. Raises ``FileNotFoundError``, and :class:`UnreadableError` for others."""
    try:
        if path.stat().st_size > MEGABYTES * 1_000_000:
            raise UnreadableError(f"it has more than {MEGABYTES} MB")
        return read_cassette(read_whole(path).decode(), shown)
    except FileNotFoundError:
        raise
    except UnicodeDecodeError:
        raise UnreadableError(f"it is no text in UTF-8; {AGAIN}") from None
    except OSError as error:
        raise UnreadableError(f"it cannot be read: {error.strerror}") from None


def keep(path: Path, about: Mapping[str, Any], number: int, trial: RecordedTrial) -> None:
    """Add a trial to a cassette, or replace an earlier one. Raises ``OSError``.

    Other processes may write to the cassette at the same time. Trials of another agent or user are
    dropped. Unchanged exchanges keep their latency, so that an unchanged conversation leaves the
    file unchanged.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _alone_in(path.parent):
        trials = _trials_of(path, about)
        if number in trials:
            trial = _with_latencies_of(trials[number], trial)
        text = bounded(cassette_text(about, {**trials, number: trial}))
        if not (path.exists() and path.read_bytes() == text.encode()):
            write_whole(path, text)


def keep_sent(path: Path, text: str) -> None:
    """Keep the trials in a text. Raises ``OSError`` and :class:`UnreadableError`."""
    cassette = read_cassette(text)
    for number, trial in whole_trials(cassette).items():
        keep(path, cassette.about, number, trial)


def bounded(text: str) -> str:
    """Return the text of a cassette. Raises ``OSError`` if it is too long."""
    if len(text.encode()) > MEGABYTES * 1_000_000:
        raise OSError(errno.EFBIG, f"it would have more than {MEGABYTES} MB")
    return text


def drop(path: Path, numbers: set[int]) -> None:
    """Remove trials from a cassette, and the file with its last one. Raises ``OSError``."""
    with _alone_in(path.parent):
        cassette = load(path)
        trials = {n: trial for n, trial in whole_trials(cassette).items() if n not in numbers}
        if trials:
            write_whole(path, cassette_text(cassette.about, trials))
        else:
            path.unlink()


def whole_trials(cassette: Cassette) -> dict[int, RecordedTrial]:
    """Return the trials of a cassette with the settings of their requests."""
    return {n: _whole(cassette, trial) for n in cassette.written if (trial := cassette.trial(n))}


def _whole(cassette: Cassette, trial: RecordedTrial) -> RecordedTrial:
    pairs = zip(trial.exchanges, trial.names, strict=True)
    exchanges = [
        replace(exchange, request=replace(exchange.request, setting=cassette.setting(name)))
        for exchange, name in pairs
    ]
    return RecordedTrial(exchanges, trial.notes)


def _trials_of(path: Path, about: Mapping[str, Any]) -> dict[int, RecordedTrial]:
    with suppress(FileNotFoundError, UnreadableError):
        cassette = load(path)
        if cassette.about == about:
            return whole_trials(cassette)
    return {}


def _with_latencies_of(before: RecordedTrial, trial: RecordedTrial) -> RecordedTrial:
    pairs = itertools.zip_longest(before.exchanges[: len(trial.exchanges)], trial.exchanges)
    exchanges = [old if old and _timeless(old) == _timeless(new) else new for old, new in pairs]
    return replace(trial, exchanges=exchanges)


def _timeless(exchange: Exchange) -> Exchange:
    measured = {name: value for name, value in exchange.measured.items() if name != "latency"}
    return replace(exchange, measured=measured)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Lock the cassettes of a folder for this thread and this process."""
    with _writing, locked(folder / "cassettes"):
        yield
