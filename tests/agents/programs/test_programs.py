"""Programs as agents: what they are told, what they answer, and how they end."""

from __future__ import annotations

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from programs import PANTRY, SCENES, Program, as_told, named, played, problem, script_of
from scripted_model import ScriptedModel

from pytest_toolsandbox.agents.programs import process
from pytest_toolsandbox.agents.shapes import FACTORY, shape_of
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
        found = list(pool.map(lambda _: as_told(played(PANTRY, agent)), range(16)))
    assert found == [as_told(model.reference)] * 16


@pytest.mark.parametrize(
    ("code", "told"),
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
def test_programs_that_give_no_reply(code: str, told: str, program: Program) -> None:
    text = program("sys.stdin.readline()\n" + code)
    assert problem(text) == f"{without_folders(text)} {told}"


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


def is_alive(number: int) -> bool:
    """Whether a process runs: one that nobody has buried yet does not."""
    try:
        os.kill(number, 0)
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # buried meanwhile, or a system without such files
        return not Path("/proc/self/stat").exists()


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
    numbers = [int(one) for one in (tmp_path / "pids").read_text().split()]
    end = time.monotonic() + 60
    while any(map(is_alive, numbers)) and time.monotonic() < end:
        time.sleep(0.05)  # a signal takes its time
    assert not any(map(is_alive, numbers))
