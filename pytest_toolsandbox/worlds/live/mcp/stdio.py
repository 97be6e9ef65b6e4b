"""MCP servers over stdio: a program for each client, which reads and writes lines of JSON-RPC."""

from __future__ import annotations

import io
import json
import os
import queue
import select
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, cast

from pytest_toolsandbox.concurrency.supervised import SupervisedProcess
from pytest_toolsandbox.text.formatting import one_line
from pytest_toolsandbox.text.redaction import redacted

from .channel import MAX_BYTES, ChannelError, Incoming, Message, seconds_until

_MOST_LINES, _LONGEST_LINE = 20, 4096
"""The lines at the end of stderr that are kept, and the bytes of each."""
_SHOWN_LINES, _SHOWN = 3, 300
"""The lines of stderr that an error shows, and their characters."""
_EXITING: Final = 2.0
"""Seconds for a server to exit after its output has ended, and for its last errors to be read."""


class StdioChannel:
    """A server that is a program, started for this channel.

    Two threads read its output and its errors, so that it never waits for a full pipe.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        name: str,
        cwd: Path | None = None,
        at_end: Callable[[], object] = lambda: None,
    ) -> None:
        """Start the program; ``at_end`` is called after it has ended.

        Raises :class:`ChannelError` if it cannot be started.
        """
        try:
            self._process = SupervisedProcess(command, environment, cwd)
        except OSError as error:
            at_end()
            text = f"cannot be started: {command[0]}: {error.strerror}"
            raise ChannelError(text) from error
        self._at_end = at_end
        self._incoming = Incoming(name)
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._waiting: deque[Message] = deque()
        self._errors: deque[str] = deque(maxlen=_MOST_LINES)
        if hasattr(os, "set_blocking") and hasattr(select, "poll"):
            os.set_blocking(self._process.stdin.fileno(), False)
        self._readers = [self._read_in_thread(work) for work in (self._read, self._drain)]

    def _read_in_thread(self, work: Any) -> threading.Thread:
        thread = threading.Thread(target=work, daemon=True, name="MCP server")
        thread.start()
        return thread

    def _read(self) -> None:
        pipe = cast("io.RawIOBase", self._process.stdout)
        with io.BufferedReader(pipe) as stdout, suppress(OSError, ValueError):
            while line := stdout.readline(MAX_BYTES):
                self._lines.put(line)
        self._lines.put(None)

    def _drain(self) -> None:
        pipe = cast("io.RawIOBase", self._process.stderr)
        with io.BufferedReader(pipe) as stderr, suppress(OSError, ValueError):
            is_start = True
            while piece := stderr.readline(_LONGEST_LINE):
                # Of a longer line only the start is kept: the rest may begin inside a secret.
                if is_start and (text := piece.decode(errors="replace").strip()):
                    self._errors.append(redacted(text))
                is_start = piece.endswith(b"\n")

    def send(self, message: Message, deadline: float) -> None:
        """Write a message. Raises :class:`ChannelError`, ``TimeoutError``."""
        data = json.dumps(message).encode() + b"\n"
        try:
            self._write(data, deadline)
        except (OSError, ValueError) as error:  # a ValueError if the pipe is closed
            if isinstance(error, TimeoutError):
                raise
            raise self._ended() from None

    def _write(self, data: bytes, deadline: float) -> None:
        stdin, view = self._process.stdin, memoryview(data)
        while view:
            if hasattr(select, "poll"):
                poll = select.poll()
                poll.register(stdin.fileno(), select.POLLOUT)
                if not poll.poll(seconds_until(deadline) * 1000):
                    raise TimeoutError
            with suppress(BlockingIOError):
                view = view[os.write(stdin.fileno(), view) :]

    def receive(self, deadline: float) -> Message:
        """Return the next message. Raises :class:`ChannelError`, ``TimeoutError``."""
        while not self._waiting:
            try:
                line = self._lines.get(timeout=seconds_until(deadline))
            except queue.Empty:
                raise TimeoutError from None
            if line is None:
                self._lines.put(None)  # for the next call
                raise self._ended()
            if len(line) >= MAX_BYTES:
                raise ChannelError(f"wrote a line of more than {MAX_BYTES >> 20} MiB")
            self._waiting.extend(self._incoming.messages(line))
        return self._waiting.popleft()

    def _ended(self) -> ChannelError:
        status = self._process.status(_EXITING)
        if status is None:
            end = "closed its standard output"
        else:
            self._readers[1].join(_EXITING)
            end = f"ended with status {status}"
        return ChannelError(end + self.last_errors)

    @property
    def last_errors(self) -> str:
        """The last lines that the server wrote to stderr, as a clause that follows another."""
        lines = list(self._errors)[-_SHOWN_LINES:]
        return f"; its last lines of stderr: {one_line(' | '.join(lines), _SHOWN)}" if lines else ""

    @property
    def remark(self) -> str:
        """What is wrong with the output of the server; an empty text if nothing is."""
        return self._incoming.remark

    def close(self, grace: float) -> None:
        """Close the server's input, and kill it and its children after ``grace`` seconds."""
        self._process.end(grace)
        for reader in self._readers:
            reader.join(_EXITING)
        self._at_end()

    def forget_errors(self) -> None:
        """Forget what the server has written to stderr: another conversation begins."""
        self._errors.clear()
