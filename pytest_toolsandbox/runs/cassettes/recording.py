"""Plays a trial with a cassette: replays it, records it, or continues a recording.

A recorded conversation is continued if its words have not been judged as the run needs it.
"""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from pytest_toolsandbox.agents.shapes import AbsentAgent, shape_of
from pytest_toolsandbox.language.files import CASSETTE_SUFFIX
from pytest_toolsandbox.matchers.embedding import Embedder, Embeddings
from pytest_toolsandbox.models.errors import ProviderError
from pytest_toolsandbox.models.requests import Ask, Meter, ModelReply, request_context, requests_in
from pytest_toolsandbox.models.usage import UNKNOWN, Usage
from pytest_toolsandbox.records.configuration import import_path
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.runs.trial import broken
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
    written_message,
)
from .inventory import of_other_agents
from .player import Player
from .tape import SUPPORTS, VECTORS, Tape

_JUDGE: Final = "judge"
"""Who is asked once a conversation is over."""
_STEPS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500)
"""Seconds of a latency that are told apart: another recording would have others."""


def _without_judge(exchanges: Sequence[Exchange]) -> list[Exchange]:
    """Return what was said before a judge was asked first."""
    places = (place for place, one in enumerate(exchanges) if one.request.who == _JUDGE)
    return [*exchanges[: next(places, len(exchanges))]]


def _lacks_judge_alone(player: Player) -> bool:
    """Whether a cassette has a whole conversation, and only what a judge was asked is missing."""
    held = _without_judge(player.trial.exchanges)
    return player.missed == _JUDGE and 0 < len(held) <= player.place


class Recorder(Tape):
    """Asks, and keeps what was asked and replied.

    With a ``player``, it continues a recording: until a judge is asked, it replies as the cassette.
    """

    def __init__(self, player: Player | None = None) -> None:
        super().__init__(player.meter if player else Meter())
        self.player = player
        self.notes = player.trial.notes if player else {}
        self._held = _without_judge(player.trial.exchanges) if player else []
        self._replayed: list[Exchange] = []
        self._kept: list[tuple[Exchange, int]] = []
        """Exchanges, with the place of the meter at the begin of each."""
        self._supports: dict[str, list[str]] = {**self.notes.get(SUPPORTS, {})}
        self._vectors: dict[str, str] | None = None

    def trial(self, notes: Mapping[str, Any]) -> RecordedTrial:
        """Return what was replayed and recorded, with further ``notes`` of the trial."""
        ends = (place for _, place in self._kept[1:])
        exchanges = [
            replace(one, measured={**self._used(one, start, end), **one.measured})
            for (one, start), end in itertools.zip_longest(self._kept, ends)
        ]
        own = {SUPPORTS: self._supports, **notes, VECTORS: self._vectors}
        kept = {name: note for name, note in own.items() if note}
        return RecordedTrial([*self._replayed, *exchanges], kept)

    def embedder(self, embedder: Embedder | None) -> Embedder | None:
        """Return an embedder whose vectors are kept, with those of the cassette."""
        if embedder is None:
            return None
        asked = embedder if isinstance(embedder, Embeddings) else Embeddings(embedder)
        vectors = RecordedVectors(self.notes.get(VECTORS, {}), asked)
        self._vectors = vectors.kept
        return vectors

    def known(self, model: str, ask: Callable[[], Sequence[str]]) -> Sequence[str]:
        """Ask, and note it."""
        return self._supports.setdefault(model, [*ask()])

    def model_reply(self, asked: Request, ask: Ask) -> ModelReply:
        """Ask, and keep the reply."""
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
        return replace(reply, answer=_with_identifiers(read_reply(written, 0), reply.answer))

    def own_reply(self, asked: Request, ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Ask, and keep the reply."""
        if self.player and self._is_held(asked):
            return self.player.own_reply(asked, ask)
        place, began = self.meter.place, time.monotonic()
        self._speaks = True
        try:
            reply = ask()
        finally:
            self._speaks = False
        written = written_message(reply)
        self._keep(asked, written, place, time.monotonic() - began)
        return _with_identifiers(as_message(written), reply)

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
        used = self.meter.used(start, end).get(exchange.request.who)  # type: ignore[call-overload]  # it is an asker
        return {"usage": _usage_fields(used)} if used else {}


def _with_identifiers(reply: dict[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return a reply with the identifiers that its calls had in the first place."""
    if calls := own.get("tool_calls"):
        pairs = zip(reply["tool_calls"], calls, strict=True)
        reply["tool_calls"] = [{**one, "id": call.get("id")} for one, call in pairs]
    return reply


def _usage_fields(used: Usage) -> dict[str, Any]:
    """Return what a cassette tells of a usage: no wall times, and nothing that is unknown."""
    times = ("latency", "waited", "timed")
    told = {name: one for name, one in asdict(used).items() if name not in times}
    return {name: one for name, one in told.items() if one != getattr(UNKNOWN, name)}


Mode = Literal["none", "new", "all", "replay"]

_AGENT_TYPE: Final = "agent_type"
_SHAPE: Final = "agent_shape"
_USER_TYPE: Final = "user_type"
"""The keys of a cassette that say what an agent and a user are made of, who may be absent."""
_OTHER_CALLS: Final = "other_calls"
"""The key of a trial's note: how often an agent called tools that are not the scenario's."""


@dataclass(frozen=True)
class Recording:
    """How an item is recorded or replayed, and where; ``shown`` is what errors call the cassette.

    ``about`` says whose conversations these are. Where ``sent`` is given, what is recorded is added
    to it as texts, and not written: another process keeps it, with ``keep_sent`` of ``store``.
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
    def found(self) -> Cassette | CassetteError:
        """The cassette as it was before the item, or what is wrong with it."""
        try:
            cassette = load(self.path, self.shown)
        except FileNotFoundError:
            return MissingError(f"{self.shown}: there is no such cassette{self._remedy()}")
        except UnreadableError as error:
            return CassetteError(f"{self.shown}: {error}")
        for name, now in self.about.items():
            if (then := cassette.about.get(name)) != now:
                told = f"{self.shown}: its {name} is {format_value(then)}, not {format_value(now)}"
                return MissingError(f"{told}; {REMEDY}")
        return cassette

    def _remedy(self) -> str:
        """Return the remedy, and the cassette that was probably meant, of a name before."""
        found = [one.name for one in self.path.parent.glob(f"*{CASSETTE_SUFFIX}")]
        named = did_you_mean(self.path.name, found)
        return f"{named} Else {REMEDY}" if named else f"{self._of_others()}; {REMEDY}"

    def _of_others(self) -> str:
        """Return which other agents are recorded, of an agent that is not."""
        with suppress(OSError, UnreadableError, KeyError):
            there = of_other_agents(self.path, self.about["agent"])
            names = [format_value(load(path).about["agent"]) for path in there[:FEW_NAMES]]
            return f"; it is recorded with the agent {join_words(names, 'and')}" if names else ""
        return ""


def play_recorded(
    recording: Recording, number: int, who: Sequence[Any], play: Callable[[], Trial]
) -> Trial:
    """Play a trial with what is recorded of it, or to be recorded.

    ``replay`` asks nobody; a request that is not recorded is an error of the trial. ``new`` records
    afresh, from its first request on, a trial that cannot be replayed; where a judge alone is asked
    something else, from there on. ``all`` records all. To ``play`` is to call
    :func:`~pytest_toolsandbox.runs.trial.play_trial` with ``who``, an agent and a user.
    """
    continued = None
    if recording.mode != "all":
        player = Player(Meter(), recording.found, number)
        trial = _replayed(player, who, play)
        if recording.mode == "replay" or not _is_to_be_recorded(player, trial):
            return trial
        if _lacks_judge_alone(player):
            continued = Player(Meter(), player.cassette, number)
    return _recorded(recording, number, who, Recorder(continued), play)


def _is_to_be_recorded(player: Player, trial: Trial) -> bool:
    """Whether a trial is not on its cassette: one that a judge might be asked of stands there."""
    if player.miss is None:
        return bool(trial.judge) and player.may_be_recorded
    return isinstance(player.miss, MissingError)


def _played(tape: Tape, play: Callable[[], Trial]) -> Trial:
    context = replace(request_context(), meter=tape.meter, player=tape.model, stand_in=tape)
    with requests_in(context):
        return play()


def _replayed(player: Player, who: Sequence[Any], play: Callable[[], Trial]) -> Trial:
    _take_places(player.cassette.about, who)
    trial = _played(player, play)
    if player.miss:  # whatever became of it in the conversation
        trial = broken(replace(trial, judgement=None, is_inconclusive=False), player.miss)
    return replace(trial, other_calls=player.trial.notes.get(_OTHER_CALLS, {}))


def take_recorded_places(recording: Recording, who: Sequence[Any]) -> None:
    """Let those who are not there tell of themselves what a cassette says, if there is one."""
    if isinstance(found := recording.found, Cassette):
        _take_places(found.about, who)


def _take_places(about: Mapping[str, Any], who: Sequence[Any]) -> None:
    for one in who:
        if type(one) is AbsentAgent and about:
            one.stand_for(about[_AGENT_TYPE], about[_SHAPE])
        elif type(one) is AbsentUser and about:
            one.stand_for(about[_USER_TYPE])


def _recorded(
    recording: Recording,
    number: int,
    who: Sequence[Any],
    recorder: Recorder,
    play: Callable[[], Trial],
) -> Trial:
    trial = _played(recorder, play)
    other_calls = Counter(recorder.notes.get(_OTHER_CALLS, {})) + Counter(trial.other_calls)
    trial = replace(trial, other_calls=other_calls)
    recorded = recorder.trial({_OTHER_CALLS: dict(sorted(other_calls.items()))})
    if trial.outcome == "error":  # nobody wants to replay an outage
        if not trial.is_over or recorder.player:
            return trial
        recorded = replace(recorded, exchanges=_without_judge(recorded.exchanges))
    if not recorded.exchanges and (trial.outcome == "error" or not trial.judge):  # a script
        return trial
    agent, user = who
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
