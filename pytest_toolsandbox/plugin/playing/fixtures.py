"""The default fixtures, and why an item cannot be played ahead: its fixtures, marks and hooks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_toolsandbox.agents.agent import Agent
from pytest_toolsandbox.agents.resolving import session_agent
from pytest_toolsandbox.matchers.embedding import Embedder, EmbedderError, Embeddings
from pytest_toolsandbox.models.aliases import NO_JUDGE, ModelNameError, named_model
from pytest_toolsandbox.models.errors import AgentError, JudgeError
from pytest_toolsandbox.models.model_agent import load_client
from pytest_toolsandbox.plugin.marks import Failed, skip
from pytest_toolsandbox.plugin.settings import Settings, settings_of
from pytest_toolsandbox.plugin.stash import PLUGIN, STORED
from pytest_toolsandbox.runs.judging import DemandedJudge, WordsJudge
from pytest_toolsandbox.users.resolving import SCRIPTED, ModelUserOptions, session_user
from pytest_toolsandbox.users.user import User, UserError, UserFactory

if TYPE_CHECKING:
    from pytest_toolsandbox.users.simulated.model_user import Reviewer


_AGENTS = pytest.StashKey[dict[str, Agent]]()
_JUDGE = pytest.StashKey["WordsJudge | str"]()
"""The judge of the session, or why there is none."""
_NO_AGENT = "no agent: give --agent=NAME, or define a fixture named 'agent' in a conftest.py"


def default_embedder(config: pytest.Config) -> Embedder | None:
    """Return the embedder that the ini file names; it caches vectors for the session."""
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
        text = _named_problem("--sandbox-user", settings.user, error)
        raise Failed(text, pytrace=False) from None


def _reviewer(settings: Settings) -> Reviewer | None:
    if settings.user_review is None:
        return None
    from pytest_toolsandbox.users.simulated.model_user import Reviewer

    try:
        model = named_model(settings.user_review, settings.aliases)
    except ModelNameError as error:
        raise Failed(f"--sandbox-user-review: {error}", pytrace=False) from None
    if settings.record != "replay":
        load_client(model)
    return Reviewer(model)


def session_judge(config: pytest.Config) -> WordsJudge | None:
    """Return the judge that ``--sandbox-judge`` names, one for all conversations, if it names any.

    Without one, ``--sandbox-words=judged`` makes words that need a judge an error.

    Raises :class:`~pytest_toolsandbox.plugin.marks.Failed`.
    """
    settings = settings_of(config)
    if settings.judge is None or settings.judge == NO_JUDGE:
        return DemandedJudge() if settings.words == "judged" else None
    if _JUDGE not in config.stash:
        from pytest_toolsandbox.scoring.judges.resolving import resolve_judge

        is_asked = settings.record != "replay"
        try:
            config.stash[_JUDGE] = resolve_judge(
                settings.judge, settings.aliases, is_asked=is_asked, votes=settings.judge_votes
            )
        except JudgeError as error:
            config.stash[_JUDGE] = _named_problem("--sandbox-judge", settings.judge, error)
    if isinstance(judge := config.stash[_JUDGE], str):
        raise Failed(judge, pytrace=False)
    return judge


def _named_problem(option: str, name: str, error: Exception) -> str:
    """Return what is wrong with the name that an option gives; some errors begin with it."""
    is_named = str(error).startswith(name)
    return f"{option}={error}" if is_named else f"{option}={name}: {error}"


def default_agent(config: pytest.Config, name: str | None) -> Agent:
    """Return the agent of a name, for all conversations; without one, skip."""
    settings = settings_of(config)
    if name is None:
        skip("without agent", _NO_AGENT)
    agents = config.stash.setdefault(_AGENTS, {})
    try:
        if name not in agents:
            is_asked = settings.record != "replay"
            agents[name] = session_agent(name, settings.aliases, is_asked=is_asked)
    except AgentError as error:
        raise Failed(str(error), pytrace=False) from None
    return agents[name]


def named_agent(request: pytest.FixtureRequest) -> str | None:
    """Return the agent of ``--agent``: of several, the one that pytest has come to."""
    named = settings_of(request.config).agent
    return getattr(request, "param", named[0] if named else None)


WHICH_AGENT = "sandbox_agent"
"""The fixture that says which of several agents plays."""
_OURS = frozenset({"request", "sandbox_augmentation", "sandbox_feedback", "sandbox_prompt"})
"""Fixtures that say how an item is played, and set nothing up."""


class NotReadyError(Exception):
    """A fixture of the session is not set up yet, or would be set up anew."""


def _definitions(item: pytest.Function) -> Iterator[tuple[str, Any]]:
    """Yield the fixtures of an item by name, those that override others, and ``autouse`` ones."""
    info = item._fixtureinfo  # noqa: SLF001  # private to pytest, which tells it in no other way
    known = _OURS | {WHICH_AGENT, "agent"} if _has_free_agent(item) else _OURS
    for name in info.names_closure:
        if name not in known and (overriding := info.name2fixturedefs.get(name)):
            yield name, overriding[-1]


def narrower(item: pytest.Function) -> str | None:
    """Return the name of a fixture that is narrower than the session, if the item needs one."""
    fixtures = _definitions(item)
    return next((name for name, fixture in fixtures if fixture.scope != "session"), None)


def _has_free_agent(item: pytest.Function) -> bool:
    """Whether one of several agents plays that no fixture but our own asks for.

    It is known whichever agent pytest is at, so that those of others wait for none.
    """
    if not hasattr(item, "callspec") or WHICH_AGENT not in item.callspec.params:
        return False
    asked = {"agent", WHICH_AGENT, "request"}
    return not any(
        fixture.func.__module__ != PLUGIN
        and (fixture.argname == "agent" or asked & set(fixture.argnames))
        for overriding in item._fixtureinfo.name2fixturedefs.values()  # noqa: SLF001  # as above
        for fixture in overriding
    )


def values(item: pytest.Function) -> dict[str, Any]:
    """Return the values of an item's fixtures, all of the session. Raises ``NotReadyError``."""
    ready = {name: _value(item, name, fixture) for name, fixture in _definitions(item)}
    return ready | ({"agent": default_value(item, "agent")} if _has_free_agent(item) else {})


def value_of(item: pytest.Function, name: str) -> Any:
    """Return the value of one fixture of the session. Raises ``NotReadyError``."""
    fixture = dict(_definitions(item)).get(name)
    if fixture is None or fixture.scope != "session":
        raise NotReadyError
    return _value(item, name, fixture)


def other_parameters(item: pytest.Function) -> set[Any]:
    """Return the fixtures that pytest sets up anew for an item, since its parameters differ."""
    fixtures = _definitions(item)
    return {fixture for name, fixture in fixtures if _has_other_parameter(item, name, fixture)}


def needs(item: pytest.Function, fixtures: set[Any]) -> bool:
    """Whether an item needs one of some fixtures."""
    return bool(fixtures) and any(fixture in fixtures for _, fixture in _definitions(item))


def _value(item: pytest.Function, name: str, definition: Any) -> Any:
    if definition.cached_result is None or _has_other_parameter(item, name, definition):
        raise NotReadyError
    value, _, error = definition.cached_result
    if error is not None:
        raise NotReadyError
    return value


def _has_other_parameter(item: pytest.Function, name: str, definition: Any) -> bool:
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    if definition.cached_result is None or name not in parameters:
        return False
    return definition.cached_result[1] is not parameters[name]


def default_value(item: pytest.Function, name: str) -> Any:
    """Return what our own fixture of a name gave, where that of an item is it or asks for it."""
    if name == "agent" and _has_free_agent(item):
        return default_agent(item.config, str(item.callspec.params[WHICH_AGENT]))
    overridden = item._fixtureinfo.name2fixturedefs.get(name, ())  # noqa: SLF001
    result = overridden[0].cached_result if overridden and is_default(item, name) else None
    return result[0] if result else None


def is_default(item: pytest.Function, name: str) -> bool:
    """Whether a fixture of an item is our own, or asks for it, as one that wraps it does."""
    overriding = item._fixtureinfo.name2fixturedefs.get(name, ())  # noqa: SLF001
    for fixture in reversed(overriding):
        if fixture.func.__module__ == PLUGIN:
            return True
        is_dynamic = "request" in fixture.argnames and overriding[0].cached_result is not None
        if name not in fixture.argnames and not is_dynamic:
            return False
    return False


_DISTRIBUTION: Final = "toolsandbox_dist"
"""The key under which a worker reads how items are given to workers."""
_HOOKS: Final = ("pytest_runtest_protocol", "pytest_runtest_setup", "pytest_runtest_call")
"""Hooks with which a ``conftest.py`` may skip an item, or set something up for it."""
_MARKS: Final = {
    **dict.fromkeys(("skip", "skipif"), "may skip it"),
    "filterwarnings": "holds in its turn",  # when pytest sets the filters, for all threads
}
"""Why items with marks are played in their turn."""
_CONFTESTS: Final = ("/conftest.py", "\\conftest.py")


def why_in_turn(item: pytest.Function) -> str | None:
    """Return why an item can only be played in its turn, if it cannot be played ahead."""
    if getattr(item.config, "workerinput", {}).get(_DISTRIBUTION) == "worksteal":
        return "--dist=worksteal may give it to another process"
    if STORED not in item.config.stash and (name := narrower(item)):
        return f"the fixture {name!r} is narrower than the session"
    for mark in item.iter_markers():
        if mark.name in _MARKS:
            return f"the mark {mark.name!r} {_MARKS[mark.name]}"
        if mark.name == "xfail" and mark.kwargs.get("run", True) is False:
            return "the mark 'xfail' may not let it run"
    for name in _HOOKS:
        for hook in getattr(item.ihook, name).get_hookimpls():
            if (getattr(hook.plugin, "__file__", None) or "").endswith(_CONFTESTS):
                return f"a conftest.py has {name}"
    return None
