"""What a user says in its clauses: small letters, whole words, no fillers.

``Okay, I've just sent it!`` has the clauses ``okay`` and ``i have sent it``, so that one rule fits
many ways to say the same.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from pytest_toolsandbox.matchers.normal_text import typewritten

_FILLERS: Final = (
    r"please|pls|just|already|now|also|then|quickly|currently|simply|really|still|even|certainly"
    r"|definitely|gladly|successfully|immediately|personally|indeed|actually|right away|at once"
    r"|straight away|properly|correctly|safely|finally|kindly|manually|promptly|first|today"
)
_IS: Final = r"been\b|now\b|all\b|not\b|no\b|the\b|a\b|on\b|off\b|done\b|set\b|\w+ed\b"
_WHO: Final = "it|that|what|there|here|who|where|how|he|she|everything"
_WILL_DO: Final = (
    r"(?:set|send|add|do|go|let|try|check|look|turn|switch|text|change|update|delete|move|make|get"
    r"|take|use|put|call|have|be|see|tell|ask|come|wait|remind)"
)
"""What is not done by who is "ill"."""
_WHOLE: Final = (
    (r"\b(dr|mr|mrs|ms|prof)\.", r"\1"),
    (r"\bcannot\b|\bcan't\b|\bcant\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"(?<=\w)n't\b", " not"),
    (r"\b(do|did|does|could|was)nt\b", r"\1 not"),
    (r"(?<=\w)'ll\b", " will"),
    (rf"\bill (?={_WILL_DO}\b)", "i will "),
    (r"(?<=\w)'ve\b|\b(?<=i)ve\b", " have"),
    (r"(?<=\bi)'?m\b", " am"),
    (r"(?<=\w)'re\b", " are"),
    (r"(?<=\w)'d\b", " would"),
    (r"\b(?:let's|lets)\b", "let us"),
    (r"\blemme\b", "let me"),
    (r"\bgonna\b", "going to"),
    (r"\bwanna\b", "want to"),
    (rf"(?<=\w)'s (?={_IS})", " is "),
    (rf"\b({_WHO})(?:'s|(?<=what)s)\b", r"\1 is"),
    (r"\b(?:is|are) (?:(?:now|already|all) )+(?=(?:\w+ed|set|sent|gone)\b)", "has been "),
    (r"\bi (?:think|guess|believe|suppose) (?=[\w ]+ is o(?:n|ff)\b)", "maybe "),
    (r"\bcancel(?=ed\b|ing\b)", "cancell"),
    (r"\bmsg\b", "message"),
    (r"\b(?:wi-fi|wi fi)\b", "wifi"),
    (r"\bplease (?:hold|wait)(?: on)?(?= while i)", "bear with me"),
    (r"\bi (?:just|already|now) (?=checked\b)", "i have "),
    (r"\b(?:double|cross)[- ]checked\b", "verified"),
    (r"\bdouble[- ](?=check)", ""),
    (r"\b(?:no|nope|nah)\W+(?:i'm |i am |we're )?all set\b", "no"),
    (rf"\b(?:{_FILLERS}) ?\b", ""),
)
"""What is written in many ways, and how the rules have it; words that say nothing are left out."""
_REPLACED: Final = [(re.compile(written), whole) for written, whole in _WHOLE]
_SENTENCE: Final = re.compile(r"[^.!?;:\n]+[.!?;:\n]*")
_CLAUSE: Final = re.compile(
    r",| - | \u2013 |\(|\)|\b(?:and|so|but|because|since|as) (?=(?:i|it|you|the|your|that)\b)"
)
_OPENS: Final = re.compile(
    r"^(?:(?:okay|ok|k|right then|cool|nice|sure(?: thing)?|alright|all right|right|great|perfect"
    r"|got it|of course|absolutely|no problem|no worries|yes|yeah|yep|no|well|so|and|but|or|sorry"
    r"|unfortunately|oh|hmm|next|hey|hi|done|i think|it (?:seems|looks|appears)(?: like| that)?"
    r"|looks like|good news|before (?:that|this)|i (?:am afraid|see)"
    r"|if you (?:like|want|prefer|wish)|after (?:searching|checking|looking))\b\W*)+"
)
"""What only leads up to a clause."""


@lru_cache(maxsize=256)
def clauses(text: str) -> str:
    """Return the clauses of a text, a line each; those of a question end in a question mark."""
    plain = typewritten(text).lower()
    for written, whole in _REPLACED:
        plain = written.sub(whole, plain)
    lines = []
    for sentence in _SENTENCE.findall(plain):
        found = [" ".join(part.split()) for part in _CLAUSE.split(sentence.rstrip(".!?;:\n "))]
        forms = [
            both for one in found for both in dict.fromkeys((one, _OPENS.sub("", one))) if both
        ]
        lines += [*forms[:-1], *(f"{one} ?" if "?" in sentence else one for one in forms[-1:])]
    return "\n".join(lines)
