"""Play a trial with a cassette: replay it, record it, or continue a recording.

A recorded conversation is continued if its words were not judged as the run requires.
"""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

from pytest_toolsandbox.agents.shapes import AbsentAgent, shape_of
from pytest_toolsandbox.agents.wrapping import bare
from pytest_toolsandbox.language.files import CASSETTE_SUFFIX
from pytest_toolsandbox.matchers.embedding import Embedder, Embeddings
from pytest_toolsandbox.models.errors import ProviderError
from pytest_toolsandbox.models.reasoning import fields_of_calls, with_fields
from pytest_toolsandbox.models.requests import Ask, Meter, ModelReply, request_context, requests_in
from pytest_toolsandbox.models.usage import UNKNOWN, Usage
from pytest_toolsandbox.records.configuration import import_path
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.runs.trial import broken
from pytest_toolsandbox.runs.unjudged import completed
from pytest_toolsandbox.text.formatting import format_value, join_words
from pytest_toolsandbox.text.nearest_name import FEW_NAMES, did_you_mean
from pytest_toolsandbox.users.user import AbsentUser

from .cassette import (
    REMEDY,
    Cassette,
    CassetteError,
    MissingError,
    RecordedTrial,
    RecordedVectors,
    UnreadableError,
    bounded,
    cassette_text,
    keep,
    load,
)
from .exchanges import (
    ERROR,
    Exchange,
    Message,
    Request,
    as_message,
    cleaned,
    read_reply,
    usual_reasons,
    written_message,
)
from .inventory import of_other_agents
from .player import Player
from .tape import SUPPORTS, VECTORS, Tape

_REPLACED: Final = ("role", "content", "tool_calls")
"""The fields of a reply with which the conversation goes on as the cassette has them."""
_JUDGE: Final = "judge"
"""The role that is asked after the end of a conversation."""
_STEPS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500)
"""The precision of a latency in seconds: finer digits would change with every recording."""


def _without_judge(exchanges: Sequence[Exchange]) -> list[Exchange]:
    """Return the exchanges before the first request to a judge."""
    places = (place for place, exchange in enumerate(exchanges) if exchange.request.who == _JUDGE)
    return [*exchanges[: next(places, len(exchanges))]]


def _lacks_judge_alone(player: Player) -> bool:
    """Return whether a cassette has a complete conversation, and lacks only a judge's reply."""
    held = _without_judge(player.trial.exchanges)
    return player.missed == _JUDGE and 0 < len(held) <= player.place


class Recorder(Tape):
    """Asks models and others, and keeps requests and replies.

    With a ``player``, it continues a recording: until a judge is asked, it replies from the
    cassette.
    """

    def __init__(self, player: Player | None = None) -> None:
        super().__init__(player.meter if player else Meter())
        self.player = player
        self.notes = player.trial.notes if player else {}
        self._held = _without_judge(player.trial.exchanges) if player else []
        self._replayed: list[Exchange] = []
        self._kept: list[tuple[Exchange, int]] = []
        """Exchanges, with the place of the meter at the beginning of each."""
        self._supports: dict[str, list[str]] = {**self.notes.get(SUPPORTS, {})}
        self._vectors: dict[str, str] | None = None

    def trial(self, notes: Mapping[str, Any]) -> RecordedTrial:
        """Return the replayed and recorded exchanges, with further ``notes`` of the trial."""
        ends = (place for _, place in self._kept[1:])
        exchanges = [
            replace(exchange, measured={**self._used(exchange, start, end), **exchange.measured})
            for (exchange, start), end in itertools.zip_longest(self._kept, ends)
        ]
        notes_of_trial = {SUPPORTS: self._supports, **notes, VECTORS: self._vectors}
        kept = {name: note for name, note in notes_of_trial.items() if note}
        return RecordedTrial([*self._replayed, *exchanges], kept)

    def embedder(self, embedder: Embedder | None) -> Embedder | None:
        """Return an embedder that keeps its vectors, beginning with those of the cassette."""
        if embedder is None:
            return None
        asked = embedder if isinstance(embedder, Embeddings) else Embeddings(embedder)
        vectors = RecordedVectors(self.notes.get(VECTORS, {}), asked)
        self._vectors = vectors.kept
        return vectors

    def known(self, model: str, ask: Callable[[], Sequence[str]]) -> Sequence[str]:
        """Ask for the parameters of a model, and note them."""
        return self._supports.setdefault(model, [*ask()])

    def model_reply(self, asked: Request, ask: Ask) -> ModelReply:
        """Ask a model, and keep its reply."""
        if self.player and self._is_held(asked):
            return self.player.model_reply(asked, ask)
        place, began = self.meter.place, time.monotonic()
        try:
            reply = ask()
        except ProviderError as error:  # after which the conversation may go on
            self._keep(asked, {ERROR: cleaned(str(error))}, place, 0.0)
            raise
        written = written_message(reply.answer)
        took = reply.usage.latency or time.monotonic() - began
        self._keep(asked, written, place, took)
        return replace(reply, answer=_with_fields_of(reply.answer, read_reply(written, 0)))

    def custom_reply(self, asked: Request, ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Ask a custom agent, user or judge, and keep its reply."""
        if self.player and self._is_held(asked):
            return self.player.custom_reply(asked, ask)
        place, began = self.meter.place, time.monotonic()
        self._speaks = True
        try:
            reply = ask()
        finally:
            self._speaks = False
        written = written_message(reply)
        self._keep(asked, written, place, time.monotonic() - began)
        return _with_fields_of(reply, as_message(written))

    def _is_held(self, asked: Request) -> bool:
        place = len(self._replayed)
        if place == len(self._held):
            return False
        held = self._held[place]
        self._replayed.append(Exchange(asked, held.reply, held.measured))
        return True

    def _keep(self, asked: Request, written: Message, place: int, seconds: float) -> None:
        latency = max((step for step in _STEPS if step <= seconds), default=None)
        measured = {"latency": latency} if latency else {}
        self._kept.append((Exchange(asked, written, measured), place))

    def _used(self, exchange: Exchange, start: int, end: int | None) -> dict[str, Any]:
        if ERROR in exchange.reply:
            return {}
        who: Any = exchange.request.who
        if (used := self.meter.used(start, end).get(who)) is None:
            return {}
        reasons = self.meter.finish_reasons(start, end).get(who, [])
        usual = usual_reasons(exchange.reply) if "model" in exchange.request.setting else []
        unusual = {"finish_reasons": reasons} if reasons != usual else {}
        return {"usage": _usage_fields(used), **unusual}


def _with_fields_of(answer: Mapping[str, Any], reply: dict[str, Any]) -> dict[str, Any]:
    """Return a reply with all of an answer but its text and its calls, identifiers included."""
    if calls := answer.get("tool_calls"):
        triples = zip(reply["tool_calls"], calls, fields_of_calls(answer), strict=True)
        reply["tool_calls"] = [
            {**with_fields(written, fields), "id": call.get("id")}
            for written, call, fields in triples
        ]
    return {**answer, **{name: reply[name] for name in _REPLACED if name in reply}}


def _usage_fields(used: Usage) -> dict[str, Any]:
    """Return the recorded part of a usage: no wall times, and nothing unknown."""
    times = ("latency", "waited", "timed")
    known = {name: value for name, value in asdict(used).items() if name not in times}
    return {name: value for name, value in known.items() if value != getattr(UNKNOWN, name)}


Mode = Literal["none", "new", "all", "replay"]

_AGENT_TYPE: Final = "agent_type"
_SHAPE: Final = "agent_shape"
_USER_TYPE: Final = "user_type"
"""The keys of a cassette with the types of agent and user, which need not be installed."""
_OTHER_CALLS: Final = "other_calls"
"""The key of a trial's note: the number of calls of tools outside of the scenario."""


@dataclass(frozen=True)
class Recording:
    """How and where an item is recorded or replayed; ``shown`` is the cassette's name in errors.

    ``about`` identifies the item, the agent and the user. If ``sent`` is given, recorded trials are
    appended to it as texts instead of written; another process keeps them with ``keep_sent``.
    """

    mode: Mode
    path: Path
    shown: str
    about: Mapping[str, Any]
    sent: list[str] | None = None

    def keep(self, about: Mapping[str, Any], number: int, trial: RecordedTrial) -> None:
        """Keep a trial. Raises ``OSError``."""
        if self.sent is None:
            keep(self.path, about, number, trial)
        else:
            text = cassette_text(about, {number: trial})
            bounded("".join([*self.sent, text]))
            self.sent.append(text)

    @property
    def stored(self) -> Cassette | CassetteError:
        """The cassette before the item, or the error of reading it."""
        try:
            cassette = load(self.path, self.shown)
        except FileNotFoundError:
            return MissingError(f"{self.shown}: there is no such cassette{self._remedy()}")
        except UnreadableError as error:
            return CassetteError(f"{self.shown}: {error}")
        for name, now in self.about.items():
            if (then := cassette.about.get(name)) != now:
                problem = (
                    f"{self.shown}: its {name} is {format_value(then)}, not {format_value(now)}"
                )
                return MissingError(f"{problem}; {REMEDY}")
        return cassette

    def _remedy(self) -> str:
        """Return the remedy, or the cassette that probably has an earlier name of the item."""
        files = [file.name for file in self.path.parent.glob(f"*{CASSETTE_SUFFIX}")]
        if named := did_you_mean(self.path.name, files):
            return f"{named} Else {REMEDY}"
        with suppress(OSError, UnreadableError, KeyError):
            paths = of_other_agents(self.path, self.about["agent"])[:FEW_NAMES]
            agents = [format_value(load(path).about["agent"]) for path in paths]
            if agents:
                return f"; it is recorded with the agent {join_words(agents, 'and')}; {REMEDY}"
        return f"; {REMEDY}"


def play_recorded(
    recording: Recording, number: int, who: Sequence[Any], play: Callable[[], Trial]
) -> Trial:
    """Play a trial from its recording, or record it.

    ``replay`` asks nobody; a request that is not recorded is an error of the trial. ``new`` records
    again, from its first request on, a trial that cannot be replayed; if only requests to a judge
    differ, it records from there on. ``all`` records everything. ``play`` calls
    :func:`~pytest_toolsandbox.runs.trial.play_trial` with ``who``, an agent and a user.
    """
    continued = None
    if recording.mode != "all":
        player = Player(Meter(), recording.stored, number)
        trial = _replayed(player, who, play)
        if recording.mode == "replay" or not _is_to_be_recorded(player, trial):
            return trial
        if _lacks_judge_alone(player):
            continued = Player(Meter(), player.cassette, number)
    return _recorded(recording, number, who, Recorder(continued), play)


def _is_to_be_recorded(player: Player, trial: Trial) -> bool:
    """Return whether the cassette lacks a trial, or only the replies of a judge."""
    if player.miss is None:
        return bool(trial.judge) and isinstance(player.lacking, MissingError)
    return isinstance(player.miss, MissingError)


def _played(tape: Tape, play: Callable[[], Trial]) -> Trial:
    context = replace(request_context(), meter=tape.meter, player=tape.model, stand_in=tape)
    with requests_in(context):
        return play()


def _replayed(player: Player, who: Sequence[Any], play: Callable[[], Trial]) -> Trial:
    _take_places(player.cassette.about, who)

    def noted(trial: Trial) -> Trial:
        if player.miss:  # even if the agent has swallowed its error
            trial = broken(replace(trial, judgement=None, is_user_fault=False), player.miss)
        return replace(trial, other_calls=player.trial.notes.get(_OTHER_CALLS, {}))

    return completed(partial(_played, player, play), noted)


def take_recorded_places(recording: Recording, who: Sequence[Any]) -> None:
    """Give absent agents and users the types that a cassette has, if there is one."""
    if isinstance(cassette := recording.stored, Cassette):
        _take_places(cassette.about, who)


def _take_places(about: Mapping[str, Any], who: Sequence[Any]) -> None:
    for participant in map(bare, who):
        if type(participant) is AbsentAgent and about:
            participant.stand_for(about[_AGENT_TYPE], about[_SHAPE])
        elif type(participant) is AbsentUser and about:
            participant.stand_for(about[_USER_TYPE])


def _recorded(
    recording: Recording,
    number: int,
    who: Sequence[Any],
    recorder: Recorder,
    play: Callable[[], Trial],
) -> Trial:
    keep = partial(_kept, recording, number, who, recorder)
    return completed(partial(_played, recorder, play), keep)


def _kept(
    recording: Recording, number: int, who: Sequence[Any], recorder: Recorder, trial: Trial
) -> Trial:
    """Return a trial whose conversation is kept in its cassette, judged or unjudged."""
    other_calls = Counter(recorder.notes.get(_OTHER_CALLS, {})) + Counter(trial.other_calls)
    trial = replace(trial, other_calls=other_calls)
    recorded = recorder.trial({_OTHER_CALLS: dict(sorted(other_calls.items()))})
    if trial.outcome == "error":  # nobody wants to replay an outage
        if not trial.is_over or recorder.player:
            return trial
        recorded = replace(recorded, exchanges=_without_judge(recorded.exchanges))
    if not recorded.exchanges and (trial.outcome == "error" or not trial.judge):  # a script
        return trial
    agent, user = map(bare, who)
    made_of = {
        _AGENT_TYPE: import_path(agent),
        _SHAPE: shape_of(agent),
        **({} if user is None else {_USER_TYPE: import_path(user)}),
    }
    try:
        recording.keep({**recording.about, **made_of}, number, recorded)
    except OSError as error:
        text = f"{recording.shown}: it cannot be written: {error.strerror or error}"
        return broken(replace(trial, judgement=None), CassetteError(text))
    return trial
