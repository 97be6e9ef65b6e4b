"""Questions to models that think, whose providers refuse a forced tool or a temperature."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from model_server import fault
from servers.anthropic import ANTHROPIC
from servers.chat_completions import DEEPSEEK, MOONSHOT, OPENAI
from servers.clients import THINKING
from servers.strict import Dialect, StrictServer, Turn, called

from pytest_toolsandbox.models import answering
from pytest_toolsandbox.models.answering import AnsweringModel
from pytest_toolsandbox.models.errors import ProviderError
from pytest_toolsandbox.models.model_agent import answer_through, tool

VERDICT = {"verdict": "right"}
RIGHT = called(("judge", VERDICT))
DEFINITION = tool("judge", "Judge.", {"verdict": {"type": "string"}})


@pytest.fixture(autouse=True)
def _nothing_is_known() -> Iterator[None]:
    answering._refused.clear()
    yield
    answering._refused.clear()


def ask(server: StrictServer, client: str, **parameters: Any) -> Mapping[str, Any]:
    agent = server.agent(client, **parameters)
    model = AnsweringModel(agent.model, agent.timeout, agent.parameters)
    return answer_through(model, DEFINITION, "Call judge once.", "Is it right?", temperature=0)


@pytest.mark.parametrize(
    ("dialect", "parameters", "refusals"),
    [(OPENAI, {}, 0), (DEEPSEEK, {}, 1), (MOONSHOT, {}, 1), (ANTHROPIC, THINKING, 2)],
    ids=["OpenAI", "DeepSeek", "Kimi", "Anthropic"],
)
def test_what_a_provider_refuses_is_left_out(
    client: str, dialect: Dialect, parameters: Mapping[str, Any], refusals: int
) -> None:
    """It is refused once in a process."""
    with StrictServer(dialect, [RIGHT, RIGHT]) as server:
        assert ask(server, client, **parameters) == VERDICT
        assert len(server.refusals) == refusals
        assert ask(server, client, **parameters) == VERDICT
        assert len(server.refusals) == refusals


def test_any_other_refusal_is_an_error(client: str) -> None:
    with StrictServer(OPENAI, [fault(400, "No such value")]) as server:
        with pytest.raises(ProviderError, match="No such value"):
            ask(server, client)
        assert len(server.requests) == 1


def test_a_model_may_still_not_call_the_tool(client: str) -> None:
    with StrictServer(DEEPSEEK, [Turn("It is right.")]) as server:
        assert ask(server, client) == {}
