"""How an agent is configured, in a record."""

from __future__ import annotations

import pytest

from pytest_toolsandbox import ModelAgent
from pytest_toolsandbox.records.configuration import agent_record


class Own:
    """An agent of a user's."""


def plain_function() -> None:
    """An agent that is a function."""


@pytest.mark.parametrize(
    ("agent", "path"),
    [
        (None, None),
        (Own(), "Own"),
        (plain_function, "plain_function"),
        (Own, "Own"),
    ],
)
def test_an_agent_is_where_it_can_be_imported(agent: object, path: str | None) -> None:
    record = agent_record("fixture", agent, "small")
    assert record["type"] == (path and f"{__name__}:{path}")
    assert (record["name"], record["parameter"]) == ("fixture", "small")
    assert "model" not in record


def test_a_model_has_its_parameters_without_secrets() -> None:
    parameters = {"temperature": 0, "api_key": "abcdefghijkl", "stop": ["x", "sk-abcdef"]}
    record = agent_record("claude", ModelAgent("a/b", 30, parameters))
    assert record["type"] == "pytest_toolsandbox.models.model_agent:ModelAgent"
    assert (record["model"], record["timeout"]) == ("a/b", 30)
    assert record["parameters"] == {"temperature": 0, "api_key": "***", "stop": ["x", "***"]}


def test_what_has_a_secret_name_is_hidden_whatever_it_is() -> None:
    parameters = {"api_key": b"abcdefghijkl", "token": plain_function, "auth": ("me", object())}
    numbers = {"max_tokens": 100, "password": None}
    record = agent_record("claude", ModelAgent("a/b", 30, {**parameters, **numbers}))
    hidden = {"api_key": "***", "token": "***", "auth": ["***", "***"]}
    assert record["parameters"] == {**hidden, **numbers}
