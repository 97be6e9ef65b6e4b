"""Starts processes that end with all of their descendants, also when this process is killed.

On Linux, ``supervisor.py`` runs between this process and the program. Elsewhere the program's
process group is killed, and at the end of Python the programs that still run.
"""

from __future__ import annotations

import atexit
import errno
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Final, cast

IS_SUPERVISED: Final = sys.platform == "linux" and bool(sys.executable)
_SUPERVISOR: Final = str(Path(__file__).with_name("supervisor.py"))
_KILLING: Final = 10.0
"""Seconds for killed processes to be gone, after which those that cannot be killed are left."""
_ANSWER_SIZE: Final = 16
"""The most bytes of the error number with which a supervisor answers."""


def supervised_command(number: int, command: Sequence[str]) -> list[str]:
    """Return the command that runs ``command`` below a supervisor with the socket ``number``.

    The supervisor needs the environment of Python; the program's own comes over the socket.
    """
    return [sys.executable, "-IS", _SUPERVISOR, str(number), *command]


def environment_message(environment: Mapping[str, str] | None) -> bytes:
    """Return what a supervisor first reads: the environment of its program."""
    pairs = (os.environ if environment is None else environment).items()
    text = b"\0".join(os.fsencode(f"{name}={value}") for name, value in pairs)
    return len(text).to_bytes(8, "big") + text


def raise_start_error(answer: bytes) -> None:
    """Raise ``OSError`` if a supervisor answers that its program could not be started."""
    if number := int(answer or errno.ECHILD):
        raise OSError(number, os.strerror(number))


class SupervisedProcess:
    """A program with pipes for its input, output and errors, in a session of its own."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], cwd: Path | None = None
    ) -> None:
        """Start the program. Raises ``OSError`` if that fails."""
        self._control: socket.socket | None = None
        if IS_SUPERVISED:
            self._popen = self._start_supervised(command, environment, cwd)
        else:
            self._popen = _started(command, cwd, environment)
            _running(os.getpid()).add(self)
        self.stdin, self.stdout, self.stderr = (
            cast("IO[bytes]", pipe)
            for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr)
        )

    def _start_supervised(
        self, command: Sequence[str], environment: Mapping[str, str], cwd: Path | None
    ) -> subprocess.Popen[bytes]:
        self._control, theirs = socket.socketpair()
        with theirs:
            popen = _started(
                supervised_command(theirs.fileno(), command), cwd, None, [theirs.fileno()]
            )
        try:
            self._control.sendall(environment_message(environment))
            raise_start_error(self._control.recv(_ANSWER_SIZE))
        except BaseException:
            self._control.close()  # upon which the supervisor ends
            for pipe in (popen.stdin, popen.stdout, popen.stderr):
                cast("IO[bytes]", pipe).close()
            popen.wait()
            raise
        return popen

    def status(self, seconds: float) -> int | None:
        """Return the exit status, ``None`` if the program still runs after ``seconds``."""
        try:
            return self._popen.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        """Kill the program and its descendants, also if the program has ended by itself."""
        if self._control is not None:
            with suppress(OSError):  # it has ended
                self._control.shutdown(socket.SHUT_RDWR)
        elif hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._popen.pid, signal.SIGKILL)
        else:
            self._popen.kill()

    def end(self, grace: float) -> None:
        """Close the input, and kill what has not ended after ``grace`` seconds."""
        with suppress(OSError):  # such as a BrokenPipeError
            self.stdin.close()
        if grace:
            self.status(grace)
        self.kill()
        self.status(_KILLING)
        _running(os.getpid()).discard(self)
        if self._control is not None:
            self._control.close()


def _started(
    words: Sequence[str],
    cwd: Path | None,
    environment: Mapping[str, str] | None,
    files: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen(  # noqa: S603  # the command is the user's
        words,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        cwd=cwd,
        env=environment,
        start_new_session=True,
        pass_fds=files,
        bufsize=0,
    )


@cache
def _running(process: int) -> set[SupervisedProcess]:
    """Return the programs of a process that has no supervisors, which ends them at its end."""
    running: set[SupervisedProcess] = set()

    def kill_all() -> None:
        if os.getpid() == process:
            for program in [*running]:
                program.kill()

    atexit.register(kill_all)
    return running
