"""Resolve the value of ``--agent`` to an agent: scripted, a model, a program or an import path."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, cast

from pytest_toolsandbox.calls.text_format import TEXT_FORMATS
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.aliases import ALIASES, model_name
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.models.model_agent import ModelAgent, load_client
from pytest_toolsandbox.text.error_text import blamed
from pytest_toolsandbox.text.import_strings import ExpectedCallable, import_object, made_of
from pytest_toolsandbox.text.nearest_name import did_you_mean
from pytest_toolsandbox.users.human import NoTerminalError

from .agent import Agent, PerConversation, closing_error
from .programs import NAMES as PROGRAMS, program_agent
from .scripted import TextCallingAgent, counterexample, oracle, unhelpful
from .shapes import FACTORY, REPLIES, AbsentAgent, shape_of, takes
from .turn_taking import close_made

_ORACLE: Final = "oracle"
_COUNTEREXAMPLE: Final = "counterexample"
UNHELPFUL: Final = "unhelpful"
_HUMAN: Final = "human"
SCRIPTED: Final = {
    _ORACLE: ("solution", oracle),
    _COUNTEREXAMPLE: ("counterexample", counterexample),
}
"""The agents that play a script of the scenario: the kind of script, and their factory."""
_FILE: Final = re.compile(r"(.+)\.py(?::(.*))?$")
_EXPECTED: Final = ExpectedCallable(
    ("messages", "tools"),
    "an agent takes (messages, tools) or has run_turn(message, toolbox), and a factory, which "
    "makes one, takes nothing",
    "an async factory; an agent may be async, a factory not",
    "names no agent; write module:attribute",
    AgentError,
    lambda value: shape_of(value) not in (REPLIES, FACTORY),
)


def resolve_agent(
    text: str, aliases: Mapping[str, str], scenario: Scenario | None, *, is_asked: bool = True
) -> Agent:
    """Return the agent that ``text`` names; ``aliases`` are the user's. Raises ``AgentError``.

    If it is not asked, since its replies are recorded, it need not be installed.
    """
    if text.partition(":")[0] in SCRIPTED:
        return _scripted_agent(text, scenario)
    if text == UNHELPFUL:
        return unhelpful
    names = {**ALIASES, **aliases}
    if is_asked:
        return _asked_agent(text, names)
    model = model_name(text, names)
    return ModelAgent(model) if model else AbsentAgent()


def _scripted_agent(text: str, scenario: Scenario | None) -> Agent:
    kind, colon, name = text.partition(":")
    script, make = SCRIPTED[kind]
    if colon and not name:
        raise AgentError(f"{text} names no {script}; write {kind} for the first one")
    if scenario is None:
        raise AgentError(f"{kind} plays a script of a scenario, and there is no scenario")
    agent = make(scenario, name or None)
    written = TEXT_FORMATS.get(scenario.call_format)
    return TextCallingAgent(agent, scenario.task.must_call, written) if written else agent


def _asked_agent(text: str, names: Mapping[str, str]) -> Agent:
    if text == _HUMAN:
        return _human()
    if program := program_agent(text):
        return cast("Agent", program)
    if path := _FILE.match(text):
        module = path[1].strip("./").replace("/", ".")
        raise AgentError(f"a module is named, not its file; write {module}:{path[2] or 'NAME'}")
    if model := model_name(text, names):
        load_client(model)  # now, as a fixture may wrap the model in a function
        return ModelAgent(model)
    if ":" in text:
        return load_agent(text)
    known = (*SCRIPTED, UNHELPFUL, _HUMAN, *names, *PROGRAMS)
    allowed = (
        f"{_ORACLE}[:NAME], {_COUNTEREXAMPLE}[:NAME], {UNHELPFUL}, {_HUMAN}, {', '.join(names)}, "
        f"provider/model, module:attribute, {', '.join(PROGRAMS)}"
    )
    raise AgentError(f"there is no such agent{did_you_mean(text, known)} (allowed: {allowed})")


def session_agent(text: str, aliases: Mapping[str, str], *, is_asked: bool = True) -> Agent:
    """Return the agent that ``text`` names, for the conversations of all scenarios.

    Scripted agents, agents that a factory makes, and placeholders of recorded agents are made for
    each conversation. Raises ``AgentError``, which names the option.
    """

    def of(scenario: Scenario | None) -> Agent:
        try:
            return resolve_agent(text, aliases, scenario, is_asked=is_asked)
        except AgentError as error:
            is_named = str(error).startswith(text)
            line = f"--agent={error}" if is_named else f"--agent={text}: {error}"
            raise AgentError(line) from error

    if text.partition(":")[0] in SCRIPTED:
        return PerConversation(of, is_shared=True)
    agent = of(None)
    if not is_asked:
        return agent if type(agent) is ModelAgent else PerConversation(of)
    is_import_string = (
        ":" in text and not program_agent(text) and not model_name(text, {**ALIASES, **aliases})
    )
    if not is_import_string or agent is import_object(text, _EXPECTED):
        return agent
    return PerConversation(of, agent)


def _human() -> Agent:
    from .human import HumanAgent

    try:
        return HumanAgent()
    except NoTerminalError as error:
        raise AgentError(f"{_HUMAN} {error}") from None


def load_agent(reference: str) -> Agent:
    """Return the agent that ``module:attribute`` names or makes. Raises ``AgentError``.

    A factory of agents that take turns is itself returned, to make one for each conversation.
    """
    named = import_object(reference, _EXPECTED)
    if takes(named, "toolbox"):
        return cast("Agent", named)
    agent = made_of(named, reference, _EXPECTED)
    if agent is not named and shape_of(agent) != REPLIES:
        with blamed(closing_error):
            close_made(agent)
        return cast("Agent", named)
    return cast("Agent", agent)
