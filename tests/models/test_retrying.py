from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from model_server import CLOSE, HANG, RESET, Answer, ModelServer, Response, body, fault, text
from rows import every

from pytest_toolsandbox.concurrency.time_limit import counting_down
from pytest_toolsandbox.models import retrying
from pytest_toolsandbox.models.errors import ProviderError
from pytest_toolsandbox.models.model_agent import ModelAgent
from pytest_toolsandbox.models.requests import Limits, RequestContext, asked_by, requests_in
from pytest_toolsandbox.models.retry_after import asked_pause, pause_in
from pytest_toolsandbox.models.retrying import pause_before, retries_in
from pytest_toolsandbox.models.usage import Usage
from pytest_toolsandbox.models.waiting import WAITS, Waiting, Waits

MESSAGES = [{"role": "user", "content": "Text Ada."}]
CUT = Response(200, b'{"choices": [', promised=1000)


@pytest.fixture
def stub(model_server: ModelServer, client: str) -> Callable[..., ModelAgent]:
    def made(timeout: float = 30, **parameters: Any) -> ModelAgent:
        settings = {"api_base": model_server.url, "api_key": "sk-testkey-0123456789", **parameters}
        return ModelAgent(f"{client}openai/stub", timeout=timeout, parameters=settings)

    return made


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Wait no longer than needed, and note for how long it would have been."""
    noted: list[float] = []

    class Time:
        monotonic = staticmethod(time.monotonic)
        sleep = staticmethod(noted.append)

    monkeypatch.setattr(retrying, "time", Time)
    return noted


def used(agent: ModelAgent, retries: int = 4) -> tuple[str, Usage]:
    """Return what is said, or the error, and the usage."""
    with requests_in(RequestContext(retries=retries, limits=Limits())) as context:
        try:
            reply = agent(MESSAGES, [])["content"]
        except ProviderError as error:
            reply = str(error).removeprefix("litellm/")
    ((_, usage),) = context.meter.used().items()
    return reply, usage


@pytest.mark.parametrize(
    "answer",
    [
        *(fault(status, "no") for status in (408, 409, 425, 429, 500, 529)),
        *(RESET, CLOSE, CUT),
        body({"error": {"message": "Overloaded"}}),
    ],
    ids=lambda response: getattr(response, "status", None) or getattr(response, "how", None),
)
def test_temporary_errors_are_retried(
    stub: Callable[..., ModelAgent], model_server: ModelServer, answer: Answer, pauses: list[float]
) -> None:
    model_server.will(answer, answer, text("Done."))
    reply, usage = used(stub())
    assert reply == "Done."
    assert (usage.requests, usage.retries, usage.tokens) == (1, 2, 10)
    assert 1 <= pauses[0] <= 2
    assert 2 <= pauses[1] <= 4


@pytest.mark.parametrize(
    "answer",
    [
        *(fault(status, "no") for status in (400, 401, 402, 403, 404, 413, 422)),
        fault(429, "You exceeded your current quota", "insufficient_quota"),
        fault(500, "the request exceeds the available context size"),  # llama.cpp
        body({"choices": []}),
        Response(200, b"<html>Hello</html>"),
        None,
    ],
    ids=lambda answer: f"{answer.status} {answer.body[:20]!r}" if answer else "the server is off",
)
def test_permanent_errors_are_not_retried(
    stub: Callable[..., ModelAgent],
    model_server: ModelServer,
    answer: Answer | None,
    pauses: list[float],
) -> None:
    if answer is None:
        error, usage = used(stub(api_base="http://127.0.0.1:9/v1"))
        assert error.startswith("openai/stub: the connection failed: ")
    else:
        model_server.will(answer)
        error, usage = used(stub())
        assert error.startswith("openai/stub: ")
    assert "tries" not in error
    assert (usage.requests, usage.retries, pauses) == (1, 0, [])


def test_a_timeout_is_retried(
    stub: Callable[..., ModelAgent], model_server: ModelServer, pauses: list[float]
) -> None:
    """On a slow machine those that do not hang may take too long as well."""
    model_server.will(HANG, *[text("Done.")] * 4)
    reply, usage = used(stub(timeout=0.5))
    assert reply == "Done."
    assert usage.retries == len(pauses) >= 1


def test_the_last_error_has_status_and_tries(
    stub: Callable[..., ModelAgent], model_server: ModelServer, pauses: list[float]
) -> None:
    model_server.will(*[fault(503, "Overloaded")] * 3)
    error, usage = used(stub(), retries=2)
    assert error == (
        "openai/stub: the provider failed (503): Overloaded; try again later (3 tries)"
    )
    assert (usage.requests, usage.retries, usage.tokens) == (1, 2, 0)
    assert len(pauses) == 2


@pytest.mark.parametrize(
    ("headers", "least"),
    [
        ({"Retry-After": "7"}, 7),
        ({"Retry-After": "0"}, 0),
        ({"retry-after-ms": "250"}, 0.25),
        ({"Retry-After": "Sat, 01 Jan 2000 00:00:00 GMT"}, 0),
    ],
)
def test_the_pause_is_as_long_as_the_provider_asks(
    stub: Callable[..., ModelAgent],
    model_server: ModelServer,
    headers: dict[str, str],
    least: float,
    pauses: list[float],
) -> None:
    model_server.will(fault(429, "Slow down", headers=headers), text("Done."))
    assert used(stub())[0] == "Done."
    assert least <= pauses[0] <= least + 1


@pytest.mark.parametrize(
    ("details", "pause"),
    [
        ([{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "45.8s"}], 45.8),
        ([{"@type": "type.googleapis.com/google.rpc.RetryInfo"}], None),
        ([{"@type": "type.googleapis.com/google.rpc.Help", "retryDelay": "45.8s"}], None),
        ([], None),
    ],
)
def test_google_asks_for_a_pause_in_the_body(details: list[Any], pause: float | None) -> None:
    assert pause_in([{"error": {"code": 429, "message": "Slow", "details": details}}]) == pause


def test_a_pause_in_the_body_is_as_long_as_the_provider_asks(
    stub: Callable[..., ModelAgent], model_server: ModelServer, pauses: list[float]
) -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "8.5s"}]
    refusal = [{"error": {"code": 429, "message": "Slow", "details": details}}]
    model_server.will(Response(429, json.dumps(refusal).encode()), text("Done."))
    assert used(stub())[0] == "Done."
    assert 8.5 <= pauses[0] <= 9.5


def test_no_pause_exceeds_the_time_of_the_conversation(
    stub: Callable[..., ModelAgent], model_server: ModelServer, pauses: list[float]
) -> None:
    model_server.will(fault(429, "Slow down", headers={"Retry-After": "90"}))
    with counting_down(60):
        error, _ = used(stub())
    assert re.fullmatch(
        "openai/stub: the rate limit or the quota is used up \\(429\\): Slow down; wait 90 s "
        "\\(of the scenario's timeout, [45][0-9] s are left\\)",
        error,
    )
    assert pauses == []


@pytest.mark.parametrize(
    ("asked", "wait"),
    [
        ("3600", "60 min"),
        ("1e10", "more than 90 years"),
        ("Fri, 31 Dec 9999 23:59:59 GMT", "more than 90 years"),
    ],
)
def test_without_a_timeout_a_request_waits_ten_minutes_in_all(
    stub: Callable[..., ModelAgent],
    model_server: ModelServer,
    asked: str,
    wait: str,
    pauses: list[float],
) -> None:
    model_server.will(
        *(fault(429, "Slow down", headers={"Retry-After": s}) for s in ("100", asked))
    )
    reply, usage = used(stub())
    assert reply == (
        "openai/stub: the rate limit or the quota is used up (429): Slow down; "
        f"wait {wait} (of the 10 min that a request waits, 499 s are left; 2 tries)"
    )
    assert usage.retries == len(pauses) == 1


def test_a_pause_of_some_seconds_is_logged_and_counted(
    stub: Callable[..., ModelAgent],
    model_server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    answers = [fault(429, "Slow", headers={"Retry-After": wait}) for wait in ("1", "40")]
    model_server.will(*answers, text("Done."))
    waits = []

    class Time:
        monotonic = staticmethod(time.monotonic)

        @staticmethod
        def sleep(seconds: float) -> None:
            waits.append((seconds, WAITS.now()))

    monkeypatch.setattr(retrying, "time", Time)
    with asked_by("judge"):
        assert used(stub())[0] == "Done."
    (_, nothing), (seconds, waiting) = waits
    assert nothing is None
    assert waiting is not None
    assert waiting.requests == 1
    assert 30 < waiting.seconds <= seconds < 41
    (line,) = (r.getMessage() for r in caplog.records if r.name == retrying.__name__)
    assert line.replace("litellm/", "") == (
        "a request of the judge waits 41 s before try 3 of 5: openai/stub: the rate limit or the "
        "quota is used up (429): Slow; wait 40 s (2 tries)"
    )
    assert WAITS.now() is None


@pytest.mark.parametrize("name", ["max_retries", "num_retries"])
def test_parameters_set_the_retries(
    stub: Callable[..., ModelAgent], model_server: ModelServer, name: str, pauses: list[float]
) -> None:
    model_server.will(fault(500, "down"), fault(500, "down"))
    assert "(2 tries)" in used(stub(**{name: 1}))[0]
    model_server.will(fault(500, "down"))
    assert "tries" not in used(stub(**{name: 0}))[0]
    assert (len(model_server.requests), len(pauses)) == (3, 1)


@every(
    ("parameters", "name", "remedy"),
    [
        ({"max_retries": "2"}, "max_retries", "'2' is not a whole number from 0 to 999"),
        ({"num_retries": -1}, "num_retries", "-1 is not a whole number from 0 to 999"),
        ({"num_retries": 1000}, "num_retries", "1000 is not a whole number from 0 to 999"),
        ({"max_retries": 1, "num_retries": 2}, "max_retries",
         "it differs from num_retries; give one of them"),
        ({"retry_strategy": "exponential_backoff_retry"}, "retry_strategy",
         "requests are made again by --sandbox-retries; take it out"),
        ({"request_timeout": 5}, "request_timeout", "write it as timeout"),
        ({"stream": True}, "stream", "replies are read whole; take it out"),
        ({"fallbacks": ["openai/other"]}, "fallbacks",
         "another model's answers would be counted as those of this one; take it out"),
    ],
)  # fmt: skip
def test_unsupported_parameters_are_refused(
    parameters: dict[str, Any], name: str, remedy: str
) -> None:
    with pytest.raises(ProviderError) as caught:
        retries_in("openai/stub", parameters)
    assert str(caught.value) == f"openai/stub: {name} in its parameters: {remedy}"


@every(
    ("headers", "pause"),
    [
        ({}, None),
        ({"retry-after": "0"}, 0),
        ({"retry-after": "1e10"}, 1e10),
        ({"retry-after": "1e400"}, None),
        ({"retry-after": "-7"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "7, 8"}, None),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after-ms": "nan", "retry-after": "7"}, 7),
        ({"retry-after-ms": "-1"}, None),
        ({"retry-after": "Thu, 01 Jan 2026 00:00:30 GMT"}, 30),
        ({"retry-after": "Thu, 01 Jan 2026 00:00:30"}, 30),
        ({"retry-after": "Thu, 01 Jan 2026 00:00:30 -0000"}, 30),
        ({"retry-after": "Wed, 31 Dec 2025 23:59:30 GMT"}, 0),
        ({"retry-after": "Fri, 31 Dec 9999 23:59:59 GMT"}, 251_635_075_199),
        ({"retry-after": "Fri, 31 Dec 99999 23:59:59 GMT"}, None),
        ({"retry-after": "Thu, 01 Jan 2026 00:00:30 +99999999999999999999"}, None),
    ],
)  # fmt: skip
def test_formats_of_a_pause(headers: dict[str, str], pause: float | None) -> None:
    assert asked_pause(headers, datetime(2026, 1, 1, tzinfo=UTC)) == pause


def test_listeners_hear_twice_a_second_that_a_request_waits() -> None:
    waits, heard, slept = Waits(), list[Waiting | None](), list[float]()
    with waits.heard(lambda: heard.append(waits.now())):
        waits.sleep(4, slept.append)
        assert (slept, heard) == ([4], [])
        waits.sleep(6.25, slept.append)
    assert sum(slept) == 4 + 6.25
    assert len(heard) == 12
    assert all(waiting and waiting.requests == 1 for waiting in heard)


def test_pauses_do_not_use_the_global_random_state() -> None:
    random.seed(7)
    before = random.getstate()
    pauses = {pause_before(3, ProviderError("no")) for _ in range(50)}
    assert random.getstate() == before
    assert len(pauses) > 40
    assert all(4 <= pause <= 8 for pause in pauses)
    assert pause_before(99, ProviderError("no")) <= retrying.LONGEST_PAUSE
