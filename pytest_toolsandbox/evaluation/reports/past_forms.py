"""Forms of verbs by which reports tell that something was done."""

from __future__ import annotations

from typing import Final

from pytest_toolsandbox.matchers.normal_text import split
from pytest_toolsandbox.matchers.statements.stems import stem

_IRREGULAR: Final = (
    "made|put|set|sent|paid|done|gone|given|gave|taken|took|bought|sold|cut|shut|let"
    "|left|brought|frozen|froze|chosen|chose|withdrawn|written|wrote|told|begun|run|void|went"
)
PAST: Final = (
    r"(?!(?:(?:taken|took) care|made sure)\b)"
    r"(?:(?!(?:hundred|sacred|naked|wicked|aged|tired|interested|excited|pleased|delighted)\b)"
    rf"\w{{2,}}[^e\W]ed|agreed|{_IRREGULAR})"
)
ADVERBS: Final = r"(?:(?:all|also|already|both|just|now|then|\w+ly) ){0,4}"
"""What may stand before them."""
ONLY_LOOKS: Final = frozenset(
    map(
        stem,
        split("""
        asked attempted called checked compared considered confirmed counted decided described
        drafted expected explained explored figured found gathered got guessed had heard identified
        intended interested liked listed located looked matched meant mentioned missed named needed
        noted noticed offered planned prepared pulled read received reckoned recommended
        referred related remembered requested retrieved reviewed said saw searched seen seemed
        suggested supposed talked thought titled tried understood verified viewed waited wanted
        wondered worked left
        """),
    )
)
"""The stems of verbs for what changes nothing, or that say too little."""
