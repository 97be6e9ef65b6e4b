"""Reports that something could not be done which was done: ``I couldn't set the reminder``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from pytest_toolsandbox.matchers.claims import done_in
from pytest_toolsandbox.matchers.statements.clauses import Clause, clauses
from pytest_toolsandbox.matchers.statements.deeds import wordings
from pytest_toolsandbox.matchers.statements.stems import stem

from .claimed_acts import claimed_acts
from .effects import Effects
from .other_verbs import verbs_of
from .things import stems, things, words

_DEEDS: Final = ("sent", "added", "deleted", "changed", "enabled", "disabled")
_LEFT_OPEN: Final = ("sent", "added", "enabled", "disabled")
"""Those of which no one says of things that were to stay as they are that they were not done."""
_FAILED: Final = re.compile(
    r"\b(?:could not|can not|was not able to|were not able to|am not able to|unable to|failed to"
    r"|did not (?:manage to|succeed in)|not possible to|impossible to|no way to)\b(?P<what>.*)"
    r"|^(?P<subject>.{3,60}?) (?:(?:could|can) not be|(?P<open>(?:has|have) not (?:yet )?been"
    r"|(?:was|were) not (?:yet )?(?=sent\b)"
    r"|still (?:has|have|needs?) to be|did not (?:go through|work)))\b(?P<how>.*)"
)
_QUALIFIED: Final = re.compile(
    r"\b(?:first|initially|until|before|since|because|as|while|without|directly|at once|other"
    r"|another|any|else|(?<!off )(?<!on )again|twice|more|both|right away"
    r"|immediately|old|automatically)\b"
)
_NOTHING: Final = re.compile(
    r"\b(?:(?P<past>changed|deleted|removed|added|saved|updated) nothing"
    r"|nothing (?:(?:left|needed|there|for me) )*to (?:be )?"
    r"(?P<verb>change|delete|remove|update)d?"
    r"|(?P<no>made no changes?))\W*$"
)
"""What says in the end of a clause that nothing of the kind was done."""
_KINDS: Final = {
    stem(verb): kinds
    for verb, kinds in {
        "change": ("changed", "added", "removed"),
        "update": ("changed", "added"),
        "delete": ("removed",),
        "remove": ("removed",),
        "add": ("added",),
        "save": ("added", "changed"),
    }.items()
}
"""Which deeds each of these verbs may be told of."""
_WRITTEN: Final = re.compile(r"\b(?:wrote|written|drafted)\b")
"""What tells of a text, and does not send it: ``I wrote it, but could not send it``."""
_REASON: Final = re.compile(r"while|because|since|as|until|till|before|after|when|if|unless")


def denied_acts(text: str, done: Effects) -> Iterator[str]:
    """Yield the clauses that say that something was not done which calls have ``done`` so far.

    Only what is plain counts: where the text claims nothing of the kind itself, says no more of
    why or when, and means what a call has changed.
    """
    for clause, following in zip_longest(found := clauses(text), found[1:]):
        failed = _FAILED.search(clause.text) if clause.is_stated else None
        is_plain = not _QUALIFIED.search(clause.text) and not _is_reason(clause, following)
        is_denied = failed and is_plain and _is_done(failed, text, done)
        is_open = clause.is_question or clause.is_conditional
        if is_denied or (not is_open and _is_nothing(clause.text, text, done)):
            yield clause.text


def _is_nothing(clause: str, text: str, done: Effects) -> bool:
    """Whether it says that nothing was changed, deleted or added, and what was is not told."""
    found = _NOTHING.search(clause)
    if found is None or any(claimed_acts(text)):
        return False
    kinds = _KINDS[stem(found["past"] or found["verb"] or "change")]
    return any(one.kind in kinds for one in done.deeds)


def _is_reason(clause: Clause, following: Clause | None) -> bool:
    """Whether the next clause says why or when it was so."""
    is_same = following is not None and following.sentence == clause.sentence
    return is_same and bool(following and _REASON.fullmatch(following.opener))


def _is_done(failed: re.Match[str], text: str, done: Effects) -> bool:
    said = failed["what"] or f"{failed['subject']} {failed['how']}"
    deeds = _LEFT_OPEN if failed["open"] else _DEEDS
    own = [deed for deed in deeds if wordings((deed,), ("done", "names")).search(said)]
    people = frozenset().union(*(keys for keys, _ in done.people)) & words(said)
    about = things(said) - things(" ".join((*_words_of(own, said), *people)))
    switched = done.switched(True) | done.switched(False)
    if not about <= done.words | done.known or _is_about_others(said, done):
        return False
    if _has_called(stems([said]) & verbs_of(one.call.name for one in done.calls), text):
        return True
    return any(
        _has_done(deed, things(said) & switched, done)
        and not any(
            people <= words(one.text) and not _WRITTEN.search(one.text)
            for one in done_in((deed,), text)
        )
        for deed in own
    )


def _has_called(verbs: frozenset[str], text: str) -> bool:
    """Whether there are ``verbs`` of tools that were called, and the text tells them nowhere."""
    told = (one.text for one in clauses(text) if one.is_stated and not one.has_negation())
    return bool(verbs - stems(told))


def _words_of(deeds: list[str], said: str) -> Iterator[str]:
    for deed in deeds:
        yield from (one[0] for one in wordings((deed,), ("done", "names")).finditer(said))


def _is_about_others(said: str, done: Effects) -> bool:
    meant = done.meant(words(said))
    return bool(meant) and not any(ways & (done.touched | done.concerned) for ways in meant)


def _has_done(deed: str, about: frozenset[str], done: Effects) -> bool:
    if deed in ("enabled", "disabled"):
        return bool(about & done.switched(deed == "enabled"))
    if deed == "sent":
        return bool(done.recipients)
    if deed == "added":
        return bool(done.rows("added", net=True))
    return bool(done.rows("removed", net=deed == "deleted"))
