"""Words with which a writer leaves something open, or says that nothing supports it."""

from __future__ import annotations

import re
from typing import Final

_IT: Final = r"(?:it|this|that|these|them)"
_DATA: Final = (
    r"(?:data|info|information|records?|results?|evidence|answers?|sources?|proof|match(?:es)?)"
)
_ON_IT: Final = (
    rf"(?:\ (?:on|for|about|of|regarding|to)\ (?:{_IT}|(?:the|your)\ (?:question|answer)))?"
)
_NOT: Final = r"(?:\ ?not|n't)"

HEDGE: Final = re.compile(
    rf"""\b(?: might | (?:could|may)\ (?:well\ |also\ )?(?:be|have\ been) | maybe | perhaps
    | possibly | probably | presumably | supposedly | plausibl[ey] | likely | unlikely | unclear
    | uncertain | unsure | unverified | unconfirmed
    | not\ (?:\w+\ )?(?:verified|confirmed|checked)
    | (?:people|some)\ say | they\ say(?!.*\byour?\b)
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
    rf"""\W* (?:(?:but|sorry|unfortunately|honestly|though|i'm\ afraid)\ )*
    (?: there(?:'s|\ (?:is|are|was|were))\ no\ (?:\w+\ )?{_DATA}(?:\ available|\ found)?
      | (?:i|we|the\ \w+)\ (?:have|has|had|found|got|gave|gives?|returned?|shows?|showed)\ (?:me\ )?
        (?:nothing | no\ (?:\w+\ )?{_DATA})
      | no\ (?:\w+\ )?{_DATA}(?:\ (?:is|are|was|were|could\ be)\ (?:available|found|returned))?
      | (?:i|we)\ (?:could|can|did){_NOT}\ (?:find|get|see|determine|look\ up)[ ]
        (?:any\ |an\ |the\ )?(?:anything|{_DATA})
      | nobody\ knows(?:\ {_IT})? )
    {_ON_IT} [\s.!*_"]*""",
    re.VERBOSE | re.IGNORECASE,
)
"""It takes back everything: ``There is no data on this. Ada``."""
