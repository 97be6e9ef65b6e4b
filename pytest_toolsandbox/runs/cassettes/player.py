"""Replays a trial from a cassette, and explains requests that are not recorded.

The explanation is a diff with the most similar recorded request.
"""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, Never

from pytest_toolsandbox.matchers.embedding import Embedder
from pytest_toolsandbox.models.errors import ProviderError
from pytest_toolsandbox.models.requests import Ask, Meter, ModelReply
from pytest_toolsandbox.models.usage import UNKNOWN, Usage
from pytest_toolsandbox.text.formatting import format_value, join_words, one_line
from pytest_toolsandbox.text.nearest_name import FEW_NAMES

from .cassette import (
    REMEDY,
    Cassette,
    CassetteError,
    MissingError,
    RecordedTrial,
    RecordedVectors,
    UnreadableError,
)
from .exchanges import ERROR, Exchange, Request, Setting, as_message, cleaned, read_reply
from .tape import SUPPORTS, VECTORS, Tape

SHOWN: Final = 90
"""Characters of a line of a text that are shown."""
_BEFORE: Final = 20
"""Of these, how many stand before the first character that differs."""
_LINES: Final = 12
"""Lines of a difference that are shown."""
_NOTHING: Final[Any] = object()
"""What stands where the other request has something."""


class Difference(NamedTuple):
    """A ``place``, such as ``tools.search_contacts.description``, and what stands there."""

    place: str
    recorded: Any
    now: Any

    @property
    def lines(self) -> list[str]:
        """What was recorded, behind a minus, and what is asked now, behind a plus."""
        old, new = (_lines(one) for one in (self.recorded, self.now))
        if len(old) == len(new) == 1:
            old, new = _around(old[0], new[0])
        changed = [line for line in difflib.ndiff(old, new) if line[0] in "-+"]
        shown = [f"{line[0]} {one_line(line[2:], SHOWN)}" for line in changed]
        more = len(shown) - _LINES
        return [*shown[:_LINES], f"  … and {more} more lines"] if more > 1 else shown


def nearest(asked: Request, recorded: Sequence[Request], place: int) -> int | None:
    """Return which recorded request to the same person is nearest, from ``place`` on if any is.

    It is the one with the fewest differences; of several the first.
    """
    mine = [index for index, request in enumerate(recorded) if request.who == asked.who]
    later = [index for index in mine if index >= place] or mine
    return min(later, key=lambda index: len(differences(recorded[index], asked)), default=None)


def differences(recorded: Request, now: Request) -> list[Difference]:
    """Return where two requests differ: in model, parameters, prompt and tools, then messages."""
    settings = [_by_name(request.setting) for request in (recorded, now)]
    messages = itertools.zip_longest(recorded.messages, now.messages, fillvalue=_NOTHING)
    numbered = (_parts(f"message {number}", *pair) for number, pair in enumerate(messages, 1))
    return [*_parts("", *settings), *_order(*settings), *itertools.chain.from_iterable(numbered)]


def _by_name(setting: Mapping[str, Any]) -> dict[str, Any]:
    """Return a setting with its tools by their names."""
    first = {"model": setting.get("model"), "parameters": setting.get("parameters", {})}
    tools = {str(tool.get("name")): tool for tool in setting.get("tools", ())}
    return {**first, **setting, "tools": tools}


def _order(*settings: Mapping[str, Any]) -> Iterator[Difference]:
    old, new = ([*one["tools"]] for one in settings)
    if old != new and {*old} == {*new}:
        yield Difference("the order of the tools", old, new)


def _parts(place: str, old: Any, new: Any) -> Iterator[Difference]:
    """Yield the smallest parts in which two values differ."""
    if old == new:
        return
    inner: Iterator[tuple[Any, Any, Any]] | None = None
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        names = dict.fromkeys((*old, *new))
        inner = ((name, old.get(name, _NOTHING), new.get(name, _NOTHING)) for name in names)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        inner = zip(itertools.count(1), old, new, strict=False)
    if inner is None:
        yield Difference(place, old, new)
        return
    for name, before, after in inner:
        yield from _parts(f"{place}.{name}" if place else str(name), before, after)


def _lines(value: Any) -> list[str]:
    if value is _NOTHING or value is None:
        return []
    return value.split("\n") if isinstance(value, str) else [format_value(value)]


def _around(old: str, new: str) -> list[list[str]]:
    """Return two lines from shortly before the first character in which they differ."""
    pairs = zip(old, new, strict=False)
    same = len([*itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)])
    start = max(same - _BEFORE, 0)
    return [[f"…{line[start:]}" if start else line] for line in (old, new)]


class Player(Tape):
    """Replies what a cassette has to the same requests, and asks nobody.

    In place of a cassette it may have what is wrong with it, which is raised once something is
    asked. The first request that is not recorded stays known as ``miss``: not everybody who makes
    requests lets the error pass.
    """

    replays = True

    def __init__(self, meter: Meter, cassette: Cassette | CassetteError, number: int) -> None:
        super().__init__(meter)
        self._lacking = cassette if isinstance(cassette, CassetteError) else None
        self.cassette = Cassette("", {}, {}) if isinstance(cassette, CassetteError) else cassette
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
        exchange = self._found(asked)
        if ERROR in exchange.reply:
            raise ProviderError(exchange.reply[ERROR])
        latency = float(exchange.measured.get("latency", 0))
        usage = replace(_usage_of(exchange) or UNKNOWN, latency=latency, timed=1)
        message = read_reply(exchange.reply, self.place)
        return ModelReply(message, "tool_calls" if "tool_calls" in message else "stop", usage)

    def own_reply(self, asked: Request, ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Reply as the cassette."""
        del ask
        exchange = self._found(asked)
        if usage := _usage_of(exchange):
            self.meter.add(usage, asked.who)  # type: ignore[arg-type]  # it is an asker
        return as_message(exchange.reply)

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
        what = f"the meaning of a text is not recorded: {format_value(cleaned(texts[0]))}"
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
        places = join_words([*(one.place for one in found[:FEW_NAMES]), *more], "and")
        text = f"{what}: {places} {differ} from the nearest one {where}"
        return MissingError(text, [f"{first.place}, recorded (-) and now (+)", *first.lines])


def _usage_of(exchange: Exchange) -> Usage | None:
    return replace(UNKNOWN, **exchange.measured["usage"]) if "usage" in exchange.measured else None
