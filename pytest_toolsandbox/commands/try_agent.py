"""``toolsandbox try-agent``: shows what an agent is sent in a small scenario, and what it returns.

It prints what is malformed, so that a new agent can be connected before it plays suites.
"""

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
from pytest_toolsandbox.calls.faults import faults_of
from pytest_toolsandbox.calls.text_format import TEXT_FORMATS, is_spoken_call
from pytest_toolsandbox.concurrency.event_loop import run_coroutine
from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.models.chat_replies import REMARKS
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.output.pages.wording import python_call
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.runs.trial import play_trial
from pytest_toolsandbox.text.formatting import format_value
from pytest_toolsandbox.text.redaction import redacted_line

from . import CommandError, argument, command
from .scenarios import Project

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
_AGENTS_LOGGER: Final = "pytest_toolsandbox.agents"
"""Logs what is sent to agents that are programs, services or MCP clients, and what they send."""
_MESSAGE_LIMIT: Final = 1000
"""Characters of a message that are shown."""


@command(
    "try-agent",
    argument("agent AGENT", "as --agent of pytest"),
    argument(
        "--call-format",
        "how the agent calls tools",
        choices=("native", "text", "react"),
        default="native",
    ),
    reads_ini=True,
)
def try_agent(agent: str, call_format: Literal["native", "text", "react"], project: Project) -> int:
    """Play a small scenario and print all of it; return 1 if anything is malformed."""
    (scenario,) = read_file(SCENARIO.encode(), "try-agent", "try-agent")
    in_format = replace(scenario, call_format=call_format)
    try:
        resolved = resolve_agent(agent, project.aliases, in_format)
    except AgentError as error:
        raise CommandError(f"try-agent: {error}") from error
    shape = shape_of(resolved)
    descriptions = {
        REPLIES: "replies to messages",
        "turns": "has run_turn",
        "factory": "is made for each conversation",
    }
    print(f"agent      {agent}, which {descriptions.get(shape, 'a framework has')}")
    playing = resolved if shape == REPLIES else TurnTaker(resolved)
    with _printed_log(), _kept_remarks() as remarks:
        # Only an agent that replies to messages writes calls itself.
        trial = play_trial(in_format if shape == REPLIES else scenario, _Printing(playing))
        if isinstance(playing, TurnTaker):
            playing.close()
    wrong = list(_malformed(trial))
    if not (wrong or trial.trajectory.calls or trial.outcome == "error"):
        wrong = ["no tool was called; does the agent hand the tools on to its model?"]
    print("", *(f"malformed  {line}" for line in wrong or ["nothing"]), sep="\n")
    print(*(f"remark     {line}\n" for line in remarks), sep="", end="")
    verdict = {"passed": "passed: it can play scenarios", "failed": "failed: the wifi is still off"}
    print(f"outcome    {verdict.get(trial.outcome) or f'{trial.outcome}: {trial.reason}'}")
    return 1 if wrong or trial.outcome == "error" else 0


class _Printing:
    """An agent that prints what it is sent and what it returns."""

    def __init__(self, agent: Any) -> None:
        self.agent = agent
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


@contextmanager
def _printed_log() -> Iterator[None]:
    """Print what agents outside of this process are sent and send, as it is."""

    class Printer(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            place, _, text = record.getMessage().partition(" ")
            print(f"{place:10} {redacted_line(text, _MESSAGE_LIMIT)}")

    logger, printer = logging.getLogger(_AGENTS_LOGGER), Printer()
    level = logger.level
    logger.addHandler(printer)
    logger.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        logger.removeHandler(printer)
        logger.setLevel(level)


@contextmanager
def _kept_remarks() -> Iterator[Mapping[str, None]]:
    """Keep the remarks about the settings of the model's server, each of them once."""
    remarks: dict[str, None] = {}

    class Keeper(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            remarks[record.getMessage()] = None

    keeper, level = Keeper(), REMARKS.level
    REMARKS.addHandler(keeper)
    REMARKS.setLevel(logging.INFO)
    try:
        yield remarks
    finally:
        REMARKS.removeHandler(keeper)
        REMARKS.setLevel(level)


def _line(message: Any) -> str:
    """Format a message in one line, as JSON if it can be."""
    value = message.model_dump(exclude_none=True) if hasattr(message, "model_dump") else message
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = f"{type(message).__module__}.{type(message).__qualname__}: {message!r}"
    return redacted_line(text, _MESSAGE_LIMIT)


def _malformed(trial: Trial) -> Iterator[str]:
    """Yield what no agent should send, in plain words."""
    scenario = trial.scenario
    for made in trial.trajectory.calls:
        for fault in faults_of(made.call, scenario.tool_views):
            advice = PATTERNS[fault.pattern].advice.format(
                found=format_value(fault.found), expected=fault.expected, argument=fault.argument
            )
            yield f"{python_call(made.call)}: {advice}"
    for message in trial.trajectory.messages:
        if message.sender is not Role.AGENT or message.call is not None:
            continue
        if message.recipient is not Role.USER:
            text = "a call should be here, and none can be read"
            yield f"{format_value(message.content)}: {text}"
        elif is_spoken_call(message.content, scenario.tool_views):
            remedy = "return it in tool_calls, or try --call-format text"
            if text_format := TEXT_FORMATS.get(scenario.call_format):
                remedy = f"write it as {format_value(text_format.form)}"
            text = f"this is a call in the words of the reply; {remedy}"
            yield f"{format_value(message.content)}: {text}"
    if trial.cause == "agent":
        yield f"{trial.reason}"
