"""Play a trial: one conversation of a scenario, which is then judged. Errors become results.

``judge_again`` judges a stored conversation instead.
"""

from __future__ import annotations

import inspect
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from pytest_toolsandbox.agents.scripted import is_scripted
from pytest_toolsandbox.agents.shapes import REPLIES, shape_of
from pytest_toolsandbox.agents.turn_taking import TurnTaker
from pytest_toolsandbox.agents.wrapping import bare, rewrapped
from pytest_toolsandbox.concurrency.time_limit import OutOfTime
from pytest_toolsandbox.conversation.messages import Trajectory, user_view
from pytest_toolsandbox.conversation.play import PlayError, converse
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.matchers.embedding import Embedder, EmbedderError
from pytest_toolsandbox.models.errors import AgentError, JudgeError, ProviderError
from pytest_toolsandbox.models.model_agent import ProviderModel
from pytest_toolsandbox.models.requests import request_context, requests_in
from pytest_toolsandbox.models.usage import Usage
from pytest_toolsandbox.records.configuration import agent_record
from pytest_toolsandbox.records.imported import unknown_state_reason
from pytest_toolsandbox.records.parts import AgentRecord
from pytest_toolsandbox.records.reading import StoredError, StoredRecord, stored_trajectory
from pytest_toolsandbox.records.record import Cause
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.runs.cassettes.cassette import CassetteError
from pytest_toolsandbox.text.error_text import (
    REASON_LIMIT,
    describe_exception,
    message_of,
    place_of,
)
from pytest_toolsandbox.text.formatting import format_value, one_line, pluralize
from pytest_toolsandbox.text.regular_expression import SlowSearchError
from pytest_toolsandbox.users.user import (
    FixedUser,
    ScriptedUser,
    User,
    UserError,
    UserFactory,
    has_fixed_user,
    is_user_factory,
    make_user,
    scripted_user,
    user_retries,
)
from pytest_toolsandbox.worlds.context import WorldError

from .judging import (
    DemandedJudge,
    Judging,
    WordsJudge,
    judging,
    stored_judge,
    with_judge,
)
from .unjudged import StoppedError, completed, current_unjudged

if TYPE_CHECKING:
    from pytest_toolsandbox.records.parts import UserNotesRecord
    from pytest_toolsandbox.users.simulated.checks import UserFault
    from pytest_toolsandbox.users.simulated.model_user import Reviewer, UserNotes


def stored_notes(stored: UserNotesRecord) -> UserNotes:
    """Return the notes about a simulated user from a record."""
    from pytest_toolsandbox.users.simulated.checks import UserFault
    from pytest_toolsandbox.users.simulated.model_user import Review, UserNotes

    faults = [
        UserFault(fault["kind"], fault["told"], fault["utterance"], fault["left"])  # type: ignore[arg-type]  # it is a kind
        for fault in stored["faults"]
    ]
    review = Review(**stored["review"]) if "review" in stored else None
    style = stored["style"]
    return UserNotes(style, stored["utterances"], stored["asked_again"], faults, review)  # type: ignore[arg-type]  # it is a style


_CAUSES: Final[tuple[tuple[type[Exception], Cause | None], ...]] = (
    (CassetteError, "cassette"),
    (ProviderError, "provider"),
    (EmbedderError, "provider"),
    (AgentError, "agent"),
    (UserError, "user"),
    (JudgeError, "judge"),
    (WorldError, "world"),
    (SlowSearchError, "world"),
    (StoredError, None),
)
"""Error → its cause in records. The text of each of these errors is one line."""
_LEAST = 0.001
"""The minimum duration in seconds: 0 marks a replayed conversation."""
_WRAPPERS = (AgentError, UserError, WorldError, StoredError)
"""Errors that wrap others."""


def play_trial(  # noqa: PLR0913  # all of these take part
    scenario: Scenario,
    agent: Any,
    user: User | UserFactory | None = None,
    number: int = 1,
    embedder: Embedder | None = None,
    *,
    judge: WordsJudge | None = None,
) -> Trial:
    """Play a scenario once and judge the conversation. Errors become part of the trial.

    The ``agent`` is an :class:`~pytest_toolsandbox.agents.agent.Agent`, an object with
    ``run_turn(message, toolbox)``, or a factory of one. Without a ``user``, the scenario's scripted
    user takes part. If faults of a simulated user decided the conversation,
    it is played again; so is a failed one in whose user a reviewer finds a fault. The
    ``embedder`` compares meanings. The ``judge`` judges the agent's words if nothing else can
    decide. Requests to models are counted in the caller's context, which should be new for each
    trial, or in a context of its own (:class:`~pytest_toolsandbox.models.requests.RequestContext`).

    It only raises ``KeyboardInterrupt``.
    """
    scenario = as_it_plays(scenario, agent)
    nothing = Trajectory((), (), scenario.start)
    about = Trial(scenario.name, number, agent_record("agent", agent), scenario, nothing)
    about = with_judge(about, judge)
    began = time.monotonic()
    context = request_context()

    def measured(trial: Trial) -> Trial:
        # A scripted agent has no duration: it would distort the estimates for shards.
        took = 0.0 if context.replays else max(_LEAST, time.monotonic() - began)
        usage, duration = context.meter.used(), None if is_scripted(agent) else took
        reasons = context.meter.finish_reasons()
        return replace(trial, usage=usage, finish_reasons=reasons, duration=duration)

    with requests_in(context):
        judged = judging(context.stand_in.embedder(embedder), judge)
        return completed(lambda: _played(about, agent, user, judged), measured)


def _played(about: Trial, agent: Any, user: User | UserFactory | None, judged: Judging) -> Trial:
    scenario = about.scenario
    if user is None or has_fixed_user(scenario):
        user = scripted_user(scenario)
    if not is_user_factory(user) or _is_absent(user):
        return _with_user(about, agent, cast("User", user), judged)
    try:
        # Each attempt has another seed, so that a simulated user does not repeat its fault.
        for attempt in range(user_retries(user) + 1):
            speaker = make_user(user, scenario, attempt)
            trial = _with_user(replace(about, user_retries=attempt), agent, speaker, judged)
            if trial.outcome == "failed" and trial.notes is not None:
                trial = _reviewed(trial, getattr(user, "reviewer", None))
            if trial.outcome != "inconclusive":
                break
    except (ProviderError, UserError) as error:
        return broken(about, error)
    return trial


def until_it_counts(play: Callable[[], Trial], repeats: int) -> Trial:
    """Play a trial, and repeat it after a temporary outage, ``repeats`` times at most."""
    for _ in range(repeats):
        trial = play()
        if not (isinstance(trial.exception, ProviderError) and trial.exception.is_passing):
            return trial
    return play()


def _is_absent(user: object) -> bool:
    """Return whether a user's answers are recorded, so its factory need not make users."""
    return request_context().replays and not issubclass(type(user), ProviderModel)


def as_it_plays(scenario: Scenario, agent: Any) -> Scenario:
    """Return a scenario for an agent: one that calls tools itself uses native calls."""
    return scenario if shape_of(agent) == REPLIES else replace(scenario, call_format="native")


def _with_user(about: Trial, agent: Any, user: User, judged: Judging) -> Trial:
    """Play and judge a conversation; it has no score if faults of its user decided it."""
    taker = None if shape_of(agent) == REPLIES else TurnTaker(bare(agent))
    asked = rewrapped(agent, taker or bare(agent))

    def noted(trial: Trial) -> Trial:
        other_calls = dict(taker.other_calls) if taker else {}
        return replace(trial, notes=_notes_of(user), other_calls=other_calls)

    play = partial(converse, about.scenario, asked, user)
    return _unless_decided_by_user(completed(lambda: _judged(about, play, judged), noted))


def _unless_decided_by_user(trial: Trial) -> Trial:
    """Return the trial, or one without a score if faults of its user decided it."""
    # A pass after help and a failure after hindrance may be due to the user. A pass despite
    # hindrance, or a failure despite help, still counts.
    decisive = {"passed": "helped", "failed": "hindered"}.get(trial.outcome)
    faults = [
        fault for fault in (trial.notes.left if trial.notes else ()) if fault.effect == decisive
    ]
    return decided_by_user(trial, faults) if faults else trial


def _notes_of(user: User) -> UserNotes | None:
    """Return the notes about a simulated user; other users have none."""
    if type(user) in (ScriptedUser, FixedUser):
        return None
    from pytest_toolsandbox.users.simulated.model_user import UserNotes

    notes = inspect.getattr_static(user, "notes", None)
    return notes if type(notes) is UserNotes else None


def _reviewed(trial: Trial, reviewer: Reviewer | None) -> Trial:
    """Return a failed trial, or one without a score if a reviewer finds its user at fault."""
    if trial.notes is None or reviewer is None:
        return trial
    review = reviewer.review(trial.scenario, user_view(trial.trajectory.messages))
    faults = [review.fault] if review.fault else []
    notes = replace(trial.notes, review=review, faults=[*trial.notes.faults, *faults])
    trial = replace(trial, notes=notes)
    return decided_by_user(trial, faults) if faults else trial


def decided_by_user(trial: Trial, faults: Sequence[UserFault]) -> Trial:
    """Return a trial without a verdict, since these faults of its user decided it."""
    first, *other_faults = faults
    more = f", and {pluralize(len(other_faults), 'other fault')}" if other_faults else ""
    text = (
        f"user fault: it {trial.outcome} after the user had {first.effect} the agent: the user "
        f"{first.what}, in {format_value(first.utterance)}{more}"
    )
    without = replace(trial, judgement=None, is_user_fault=True)
    return broken(without, UserError(one_line(text, REASON_LIMIT)))


def judge_again(
    scenario: Scenario,
    stored: StoredRecord,
    embedder: Embedder | None = None,
    judge: WordsJudge | None = None,
) -> Trial:
    """Judge the conversation of a record by the scenario as it is now.

    The feedback, the form of calls and the notes about the user are those of the record. So is the
    opinion on the words, unless a ``judge`` is given; its usage then replaces that of the earlier
    judge.
    """
    feedback = stored.get("feedback", scenario.feedback)
    call_format = stored.get("call_format", scenario.call_format)
    # Both come from options or fixtures of the earlier run, which this run may lack.
    scenario = replace(scenario, feedback=feedback, call_format=call_format)
    # A stored opinion also fulfils the demand that a judge reads the words.
    if isinstance(judge, DemandedJudge):
        judge = stored_judge(stored) or judge
    about = _as_stored(scenario, stored)
    about = with_judge(about, judge) if judge else about
    judged = judging(embedder, judge or stored_judge(stored))
    context = request_context()

    def measured(trial: Trial) -> Trial:
        usage, reasons = context.meter.used(), context.meter.finish_reasons()
        return replace(
            trial,
            usage={**about.usage, **usage},
            finish_reasons={**about.finish_reasons, **reasons},
        )

    with requests_in(context):
        read = partial(stored_trajectory, stored, scenario)
        trial = completed(lambda: _judged(about, read, judged), measured)
    trial = _unless_decided_by_user(trial)
    reason = unknown_state_reason(trial.imported, scenario)
    if reason and trial.judgement:
        return broken(replace(trial, judgement=None), StoredError(reason))
    if trial.error is None or trial.cause != "ours":
        return trial
    why = describe_exception(trial.error)
    error = StoredError(f"the stored conversation cannot be judged: {why}; play it again")
    error.__cause__ = trial.error
    return broken(trial, error)


def _as_stored(scenario: Scenario, stored: StoredRecord) -> Trial:
    """Return the facts of a record about a trial, without its conversation and judgement."""
    unknown = AgentRecord(name=stored["agent"], type=None, parameter=None)  # in version 1
    notes = stored.get("user_notes")
    used = stored.get("usage", {}).items()
    return Trial(
        identifier=stored["id"],
        number=stored["trial"],
        agent=stored.get("agent_settings", unknown),
        scenario=scenario,
        trajectory=Trajectory((), (), scenario.start),
        user=stored.get("user_settings"),
        user_retries=notes["conversations"] - 1 if notes else 0,
        notes=stored_notes(notes) if notes else None,
        other_calls=stored.get("other_calls", {}),
        usage={asker: Usage(**figures) for asker, figures in used},
        finish_reasons={
            asker: [*Counter(counts).elements()]
            for asker, counts in stored.get("finish_reasons", {}).items()
        },
        duration=stored.get("duration"),
        of_trials=stored.get("of_trials"),
        confirms=stored.get("confirms", False),
        judge=stored.get("judge"),
        judge_settings=stored.get("judge_settings"),
        imported=stored.get("imported"),
    )


def broken(about: Trial, error: BaseException) -> Trial:
    """Return a trial without a judgement, with an error and its cause."""
    first: BaseException = error
    seen = {id(error)}  # a user's own causes may lead in a circle
    while _is_wrapper(first) and first.__cause__ and id(first.__cause__) not in seen:
        first = first.__cause__
        seen.add(id(first))
    causes: list[Cause | None] = [cause for kind, cause in _CAUSES if isinstance(error, kind)]
    return replace(
        about,
        error=error,
        reason=_foreseen(error) if causes else _unexpected(error),
        cause=causes[0] if causes else "ours",
        timed_out=isinstance(first, OutOfTime),
        exception=first,
        unrecorded=error.lines if isinstance(error, CassetteError) else (),
    )


def _is_wrapper(error: BaseException) -> bool:
    """Return whether the cause of an error says more; plugins recognize an outage by its class."""
    return isinstance(error, _WRAPPERS) and not isinstance(error, ProviderError)


def _judged(about: Trial, conversation: Callable[[], Trajectory], judged: Judging) -> Trial:
    unjudged = current_unjudged()
    unjudged.hold(None)
    try:
        about = replace(about, trajectory=conversation(), is_over=True)
        stopped = StoppedError("the run was stopped before the conversation was judged")
        unjudged.hold(broken(about, stopped))
        return replace(about, judgement=judged(about.scenario, about.trajectory))
    except PlayError as error:
        return broken(replace(about, trajectory=error.trajectory), error.__cause__ or error)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # no error of one trial may hide the others
        return broken(about, error)


def _foreseen(error: BaseException) -> str:
    """Return the text of an error, or its place if it has no text."""
    return (
        message_of(error, REASON_LIMIT) or f"{describe_exception(error)} was raised without a text"
    )


def _unexpected(error: BaseException) -> str:
    """Describe an unexpected error with its place: in the user's code, or in this package."""
    description = describe_exception(error)
    if place_of(error):
        return f"code that the scenario uses raised {description}"
    place = place_of(error, in_package=True)
    return f"{description} ({place}): a defect of pytest-toolsandbox, please report it"
