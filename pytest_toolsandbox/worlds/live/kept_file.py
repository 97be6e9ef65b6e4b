"""Kept files: the tools of a server and its tables at the start, known without the server.

``toolsandbox worlds pull`` writes them beside the scenarios, and they belong into the repository:
scenarios are checked, and listed by editors and CI, where no server runs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_toolsandbox.text.formatting import pluralize
from pytest_toolsandbox.text.shells import join_command
from pytest_toolsandbox.worlds.context import WorldError

SUFFIX: Final = ".world.json"
_VERSION: Final = 1


@dataclass(frozen=True)
class Pulled:
    """A file that was written: its contents in words, and what is to be said of the server."""

    path: Path
    contents: str
    remarks: Sequence[str] = ()


_PULLED: ContextVar[dict[Path, Pulled] | None] = ContextVar("pulled", default=None)


@contextmanager
def pulling() -> Iterator[None]:
    """Ask the servers of all worlds that are made in the block, and write their files anew."""
    token = _PULLED.set({})
    try:
        yield
    finally:
        _PULLED.reset(token)


def pulled_files() -> Mapping[Path, Pulled]:
    """Return the files that were written in the innermost :func:`pulling`."""
    return _PULLED.get() or {}


def kept_version(folder: Path, world: str, *files: str) -> object:
    """Return what changes with the kept file of a world, and with further files of its settings.

    ``None`` if there is none of them, or if the kept file is to be written anew.
    """
    if _PULLED.get() is not None:
        return None
    versions = []
    for name in (f"{world}{SUFFIX}", *files):
        with suppress(OSError, ValueError):
            status = (folder / name).stat()
            versions.append((name, status.st_mtime_ns, status.st_size, status.st_ino))
    return tuple(versions) or None


@dataclass(frozen=True)
class KeptFile:
    """The file of a world: ``address`` tells its server from others of the same name."""

    path: Path
    world: str
    address: str

    def read(self, fetch: Callable[[], dict[str, Any]]) -> Mapping[str, Any]:
        """Return what the file has; inside of :func:`pulling`, ``fetch`` is asked for it first.

        Raises :class:`WorldError`.
        """
        pulled = _PULLED.get()
        if pulled is not None and self.path not in pulled:
            content = {"version": _VERSION, "world": self.world, "server": self.address, **fetch()}
            remarks = content.pop("remarks", ())
            self._write(content)
            pulled[self.path] = Pulled(self.path, _summary(content), remarks)
        return self._read()

    def rows(self, content: Mapping[str, Any], table: str) -> Any:
        """Return the first rows of a table. Raises :class:`WorldError` if the file lacks them."""
        if table not in (content.get("tables") or {}):
            raise WorldError(f"{self.path.name} lacks the table {table!r}; run: {self.command}")
        return content["tables"][table]

    @property
    def command(self) -> str:
        """The command that writes the file."""
        folder = self.path.parent
        shown = os.path.relpath(folder) if folder.is_relative_to(Path.cwd()) else str(folder)
        return join_command(["toolsandbox", "worlds", "pull", shown])

    def _read(self) -> Mapping[str, Any]:
        try:
            content = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            text = f"the tools of the world {self.world!r} are not known yet; run: {self.command}"
            raise WorldError(text) from None
        except (OSError, ValueError) as error:
            text = f"{self.path.name} cannot be read: {error}; run: {self.command}"
            raise WorldError(text) from None
        if not isinstance(content, dict) or content.get("version") != _VERSION:
            text = f"{self.path.name} has another form; run: {self.command}"
            raise WorldError(text)
        if content.get("server") != self.address:
            other = content.get("server")
            remedy = f"run: {self.command}; or give each world its own name"
            raise WorldError(f"{self.path.name} is of {other}, and not of {self.address}; {remedy}")
        return content

    def _write(self, content: Mapping[str, Any]) -> None:
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        try:
            self.path.write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise WorldError(f"{self.path} cannot be written: {error.strerror}") from None


def _summary(content: Mapping[str, Any]) -> str:
    tools = pluralize(len(content.get("tools") or ()), "tool")
    tables = {name: len(rows) for name, rows in (content.get("tables") or {}).items()}
    rows = (f"{name} ({pluralize(count, 'row')})" for name, count in tables.items())
    return ", ".join([tools, *rows])
