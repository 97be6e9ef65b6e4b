"""A Python that has imported what runs of pytest need, for tests with a process of their own.

To start Python, pytest and the package takes a second or more of a processor, and ten times as long
as what most of these tests do then. A server imports all of it once, and forks for each program
that is to run. What is started in the place of Python hands over its arguments, folder, environment
and streams, passes Ctrl-C and SIGTERM on, and ends as the program ends. Where that cannot be,
Python is started as always.

Tests that look at what is imported and when, or at a terminal, start ``COLD``.
"""

from __future__ import annotations

import ast
import atexit
import gc
import importlib.util
import io
import os
import pkgutil
import runpy
import select
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import Any

PACKAGE = "pytest_toolsandbox"
COLD = sys.executable
POSSIBLE = hasattr(os, "pidfd_open") and hasattr(socket, "recv_fds")

CLIENT = """#!{python} -IS
import os, signal, socket, sys

arguments = [one for one in sys.argv[1:3] if one in ("-u", "-B")]
if sys.argv[1 + len(arguments)][:2] not in ("-c", "-m"):
    os.execv({python!r}, [{python!r}, *sys.argv[1:]])
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    ignored = [n for n in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(n) == signal.SIG_IGN]
    program = sys.argv[1 + len(arguments):]
    request = repr((program, os.getcwd(), dict(os.environb), list(map(int, ignored)))).encode()
    socket.send_fds(server, [len(request).to_bytes(8, "big")], [0, 1, 2])
    server.sendall(request)
    answer = server.makefile("rb")
    process = int(answer.readline())
    for number in {{signal.SIGINT, signal.SIGTERM}}.difference(ignored):
        signal.signal(number, lambda number, _: os.kill(process, number))
    status = int(answer.readline() or b"1")
if status < 0:
    signal.signal(-status, signal.SIG_DFL) if -status != signal.SIGKILL else None
    os.kill(os.getpid(), -status)
os._exit(status)
"""
"""What is started in the place of Python, on which ``-u`` and ``-B`` make no difference."""

CLIENT_NAME = "python"

FURTHER = (
    *("filelock", "jinja2", "jsonschema", "numpy", "regex", "scipy.optimize"),
    *("xdist.dsession", "xdist.remote", "xdist.workermanage"),
)
"""What the package imports where it is needed, and pytest-xdist."""
OF_MODELS = ("httpx", "litellm", "litellm.main")
"""What takes seconds, and is not always installed."""


@contextmanager
def warm_python(*, with_models: bool) -> Iterator[str]:
    """Give the path of what is started in the place of ``sys.executable``.

    To import what talks to models as well pays off for many tests.
    """
    if not POSSIBLE:
        yield sys.executable
        return
    with tempfile.TemporaryDirectory() as name:
        address, client = Path(name, "socket"), Path(name, CLIENT_NAME)
        client.write_text(CLIENT.format(python=sys.executable, address=str(address)))
        client.chmod(client.stat().st_mode | stat.S_IXUSR)
        with _server(address, OF_MODELS if with_models else ()) as server:
            yield str(client)
            server.communicate()  # ends its standard input, and so the server


def _server(address: Path, further: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start what is asked at an address: at once, and it answers when all is imported."""
    spec = importlib.util.find_spec(PACKAGE)
    assert spec is not None
    ours = str(Path(str(spec.origin)).parents[1])
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(address))
        listener.listen(64)
        number = listener.fileno()
        command = [sys.executable, __file__, str(address), str(number), ours, *further]
        return subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[number])


def import_package() -> None:
    """Import all modules of the package."""
    package = importlib.import_module(PACKAGE)
    parts = (
        module.name for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    )
    ours = (part for part in parts if "__main__" not in part)
    for name in ours:
        importlib.import_module(name)


def import_models(names: Sequence[str]) -> None:
    """Import what talks to models, as the package does; what it is told here no child inherits."""
    os.environ.update(LITELLM_LOCAL_MODEL_COST_MAP="True", LITELLM_MODE="PRODUCTION")
    with suppress(ModuleNotFoundError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            importlib.import_module(name)


def serve(number: int) -> list[str]:
    """Listen until standard input ends. Only a child returns, with what it is to run."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # those who wait for children are buried
    with socket.socket(fileno=number) as listener:
        while True:
            ready, _, _ = select.select([listener.fileno(), 0], [], [])
            if 0 in ready:
                os._exit(0)
            connection, _ = listener.accept()
            if os.fork() == 0:
                break
            connection.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    return _program(connection)


def _program(connection: socket.socket) -> list[str]:
    """Return the request in a child; wait for the child, and say how it ended."""
    size, streams, *_ = socket.recv_fds(connection, 8, 3)
    with connection.makefile("rb") as file:
        arguments, folder, environment, ignored = ast.literal_eval(
            file.read(int.from_bytes(size, "big")).decode()
        )
    child = os.fork()
    if child == 0:
        connection.close()
        _handle_signals(ignored)
        _be_in(folder, environment, streams)
        return list(arguments)
    connection.sendall(f"{child}\n".encode())
    for stream in (0, 1, 2, *streams):
        os.close(stream)
    ended = os.pidfd_open(child)
    ready, _, _ = select.select([ended, connection.fileno()], [], [])
    if ended not in ready:  # who asked was killed
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if ended in ready:
        connection.sendall(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _handle_signals(ignored: Collection[int]) -> None:
    """Handle signals as Python does where it is started by who asked."""
    usual: dict[int, Any] = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
    }
    for number, handler in usual.items():
        signal.signal(number, signal.SIG_IGN if number in ignored else handler)


def _be_in(folder: str, environment: dict[bytes, bytes], streams: Sequence[int]) -> None:
    """Take the folder, the environment and the streams of who asked."""
    own_path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.chdir(folder)
    os.environb.clear()
    os.environb.update(environment)
    time.tzset()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    _take_streams()
    asker_path = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:] = [*asker_path, *(path for path in sys.path[1:] if path not in own_path)]


_STREAMS = (
    ("stdin", "r", "strict"),
    ("stdout", "w", "strict"),
    ("stderr", "w", "backslashreplace"),
)


def _take_streams() -> None:
    """Read and write where the file numbers 0, 1 and 2 lead now."""
    encoding = os.environ.get("PYTHONIOENCODING", "utf-8")
    streams = {
        name: open(  # noqa: SIM115  # until the end
            number, mode, closefd=False, encoding=encoding, errors=errors
        )
        for number, (name, mode, errors) in enumerate(_STREAMS)
    }
    vars(sys).update(streams | {f"__{name}__": stream for name, stream in streams.items()})


def run(arguments: Sequence[str]) -> None:
    """Run ``-c`` and a program, or ``-m`` and a module, each in one argument or two."""
    how, what, *rest = (arguments[0][:2], *filter(None, [arguments[0][2:]]), *arguments[1:])
    sys.path.insert(0, "" if how == "-c" else str(Path.cwd()))
    sys.argv = ["-c" if how == "-c" else what, *rest]
    if how == "-c":
        exec(what, {"__name__": "__main__"})
    else:
        runpy.run_module(what, run_name="__main__", alter_sys=True)


STATUS: list[int] = []
"""How a program ended, where that is known."""


def _leave() -> None:
    """End at once, where Python would tidy up all that was imported: most of a second."""
    gc.collect()  # what the program has left behind may have something to say
    if STATUS:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(STATUS[0])


def _ending(code: object) -> int:
    """Return the status with which Python ends after ``sys.exit(code)``."""
    return 0 if code is None else code & 0xFF if isinstance(code, int) else 1


def main() -> None:
    """Import as pytest does, wait for a program to run, and run it."""
    atexit.register(_leave)  # before all others, and so after all others
    import pytest

    _, address, number, ours, *of_models = sys.argv
    sys.path.insert(0, ours)  # the package that is tested, wherever another one is installed
    with tempfile.TemporaryDirectory() as empty, redirect_stdout(io.StringIO()):
        pytest.main(["-p", "no:cacheprovider", "--rootdir", empty, empty])
    import_package()
    for name in FURTHER:
        importlib.import_module(name)
    import_models(of_models)
    sys.path.remove(ours)
    gc.collect()
    gc.freeze()  # so that no child looks through all of it
    arguments = serve(int(number))
    sys.executable = str(Path(address).with_name(CLIENT_NAME))  # for workers of pytest-xdist
    try:
        run(arguments)
        STATUS.append(0)
    except SystemExit as ended:
        STATUS.append(_ending(ended.code))
        raise
    except Exception:
        STATUS.append(1)
        raise


if __name__ == "__main__":
    main()
