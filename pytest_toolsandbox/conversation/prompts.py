"""What an agent is told before anybody else speaks."""

from __future__ import annotations

from pytest_toolsandbox.calls.text_format import instructions
from pytest_toolsandbox.language.protocol import protocol_of
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Replay

SYSTEM_PROMPT = (
    "You act for the user by calling the tools that you are given. "
    "If something that a tool needs is missing and no tool can find it out, ask the user for it "
    "rather than making it up. When you are done, or cannot go on, say so."
)
QUERY_PROMPT = (
    "You answer a question by calling the tools that you are given. Nobody can tell you more than "
    "the question says. Take every fact of the answer from what the tools return, and call no tool "
    "and give no argument that is not there; leave aside what no tool can do. "
    "When you know the answer, call finish with it."
)


def system_prompt(scenario: Scenario) -> str:
    """Return what the agent is told: of its task, and if it has to write its calls, how.

    Then it is told what tools there are, too.
    """
    parts = [protocol_of(scenario).prompt(scenario) or SYSTEM_PROMPT]
    if scenario.call_format == "text":
        parts.append(instructions(scenario.tool_schemas, must_call=scenario.task.must_call))
    return "\n\n".join(parts)


def replay_prompt(scenario: Scenario) -> str:
    """Return what the agent is told of a recorded conversation: also time, place and user."""
    task = scenario.task_as(Replay)
    told = {
        "The user is in": task.location,
        "It is": f"{scenario.now:%Y-%m-%d %H:%M:%S}",
        "The user's name is": task.user_name,
    }
    facts = [f"{words} {value}." for words, value in told.items() if value is not None]
    return " ".join([SYSTEM_PROMPT, *facts])
