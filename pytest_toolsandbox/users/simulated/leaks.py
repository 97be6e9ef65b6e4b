"""Whether a user tells of its instructions."""

from __future__ import annotations

from typing import Final

from pytest_toolsandbox.matchers.normal_text import split, typewritten
from pytest_toolsandbox.matchers.statements.acts import any_of

from .by_tools import INSTRUCTION as BY_TOOLS
from .paper import INSTRUCTION as PAPER
from .situation import Situation, words
from .utterance import Utterance

LEAKED_RUN: Final = 6
"""Words in a row of the instruction that show that it is repeated."""


def leaks(said: Utterance, situation: Situation) -> str | None:
    """Say what is wrong with a text that tells of the instructions."""
    text = typewritten(said.text or "")
    behind = {*words(text)} & _BEHIND_THE_SCENES - {*words(situation.known)}
    if behind or _INSIDE.search(text) or _RUNS & _runs(text):
        return "That tells of your instructions, which nobody may hear of."
    return None


def _runs(text: str) -> frozenset[str]:
    found = words(text)
    return frozenset(
        " ".join(found[start : start + LEAKED_RUN]) for start in range(len(found) - LEAKED_RUN + 1)
    )


_RUNS: Final = _runs(PAPER) | _runs(BY_TOOLS)
_BEHIND_THE_SCENES: Final = frozenset(
    split("""
    user instruction instructions instructed prompt prompts scenario simulation simulated simulating
    roleplay persona character script scripted brief briefing briefed objective objectives goal
    goals guideline guidelines profile exercise setup permitted forbidden provided assigned
    developer developers benchmark evaluation evaluator transcript demonstration graded
    configured designers creator
    """)
)
"""Words that a person only uses who was told of them."""
_PART: Final = r"(?:goal|task|assignment|role|character|background|brief|knowledge|boundary)s?"
_TOLD_TO: Final = (
    r"\bi(?:'m| am| was| have been|'ve been) (?:\w+ )?"
    r"(?:told|asked|instructed|prompted|supposed|allowed|meant|pretending)"
    r"(?: not| never)? to"
)
_SOURCE: Final = (
    r"(?:sheet|card|description|context|notes?|file|data|info\w*|knowledge|instructions?)"
)
_CONTAINS: Final = (
    r"(?:has|have|go|says?|mentions?|ends?|includes?|covers?|contains?|names?|gives?|forbids?)"
)
_IN_TALKS: Final = (
    r"(?:ask|say|tell|mention|reveal|share|play|act|pretend|answer|know|invent|stop here|give out"
    r"|make (?:no|any|up)|keep quiet|wait (?:until|till) you|stick to)"
)
_INSIDE: Final = any_of(
    rf"""
    \b(?:User [AB]|end_conversation|tool_calls?)\b
    \bknowledge boundar(?:y|ies)\b
    \b(?:in|out of|break) character\b
    \bsystem (?:message|prompt)s?\b
    \b(?:pass|passe[sd]|fail|fails|failed) the test\b
    \bend(?:ing|s)? the (?:conversation|chat|dialogue)\b|\bconversation so far\b
    \bthis (?:conversation|dialogue|chat)\b|\bacting as an?\b|\bnot a real (?:person|human|user)\b
    \b(?:the|this|your) (?:user|agent)\b
    \bthe (?:person|customer) (?:is|wants?|needs?|asks?|knows?)\b
    \bmy {_SOURCE} (?:only |also |doesn't |does not |don't )?{_CONTAINS}\b
    \baccording to (?:the|my) {_PART}\b|\bstep (?:one|two|three|four|\d)\b|\bgiven facts\b
    \bi was given (?:a list|no|only)\b|\bthe test (?:ends|stops|will)\b
    \b(?:automated|simulated|fictional) (?:user|caller|customer|person)\b
    \bas (?:the|a) user\b|\buser goals?\b
    \bi(?:'ve| have) been (?:given (?:no|only)|assigned)\b
    \boutside (?:of )?(?:the|my) (?:information|knowledge|instructions)\b
    \baccording to the (?:context|information|facts)\b
    \bthey (?:only|just) told me (?:not )?to (?:say|tell|mention|reveal|answer)\b
    \bmy (?:\w+ )?{_PART}(?: here| now)? (?:is|are|says?|tells?|wants?|knows?|lets?|only)\b
    \bmy (?:\w+ )?{_PART}(?::|'s\b)
    \b(?:as|according to|in|from|part of|by) my (?:\w+ )?{_PART}\b
    \bmy (?:\w+ )?character\b
    \b(?:a|the|this|in) test(?:[- ](?:case|scenario|run))\b|\bpurposes? of (?:the|this) test\b
    \bthe system (?:says?|said|tells?|told|wants?)\b
    \b(?:text|description|information|note|paragraph)s? above\b|\babove (?:text|description)
    \bmy notes? (?:says?|tells?)\b
    \bmy (?:first|second|third|next) request (?:is|was)\b
    \btask (?:number|no\.?) ?\w+
    \b(?:information|knowledge|details?|facts?) (?:that )?(?:i was |i(?:'ve| have) been )?given\b
    \bwhat i(?:'m| am| was|'ve been) (?:told about m|given|allowed)
    \b(?:the|this) {_PART} (?:description )?(?:only )?(?:says?|tells?|wants?|gives?|names?)\b
    \b(?:my|the|these|those|of) facts\b(?! about\b)|\bmy background\b|\bmy (?:own )?rules\b
    \b(?:rules?|part|person|one) (?:that |who |whom )?i(?:'m| am)? (?:follow|play)(?:ing)?\b
    \btold (?:me )?(?:that )?i (?:don't|do not|can't|cannot|only) know\b
    \bi (?:must|may) (?:not|only) \w+|\bi should(?: not|n't) (?:reveal|tell|say|mention)\b
    \b(?:breaking|against) the rules\b
    \bhave no data\b
    \b(?:created|here) to test\b
    \blist of tasks\b
    ^\W*(?:thoughts?|reasoning|reply|user|assistant|agent|action|response|goal)\s*:
    {_TOLD_TO} (?:only )?{_IN_TALKS}\b
    \b(?:may|must|should|can) only (?:say|tell|mention|reveal) (?:it|that|this)\b
    \brole[- ]?play\w*
    \b(?:pretend|play)(?:ing)? (?:to be|the (?:role|part) of)\b
    \b(?:as|i'm|i am|just|being) an? (?:\w+ )?(?:ai|bot|language model|virtual \w+)\b
    \bplaying an? \w+
    \bit says here\b
    \b(?:isn't|not|nothing) (?:\w+ ){{0,2}}in (?:my|the) (?:list|facts?|info\w*|notes?)\b
    \bmy role (?:here|is)\b
    </?\w+>
    """
)
