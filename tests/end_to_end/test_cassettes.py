"""Conversations are recorded once, and replayed while nobody is asked."""

from __future__ import annotations

import json
import uuid
from base64 import b64encode
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import model_server
import pytest
from desk import LIGHT, Suite
from model_server import ModelServer

pytestmark = pytest.mark.any_pytest

needs_httpx = pytest.mark.skipif(find_spec("httpx") is None, reason="needs httpx")
RESULTS = "--sandbox-results=results.jsonl"
WALL_TIMES = {"latency", "waited", "duration"}
AGENT = """
import uuid

def build():
    def agent(messages, tools):
        if messages[-1]["role"] == "tool":
            return "The lamp is on."
        call = {"name": "switch_lamp", "arguments": '{"on":true}'}
        return {"role": "assistant", "tool_calls": [{"id": uuid.uuid4().hex, "function": call}]}
    return agent

class Turns:
    def run_turn(self, message, toolbox):
        toolbox.add_usage(input_tokens=5, output_tokens=2)
        toolbox.call("switch_lamp", {"on": True})
        return "The lamp is on."

def brief(messages):
    return None
"""
GOALS = LIGHT.replace(
    "{opening: Turn on the light.}",
    "{opening: Turn on the light., goals: {light: Have the light on.}}",
)


@pytest.fixture
def desk(light: Suite) -> Suite:
    light.write("own.py", AGENT)
    return light


def cassettes(suite: Suite) -> dict[str, bytes]:
    """Return the cassettes of a suite, by their names."""
    return {path.name: path.read_bytes() for path in sorted(suite.path.rglob("*.cassette.yaml"))}


def only(suite: Suite) -> Path:
    (path,) = suite.path.rglob("*.cassette.yaml")
    return path


def records(suite: Suite) -> list[dict[str, Any]]:
    """Return the records, without wall times, of a file that is taken away."""
    stored = suite.records()
    (suite.path / "results.jsonl").unlink()
    return [without_times(record) for record in stored]


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: without_times(part) for k, part in value.items() if k not in WALL_TIMES}
    return [*map(without_times, value)] if isinstance(value, list) else value


@pytest.mark.parametrize("agent", ["own:build", "own:Turns"])
def test_an_agent_of_ones_own_is_recorded_and_is_not_needed_again(desk: Suite, agent: str) -> None:
    arguments = (f"--agent={agent}", "--sandbox-user=own:brief", RESULTS)
    desk.run(*arguments, "--sandbox-record=new").assert_outcomes(passed=1)
    assert [record["duration"] > 0 for record in desk.records()] == [True]
    recorded = records(desk)
    (desk.path / "own.py").unlink()
    result = desk.run(*arguments, "--sandbox-record=replay", "--sandbox-max-tokens=1")
    result.assert_outcomes(passed=1)
    assert [record["duration"] for record in desk.records()] == [0]
    assert records(desk) == recorded
    remark = "usage: what the recording used; a replay asks nobody, and spends no budget"
    assert (remark in result.outlines) == (agent == "own:Turns")


CASSETTE = """\
# Recorded by pytest --sandbox-record; how to read it: docs/cassettes.md
cassette: 1
id: light
agent: own:Turns
user: scripted
agent_type: own:Turns
agent_shape: factory
trials:
  - trial: 1
    exchanges:
      - to: agent
        messages:
          - user: Turn on the light.
        reply:
          calls:
            - switch_lamp:
                'on': true
        usage:
          input_tokens: 5
          output_tokens: 2
      - to: agent
        messages:
          - tool: 'null'
        reply:
          assistant: The lamp is on.
settings:
  agent:
    prompt: |-
"""


def test_what_a_cassette_looks_like(desk: Suite) -> None:
    desk.ini("sandbox_record = new", "sandbox_agent = own:Turns", "scenario_files = *.yaml")
    desk.run().assert_outcomes(passed=1)
    text = only(desk).read_text()
    assert text.startswith(CASSETTE)
    assert text.count("name: switch_lamp") == 1
    assert only(desk).relative_to(desk.path).parts[0] == "cassettes"
    (desk.path / "own.py").unlink()
    desk.run("--sandbox-record=replay").assert_outcomes(passed=1)  # a cassette is not a scenario


def test_scripts_need_no_cassette(desk: Suite) -> None:
    for mode in ("new", "all", "replay"):
        desk.run("--agent=oracle", f"--sandbox-record={mode}").assert_outcomes(passed=1)
    assert cassettes(desk) == {}


def test_what_is_not_recorded_is_missing_with_the_nearest(desk: Suite) -> None:
    for agent in ("own:build", "own:Turns"):
        desk.run(f"--agent={agent}", "--sandbox-record=new").assert_outcomes(passed=1)

    def missing(agent: str, *options: str) -> str:
        result = desk.run(f"--agent={agent}", "--sandbox-record=replay", RESULTS, *options)
        result.assert_outcomes(errors=1)
        (record,) = records(desk)
        assert record["cause"] == "cassette"
        return str(record["reason"].partition("there is no such cassette; ")[2])

    assert missing("own:other") == (
        "it is recorded with the agent 'own:Turns' and 'own:build'; "
        "record it with --sandbox-record=new"
    )
    nearest = "did you mean '{}.cassette.yaml'? Else record it with --sandbox-record=new"
    options = ("--agent=own:build", "--sandbox-record=new")
    desk.run(*options, "--sandbox-augment=tool_description_scrambled").assert_outcomes(passed=1)
    variant = "--sandbox-augment=argument_description_scrambled"
    assert missing("own:build", variant) == nearest.format("light.tool_description_scrambled")
    (desk.path / "light.scenario.yaml").rename(desk.path / "lights.scenario.yaml")
    assert missing("own:build") == nearest.format("light")


def changed(suite: Suite, agent: str = "own:build") -> str:
    """Return what a replay tells of the first difference, and the lines that show it."""
    result = suite.run(f"--agent={agent}", "--sandbox-record=replay", RESULTS)
    result.assert_outcomes(errors=1)
    (record,) = records(suite)
    assert record["cause"] == "cassette"
    assert record["scores"] is None
    for line in record["unrecorded"]:
        assert line in result.stdout.str()
    path = only(suite).relative_to(suite.path).as_posix()
    what, _, remedy = record["reason"].partition(f" in {path}, trial 1; ")
    assert remedy == "record it with --sandbox-record=new"
    return "\n".join([what, *record["unrecorded"]])


def test_another_prompt_is_told(desk: Suite) -> None:
    desk.write("prompt.txt", "You are kind.\nBe brief.")
    desk.ini("sandbox_prompt = prompt.txt")
    desk.run("--agent=own:build", "--sandbox-record=new").assert_outcomes(passed=1)
    desk.write("prompt.txt", "You are kind.\nBe very brief.")
    assert changed(desk) == (
        "request 1 to the agent is not recorded: prompt differs from the nearest one\n"
        "prompt, recorded (-) and now (+)\n"
        "- Be brief.\n"
        "+ Be very brief."
    )


def test_another_message_is_told(desk: Suite) -> None:
    desk.run("--agent=own:build", "--sandbox-record=new").assert_outcomes(passed=1)
    conftest = desk.path / "conftest.py"
    update = 'context.update("lamp", context.row("lamp"), on=on)'
    conftest.write_text(conftest.read_text().replace(update, f"{update}\n    return 'done'"))
    assert changed(desk).splitlines()[:4] == [
        "request 2 to the agent is not recorded: message 3.tool differs from the nearest one",
        "message 3.tool, recorded (-) and now (+)",
        "- null",
        '+ "done"',
    ]


def test_new_records_what_is_missing_and_replays_the_rest(desk: Suite) -> None:
    two = "world: desk\nscenarios:\n" + "".join(
        f"  {name}:\n" + "".join(f"    {line}\n" for line in LIGHT.strip().splitlines()[1:])
        for name in ("first", "second")
    )
    desk.write("light.scenario.yaml", two)
    desk.run("--agent=own:build", "--sandbox-record=new", "-k", "first").assert_outcomes(passed=1)
    first = only(desk)
    first.write_text(first.read_text().replace("The lamp is on.", "The lamp is on, I recall."))
    arguments = ("--agent=own:build", "--sandbox-record=new", RESULTS)
    desk.run(*arguments).assert_outcomes(passed=2)
    texts = [record["messages"][-3]["content"] for record in records(desk)]
    assert texts == ["The lamp is on, I recall.", "The lamp is on."]
    desk.run("--agent=own:build", "--sandbox-record=all", RESULTS).assert_outcomes(passed=2)
    texts = [record["messages"][-3]["content"] for record in records(desk)]
    assert texts == ["The lamp is on.", "The lamp is on."]


def test_what_changed_is_recorded_anew_by_new(desk: Suite) -> None:
    desk.run("--agent=own:build", "--sandbox-record=new")
    desk.write("prompt.txt", "Be brief.")
    arguments = ("--agent=own:build", "--sandbox-prompt=prompt.txt")
    desk.run(*arguments, "--sandbox-record=new").assert_outcomes(passed=1)
    assert "prompt: Be brief.\n" in only(desk).read_text()
    desk.run(*arguments, "--sandbox-record=replay").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("trials:", b"<<<<<<< HEAD\ntrials:", "line *: invalid YAML: *"),
        ("assistant: The", b"assistant: [1, 2] #", "trial 1: reply 2 is neither a text nor calls"),
        ("assistant: The", b"assistant: \xfc", "it is no text in UTF-8"),
    ],
)
def test_a_broken_cassette_is_an_error_and_stays(
    desk: Suite, before: str, after: bytes, problem: str
) -> None:
    desk.run("--agent=own:build", "--sandbox-record=new")
    path = only(desk)
    broken = path.read_bytes().replace(before.encode(), after)
    path.write_bytes(broken)
    for mode in ("new", "replay"):
        result = desk.run("--agent=own:build", f"--sandbox-record={mode}", RESULTS)
        result.assert_outcomes(errors=1)
        (record,) = records(desk)
        assert record["cause"] == "cassette"
        again = "record it again with --sandbox-record=all"
        assert fnmatch(record["reason"], f"*light.cassette.yaml: {problem}; {again}")
        assert path.read_bytes() == broken
    desk.run("--agent=own:build", "--sandbox-record=all").assert_outcomes(passed=1)
    assert path.read_bytes() != broken


def test_an_outage_is_not_recorded(desk: Suite) -> None:
    desk.run("--agent=own:build", "--sandbox-record=new")
    before = cassettes(desk)
    desk.write("own.py", "def build(messages, tools):\n    raise ConnectionError('down')\n")
    desk.run("--agent=own:build", "--sandbox-record=all").assert_outcomes(errors=1)
    assert cassettes(desk) == before


def test_workers_and_threads_write_the_same_files(desk: Suite) -> None:
    arguments = ("--agent=own:build", "--sandbox-augment=all", "--sandbox-trials=3")
    for option in ("-n2", "--sandbox-concurrency=32", "--sandbox-concurrency=1"):
        desk.ini(f"sandbox_cassettes = recorded{option}")
        desk.run_apart(*arguments, "--sandbox-record=new", option, RESULTS)
        outcomes = [record["outcome"] for record in records(desk)]
        assert (outcomes.count("passed"), len(outcomes)) == (21, 24)
    first, *other_files = (
        {path.name: path.read_bytes() for path in folder.rglob("*.cassette.yaml")}
        for folder in desk.path.glob("recorded*")
    )
    assert len(first) == 8
    assert other_files == [first, first]
    desk.run("--sandbox-record=replay", *arguments, "--sandbox-concurrency=32", RESULTS)
    assert [record["cause"] for record in records(desk)] == [None] * 24


EMBEDDER = """
@pytest.fixture(scope="session")
def embedder():
    {body}
    return lambda texts: [[float(len(text)), 1.0] for text in texts]
"""


def test_meanings_are_recorded(desk: Suite) -> None:
    meant = LIGHT.replace('mentions: ["on"]', "semantic: {text: It is on., threshold: 0.1}")
    desk.write("light.scenario.yaml", meant)
    desk.conftest(EMBEDDER.format(body=""))
    desk.run("--agent=own:build", "--sandbox-record=new", RESULTS).assert_outcomes(passed=1)
    recorded = records(desk)
    assert "    vectors:\n      It is on.: " in only(desk).read_text()
    refusing = (
        "    def refuse(texts): raise AssertionError('an embedder is asked')\n    return refuse"
    )
    desk.conftest(EMBEDDER.format(body=refusing.strip()))
    desk.run("--agent=own:build", "--sandbox-record=replay", RESULTS).assert_outcomes(passed=1)
    assert records(desk) == recorded
    desk.write("light.scenario.yaml", meant.replace("It is on", "The lamp shines"))
    result = desk.run("--agent=own:build", "--sandbox-record=replay", RESULTS)
    result.assert_outcomes(errors=1)
    (record,) = records(desk)
    reason = "trial 1: the meaning of a text is not recorded: 'The lamp shines.'; record it with"
    assert reason in record["reason"]
    assert record["cause"] == "cassette"


def plays_both(request: model_server.Request) -> model_server.Answer:
    """Play the agent and the user; identifiers are never the same twice."""
    body = request.body
    names = [tool["function"]["name"] for tool in body.get("tools", ())]
    if "end_conversation" in names:
        return called("end_conversation", {"reason": "done"})
    if body["messages"][-1]["role"] == "tool":
        return model_server.text("The lamp is on.")
    return called("switch_lamp", {"on": True})


def called(name: str, arguments: Any) -> model_server.Answer:
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": f"call_{uuid.uuid4().hex}", "type": "function", "function": function}
    return model_server.message({"role": "assistant", "content": None, "tool_calls": [call]})


@pytest.fixture
def served(light: Suite, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    light.write("light.scenario.yaml", GOALS)
    with ModelServer(plays_both) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test-0123456789")
        yield server


BY_MODELS = ("--agent=openai/gpt-4o", "--sandbox-user=openai/gpt-4o", RESULTS)


NO_NETWORK = """
import os, socket, sys

def refuse(*_, **__):
    raise AssertionError("a connection is opened")

for name in ("connect", "connect_ex", "bind", "sendto"):
    setattr(socket.socket, name, refuse)
socket.getaddrinfo = refuse
sys.modules["httpx"] = None
del os.environ["OPENAI_API_KEY"]
"""


@needs_httpx
def test_models_are_recorded_and_replayed(light: Suite, served: ModelServer) -> None:
    light.run_apart(*BY_MODELS, "--sandbox-record=all").assert_outcomes(passed=1)
    recorded, written = records(light), cassettes(light)
    assert len(served.requests) == 3
    light.run_apart(*BY_MODELS, "--sandbox-record=all").assert_outcomes(passed=1)
    assert cassettes(light) == written
    assert records(light) == recorded
    light.conftest(NO_NETWORK)
    light.run_apart(*BY_MODELS, "--sandbox-record=replay").assert_outcomes(passed=1)
    assert records(light) == recorded
    assert len(served.requests) == 6


@needs_httpx
def test_another_model_and_parameter_are_told(light: Suite, served: ModelServer) -> None:
    conftest = """
from pytest_toolsandbox import ModelAgent

@pytest.fixture
def agent():
    return ModelAgent("openai/{model}", 60, {{"temperature": {temperature}, "max_tokens": 50}})
"""
    light.conftest(conftest.format(model="gpt-4o", temperature=0))
    light.run_apart("--sandbox-record=new").assert_outcomes(passed=1)
    light.conftest(conftest.format(model="gpt-4o-mini", temperature=0.5))
    line, *differences = changed(light, agent="fixture").splitlines()
    assert line == (
        "request 1 to the agent is not recorded: model and parameters.temperature differ from the "
        "nearest one"
    )
    assert differences[1:] == ["- openai/gpt-4o", "+ openai/gpt-4o-mini"]
    assert len(served.requests) == 2


KEY = "sk-planted/+7919"
SECRETS = [KEY, b64encode(KEY.encode()).decode().rstrip("=")]
LEAKS = f"""
import json

def build():
    def agent(messages, tools):
        if messages[-1]["role"] == "tool":
            return "The lamp is on. " + " ".join(SECRETS)
        call = {{"name": "write_note", "arguments": json.dumps({{"text": SECRETS, KEY: KEY}})}}
        calls = [{{"id": KEY, "function": call}}]
        return {{"role": "assistant", "content": KEY, "tool_calls": calls}}
    return agent

KEY = {KEY!r}
SECRETS = {SECRETS!r}
"""


def test_no_key_enters_a_cassette(desk: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED_KEY", KEY)
    desk.write("own.py", LEAKS)
    desk.write("prompt.txt", " ".join(SECRETS))
    arguments = ("--agent=own:build", "--sandbox-prompt=prompt.txt", "--sandbox-augment=all")
    desk.run(*arguments, "--sandbox-record=new", RESULTS)
    recorded = records(desk)
    written = b"".join(cassettes(desk).values()).decode()
    assert written.count("***") > 8 * len(SECRETS)
    assert not [secret for secret in SECRETS if secret in written]
    desk.run(*arguments, "--sandbox-record=replay", RESULTS)
    assert records(desk) == recorded
