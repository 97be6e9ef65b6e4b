"""What the scripted user says to proposals: what ``agrees`` and ``permits`` stand for."""

from __future__ import annotations

import re
from typing import Final

from pytest_toolsandbox.language.tasks import Assent, UserScript
from pytest_toolsandbox.wording.sentences import Sentence

from .proposals import adds_something, is_generic, names, proposals, stems
from .turns import Turn

ON_THE_WAY: Final = ("turn", "look", "use", "access", "change settings", "wifi", "low battery")
"""What a user permits who permits things without naming any."""
_LEFT_ALONE: Final = re.compile(
    r"\b(?:keep|leave|not|without|except|untouched)\b|n't\b", re.IGNORECASE
)
_IT: Final = re.compile(r"\b(?:it|that|this|them|so)\b", re.IGNORECASE)


def assent(script: UserScript, turn: Turn) -> tuple[str, ...]:
    """Return the texts for the proposals of a turn, none where it makes none or others."""
    found = proposals(turn)
    for kind in (script.agrees, script.permits):
        if kind and any(_is_refused(kind, one, turn) for one in found):
            return kind.say_no
    for one in found:
        if script.permits and names(one, script.permits.to or ON_THE_WAY):
            return script.permits.say
        if kind := script.agrees:
            if is_generic(one) or _is_wanted(kind, one, script):
                return kind.say
        elif script.permits and is_generic(one):
            return script.permits.say
        if script.permits and any(names(it, script.permits.to) for it in _before(one, turn)):
            return script.permits.say
    return ()


def _before(proposal: Sentence, turn: Turn) -> tuple[Sentence, ...]:
    """Return the sentence before, if it says what "it" stands for: "Wifi is off. Turn it on?"."""
    place = turn.sentences.index(proposal)
    means_it = is_generic(proposal) or _IT.search(proposal.plain)
    return turn.sentences[max(0, place - 1) : place] if means_it else ()


def _is_refused(kind: Assent, proposal: Sentence, turn: Turn) -> bool:
    """Whether a proposal is not wanted, or what was said just before "Shall I go ahead?"."""
    before = [one for one in _before(proposal, turn) if not _LEFT_ALONE.search(one.plain)]
    return any(names(one, kind.not_to) for one in (proposal, *before))


def _is_wanted(kind: Assent, proposal: Sentence, script: UserScript) -> bool:
    """Whether a proposal names what is listed, or is in words of the opening or the goal."""
    if names(proposal, kind.to):
        return True
    wanted = stems(script.opening) | stems(script.wants)
    return not adds_something(proposal) and bool(stems(proposal.plain) & wanted)
