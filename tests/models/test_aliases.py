from __future__ import annotations

from importlib.metadata import version
from importlib.util import find_spec

import pytest
from rows import every

from pytest_toolsandbox.models.aliases import ALIASES, model_name
from pytest_toolsandbox.models.litellm_agent import load_litellm


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
    own = {"fast": "groq/llama", "gpt": "azure/own"}
    assert model_name(agent, {**ALIASES, **own}) == model


def test_aliases_are_models() -> None:
    assert sorted(ALIASES) == ["claude", "gemini", "gpt"]
    assert [model_name(model, {}) for model in ALIASES.values()] == list(ALIASES.values())


def litellm_version() -> tuple[int, ...]:
    return tuple(map(int, version("litellm").split(".")[:2])) if find_spec("litellm") else ()


@pytest.mark.skipif(litellm_version() < (1, 105), reason="needs a litellm that has their names")
@pytest.mark.parametrize("model", ALIASES.values())
def test_litellm_knows_that_they_call_tools(model: str) -> None:
    assert load_litellm().supports_function_calling(model=model)
