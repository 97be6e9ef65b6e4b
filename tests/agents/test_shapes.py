"""Which framework an agent is of, told from its class, where no framework is installed."""

from __future__ import annotations

from typing import Any
from unittest.mock import MagicMock

import pytest
from rows import every

from pytest_toolsandbox.agents.frameworks import adapters, framework_of
from pytest_toolsandbox.agents.shapes import shape_of
from pytest_toolsandbox.agents.toolbox import Toolbox


def of_class(module: str, name: str) -> Any:
    """Return an object of a subclass of the class ``module.name``."""
    base = type(name, (), {"__module__": module, "__call__": lambda _self, _prompt: "said"})
    return type("Own", (base,), {})()


@every(
    ("module", "name", "framework"),
    [
        ("agents.agent", "AgentBase", "openai_agents"),
        ("pydantic_ai.agent.abstract", "AbstractAgent", "pydantic_ai"),
        ("langgraph.pregel.main", "Pregel", "langchain"),
        ("langchain_core.language_models.chat_models", "BaseChatModel", "langchain"),
        ("strands.agent.agent", "Agent", "strands"),
        ("google.adk.agents.base_agent", "BaseAgent", "google_adk"),
        ("agent_framework._agents", "BaseAgent", "agent_framework"),
        ("claude_agent_sdk.types", "ClaudeAgentOptions", "claude_agent_sdk"),
        ("agents", "Agent", "replies"),
        ("strands_of_mine.agent", "Agent", "replies"),
        ("pydantic_ai_extras", "AbstractAgent", "replies"),
    ],
)
def test_a_framework_is_recognized_by_a_class(module: str, name: str, framework: str) -> None:
    agent = of_class(module, name)
    assert shape_of(agent) == framework
    assert framework_of(agent) == (framework if framework in adapters() else None)


def test_run_turn_overrides_the_framework() -> None:
    agent = of_class("agents.agent", "AgentBase")
    agent.run_turn = lambda message, _toolbox: message
    assert shape_of(agent) == "turns"


class Bare:
    def __call__(self, messages: Any, tools: Any) -> str:
        return f"{messages} {tools}"


class Talker:
    def run_turn(self, message: str, toolbox: Toolbox) -> str:
        return f"{message} {toolbox}"


@every(
    ("agent", "shape"),
    [
        (Bare(), "replies"),
        (Bare, "replies"),
        (MagicMock(), "replies"),
        (print, "replies"),
        (3, "replies"),
        (lambda *_: "", "replies"),
        (lambda messages=None, tools=None: f"{messages} {tools}", "replies"),
        (lambda _message, toolbox: f"{toolbox}", "turns"),
        (lambda _message, toolbox, history: f"{toolbox} {history}", "turns"),
        (Talker, "factory"),
        (Talker(), "turns"),
        (lambda model="small": f"{model}", "factory"),
        (lambda toolbox: f"{toolbox}", "factory"),
    ],
)
def test_the_shape_of_other_agents(agent: Any, shape: str) -> None:
    assert shape_of(agent) == shape


def test_an_unknown_framework() -> None:
    with pytest.raises(ValueError, match="unknown framework 'pydantic'") as caught:
        Toolbox([]).for_("pydantic")
    assert "did you mean 'pydantic_ai'?" in str(caught.value)


def test_a_framework_that_is_not_installed() -> None:
    with pytest.raises(ImportError) as caught:
        Toolbox([{"function": {"name": "look", "parameters": {}}}]).for_("strands")
    assert caught.value.name == "strands"
