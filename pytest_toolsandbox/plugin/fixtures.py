"""What the default fixtures give: the agent and the embedder that the user asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_toolsandbox.agents.agent import Agent
from pytest_toolsandbox.agents.resolving import resolve_agent
from pytest_toolsandbox.matchers.embedding import Embedder, EmbedderError, Embeddings
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.users.resolving import SCRIPTED, OfModel, resolve_reviewer, resolve_user
from pytest_toolsandbox.users.user import User, UserError, UserFactory

from .collecting import skip
from .failure_repr import Failed
from .items import AGENT, USER, ScenarioItem
from .settings import Settings, settings_of

if TYPE_CHECKING:
    from pytest_toolsandbox.users.simulated.review import Reviewer

NO_AGENT = "no agent: give --agent=NAME, or define a fixture named 'agent' in a conftest.py"


def default_embedder(config: pytest.Config) -> Embedder | None:
    """Return the embedder that the ini file names, which remembers vectors for the session."""
    text = settings_of(config).embedder
    if text is None:
        return None
    from pytest_toolsandbox.models.embedders import resolve_embedder

    try:
        return Embeddings(resolve_embedder(text))
    except EmbedderError as error:
        raise Failed(f"sandbox_embedder: {error}", pytrace=False) from None


def default_user(request: pytest.FixtureRequest) -> User | UserFactory | None:
    """Return the user that ``--sandbox-user`` names, ``None`` for the scenario's own script."""
    settings = settings_of(request.config)
    if settings.user == SCRIPTED:
        return None
    request.node.stash[USER] = settings.user
    of_model = OfModel(
        style=settings.user_style,
        prompt=settings.user_prompt,
        retries=settings.user_retries,
        reviewer=_reviewer(settings),
    )
    try:
        return resolve_user(settings.user, settings.aliases, **of_model)
    except UserError as error:
        named = str(error).startswith(settings.user)
        text = f"--sandbox-user={error}" if named else f"--sandbox-user={settings.user}: {error}"
        raise Failed(text, pytrace=False) from None


def _reviewer(settings: Settings) -> Reviewer | None:
    if settings.user_review is None:
        return None
    try:
        return resolve_reviewer(settings.user_review, settings.aliases)
    except UserError as error:
        raise Failed(f"--sandbox-user-review: {error}", pytrace=False) from None


def default_agent(request: pytest.FixtureRequest) -> Agent:
    """Return the agent that ``--agent`` names; without one, skip."""
    settings = settings_of(request.config)
    if settings.agent is None:
        skip(request.node, "without agent", NO_AGENT)
    request.node.stash[AGENT] = settings.agent
    scenario = request.node.scenario if isinstance(request.node, ScenarioItem) else None
    try:
        return resolve_agent(settings.agent, settings.aliases, scenario)
    except AgentError as error:
        named = str(error).startswith(settings.agent)
        text = f"--agent={error}" if named else f"--agent={settings.agent}: {error}"
        raise Failed(text, pytrace=False) from None
