"""A conversation for people: numbered messages, tool calls as Python writes them.

What the program itself writes is ASCII, so that it looks the same in every terminal and log.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from pytest_toolsandbox.calls.json_arguments import read_arguments
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.messages import Message, Trajectory
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.wording.redaction import shown

LONGEST = 300
NAMES = {
    Role.SYSTEM: "system",
    Role.USER: "user",
    Role.AGENT: "agent",
    Role.EXECUTION_ENVIRONMENT: "environment",
}
WIDTH = len("environment -> agent")

UNTRIED = "more orders of these calls than can be tried: they happened as they are given"

Findings = Mapping[int, Sequence[str]]
"""The index of a message → what was found there."""


def transcript(trajectory: Trajectory, findings: Findings | None = None) -> Iterator[str]:
    """Yield a line for each message but the system's, and one for each finding below it.

    Long texts are cut. Where calls that were made at once happened in another order, their answers
    say to which they are.
    """
    requests = dict(_reordered(trajectory))
    for index, message in enumerate(trajectory.messages):
        if message.sender is not Role.SYSTEM:
            arrow = f"{NAMES[message.sender]} -> {NAMES[message.recipient]}"
            what = f"{requests.get(index, '')}{said(message)}"
            yield f"  [{index:>2}] {arrow:<{WIDTH}}  {what}".rstrip()
        for finding in (findings or {}).get(index, ()):
            yield f"       ^ {finding}"
        if index in trajectory.untried_orders:
            yield f"       ^ {UNTRIED}"


def said(message: Message) -> str:
    """Write what a message says, or the call that it is."""
    if message.call is None or message.sender is Role.EXECUTION_ENVIRONMENT:
        return shortened(message.content)
    text = f"{shortened(message.content)}  " if message.content else ""
    name, _ = message.call.written
    known_as = f"  (as {shortened(name)})" if name != message.call.name else ""
    return f"{text}{python_call(message.call)}{known_as}"


def _reordered(trajectory: Trajectory) -> Iterator[tuple[int | None, str]]:
    """Yield the answers to calls that happened in another order, with their requests in words."""
    pairs = itertools.pairwise(trajectory.calls)
    late = {a.batch for a, b in pairs if a.batch == b.batch and a.order > b.order}
    for call in trajectory.calls:
        if call.batch in late:
            yield call.answer, f"(to [{call.request}])  "


def python_call(call: ToolCall) -> str:
    """Write a call as Python would, ``name(argument='value')``, cut where it is long."""
    try:
        arguments = read_arguments(call.arguments)
    except (ValueError, TypeError):
        return shortened(f"{call.name}({call.arguments})")
    return shortened(f"{call.name}({', '.join(f'{k}={v!r}' for k, v in arguments.items())})")


def shortened(text: str, limit: int = LONGEST) -> str:
    """Write a text in one line, cut after ``limit`` characters, as it may be shown."""
    return shown(text, limit, mark="...")
