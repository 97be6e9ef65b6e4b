"""Replays a trial: replies what a cassette has, and tells what it does not have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Never

from pytest_toolsandbox.matchers.embedding import Embedder
from pytest_toolsandbox.models.errors import ProviderError
from pytest_toolsandbox.models.requests import Ask, Meter, ModelReply
from pytest_toolsandbox.models.usage import UNKNOWN, Usage
from pytest_toolsandbox.wording.nearest_name import FEW_NAMES
from pytest_toolsandbox.wording.phrases import listed, literal

from .cassette import Cassette, RecordedTrial, UnreadableError
from .chats import as_message, cleaned, read_reply
from .differences import differences, nearest
from .errors import REMEDY, CassetteError, MissingError
from .exchanges import ERROR, Exchange, Request, Setting
from .tape import SUPPORTS, VECTORS, Tape
from .vectors import RecordedVectors


class Player(Tape):
    """Replies what a cassette has to the same requests, and asks nobody.

    In place of a cassette it may have what is wrong with it, which is raised once something is
    asked. The first request that is not recorded stays known as ``miss``: not everybody who makes
    requests lets the error pass.
    """

    replays = True

    def __init__(self, meter: Meter, found: Cassette | CassetteError, number: int) -> None:
        super().__init__(meter)
        self._lacking = found if isinstance(found, CassetteError) else None
        self.cassette = Cassette("", {}, {}) if isinstance(found, CassetteError) else found
        self.shown = f"{self.cassette.shown}, trial {number}"
        self.trial = self._read(number) or RecordedTrial([])
        self.place = 0
        self.miss: CassetteError | None = None
        self.missed = ""
        """Who was asked first what is not recorded."""
        self._same: dict[str, Setting] = {}

    @property
    def may_be_recorded(self) -> bool:
        """Whether the cassette lacks the trial, and has no damage."""
        return isinstance(self._lacking, MissingError)

    def embedder(self, embedder: Embedder | None) -> Embedder | None:
        """Return an embedder that has the vectors of the cassette, where meanings are compared."""
        kept = self.trial.notes.get(VECTORS, {})
        return RecordedVectors(kept, self._no_vector) if embedder else None

    def known(self, model: str, ask: Callable[[], Sequence[str]]) -> Sequence[str]:
        """Return what is noted; of another model nothing is."""
        del ask
        found: Sequence[str] = self.trial.notes.get(SUPPORTS, {}).get(model, ())
        return found

    def model_reply(self, asked: Request, ask: Ask) -> ModelReply:
        """Reply as the cassette."""
        del ask
        found = self._found(asked)
        if ERROR in found.reply:
            raise ProviderError(found.reply[ERROR])
        latency = float(found.measured.get("latency", 0))
        usage = replace(_usage_of(found) or UNKNOWN, latency=latency, timed=1)
        message = read_reply(found.reply, self.place)
        return ModelReply(message, "tool_calls" if "tool_calls" in message else "stop", usage)

    def own_reply(self, asked: Request, ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Reply as the cassette."""
        del ask
        found = self._found(asked)
        if usage := _usage_of(found):
            self.meter.add(usage, asked.who)  # type: ignore[arg-type]  # it is an asker
        return as_message(found.reply)

    def _read(self, number: int) -> RecordedTrial | None:
        try:
            trial = self.cassette.trial(number)
        except UnreadableError as error:
            trial, self._lacking = None, CassetteError(f"{self.cassette.shown}: {error}")
        if trial is None and self._lacking is None:
            self._lacking = MissingError(f"{self.shown}: it is not recorded; {REMEDY}")
        return trial

    def _found(self, asked: Request) -> Exchange:
        """Return the next exchange. Raises :class:`CassetteError` where it has another request."""
        if self.miss is None and self.place < len(self.trial.exchanges):
            one = self.trial.exchanges[self.place]
            same = (one.request.who, one.request.messages) == (asked.who, asked.messages)
            if same and self._has_setting(self.trial.names[self.place], asked.setting):
                self.place += 1
                return one
        if self.miss is None:
            self.miss, self.missed = self._lacking or self._missed(asked), asked.who
        raise self.miss

    def _no_vector(self, texts: Sequence[str]) -> Never:
        what = f"the meaning of a text is not recorded: {literal(cleaned(texts[0]))}"
        text = f"{self.shown}: {what}; {REMEDY}"
        self.miss = self.miss or self._lacking or MissingError(text)
        raise self.miss

    def _has_setting(self, name: str, setting: Setting) -> bool:
        if self._same.get(name) is setting:
            return True
        try:
            is_same = self.cassette.has_setting(name, setting)
        except UnreadableError as error:
            is_same, self._lacking = False, CassetteError(f"{self.shown}: {error}")
        if is_same:
            self._same[name] = setting
        return is_same

    def _missed(self, asked: Request) -> CassetteError:
        pairs = zip(self.trial.exchanges, self.trial.names, strict=True)
        recorded = [replace(one.request, setting=self.cassette.setting(n)) for one, n in pairs]
        before = [one.who for one in recorded[: self.place]]
        what = f"request {before.count(asked.who) + 1} to the {asked.who} is not recorded"
        where = f"in {self.shown}; {REMEDY}"
        index = nearest(asked, recorded, self.place)
        if index is None:
            return MissingError(f"{what}: there is none to the {asked.who} {where}")
        found = differences(recorded[index], asked)
        if not found:
            return MissingError(f"{what} here, but as number {index + 1} of all {where}")
        first, differ = found[0], "differs" if len(found) == 1 else "differ"
        more = [f"{len(found) - FEW_NAMES} more"] if len(found) > FEW_NAMES else []
        places = listed([*(one.place for one in found[:FEW_NAMES]), *more], "and")
        text = f"{what}: {places} {differ} from the nearest one {where}"
        return MissingError(text, [f"{first.place}, recorded (-) and now (+)", *first.lines])


def _usage_of(one: Exchange) -> Usage | None:
    return replace(UNKNOWN, **one.measured["usage"]) if "usage" in one.measured else None
