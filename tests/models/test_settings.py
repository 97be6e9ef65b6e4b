"""Settings with which no model can be asked are told where they are written."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_toolsandbox import ModelAgent, ModelJudge
from pytest_toolsandbox.users.simulated.model_user import ModelUser

SECONDS = "expected seconds above 0, such as 60"
NAMES = "expected names and their values, such as {'temperature': 0}; {} sets none"
WRONG: dict[str, dict[str, Any]] = {
    "model is None; expected provider/model, such as 'openai/gpt-4.1'": {"model": None},
    f"timeout is 'soon'; {SECONDS}": {"timeout": "soon"},
    f"timeout is null; {SECONDS}": {"timeout": None},
    f"timeout is true; {SECONDS}": {"timeout": True},
    f"timeout is 0; {SECONDS}": {"timeout": 0},
    f"timeout is .nan; {SECONDS}": {"timeout": float("nan")},
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
def test_what_is_no_setting_is_refused(line: str, kind: type[Any]) -> None:
    with pytest.raises((TypeError, ValueError)) as raised:
        kind(**{"model": "openai/stub", **WRONG[line]})
    assert str(raised.value) == line


class Form:
    """A class that litellm makes a schema of, if it is one of pydantic."""


@pytest.mark.parametrize(
    "parameters",
    [{"response_format": Form}, {"timeout": Form()}, {"timeout": 0.5, "stop": ["a"], "seed": None}],
)
def test_what_litellm_knows_is_taken(parameters: dict[str, Any]) -> None:
    assert ModelJudge("openai/stub", timeout=2, parameters=parameters).parameters == parameters
