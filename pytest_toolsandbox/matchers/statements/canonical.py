"""Sentences in a form in which one pattern finds what people write in several ways."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from pytest_toolsandbox.matchers.normal_text import typewritten
from pytest_toolsandbox.wording.sentences import QUOTE, sentences

LEAD: Final = "::"
"""What stands between the line that leads to a list and an item of the list."""

_PARTICIPLE: Final = r"(?:\w{3,}ed|been|done|sent|told|set|put|made|let|gone|written)"

_TOLD: Final = r"(?:told|informed|notified|texted|know|knows)"
_WHAT_IS_SO: Final = (
    r"(?:you|he|she|they|(?:the|your) \w+) (?:are|is|were|was|have|has|had|will|would|can|could)"
)
"""After what was told: ``that`` may be left out."""

_KNOWN_BY: Final = r"(?:number|entry|contact|address|one|name|card)"
_SHE: Final = r"(?:he|she|they|you|it)"
_USES: Final = r"(?:uses?|needs?|wants?|has|have|texts? (?:you )?from)\b(?: any ?more| now)?"
"""With :data:`_KNOWN_BY`, what says which of several it is: ``the number she no longer uses``."""

_GAP: Final = "\0"
"""Parts sentences that are rewritten together, for the sake of speed."""
_FAR: Final = 200
"""Letters before ``that's when`` in which the time may be asked for."""
_ASKED_FOR: Final = re.compile(
    r"\b(?:tell|give|let|name|pick|choose|say|need|which|what|whatever|whenever|once|if|until)\b"
)


def _then(match: re.Match[str]) -> str:
    """Return ``then`` for ``that's when``, unless the time itself is asked for or left open."""
    before = match.string[max(0, match.start() - _FAR) : match.start()].rpartition(_GAP)[2]
    return match[0] if _ASKED_FOR.search(before) else "then "


def _turned(match: re.Match[str]) -> str:
    """Return ``then turned`` where something else was turned on or off before."""
    before = match.string[max(0, match.start() - _FAR) : match.start()].rpartition(_GAP)[2]
    turned = re.findall(r"\b(?:turned|switched)\b", before)
    return f"{match[0]}{turned[-1]} " if turned else match[0]


_REWRITES: Final[tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...]] = tuple(
    (re.compile(pattern), put)
    for pattern, put in (
        (r"[\u2705\u2713\u2714\u2611\U0001f5f8]|\[x\]", " \u2713 "),
        (r"[\u274c\u274e\u2716-\u2718\u26d4\U0001f6ab]", " \u2717 "),
        (r"\[ \]|[\u2610\u23f3\U0001f51c]", " \u25a1 "),
        (r"\bcannot\b", "can not"),
        (r"\bcan't\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"\bshan't\b", "shall not"),
        (r"n't\b", " not"),
        (r"'ve\b", " have"),
        (r"'re\b", " are"),
        (r"'m\b", " am"),
        (r"'ll\b", " will"),
        (rf"'d (?=(?:\w+ly |also |just )?(?!set|put|let){_PARTICIPLE}\b)", " had "),
        (r"'d\b", " would"),
        (r"'s (?=got\b|(?:not |now |just |already |also )*been\b)", " has "),
        (rf"'s (?=(?:not |now |just |all |already |also |\w+ly )*{_PARTICIPLE}\b)", " is "),
        (r"'s (?=(?:now |back |already )*(?:on|off)\b)", " is "),
        (r"\b(it|that|there|he|she|what|where|who|here|how)'s\b", r"\1 is"),
        (r"'s\b", " 's"),
        (r"\bwithout (?:any |an? )?(?:problem|trouble|error|issue|hitch|delay)s?\b", " "),
        (
            r"\b(?:no|any) (?:problem|worries|trouble|doubt|issue|error|delay|hassle|matter)s?\b",
            " ",
        ),
        (r"\b(?:do not|not to) worry\b(?: about)?|\bwhy not\b|\bcan not wait\b", " "),
        (r"\bnot only\b|\bor not\b|\b(?:nothing|nobody|none|no one) (?:else|more)\b", " "),
        (r"\b(?:would|did) (?:not|never) ([^,.;]{1,40}?) without\b", r"would \1 with"),
        (r"\b(?:i )?(?:can|could) (?:now )?(?:confirm|report)\b(?: that)?", " "),
        (r"\b(?:happy|pleased|glad) to (?:confirm|report|say)\b(?: that)?", " "),
        (r"\bas you can see\b", " "),
        (
            r"\b(?:that|which|this) is (?:also |exactly |just |then )*when (?=i |you |it |the )",
            _then,
        ),
        (r", (?:and )?(?:then |also )(?=(?:[a-z-]+ ){1,3}(?:on|off)(?: ?[,.;!]|$))", _turned),
        (r"\bday (after tomorrow|before yesterday)\b", "second day"),
        (r"\b(?:stopped before|held off|refrained from|did not manage to)\b", "did not"),
        (r"\b(?:was|were) able to\b|\bmanaged to\b", "did"),
        (rf"\b({_KNOWN_BY}) (?:that |which )?{_SHE} (?:no longer|do(?:es)? not) {_USES}", r"\1"),
        (r"\b((?:whose|what|which) (?:\w+ ){1,2})(?:that|this|it) (is|was)\b", r"\1\2"),
        (r"\bgone ahead and\b|\bwent ahead and\b", " "),
        (rf"\b({_TOLD}(?: her| him| them)?) (?={_WHAT_IS_SO}\b)", r"\1 that "),
        (r"\b(?:please|ok|okay|sure|yes|yep|yup|yeah|no|well|sorry|oops|hmm)\s*,", " , "),
        (r"\s+", " "),
    )
)


@lru_cache(maxsize=1024)
def canonical(text: str) -> tuple[str, ...]:
    r"""Return the sentences of a text, in small letters, without contractions and empty phrases.

    ``couldn't`` becomes ``could not``, ``no problem`` nothing, a tick of any kind ``✓``, a
    quotation ``qqq``.
    """
    found = sentences(text)
    whole = _GAP.join(f"{one.lead} {LEAD} {one.plain}" if one.lead else one.plain for one in found)
    whole = typewritten(whole.replace(QUOTE, " qqq ")).casefold()
    for pattern, put in _REWRITES:
        whole = pattern.sub(put, whole)
    return tuple(map(str.strip, whole.split(_GAP))) if found else ()
