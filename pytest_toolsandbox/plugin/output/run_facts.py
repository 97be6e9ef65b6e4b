"""What was run: the commit, the command and the time, for the field ``run`` of records.

Also ``sample``, since a run of a sample says nothing about the other scenarios.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final

import pytest

from pytest_toolsandbox.plugin.options import OPTIONS
from pytest_toolsandbox.plugin.settings import settings_of
from pytest_toolsandbox.records.parts import RunRecord
from pytest_toolsandbox.text.error_text import without_folders
from pytest_toolsandbox.text.redaction import (
    is_secret_name,
    redacted,
    redacted_line,
    secrets_in,
)
from pytest_toolsandbox.text.secret_shapes import HIDDEN

_PATIENCE: Final = 5.0
"""Seconds that git may take, which a slow disk or a large repository may exceed."""
_GIT: Final = (
    *("git", "--no-optional-locks", "-c", "core.fsmonitor=false", "status", "--porcelain=v2"),
    *("--branch", "--untracked-files=no"),
)
_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_NAME: Final = re.compile(r"-{0,2}[\w.-]+")
"""A name before ``=``; an id of an item with ``=`` in its brackets is none."""
_SHOWN: Final = {option.key for option in OPTIONS} - {"sandbox_secrets"}
"""Our options are not secrets, even if they sound like it: ``--sandbox-max-tokens``."""
_LONGEST: Final = 2000


class RunFacts:
    """Adds the fields to records that are written to a file, in the only process or controller."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def ask(self) -> None:
        """Ask what is run, before anything is played that may change it."""
        self._fields  # noqa: B018  # it is cached

    def added_to(self, records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return records with the field, if a file of records or a page is wanted."""
        return [{**record, **self._fields} for record in records]

    @cached_property
    def _fields(self) -> dict[str, Any]:
        settings = settings_of(self._config)
        is_wanted = settings.results is not None or settings.html is not None
        sample = {"sample": settings.sample} if settings.sample else {}
        return {"run": run_record(self._config)} | sample if is_wanted else {}


def run_record(config: pytest.Config) -> RunRecord:
    """Return what is being run; without ``commit`` and ``clean`` if git does not say."""
    arguments = map(str, config.invocation_params.args)
    command = without_folders(shlex.join(["pytest", *shown_arguments(arguments)]))
    started = datetime.now(UTC).isoformat(timespec="seconds")
    facts = RunRecord(started=started, command=redacted_line(command, _LONGEST))
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(  # noqa: S603  # the command is our own
            _GIT,
            cwd=config.rootpath,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            check=True,
        )
        lines = done.stdout.decode("utf-8", "replace").splitlines()
        if commit := re.search(
            r"^# branch\.oid ([0-9a-f]{40,64})$", "\n".join(lines), re.MULTILINE
        ):
            facts["commit"] = commit[1]
            facts["clean"] = all(line.startswith("#") for line in lines)
    return facts


def shown_arguments(arguments: Iterable[str]) -> Iterator[str]:
    """Yield the arguments of a command without secrets, by their names and their shapes."""
    is_value = False
    for argument in arguments:
        if is_value and not argument.startswith("-"):
            yield HIDDEN
            is_value = False
            continue
        is_value = argument.startswith("--") and _is_secret(argument)
        yield redacted(_without_secrets(argument))


def _without_secrets(text: str) -> str:
    name, equals, value = text.partition("=")
    if equals and _NAME.fullmatch(name):
        return f"{name}={HIDDEN if _is_secret(name) else _without_secrets(value)}"
    if "::" in text and not text.startswith("-"):  # the id of an item
        return text
    for secret in sorted(set(secrets_in(text)), key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text


def _is_secret(name: str) -> bool:
    key = name.removeprefix("-o").lstrip("-").replace("-", "_")
    return key not in _SHOWN and is_secret_name(key)
