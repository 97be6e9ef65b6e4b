"""Where an agent of the user's own raised: what pytest's options show of it."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from desk import Suite, section

import pytest_toolsandbox

MINE = """
def agent(messages, tools):
    question = messages[-1]["content"]
    return answer(question)


def answer(question):
    number = len(question)
    raise LookupError(f"no answer of {number}") from KeyError("cause")


async def asynchronous(messages, tools):
    return agent(messages, tools)


def leaves(messages, tools):
    import pytest

    pytest.exit("enough")
"""
LINE = "the agent raised LookupError: no answer of 18 (mine.py:9)"
PAGE = f"{LINE}\n\nconversation so far\n  [ 1] user -> agent         Turn on the light."


@pytest.fixture
def mine(light: Suite) -> Suite:
    light.write("mine.py", MINE)
    return light


@pytest.mark.parametrize("options", [(), ("-n1",)])
def test_by_default_a_line_tells_type_text_and_place(mine: Suite, options: tuple[str, ...]) -> None:
    result = mine.run("--agent=mine:agent", *options)
    result.assert_outcomes(errors=1)
    assert section(result, "ERROR at conversation of light").endswith(PAGE)
    result.stdout.fnmatch_lines(["ERROR the agent raised LookupErr* - light.scenario.yaml::light"])


LONG = ["    def answer(question):", ">       raise LookupError(*"]
SHORT = ["mine.py:9: in answer", "    raise LookupError(*"]
NATIVE = ['  File "*mine.py", line 9, in answer', "LookupError: no answer of 18"]


@pytest.mark.parametrize(
    ("agent", "options", "lines"),
    [
        ("agent", ["--full-trace"], LONG),
        ("asynchronous", ["--tb=long"], LONG),
        ("agent", ["--tb=short"], SHORT),
        ("asynchronous", ["--tb=short", "-n1"], SHORT),
        ("agent", ["--tb=native"], NATIVE),
        ("agent", ["--showlocals"], [">       raise LookupError(*", "number     = 18"]),
    ],
)
def test_options_lead_into_the_users_file(
    mine: Suite, agent: str, options: list[str], lines: list[str]
) -> None:
    result = mine.run(f"--agent=mine:{agent}", *options)
    result.assert_outcomes(errors=1)
    shown = section(result, "ERROR at conversation of light")
    result.stdout.fnmatch_lines(lines)
    result.stdout.fnmatch_lines(["*KeyError: 'cause'", "*LookupError: no answer of 18*", LINE])
    assert "pytest_toolsandbox" not in shown
    assert "_pytest" not in shown


def test_a_folder_whose_name_begins_as_ours_is_the_users(
    mine: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = f"{Path(pytest_toolsandbox.__file__).parent}_anthropic"
    code = compile(MINE, f"{folder}/named.py", "exec")
    named = ModuleType("named_as_ours")
    exec(code, vars(named))  # the name of its file is what counts
    monkeypatch.setitem(sys.modules, "named_as_ours", named)
    shown = section(
        mine.run("--agent=named_as_ours:agent", "--tb=short"), "ERROR at conversation of light"
    )
    assert f"{folder}/named.py:9: in answer" in shown


def test_tb_line_is_one_line(mine: Suite) -> None:
    result = mine.run("--agent=mine:agent", "--tb=line")
    assert section(result, "ERROR at conversation of light") == LINE
    lines = mine.run("--agent=counterexample", "--tb=line").outlines
    start = next(i for i, line in enumerate(lines) if "= FAILURES =" in line)
    assert lines[start + 1].startswith(
        f"{mine.path / 'light.scenario.yaml'}:2: missed user_told (1 of 2"
    )
    assert "= toolsandbox =" in lines[start + 2]


def test_tb_no_is_nothing(mine: Suite) -> None:
    for agent in ("mine:agent", "counterexample"):
        result = mine.run(f"--agent={agent}", "--tb=no")
        result.stdout.no_fnmatch_line("conversation*")
        result.stdout.fnmatch_lines(["*= short test summary info =*"])


def test_where_nothing_of_the_users_raised_there_is_the_page(light: Suite) -> None:
    light.conftest("@pytest.fixture\ndef agent(): return lambda messages, tools: 7")
    page = section(light.run("--tb=long"), "ERROR at conversation of light")
    assert page.startswith("the agent returned 7 (int); expected text or an assistant message")
    light.conftest("")
    page = section(light.run("--agent=counterexample", "--showlocals"), "light")
    assert page.startswith("missed user_told")


DEBUGGER = """
class Debugger:
    def __init__(self, **options): pass
    def reset(self): pass
    quitting = False

    def interaction(self, frame, found):
        traceback = getattr(found, "__traceback__", found)  # from Python 3.13 on an exception
        while traceback.tb_next:
            traceback = traceback.tb_next
        print("stopped in", traceback.tb_frame.f_code.co_name)

    def set_trace(self, *args, **options): pass


def pytest_exception_interact(node, call, report):
    print("interact", repr(call.excinfo.value))
"""


@pytest.mark.parametrize("agent", ["agent", "asynchronous"])
def test_pdb_stops_in_the_users_frame(mine: Suite, agent: str) -> None:
    mine.conftest(DEBUGGER)
    mine.write("debugger.py", DEBUGGER)
    result = mine.run(f"--agent=mine:{agent}", "--pdb", "--pdbcls=debugger:Debugger", "-s")
    result.stdout.fnmatch_lines(["stopped in answer"])
    result.stdout.fnmatch_lines(["interact LookupError('no answer of 18')"])


def test_pytest_exit_in_an_agent_ends_the_run(mine: Suite) -> None:
    result = mine.run("--agent=mine:leaves")
    result.stdout.fnmatch_lines(["*Exit: enough*"])
    assert result.ret == pytest.ExitCode.INTERRUPTED


def test_a_defect_of_ours_is_a_line_unless_the_trace_is_asked_for(
    mine: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_toolsandbox.scoring.judging.judge", None)
    page = section(mine.run("--agent=oracle"), "ERROR at conversation of light")
    assert page.startswith("TypeError: 'NoneType' object is not callable (")
    assert "): a defect of pytest-toolsandbox, please report it\n" in page
    shown = section(mine.run("--agent=oracle", "--full-trace"), "ERROR at conversation of light")
    assert ">               return judge(scenario, trajectory)" in shown.splitlines()
