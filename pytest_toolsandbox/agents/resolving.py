"""From what ``--agent`` says to an agent."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.aliases import ALIASES, model_name
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.wording.nearest_name import did_you_mean

from .agent import Agent
from .loading import load_agent
from .scripted import counterexample, oracle
from .text_calling import NativeAgent, WritingAgent

ORACLE = "oracle"
COUNTEREXAMPLE = "counterexample"
WRITTEN = {ORACLE: "solution", COUNTEREXAMPLE: "counterexample"}
"""The agents that play what a scenario has written down, and what that is."""
FILE = re.compile(r"(.+)\.py(?::(.*))?$")


def resolve_agent(text: str, aliases: Mapping[str, str], scenario: Scenario | None) -> Agent:
    """Return the agent that ``text`` names, for a scenario where there is one.

    ``aliases`` are the user's own short names of models. Raises :class:`AgentError`.
    """
    kind, colon, name = text.partition(":")
    if kind in WRITTEN and colon and not name:
        raise AgentError(f"{text} names no {WRITTEN[kind]}; write {kind} for the first one")
    if kind in WRITTEN:
        if scenario is None:
            raise AgentError(f"{kind} plays what a scenario has written down, and nothing else")
        play = oracle if kind == ORACLE else counterexample
        return _as_called(scenario, play(scenario, name or None))
    if path := FILE.match(text):
        module = path[1].strip("./").replace("/", ".")
        raise AgentError(f"a module is named, not its file; write {module}:{path[2] or 'NAME'}")
    names = {**ALIASES, **aliases}
    if model := model_name(text, names):
        from pytest_toolsandbox.models.litellm_agent import ModelAgent

        return ModelAgent(model)
    if ":" in text:
        return load_agent(text)
    known = (ORACLE, COUNTEREXAMPLE, *names)
    allowed = (
        f"{ORACLE}[:NAME], {COUNTEREXAMPLE}[:NAME], {', '.join(names)}, provider/model, "
        "module:attribute"
    )
    raise AgentError(f"there is no such agent{did_you_mean(text, known)} (allowed: {allowed})")


def _as_called(scenario: Scenario, agent: NativeAgent) -> Agent:
    """Return an agent of ours in the form in which a scenario has tools called."""
    if scenario.call_format == "native":
        return agent
    return WritingAgent(agent, scenario.task.must_call)
