from __future__ import annotations

import threading
import time
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import pytest
from model_server import ModelServer, calls, fault, text

from pytest_toolsandbox.agents.agent import AgentCaller
from pytest_toolsandbox.agents.toolbox import Toolbox
from pytest_toolsandbox.concurrency import time_limit as countdown
from pytest_toolsandbox.models.errors import ProviderError
from pytest_toolsandbox.models.model_agent import ModelAgent
from pytest_toolsandbox.models.requests import (
    Ask,
    Limit,
    Limits,
    ModelReply,
    ModelRequest,
    RequestContext,
    asked_by,
    requests_in,
)
from pytest_toolsandbox.models.usage import Usage
from pytest_toolsandbox.users.user import ask_user

needs_litellm = pytest.mark.skipif(find_spec("litellm") is None, reason="needs litellm")
MESSAGES = [{"role": "user", "content": "Text Ada."}]
TOOL = {"type": "function", "function": {"name": "find", "parameters": {"type": "object"}}}
TOLD = {"prompt_tokens": 70, "completion_tokens": 9}


@pytest.fixture
def stub(model_server: ModelServer, client: str) -> ModelAgent:
    parameters = {"api_base": model_server.url, "api_key": "sk-testkey-0123456789"}
    return ModelAgent(f"{client}openai/stub", timeout=30, parameters=parameters)


def counted(usage: Usage) -> tuple[int, int | None, int | None, float | None]:
    return usage.requests, usage.input_tokens, usage.output_tokens, usage.cost


def test_requests_are_counted_for_whom_they_are_made(
    stub: ModelAgent, model_server: ModelServer
) -> None:
    model_server.will(*[text("Done.")] * 4)
    with requests_in(RequestContext()) as context:
        caller = AgentCaller(stub, 30.0)
        caller.ask(MESSAGES, [])
        caller.ask(MESSAGES, [])
        ask_user(lambda messages: stub(messages, [])["content"], MESSAGES, 30.0)
        with asked_by("reviewer"):
            stub(MESSAGES, [])
    used = context.meter.used()
    assert {asker: counted(usage) for asker, usage in used.items()} == {
        "agent": (2, 14, 6, None),  # of this model litellm knows no price
        "user": (1, 7, 3, None),
        "reviewer": (1, 7, 3, None),
    }
    assert all(usage.latency > 0 for usage in used.values())


@needs_litellm
def test_the_price_of_a_model_that_litellm_knows(
    stub: ModelAgent, model_server: ModelServer, client: str
) -> None:
    model_server.will(text("Done."))
    with requests_in(RequestContext()) as context:
        ModelAgent(f"{client}openai/gpt-4.1", parameters=stub.parameters)(MESSAGES, [])
    ((_, usage),) = context.meter.used().items()
    assert usage.cost == pytest.approx((7 * 2 + 3 * 8) / 1e6)  # dollars per million tokens


def test_a_request_that_was_not_sent_is_not_counted(stub: ModelAgent) -> None:
    """Such as one that a cassette lacks, or that is refused for the parameters of its model."""

    def lacks(*_: object) -> ModelReply:
        raise ProviderError("request 1 to the agent is not recorded")

    refused = replace(stub, parameters={"max_retries": -1})
    for agent, player in ((stub, lacks), (refused, None)):
        with requests_in(RequestContext(player=player)) as context, suppress(ProviderError):
            agent(MESSAGES, [])
        assert context.meter.used() == {}


def test_a_player_gets_the_request_and_may_ask_the_provider(
    stub: ModelAgent, model_server: ModelServer
) -> None:
    seen: list[tuple[ModelRequest, Any]] = []

    def player(request: ModelRequest, ask: Ask) -> ModelReply:
        reply = ask()
        seen.append((request, reply))
        return reply

    model_server.will(calls(("find", {})), fault(400, "no"))
    with requests_in(RequestContext(player=player)) as context, asked_by("agent"):
        replied = stub(MESSAGES, [TOOL])
        with pytest.raises(ProviderError, match="rejects the request"):
            stub(MESSAGES, [TOOL])
    ((request, reply),) = seen
    assert request == ModelRequest(
        "completion",
        stub.model,
        stub.parameters,
        {"messages": MESSAGES, "tools": [TOOL]},
        "agent",
    )
    assert reply.answer == replied
    assert reply.finish_reason == "tool_calls"
    used = replace(reply.usage, requests=2)  # also the one that failed
    assert context.meter.used() == {"agent": used}


def test_a_player_may_answer_in_place_of_the_provider() -> None:
    """Without a server, without a key, without litellm."""
    usage = Usage(1, input_tokens=5, output_tokens=2)
    kept = ModelReply({"role": "assistant", "content": "Kept."}, "stop", usage)
    with requests_in(RequestContext(player=lambda _request, _ask: kept)) as context:
        replied = ModelAgent("nobody/nothing")(MESSAGES, [])
    assert replied == kept.answer
    assert list(context.meter.used().values()) == [usage]


async def _asynchronous(_messages: object, _tools: object) -> dict[str, Any]:
    return {"content": "Done.", "usage": TOLD}


@pytest.mark.parametrize(
    "agent",
    [
        lambda _messages, _tools: {"content": "Done.", "usage": TOLD},
        _asynchronous,
        lambda _messages, _tools: type("Message", (), {"usage": TOLD})(),
    ],
    ids=["plain", "async", "an object"],
)
def test_usage_in_a_reply_is_counted(agent: Any) -> None:
    with requests_in(RequestContext()) as context:
        AgentCaller(agent, 5.0).ask(MESSAGES, [])
    assert {who: counted(usage) for who, usage in context.meter.used().items()} == {
        "agent": (1, 70, 9, None)
    }


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": "many"}, "70"])
def test_a_reply_without_usage_is_not_counted(usage: Any) -> None:
    with requests_in(RequestContext()) as context:
        AgentCaller(lambda _m, _t: {"content": "Done.", "usage": usage}, 5.0).ask(MESSAGES, [])
    assert context.meter.used() == {}


class _Assistant:
    def run_turn(self, _message: str, toolbox: Toolbox) -> str:
        toolbox.add_usage(TOLD)
        toolbox.add_usage(requests=2, input_tokens=30, output_tokens=1, cost=0.25)
        return "Done."


def test_add_usage_counts_usage() -> None:
    agent: Any = _Assistant()
    messages = [{"role": "system", "content": "Be brief."}, *MESSAGES]
    with requests_in(RequestContext()) as context, AgentCaller(agent, 5.0) as caller:
        caller.ask(messages, [])
    assert {who: counted(usage) for who, usage in context.meter.used().items()} == {
        "agent": (3, 100, 10, None)  # what the first of them costs is not known
    }


@pytest.mark.parametrize(
    ("numbers", "line"),
    [
        ([7], "add_usage: expected input_tokens and output_tokens, found an int"),
        ([{}], "add_usage: expected input_tokens and output_tokens, found a dict"),
        ([], "add_usage: expected input_tokens and output_tokens, found nothing"),
    ],
)
def test_add_usage_rejects_malformed_usage(numbers: list[Any], line: str) -> None:
    with pytest.raises(ValueError, match="add_usage") as caught:
        Toolbox([]).add_usage(*numbers)
    assert str(caught.value) == line


LONG = 300.0


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def answer(limit: Limit, times: int) -> None:
    for _ in range(times):
        limit.succeeded()


def test_it_doubles_after_each_clean_round_until_the_cap() -> None:
    limit, sizes = Limit(), []
    for answers in (19, 1, 40, 79, 1, 500):
        answer(limit, answers)
        sizes.append(limit.size)
    assert sizes == [20, 40, 80, 80, 100, 100]


def test_it_shrinks_once_in_an_episode_and_then_grows_slowly() -> None:
    clock, sizes = Clock(), []
    limit = Limit(clock=clock)
    for now, wait in ((0.0, None), (14.9, None), (15.0, 2.0), (16.9, None), (17.0, None)):
        clock.now = now
        limit.refused(wait)
        sizes.append(limit.size)
    assert sizes == [16, 16, pytest.approx(12.8), pytest.approx(12.8), pytest.approx(10.24)]
    clock.now = 100.0
    limit.refused(None)
    assert limit.size == 10  # the floor
    answer(limit, 10)
    assert limit.size == 11
    answer(limit, 11)
    assert limit.size == 12


def test_another_error_restarts_the_round() -> None:
    limit = Limit()
    answer(limit, 19)
    limit.failed()
    answer(limit, 19)
    assert limit.size == 20
    limit.succeeded()
    assert limit.size == 40


@pytest.mark.parametrize(
    ("share", "figures"), [(1, (20, 10, 100)), (2, (10, 5, 50)), (8, (2, 1, 12)), (64, (1, 1, 1))]
)
def test_processes_share_it(share: int, figures: tuple[int, int, int]) -> None:
    limit = Limits(share).of("openai/stub")
    assert (limit.size, limit.floor, limit.cap) == figures


def test_each_model_has_its_own_limit() -> None:
    limits = Limits()
    assert limits.of("openai/a") is limits.of("openai/a")
    assert limits.of("openai/a") is not limits.of("openai/b")


def test_the_limit_bounds_concurrent_requests() -> None:
    limit = Limits(share=10).of("openai/stub")  # two
    under_way: list[int] = []
    inside, go = threading.Semaphore(0), threading.Event()

    def ask() -> None:
        with limit.place():
            under_way.append(limit.under_way)
            inside.release()
            go.wait(LONG)

    threads = [threading.Thread(target=ask) for _ in range(5)]
    for thread in threads:
        thread.start()
    assert inside.acquire(timeout=LONG)
    assert inside.acquire(timeout=LONG)
    assert len(under_way) == 2
    go.set()
    for thread in threads:
        thread.join(LONG)
    assert len(under_way) == 5
    assert max(under_way) == 2
    assert limit.under_way == 0


def test_waiting_for_a_place_does_not_count_against_the_timeout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limit = Limits(share=20).of("openai/stub")  # one
    took, held, clock = threading.Event(), threading.Event(), Clock()
    monkeypatch.setattr(countdown, "time", SimpleNamespace(monotonic=clock))

    def hold() -> None:
        with limit.place():
            took.set()
            held.wait(LONG)

    threading.Thread(target=hold, daemon=True).start()
    assert took.wait(LONG)
    with countdown.counting_down(LONG) as running:

        def let_go() -> None:
            while not running.was_stopped:
                time.sleep(0.001)
            clock.now += 100
            held.set()

        threading.Thread(target=let_go, daemon=True).start()
        with limit.place():
            assert clock.now == 100
        assert running.spent == 0
