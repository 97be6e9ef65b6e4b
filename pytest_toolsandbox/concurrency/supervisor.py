"""Starts a program and ends it with all of its descendants; a script for a process of its own.

On Linux it is the subreaper of the program (prctl(2)): descendants that leave the program's process
group or session, or that lose their parent, stay below it. They are ended when the program ends, or
when the other end of a socket is closed, also because the process of pytest was killed.

Its arguments are the number of the socket and the command. The socket first receives the length of
the program's environment and the environment, and answers with the number of the error of the start
or 0. The supervisor ends with the status of the program.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Iterator, Set as AbstractSet
from contextlib import suppress
from typing import Final

_PR_SET_CHILD_SUBREAPER: Final = 36


def main() -> None:
    """Run the command."""
    control, command = int(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(control, False)
    _take_environment(control)
    with suppress(ImportError):  # a Python without ctypes ends the process group alone
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    ending = {signal.SIGHUP, signal.SIGINT, signal.SIGTERM}
    woken = _wake_at(signal.SIGCHLD, *ending)
    ignored_by_python = signal.SIGPIPE, signal.SIGXFSZ
    try:
        # A group of its own: a program that signals its group would hit its supervisor.
        child = os.posix_spawnp(
            command[0], command, os.environ, setpgroup=0, setsigdef=ignored_by_python
        )
    except OSError as error:
        os.write(control, str(error.errno).encode())
        os._exit(127)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):  # so that the program alone decides when they are closed
        os.dup2(nowhere, stream)
    os.write(control, b"0")
    _wait(child, control, woken, ending)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    while numbers := list(_descendants()):
        for number in numbers:
            with suppress(OSError):
                os.kill(number, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(-1, 0)
    _end_with(os.waitstatus_to_exitcode(status))


def _take_environment(control: int) -> None:
    with open(control, "rb", closefd=False) as file:
        variables = file.read(int.from_bytes(file.read(8), "big")).split(b"\0")
    os.environb.clear()
    for variable in filter(None, variables):
        name, _, value = variable.partition(b"=")
        os.environb[name] = value


def _wake_at(*signals: int) -> int:
    """Return the reading end of a pipe that gets the number of each of the signals."""
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    for number in signals:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    return woken


def _wait(child: int, control: int, woken: int, ending: AbstractSet[int]) -> None:
    """Wait until the child has ended, whose number stays reserved, or until it is to be ended.

    That is when the other end of the control is closed, or when an ``ending`` signal has come.
    """
    poll = select.poll()
    poll.register(control, select.POLLIN)
    poll.register(woken, select.POLLIN)
    while not _has_ended(child):
        ready = [number for number, _ in poll.poll()]
        if control in ready or set(os.read(woken, 512)) & ending:
            return


def _has_ended(child: int) -> bool:
    """Whether the child has ended. Adopted descendants that have ended are reaped."""
    while info := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        if info.si_pid == child:
            return True
        os.waitpid(info.si_pid, 0)
    return False


def _descendants() -> Iterator[int]:
    """Yield the numbers of the processes below this one, also of those not yet reaped."""
    parents = _parents()
    for number in parents:
        above = number
        while (above := parents.get(above, 0)) > 1:
            if above == os.getpid():
                yield number
                break


def _parents() -> dict[int, int]:
    """Return the number of each process → that of its parent."""
    parents = {}
    for name in os.listdir("/proc"):  # noqa: PTH208  # pathlib would double the time of the start
        if name.isdecimal():
            with suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                # The name of a program, in parentheses, may contain anything.
                parents[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
    return parents


def _end_with(code: int) -> None:
    """End as the program has ended; a negative code is that of a signal."""
    if code < 0:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError):  # that of SIGKILL cannot be set
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()
