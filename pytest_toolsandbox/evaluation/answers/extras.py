"""What an answer names in the place of what was asked: other results of the tools, other numbers.

Who names the right one among others, ``Ada or Bob``, or all that was found, has not answered.
What is named as something else is no such extra: a runner-up, what was compared, a step of a sum.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Final

from pytest_toolsandbox.wording.sentences import parts

from .asked import Asked
from .fact import has_any, is_whole, plain
from .left_open import left_open, names_beside
from .other_answers import bounds, namesakes
from .told_amounts import AMOUNT, EMPTY, of_other_units
from .told_instead import told_instead

MOST: Final = 6
"""How many extras an answer may compare or reckon with."""
MOST_FOUND: Final = 10
"""How many things an answer may name that were found and not asked for."""
LONGEST: Final = 1500
"""Letters of the longest answer."""
_PIECE: Final = re.compile(
    r"""[;|\n\u2022\u2014] | (?<!\d)/ | /(?!\d) | [,:](?=\s)
    | \b(?:and|or|as\ well\ as|plus|also)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_LISTED: Final = re.compile(r"(?<=[a-z] )\d+(?:, \d+)*,? and \d+(?![\w.,]*\d)")
"""Numbers that a word before them names: ``reports of 7, 9 and 10``."""
_MARKER: Final = re.compile(r"^\s*(?:\d{1,2}[.)]|[-*+\u2022])\s+")
_TOTAL: Final = re.compile(
    r"\W*(?:(?:grand |in )?total|sum|together|altogether|in all|all in all)\b", re.IGNORECASE
)
_ASIDE: Final = re.compile(r"\([^()]*\)")
_COMPARED: Final = re.compile(
    r"""\b(?: than | ahead | follow(?:ed|s|ing) | next | second | third | last | runners?-up
    | compar\w+ | versus | vs | against | behind | beats? | beaten | beating | before | after
    | unlike | closest | closely | others? | else | besides | among\w* | between | checked | looked
    | consider\w* | candidates? | exclud\w+ | ruled | left | instead | totals? | together
    | altogether | sum | adds? | added | so | hence | thus | therefore | makes? | comes? | overall
    | each | minus | plus | times | only
    | would | cheaper | dearer | under(?=\W*["\u201c])
    | the\ (?:most|least|worst|\w+est)(?!-) )\b
    | [=+\u00d7\u2212\u2192] | \s-\s(?=\d)""",
    re.VERBOSE | re.IGNORECASE,
)
"""What shows that something is named as such, and not as the answer."""
_CONCLUDES: Final = re.compile(
    r"\b(?:so|hence|thus|therefore|winner|answer|the (?:most|least|\w+est|\w+er one))\b",
    re.IGNORECASE,
)
_COMPOUND: Final = re.compile(r"\b(hours?|hrs?|h|minutes?|mins?)\s+and\s+(?=\d)", re.IGNORECASE)
"""What makes one amount of two: 11 hours and 32 minutes."""
_MADE_BY: Final = re.compile(r"\b(?:by|from)\b", re.IGNORECASE)
"""What tells whose something else is: ``the best reply, by Ada``."""
_AND: Final = re.compile(r"[\s(]and\s", re.IGNORECASE)
_SLASH: Final = re.compile(r"\s?/\s|\s/\s?")


def extras(text: str, asked: Asked) -> list[str]:
    """Return what an answer names beside them, and not as something else."""
    found = [*_of_lines(text.splitlines(), asked)]
    is_aside = len(found) <= MOST
    concludes = is_aside and _concludes(text, asked)
    named = [
        *(one for one, is_beside in found if not ((is_aside and is_beside) or concludes)),
        *told_instead(text, asked),
        *of_other_units(text, asked.amounts, asked.asked_numbers),
        *left_open(text, asked),
        *bounds(text, asked.known, asked.is_number),
        *namesakes(text, asked.facts, asked.known_words),
    ]
    others = [one for one in asked.others if one in text and is_whole(one, text)]
    if not named and (len(text) > LONGEST or len(others) > MOST_FOUND):
        return [f"{len(others)} other things that were found, in {len(text)} letters"]
    return list(dict.fromkeys(named))


def _concludes(text: str, asked: Asked) -> bool:
    """Whether, after others, a sentence says which one it is: ``So it is Ada``."""
    later = [*chain.from_iterable(map(parts, text.splitlines()))][1:]
    said = (one for one in later if _CONCLUDES.search(one) and not _PIECE.search(one.split(",")[0]))
    return any(
        has_any(asked.facts, one) and not any(is_whole(it, one) for it in asked.rivals)
        for one in said
    )


def _of_lines(lines: Sequence[str], asked: Asked) -> Iterator[tuple[str, bool]]:
    """Yield the extras of all lines; items that are summed up, or led to as such, compare."""
    is_sum, is_led = any(_TOTAL.match(line) for line in lines), False
    for line in filter(str.strip, lines):
        is_item = bool(_MARKER.match(line))
        for extra, is_compared in _of(line, asked):
            yield extra, is_compared or (is_item and (is_led or is_sum))
        if not is_item:
            is_led = line.rstrip(" *_").endswith(":") and bool(_COMPARED.search(line))


def _of(line: str, asked: Asked) -> Iterator[tuple[str, bool]]:
    """Yield each extra of a line, and whether its sentence compares or reckons.

    A name of several sentences, such as what was posted, is looked for in the whole line.
    """
    for name in asked.passages:
        if is_whole(name, line):
            yield name, bool(_COMPARED.search(_without_names(line, asked)))
            line = line.replace(name, " ")
    for sentence in parts(_COMPOUND.sub(r"\1 ", _MARKER.sub("", line))):
        is_compared = bool(_COMPARED.search(_without_names(sentence, asked)))
        told = _LISTED.sub(partial(_without_list, asked), _ASIDE.sub(" ", sentence))
        for piece in _PIECE.split(told):
            if _is_extra(piece, asked):
                yield plain(piece), is_compared
        for joint in _AND.finditer(sentence):
            yield from ((extra, is_compared) for extra in _beside_and(joint, asked))
        for joint in _SLASH.finditer(sentence):
            names = names_beside(joint, asked)
            yield from ((one, False) for one in names if not has_any(asked.facts, one))


def _without_list(asked: Asked, numbers: re.Match[str]) -> str:
    """Leave out ``claims 1 and 3``, which are named as such, unless one is asked for."""
    return numbers[0] if any(map(asked.is_asked_number, numbers[0].split())) else " "


def _beside_and(joint: re.Match[str], asked: Asked) -> Iterator[str]:
    """Yield the rivals on either side of ``and``, but for those that begin a clause."""
    before, after = joint.string[: joint.start()], joint.string[joint.end() :]
    verb = r"(?! [a-z]\w)" if before.rstrip().endswith((",", ")")) else ""
    for name in asked.rivals:
        whole = rf"(?<!\w){re.escape(name)}"
        ends = re.search(rf"(?<!\bby )(?<!\bfrom ){whole}\W*\Z", before)
        if ends or re.match(rf"\W*{whole}(?!\w){verb}", after):
            yield name


def _without_names(sentence: str, asked: Asked) -> str:
    for name in (*asked.titles, *asked.rivals):
        sentence = sentence.replace(name, " ")
    return sentence


def _is_extra(piece: str, asked: Asked) -> bool:
    """Whether a piece is nothing but a rival, or an amount that stands nowhere."""
    if has_any(asked.facts, piece):
        return False
    named = [one for one in asked.rivals if is_whole(one, piece)]
    rest = piece
    for one in named:
        rest = rest.replace(one, " ")
    amount = AMOUNT.search(rest)
    words = set(re.findall(r"[^\W\d_]+", EMPTY.sub(" ", AMOUNT.sub(" ", rest)).casefold()))
    if named:
        return not words and not _MADE_BY.search(rest)
    return bool(amount and asked.is_other(amount) and words <= asked.answer_words)
