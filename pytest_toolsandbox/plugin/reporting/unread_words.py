"""Say how many passed items no judge has read, and the command that has them read."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_toolsandbox.records.verdict import by_item, lacks_trials
from pytest_toolsandbox.reporting.judge_lines import words_lines
from pytest_toolsandbox.wording.redaction import redacted

if TYPE_CHECKING:
    import pytest

    from pytest_toolsandbox.plugin.settings import Settings
    from pytest_toolsandbox.records.record import Summary

_NO_MORE: Final = ("--sandbox-results", "--sandbox-resume", "--sandbox-record", "--sandbox-rejudge")
"""Options of a run, with a value, that are others where its conversations are judged again."""
_OVERWRITE: Final = "--sandbox-overwrite"


def unread_words(
    records: Sequence[Summary], settings: Settings, config: pytest.Config
) -> Iterator[str]:
    """Yield how many passed items nobody read, and how to have a model read them."""
    lines = words_lines(records)
    if settings.judge is not None or config.getoption("verbose") < 0 or not lines:
        return
    yield from lines
    is_part = any(map(lacks_trials, by_item(records)))  # the others are played, if they decide now
    if settings.results is not None and not (is_part and settings.rejudge):
        params, again = config.invocation_params, "resume" if is_part else "rejudge"
        yield _command(again, settings.results, list(map(str, params.args)), params.dir)


def _command(again: str, results: Path, typed: Sequence[str], here: Path) -> str:
    """Return the command that has a model read what a run has written, with its other options."""
    judged = results.with_stem(f"{results.stem}-judged")
    files = {again: _shown(results, here), "results": _shown(judged, here)}
    ours = [f"--sandbox-{option}={file}" for option, file in files.items()]
    return redacted(f"  {shlex.join(['pytest', *_kept(typed), *ours])} --sandbox-judge=MODEL")


def _kept(typed: Sequence[str]) -> Iterator[str]:
    is_value = False
    for word in typed:
        if not is_value and word.partition("=")[0] not in (*_NO_MORE, _OVERWRITE):
            yield word
        is_value = word in _NO_MORE


def _shown(file: Path, here: Path) -> str:
    return os.path.relpath(file, here) if file.is_relative_to(here) else str(file)
