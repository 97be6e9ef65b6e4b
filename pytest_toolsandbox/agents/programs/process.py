"""A process that writes lines of JSON, and reads them, while a conversation lasts."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import shutil
import signal
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.wording.redaction import redacted_line

_log: Final = logging.getLogger(__name__)
"""What a program is told and says, as it is, at the level DEBUG."""
LONGEST: Final = 16 * 1024 * 1024
"""Bytes of the longest line that is read."""
GRACE: Final = 1.0
"""Seconds that a process has to end by itself when nothing more is said to it."""
_SHOWN: Final = 300
_KEPT: Final = (
    "PATH",
    "LANG",
    "TMPDIR",
    "SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "HTTPS_PROXY",
    "https_proxy",
    "NO_PROXY",
    "no_proxy",
    "SYSTEMROOT",
)
"""Variables that a program at home nowhere needs all the same."""


def executable(name: str, remedy: str) -> str:
    """Return where a program is. Raises :class:`AgentError` with what to do where it is not."""
    found = shutil.which(name)
    if found is None:
        raise AgentError(f"there is no program {name!r} on the PATH; {remedy}")
    return found


def impersonal_environment(home: Path, prefix: str) -> dict[str, str]:
    """Return an environment without anything personal but variables that begin with ``prefix``."""
    environment = os.environ.items()
    kept = {name: one for name, one in environment if name in _KEPT or name.startswith(prefix)}
    return {**kept, "HOME": str(home), "USERPROFILE": str(home)}


_running: set[Process] = set()


def kill_all() -> None:
    """End the processes of conversations that are left behind: Ctrl-C does not reach them."""
    global _running
    left, _running = _running, set()
    for process in list(left):  # those that close leave it meanwhile
        process.kill()


class Process:
    """A process, known as ``name`` in errors."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._others: set[Process] = set()
        self._files = contextlib.ExitStack()
        self._process: asyncio.subprocess.Process | None = None
        self._errors: Any = None

    async def start(
        self, command: Sequence[str], cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> Self:
        """Start it. Raises :class:`AgentError` where that fails."""
        self._others = _running
        self._errors = self._files.enter_context(tempfile.TemporaryFile())  # noqa: SIM115  # until close
        pipe = asyncio.subprocess.PIPE
        try:
            self._process = await asyncio.create_subprocess_exec(
                *command,
                stdin=pipe,
                stdout=pipe,
                stderr=self._errors,
                cwd=cwd,
                env=env,
                limit=LONGEST,
                start_new_session=True,
            )
        except OSError as error:
            self._files.close()
            raise AgentError(f"{self.name} cannot be started: {error.strerror}") from error
        self._others.add(self)
        if self._others is not _running:  # it was left behind while it started
            self.kill()
        return self

    async def tell(self, text: str, *, last: bool = False) -> None:
        """Write a line; where the process is gone, the next :meth:`hear` says so."""
        assert self._process is not None
        assert self._process.stdin is not None
        _log.debug("stdin %s", text)
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(text.encode() + b"\n")
            await self._process.stdin.drain()
            if last:
                self._process.stdin.close()

    async def hear(self) -> dict[str, Any] | None:
        """Return the next line, ``None`` at the end. Raises :class:`AgentError` for other text."""
        assert self._process is not None
        assert self._process.stdout is not None
        try:
            line = await self._process.stdout.readline()
        except ValueError:
            raise AgentError(f"{self.name} wrote a line of more than {LONGEST} bytes") from None
        if not line:
            return None
        _log.debug("stdout %s", line.decode(errors="replace"))
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            shown = redacted_line(line.decode(errors="replace"), _SHOWN)
            raise AgentError(f"{self.name} wrote {shown!r}; expected a JSON object in one line")
        return value

    async def ended(self) -> AgentError:
        """Return the error that its end is, with the last line of its errors."""
        assert self._process is not None
        status = await self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").split("\n")
        last = next((line for line in reversed(lines) if line.strip()), "")
        said = f": {redacted_line(last, _SHOWN)}" if last else ""
        return AgentError(f"{self.name} ended with status {status} and without a reply{said}")

    async def close(self) -> None:
        """Say nothing more to it, and end it with all that it started."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), GRACE)
            self.kill()
            await self._process.wait()
            self._others.discard(self)
        self._files.close()

    def kill(self) -> None:
        """End it at once, with all that it started."""
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)  # with what it started itself
            else:
                self._process.kill()
