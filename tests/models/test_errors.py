"""Whose fault an error of somebody's own agent is: its own, or a provider's."""

from __future__ import annotations

import functools
import json
from types import SimpleNamespace, TracebackType
from typing import Any

import pytest
from rows import every

from pytest_toolsandbox.agents.agent import AgentCaller
from pytest_toolsandbox.models.errors import AgentError, ProviderError, outage_or
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


def raised_while_handling(context: BaseException, error: Exception) -> Exception:
    error.__context__ = context
    return error


def in_a_circle() -> Exception:
    first = KeyError("first")
    return raised_from(raised_from(first, KeyError("second")), first)


def is_outage(error: BaseException) -> bool:
    return isinstance(outage_or(error, "a line", AgentError), ProviderError)


def response(status: int) -> dict[str, Any]:
    return {"response": SimpleNamespace(status_code=status)}


LOST = error_of("httpx", "ConnectError", "TransportError")


@every(
    "error",
    [
        error_of("openai", "RateLimitError", "APIStatusError", status_code=429),
        error_of("openai", "APITimeoutError", "APIConnectionError"),
        error_of("openai", "AuthenticationError", "APIStatusError", status_code=401),
        error_of("anthropic", "OverloadedError", "APIStatusError", status_code=529),
        error_of("google.genai.errors", "ServerError", "APIError", code=503, status="UNAVAILABLE"),
        error_of(
            *("botocore.exceptions", "ClientError"),
            response={"ResponseMetadata": {"HTTPStatusCode": 429}},
        ),
        error_of("pydantic_ai.exceptions", "ModelHTTPError", "ModelAPIError", status_code=404),
        raised_from(LOST, error_of("my_app", "Refused", status_code=418)),
        error_of("httpx", "HTTPStatusError", **response(503)),
        LOST,
        error_of("requests.exceptions", "ReadTimeout", "Timeout"),
        error_of("aiohttp.client_exceptions", "ClientResponseError", status=502),
        raised_from(error_of("openai", "APIStatusError", status_code=500), KeyError("text")),
        ExceptionGroup("tasks", [KeyError("text"), LOST]),
        error_of("openai", "APIError", "OpenAIError", code="server_error"),
        error_of("requests.exceptions", "ChunkedEncodingError", "RequestException"),
        error_of("aiohttp.client_exceptions", "ClientPayloadError", "ClientError"),
        raised_from(
            error_of("aiohttp.http_exceptions", "BadStatusLine", "HttpProcessingError", code=400),
            error_of("aiohttp.client_exceptions", "ClientResponseError", status=400),
        ),
        error_of("urllib.error", "HTTPError", "URLError", code=503),
        error_of("urllib.error", "URLError"),
        error_of("http.client", "IncompleteRead", "HTTPException"),
    ],
    ids=str,
)
def test_outages(error: BaseException) -> None:
    assert is_outage(error)


@every(
    "error",
    [
        KeyError("text"),
        ConnectionError("a socket of its own"),
        error_of("openai", "BadRequestError", "APIStatusError", status_code=400),
        error_of("openai", "OpenAIError"),
        error_of("httpx", "HTTPStatusError", **response(404)),
        error_of("my_app", "APIConnectionError", status_code=503),
        error_of("openai", "OpenAIError", status_code=True, code="503"),
        error_of("requests.exceptions", "JSONDecodeError", "RequestException"),
        error_of("urllib.error", "HTTPError", "URLError", code=404),
        raised_while_handling(error_of("openai", "APIConnectionError"), KeyError("text")),
        in_a_circle(),
        ExceptionGroup("tasks", [KeyError("text")]),
    ],
    ids=str,
)
def test_mistakes_of_an_agent(error: BaseException) -> None:
    assert not is_outage(error)


@pytest.mark.parametrize(
    ("modules", "error", "is_one"),
    [
        (("my_app", "aiohttp.helpers"), TimeoutError(), True),
        (("my_app", "urllib.request", "http.client", "socket"), ConnectionResetError(), True),
        (("openai._models", "httpx._models", "json"), json.JSONDecodeError("no", "", 0), True),
        (("openai._models", "httpx._models", "json"), ValueError("4300 digits"), True),
        (("openai._models",), ValueError("of its own"), False),
        (("my_app", "socket"), ConnectionResetError("a socket of its own"), False),
        (("openai.lib", "my_app"), TimeoutError("in a callback"), False),
        (("my_app", "httpx._models", "json"), json.JSONDecodeError("a web page", "", 0), False),
        (("my_app", "openai.lib"), KeyError("text"), False),
    ],
)
def test_an_error_of_python_s_is_that_of_the_code_that_raised_it(
    modules: tuple[str, ...], error: Exception, *, is_one: bool
) -> None:
    def fail() -> None:
        raise error

    call: Any = fail
    for name in reversed(modules):
        call = functools.partial(eval("lambda call: call()", {"__name__": name}), call)
    with pytest.raises(type(error)) as caught:
        call()
    frames = caught.value.__traceback__
    assert frames is not None
    assert is_outage(error.with_traceback(_without_the_test_s(frames))) == is_one


def _without_the_test_s(traceback: TracebackType) -> TracebackType | None:
    """Leave out the frames of this module, which stand around those of the others."""
    rest = traceback.tb_next and _without_the_test_s(traceback.tb_next)
    if traceback.tb_frame.f_globals["__name__"] in (__name__, "functools"):
        return rest
    return TracebackType(rest, traceback.tb_frame, traceback.tb_lasti, traceback.tb_lineno)


def test_the_line_and_the_status() -> None:
    error = outage_or(error_of("groq", "APIStatusError", status_code=503), "it failed", AgentError)
    assert isinstance(error, ProviderError)
    assert (str(error), error.status) == ("it failed", 503)


def down(*_: Any, **__: Any) -> str:
    raise error_of("openai", "InternalServerError", "APIStatusError", status_code=500)


def test_of_an_agent_and_of_a_user() -> None:
    with pytest.raises(ProviderError, match=r"^the agent raised InternalServerError: it says so "):
        AgentCaller(down, 60).ask([], [])
    with pytest.raises(ProviderError, match=r"^the user raised InternalServerError: it says so "):
        ask_user(down, [])
    with pytest.raises(UserError, match=r"^the user raised ZeroDivisionError"):
        ask_user(lambda _: str(1 / 0), [])
