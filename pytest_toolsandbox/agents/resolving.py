"""From what ``--agent`` says to an agent."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_toolsandbox.language.scenario import Scenario

from .agent import Agent, AgentError
from .aliases import ALIASES, model_name
from .loading import load_agent
from .oracle import counterexample, oracle

ORACLE = "oracle"
COUNTEREXAMPLE = "counterexample"


def resolve_agent(text: str, aliases: Mapping[str, str], scenario: Scenario | None) -> Agent:
    """Return the agent that ``text`` names, for a scenario where there is one.

    ``aliases`` are the user's own short names of models. Raises :class:`AgentError`.
    """
    kind, _, name = text.partition(":")
    if text == ORACLE or kind == COUNTEREXAMPLE:
        if scenario is None:
            raise AgentError(f"{kind} plays what a scenario has written down, and nothing else")
        return oracle(scenario) if text == ORACLE else counterexample(scenario, name or None)
    names = {**ALIASES, **aliases}
    if model := model_name(text, names):
        from .model import ModelAgent

        return ModelAgent(model)
    if ":" in text:
        return load_agent(text)
    allowed = (
        f"{ORACLE}, {COUNTEREXAMPLE}[:NAME], {', '.join(names)}, provider/model, module:attribute"
    )
    raise AgentError(f"there is no such agent; allowed are {allowed}")
