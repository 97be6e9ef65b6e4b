from __future__ import annotations

from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import pytest
from rows import every

from pytest_toolsandbox import ModelAgent, ModelJudge
from pytest_toolsandbox.models.aliases import ALIASES, model_name
from pytest_toolsandbox.models.litellm_client import load_litellm
from pytest_toolsandbox.users.simulated.model_user import ModelUser


@every(
    ("agent", "model"),
    [
        ("claude", ALIASES["claude"]),
        ("fast", "groq/llama"),
        ("gpt", "azure/own"),
        ("openai/gpt-4o", "openai/gpt-4o"),
        ("openrouter/meta/llama-3", "openrouter/meta/llama-3"),
        ("bedrock/anthropic.claude-v2:1", "bedrock/anthropic.claude-v2:1"),
        ("text-completion-openai/davinci", "text-completion-openai/davinci"),
        ("oracle", None),
        ("Claude", None),
        ("my_app.agent:build", None),
        ("counterexample:gives_up", None),
        ("openai/", None),
        ("/gpt-4o", None),
        ("openai/gpt 4o", None),
        ("", None),
    ],
)
def test_model_name(agent: str, model: str | None) -> None:
    aliases = {"fast": "groq/llama", "gpt": "azure/own"}
    assert model_name(agent, {**ALIASES, **aliases}) == model


def test_aliases_are_models() -> None:
    assert sorted(ALIASES) == ["claude", "gemini", "gpt"]
    assert [model_name(model, {}) for model in ALIASES.values()] == list(ALIASES.values())


def litellm_version() -> tuple[int, ...]:
    return tuple(map(int, version("litellm").split(".")[:2])) if find_spec("litellm") else ()


@pytest.mark.skipif(litellm_version() < (1, 105), reason="needs a litellm that has their names")
@pytest.mark.parametrize("model", ALIASES.values())
def test_litellm_knows_that_they_call_tools(model: str) -> None:
    assert load_litellm().supports_function_calling(model=model)


SECONDS = "expected seconds above 0, such as 60, at most 2592000 (30 days)"
NAMES = "expected names and their values, such as {'temperature': 0}; {} sets none"
WRONG: dict[str, dict[str, Any]] = {
    "model is None; expected provider/model, such as 'openai/gpt-4.1'": {"model": None},
    f"timeout is 'soon'; {SECONDS}": {"timeout": "soon"},
    f"timeout is null; {SECONDS}": {"timeout": None},
    f"timeout is true; {SECONDS}": {"timeout": True},
    f"timeout is 0; {SECONDS}": {"timeout": 0},
    f"timeout is .nan; {SECONDS}": {"timeout": float("nan")},
    f"timeout is .inf; {SECONDS}": {"timeout": float("inf")},
    f"timeout is 2592001; {SECONDS}": {"timeout": 2_592_001},
    f"parameters['timeout'] is 10000000000.0; {SECONDS}": {"parameters": {"timeout": 1e10}},
    f"parameters['timeout'] is '60'; {SECONDS}": {"parameters": {"timeout": "60"}},
    f"parameters['timeout'] is -1; {SECONDS}": {"parameters": {"timeout": -1}},
    f"parameters is None; {NAMES}": {"parameters": None},
    f"parameters is a list; {NAMES}": {"parameters": [("seed", 7)]},
    f"parameters has the name 7; {NAMES}": {"parameters": {7: "seed"}},
    "parameters['stop'] cannot be sent as JSON: it has a set; write it as a list": {
        "parameters": {"stop": {"a", "b"}}
    },
    "parameters['extra_body'] cannot be sent as JSON: it has a frozenset; write it as a list": {
        "parameters": {"extra_body": {"key": [frozenset("a")]}}
    },
}


@pytest.mark.parametrize("kind", [ModelAgent, ModelUser, ModelJudge])
@pytest.mark.parametrize("line", WRONG)
def test_invalid_settings_are_refused(line: str, kind: type[Any]) -> None:
    with pytest.raises((TypeError, ValueError)) as raised:
        kind(**{"model": "openai/stub", **WRONG[line]})
    assert str(raised.value) == line


class Form:
    """A class that litellm makes a schema of, if it is one of pydantic."""


@pytest.mark.parametrize(
    "parameters",
    [{"response_format": Form}, {"timeout": Form()}, {"timeout": 0.5, "stop": ["a"], "seed": None}],
)
def test_objects_of_litellm_are_accepted(parameters: dict[str, Any]) -> None:
    assert ModelJudge("openai/stub", timeout=2, parameters=parameters).parameters == parameters
