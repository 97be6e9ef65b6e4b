"""What the default fixtures give: the agent and the embedder that the user asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_toolsandbox.agents.agent import Agent
from pytest_toolsandbox.agents.resolving import session_agent
from pytest_toolsandbox.matchers.embedding import Embedder, EmbedderError, Embeddings
from pytest_toolsandbox.models.aliases import NO_JUDGE, ModelNameError, named_model
from pytest_toolsandbox.models.errors import AgentError, JudgeError
from pytest_toolsandbox.models.litellm_agent import load_early
from pytest_toolsandbox.plugin.settings import Settings, settings_of
from pytest_toolsandbox.plugin.skipping import skip
from pytest_toolsandbox.users.resolving import SCRIPTED, OfModel, session_user
from pytest_toolsandbox.users.user import User, UserError, UserFactory

from .failure_repr import Failed

if TYPE_CHECKING:
    from pytest_toolsandbox.runs.judging import WordsJudge
    from pytest_toolsandbox.users.simulated.review import Reviewer

_AGENTS = pytest.StashKey[dict[str, Agent]]()
_JUDGE = pytest.StashKey["WordsJudge | str"]()
"""The judge of the session, or why there is none."""
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
    of_model = OfModel(
        style=settings.user_style,
        prompt=settings.user_prompt,
        retries=settings.user_retries,
        reviewer=_reviewer(settings),
    )
    try:
        is_asked = settings.record != "replay"
        return session_user(settings.user, settings.aliases, is_asked=is_asked, **of_model)
    except UserError as error:
        named = str(error).startswith(settings.user)
        text = f"--sandbox-user={error}" if named else f"--sandbox-user={settings.user}: {error}"
        raise Failed(text, pytrace=False) from None


def _reviewer(settings: Settings) -> Reviewer | None:
    if settings.user_review is None:
        return None
    from pytest_toolsandbox.users.simulated.review import Reviewer

    return Reviewer(_reviewing_model(settings.user_review, settings))


def session_judge(config: pytest.Config) -> WordsJudge | None:
    """Return the judge that ``--sandbox-judge`` names, one for all conversations, if it names any.

    With ``--sandbox-words=judged`` another stands for it, whose words are errors.

    Raises :class:`~pytest_toolsandbox.plugin.playing.failure_repr.Failed`.
    """
    settings = settings_of(config)
    if settings.judge is None or settings.judge == NO_JUDGE:
        from pytest_toolsandbox.runs.judging import DemandedJudge

        return DemandedJudge() if settings.words == "judged" else None
    if _JUDGE not in config.stash:
        config.stash[_JUDGE] = _judge(settings.judge, settings)
    if isinstance(judge := config.stash[_JUDGE], str):
        raise Failed(judge, pytrace=False)
    return judge


def _judge(text: str, settings: Settings) -> WordsJudge | str:
    """Return the judge of a name, or why there is none."""
    from pytest_toolsandbox.judges.resolving import resolve_judge
    from pytest_toolsandbox.runs.stopped_judge import LeftBehind

    is_asked = settings.record != "replay"
    try:
        votes = settings.judge_votes
        judge = resolve_judge(text, settings.aliases, is_asked=is_asked, votes=votes)
        return LeftBehind(judge)
    except JudgeError as error:
        named = str(error).startswith(text)
        return f"--sandbox-judge={error}" if named else f"--sandbox-judge={text}: {error}"


def _reviewing_model(text: str, settings: Settings) -> str:
    """Return the ``provider/model`` of a reviewer, and load what asks it, if it is asked."""
    try:
        model = named_model(text, settings.aliases)
    except ModelNameError as error:
        raise Failed(f"--sandbox-user-review: {error}", pytrace=False) from None
    if settings.record != "replay":
        load_early()
    return model


def default_agent(config: pytest.Config, name: str | None) -> Agent:
    """Return the agent of a name, for all conversations; without one, skip."""
    settings = settings_of(config)
    if name is None:
        skip("without agent", NO_AGENT)
    agents = config.stash.setdefault(_AGENTS, {})
    try:
        if name not in agents:
            is_asked = settings.record != "replay"
            agents[name] = session_agent(name, settings.aliases, is_asked=is_asked)
    except AgentError as error:
        raise Failed(str(error), pytrace=False) from None
    return agents[name]


def named_agent(request: pytest.FixtureRequest) -> str | None:
    """Return which agent plays: of several that which pytest is at, else that of ``--agent``."""
    named = settings_of(request.config).agent
    return getattr(request, "param", named[0] if named else None)
