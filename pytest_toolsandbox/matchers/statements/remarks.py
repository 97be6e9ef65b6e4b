"""What a writer says of an answer as a whole: that it is a guess, or wrong, in whatever words.

Words for doubt and error are many, and most sentences that have one tell something of the world:
``the claim was false``. One that names nothing of what was asked or found speaks of the answer.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from enum import Enum
from typing import Final

from .doubts import CERTAIN

_LONGEST: Final = 300
"""Letters of a remark."""
_WORD: Final = re.compile(r"[^\W\d_][\w'-]*")
_NAMED: Final = re.compile(r"\d(?![\d.]*\s?(?:%|percent))|q{3}|(?<=[\w,;] )(?!I\b)[A-Z]")
"""What tells something: a number, but for one of percent; something quoted; a name."""
_PIECE: Final = re.compile(
    r"[,;:](?=\s)|[()]|\s[-\u2013\u2014]+\s|\u2014|\b(?:that|but|though|although)\b", re.IGNORECASE
)
_NEGATOR: Final = re.compile(
    r"\b(?:no|not|never|nothing|nobody|none|neither|nor|without|cannot|hardly|barely|zero|far from"
    r"|unable|fail(?:s|ed)?|\w+n't)\b[^,;:.]{0,32}\Z",
    re.IGNORECASE,
)
_SPARED: Final = re.compile(
    r"""\b(?: (?:if|in\ case|should|whenever|whether|let\ me\ know|feel\ free|happy\ to)\b.*
        \b(?:you|anything|something|more|missing)
      | others | other(?!\ way) | the\ rest | entr(?:y|ies) | candidates? | duplicates?
      | drafts? | at\ first
      | initially | first\ (?:search|glance|sight|look)
      | (?:(?:don't|do\ not|no)\ need|need\ not|(?:don't|do\ not)\ have\ to)
      | you\ (?:may|might|could|can)\ (?:want|like|now) | (?<!let's\ )hope\ (?:this|that|it)
      | (?:no|without)\ (?:round|further|wonder) | you(?:'d|\ would)\ (?:think|guess|expect) )\b""",
    re.VERBOSE | re.IGNORECASE,
)
"""What is said of others, of what was before, or on a condition."""

_DOUBT: Final = re.compile(
    r"""\b(?: guess(?!\ what\b)\w* | doubt\w* | unsure | uncertain\w* | unclear | maybe | perhaps
    | (?<!only\ one\ )(?<!the\ only\ )possib(?:ly|le|ility) | probab\w+ | presum\w+ | assum\w+
    | suppos\w+ | suspect\w* | hunch\w*
    | gut | intuit\w+ | instinct\w* | feeling | specul\w+ | spitball\w* | hypothe\w+ | conject\w+
    | theor(?:y|ies|etical\w*) | rumou?r\w* | hearsay | alleg\w+ | reportedly | memory | remember\w*
    | recall\w* | training | tempted | inclined | lean\w* | plausib\w+ | chances? | odds | fifty
    | (?:\d+|half|\w+ty)\ ?(?:%|percent)? \ (?:sure|certain) | half[- ]?(?:sure|certain)
    | unverified | unconfirmed | untested | unchecked | tentative\w* | provisional\w* | rough\w*
    | ballpark | extrapolat\w+ | interpolat\w+ | estimat\w+ | might | may\ (?:be|have|well|also)
    | could\ (?:\w+\ )?(?:be|have) | (?:would|'d)\ seem | seems? | apparently | imagin\w+ | wager
    | half\ of | part\ of\ it | i(?:'d|\ would)\ (?:say|think|bet)
    | i\ (?:think|believe|reckon|gather|feel|figure)
    | hallucinat\w+ | who\ knows | who's\ to\ say | grain\ of\ salt | quote\ me | risk
    | unreliable | incomplete | let's\ hope | hopefully | fingers\ crossed
    | so\ i'?(?:m|ve)?\ (?:told|heard|hear)
    | were(?:n't|\ not)\ for | unless\ i | if\ (?:memory|i|it's|it\ is|they) | until
    | to\ be\ (?:confirmed|checked|verified) | (?:have\ to\ |must\ |i'll\ )pass\ on
    )(?!\w)""",
    re.VERBOSE | re.IGNORECASE,
)
_WRONG: Final = re.compile(
    r"""\b(?: wrong\w* | incorrect\w* | untrue | false\w* | inaccurate | mistak\w+ | errors?
    | erroneous\w*
    | misread\w* | mixed\ (?:\w+\ )?up | invent(?:ed|ing) | made\ (?:\w+\ ){1,3}up | fabricat\w+
    | fiction\w* | fake\w* | bogus | nonsense | rubbish | lies? | lying | kidding | jok(?:e|es|ing)
    | retract\w* | withdr\w+ | (?:tak\w+|walk)\ (?:\w+\ ){1,2}back
    | (?:scratch|strike|forget|ignore|disregard|cancel|delete|discard|drop)
      \ (?:it|that|this|what|the\ above|everything|all|my)
    | disagree\w* | contradict\w* | disprov\w+ | refut\w+ | other\ way\ (?:round|around)
    | opposite | contrary | (?:says?|said|shows?|tells?)\ (?:otherwise|something\ else|differently)
    | be\ otherwise | placeholders? | demonstration | made-up | nope | off\ (?:here|the\ mark|base)
    | (?:is|was|are)(?:n't|\ not)\ (?:it|so) | unsupported | baseless | unfounded | no\ longer
    | anything\ but | different\ question
    )(?!\w)""",
    re.VERBOSE | re.IGNORECASE,
)
_SURE: Final = re.compile(
    r"""\b(?: sure | certain\w* | confiden\w+ | convinced | positive | verif\w+ | confirm\w*
    | check\w* | look\w*\ (?:at|it|this|that|into) | opened? | swear | vouch | promise\w*
    | guarantee\w* | rely | trust\w* | count | proof | prove\w* | evidence | idea | clue | answers?
    | know(?!n)\w* | say | tell | determin\w+ | work(?:ed)?\ (?:it\ |this\ |that\ )?out
    )(?!\w)""",
    re.VERBOSE | re.IGNORECASE,
)
_RIGHT: Final = re.compile(
    r"\b(?:right|correct\w*|true|truth|the case|holds?|supported by|exact\w*|accurate|reliable"
    r"|stands?)(?!\w)",
    re.IGNORECASE,
)


class Tone(Enum):
    """What a remark makes of the answer that it is about."""

    PLAIN = "plain"
    OPEN = "open"
    WRONG = "wrong"


def tone(sentence: str, about: AbstractSet[str]) -> Tone:
    """Return what a sentence, with names masked, says of an answer ``about`` words, as a whole."""
    return Tone.PLAIN if _is_told(sentence, about) else _tone(sentence)


def is_unsaid(sentence: str, about: AbstractSet[str]) -> bool:
    """Whether a piece of a sentence that tells something leaves it open, or calls it wrong."""
    pieces = [one for one in _PIECE.split(sentence) if len(_WORD.findall(one)) > 1]
    return any(_tone(one) is not Tone.PLAIN for one in pieces if not _is_told(one, about))


def _is_told(text: str, about: AbstractSet[str]) -> bool:
    plain = text
    for one in (_DOUBT, _WRONG, _SURE, _RIGHT):
        plain = one.sub(" ", plain)
    words = {one.casefold() for one in _WORD.findall(plain)}
    return bool(_NAMED.search(text)) or not about.isdisjoint(words)


def _tone(remark: str) -> Tone:
    text = CERTAIN.sub(" ", remark)
    if len(text) > _LONGEST or _SPARED.search(text):
        return Tone.PLAIN
    for pattern, needs_denial, tone_ in (
        (_DOUBT, False, Tone.OPEN),
        (_WRONG, False, Tone.WRONG),
        (_SURE, True, Tone.OPEN),
        (_RIGHT, True, Tone.WRONG),
    ):
        for found in pattern.finditer(text):
            if bool(_NEGATOR.search(text, 0, found.start())) is needs_denial:
                return tone_
    return Tone.PLAIN
