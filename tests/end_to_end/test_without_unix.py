"""What Windows lacks is not needed: modules and functions of Unix are taken away."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from warm import COLD

ROOT = Path(__file__).parents[2]
SCENARIO = ROOT / "scenarios/phone/single_tool_call/text_the_gate_code.scenario.yaml"
TAKEN_AWAY = """
import asyncio, multiprocessing, os, signal, subprocess, sys, tempfile
import filelock  # which has another lock on Windows

for module in ("fcntl", "grp", "pty", "pwd", "readline", "resource", "termios", "tty"):
    sys.modules[module] = None
for name in ("fork", "getuid", "getpgid", "killpg", "mkfifo", "pread", "pwrite",
             "sched_getaffinity", "setsid", "uname"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGALRM", "SIGHUP", "SIGKILL", "alarm", "pthread_kill", "pthread_sigmask",
             "setitimer", "getitimer"):
    if hasattr(signal, name):
        delattr(signal, name)
"""
IMPORTS = """
import importlib, pathlib, pytest_toolsandbox

folder = pathlib.Path(pytest_toolsandbox.__file__).parent
for file in sorted(folder.rglob("*.py")):
    names = file.relative_to(folder).with_suffix("").parts
    if not {"frameworks", "template", "scenarios", "__main__"} & {*names}:
        importlib.import_module(".".join(("pytest_toolsandbox", *names)).removesuffix(".__init__"))
"""
RUN = f"""
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "--agent=own:agent", {str(SCENARIO)!r},
                      "--sandbox-results=results.jsonl", "--sandbox-max-cost=1"]))
"""
AGENT = """
def agent(messages, tools):
    return "I cannot do that."
"""


@pytest.mark.parametrize(("program", "status"), [(IMPORTS, 0), (RUN, 1)], ids=["imports", "run"])
def test_nothing_needs_what_windows_lacks(tmp_path: Path, program: str, status: int) -> None:
    tmp_path.joinpath("own.py").write_text(AGENT, encoding="utf-8")
    done = subprocess.run(
        [COLD, "-c", TAKEN_AWAY + program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stdout + done.stderr
    if program == RUN:
        assert "1 failed" in done.stdout
        assert tmp_path.joinpath("results.jsonl").read_bytes().count(b"\n") == 1
