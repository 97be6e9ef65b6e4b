"""What a report says that others wrote, where nobody has read it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_toolsandbox.matchers.statements.clauses import clauses

from .deeds import is_sent
from .effects import Effects

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
_TOLD_BY_USER: Final = re.compile(
    r"\b(?:wrote|writes|written|texted|messaged|replied|answered|responded|told|said|says|asked"
    r"|heard|got)\b"
)


def texts_of_nobody(text: str, done: Effects) -> Iterator[str]:
    """Yield the clauses that tell what somebody wrote, where no text was read nor told of."""
    for clause in clauses(text):
        if not clause.is_stated or clause.has_negation() or clause.has_modality():
            continue
        if _WROTE.search(clause.text) and not _is_known(done):
            yield clause.text


def _is_known(done: Effects) -> bool:
    """Whether the user, or a tool, may have told what somebody wrote."""
    if any(_TOLD_BY_USER.search(one.casefold()) for one in done.said_by_user):
        return True
    results = (call.trace.result for call in done.trajectory.calls if call.trace)
    return any(map(_has_sent, results))


def _has_sent(value: Any) -> bool:
    if isinstance(value, Mapping):
        return is_sent(value) or any(map(_has_sent, value.values()))
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return is_list and any(map(_has_sent, value))
