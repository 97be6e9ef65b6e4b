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
from .exchanges import (
    ERROR,
    Exchange,
    Request,
    Setting,
    as_message,
    cleaned,
    read_reply,
    usual_reasons,
)
from .tape import SUPPORTS, VECTORS, Tape

SHOWN: Final = 90
"""The maximum number of characters of a line."""
_BEFORE: Final = 20
"""The number of characters before the first difference in a line."""
_LINES: Final = 12
"""The maximum number of lines of a difference."""
_NOTHING: Final[Any] = object()
"""The placeholder for a part that one of the requests lacks."""


class Difference(NamedTuple):
    """A ``place``, such as ``tools.search_contacts.description``, and its two values."""

    place: str
    recorded: Any
    now: Any

    @property
    def lines(self) -> list[str]:
        """The recorded value after a minus, and the current one after a plus."""
        old, new = (_lines(value) for value in (self.recorded, self.now))
        if len(old) == len(new) == 1:
            old, new = _around(old[0], new[0])
        changed = [line for line in difflib.ndiff(old, new) if line[0] in "-+"]
        shown = [f"{line[0]} {one_line(line[2:], SHOWN)}" for line in changed]
        omitted = len(shown) - _LINES
        return [*shown[:_LINES], f"  … and {omitted} more lines"] if omitted > 1 else shown


def nearest(asked: Request, recorded: Sequence[Request], place: int) -> int | None:
    """Return which recorded request to the same role is nearest, if possible after ``place``.

    It is the first one with the fewest differences.
    """
    mine = [index for index, request in enumerate(recorded) if request.who == asked.who]
    later = [index for index in mine if index >= place] or mine
    return min(later, key=lambda index: len(differences(recorded[index], asked)), default=None)


def differences(recorded: Request, now: Request) -> list[Difference]:
    """Return the differences of two requests: in model, parameters, prompt, tools, messages."""
    settings = [_by_name(request.setting) for request in (recorded, now)]
    messages = itertools.zip_longest(recorded.messages, now.messages, fillvalue=_NOTHING)
    numbered = (_parts(f"message {number}", *pair) for number, pair in enumerate(messages, 1))
    differing = [*_parts("", *settings)]
    old, new = ([*setting["tools"]] for setting in settings)
    if old != new and {*old} == {*new}:
        differing.append(Difference("the order of the tools", old, new))
    return [*differing, *itertools.chain.from_iterable(numbered)]


def _by_name(setting: Mapping[str, Any]) -> dict[str, Any]:
    """Return a setting with its tools by name."""
    first = {"model": setting.get("model"), "parameters": setting.get("parameters", {})}
    tools = {str(tool.get("name")): tool for tool in setting.get("tools", ())}
    return {**first, **setting, "tools": tools}


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
    """Return two lines, starting shortly before their first difference."""
    pairs = zip(old, new, strict=False)
    same = len([*itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)])
    start = max(same - _BEFORE, 0)
    return [[f"…{line[start:]}" if start else line] for line in (old, new)]


class Player(Tape):
    """Answers requests from a cassette, and asks nobody else.

    Instead of a cassette, it may have the error of one, which the first request raises. The first
    request that is not recorded is kept as ``miss``, since an agent may swallow its error.
    """

    replays = True

    def __init__(self, meter: Meter, cassette: Cassette | CassetteError, number: int) -> None:
        super().__init__(meter)
        self.lacking = cassette if isinstance(cassette, CassetteError) else None
        """Why there is nothing to replay, if so."""
        self.cassette = Cassette("", {}, {}) if isinstance(cassette, CassetteError) else cassette
        self.shown = f"{self.cassette.shown}, trial {number}"
        self.trial = self._read(number) or RecordedTrial([])
        self.place = 0
        self.miss: CassetteError | None = None
        self.missed = ""
        """The role to which the first missing request was sent."""
        self._same: dict[str, Setting] = {}

    def embedder(self, embedder: Embedder | None) -> Embedder | None:
        """Return an embedder with the vectors of the cassette, if an embedder is used."""
        kept = self.trial.notes.get(VECTORS, {})
        return RecordedVectors(kept, self._no_vector) if embedder else None

    def known(self, model: str, ask: Callable[[], Sequence[str]]) -> Sequence[str]:
        """Return the noted parameters of a model; other models have none."""
        del ask
        supported: Sequence[str] = self.trial.notes.get(SUPPORTS, {}).get(model, ())
        return supported

    def model_reply(self, asked: Request, ask: Ask) -> ModelReply:
        """Return the recorded reply of a model."""
        del ask
        exchange = self._next_exchange(asked)
        if ERROR in exchange.reply:
            raise ProviderError(exchange.reply[ERROR])
        latency = float(exchange.measured.get("latency", 0))
        usage = replace(_usage_of(exchange) or UNKNOWN, latency=latency, timed=1)
        message = read_reply(exchange.reply, self.place)
        reasons = exchange.measured.get("finish_reasons", usual_reasons(exchange.reply))
        return ModelReply(message, next(iter(reasons), None), usage)

    def custom_reply(self, asked: Request, ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return the recorded reply of a custom agent, user or judge."""
        del ask
        exchange = self._next_exchange(asked)
        if usage := _usage_of(exchange):
            reasons = exchange.measured.get("finish_reasons", ())
            self.meter.add(usage, asked.who, reasons)  # type: ignore[arg-type]  # it is an asker
        return as_message(exchange.reply)

    def _read(self, number: int) -> RecordedTrial | None:
        try:
            trial = self.cassette.trial(number)
        except UnreadableError as error:
            trial, self.lacking = None, CassetteError(f"{self.cassette.shown}: {error}")
        if trial is None and self.lacking is None:
            self.lacking = MissingError(f"{self.shown}: it is not recorded; {REMEDY}")
        return trial

    def _next_exchange(self, asked: Request) -> Exchange:
        """Return the next exchange. Raises :class:`CassetteError` if it has another request."""
        if self.miss is None and self.place < len(self.trial.exchanges):
            exchange = self.trial.exchanges[self.place]
            same = (exchange.request.who, exchange.request.messages) == (asked.who, asked.messages)
            if same and self._has_setting(self.trial.names[self.place], asked.setting):
                self.place += 1
                return exchange
        if self.miss is None:
            self.miss, self.missed = self.lacking or self._missed(asked), asked.who
        raise self.miss

    def _no_vector(self, texts: Sequence[str]) -> Never:
        what = f"the meaning of a text is not recorded: {format_value(cleaned(texts[0]))}"
        text = f"{self.shown}: {what}; {REMEDY}"
        self.miss = self.miss or self.lacking or MissingError(text)
        raise self.miss

    def _has_setting(self, name: str, setting: Setting) -> bool:
        if self._same.get(name) is setting:
            return True
        try:
            is_same = self.cassette.has_setting(name, setting)
        except UnreadableError as error:
            is_same, self.lacking = False, CassetteError(f"{self.shown}: {error}")
        if is_same:
            self._same[name] = setting
        return is_same

    def _missed(self, asked: Request) -> CassetteError:
        pairs = zip(self.trial.exchanges, self.trial.names, strict=True)
        recorded = [
            replace(exchange.request, setting=self.cassette.setting(n)) for exchange, n in pairs
        ]
        before = [request.who for request in recorded[: self.place]]
        what = f"request {before.count(asked.who) + 1} to the {asked.who} is not recorded"
        where = f"in {self.shown}; {REMEDY}"
        index = nearest(asked, recorded, self.place)
        if index is None:
            return MissingError(f"{what}: there is none to the {asked.who} {where}")
        differing = differences(recorded[index], asked)
        if not differing:
            return MissingError(f"{what} here, but as number {index + 1} of all {where}")
        first, differ = differing[0], "differs" if len(differing) == 1 else "differ"
        more = [f"{len(differing) - FEW_NAMES} more"] if len(differing) > FEW_NAMES else []
        places = join_words(
            [*(difference.place for difference in differing[:FEW_NAMES]), *more], "and"
        )
        text = f"{what}: {places} {differ} from the nearest one {where}"
        return MissingError(text, [f"{first.place}, recorded (-) and now (+)", *first.lines])


def _usage_of(exchange: Exchange) -> Usage | None:
    return replace(UNKNOWN, **exchange.measured["usage"]) if "usage" in exchange.measured else None
