"""The files of cassettes: read whole, and written whole, one trial after the other."""

from __future__ import annotations

import errno
import itertools
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from pytest_toolsandbox.text.files import read_whole, write_whole

from .cassette import AGAIN, Cassette, RecordedTrial, UnreadableError, cassette_text, read_cassette
from .exchanges import Exchange

MEGABYTES: Final = 50
"""What a cassette may have: what is larger takes minutes to read."""

_writing = threading.Lock()


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
    """Add a trial to a cassette in place of an earlier one. Raises ``OSError``.

    Others may write to it at the same time. Trials of another agent or user are given up. A request
    and a reply that are what they were keep their latency, so that the same conversation makes the
    same file.
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
    """Keep the trials of a text. Raises ``OSError`` and :class:`UnreadableError`."""
    cassette = read_cassette(text)
    for number, trial in whole_trials(cassette).items():
        keep(path, cassette.about, number, trial)


def bounded(text: str) -> str:
    """Return the text of a cassette. Raises ``OSError`` if it is too long."""
    if len(text.encode()) > MEGABYTES * 1_000_000:
        raise OSError(errno.EFBIG, f"it would have more than {MEGABYTES} MB")
    return text


def drop(path: Path, numbers: set[int]) -> None:
    """Take trials out of a cassette, and remove it with the last one. Raises ``OSError``."""
    with _alone_in(path.parent):
        cassette = load(path)
        trials = {n: one for n, one in whole_trials(cassette).items() if n not in numbers}
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
    """Hold the cassettes of a folder for this thread, also from other processes, where it can be.

    The folder itself is locked: a file beside the cassettes would be committed with them.
    """
    with _writing:
        held = None
        with suppress(ImportError, OSError):  # there are no locks on Windows, and on some networks
            import fcntl

            held = os.open(folder, os.O_RDONLY)
            fcntl.flock(held, fcntl.LOCK_EX)
        try:
            yield
        finally:
            if held is not None:
                os.close(held)
