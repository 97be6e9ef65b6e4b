"""Decides whether an agent's message concludes a turn, or only announces or asks something.

Recorded and query conversations have no user who could answer: the agent is told to go on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.text.normal_text import split, typewritten
from pytest_toolsandbox.users.turns import asks_only_to_proceed, proposals, turn_of
from pytest_toolsandbox.users.user import AS_SAID, GO_ON

from .messages import Message

_ACTION_WORDS: Final = frozenset(
    split("""
    aborted activate activated activates add added adding adds adjusted amended answered asked book
    booked booking bookings books cancel canceled canceling cancellation cancellations cancelled
    cancelling cancels change changed changes changing cleared contact contacted contacts correct
    corrected corrects create created creates creating deactivate deactivated deactivates delete
    deleted deletes deleting deletion deletions deliver delivered delivers disable disabled disables
    disabling discarded edit edited editing edits emailed enable enabled enables enabling erase
    erased erases erasing forward forwarded forwards gone inform informed informing informs know
    knows labeled labelled made make makes message messaged messages messaging modified modify
    modifying move moved moves moving msg msgs notified notify notifying order ordered ordering
    orders overwritten overwrote pinged postpone postponed postpones push pushed put reach reaching
    recorded relabeled relabelled relayed remind reminded reminder reminders reminds removal
    removals remove removed removes removing rename renamed renames renaming replace replaced
    replaces replacing replied reply reschedule rescheduled reschedules rescheduling resent
    reservation reservations reserve reserved reserves save saved saves saving savings schedule
    scheduled schedules scheduling secure secured secures securing send sending sends sent set sets
    setting settings shared shift shifted shifts sms stored swapped switched tagged tell telling
    tells text texted texting texts told update updated updates updating wiped write writes written
    """)
)
"""All forms of the verbs for what agents do, such as send, delete, change and book."""
_SHORT: Final = 120
"""Most characters of a text that may say nothing yet."""
_GOES_ON: Final = re.compile(
    r"\b(?:next|rest|remaining|continu\w+|going on|mov(?:e|ing) on|on to|on it|more|again|still"
    r"|then|now|steps?|parts?|half(?:way)?|details?|look(?:-| )?ups?|look at|search\w*|check\w*"
    r"|compare|begin\w*|start\w*|working|process\w*|ready|first|almost|nearly|moment|second|before"
    r"|confirm\w*|glad|happy)\b",
    re.IGNORECASE,
)
"""Words for further steps."""
_SAYS_SOMETHING: Final = re.compile(
    r"""[\d"\u201c\u201e\u00ab*_`|] | \n | (?<=[\w,;:]\ )[A-Z]\w
    | n't\b | \b(?i:yes|yep|yeah|true|false|correct|no|not?|none|nothing|nobody|never|neither|nor
      |without|cannot|unable|unfortunately|sorry|afraid|done|finished|answers?|is|are|was|were|has
      |goodbye|bye|welcome|anything)\b""",
    re.VERBOSE,
)
"""Marks of an answer, a final message or a refusal: a number, a name, a quotation, these words."""
_ENDS: Final = re.compile(
    r"""\b(?:(?:can|could|will|wo|ca)(?:not|n't|\ not) | unable | unfortunately | afraid
      | not\ (?:able|allowed|possible) | refuse\w* | goodbye | bye | (?:you're|are)\ welcome
      | (?:all|i'm|i\ am|everything(?:'s|\ is))\ (?:done|set) )\b
    | ^(?:done|finished)\W*$""",
    re.VERBOSE | re.IGNORECASE,
)
"""Words of a refusal, or of a message that all is done."""
_DID: Final = re.compile(
    r"\b(?:(?:i|we)(?:'ve| have)?|(?:is|are|was|were|it's|you're|been))"
    r" (?:\w+ly |just |also |now |both )*(\w+)"
)
_ANSWERS: Final = re.compile(
    r"""[\d"\u201c\u201e\u00ab]|(?<=[\w,;:] )(?!OK\b)[A-Z][a-z]|n't\b"""
    r"|\b(?i:yes|no|none|nothing|nobody|never|without)\b"
)
_FURTHER: Final = re.compile(
    r"\b(?:next|rest|remaining|continu\w+|(?:going|moving|carry) on|on to|now (?:the|for|to)|second"
    r"|other|then)\b[^.!]*[.!]?$"
)


def concludes(text: str, *, answers: bool) -> bool:
    """Whether a text refuses, or says what was done, and announces no further step.

    ``answers`` is for users who only want to know something: then an answer concludes, too.
    """
    plain = typewritten(text).casefold()
    is_done = not _ACTION_WORDS.isdisjoint(_DID.findall(plain))
    is_end = is_done or _ENDS.search(plain) or (answers and _ANSWERS.search(text))
    return bool(is_end) and not _FURTHER.search(plain)


def only_goes_on(text: str) -> bool:
    """Whether a text only announces a step, asks whether to go ahead, or says nothing yet."""
    turn = turn_of(text)
    goes_on = turn.announces or (bool(turn.questions) and asks_only_to_proceed(turn))
    return goes_on or bool(
        not turn.questions
        and len(text) <= _SHORT
        and _GOES_ON.search(text)
        and not _SAYS_SOMETHING.search(text)
    )


def only_proposes(text: str) -> bool:
    """Whether a text says nothing yet, and asks for nothing but permission."""
    turn = turn_of(text)
    return not turn.has_statements and bool(turn.questions) and turn.questions == proposals(turn)


def asks(text: str) -> bool:
    """Whether a text asks for something, with or without a question mark."""
    turn = turn_of(text)
    return bool(turn.questions) or turn.offers_more


def consents(messages: Sequence[Message], recorded: Sequence[str]) -> Iterator[int]:
    """Yield the indices of the user's messages that are not ``recorded``, but generated."""
    unused = list(recorded)
    for place, message in enumerate(messages):
        if message.sender is Role.USER and message.content in unused[:1]:
            unused.pop(0)
        elif message.sender is Role.USER and message.content in (GO_ON, AS_SAID):
            yield place
