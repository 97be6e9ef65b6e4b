"""What a report says of a text that was sent, and the text denies: ``that you are not late``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Final

from pytest_toolsandbox.matchers.facts.same_words import are_opposed, may_stand_for
from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.quantities import missing, quantities_in
from pytest_toolsandbox.matchers.statements.clauses import NEGATION, VERB, by_sentence, clauses
from pytest_toolsandbox.matchers.statements.stems import stem
from pytest_toolsandbox.wording.long_texts import in_part

from .deeds import is_sent
from .effects import Effects
from .past_forms import PAST
from .things import stems

_TELLS: Final = re.compile(
    r"(?:^|\b(?:i|we|and|have) )(?:have |also |just |then |now |already |\w+ly )*"
    r"(?:texted|told|messaged|informed|notified|let|asked|reminded|warned|wrote|written|sent"
    r"|answered|replied)\b|\bknows?\b"
)
_SAYS: Final = re.compile(
    r"(?:\bthat|\bsaying|:) (?P<said>.+)"
    r"|\b(?:texted|told|messaged|asked|reminded|warned) .{2,40}?\b"
    r"(?P<order>(?:not )?to (?!h(?:er|im)\b|them\b|your\b)[a-z]+\b.*)"
    r"|\b(?:texted|told|messaged|informed|notified|let|knows?) (?:\w+ ){0,3}?"
    r"(?P<direct>(?:you|your|she|he|they|it) .+)"
)
"""What is told in the clause itself."""
_ANSWERS: Final = re.compile(
    r"\b(?:reply|replied|answered|responded|reacted|confirmed|read|seen|received|heard|got back)\b"
)
"""What is told of somebody else's text."""
_LEAD: Final = r"^(?:(?:and|but|so|also|then|please|just|still|now|that|hi|hello|hey|sorry) ?,? ?)*"
_OF_AGENT: Final = re.compile(rf"{_LEAD}(?:i|we)\b")
_BY_WRITER: Final = re.compile(rf"{_LEAD}(?:i|we|my|our|got|found|\w+ing|{PAST})\b")
_OF_USER: Final = re.compile(rf"{_LEAD}(?:you|your)\b")
_GOES_ON: Final = re.compile(
    rf"{_LEAD}(?:am|is|are|was|were|will|would|can|could|have|has|had|do|does|did|should|must)\b"
)
_ORDERS: Final = re.compile(r"(?:not )?to\b")
_BESIDE: Final = re.compile(r"\b(?:without|instead of|rather than)\b.*")
"""What is denied beside what is told: ``start without me``."""
_FILLERS: Final = frozenset(
    map(
        stem,
        split(
            "still yet more longer anymore either really after right currently actually today back"
        ),
    )
)
_DENIES: Final = frozenset(
    map(stem, split("cancel skip miss stop late lack refuse avoid forget lose"))
)
"""Words that deny what stands beside them, where only one of two clauses has them."""


@dataclass(frozen=True)
class _Said:
    """A clause of a text, or of what is told of it; ``is_own`` says that its writer is meant."""

    text: str
    is_own: bool

    @cached_property
    def is_denied(self) -> bool:
        return bool(NEGATION.search(self.text))

    @cached_property
    def figures(self) -> list[str]:
        return [one.written for one in quantities_in(self.text) if one.asked]

    @cached_property
    def words(self) -> frozenset[str]:
        text = NEGATION.sub(" ", self.text)
        for one in self.figures:
            text = text.replace(one, " ")
        return frozenset(one for one in stems([text]) if one not in _FILLERS)

    def is_within(self, other: _Said) -> bool:
        """Whether another clause has all of its words and figures, and it has any."""
        if not (self.words or self.figures):
            return False
        own = all(any(may_stand_for(one, its) for its in other.words) for one in self.words)
        return own and not missing(self.text, other.text)

    def denies(self, other: _Said) -> bool:
        """Whether one of two clauses denies what the other one says."""
        if self.is_denied == other.is_denied:
            return False
        is_same = self.is_within(other) or (other.is_denied and other.is_within(self))
        return is_same and not _DENIES & (self.words ^ other.words)

    def opposes(self, other: _Said) -> bool:
        """Whether it has the opposite of one of the words, beside others that both have."""
        own, its = self.words - other.words, other.words - self.words
        opposed = [one for one in own if any(are_opposed(one, word) for word in its)]
        is_same = self.words == {*opposed} or self.words & other.words
        return bool(opposed and is_same) and not (self.is_denied or other.is_denied)


def turned_texts(text: str, done: Effects) -> Iterator[str]:
    """Yield what a report says of sent texts that none of them says, and that one denies."""
    rows = (row for row in done.rows("added", net=True) if is_sent(row))
    values = [value for row in rows for value in row.values() if isinstance(value, str)]
    texts = [in_part(one) for one in values if " " in one]
    sent = [*dict.fromkeys(chain(*map(_of_text, texts)))]
    for one in dict.fromkeys(_told(text)) if sent else ():
        is_said = any(one.is_denied == it.is_denied and one.is_within(it) for it in sent)
        same = (it for it in sent if it.is_own == one.is_own)
        if not is_said and any(one.denies(it) or one.opposes(it) for it in same):
            yield one.text


def _of_text(text: str) -> Iterator[_Said]:
    is_own = False
    for clause in clauses(text):
        for said in _pieces(clause.text):
            is_own = bool(_BY_WRITER.match(said)) or (is_own and _goes_on(said))
            if not (clause.is_question or clause.is_conditional):
                yield _Said(re.sub(r"\bfrom \S+ (?=to\b)", "", said), is_own)


def _goes_on(text: str) -> bool:
    """Whether it has no subject of its own."""
    return bool(_GOES_ON.match(text)) or not (VERB.search(text) or _ORDERS.match(text))


def _pieces(text: str) -> list[str]:
    """Return what stands between commas, unless all of it is denied: ``no milk, bread or eggs``."""
    text = _BESIDE.sub("", text)
    is_list = NEGATION.search(text) and re.search(r"\bn?or\b", text)
    return [text] if is_list else re.split(r" ?, | - ", text)


def _told(text: str) -> Iterator[_Said]:
    """Yield what a report says that texts say, clause by clause."""
    for sentence in by_sentence(text):
        is_told, is_own = False, False
        for clause in sentence:
            said = clause.text
            if _TELLS.search(said):
                yield from () if is_told else _quoted(clause.quoted)
                is_told, found = True, _SAYS.search(said)
                said = next(filter(None, found.groups())) if found else ""
            elif _OF_AGENT.match(said):
                is_told = False
            is_open = clause.is_question or clause.is_conditional or _ANSWERS.search(said)
            for one in _pieces(said) if is_told and said and not is_open else ():
                is_own = bool(_OF_USER.match(one)) or (is_own and _goes_on(one))
                if VERB.search(one) or _ORDERS.match(one) or not NEGATION.match(one):
                    yield _Said(one, is_own)


def _quoted(text: str) -> Iterator[_Said]:
    """Yield what stands in quotation marks, or behind a colon, where ``you`` may be the writer."""
    quotes = re.findall(r'"([^"]*)"', text)
    for quote in quotes or [text]:
        for one in _of_text(quote):
            is_own = one.is_own or (not quotes and bool(_OF_USER.match(one.text)))
            yield _Said(one.text, is_own)
