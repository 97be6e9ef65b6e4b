"""Questions to models outside of conversations, recorded in cassettes and replayed from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from pytest_toolsandbox.models.requests import Meter, request_context, requests_in

from .cassette import MissingError
from .player import Player
from .recording import Recorder, Recording
from .tape import Tape

Answer = TypeVar("Answer")


def recorded_answer(recording: Recording, number: int, ask: Callable[[], Answer]) -> Answer:
    """Return what ``ask`` makes of a model's replies, which are kept as trial ``number``.

    As with conversations, ``replay`` asks nobody, ``new`` asks what is not recorded, and ``all``
    asks everything. Raises ``CassetteError`` and what ``ask`` raises.
    """
    if recording.mode != "all":
        player = Player(Meter(), recording.stored, number)
        try:
            return _asked(player, ask)
        except MissingError:
            if recording.mode == "replay":
                raise
    recorder = Recorder()
    answer = _asked(recorder, ask)
    recording.keep(recording.about, number, recorder.trial({}))
    return answer


def _asked(tape: Tape, ask: Callable[[], Answer]) -> Answer:
    """Ask with a tape in the place of the model; its usage counts in the current context."""
    context = request_context()
    with requests_in(replace(context, meter=tape.meter, player=tape.model, stand_in=tape)):
        try:
            return ask()
        finally:
            for asker, usage in tape.meter.used().items():
                context.meter.add(usage, asker)
