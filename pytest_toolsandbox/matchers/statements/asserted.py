"""What of a text its writer stands by: nothing that it denies, asks or leaves open."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

from pytest_toolsandbox.wording.sentences import QUOTED, parts, typed

from .clauses import NEGATION, VERB
from .doubts import CERTAIN, HEDGE, UNSUPPORTED, leaves_open, takes_back

_WRONG: Final = re.compile(
    r"\b(?:wrong|incorrect|untrue|inaccurate|(?:is|was|'s|are) false|anything but)\b",
    re.IGNORECASE,
)
_NOT: Final = re.compile(
    rf"(?:\b\w+n't\b|\bcannot\b|{NEGATION.pattern})", re.VERBOSE | re.IGNORECASE
)
_NO_NEGATION: Final = re.compile(
    r"\bno(?:\.|(?= ?\d))|\bnot only\b|\bno (?:problem|worries)\b|\bor not\b"
    r"|\b(?:an?|the|its|their|his|her) failed\b"
    r"|\bwithout\b(?= (?:[^,;:.]|[,.]\d){1,80}"
    r" (?:is|are|was|were|comes?|makes?|has|had|lasted|took|it's)\b)",
    re.IGNORECASE,
)
"""What denies no more than what it stands before, if anything: ``the one without sound is 5``."""
_ALL_OF_IT: Final = re.compile(
    r"""[\s.!]* (?: \Z | (?:(?:the|an?|quite|actually|really|at\ all)\ )*
        (?:it|what|case|solution|one|so|that)\b )""",
    re.VERBOSE | re.IGNORECASE,
)
"""What follows a negation that denies what stands before it: ``5 is not one``."""

_IS_NOT_THE: Final = re.compile(r"\b(?:is|was|are|were)(?:n't| not) the\b", re.IGNORECASE)

_NO_ANSWER: Final = re.compile(
    r"(?:\bnot|n't)\s+(?:the\s+|an?\s+)?(?:(?:right|correct|true)\b|(?:\w+\s+)?answer\b)",
    re.IGNORECASE,
)

_GLOSS: Final = re.compile(r"(?<=qqq)\.?\s\([^()]*\?\)")
"""What a quoted question means, in brackets behind it."""
_PIECE: Final = re.compile(
    r"[;,:](?=\s)|[()]|\s[-\u2013\u2014]+\s|\u2014|\b(?:(?<!anything )but|whereas|while)\b",
    re.IGNORECASE,
)
_OR_CAUSE: Final = re.compile(
    rf"{_PIECE.pattern}|\b(?:because(?! of\b)|since(?! (?:\d|last\b|then\b|\w+day\b)))\b",
    re.IGNORECASE,
)
"""A cause is no part of the denial before it: ``not sent, since the service is off``."""

_PRESENT: Final = (
    r"\b(?:makes?|lasts?|takes?|costs?|comes?|stands?|reads?|weighs?|pays?|left|fell|rose|won|lost"
    r"|plays?)\b"
)
_STATES: Final = re.compile(
    rf":[^,;:]*(?:{VERB.pattern}|{_PRESENT}|\w'(?:s|re|ll)\b)", re.IGNORECASE
)
_BELIEVES: Final = re.compile(
    r"\b(?:sa(?:y|id|ying)|think\w*|believ\w+|claim\w*|agree|mean\w*|call\w*|true|right|correct"
    r"|case|answers?)\b"
    r"|(?:\b(?:not|is|are|was|were)|n't)\W*\Z|\bnot th(?:is|at|ese)\b",
    re.IGNORECASE,
)
"""What denies what stands behind a colon, were it a sentence: ``I do not believe it: it is 5``."""


@lru_cache(maxsize=1024)
def asserted(
    text: str,
    titles: tuple[str, ...] = (),
    *,
    may_deny: bool = False,
) -> str:
    """Return a text without what it denies, asks or leaves open; blanks stand in its place.

    Where a sentence says only that its writer is not sure, or that it is wrong, nothing is left.
    What is quoted, and ``titles``, are read as names, whatever they say. A text that ``may_deny``
    stands by its denials.
    """
    kept, is_denied = [], False
    for line in text.splitlines():
        is_denied, at = is_denied and bool(line.strip()), 0
        for masked in parts(_masked(line, titles)):
            sentence, at = line[at : at + len(masked)], at + len(masked)
            if _leaves_all_open(masked):
                return ""
            if takes_back(masked):
                kept = [" "]
                continue
            kept.append(" " if is_denied else _stood_by(sentence, masked, may_deny=may_deny))
            is_head = not may_deny and masked.rstrip(" *_").endswith(":")
            is_denied = is_denied or (is_head and bool(_NOT.search(masked)))
        kept.append("\n")
    stated = "".join(kept)
    return text if stated.split() == text.split() else stated


def _masked(line: str, titles: tuple[str, ...]) -> str:
    """Return a line in which letters stand in the place of names, as many as these have."""
    own_mark = r"(?:\s?[!.](?!\s+[A-Z]))?"
    names = [re.escape(title) + own_mark for title in titles if title in line]
    masked = _GLOSS.sub(_blank, QUOTED.sub(_blank_quote, typed(line)))
    masked = re.sub("|".join(names), _blank, masked) if names else masked
    return CERTAIN.sub(lambda match: " " * len(match[0]), masked)


def _blank_quote(match: re.Match[str]) -> str:
    """Leave the mark of a quotation that ends the sentence around it, too."""
    after = match.string[match.end() :]
    ends_here = re.search(r"[.?!]\W*\Z", match[0]) and re.match(r"\s+[A-Z]", after)
    return "q" * (len(match[0]) - 1) + "." if ends_here else _blank(match)


def _blank(match: re.Match[str]) -> str:
    return "q" * len(match[0])


def _leaves_all_open(sentence: str) -> bool:
    """Whether a sentence says of everything that it is not sure, or supported by nothing."""
    pieces = _PIECE.split(sentence)
    return leaves_open(sentence) or any(map(UNSUPPORTED.fullmatch, pieces))


def _stood_by(sentence: str, masked: str, *, may_deny: bool) -> str:
    is_question = masked.rstrip(" *_\"')").endswith("?")
    if is_question or HEDGE.search(masked):
        return " "
    if may_deny:
        return sentence
    if _NO_ANSWER.search(masked):
        return " "
    return "".join(
        sentence[start:stop] + " " * (stop < end) for start, end, stop in _pieces(masked)
    )


def _pieces(masked: str) -> Iterator[tuple[int, int, int]]:
    """Yield where each piece of a sentence begins, ends, and from where on it is denied."""
    bounds = [0, *(match.start() for match in _OR_CAUSE.finditer(masked)), len(masked)]
    is_denied = False
    for start, end in pairwise(bounds):
        is_told = _STATES.match(masked, start, end) and not _BELIEVES.search(masked[:start])
        piece = _NO_NEGATION.sub(_blank, masked[start:end])
        denial = _NOT.search(piece)
        goes_on = is_denied and masked[start] in "(:" and not is_told
        is_wrong = _WRONG.search(piece) or _IS_NOT_THE.search(piece)
        if goes_on or is_wrong or (denial and _ALL_OF_IT.match(piece, denial.end())):
            stop = start
        else:
            stop = start + denial.start() if denial else end
        is_denied = stop < end
        yield start, end, stop
