"""What a report says that others wrote: quotations, and texts that nobody has read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_toolsandbox.matchers.normal_text import normal_text
from pytest_toolsandbox.matchers.statements.clauses import clauses

from .deeds import is_sent, text_of
from .effects import Effects
from .things import stems, words

_QUOTED: Final = re.compile(
    r"\b(?:wrote|writes|written|texted|says|said|replied|answered|reads|messages?|texts?|asked)\b"
    r"[^\w\n\"\u201c.!?]{0,6}(?:(?:you|me|back|this|then|was|is|to \w+)\b\W{1,3}){0,3}"
    r"[\"\u201c](?P<text>[^\"\u201c\u201d]{3,500})[\"\u201d]"
)
"""What is told word by word as somebody's text."""
_WRITER: Final = re.compile(
    r"(?:\b(?P<you>[Yy]ou)|(?:^|[.!?\n] )[A-Z]\w+(?: [A-Z]\w+)?)"
    r" (?:wrote|texted|said|replied)\b[^.!?\"]{0,40}[\"\u201c]\Z"
)
_BEFORE: Final = 100
"""Letters before a quotation that may say that it is none yet."""
_PROPOSED: Final = re.compile(
    r"\b(?:shall|should|would (?:you|it)|could i|can (?:i|you)|(?:you|i) (?:can|could|might|may)"
    r"|i would|i'd|want me|like me|if|in case|whether|suggest|propose|how about|tip|please"
    r"|for example|such as)\b[^.!?\n]*\Z"
)
"""Before what may be written, and was not: ``Shall I send the message "..."?``"""
_NOBODY: Final = (
    "i|we|you|nobody|no|none|who|it|what|that|this|to|be|not|have|has|had|as|like|than"
    "|and|also|then|now|just|already|first|finally|next|once|only|here|briefly|directly|duly"
    "|immediately|kindly|promptly|quickly|successfully|texts?|messages?|notes?|e-?mails?|drafts?"
)
"""What begins no name of somebody else: ``just texted Ada``, ``message written and sent``."""
_IS: Final = r"(?:is|are|was|were|be|been|being|gets?|got)\b"
_WROTE: Final = re.compile(
    rf"^(?:(?:and|also|then|now) )*(?!(?:{_NOBODY})\b)[a-z]+(?: (?!{_IS})[a-z]+)? "
    r"(?:(?:has|have|just|already|also) )*"
    r"(?:texted|replied|answered|written|wrote|responded|messaged)\b(?! (?:to )?by\b)"
)
_REACTED: Final = re.compile(
    r"^(?:(?:and|also|but|so) )*(?P<who>\w+(?: \w+)??) (?:(?:has|have|just|already|also|\w+ly) )*"
    r"(?:replied|answered|responded|confirmed|agreed|accepted|acknowledged|thanked|texted back"
    r"|promised|declined|apologized|read (?:it|your|the)|called back)\b"
)
"""What somebody did who was told something: of that only what was found can tell."""
_REACTED_BY_USER: Final = re.compile(
    r"\b(?:repl|answer|respon|confirm|agree|accept|acknowledg|thank|promise|declin|apolog|said yes"
    r"|back\b)"
)
_THEY: Final = frozenset(("he", "she", "they"))
_TOLD_BY_USER: Final = re.compile(
    r"\b(?:wrote|writes|written|texted|messaged|replied|answered|responded|told|said|says|asked"
    r"|heard|got)\b"
)


def strange_quotations(text: str, done: Effects) -> Iterator[str]:
    """Yield what is quoted as somebody's text, and has words that stand nowhere."""
    known = done.found | done.words
    for quoted in _QUOTED.finditer(text):
        before = text[max(0, quoted.start("text") - _BEFORE) : quoted.start("text")]
        is_told = not _PROPOSED.search(before.casefold())
        is_strange = not stems(words(quoted["text"])) <= known
        if is_told and (is_strange or _is_of_another(before, quoted["text"], done)):
            yield quoted["text"]


def _is_of_another(before: str, quoted: str, done: Effects) -> bool:
    """Whether what you are said to have written came to you, or the other way round."""
    own = normal_text(quoted).strip(" .!?")
    rows = [row for table in done.trajectory.states[-1].values() for row in table]
    user = {str(one) for row in rows if row.get("is_self") for one in row.values()}
    sent = [row for row in rows if is_sent(row) and own in normal_text(text_of(row))]
    are_own = {any(str(row[one]) in user for one in row if "sender" in one) for row in sent}
    writer = _WRITER.search(before)
    return writer is not None and are_own == {writer["you"] is None}


def texts_of_nobody(text: str, done: Effects) -> Iterator[str]:
    """Yield the clauses that tell what somebody wrote, where no text was read nor told of."""
    for clause in clauses(text):
        if not clause.is_stated or clause.has_negation() or clause.has_modality():
            continue
        if _has_reacted(clause.text, done):
            own = _REACTED_BY_USER
        elif _WROTE.search(clause.text):
            own = _TOLD_BY_USER
        else:
            continue
        if not _is_known(done, own):
            yield clause.text


def _has_reacted(clause: str, done: Effects) -> bool:
    """Whether it tells how somebody took what they were told."""
    found = _REACTED.search(clause)
    return found is not None and (found["who"] in _THEY or bool(done.meant(words(found["who"]))))


def _is_known(done: Effects, told: re.Pattern[str]) -> bool:
    """Whether the user, or a tool, may have told what somebody wrote."""
    if any(told.search(one.casefold()) for one in done.said_by_user):
        return True
    results = (call.trace.result for call in done.trajectory.calls if call.trace)
    return any(map(_has_sent, results))


def _has_sent(value: Any) -> bool:
    if isinstance(value, Mapping):
        return is_sent(value) or any(map(_has_sent, value.values()))
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return is_list and any(map(_has_sent, value))
