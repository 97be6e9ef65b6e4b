"""From what ``--agent`` says to an agent.

An agent that knows native calls, where calls have to be written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from pytest_toolsandbox.calls.text_format import (
    OBSERVATION,
    TEXT,
    TEXT_FORMATS,
    TextFormat,
    call_text,
    read_call_text,
    with_call_text,
)
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.aliases import ALIASES, model_name
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.models.litellm_agent import ModelAgent, load_early
from pytest_toolsandbox.text.error_text import blamed
from pytest_toolsandbox.text.import_strings import ExpectedCallable, import_object, made_of
from pytest_toolsandbox.text.nearest_name import did_you_mean
from pytest_toolsandbox.users.human import NoTerminalError

from .agent import Agent, ChatMessage, ChatReply, PerConversation, closing_raised
from .programs import NAMES as PROGRAMS, program_agent
from .scripted import counterexample, oracle, unhelpful
from .shapes import FACTORY, REPLIES, AbsentAgent, shape_of, takes
from .turn_taking import close_made


@dataclass(frozen=True)
class TextCallingAgent:
    """Writes the calls of an agent that makes native ones, and reads to it what came of them.

    Where every reply has to be a call (``must_call``) it calls ``finish`` with what the agent says.
    """

    agent: Callable[[list[ChatMessage], list[dict[str, Any]]], ChatReply]
    must_call: bool = False
    written: TextFormat = TEXT

    def __call__(self, messages: list[ChatMessage], tools: list[dict[str, Any]]) -> str:
        """Return the reply of the agent as text."""
        reply = self.agent(read_messages(messages, self.written), tools)
        if isinstance(reply, str):
            answer = json.dumps({"answer": reply}, ensure_ascii=False)
            finish = call_text("finish", answer, self.written)
            return finish if self.must_call else self.written.marked(reply)
        return str(with_call_text([reply], self.written)[0]["content"])


def read_messages(messages: Sequence[ChatMessage], written: TextFormat = TEXT) -> list[ChatMessage]:
    """Return messages in which written calls, and the results after them, are what they mean."""
    read: list[ChatMessage] = []
    waiting: list[str] = []
    for place, message in enumerate(messages):
        if message["role"] == "assistant":
            read.append(_with_calls(message, place, written))
            waiting = [call["id"] for call in read[-1].get("tool_calls", ())]
        elif waiting and message["content"].startswith(OBSERVATION):
            content = message["content"].removeprefix(OBSERVATION)
            read.append({"role": "tool", "tool_call_id": waiting.pop(0), "content": content})
        else:
            read.append(message)
    return read


def _with_calls(message: ChatMessage, place: int, written: TextFormat) -> ChatMessage:
    found = read_call_text(message["content"], must_call=False, written=written)
    if found is None:
        return message
    if not found.calls:
        return {**message, "content": found.said}
    calls = [
        {"id": f"{place}-{i}", "type": "function", "function": {"name": name, "arguments": given}}
        for i, (name, given) in enumerate(found.calls)
    ]
    return {"role": "assistant", "content": found.said or None, "tool_calls": calls}


ORACLE = "oracle"
COUNTEREXAMPLE = "counterexample"
UNHELPFUL = "unhelpful"
HUMAN = "human"
WRITTEN = {ORACLE: ("solution", oracle), COUNTEREXAMPLE: ("counterexample", counterexample)}
"""The agents that play what a scenario has written down: what that is, and how they are made."""
FILE = re.compile(r"(.+)\.py(?::(.*))?$")
_EXPECTED: Final = ExpectedCallable(
    ("messages", "tools"),
    "an agent takes (messages, tools) or has run_turn(message, toolbox), and a factory, which "
    "makes one, takes nothing",
    "an async factory; an agent may be async, a factory not",
    "names no agent; write module:attribute",
    AgentError,
    lambda found: shape_of(found) not in (REPLIES, FACTORY),
)


def resolve_agent(
    text: str, aliases: Mapping[str, str], scenario: Scenario | None, *, is_asked: bool = True
) -> Agent:
    """Return the agent that ``text`` names; ``aliases`` are the user's. Raises ``AgentError``.

    Of one that is not asked, since its replies are recorded, nothing has to be installed.
    """
    if text.partition(":")[0] in WRITTEN:
        return _written_agent(text, scenario)
    if text == UNHELPFUL:
        return unhelpful
    names = {**ALIASES, **aliases}
    if is_asked:
        return _asked_agent(text, names)
    model = model_name(text, names)
    return ModelAgent(model) if model else AbsentAgent()


def _written_agent(text: str, scenario: Scenario | None) -> Agent:
    kind, colon, name = text.partition(":")
    what, make = WRITTEN[kind]
    if colon and not name:
        raise AgentError(f"{text} names no {what}; write {kind} for the first one")
    if scenario is None:
        raise AgentError(f"{kind} plays what a scenario has written down, and nothing else")
    agent = make(scenario, name or None)
    written = TEXT_FORMATS.get(scenario.call_format)
    return TextCallingAgent(agent, scenario.task.must_call, written) if written else agent


def _asked_agent(text: str, names: Mapping[str, str]) -> Agent:
    if text == HUMAN:
        return human()
    if program := program_agent(text):
        return cast("Agent", program)
    if path := FILE.match(text):
        module = path[1].strip("./").replace("/", ".")
        raise AgentError(f"a module is named, not its file; write {module}:{path[2] or 'NAME'}")
    if model := model_name(text, names):
        load_early()  # a fixture may hand it on in a function of its own
        return ModelAgent(model)
    if ":" in text:
        return load_agent(text)
    known = (ORACLE, COUNTEREXAMPLE, UNHELPFUL, HUMAN, *names, *PROGRAMS)
    allowed = (
        f"{ORACLE}[:NAME], {COUNTEREXAMPLE}[:NAME], {UNHELPFUL}, {HUMAN}, {', '.join(names)}, "
        f"provider/model, module:attribute, {', '.join(PROGRAMS)}"
    )
    raise AgentError(f"there is no such agent{did_you_mean(text, known)} (allowed: {allowed})")


def session_agent(text: str, aliases: Mapping[str, str], *, is_asked: bool = True) -> Agent:
    """Return the agent that ``text`` names, for the conversations of all scenarios.

    Those that play what a scenario has written down, and what a factory makes, are one for each
    conversation, and so is what stands for an agent that is not asked. Raises ``AgentError``, which
    names the option.
    """

    def of(scenario: Scenario | None) -> Agent:
        try:
            return resolve_agent(text, aliases, scenario, is_asked=is_asked)
        except AgentError as error:
            named = str(error).startswith(text)
            told = f"--agent={error}" if named else f"--agent={text}: {error}"
            raise AgentError(told) from error

    if text.partition(":")[0] in WRITTEN:
        return PerConversation(of, is_shared=True)
    agent = of(None)
    if not is_asked:
        return agent if type(agent) is ModelAgent else PerConversation(of)
    is_own = (
        ":" in text and not program_agent(text) and not model_name(text, {**ALIASES, **aliases})
    )
    if not is_own or agent is import_object(text, _EXPECTED):
        return agent
    return PerConversation(of, agent)


def human() -> Agent:
    """Return the agent that somebody at the terminal plays. Raises ``AgentError``."""
    from .human import HumanAgent

    try:
        return HumanAgent()
    except NoTerminalError as error:
        raise AgentError(f"{HUMAN} {error}") from None


def load_agent(reference: str) -> Agent:
    """Return the agent that ``module:attribute`` names, or makes. Raises ``AgentError``.

    A factory of agents that take turns is returned as it is, to make one for each conversation.
    """
    found = import_object(reference, _EXPECTED)
    if takes(found, "toolbox"):
        return cast("Agent", found)
    agent = made_of(found, reference, _EXPECTED)
    if agent is not found and shape_of(agent) != REPLIES:
        with blamed(closing_raised):
            close_made(agent)
        return cast("Agent", found)
    return cast("Agent", agent)
