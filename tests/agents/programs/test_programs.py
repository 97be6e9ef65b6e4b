"""Programs as agents: what they are told, what they answer, and how they end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from programs import PANTRY, SCENES, Program, as_told, named, played, problem, script_of
from scripted_model import ScriptedModel

from pytest_toolsandbox.agents.programs import process
from pytest_toolsandbox.agents.shapes import FACTORY, shape_of
from pytest_toolsandbox.conversation.play import PlayError
from pytest_toolsandbox.text.error_text import without_folders

LOOP = """
for line in sys.stdin:
    asked = json.loads(line)
    reply = taken(json.load(open(sys.argv[1])), asked["turn"], asked["mcp"])
    print(json.dumps({"reply": reply, "usage": {"tokens": 3}}), flush=True)
"""


@pytest.mark.parametrize("name", SCENES)
def test_a_program_plays_every_protocol(name: str, program: Program, tmp_path: Path) -> None:
    model = ScriptedModel(SCENES[name])
    (tmp_path / "script.json").write_text(json.dumps(script_of(model)))
    agent = named(program(LOOP, tmp_path / "script.json"))
    assert shape_of(agent) == FACTORY
    assert as_told(played(SCENES[name], agent)) == as_told(model.reference)


def test_sixteen_programs_at_once(program: Program, tmp_path: Path) -> None:
    model = ScriptedModel(PANTRY)
    (tmp_path / "script.json").write_text(json.dumps(script_of(model)))
    agent = named(program(LOOP, tmp_path / "script.json"))
    with ThreadPoolExecutor(16) as pool:
        conversations = list(pool.map(lambda _: as_told(played(PANTRY, agent)), range(16)))
    assert conversations == [as_told(model.reference)] * 16


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("sys.exit('no key')", "ended with status 1 and without a reply: no key"),
        (
            "sys.exit('-----BEGIN ' + 'PRIVATE KEY-----\\nabc\\n\\n')",
            "ended with status 1 and without a reply: ***",
        ),
        ("print('hello', flush=True)", "wrote 'hello'; expected a JSON object in one line"),
        ("print('[1]', flush=True)", "wrote '[1]'; expected a JSON object in one line"),
        ("print('{}', flush=True)", """answered with no 'reply'; expected {"reply": "…"}"""),
        (
            """print('{"reply": 3}', flush=True)""",
            """answered with 'reply' is an int; expected {"reply": "…"}""",
        ),
        ("""print('{"error": "no route"}', flush=True)""", "reports an error: no route"),
    ],
)
def test_programs_that_give_no_reply(code: str, reason: str, program: Program) -> None:
    text = program("sys.stdin.readline()\n" + code)
    assert problem(text) == f"{without_folders(text)} {reason}"


def test_a_line_that_is_too_long(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_MAX_BYTES", 1000)
    text = program("print('x' * 5000, flush=True); sys.stdin.read()")
    assert problem(text) == f"{without_folders(text)} wrote a line of more than 1000 bytes"


def test_a_missing_program() -> None:
    assert problem("cmd:./nowhere --at all") == (
        "cmd:./nowhere --at all cannot be started: No such file or directory"
    )
    assert problem("cmd:") == "cmd: names no program; write cmd:./my-agent --with options"
    assert problem("cmd:'a b") == "cmd:'a b cannot be read as a command: No closing quotation"


TWICE = """
for line in sys.stdin:
    os.write(1, b'{"reply": "Which rice?"}\\n{"reply": "Two."}\\n')
"""
LATE = """
for number, line in enumerate(sys.stdin):
    print(json.dumps({"reply": "Which rice?"}), flush=True)
print(json.dumps({"reply": "Two."}), flush=True)
"""


@pytest.mark.parametrize("code", [TWICE, LATE])
def test_two_lines_for_one_turn_are_an_error(code: str, program: Program) -> None:
    text = program(code)
    assert problem(text) == (
        f'{without_folders(text)} wrote \'{{"reply": "Two."}}\' without a turn; '
        "expected one line a turn"
    )


def test_other_lines_at_the_end_are_no_replies(program: Program) -> None:
    code = LATE.replace('print(json.dumps({"reply": "Two."}), flush=True)', "print('bye')")
    assert played(PANTRY, named(program(code))).messages


@pytest.mark.parametrize("first", ["", "sys.stderr.write('no key'); "])
def test_a_program_that_closes_its_output_is_over(
    first: str, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_EXITING", 0.2)
    text = program(f"import time; {first}sys.stderr.flush(); os.close(1); time.sleep(600)")
    reason = ": no key" if first else ""
    assert problem(text) == (
        f"{without_folders(text)} closed its standard output without a reply{reason}"
    )


def test_only_the_end_of_stderr_is_read(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_MAX_ERRORS", 10)
    text = program("sys.exit('not the whole line')")
    assert problem(text) == f"{without_folders(text)} ended with status 1 and without a reply"
    text = program("sys.exit('many lines\\nno key')")
    assert problem(text).endswith("without a reply: no key")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has supervisors")
def test_a_program_that_ends_is_over_also_if_its_child_keeps_the_output(program: Program) -> None:
    code = "import subprocess; subprocess.Popen(['sleep', '600']); sys.exit('no key')"
    text = program(code)
    assert problem(text) == (
        f"{without_folders(text)} ended with status 1 and without a reply: no key"
    )


def test_a_reply_that_never_ends_is_bounded(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_MAX_BYTES", 1000)
    text = program("while True: os.write(1, b'x' * 65536)")
    assert problem(text) == f"{without_folders(text)} wrote a line of more than 1000 bytes"


def test_a_program_has_its_environment_and_folder_and_ends_with_its_own_status(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE", "a=b\nc \udcff")
    monkeypatch.delenv("LC_CTYPE", raising=False)
    code = (
        "import signal\n"
        f"log = open({str(tmp_path / 'log')!r}, 'w')\n"
        "log.write(ascii([os.environ['MINE'], os.getcwd()]))\n"
        "log.close(); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    text = program(code)
    assert problem(text) == f"{without_folders(text)} ended with status -9 and without a reply"
    assert (tmp_path / "log").read_text() == ascii(["a=b\nc \udcff", str(Path.cwd())])


def is_alive(number: int) -> bool:
    """Whether a process runs: one that nobody has buried yet does not."""
    try:
        os.kill(number, 0)
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # buried meanwhile, or a system without such files
        return not Path("/proc/self/stat").exists()


def wait_until_gone(numbers: Sequence[int]) -> None:
    end = time.monotonic() + 60
    while any(map(is_alive, numbers)) and time.monotonic() < end:
        time.sleep(0.05)  # a signal takes its time
    assert not any(map(is_alive, numbers))


@pytest.mark.parametrize("how", ["it is told to", "in a turn", "its child, too"])
def test_no_process_is_left_behind(how: str, program: Program, tmp_path: Path) -> None:
    """Not one that ignores the end of its input, nor one that is broken off, nor their children."""
    code = (
        "import signal, subprocess\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        f"child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(tmp_path / 'pids')!r}, 'a').write(f'{{os.getpid()}} {{child.pid}} ')\n"
        "asked = json.loads(sys.stdin.readline())\n"
        f"while {how == 'in a turn'}: call(asked['mcp'], 'list_items', {{}})\n"
        """print('{"reply": "Done."}', flush=True)\n"""
        f"if {how == 'it is told to'}: import time; time.sleep(600)\n"
    )
    trajectory = played(replace(PANTRY, max_messages=8), named(program(code)))
    assert len(trajectory.calls) == (4 if how == "in a turn" else 0)
    wait_until_gone([int(number) for number in (tmp_path / "pids").read_text().split()])


DAEMON = """
import subprocess, time

def start_daemon(log):
    \"\"\"Start a process that has left its parent, session and process group.\"\"\"
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            open(log, "w").write(str(os.getpid()))
            for number in range(3):
                os.close(number)
            time.sleep(600)
        os._exit(0)
    os.wait()
    while not (os.path.exists(log) and open(log).read()):
        time.sleep(0.01)

start_daemon(sys.argv[1])
"""
linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has subreapers")


@linux
@pytest.mark.parametrize("end", ["", "sys.exit()\n", "os.kill(os.getpid(), 9)\n"])
def test_descendants_are_ended_wherever_they_are(
    end: str, program: Program, tmp_path: Path
) -> None:
    loop = "for line in sys.stdin: print(json.dumps({'reply': 'Which rice?'}), flush=True)\n"
    text = program(DAEMON + end + loop, tmp_path / "pid")
    with nullcontext() if not end else pytest.raises(PlayError):
        played(PANTRY, named(text))
    wait_until_gone([int((tmp_path / "pid").read_text())])


RUN = """
import asyncio, os, sys
from pytest_toolsandbox.agents.programs.process import Process

async def run():
    process = await Process("it").start(sys.argv[1:])
    await process.read()
    os.kill(os.getpid(), 9)

asyncio.run(run())
"""


@linux
def test_nothing_is_left_of_a_run_that_is_killed(program: Program, tmp_path: Path) -> None:
    code = DAEMON + "print('{}', flush=True)\nwhile True: time.sleep(600)\n"
    words = program(code, tmp_path / "pid").removeprefix("cmd:").split()
    run = subprocess.run([sys.executable, "-c", RUN, *words], check=False)
    assert run.returncode == -9
    wait_until_gone([int((tmp_path / "pid").read_text())])
