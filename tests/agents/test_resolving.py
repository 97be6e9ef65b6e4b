from __future__ import annotations

import pytest
from pantry import scenario

from pytest_toolsandbox.agents.agent import REMOTE_AT_ONCE, conversations_at_once
from pytest_toolsandbox.agents.resolving import resolve_agent
from pytest_toolsandbox.agents.scripted import counterexample, oracle
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.models.model_agent import ModelAgent

SCENE = scenario(
    """
    solutions: {only: [{say: Done.}]}
    counterexamples: {idles: [{say: I am tired.}], leaves: [{say: Goodbye.}]}
    """
)


def problem(text: str, scene: Scenario | None = SCENE) -> str:
    with pytest.raises(AgentError) as caught:
        resolve_agent(text, {}, scene)
    return str(caught.value)


def test_scripted_agents() -> None:
    assert resolve_agent("oracle", {}, SCENE) == oracle(SCENE)
    assert resolve_agent("counterexample", {}, SCENE) == counterexample(SCENE, "idles")
    assert problem("counterexample:") == (
        "counterexample: names no counterexample; write counterexample for the first one"
    )
    assert resolve_agent("counterexample:leaves", {}, SCENE) == counterexample(SCENE, "leaves")


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("claude", "openai/other"),  # the user's own aliases override ours
        ("gpt", "openai/gpt-6.1-sol"),
        ("openai/some:model", "openai/some:model"),
        ("mine", "ollama/my-model"),
    ],
)
def test_models_and_their_aliases(text: str, model: str) -> None:
    aliases = {"mine": "ollama/my-model", "claude": "openai/other"}
    agent = resolve_agent(text, aliases, None)
    assert isinstance(agent, ModelAgent)
    assert agent.model == model


def reply(messages: object, tools: object) -> str:
    return f"{messages} and {tools}"


def test_an_agent_of_the_users_own() -> None:
    agent = resolve_agent(f"{__name__}:reply", {}, SCENE)
    assert agent([], []) == "[] and []"


def test_scripted_agents_need_a_scenario() -> None:
    ending = "plays a script of a scenario, and there is no scenario"
    assert problem("oracle", None) == f"oracle {ending}"
    assert problem("counterexample:idles", None) == f"counterexample {ending}"


def test_a_missing_script_or_module() -> None:
    assert problem("oracle", scenario("")) == (
        "scenario 'test' has no solutions for the oracle; write some"
    )
    assert problem("counterexample:naps") == (
        "scenario 'test': unknown counterexample 'naps' (allowed: idles, leaves)"
    )
    assert problem("no_such_module:agent") == (
        "no_such_module:agent: there is no module no_such_module, neither installed nor in the "
        "current directory"
    )


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("orakle", "; did you mean 'oracle'?"),
        ("oracle ", "; did you mean 'oracle'?"),
        ("gpt4", "; did you mean 'gpt'?"),
        ("nobody", ""),
        ("my_app.agent", ""),
    ],
)
def test_an_unknown_name(text: str, hint: str) -> None:
    assert problem(text) == (
        f"there is no such agent{hint} (allowed: oracle[:NAME], counterexample[:NAME], unhelpful, "
        "human, claude, gemini, gpt, provider/model, module:attribute, claude-code, codex, "
        "cmd:PROGRAM, http://HOST/PATH)"
    )


@pytest.mark.parametrize(
    ("text", "module"),
    [
        ("my_app/agent.py:build", "my_app.agent:build"),
        ("./agent.py:build", "agent:build"),
        ("my_app/agent.py", "my_app.agent:NAME"),
    ],
)
def test_a_file_is_not_a_module(text: str, module: str) -> None:
    assert problem(text) == f"a module is named, not its file; write {module}"


async def reply_later(messages: object, tools: object) -> str:
    return reply(messages, tools)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("oracle", 1),
        ("unhelpful", 1),
        (f"{__name__}:reply", 1),
        (f"{__name__}:reply_later", REMOTE_AT_ONCE),
        ("openai/any", REMOTE_AT_ONCE),
        ("http://127.0.0.1/turn", REMOTE_AT_ONCE),
        ("cmd:./my-agent", 4),
    ],
)
def test_how_many_conversations_an_agent_holds_at_once(text: str, expected: int) -> None:
    assert conversations_at_once(resolve_agent(text, {}, SCENE)) == expected
