"""The warm Python of the tests does what Python does."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from warm import COLD, POSSIBLE

import pytest_toolsandbox

WHERE = "import os, sys; print(sys.argv, os.getcwd(), os.environ['PLACE'], input())"

pytestmark = pytest.mark.usefixtures("warm")


@pytest.mark.skipif(not POSSIBLE, reason="needs fork and pidfd_open")
def test_it_has_imported_what_runs_need() -> None:
    program = (
        "import sys; print({'pytest_toolsandbox.plugin.playing.items', 'numpy'} <= {*sys.modules})"
    )
    assert sys.executable != COLD
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "True\n"


def test_it_has_the_package_that_is_tested() -> None:
    program = "import pytest_toolsandbox; print(pytest_toolsandbox.__file__)"
    output = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert output == f"{pytest_toolsandbox.__file__}\n"


def test_folder_environment_arguments_and_streams_are_those_of_the_program(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WHERE, "one", "two words"],
        cwd=tmp_path,
        env={"PLACE": "here"},
        input="typed\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"['-c', 'one', 'two words'] {tmp_path} here typed\n"


@pytest.mark.parametrize(
    ("program", "status"),
    [
        ("", 0),
        ("import sys; sys.exit(3)", 3),
        ("import sys; sys.exit()", 0),
        ("raise KeyboardInterrupt", -signal.SIGINT),
        ("import os; os._exit(4)", 4),
        ("1 / 0", 1),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
    ],
)
def test_it_ends_as_the_program_ends(program: str, status: int) -> None:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == status
    assert (b"ZeroDivisionError" in done.stderr) == (program == "1 / 0")


def test_who_is_killed_leaves_no_program() -> None:
    program = "import os, sys, time; print(os.getpid(), flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as started:
        assert started.stdout is not None
        assert int(started.stdout.readline())
        started.kill()
        assert started.stdout.read() == b""  # it ends when nobody has the pipe open


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("is_ignored", [False, True])
def test_a_program_is_signalled_as_python_is(sent: signal.Signals, *, is_ignored: bool) -> None:
    program = "import time; print(flush=True); time.sleep(60 * (not {ignored})); print('the end')"
    before = signal.signal(sent, signal.SIG_IGN if is_ignored else signal.SIG_DFL)
    try:
        command = [sys.executable, "-c", program.format(ignored=is_ignored)]
        running = subprocess.Popen(  # without a buffer, which might take the second line, too
            command, bufsize=0, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    finally:
        signal.signal(sent, before)
    with running:
        assert running.stdout is not None
        running.stdout.readline()
        running.send_signal(sent)
        output, errors = running.communicate()
    assert running.returncode == (0 if is_ignored else -sent)
    assert output == (b"the end\n" if is_ignored else b"")
    assert (b"KeyboardInterrupt" in errors) == (sent == signal.SIGINT and not is_ignored)


def test_a_module_is_run_as_python_does(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import sys; print(__name__, sys.argv[1:])")
    command = [sys.executable, "-m", "mine", "-x"]
    assert subprocess.check_output(command, cwd=tmp_path, text=True) == "__main__ ['-x']\n"


@pytest.mark.skipif(not POSSIBLE, reason="needs fork and pidfd_open")
def test_what_a_program_starts_is_warm_too() -> None:
    program = "import sys; print(sys.executable)"
    output = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert output == f"{sys.executable}\n"


def test_at_its_end_a_program_runs_what_is_registered_and_tells_what_it_leaves_behind() -> None:
    program = (
        "import atexit, sys, threading, time\n"
        "class Left:\n"
        "    def __init__(self): self.itself = self\n"
        "    def __del__(self): print('left')\n"
        "Left()\n"
        "atexit.register(print, 'registered')\n"
        "threading.Thread(target=lambda: (time.sleep(0.01), print('thread'))).start()\n"
        "sys.exit('wrong')\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (1, b"wrong\n")
    assert ran.stdout.split() == [b"thread", b"registered", b"left"]
