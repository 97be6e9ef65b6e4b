"""Facts of English texts: in what another text tells something else than the expected one.

Numbers, times, dates, names, what is denied, and words in the place of others. Measures of likeness
hardly see these: a text of much the same words, or of a near vector, may still say the opposite.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import Final

from pytest_toolsandbox.matchers.statements.stems import stem
from pytest_toolsandbox.wording.long_texts import in_part

from .acceptance import with_acceptance
from .dictated import other_letter
from .discretion import indiscretions
from .letters import letter, likeness, names_of
from .moments import other_moments, with_days_of
from .names import other_names
from .negations import contradictions
from .persons import exchanged_persons
from .phrases import with_usual_phrases
from .roles import is_told
from .same_words import are_alike, may_stand_for
from .swaps import swaps, tokens
from .tenor import other_tenor
from .titles import other_title
from .values import other_values

__all__ = ["agree", "are_alike_letters", "contradicted", "dictated", "reason", "with_usual_phrases"]

_HALF: Final = 0.5


def agree(expected: str, found: str) -> bool:
    """Whether a text differs in no fact from the expected one."""
    return expected == found or _agree(expected, in_part(found))


@lru_cache(maxsize=4096)
def _agree(expected: str, found: str) -> bool:
    return next(_disagreements(expected, found), None) is None


def reason(expected: str, found: str) -> str | None:
    """Say for a report in what facts a text differs: ``missing: two, 5 pm; denied: come``."""
    return _written(() if expected == found else _disagreements(expected, in_part(found)))


def _written(differences: Iterable[tuple[str, str]]) -> str | None:
    kinds: dict[str, list[str]] = {}
    for kind, what in dict.fromkeys(differences):
        kinds.setdefault(kind, []).append(what)
    return "; ".join(f"{kind}: {', '.join(all_of)}" for kind, all_of in kinds.items()) or None


def dictated(
    expected: str, found: str, known: Sequence[str], today: dt.date, *, is_title: bool
) -> str | None:
    """Say in what a text differs from one that somebody dictated, in a known conversation."""
    own = with_usual_phrases(expected)
    text = with_days_of(own, with_usual_phrases(in_part(found)), today)
    text = text if is_title else with_acceptance(own, text)
    names = names_of("\n".join((*known, own, text)))
    more = other_title(own, text) if is_title else other_letter(own, text, names)
    moments = (("invented", one) for one in other_moments(own, text, known, today))
    facts = _disagreements(own, text, are_alike if is_title else may_stand_for)
    if not is_title:
        facts = (
            one for one in facts if one[0] != "denied" or not is_told(one[1], own, text, names)
        )
    if not is_title:
        more = chain(more, indiscretions(own, text, known))
    return _written(chain(facts, more, moments) if own != found else ())


def are_alike_letters(expected: str, found: str, known: Sequence[str]) -> bool:
    """Whether half of what two letters say is the same, greetings and times aside."""
    own = with_usual_phrases(expected)
    text = with_acceptance(own, with_usual_phrases(in_part(found)))
    names = names_of("\n".join((*known, own, text)))
    return likeness(letter(own, names), letter(text, names)) >= _HALF


def contradicted(expected: str, found: str) -> str | None:
    """Say in what a text contradicts the expected one, whatever it leaves out."""
    facts = (one for one in _disagreements(expected, found) if one[0] != "missing")
    words = (("another word", f"{other} for {own}") for own, other in swaps(expected, found))
    return next((f"{kind}: {what}" for kind, what in chain(facts, words)), None)


def nearest(text: str, others: Iterable[str]) -> str | None:
    """Return which of some texts has the largest share of its words in common with one."""
    own = _words(text)
    shared = [(len(own & _words(one)) / max(1, len(own | _words(one))), one) for one in others]
    most, nearest_one = max(shared, key=itemgetter(0), default=(0, ""))
    return nearest_one if most else None


def _words(text: str) -> frozenset[str]:
    return frozenset(one.name for one in tokens(text) if one.is_word)


def _disagreements(
    expected: str, found: str, may_stand: Callable[[str, str], bool] = are_alike
) -> Iterator[tuple[str, str]]:
    """Yield ``missing``, and what is, and the like; what is found fastest comes first."""
    facts = (other_names, other_values, contradictions)
    is_other = False
    for one in chain.from_iterable(find(expected, found) for find in facts):
        is_other = True
        yield one
    if not is_other:
        yield from dict.fromkeys(other_tenor(expected, found))
        yield from exchanged_persons(expected, found)
        for own, other in dict.fromkeys(swaps(expected, found)):
            if not may_stand(stem(own.casefold()), stem(other.casefold())):
                yield "another word", f"{other} for {own}"
