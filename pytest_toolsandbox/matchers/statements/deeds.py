"""What agents do, and the words for it: those of one deed stand for each other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from pytest_toolsandbox.matchers.normal_text import split

ANY_FORM: Final = ("done", "names", "states", "promises")
_FEW: Final = r"(?:\S+ ){1,3}"
_SO_FAR: Final = r"(?:\S+ ){0,4}?"
_ALERT: Final = (
    r"(?:a|the|your|another) (?:\w+ )?(?:reminder|alert|notification|ping|nudge|heads[- ]up)"
)
_IS_NOW: Final = r"(?:is|are) now(?! (?:an?|the|in|too|not|ready|waiting|unable)\b)"
_NOT_YET: Final = (
    r"(?!.* (?:needs?|ha[sd] to|not|to be (?:set|added|made|done))\b)"
    r"(?!.* (?:pending|missing|open|to do)\W*$)"
)
_IS_STILL: Final = r"(?:is|are|stays?|remains?) (?:now |back |already |both |all |still )*"
_A_TEXT: Final = r"(?:the|your|an?|one) (?:text|message)"
_SENT: Final = r"(?:text|message|note|number|word|coordinates|position|location|longitude|address)"
_LISTS: Final = r"your (?:\w+ )?(?:reminders|contacts|calendar|list|address book)"
_SWITCH: Final = r"(?:^(?:both|all|they)|:(?: both| all)?|^(?:wi-?fi|cellular|bluetooth|gps))"
_BY_ME: Final = r"(?:^|[:-] |\b(?:i|we|and) )(?:have )?(?:\w+ly |also |just )?"
_HELLO: Final = (
    r"(?:hello|hi|hey|thanks|thank you|goodbye|bye|congratulations|happy birthday|sorry)"
)
_ITS: Final = r"(?:(?:her|his|their|the|its|your)|[^\W\d_]+(?: 's)?)(?: \w+){0,2}"
_RINGS: Final = r"(?:goes off|rings|comes(?: up)?|pops up)"
_SOME_TIME: Final = r"(?:at|on|tomorrow|tonight|next|again)\b"
_ALARM: Final = r"(?:reminder|alarm|alert)"
_REMINDER: Final = rf"(?:an? |the |your |new )*{_ALARM}s?"
_OF_A_LIST: Final = (
    r"(?:(?:you|(?:on )?\w*day|tomorrow|tonight)(?: \d[\w: ]{0,12}| at \w+)? [:-] )?"
)
_THEY: Final = r"(?<!\bi )(?<!\bwe )(?<!\byou )"


@dataclass(frozen=True, eq=False)
class Deed:
    """Words for one thing that agents do, as patterns for a canonical sentence.

    ``done`` says that it is done, ``names`` are its other forms and what is made by it,
    ``states`` say what is so once it is done, ``promises`` what then will happen.
    """

    done: Sequence[str]
    names: Sequence[str]
    states: tuple[str, ...] = ()
    promises: tuple[str, ...] = ()


DEEDS: Final = (
    Deed(
        split(
            "sent texted messaged told informed notified delivered pinged forwarded relayed "
            "written contacted emailed asked reminded replied answered shared resent"
        ),
        split(
            "send sends sending text texts texting message messages messaging tell telling inform "
            "informing notify notifying contact reach reaching msg sms deliver forward reply write"
        ),
        (
            rf"(?:let|letting) (?!(?:you|me|us)\b){_FEW}know",
            rf"(?:dropped|shot|gave|left|passed|fired) {_FEW}(?:line|text|note|message|along|on)",
            rf"(?:gave|given) {_FEW}heads[- ]up",
            r"on (?:its|their|the) way|in the loop",
            r"(?:went|gone|is|are) (?:out(?! of\b)|through)",
            rf"{_SENT} (?:\S+ ){{0,6}}(?:(?:went|ha(?:s|ve) gone) (?:off |out )?to|are with)",
            r"(?<=nothing )(?:went|has gone) (?:out )?to",
            rf"{_THEY}got (?:your|the|both) (?:\S+ ){{0,2}}?{_SENT}",
            rf"knows|(?:both|all|they) know|{_THEY}know(?= now| too| about| of| that|$)",
            r"(?:i|we) (?:\w+ly |also |just )?wrote",
            rf"{_BY_ME}(?:said {_HELLO}(?!\w)|(?:greeted|thanked|congratulated)(?= \S))",
            rf"{_THEY}(?:has|have|got) (?:now )?(?:got |received )?{_A_TEXT}",
            rf"{_THEY}(?:has|have) (?:now )?(?:it|his|her|their|your|both|the \w+(?=$| now))",
            r"received (?:the|your|it)",
            r"(?:text|message|note|it) (?:has |have )?reached|heard (?:from me|about it)",
        ),
    ),
    Deed(
        split("deleted removed erased cleared wiped discarded"),
        split(
            "delete deletes deleting deletion remove removes removing removal erase erasing gone"
        ),
        (
            r"(?:is|are) (?:now )?gone",
            r"^(?:and |all |both |two |three )*gone(?= (?:from|now|except|apart|but|[,:(])|\W*$)",
            r"got rid of|no longer exists?|(?:had to go|(?:is|are) no more)(?=\W*$)",
            rf"(?:took|taken) {_SO_FAR}(?:off|out)",
            rf"(?:struck|dropped) {_SO_FAR}from your",
            r"no longer (?:has|have|includes?|lists?|contains?)",
            rf"(?:(?:is|are) not (?:in|on)|will not (?:find|see)) {_SO_FAR}any ?(?:more|longer)",
            r"(?:is|are) (?:no longer (?:in|on|there)|(?:now )?off (?:your|the))\b",
        ),
    ),
    Deed(
        split(
            "changed updated edited modified replaced adjusted corrected renamed moved rescheduled "
            "shifted pushed postponed switched amended saved swapped overwritten overwrote "
            "labeled labelled relabeled relabelled tagged"
        ),
        split(
            "change changing update updating edit editing modify modifying replace replacing "
            "correct rename renaming move moving reschedule rescheduling shift push postpone"
        ),
        (
            _IS_NOW,
            r"(?<!could )now (?:has|shows|reads|says|comes|falls|sits|goes off|rings)|has the new",
            r"up to date|(?:is|are|has|sits|lies|:) (?:\S+ ){1,5}now(?=\W*$)",
            r"will now (?:go off|ring|come up|be reminded)",
            r": now|new (?:date|time|day) (?:for (?:\S+ ){1,3}?)?(?::|is)(?! not\b)",
            r"(?:days?|weeks?|hours?|minutes?) (?:later|earlier) now",
            rf"put {_SO_FAR}(?:off|back) (?:until|till|to|by)",
            rf"put (?:down )?qqq (?:next to|beside|against|in|into|on|under|after|behind) {_ITS}",
            r"now (?:rings|sounds|carries|lists)|(?:goes off|rings|comes up) again",
        ),
    ),
    Deed(
        split("set added created scheduled saved made put stored recorded"),
        split(
            "set sets setting add adding create creating schedule scheduling save saving make "
            "reminder reminders remind"
        ),
        (
            _IS_NOW,
            r"in place|(?:^it|reminder) is on for(?= .*(?:\d|\w+day\b|tomorrow|tonight))",
            r"there is now (?:an?|the|your)|made you (?:an?|the|your)",
            rf"(?:noted|jotted) {_SO_FAR}down",
            r"^(?:your |an? )?new (?:reminder|alarm|alert|contact) :",
            rf"^(?:your |the )?{_ALARM}s?(?: qqq)? :(?! (?:none|no|to|for)\b){_NOT_YET}",
            rf"(?<!already )(?:in|on|among) {_LISTS}(?! already)",
            rf"you (?:now )?have {_ALERT}",
            r"reminder (?:\S+ ){0,5}?(?:says|reads|is in|will (?:go off|ring|come up))",
            rf"^{_OF_A_LIST}{_REMINDER} (?:for|on|at|to){_NOT_YET}",
            rf"reminder (?:\S+ ){{0,3}}?{_RINGS} (?:\S+ ){{0,4}}?{_SOME_TIME}",
            rf"^(?:got it|all right|noted) :(?= .*(?:\d|\w+day\b|tomorrow|tonight)){_NOT_YET}",
        ),
        (
            r"will (?:also |then )?(?:remind|ping|nudge|alert|buzz|warn|wake) you",
            r"will (?:ring|go off|come up)",
            r"will tell you to",
            r"^when :(?= .*(?:\d|\w+day\b|tomorrow|tonight|noon|midnight))",
            rf"you will (?:now )?find (?!no\b)(?:\S+ ){{1,4}}(?:in|on|among) {_LISTS}",
            r"you will (?:also |now )?be (?:reminded|nudged|pinged|prompted|told to)",
            r"you will (?:also )?hear from me",
            rf"(?:you will (?:also )?(?:get|receive|see|hear|have)|expect) {_ALERT}",
        ),
    ),
    Deed(
        ("enabled", "activated", rf"(?:turned|switched|flipped) {_SO_FAR}on"),
        ("enable", "enabling", "activate", rf"(?:turn|switch)(?:ing)? {_SO_FAR}on"),
        (
            rf"{_IS_STILL}on|{_SWITCH} (?:on|\u2713)",
            r"up and running|(?:works?|(?:is|are) (?:working|live|up)) again",
        ),
    ),
    Deed(
        ("disabled", "deactivated", rf"(?:turned|switched|flipped) {_SO_FAR}off"),
        ("disable", "disabling", "deactivate", rf"(?:turn|switch)(?:ing)? {_SO_FAR}off"),
        (rf"{_IS_STILL}off|{_SWITCH} off",),
    ),
    Deed(
        split("booked reserved ordered secured"),
        split("book booking reserve reservation order ordering secure securing"),
        (
            r"made (?:you )?(?:an?|the|your) (?:\w+ )?(?:reservation|booking)",
            r"(?:got|did get) you (?:an?|the)",
            r"(?:is|are) confirmed",
        ),
    ),
    Deed(
        split(
            "cancelled canceled aborted",
        ),
        split("cancel cancelling canceling cancellation"),
        ("called off",),
    ),
)

_UNDOES: Final = {"enabled": "disabled", "booked": "cancelled"}


@dataclass(frozen=True)
class Wordings:
    """What finds any of some wordings: a pattern for each deed, and one for other words."""

    patterns: tuple[re.Pattern[str], ...]

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first match."""
        found = filter(None, (one.search(text) for one in self.patterns))
        return min(found, key=re.Match.start, default=None)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the matches, those of one deed after those of another."""
        for one in self.patterns:
            yield from one.finditer(text)

    def removed_from(self, text: str) -> str:
        """Return a text with blanks in their place."""
        for one in self.patterns:
            text = one.sub(" ", text)
        return text


@cache
def deeds_of(word: str) -> tuple[Deed, ...]:
    """Return the deeds for which a word or a few words may stand."""
    return tuple(
        deed for deed in DEEDS if _forms(deed, ("done", "names", "states")).fullmatch(word)
    )


@cache
def opposite_of(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return a word for what undoes what the words stand for: ``disabled`` for ``enabled``."""
    own = {word for deed in map(deeds_of, words) for one in deed for word in one.done}
    pairs = (_UNDOES, {other: one for one, other in _UNDOES.items()})
    return tuple(pair[one] for pair in pairs for one in pair if one in own)


@cache
def wordings(words: tuple[str, ...], kinds: tuple[str, ...]) -> Wordings:
    """Return what finds any of the words, or those of ``kinds`` for the deeds they stand for."""
    deeds = dict.fromkeys(deed for word in words for deed in deeds_of(word))
    own = [word for word in words if "done" in kinds and not deeds_of(word)]
    plain = [_any_of(rf"{re.escape(word)}(?:s|es)?" for word in own)] if own else []
    return Wordings((*plain, *(_forms(deed, kinds) for deed in deeds)))


@cache
def other_deeds(words: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds that some other deed is done than those for which the words stand."""
    own = {deed for word in words for deed in deeds_of(word)}
    same = {one for deed in own for one in deed.done}
    return _any_of(
        [one for deed in DEEDS if deed not in own for one in deed.done if one not in same]
    )


@cache
def _forms(deed: Deed, kinds: tuple[str, ...]) -> re.Pattern[str]:
    return _any_of(one + "s?" * (kind == "names") for kind in kinds for one in getattr(deed, kind))


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(patterns) or '(?!)'})(?!\w)")
