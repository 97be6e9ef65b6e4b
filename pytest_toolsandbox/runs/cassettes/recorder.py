"""Records a trial: passes requests on, and keeps them with their replies."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from pytest_toolsandbox.matchers.embedding import Embedder, Embeddings
from pytest_toolsandbox.models.errors import ProviderError
from pytest_toolsandbox.models.requests import Ask, Meter, ModelReply
from pytest_toolsandbox.models.usage import UNKNOWN, Usage

from .cassette import RecordedTrial, RecordedVectors
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
from .tape import SUPPORTS, VECTORS, Tape

_STEPS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500)
"""Seconds of a latency that are told apart: another recording would have others."""


class Recorder(Tape):
    """Asks, and keeps what was asked and replied."""

    def __init__(self, meter: Meter) -> None:
        super().__init__(meter)
        self._kept: list[tuple[Exchange, int]] = []
        """Exchanges, with the place of the meter at the begin of each."""
        self._supports: dict[str, list[str]] = {}
        self._vectors: dict[str, str] | None = None

    def trial(self, notes: Mapping[str, Any]) -> RecordedTrial:
        """Return what was recorded, with further ``notes`` of the trial."""
        ends = (place for _, place in self._kept[1:])
        exchanges = [
            replace(one, measured={**self._used(one, start, end), **one.measured})
            for (one, start), end in itertools.zip_longest(self._kept, ends)
        ]
        own = {SUPPORTS: self._supports, **notes, VECTORS: self._vectors}
        return RecordedTrial(exchanges, {name: one for name, one in own.items() if one})

    @property
    def notes(self) -> Mapping[str, Any]:
        """What is noted of the conversation before it is held."""
        return {}

    def embedder(self, embedder: Embedder | None) -> Embedder | None:
        """Return an embedder whose vectors are kept."""
        return self.keeping(embedder, {})

    def keeping(
        self, embedder: Embedder | None, known: Mapping[str, str]
    ) -> RecordedVectors | None:
        """Return an embedder whose vectors are kept, with those that are ``known``."""
        if embedder is None:
            return None
        asked = embedder if isinstance(embedder, Embeddings) else Embeddings(embedder)
        kept = RecordedVectors(known, asked)
        self._vectors = kept.kept
        return kept

    def known(self, model: str, ask: Callable[[], Sequence[str]]) -> Sequence[str]:
        """Ask, and note it."""
        return self._supports.setdefault(model, [*ask()])

    def model_reply(self, asked: Request, ask: Ask) -> ModelReply:
        """Ask, and keep the reply."""
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
        place, began = self.meter.place, time.monotonic()
        self._speaks = True
        try:
            reply = ask()
        finally:
            self._speaks = False
        written = written_message(reply)
        self._keep(asked, written, place, time.monotonic() - began)
        return _with_identifiers(as_message(written), reply)

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
