"""People at a terminal as users and agents."""

from __future__ import annotations

import subprocess
from pathlib import Path

import handset
import pytest
from desk import Suite
from terminals import Person
from warm import COLD

SCENARIO = """
world: desk
user:
  opening: Turn on the light.
  goals: {light: Have the light on., note: Have the ferns watered.}
  knowledge_boundary: The ferns are dry.
  replies: [{say: And the ferns want water.}]
milestones:
  light_on: {state: {lamp: {on: true}}}
  user_told: {says: {mentions: [ferns]}}
solutions:
  directly: [{switch_lamp: {on: true}}, {say: Anything else?}, {say: The ferns want water.}]
"""
PYTEST = ("-m", "pytest", "-p", "no:cacheprovider")
PLUGINS = "pytest_toolsandbox.plugin,xdist.plugin"
"""All that is needed of those that are installed, which take their time."""
RESULTS = "--sandbox-results=results.jsonl"

pytestmark = pytest.mark.skipif(not Path("/dev/tty").exists(), reason="needs terminals")


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Suite:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # these tests may run on a worker
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", PLUGINS)
    suite = Suite(pytester)
    suite.conftest("")
    suite.write("light.scenario.yaml", SCENARIO)
    return suite


def test_a_person_plays_the_user(suite: Suite) -> None:
    person = Person(
        (
            ("Agent: Anything else?\nYou: ", "/help\n"),
            ("/help shows this.\nYou: ", "And the ferns, please.\n"),
            ("Agent: The ferns want water.\nYou: ", "/end\n"),
        )
    )
    run = (*PYTEST, "--agent=oracle", "--sandbox-user=human", RESULTS)
    assert person.run(suite.pytester.path, *run) == 0, person.output
    assert (
        "== light: you are the user ==\n"
        "# Your goals\n- Have the light on.\n- Have the ferns watered.\n"
        "# What you know\nThe ferns are dry.\n"
    ) in person.seen
    assert "You: Turn on the light.\nAgent: Anything else?\nYou: " in person.seen
    assert "switch_lamp" not in person.seen
    assert "Anything else?" not in person.output
    (record,) = suite.records()
    texts = [message["content"] for message in record["messages"] if message["sender"] == "user"]
    assert texts == ["Turn on the light.", "And the ferns, please.", ""]
    assert (record["outcome"], record["user"]) == ("passed", "human")


@pytest.mark.any_pytest
def test_a_person_plays_the_agent(suite: Suite) -> None:
    person = Person(
        (
            ("User: Turn on the light.\nAgent: ", "/tools\n"),
            ("/switch_lamp: Switch the lamp.\n", "/switch_lump on=true\n"),
            ("There is no tool switch_lump; did you mean 'switch_lamp'?", "/sw\to\ttr\t\n"),
            ("Result: ", "Anything else?\n"),
            ("User: And the ferns want water.\nAgent: ", "The ferns want water.\n"),
        )
    )
    run = (*PYTEST, "--agent=human", RESULTS)
    assert person.run(suite.pytester.path, *run) == 0, person.output
    (record,) = suite.records()
    assert (record["outcome"], record["agent"]) == ("passed", "human")
    calls = [message["call"] for message in record["messages"] if message["sender"] == "agent"]
    assert [call["arguments"] for call in calls if call] == ['{"on": true}']


def test_leaving_is_an_error_of_the_item(suite: Suite) -> None:
    person = Person((("User: Turn on the light.", "/end\n"),))
    assert person.run(suite.pytester.path, *PYTEST, "--agent=human") == 1
    assert "the person who plays the agent left the conversation" in person.output


@pytest.mark.parametrize("options", [["--agent=human"], ["--agent=oracle", "--sandbox-user=human"]])
def test_without_a_terminal(suite: Suite, options: list[str]) -> None:
    finished = subprocess.run(
        [COLD, *PYTEST, *options],
        cwd=suite.pytester.path,
        capture_output=True,
        text=True,
        start_new_session=True,
        check=False,
    )
    assert f"{options[-1]} needs a terminal, and this process has none" in finished.stdout
    assert "Traceback" not in finished.stdout


@pytest.mark.any_pytest
def test_in_parallel(suite: Suite) -> None:
    person = Person(())
    run = (*PYTEST, "--agent=human", "-n1")
    assert person.run(suite.pytester.path, *run) == 1
    line = "--agent=human plays at one terminal, and so in one process: leave out -n"
    assert line in person.output


@pytest.mark.any_pytest
def test_the_unhelpful_agent(suite: Suite) -> None:
    suite.run("--agent=unhelpful", RESULTS).assert_outcomes(failed=1)
    (record,) = suite.records()
    texts = [message["content"] for message in record["messages"] if message["sender"] == "agent"]
    assert set(texts) == {"I'm sorry, but I can't help you with that."}


def test_a_person_calls_the_tools_of_the_user(suite: Suite) -> None:
    suite.write("light.scenario.yaml", handset.ABROAD)
    suite.write("handset.py", Path(handset.__file__).read_text("utf-8"))
    suite.conftest("import handset")
    person = Person(
        (
            ("turn airplane mode off.\nYou: ", "/set_airplane_mode off=true\n"),
            ("has no 'off=true' (its arguments: on=)", "/set_air\to\tfa\t\n"),
            ("set_airplane_mode showed: null\nYou: ", "Done.\n"),
            ("Agent: Great, it works.\nYou: ", "/end\n"),
        )
    )
    run = (*PYTEST, "--agent=oracle", "--sandbox-user=human", RESULTS)
    assert person.run(suite.pytester.path, *run) == 0, person.output
    assert "You have tools: /name argument=value calls one" in person.seen
    assert 'You: called check_signal({})\ncheck_signal showed: {"bars": 0' in person.seen
    (record,) = suite.records()
    calls = [m["call"] for m in record["messages"] if m["sender"] == "user"]
    names = [call["name"] for call in calls if call]
    assert names == ["check_signal", "set_airplane_mode", "end_conversation"]
