"""What agents do on a phone, in patterns: a user who says that it does so is out of its role."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split

_AGENTS = """
text message notify inform forward schedule reschedule delete wipe erase update modify rename enable
disable activate deactivate convert calculate compute retrieve fetch locate verify process draft
compose complete send toggle edit configure sync execute store archive dial
"""
_ANYBODYS = """
turn switch set add create save remove correct fix pull adjust arrange cancel check remind handle
reset restore mark label
"""
_LOOKS = "put find write look search"
_MORE = "make shoot drop pass note move ring go let"
_PAST = {"send": "sent", "make": "made", "shoot": "shot"}
_PAST |= {"ring": "rung", "go": "gone"} | {one: one for one in ("set", "let", "reset")}
_DOUBLED = ("set", "put", "reset", "drop", "let", "cancel")


def _one_of(verbs: str, form: Callable[[str], str] = str) -> str:
    return rf"(?:{'|'.join(map(form, verbs.split()))})"


def _with(verb: str, ending: str) -> str:
    """Return ``saved`` or ``saving`` for ``save``."""
    if verb in _DOUBLED:
        return verb + verb[-1] + ending
    verb = verb[:-1] + "i" if ending == "ed" and verb.endswith("fy") else verb
    return verb.removesuffix("e") + ending


def _ing(verb: str) -> str:
    return _with(verb, "ing")


def _past(verb: str) -> str:
    return _PAST.get(verb) or _with(verb, "ed")


ACT: Final = _one_of(_AGENTS + _ANYBODYS + _LOOKS)
ACTING: Final = _one_of(_AGENTS + _ANYBODYS + _LOOKS, _ing)
SERVING: Final = _one_of(f"{_AGENTS} add save create remove", _ing)
SERVE: Final = _one_of(_AGENTS)
"""What nobody says who only wants it done."""
ACTED: Final = _one_of(f"{_AGENTS} contact", _past)
"""What only an agent says that it did."""
CHANGED: Final = _one_of(_ANYBODYS + _MORE, _past)
"""What people did, too, but not with a thing of the phone."""
LIVED: Final = (
    r"(?:tried|parked|finished|arrived|started|waited|missed|planned|decided|looked|stopped|needed"
    r"|worked|learned|moved|happened|invited|reserved|paid|ordered|booked|lost|used|asked|called"
    r"|changed|lived|promised|mentioned|received|noticed|agreed|heard|hoped|liked|wanted|expected"
    r"|turned|memori[sz]ed|tested|visited|watched|packed|cooked|prepared|loved|enjoyed|walked|had"
    r"|explained|answered|described|repeated|confirmed|named|typed|(?:mis)?spelled|stated|provided"
    r"|thought|forgot|got|saw|read|said|told|meant|remembered|need|knew|gave|fed|wrote|bought)"
)
"""What people did who did nothing, or nothing with this phone."""
HAPPENED: Final = rf"(?:{LIVED}|delayed|postponed|cancelled|pushed|closed|fixed|hacked)"
"""What befalls people and their appointments."""
OWN_PLANS: Final = (
    r"(?:be|wait|hold|explain|tell|give|ask|call|phone|ring|see|come|go|take (?!care|it from)|think"
    r"|need|remember|leave|have|spell|say|repeat|describe|pay|pick|meet|find (?:it|out)|live|manage"
    r"|use|eat|read|drive|walk|stay|like|love|want|prefer|decide|believe|know|hope|trust|thank"
    r"|forget|miss|mention|buy|bring|talk|speak|answer|stop|keep|start|watch|accept|choose|swear"
    r"|look (?:for|after)|let (?:you|(?:the|my) \w+ know)|send you|show you|not|put it|never"
    r"|probably|only|get|do)"
)
"""What people will do themselves who want something done."""
BUSY: Final = (
    r"(?:doing|using|having|reading|getting|taking|buying|giving|missing|losing|leaving|bringing"
    r"|asking|seeing|trusting|holding|watching|expecting|calling|meeting|telling|wearing|visiting)"
)
THING: Final = (
    r"(?:messages?|texts?|reminders?|contacts?|alarms?|numbers?|wifi|cellular|(?:\w+ )?services?"
    r"|settings?|(?:low battery|airplane) mode|location|signal|warnings?|entry"
    r"|entries|notes?|events?|calendar|forecast|inbox|requests?)"
)
SLOT: Final = (
    r"(?:sur)?(?:name|number|date|time|address|street|recipient|text|title|wording|details?)"
)
IT: Final = r"(?:it|that|this|them|him|her|everything|both|all|one)"
_OF_A_PHONE: Final = (
    r"(?: (?:contacts|reminders|messages|texts|calendar|settings|inbox|phone|schedule)\b)"
)
_BY_WAY_OF: Final = "".join(
    rf"(?<!\b{one} )" for one in split("in on to into with through from via")
)
_KIN: Final = r"(?: (?:mother|mom|mum|father|dad|sister|brother|landlord|roommate|boss)\b)"
NOT_OWN: Final = rf"(?![^\n]*\b(?:my(?!{_OF_A_PHONE})|myself|by hand|mine)\b)"
BY_NOW: Final = (
    rf"(?![^\n]*\b(?:{_BY_WAY_OF}my(?!{_OF_A_PHONE}|{_KIN}| way)|by hand|mine|earlier|before"
    r"|(?<!minute )(?<!moment )ago|once|last|yesterday|recently|when"
    r"|after|everywhere|on paper|a while|nickname|at home|at work)\b)"
)
"""People tell so of what is theirs, and of what they did before the conversation."""
OFF: Final = r"(?:(?:up|off|on|out|back|through|along|down) )?"


def phrases(begins: str, anywhere: str, unless: str = "") -> re.Pattern[str]:
    """Return the pattern that is found where a clause begins with, or has, one of these lines.

    Clauses that match ``unless`` from their beginning on are passed over. A line that ends in a
    backslash goes on in the next one.
    """
    joined = (re.sub(r"\\\n\s*", "", lines.strip()) for lines in (begins, anywhere))
    first, inside = ("|".join(map(str.strip, lines.splitlines())) for lines in joined)
    return re.compile(rf"^{unless}(?:(?:{first})|(?:.*?\b)??(?:{inside}))", re.MULTILINE)
