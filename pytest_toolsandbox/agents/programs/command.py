"""A program of any language: a line of JSON in for each turn, a line out (``cmd:``).

A process that writes lines of JSON, and reads them, while a conversation lasts.

A service that is asked for each turn by POST (``http://…``).
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
from typing import Any, Final, Self
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from pytest_toolsandbox.agents.toolbox import Toolbox
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.text.formatting import type_name
from pytest_toolsandbox.text.redaction import redacted_line

"""What a program is told and says, as it is, at the level DEBUG."""
LONGEST: Final = 16 * 1024 * 1024
"""Bytes of the longest line that is read."""
GRACE: Final = 1.0
"""Seconds that a process has to end by itself when nothing more is said to it."""
_PROCESS_SHOWN: Final = 300
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
            shown = redacted_line(line.decode(errors="replace"), _PROCESS_SHOWN)
            raise AgentError(f"{self.name} wrote {shown!r}; expected a JSON object in one line")
        return value

    async def ended(self) -> AgentError:
        """Return the error that its end is, with the last line of its errors."""
        assert self._process is not None
        status = await self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").split("\n")
        last = next((line for line in reversed(lines) if line.strip()), "")
        said = f": {redacted_line(last, _PROCESS_SHOWN)}" if last else ""
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


@dataclass(frozen=True)
class Command:
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
        """Write a line, and return the reply that the next line has."""
        await self.process.tell(json.dumps(turn_to_tell(message, toolbox)))
        answer = await self.process.hear()
        if answer is None:
            raise await self.process.ended()
        return reply_in(answer, self.name, toolbox)


def turn_to_tell(message: str, toolbox: Toolbox) -> dict[str, Any]:
    """Return what a program or a service is told of a turn."""
    return {
        "turn": message,
        "mcp": toolbox.mcp_url,
        "tools": toolbox.schemas,
        "prompt": toolbox.prompt,
    }


def reply_in(answer: Mapping[str, Any], name: str, toolbox: Toolbox) -> str:
    """Return the text for the user. Raises :class:`AgentError` where there is none."""
    toolbox.count_usage(answer.get("usage"), answer.get("model"))
    if "error" in answer and "reply" not in answer:
        raise AgentError(f"{name} reports an error: {answer['error']}")
    reply = answer.get("reply")
    if not isinstance(reply, str):
        found = f"'reply' is {type_name(reply)}" if "reply" in answer else "no 'reply'"
        raise AgentError(f'{name} answered with {found}; expected {{"reply": "…"}}')
    return reply


_log: Final = logging.getLogger(__name__)
"""What a service is sent and answers, as it is, at the level DEBUG."""
_SHOWN = 200


@dataclass(frozen=True)
class Service:
    """Talks to one service in every conversation."""

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
        asked = {"conversation": self.identifier, **turn_to_tell(message, toolbox)}
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        text = json.dumps(asked)
        _log.debug("POST %s", text)
        request = Request(self.url, text.encode(), headers)  # noqa: S310  # http alone
        return reply_in(self._answered(request), self.url, toolbox)

    def _answered(self, request: Request) -> dict[str, Any]:
        body = b""
        try:
            with urlopen(request) as response:  # noqa: S310  # http alone
                body = response.read(LONGEST)
                _log.debug("%s %s", response.status, body.decode(errors="replace"))
        except HTTPError as error:
            with suppress(OSError, HTTPException):
                body = error.read(_SHOWN)
            _log.debug("%s %s", error.code, body.decode(errors="replace"))
            said = redacted_line(body.decode(errors="replace"), _SHOWN)
            raise AgentError(f"{self.url} answered with status {error.code}: {said}") from error
        except (OSError, HTTPException) as error:
            raise AgentError(f"{self.url} cannot be reached: {error}") from error
        try:
            value = json.loads(body)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            shown = redacted_line(body[:_SHOWN].decode(errors="replace"), _SHOWN)
            raise AgentError(f"{self.url} answered {shown!r}; expected a JSON object")
        return value
