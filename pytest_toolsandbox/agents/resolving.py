"""From what ``--agent`` says to an agent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, cast

from pytest_toolsandbox.calls.text_format import TEXT_FORMATS
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.aliases import ALIASES, model_name
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.models.litellm_agent import ModelAgent, load_early
from pytest_toolsandbox.users.human.terminal import NoTerminalError
from pytest_toolsandbox.wording.error_text import blamed
from pytest_toolsandbox.wording.import_strings import ExpectedCallable, import_object, made_of
from pytest_toolsandbox.wording.nearest_name import did_you_mean

from .absent import AbsentAgent
from .agent import Agent, closing_raised
from .per_conversation import PerConversation
from .programs import NAMES as PROGRAMS, program_agent
from .scripted import counterexample, oracle
from .shapes import FACTORY, REPLIES, shape_of, takes
from .text_calling import TextCallingAgent
from .turn_taking import close_made
from .unhelpful import unhelpful

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
