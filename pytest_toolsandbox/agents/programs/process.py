"""The processes of agents: their lines of JSON, their environment, and how they end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

from pytest_toolsandbox.concurrency.supervised import (
    IS_SUPERVISED,
    environment_message,
    raise_start_error,
    supervised_command,
)
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.text.formatting import one_line
from pytest_toolsandbox.text.redaction import redacted, redacted_line

from .turns import without_address

_log: Final = logging.getLogger(__name__)
"""Logs the input and output at the level DEBUG."""
_MAX_BYTES: Final = 16 * 1024 * 1024
"""The limit of a line."""
_MAX_ERRORS: Final = 1024 * 1024
"""Bytes at the end of stderr that are read."""
_PIECE: Final = 65536
_GRACE: Final = 1.0
"""The time, in seconds, for a process to end by itself after its input is closed."""
_EXITING: Final = 5.0
"""The time for a process to exit after its output has ended. More is a process that closed it."""
_KILLING: Final = 10.0
"""The time for killed processes to be gone, after which those that cannot be killed are left."""
_SHOWN: Final = 300
"""Characters of a wrong output that an error shows."""
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
"""Variables that are not personal, and that a program needs."""


def executable(name: str, remedy: str) -> str:
    """Return the path of a program. Raises :class:`AgentError` with a remedy if there is none."""
    path = shutil.which(name)
    if path is None:
        raise AgentError(f"there is no program {name!r} on the PATH; {remedy}")
    return path


def impersonal_environment(home: Path, prefix: str) -> dict[str, str]:
    """Return an environment without personal variables, except those that begin with ``prefix``."""
    kept = {n: value for n, value in os.environ.items() if n in _KEPT or n.startswith(prefix)}
    return {**kept, "HOME": str(home), "USERPROFILE": str(home)}


class Home:
    """An empty home of a process, which only this user can read, and its working folder."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp())
        self.work = self.path / "work"
        self.work.mkdir()

    def write(self, name: str, text: str) -> Path:
        """Write a file with what must not be on a command line, and return its path."""
        path = self.path / name
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.touch(mode=0o600, exist_ok=False)
        path.write_text(text, encoding="utf-8")
        return path

    def remove(self) -> None:
        """Remove the folder with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)


_running: set[Process] = set()


def kill_all() -> None:
    """Kill the processes of abandoned conversations, as Ctrl-C does not reach them."""
    global _running
    abandoned, _running = _running, set()
    for process in list(abandoned):  # a process that closes leaves the set meanwhile
        process.kill()


class Process:
    """A process that reads and writes lines of JSON; errors call it ``name``."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._siblings: set[Process] = set()
        self._files = contextlib.ExitStack()
        self._process: asyncio.subprocess.Process | None = None
        self._errors: Any = None
        self._control: socket.socket | None = None
        """The end of the supervisor's socket whose shutdown ends the program."""
        self._ahead: asyncio.Task[bytes] | None = None

    async def start(
        self, command: Sequence[str], cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> Self:
        """Start the process. Raises :class:`AgentError` if that fails."""
        self._siblings = _running
        self._errors = self._files.enter_context(tempfile.TemporaryFile())  # noqa: SIM115  # until close
        try:
            if IS_SUPERVISED:
                await self._start_supervised(command, cwd, env)
            else:
                self._process = await self._started(command, cwd, env)
        except OSError as error:
            await self.close()
            raise AgentError(f"{self.name} cannot be started: {error.strerror}") from error
        except BaseException:
            self.kill()
            self._files.close()
            raise
        self._siblings.add(self)
        if self._siblings is not _running:  # kill_all was called meanwhile
            self.kill()
        return self

    async def _start_supervised(
        self, command: Sequence[str], cwd: Path | None, env: Mapping[str, str] | None
    ) -> None:
        """Start the process below a supervisor. Raises ``OSError`` as without one."""
        self._control, theirs = map(self._files.enter_context, socket.socketpair())
        self._control.setblocking(False)
        number = theirs.fileno()
        words = supervised_command(number, command)
        self._process = await self._started(words, cwd, None, [number])
        theirs.close()
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(self._control, environment_message(env))
        raise_start_error(await loop.sock_recv(self._control, 16))

    async def _started(
        self,
        words: Sequence[str],
        cwd: Path | None,
        env: Mapping[str, str] | None,
        files: Sequence[int] = (),
    ) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(
            *words,
            stdin=pipe,
            stdout=pipe,
            stderr=self._errors,
            cwd=cwd,
            env=env,
            limit=_MAX_BYTES,
            start_new_session=True,
            pass_fds=files,
        )

    async def write(self, text: str, *, last: bool = False) -> None:
        """Write a line. If the process has ended, the next :meth:`read` returns ``None``."""
        assert self._process is not None
        assert self._process.stdin is not None
        _log.debug("stdin %s", without_address(text))
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(text.encode() + b"\n")
            await self._process.stdin.drain()
            if last:
                self._process.stdin.close()

    async def read(self) -> dict[str, Any] | None:
        """Return the next line, ``None`` at the end. Raises :class:`AgentError` if not JSON."""
        assert self._process is not None
        assert self._process.stdout is not None
        try:
            line = await (self._ahead or self._process.stdout.readline())
        except ValueError:
            raise AgentError(f"{self.name} wrote a line of more than {_MAX_BYTES} bytes") from None
        finally:
            self._ahead = None
        if not line:
            return None
        _log.debug("stdout %s", without_address(line.decode(errors="replace")))
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            shown = redacted_line(line.decode(errors="replace"), _SHOWN)
            raise AgentError(f"{self.name} wrote {shown!r}; expected a JSON object in one line")
        return value

    def read_ahead(self) -> None:
        """Begin to read the next line."""
        assert self._process is not None
        assert self._process.stdout is not None
        self._ahead = asyncio.create_task(self._process.stdout.readline())

    @property
    def has_written(self) -> bool:
        """Whether the line that is read ahead has come."""
        return self._ahead is not None and self._ahead.done()

    async def exit_error(self) -> AgentError:
        """Return the error for output that has ended, with the last line of stderr."""
        assert self._process is not None
        try:
            status = await asyncio.wait_for(self._process.wait(), _EXITING)
        except TimeoutError:
            end = "closed its standard output"
        else:
            end = f"ended with status {status} and"
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - _MAX_ERRORS))
        lines = redacted(self._errors.read().decode(errors="replace")).split("\n")
        if size > _MAX_ERRORS:
            del lines[0]  # what is left of a line may be a part of a secret
        last = next((line for line in reversed(lines) if line.strip()), "")
        reason = f": {one_line(last, _SHOWN)}" if last else ""
        return AgentError(f"{self.name} {end} without a reply{reason}")

    async def close(self) -> bytes:
        """Close its input, end the process and its descendants, and return its unread output."""
        rest = bytearray()
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            # asyncio says that a process has ended only when its output is read.
            tasks = self._read_rest(rest), self._process.wait()
            ending: list[asyncio.Task[Any]] = [asyncio.create_task(task) for task in tasks]
            await asyncio.wait(ending, timeout=_GRACE)
            self.kill()
            await asyncio.wait(ending, timeout=_KILLING)
            for task in ending:
                task.cancel()
            self._siblings.discard(self)
        self._files.close()
        return bytes(rest)

    async def _read_rest(self, rest: bytearray) -> None:
        """Add to ``rest`` what is not yet read, up to a limit."""
        assert self._process is not None
        assert self._process.stdout is not None
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            with contextlib.suppress(ValueError):  # a line over the limit
                rest += await ahead
        while piece := await self._process.stdout.read(_PIECE):
            rest += piece[: _MAX_BYTES - len(rest)]

    def kill(self) -> None:
        """Kill the process and its descendants."""
        if self._control is not None:
            with contextlib.suppress(OSError):  # it has ended
                self._control.shutdown(socket.SHUT_RDWR)
        elif self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                if hasattr(os, "killpg"):
                    os.killpg(self._process.pid, signal.SIGKILL)
                else:
                    self._process.kill()
