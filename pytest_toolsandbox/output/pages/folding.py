"""Fold what is repeated in a transcript: the same call with the same answer, many times."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

_FEWEST: Final = 3
"""Repetitions that are folded; fewer are shown."""
_LENGTHS: Final = (1, 2)
"""A message alone, and a call with its answer."""
_NUMBERED: Final = "  ["


@dataclass(frozen=True)
class _Block:
    """The lines of a message: its own, and those below it."""

    index: int
    line: str
    below: Sequence[str]

    @property
    def key(self) -> object:
        """The message without its number; that of a hidden one, as the system's, is its own."""
        is_shown = self.line.startswith(_NUMBERED)
        return self.line.partition("]")[2] if is_shown else self.index


def folded(lines: Iterable[tuple[int, str]]) -> Iterator[str]:
    """Yield the lines of messages by index; what is said many times in a row is there once.

    Its first line ends with how often it is there and where that ends. Notes below it say where
    they are, if not at the first, or how often.
    """
    groups = ((index, [line for _, line in group]) for index, group in _by_index(lines))
    blocks = [_Block(index, first, below) for index, (first, *below) in groups]
    place = 0
    while place < len(blocks):
        length, times = _repeated(blocks, place)
        end = place + length * times
        mark = f"  ({times} times, to [{blocks[end - 1].index}])" if times > 1 else ""
        for at in range(place, place + length):
            yield f"{blocks[at].line}{mark if at == place else ''}"
            yield from _below(blocks[at:end:length])
        place = end


def _by_index(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, Iterator[tuple[int, str]]]]:
    return itertools.groupby(lines, key=itemgetter(0))


def _repeated(blocks: Sequence[_Block], place: int) -> tuple[int, int]:
    """Return how many blocks are repeated from a place on, and how often they are there."""
    for length in _LENGTHS:
        first = [block.key for block in blocks[place : place + length]]
        times, at = 1, place + length
        while [b.key for b in blocks[at : at + length]] == first:
            times, at = times + 1, at + length
        if times >= _FEWEST:
            return length, times
    return 1, 1


def _below(repeated: Sequence[_Block]) -> Iterator[str]:
    """Yield what is said below the same message, each once."""
    first, places = repeated[0], dict[str, list[int]]()
    for block in repeated:
        for line in block.below:
            places.setdefault(line, []).append(block.index)
    for line, indices in places.items():
        if len(indices) > 1:
            yield f"{line}  ({len(indices)} times)"
        else:
            yield line if indices[0] == first.index else f"{line}  at [{indices[0]}]"
