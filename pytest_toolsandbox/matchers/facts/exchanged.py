"""Words of a letter that stand beside each other's: gloves left and sandals taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

from .letter_words import ME, YOU, Word
from .letters import Letter


def exchanged(expected: Letter, found: Letter) -> Iterator[tuple[str, str]]:
    """Yield what was said of one thing and is said of another, of which the other's is said.

    Of four words, two and two together in parts of both letters, each has the other pair's partner:
    ``take gloves, leave sandals`` and ``take sandals, leave gloves``. Words that a letter has twice
    tell nothing.
    """
    own, given = (_parts([*it.words, *it.owners, *_doers(it.words)]) for it in (expected, found))
    both = [name for name in own if name in given]
    pairs: dict[tuple[int, int], str] = {}
    for name in both:
        pairs.setdefault((own[name].part, given[name].part), given[name].written)
    parts = sorted({own[name].part for name in both}), sorted({given[name].part for name in both})
    for (one, other), (first, second) in product(*(combinations(its, 2) for its in parts)):
        cells = (one, first), (one, second), (other, first), (other, second)
        if all(cell in pairs for cell in cells):
            yield "exchanged", " and ".join(pairs[cell] for cell in cells[:2])


def _doers(words: Sequence[Word]) -> Iterator[Word]:
    """Yield you and me for each part in which we do something."""
    for doer, part in dict.fromkeys((one.doer, one.part) for one in words):
        if doer in (ME, YOU):
            yield Word(f"{doer}:", doer, part=part)


def _parts(words: Sequence[Word]) -> Mapping[str, Word]:
    """Return the words that are there once, by their names."""
    names = [_name(one) for one in words]
    often = Counter(names)
    return {name: one for name, one in zip(names, words, strict=True) if often[name] == 1}


def _name(word: Word) -> str:
    return f"{word.name} {word.written}" if word.name.startswith("#") else word.name
