"""What the default fixtures give: the agent and the embedder that the user asked for.

Which fixtures an item needs, and which of them pytest has set up for the whole session.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from pytest_toolsandbox.agents.agent import Agent
from pytest_toolsandbox.agents.resolving import session_agent
from pytest_toolsandbox.matchers.embedding import Embedder, EmbedderError, Embeddings
from pytest_toolsandbox.models.aliases import NO_JUDGE, ModelNameError, named_model
from pytest_toolsandbox.models.errors import AgentError, JudgeError
from pytest_toolsandbox.models.litellm_agent import preload_litellm
from pytest_toolsandbox.plugin.marks import skip
from pytest_toolsandbox.plugin.settings import Settings, settings_of
from pytest_toolsandbox.plugin.stash import PLUGIN
from pytest_toolsandbox.users.resolving import SCRIPTED, ModelUserOptions, session_user
from pytest_toolsandbox.users.user import User, UserError, UserFactory

from .failure_repr import Failed

if TYPE_CHECKING:
    from pytest_toolsandbox.runs.judging import WordsJudge
    from pytest_toolsandbox.users.simulated.model_user import Reviewer


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
    of_model = ModelUserOptions(
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
    from pytest_toolsandbox.users.simulated.model_user import Reviewer

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
    from pytest_toolsandbox.scoring.judges.resolving import resolve_judge

    is_asked = settings.record != "replay"
    try:
        votes = settings.judge_votes
        return resolve_judge(text, settings.aliases, is_asked=is_asked, votes=votes)
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
        preload_litellm()
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


WHICH_AGENT = "sandbox_agent"
"""The fixture that says which agent plays, of several that are named."""
OURS = frozenset({"request", "sandbox_augmentation", "sandbox_feedback", "sandbox_prompt"})
"""What says of an item how it is played, and sets nothing up."""


class NotReadyError(Exception):
    """A fixture of the session is not set up yet, or would be set up anew."""


def definitions(item: pytest.Function) -> Iterator[tuple[str, Any]]:
    """Yield the fixtures of an item by name, those that override others, and ``autouse`` ones."""
    info = item._fixtureinfo  # noqa: SLF001  # private to pytest, which tells it in no other way
    known = OURS | {WHICH_AGENT, "agent"} if has_free_agent(item) else OURS
    for name in info.names_closure:
        if name not in known and (found := info.name2fixturedefs.get(name)):
            yield name, found[-1]


def narrower(item: pytest.Function) -> str | None:
    """Return the name of a fixture that is narrower than the session, if the item needs one."""
    return next((name for name, one in definitions(item) if one.scope != "session"), None)


def has_free_agent(item: pytest.Function) -> bool:
    """Whether one of several agents plays that no fixture but our own asks for.

    It is known whichever agent pytest is at, so that those of others wait for none.
    """
    if not hasattr(item, "callspec") or WHICH_AGENT not in item.callspec.params:
        return False
    found = item._fixtureinfo.name2fixturedefs  # noqa: SLF001  # as above
    asked = {"agent", WHICH_AGENT, "request"}
    others = (one for some in found.values() for one in some if one.func.__module__ != PLUGIN)
    return not any(one.argname == "agent" or asked & set(one.argnames) for one in others)


def values(item: pytest.Function) -> dict[str, Any]:
    """Return the values of an item's fixtures, all of the session. Raises ``NotReadyError``."""
    found = {name: _value(item, name, one) for name, one in definitions(item)}
    return found | ({"agent": default_value(item, "agent")} if has_free_agent(item) else {})


def value_of(item: pytest.Function, name: str) -> Any:
    """Return the value of one fixture of the session. Raises ``NotReadyError``."""
    found = dict(definitions(item)).get(name)
    if found is None or found.scope != "session":
        raise NotReadyError
    return _value(item, name, found)


def other_parameters(item: pytest.Function) -> set[Any]:
    """Return the fixtures that pytest sets up anew for an item, since its parameters are others."""
    return {one for name, one in definitions(item) if _is_of_another(item, name, one)}


def needs(item: pytest.Function, fixtures: set[Any]) -> bool:
    """Whether an item needs one of some fixtures."""
    return bool(fixtures) and any(one in fixtures for _, one in definitions(item))


def _value(item: pytest.Function, name: str, definition: Any) -> Any:
    if definition.cached_result is None or _is_of_another(item, name, definition):
        raise NotReadyError
    value, _, error = definition.cached_result
    if error is not None:
        raise NotReadyError
    return value


def _is_of_another(item: pytest.Function, name: str, definition: Any) -> bool:
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    if definition.cached_result is None or name not in parameters:
        return False
    return definition.cached_result[1] is not parameters[name]


def default_value(item: pytest.Function, name: str) -> Any:
    """Return what our own fixture of a name gave, where that of an item is it or asks for it."""
    if name == "agent" and has_free_agent(item):
        return default_agent(item.config, str(item.callspec.params[WHICH_AGENT]))
    found = item._fixtureinfo.name2fixturedefs.get(name, ())  # noqa: SLF001
    result = found[0].cached_result if found and is_default(item, name) else None
    return result[0] if result else None


def is_default(item: pytest.Function, name: str) -> bool:
    """Whether a fixture of an item is our own, or asks for it, as one that wraps it does."""
    found = item._fixtureinfo.name2fixturedefs.get(name, ())  # noqa: SLF001
    for definition in reversed(found):
        if definition.func.__module__ == PLUGIN:
            return True
        dynamic = "request" in definition.argnames and found[0].cached_result is not None
        if name not in definition.argnames and not dynamic:
            return False
    return False
