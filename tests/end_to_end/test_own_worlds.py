"""A world of the user's own that is wrong: an error of the item, and a finding of ``check``."""

from __future__ import annotations

import json

import pytest
from desk import LIGHT, Suite, section

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.matchers import registry

BROKEN = """
@tool("desk")
async def read_lamp(context: Context, place: str) -> bool:
    \"\"\"Read the lamp.

    Args:
        place: Where it stands.
    \"\"\"
    return {"desk": context.row("lamp")["on"]}[place]


@tool("desk")
def spill(context: Context) -> None:
    \"\"\"Spill ink.\"\"\"
    context.add("note", {"colour": "blue"})


from pytest_toolsandbox.worlds.world import find_world
import dataclasses
desk = find_world("desk")
register_world(dataclasses.replace(desk, toolset=[*desk.toolset, read_lamp, spill]))
"""
SCENARIO = """
world: desk
user: {opening: Is the lamp on?}
milestones: {read: {call: {read_lamp: {place: desk}}}, told: {says: {mentions: ["off"]}}}
solutions: {s: [{STEP}, {say: It is off.}]}
counterexamples: {c: [{say: It is on.}]}
"""
DECLARE = (
    "fix it, or declare KeyError for agents to read: under Raises: in its docstring, or in "
    "raises=(...) of its tool or world"
)


@pytest.fixture
def broken(light: Suite) -> Suite:
    light.conftest(BROKEN)
    return light


def test_a_tool_that_fails_is_an_error_of_the_item(broken: Suite) -> None:
    broken.write("a.scenario.yaml", SCENARIO.replace("STEP", "read_lamp: {place: floor}"))
    broken.write("b.scenario.yaml", SCENARIO.replace("STEP", "spill: {}"))
    result = broken.run("--agent=oracle", "a.scenario.yaml", "b.scenario.yaml")
    result.assert_outcomes(errors=2)
    page = section(result, "ERROR at conversation of a").splitlines()
    assert page[0].startswith("conftest.py:")
    assert page[0].endswith(f": the tool 'read_lamp' raised KeyError: 'floor'; {DECLARE}")
    result.stdout.fnmatch_lines(
        "ERROR the tool 'read_lamp' raised KeyError: * - a.scenario.yaml::a"
    )
    (line, *_) = section(result, "ERROR at conversation of b").splitlines()
    assert "the tool 'spill': table 'note' has no column 'colour'; it has note_id, " in line


def test_async_tools_are_awaited(broken: Suite) -> None:
    step = "parallel: [{read_lamp: {place: desk}}, {read_lamp: {place: desk}}]"
    broken.write("a.scenario.yaml", SCENARIO.replace("STEP", step))
    broken.run("--agent=oracle", "a.scenario.yaml").assert_outcomes(passed=1)


ALIASED = """
from typing import Annotated
from pydantic import Field
from pytest_toolsandbox.worlds.world import find_world
import dataclasses

@tool("desk")
def read_lamp(on_: Annotated[str, Field(alias="from")]) -> bool:
    \"\"\"Read the lamp.\"\"\"
    return False

desk = find_world("desk")
register_world(dataclasses.replace(desk, toolset=[*desk.toolset, read_lamp]))
"""


def test_an_alias_is_the_name_of_an_argument_everywhere(light: Suite) -> None:
    light.conftest(ALIASED)
    scenario = SCENARIO.replace("STEP", "read_lamp: {from: desk}").replace("place:", "from:")
    light.write("a.scenario.yaml", scenario)
    light.run("--agent=oracle", "--sandbox-results=r.jsonl", "a.scenario.yaml").assert_outcomes(
        passed=1
    )
    record = json.loads(light.path.joinpath("r.jsonl").read_text("utf-8"))
    calls = [message["call"] for message in record["messages"] if message.get("call")]
    arguments = [json.loads(c["arguments"]) for c in calls if c["name"] == "read_lamp"]
    assert arguments == [{"from": "desk"}] * 2  # the request and the answer
    page = section(light.run("--agent=counterexample", "a.scenario.yaml"), "a")
    assert "expected read_lamp(from: 'desk')" in page


def test_check_finds_what_a_mutant_makes_a_tool_raise(
    broken: Suite, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(broken.path)
    broken.write("a.scenario.yaml", SCENARIO.replace("STEP", "read_lamp: {place: desk}"))
    assert main(["check", "a.scenario.yaml"]) == 1
    lines = [line for line in capsys.readouterr().out.splitlines() if "::a: " in line]
    finding = lines[0]
    assert "read_lamp: place=" in finding
    assert ": conftest.py:" in finding
    assert "the tool 'read_lamp' raised KeyError: " in finding
    assert finding.endswith(DECLARE)


@pytest.mark.parametrize("folder", ["", "scenarios/"])
def test_a_mistake_in_a_conftest_is_one_line(suite: Suite, folder: str) -> None:
    suite.write(f"{folder}a.scenario.yaml", LIGHT)
    suite.write(
        f"{folder}conftest.py",
        "from pytest_toolsandbox import tool\n\n\n@tool('x')\ndef look(a):\n    '''Look.'''\n",
    )
    line = f"{folder}conftest.py:4: the tool 'look': parameter 'a' has no type hint; "
    result = suite.run("--agent=oracle")
    text = result.stderr.str() if not folder else section(result, "ERROR collecting scenarios")
    assert text.removeprefix("ERROR: ").startswith(line)
    assert "Traceback" not in text


def test_the_schema_has_the_matchers_of_a_project(
    suite: Suite, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(suite.path)
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    suite.write(
        "conftest.py",
        "from dataclasses import dataclass\n"
        "from pytest_toolsandbox.matchers import matcher\n"
        "from pytest_toolsandbox.matchers.exact import Exact\n"
        "@matcher('shouted')\n@dataclass(frozen=True)\nclass Shouted(Exact): 'Loud.'\n",
    )
    assert main(["schema"]) == 0
    assert '"shouted"' in capsys.readouterr().out
    suite.write("conftest.py", "1 / 0\n")
    assert main(["schema"]) == 1
    assert "conftest.py: ZeroDivisionError: division by zero" in capsys.readouterr().err


EMBEDDER = """
import pytest

@pytest.fixture(scope="session")
def embedder(ARGUMENTS):
    BODY
"""
MEANS = """
world: desk
user: {opening: Hello}
protected: [note]
milestones: {told: {says: {semantic: Good day}}}
solutions: {s: [{say: Hello there}]}
counterexamples: {c: [{say: Bye}]}
"""
LIKE = "lambda texts: [[1.0, float('o' in text and text != 'Done!') * 9] for text in texts]"


NONE_WRONG = "1 scenario, 1 solution, 1 counterexample: 0 findings"


def test_check_compares_meanings_with_the_fixture(
    light: Suite, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(light.path)
    light.write("means.scenario.yaml", MEANS)
    for arguments, body, line in (
        ("", f"return {LIKE}", NONE_WRONG),
        ("", f"yield {LIKE}", NONE_WRONG),
        ("request", "return 1", "takes other fixtures, which toolsandbox check does not make"),
        ("", "return 1 / 0", "raised ZeroDivisionError: division by zero (conftest.py:"),
        ("", "return 1", "the fixture 'embedder' gave 1, which is no embedder"),
    ):
        light.conftest(EMBEDDER.replace("ARGUMENTS", arguments).replace("BODY", body))
        main(["check", "means.scenario.yaml"])
        assert line in capsys.readouterr().out


STOPPED = """
class Slow:
    def __repr__(self): raise KeyboardInterrupt

register_world(Slow())
"""


def test_ctrl_c_while_a_world_is_registered_is_a_line(light: Suite) -> None:
    light.conftest(STOPPED)
    result = light.run_apart("--agent=oracle")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert result.errlines == ["ERROR: Ctrl-C, while conftest.py was loaded"]
