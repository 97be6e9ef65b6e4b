"""What is counted of a turn that is cut off, of agents that report when a turn ends."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from pantry import scenario

from pytest_toolsandbox import play_trial
from pytest_toolsandbox.agents.toolbox import Toolbox
from pytest_toolsandbox.models.usage import Usage

PANTRY = scenario(
    """
    user: {opening: How much rice is there?, replies: [{when: which, say: The brown one.}]}
    solutions: {only: [{weigh: {name: rice}}, {say: Two.}]}
    """
)


class Late:
    """Asks which, and then calls tools without an end; it reports when a turn ends."""

    reports_at_the_end: ClassVar = False

    def run_turn(self, message: str, toolbox: Toolbox) -> str:
        while "brown" in message:
            toolbox.call("weigh", {"name": "rice"})
        toolbox.add_usage(input_tokens=7, output_tokens=3)
        return "Which rice?"


class Soon(Late):
    """Reports after each request."""

    async def run_turn(self, message: str, toolbox: Toolbox) -> str:  # type: ignore[override]  # or async
        while True:
            toolbox.add_usage(input_tokens=7, output_tokens=3)
            if "brown" not in message:
                return "Which rice?"
            await toolbox.call_async("weigh", {"name": "rice"})


class Silent:
    def run_turn(self, message: str, toolbox: Toolbox) -> str:
        while True:
            toolbox.call("weigh", {"name": message})


class AtTheEnd(Silent):
    reports_at_the_end: ClassVar = True


class Slow(Late):
    async def run_turn(self, message: str, toolbox: Toolbox) -> str:  # type: ignore[override]  # or async
        if "brown" in message:
            await asyncio.sleep(60)
        return super().run_turn(message, toolbox)


def used(agent: Any, max_messages: int = 8, timeout: float = 60.0) -> Usage | None:
    scene = replace(PANTRY, max_messages=max_messages, timeout=timeout)
    return play_trial(scene, agent).usage.get("agent")


UNKNOWN: dict[str, Any] = {"input_tokens": None, "output_tokens": None, "cached_tokens": None}
UNKNOWN |= {"reasoning_tokens": None, "cost": None}


@pytest.mark.parametrize("agent", [Late, Late()])
def test_a_turn_without_a_report_is_unknown_if_others_had_one(agent: Any) -> None:
    assert used(agent) == Usage(requests=1 + 3, **UNKNOWN)  # at least one for each call


def test_what_was_reported_before_the_end_is_known() -> None:
    counted = used(Soon)
    assert counted is not None
    assert (counted.requests, counted.input_tokens, counted.output_tokens) == (4, 28, 12)


def test_an_agent_that_reports_nothing_stays_silent() -> None:
    assert used(Silent) is None


def test_an_agent_that_is_known_to_report_at_the_end_is_unknown() -> None:
    assert used(AtTheEnd, max_messages=3) == Usage(requests=2, **UNKNOWN)


def test_a_turn_that_takes_too_long_is_unknown() -> None:
    assert used(Slow, timeout=0.5) == Usage(requests=1 + 1, **UNKNOWN)
