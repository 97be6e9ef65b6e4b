"""``toolsandbox try-agent``: what an agent is sent in a small scenario, and what comes back."""

from __future__ import annotations

import inspect
import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final, Literal

from pytest_toolsandbox.agents.resolving import resolve_agent
from pytest_toolsandbox.agents.shapes import REPLIES, shape_of
from pytest_toolsandbox.agents.turn_taking import TurnTaker
from pytest_toolsandbox.calls.faults import Fault, faults_of
from pytest_toolsandbox.calls.text_format import TEXT_FORMATS, is_spoken_call
from pytest_toolsandbox.concurrency.event_loop import run_coroutine
from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.output.pages.wording import python_call
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.runs.trial import play_trial
from pytest_toolsandbox.text.formatting import format_value
from pytest_toolsandbox.text.redaction import redacted_line

from . import CommandError

SCENARIO: Final = """
world: phone
summary: The wifi is off, and the user wants it on.
tools: [get_wifi_status, set_wifi_status]
state: {setting: {wifi: false}}
user: {opening: Please turn on the wifi.}
milestones: {wifi_on: {state: {setting: {wifi: true}}}}
solutions: {directly: [{set_wifi_status: {on: true}}, {say: The wifi is on.}]}
counterexamples: {claims: [{say: The wifi is on.}]}
max_messages: 12
"""
_AGENTS: Final = "pytest_toolsandbox.agents"
"""The logger of what passes between us and agents."""
_LONGEST: Final = 1000
"""Characters of a message that are shown."""


def try_agent(
    agent: str, call_format: Literal["native", "text", "react"], aliases: Mapping[str, str]
) -> int:
    """Play a small scenario and print all of it; return 1 where anything is malformed."""
    (scenario,) = read_file(SCENARIO.encode(), "try-agent", "try-agent")
    try:
        named = resolve_agent(agent, aliases, replace(scenario, call_format=call_format))
    except AgentError as error:
        raise CommandError(f"try-agent: {error}") from error
    if shape_of(named) == REPLIES:  # others write no calls
        scenario = replace(scenario, call_format=call_format)
    print(f"agent      {agent}, which {_SHAPES.get(shape_of(named), 'a framework has')}")
    shown = _Shown(named)
    with _raw_lines():
        trial = play_trial(scenario, shown)
        shown.close()
    wrong = list(_malformed(trial)) or _idle(trial)
    print("", *(f"malformed  {line}" for line in wrong or ["nothing"]), sep="\n")
    verdict = {"passed": "passed: it can play scenarios", "failed": "failed: the wifi is still off"}
    print(f"outcome    {verdict.get(trial.outcome) or f'{trial.outcome}: {trial.reason}'}")
    return 1 if wrong or trial.outcome == "error" else 0


_SHAPES: Final = {
    REPLIES: "replies to messages",
    "turns": "has run_turn",
    "factory": "is made for each conversation",
}


class _Shown:
    """An agent that prints what it is sent and what it returns."""

    def __init__(self, agent: Any) -> None:
        self.agent = agent if shape_of(agent) == REPLIES else TurnTaker(agent)
        self.seen = 0

    def __call__(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        """Return what the agent returns."""
        if not self.seen and tools:
            names = ", ".join(tool["function"]["name"] for tool in tools)
            print(f"\nsent       {len(tools)} tools: {names}")
        for message in messages[self.seen :]:
            print(f"sent       {_line(message)}")
        self.seen = len(messages) + 1
        reply: Any = self.agent(messages, tools)
        if inspect.isawaitable(reply):
            reply = run_coroutine(reply)
        print(f"came back  {_line(reply)}")
        return reply

    def close(self) -> None:
        """End an agent that lives for a conversation."""
        if isinstance(self.agent, TurnTaker):
            self.agent.close()


class _Printing(logging.Handler):
    """Prints what programs, services and clients of MCP are sent and send, as it is."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print where something passed, and what."""
        place, _, text = record.getMessage().partition(" ")
        print(f"{place:10} {redacted_line(text, _LONGEST)}")


@contextmanager
def _raw_lines() -> Iterator[None]:
    logger, handler = logging.getLogger(_AGENTS), _Printing()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def _line(message: Any) -> str:
    """Write a message in one line, as JSON where it can be."""
    value = message.model_dump(exclude_none=True) if hasattr(message, "model_dump") else message
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = f"{type(message).__module__}.{type(message).__qualname__}: {message!r}"
    return redacted_line(text, _LONGEST)


def _malformed(trial: Trial) -> Iterator[str]:
    """Yield in plain words what no agent should send."""
    scenario, calls = trial.scenario, trial.trajectory.calls
    for made in calls:
        for fault in faults_of(made.call, scenario.tool_views):
            yield f"{python_call(made.call)}: {_advice(fault)}"
    said = [m for m in trial.trajectory.messages if m.sender is Role.AGENT and m.call is None]
    for message in said:
        if message.recipient is not Role.USER:
            yield f"{format_value(message.content)}: a call should be here, and none can be read"
        elif is_spoken_call(message.content, scenario.tool_views):
            yield f"{format_value(message.content)}: {_spoken(scenario.call_format)}"
    if trial.cause == "agent":
        yield f"{trial.reason}"


def _idle(trial: Trial) -> list[str]:
    if trial.trajectory.calls or trial.outcome == "error":
        return []
    return ["no tool was called; does the agent hand the tools on to its model?"]


def _spoken(call_format: str) -> str:
    found = "this is a call in the words of the reply"
    if written := TEXT_FORMATS.get(call_format):
        return f"{found}; write it as {format_value(written.form)}"
    return f"{found}; return it in tool_calls, or try --call-format text"


def _advice(fault: Fault) -> str:
    return PATTERNS[fault.pattern].advice.format(
        found=format_value(fault.found), expected=fault.expected, argument=fault.argument
    )
