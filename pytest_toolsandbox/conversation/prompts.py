"""What an agent is told before anybody else speaks."""

from __future__ import annotations

from pytest_toolsandbox.calls.text_format import instructions
from pytest_toolsandbox.language.scenario import Scenario

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
    """Return what the agent is told: of its task, in a replay of the time and its user as well.

    Where it has to write its calls, it is told how, and what tools there are.
    """
    parts = [QUERY_PROMPT if scenario.query else " ".join([SYSTEM_PROMPT, *_facts(scenario)])]
    if scenario.call_format == "text":
        must_call = scenario.query is not None
        parts.append(instructions(scenario.tool_schemas, must_call=must_call))
    return "\n\n".join(parts)


def _facts(scenario: Scenario) -> list[str]:
    if scenario.replay is None:
        return []
    told = {
        "The user is in": scenario.replay.location,
        "It is": f"{scenario.now:%Y-%m-%d %H:%M:%S}",
        "The user's name is": scenario.replay.user,
    }
    return [f"{words} {value}." for words, value in told.items() if value is not None]
