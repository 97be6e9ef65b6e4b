"""Goes on with a trial whose conversation is recorded, and whose words nobody has judged so."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pytest_toolsandbox.matchers.embedding import Embedder
from pytest_toolsandbox.models.requests import Ask, Meter, ModelReply

from .cassette import Cassette, RecordedTrial
from .exchanges import Exchange, Request
from .player import Player
from .recorder import Recorder
from .tape import SUPPORTS, VECTORS

JUDGE: Final = "judge"
"""Who is asked once a conversation is over."""


def without_judge(exchanges: Sequence[Exchange]) -> list[Exchange]:
    """Return what was said before a judge was asked first."""
    places = (place for place, one in enumerate(exchanges) if one.request.who == JUDGE)
    return [*exchanges[: next(places, len(exchanges))]]


def lacks_judge_alone(player: Player) -> bool:
    """Whether a cassette has a whole conversation, and only what a judge was asked is missing."""
    held = without_judge(player.trial.exchanges)
    return player.missed == JUDGE and 0 < len(held) <= player.place


class Continuation(Recorder):
    """Replays what was said before a judge was asked, then asks; it keeps both."""

    def __init__(self, meter: Meter, cassette: Cassette, number: int) -> None:
        super().__init__(meter)
        self._player = Player(meter, cassette, number)
        self._replayed: list[Exchange] = []
        self._held = without_judge(self._player.trial.exchanges)
        self._supports = {**self._player.trial.notes.get(SUPPORTS, {})}

    @property
    def notes(self) -> Mapping[str, Any]:
        """What the cassette notes of the conversation."""
        return self._player.trial.notes

    def trial(self, notes: Mapping[str, Any]) -> RecordedTrial:
        """Return what was replayed, and what was recorded after it."""
        recorded = super().trial(notes)
        return RecordedTrial([*self._replayed, *recorded.exchanges], recorded.notes)

    def embedder(self, embedder: Embedder | None) -> Embedder | None:
        """Return an embedder whose vectors are kept, with those of the cassette."""
        return self.keeping(embedder, self.notes.get(VECTORS, {}))

    def model_reply(self, asked: Request, ask: Ask) -> ModelReply:
        """Reply as the cassette, or ask."""
        if self._is_held(asked):
            return self._player.model_reply(asked, ask)
        return super().model_reply(asked, ask)

    def own_reply(self, asked: Request, ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Reply as the cassette, or ask."""
        if self._is_held(asked):
            return self._player.own_reply(asked, ask)
        return super().own_reply(asked, ask)

    def _is_held(self, asked: Request) -> bool:
        place = len(self._replayed)
        if place == len(self._held):
            return False
        held = self._held[place]
        self._replayed.append(Exchange(asked, held.reply, held.measured))
        return True
