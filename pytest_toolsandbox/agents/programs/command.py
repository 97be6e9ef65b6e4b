"""``--agent=cmd:PROGRAM`` and ``--agent=http://…``: programs and services in any language.

A program reads and writes a line of JSON for each turn; a service gets a POST request.
``Process`` also runs Claude Code and Codex.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import shlex
import shutil
import signal
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any, ClassVar, Final, Self
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from pytest_toolsandbox.agents.toolbox import Toolbox
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.text.formatting import type_name
from pytest_toolsandbox.text.redaction import redacted_line

from . import Program

_log: Final = logging.getLogger(__name__)
"""Logs the input and output of programs and services at the level DEBUG."""
_MAX_BYTES: Final = 16 * 1024 * 1024
"""The limit of a line or an answer."""
_GRACE: Final = 1.0
"""The time, in seconds, for a process to end by itself after its input is closed."""
_SHOWN_OF_PROCESS, _SHOWN_OF_SERVICE = 300, 200
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

    async def start(
        self, command: Sequence[str], cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> Self:
        """Start the process. Raises :class:`AgentError` if that fails."""
        self._siblings = _running
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
                limit=_MAX_BYTES,
                start_new_session=True,
            )
        except OSError as error:
            self._files.close()
            raise AgentError(f"{self.name} cannot be started: {error.strerror}") from error
        self._siblings.add(self)
        if self._siblings is not _running:  # kill_all was called meanwhile
            self.kill()
        return self

    async def write(self, text: str, *, last: bool = False) -> None:
        """Write a line. If the process has ended, the next :meth:`read` returns ``None``."""
        assert self._process is not None
        assert self._process.stdin is not None
        _log.debug("stdin %s", text)
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
            line = await self._process.stdout.readline()
        except ValueError:
            raise AgentError(f"{self.name} wrote a line of more than {_MAX_BYTES} bytes") from None
        if not line:
            return None
        _log.debug("stdout %s", line.decode(errors="replace"))
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            shown = redacted_line(line.decode(errors="replace"), _SHOWN_OF_PROCESS)
            raise AgentError(f"{self.name} wrote {shown!r}; expected a JSON object in one line")
        return value

    async def exit_error(self) -> AgentError:
        """Return the error for a process that has ended, with the last line of its stderr."""
        assert self._process is not None
        status = await self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").split("\n")
        last = next((line for line in reversed(lines) if line.strip()), "")
        reason = f": {redacted_line(last, _SHOWN_OF_PROCESS)}" if last else ""
        return AgentError(f"{self.name} ended with status {status} and without a reply{reason}")

    async def close(self) -> None:
        """Close its input, and end the process and its children."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), _GRACE)
            self.kill()
            await self._process.wait()
            self._siblings.discard(self)
        self._files.close()

    def kill(self) -> None:
        """Kill the process and its children."""
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()


@dataclass(frozen=True)
class Command(Program):
    """Starts a program for each conversation, in the current folder."""

    words: tuple[str, ...]

    def __call__(self) -> _Conversation:
        """Return the agent of one conversation."""
        return _Conversation(self.words)


class _Conversation:
    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = words
        self.name = f"cmd:{shlex.join(words)}"
        self.process = Process(self.name)

    async def __aenter__(self) -> Self:
        await self.process.start(self.words)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.process.close()

    async def run_turn(self, message: str, toolbox: Toolbox) -> str:
        """Write a line, and return the reply in the next line."""
        await self.process.write(json.dumps(_request(message, toolbox)))
        answer = await self.process.read()
        if answer is None:
            raise await self.process.exit_error()
        return _reply_in(answer, self.name, toolbox)


def _request(message: str, toolbox: Toolbox) -> dict[str, Any]:
    return {
        "turn": message,
        "mcp": toolbox.mcp_url,
        "tools": toolbox.schemas,
        "prompt": toolbox.prompt,
    }


def _reply_in(answer: Mapping[str, Any], name: str, toolbox: Toolbox) -> str:
    """Return the text for the user. Raises :class:`AgentError` if there is none."""
    toolbox.count_usage(answer.get("usage"), answer.get("model"))
    if "error" in answer and "reply" not in answer:
        raise AgentError(f"{name} reports an error: {answer['error']}")
    reply = answer.get("reply")
    if not isinstance(reply, str):
        problem = f"'reply' is {type_name(reply)}" if "reply" in answer else "no 'reply'"
        raise AgentError(f'{name} answered with {problem}; expected {{"reply": "…"}}')
    return reply


@dataclass(frozen=True)
class Service(Program):
    """Talks to one service in every conversation."""

    is_remote: ClassVar = True

    url: str

    def __call__(self) -> _ServiceConversation:
        """Return the agent of one conversation."""
        return _ServiceConversation(self.url)


@dataclass(frozen=True)
class _ServiceConversation:
    url: str
    identifier: str = field(default_factory=lambda: uuid.uuid4().hex)

    def run_turn(self, message: str, toolbox: Toolbox) -> str:
        """Post a turn and return the reply; ``conversation`` is the same for all of its turns."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        text = json.dumps({"conversation": self.identifier, **_request(message, toolbox)})
        _log.debug("POST %s", text)
        request = Request(self.url, text.encode(), headers)  # noqa: S310  # http alone
        return _reply_in(self._answer_to(request), self.url, toolbox)

    def _answer_to(self, request: Request) -> dict[str, Any]:
        body = b""
        try:
            with urlopen(request) as response:  # noqa: S310  # http alone
                body = response.read(_MAX_BYTES)
                _log.debug("%s %s", response.status, body.decode(errors="replace"))
        except HTTPError as error:
            with suppress(OSError, HTTPException):
                body = error.read(_SHOWN_OF_SERVICE)
            _log.debug("%s %s", error.code, body.decode(errors="replace"))
            text = redacted_line(body.decode(errors="replace"), _SHOWN_OF_SERVICE)
            raise AgentError(f"{self.url} answered with status {error.code}: {text}") from error
        except (OSError, HTTPException) as error:
            raise AgentError(f"{self.url} cannot be reached: {error}") from error
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            shown = redacted_line(
                body[:_SHOWN_OF_SERVICE].decode(errors="replace"), _SHOWN_OF_SERVICE
            )
            raise AgentError(f"{self.url} answered {shown!r}; expected a JSON object")
        return value
