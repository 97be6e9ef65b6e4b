"""Facts of English texts: in what another text tells something else than the expected one.

Numbers, times, dates, names, what is denied, and words in the place of others. Measures of likeness
hardly see these: a text of much the same words, or of a near vector, may still say the opposite.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from operator import itemgetter

from pytest_toolsandbox.wording.long_texts import in_part

from .names import other_names
from .negations import contradictions
from .swaps import swaps, tokens
from .values import other_values

__all__ = ["agree", "contradicted", "reason"]


def agree(expected: str, found: str) -> bool:
    """Whether a text differs in no fact from the expected one."""
    return expected == found or _agree(expected, in_part(found))


@lru_cache(maxsize=4096)
def _agree(expected: str, found: str) -> bool:
    return next(_disagreements(expected, found), None) is None


def reason(expected: str, found: str) -> str | None:
    """Say for a report in what facts a text differs: ``missing: two, 5 pm; denied: come``."""
    kinds: dict[str, list[str]] = {}
    for kind, what in () if expected == found else _disagreements(expected, in_part(found)):
        kinds.setdefault(kind, []).append(what)
    return "; ".join(f"{kind}: {', '.join(all_of)}" for kind, all_of in kinds.items()) or None


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


def _disagreements(expected: str, found: str) -> Iterator[tuple[str, str]]:
    """Yield ``missing``, and what is, and the like; what is found fastest comes first."""
    facts = (other_names, other_values, contradictions)
    is_other = False
    for one in chain.from_iterable(find(expected, found) for find in facts):
        is_other = True
        yield one
    for own, other in () if is_other else dict.fromkeys(swaps(expected, found)):
        yield "another word", f"{other} for {own}"
