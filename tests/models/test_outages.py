"""Whose fault an error of somebody's own agent is: its own, or a provider's."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pytest_toolsandbox.agents.agent import AgentCaller
from pytest_toolsandbox.models.errors import AgentError, ProviderError
from pytest_toolsandbox.models.outages import whose
from pytest_toolsandbox.users.user import UserError, ask_user


def error_of(module: str, *names: str, **attributes: Any) -> Exception:
    """Return an error of a class of a module, below others of the module."""
    kind: type[Exception] = Exception
    for name in reversed(names):
        kind = type(name, (kind,), {"__module__": module})
    error = kind("it says so")
    vars(error).update(attributes)
    return error


def raised_from(cause: BaseException, error: Exception) -> Exception:
    error.__cause__ = cause
    return error


def is_outage(error: BaseException) -> bool:
    return isinstance(whose(error, "a line", AgentError), ProviderError)


RESPONSE = SimpleNamespace(status_code=503)
REFUSED = SimpleNamespace(status_code=404)
AWS = {"ResponseMetadata": {"HTTPStatusCode": 429}}
LOST = error_of("httpx", "ConnectError", "TransportError")


@pytest.mark.parametrize(
    "error",
    [
        error_of("openai", "RateLimitError", "APIStatusError", status_code=429),
        error_of("openai", "APITimeoutError", "APIConnectionError"),
        error_of("openai", "AuthenticationError", "APIStatusError", status_code=401),
        error_of("anthropic", "OverloadedError", "APIStatusError", status_code=529),
        error_of("google.genai.errors", "ServerError", "APIError", code=503, status="UNAVAILABLE"),
        error_of("botocore.exceptions", "ClientError", response=AWS),
        error_of("pydantic_ai.exceptions", "ModelHTTPError", "ModelAPIError", status_code=404),
        raised_from(LOST, error_of("my_app", "Refused", status_code=418)),
        error_of("httpx", "HTTPStatusError", response=RESPONSE),
        LOST,
        error_of("requests.exceptions", "ReadTimeout", "Timeout"),
        error_of("aiohttp.client_exceptions", "ClientResponseError", status=502),
        raised_from(error_of("openai", "APIStatusError", status_code=500), KeyError("text")),
        ExceptionGroup("tasks", [KeyError("text"), LOST]),
    ],
    ids=str,
)
def test_outages(error: BaseException) -> None:
    assert is_outage(error)


def in_dealing_with(error: Exception) -> Exception:
    """Return what an agent raises while it deals with an error."""
    wrong = KeyError("text")
    wrong.__context__ = error
    return wrong


@pytest.mark.parametrize(
    "error",
    [
        KeyError("text"),
        ConnectionError("a socket of its own"),
        error_of("openai", "BadRequestError", "APIStatusError", status_code=400),
        error_of("openai", "OpenAIError"),
        error_of("httpx", "HTTPStatusError", response=REFUSED),
        error_of("my_app", "APIConnectionError", status_code=503),
        error_of("openai", "APIError", status_code=True, code="503"),
        in_dealing_with(error_of("openai", "APIConnectionError")),
        ExceptionGroup("tasks", [KeyError("text")]),
    ],
    ids=str,
)
def test_mistakes_of_an_agent(error: BaseException) -> None:
    assert not is_outage(error)


def test_errors_that_lead_to_each_other_come_to_an_end() -> None:
    first, second = KeyError("first"), KeyError("second")
    first.__cause__, second.__cause__ = second, first
    assert not is_outage(first)


def test_the_line_and_the_status() -> None:
    found = whose(error_of("groq", "APIStatusError", status_code=503), "it failed", AgentError)
    assert isinstance(found, ProviderError)
    assert (str(found), found.status) == ("it failed", 503)


DOWN = error_of("openai", "InternalServerError", "APIStatusError", status_code=500)


def down(*_: Any, **__: Any) -> str:
    raise DOWN


def test_of_an_agent() -> None:
    with pytest.raises(ProviderError, match=r"^the agent raised InternalServerError: it says so "):
        AgentCaller(down, 60).ask([], [])


def test_of_a_user() -> None:
    with pytest.raises(ProviderError, match=r"^the user raised InternalServerError: it says so "):
        ask_user(down, [])
    with pytest.raises(UserError, match=r"^the user raised ZeroDivisionError"):
        ask_user(lambda _: str(1 / 0), [])
