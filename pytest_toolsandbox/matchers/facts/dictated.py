"""What a letter tells otherwise than the one that somebody dictated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

from .exchanged import exchanged
from .instead import other_instead
from .letter_words import NUMBER, Word, alike, not_in
from .letters import OPTIONAL, POLITE, letter
from .links import other_links
from .refusals import refusals
from .requests import other_conditions, other_requests
from .roles import other_roles, other_times
from .turns import other_turns


def other_letter(expected: str, found: str, names: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield in what a letter differs, where some words are names."""
    both = letter(expected, names), letter(found, names)
    own, given = (one.words for one in both)
    checks = (
        exchanged,
        other_links,
        other_instead,
        other_turns,
        other_roles,
        other_times,
        other_conditions,
        other_requests,
        refusals,
    )
    yield from chain(_replaced(own, given), *(check(*both) for check in checks))
    yield from _asked_otherwise(own, given)
    yield from _left_out(own, given, is_asked="?" in both[1].text)


def _replaced(own: Sequence[Word], given: Sequence[Word]) -> Iterator[tuple[str, str]]:
    """Yield words in the place of others: between the same words, and nowhere else."""
    pairs = [(-1, -1), *_common(own, given), (len(own), len(given))]
    for (first, begin), (last, end) in pairwise(pairs):
        lost = not_in(given, own[first + 1 : last], OPTIONAL)
        more = not_in(own, given[begin + 1 : end], POLITE)
        if lost and more and (first >= 0 or last < len(own)):
            yield "another word", f"{more[0].written} for {lost[0].written}"


def _asked_otherwise(own: Sequence[Word], given: Sequence[Word]) -> Iterator[tuple[str, str]]:
    """Yield words in the place of others in a question, wherever they stand in it."""
    questions = dict.fromkeys(one.sentence for one in given if one.is_asked)
    for sentence in dict.fromkeys(one.sentence for one in own if one.is_asked):
        words = [one for one in own if one.sentence == sentence]
        lost = not_in(given, words, OPTIONAL | POLITE)
        for other in questions if lost else ():
            asked = [one for one in given if one.sentence == other]
            more = not_in(own, asked, POLITE)
            same = [one for one in words if any(alike(one, it) for it in asked)]
            if more and len(same) * 2 >= len(words):
                yield "another word", f"{more[0].written} for {lost[0].written}"


def _left_out(
    own: Sequence[Word], given: Sequence[Word], *, is_asked: bool
) -> Iterator[tuple[str, str]]:
    """Yield clauses of which nothing is said, and things that are not named."""
    for clause in dict.fromkeys(one.clause for one in own):
        words = [one for one in own if one.clause == clause and one.name[0] != NUMBER]
        words = [one for one in words if one.name not in OPTIONAL]
        is_met = words and words[0].is_asked and is_asked
        if words and not is_met and len(not_in(given, words, OPTIONAL)) == len(words):
            yield "missing", " ".join(one.written for one in words)
    things = [one for one in own if one.is_thing and one.name[0] != NUMBER]
    yield from (("missing", one.written) for one in not_in(given, things, OPTIONAL | POLITE))


def _common(own: Sequence[Word], given: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """Yield the places of the longest sequence of words that both have."""
    same = [[alike(one, other) for other in given] for one in own]
    longest = [[0] * (len(given) + 1) for _ in range(len(own) + 1)]
    for row in reversed(range(len(own))):
        below = longest[row + 1]
        for column in reversed(range(len(given))):
            without = max(below[column], longest[row][column + 1])
            longest[row][column] = below[column + 1] + 1 if same[row][column] else without
    row = column = 0
    while row < len(own) and column < len(given):
        if same[row][column]:
            yield row, column
            row, column = row + 1, column + 1
        elif longest[row + 1][column] >= longest[row][column + 1]:
            row += 1
        else:
            column += 1
