"""Words with which a writer leaves something open, takes it back, or has no support for it."""

from __future__ import annotations

import re
from typing import Final

from .statement import is_empty

_IT: Final = r"(?:it|this|that|these|them)"
_DATA: Final = (
    r"(?:data|info|information|records?|results?|evidence|answers?|sources?|proof|match(?:es)?)"
)
_ON_IT: Final = (
    rf"(?:\ (?:on|for|about|of|regarding|to)\ (?:{_IT}|(?:the|your)\ (?:question|answer)))?"
)
_NOT: Final = r"(?:\ ?not|n't)"
_WRONG: Final = r"(?:wrong|incorrect|untrue|false|inaccurate|mistaken)"

CERTAIN: Final = re.compile(
    rf"""\b(?: (?:no|without|beyond|not|never|nothing|\w+n't)\ (?:\w+\ ){{0,4}}?
      (?:doubts?|doubted|(?<!\ your\ )(?<!\ the\ )question(?=[\W]*(?:$|[:,.]))
      |guess\w*|specul\w+|assumptions?|hunch
      |contradict\w*|mistakes?|errors?)
      (?:\ about\ {_IT})?
    | (?:could|can)(?:\ ?not|n't)\ be\ (?:(?:more|any)\ )?(?:certain|sure|surer|clear|clearer)
    | (?:can(?:\ ?not|'t))\ go\ wrong(?:\ with\ {_IT})?
    | (?:instead\ of|rather\ than)\ guess(?:ing)?
    | won't\ believe\ how | (?:nothing|no)\ (?:unusual|special|surpris\w+)
    | not\ to\ keep\ you\ waiting | (?:i\ guess|maybe|perhaps|probably)\ you(?!r)(?:'ve|'ll|'d|'re)?
    | you\ (?:do\ not|don't)\ (?:have|need)\ to | (?:asked|wondered)\ (?:me\ )?(?:whether|if)
    | no\ (?:further|other|more|additional|better)\ {_DATA}
    | at\ first,?\ (?:[^,;:.]*?\ )?(?:sure|certain|clear)\ [^,;:.]*
    | i\ (?:may|might)\ be\ (?:slow|late)
    )(?!\w)""",
    re.VERBOSE | re.IGNORECASE,
)
"""What leaves nothing open, though it has a word that might: ``no doubt about it``."""

HEDGE: Final = re.compile(
    rf"""\b(?: might | (?:could|may)\ (?:well\ |also\ )?(?:be|have) | maybe | perhaps
    | possibly | probably | presumably | supposedly | plausibl[ey] | likely | unlikely | unclear
    | uncertain | unsure | hunch | unverified | unconfirmed
    | not\ (?:\w+\ )?(?:verified|confirmed|checked)
    | (?<!s\ )(?<!our\ )(?<!the\ )(?<!my\ )(?:people|some|somebody|someone)\ (?:say|claim)s?
    | they\ say(?!.*\byour?\b)
    | chances\ are | (?:have|got)\ a\ feeling | something\ tells\ me
    | with\ (?:some|any|a\ bit\ of)\ luck
    | (?:i'd|i\ would|i|can\ only)\ imagine | without\ (?:having\ )?(?:check|verif|look)\w*
    | i\ wish\ i\ could | lying\ if\ i | {_WRONG}\ to\ (?:think|say|believe|assume)
    | (?:false|untrue)\ that
    | (?:is\ not|isn't|not)\ the\ case\ that | i\ (?:could|would)\ (?:have\ )?(?:say|said|tell|told)
    | the\ (?:\w+\ ){{0,2}}(?:contradicts?|disproves?|refutes?)\ {_IT}
    | the\ following\ (?:is|was)\ (?:not\ \w+|{_WRONG})
    | (?<!\w)(?:speculative|{_WRONG})(?=:)
    | (?:i've|i\ have|i)\ (?:only\ )?heard | rumou?rs? | hearsay | allegedly | reportedly
    | doubt(?:ful)? | grain\ of\ salt | either\ way | it\ depends
    | (?:not|\w+n't)\ (?:\w+\ ){{0,2}}(?:sure|certain|confident|know|verify|confirm)
    | (?:not|\w+n't|never)\ (?:(?!need)\w+\ ){{0,2}}
      (?:rely|count|bank|bet|depend|swear|quote|hold|trust)\ (?:me\ )?(?:(?:on|to|by)\ )?{_IT}
    | (?:not|\w+n't|never)\ (?:actually\ |really\ )?(?:look(?:ed)?\ {_IT}\ up
      | check(?:ed)?(?=\ {_IT}\b|\W*\Z|[,;.]))
    | (?:double-?\ ?check|verify)\ {_IT} | check\ {_IT}\ (?:before|first|yourself)
    | made\ {_IT}\ up | at\ random | (?:my|i'd|would)\ (?:\w+\ ){{0,2}}(?:bet|money)
    | (?:can|could)(?:\ ?not|n't)\ (?:\w+\ )?(?:say|tell|determine|guarantee)
    | hard\ to\ (?:say|tell) | (?:a|my|best|educated|rough|only|wild)\ guess | ha(?:d|ve)\ to\ guess
    | (?:i|i'd|would|we|just|am)\ guess(?:ing)? | (?:i'm|purely|pure|is)\ guess(?:ing|work)
    | i\ suppose | i(?:'d|\ would)?\ assume(?!\ (?:that\ )?you) | no\ idea | whether
    | (?:if|as\ far\ as|from\ what)\ i\ (?:remember|recall|know) | from\ memory
    | remember\ {_IT}\ (?:right|correctly) | off\ the\ top\ of
    | or\ (?:something|somebody|someone|somewhere|some\ such|similar|thereabouts|whatever) )\b""",
    re.VERBOSE | re.IGNORECASE,
)
"""It leaves open what its sentence says."""

UNSUPPORTED: Final = re.compile(
    rf"""\W* (?:(?:but|so|in\ fact|sorry|unfortunately|honestly|though|i'm\ afraid)\ )*
    (?: there(?:'s|\ (?:is|are|was|were))\ no\ (?:\w+\ )?{_DATA}(?:\ available|\ found)?
      | (?:i|we|the\ \w+)\ (?:have|has|had|found|got|gave|gives?|returned?|shows?|showed)\ (?:me\ )?
        (?:nothing | no\ (?:\w+\ )?{_DATA})
      | no\ (?:\w+\ )?{_DATA}(?:(?:\ (?:is|are|was|were|could\ be))?\ (?:available|found|returned))?
      | (?:i|we)\ (?:could|can|did){_NOT}\ (?:find|get|see|determine|look\ up)[ ]
        (?:any\ |an\ |the\ |out\ )?(?:anything|{_DATA}|{_IT}|out)
      | (?:i|we)\ (?:(?:was|am|were)\ unable|(?:was|am|were){_NOT}\ able|failed)\ to[ ]
        (?:find|get|determine|look\ up)\ (?:any\ |an\ |the\ |out\ )?(?:anything|{_DATA}|{_IT}|out)
      | the\ (?:\w+\ )?{_DATA}\ (?:is|are|was|remains?)\ (?:un(?:known|clear|available)|not\ known)
      | nobody\ knows(?:\ {_IT})? )
    {_ON_IT} [\s.!*_"]*""",
    re.VERBOSE | re.IGNORECASE,
)
"""It takes back everything: ``There is no data on this. Ada``."""

_RETRACTS: Final = re.compile(
    rf"""\b(?: {_WRONG} | error | mistake | mix(?:ed)?(?:[ -]\w+)?[ -]up | confused | lies?
    | lying | kidding
    | jok(?:e|es|ing) | nonsense | tak(?:e|ing)\ {_IT}\ back | never\ mind
    | (?:scratch|strike|forget)\ (?:{_IT}|what|everything) | ignore | disregard
    | with(?:draw|drew)\w* | retract\w* | disagree\w* | disprov\w+ | refut\w+ | contradict\w*
    | sa(?:y|ys|id)\ otherwise | opposite
    | (?:not|no|none|never|\w+n't)\ (?:[\w%]+\ ){{0,6}}?
      (?:right|correct|true|supported|support|answer|stand\ by)
    | (?:not|\w+n't)\ (?:so|it) | correction
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)
"""What takes back what was said before, in a sentence that says nothing else."""

_DOUBTS: Final = re.compile(
    rf"""\b(?: unsure | uncertain\w* | unverified | unconfirmed | unknown | unclear | tentative\w*
    | provisional\w* | specul\w+ | guess\w* | hunch | assum(?:e|ed|ing|ption) | suppose | doubt\w*
    | maybe | perhaps | possibly | probably | presumably | who\ knows | made\ (?:\w+\ ){{0,4}}up
    | invented
    | to\ be\ (?:confirmed|verified|checked) | fifty[- ]fifty | more\ or\ less
    | half\ (?:sure|certain)
    | (?:double-?check|verify|check|confirm)\ (?:{_IT}|with|again)
    | ask\ (?:someone|somebody|an?\ \w+)
    | (?:at\ least|or)\ (?:so\ )?(?:{_IT}(?:'s|\ is)\ what\ )?i(?:'d|\ would)?
      \ (?:hope|think|believe|expect)(?:\ so)?
    | chance | lean\w* | say\ for\ sure
    | (?:not|no|none|never|\w+n't)\ (?:[\w%]+\ ){{0,6}}?
      (?:sure|certain|confident|positive|promise|guarantees?|verified|confirmed|checked)
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)
"""What leaves open all that is said, in a sentence that says nothing else."""

_ON_CONDITION: Final = re.compile(
    r"\b(?:if|whether|unless|in case|anything|should|need)\b(?! i were you)", re.IGNORECASE
)
_ABOUT_ALL: Final = re.compile(
    r"""\b(?: answers? | results? | records? | data | figures? | facts? | sa(?:y|id) | turn(?:ed|s)?
    | above | however | parts? | percent | 100 | entirely | fully | completely | second | thoughts?
    | wait | oops | just | case | apologies | mine | longer | but | by | good | best
    | rough | real | one | off | out | side | towards | really | i'd | i'm | i've | that's | it's
    | only | better | who | knows | way | leave | take | treat | want(?:ed)? | though | true | right
    | correct )\b""",
    re.VERBOSE | re.IGNORECASE,
)
"""Words that say nothing of their own where a writer speaks of the whole answer."""

_JUST_NO: Final = re.compile(
    r"\W*+(?:(?:wait|oh|oops|actually|hmm+|sorry|but|or)\W++)*+(?:no|not|nope)\W*+"
    r"|[^\w?]*+(?:right|correct|true|or not)?[^\w?]*+\?\W*+",
    re.IGNORECASE,
)


def takes_back(sentence: str) -> bool:
    """Whether a sentence says of what stands before it that it is wrong, and nothing else."""
    return bool(_JUST_NO.fullmatch(sentence)) or (
        bool(_RETRACTS.search(sentence)) and _says_no_more(sentence)
    )


def leaves_open(sentence: str) -> bool:
    """Whether a sentence says that its writer is not sure, and nothing else."""
    is_open = _DOUBTS.search(sentence) or HEDGE.search(sentence)
    return bool(is_open) and not _RETRACTS.search(sentence) and _says_no_more(sentence)


def _says_no_more(sentence: str) -> bool:
    if _ON_CONDITION.search(sentence):
        return False
    for said in (HEDGE, _RETRACTS, _DOUBTS, _ABOUT_ALL):
        sentence = said.sub(" ", sentence)
    return is_empty(sentence.casefold())
