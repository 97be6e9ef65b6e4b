"""``toolsandbox try-agent``: shows what an agent is sent in a small scenario, and what it returns.

It prints what is malformed, so that a new agent can be connected before it plays suites. Of several
agents, it prints which can call tools and read results (ToolSandbox, table 10).
"""

from __future__ import annotations

import inspect
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final, Literal

from pytest_toolsandbox import agents as agents_room
from pytest_toolsandbox.agents.resolving import resolve_agent
from pytest_toolsandbox.agents.shapes import REPLIES, shape_of
from pytest_toolsandbox.agents.turn_taking import TurnTaker
from pytest_toolsandbox.calls.faults import faults_of
from pytest_toolsandbox.calls.text_format import TEXT_FORMATS, is_spoken_call
from pytest_toolsandbox.concurrency.event_loop import run_coroutine
from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.chat_replies import REMARKS
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.output.pages.wording import python_call
from pytest_toolsandbox.output.tables import TitledTable, written_tables
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.runs.trial import play_trial
from pytest_toolsandbox.text.formatting import format_value
from pytest_toolsandbox.text.redaction import redacted_line

from .parsing import CommandError
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
READING: Final = """
world: phone
summary: The user asks for something that only the result of a tool says.
tools: [search_contacts]
state:
  contact:
    added: [{name: Ada Okafor, phone_number: "+14155550123", relationship: godmother}]
user: {opening: What is Ada Okafor to me? It is in my contacts.}
milestones: {told: {says: {mentions: godmother}}}
solutions: {looks: [{search_contacts: {name: Ada Okafor}}, {say: She is your godmother.}]}
counterexamples: {guesses: [{say: She is a friend of yours.}]}
max_messages: 12
"""
_AGENTS_LOGGER: Final = agents_room.__name__
"""Logs what is sent to agents that are programs, services or MCP clients, and what they send."""
_MESSAGE_LIMIT: Final = 1000
"""Characters of a message that are shown."""


_CallFormat = Literal["native", "text", "react"]


def try_agent(
    agents: Sequence[str], call_format: _CallFormat, project: Project, *, table: bool
) -> int:
    """Play a small scenario and print all of it; return 1 if anything is malformed.

    With a ``table``, or of several agents, return 1 if an agent ended in an error.
    """
    if table or len(agents) > 1:
        return _print_table(list(dict.fromkeys(agents)), call_format, project)
    (agent,) = agents
    scenario = _scenario(SCENARIO)
    in_format = replace(scenario, call_format=call_format)
    resolved = _resolved(agent, in_format, project)
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


def _scenario(text: str) -> Scenario:
    (scenario,) = read_file(text.encode(), "try-agent", "try-agent")
    return scenario


def _resolved(agent: str, scenario: Scenario, project: Project) -> Any:
    try:
        return resolve_agent(agent, project.aliases, scenario)
    except AgentError as error:
        raise CommandError(f"try-agent: {error}") from error


def _print_table(agents: Sequence[str], call_format: _CallFormat, project: Project) -> int:
    """Print which agents make a valid call, and say what only the result of a call tells."""
    rows, errors = [], []
    for agent in agents:
        name = redacted_line(agent)
        trials = [_played(agent, text, call_format, project) for text in (SCENARIO, READING)]
        calls = any(map(_calls_a_tool, trials))
        features = (calls, trials[1].outcome == "passed" and bool(trials[1].trajectory.calls))
        rows.append((name, *("yes" if feature else "no" for feature in features)))
        reasons = dict.fromkeys(t.reason for t in trials if t.outcome == "error")
        errors += [f"error      {name}: {reason}" for reason in reasons]
    headings = ("", "calls tools", "reads results")
    table = TitledTable("model features (ToolSandbox, table 10)", headings, rows)
    print(written_tables([table], "text"))
    print(*(f"{line}\n" for line in errors), sep="", end="")
    return 1 if errors else 0


def _played(agent: str, text: str, call_format: _CallFormat, project: Project) -> Trial:
    scenario = _scenario(text)
    in_format = replace(scenario, call_format=call_format)
    resolved = _resolved(agent, in_format, project)
    if shape_of(resolved) == REPLIES:
        return play_trial(in_format, resolved)
    playing = TurnTaker(resolved)
    try:
        return play_trial(scenario, playing)
    finally:
        playing.close()


def _calls_a_tool(trial: Trial) -> bool:
    """Return whether an agent made a call that can be executed."""
    views = trial.scenario.tool_views
    return any(not [*faults_of(made.call, views)] for made in trial.trajectory.calls)


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
