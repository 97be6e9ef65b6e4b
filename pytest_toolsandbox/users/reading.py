"""Classify the sentences of an agent by rules: questions, offers, announcements, statements.

``stem`` strips the endings of English words, and ``FUNCTION_WORDS`` lists words without content.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import Final

from pytest_toolsandbox.text.late_pattern import late_pattern
from pytest_toolsandbox.text.normal_text import split
from pytest_toolsandbox.text.sentences import QUOTE, Sentence

_PHRASES: Final = (
    r"sure(?: thing)?|of course|okay|ok|okey[- ]?doke?y?|got (?:it|you)|gotcha|certainly",
    r"absolutely|definitely|alright|all right|no problem|understood|great|perfect|right|yes|yep",
    r"yeah|gladly|with pleasure|noted|roger(?: that)?|copy that|very (?:well|good)|fine",
    r"sounds good|you (?:got it|bet)|consider it done|fair enough|makes sense",
    r"as you (?:wish|like|say)|leave (?:it|that|this) (?:with|to) me|count on me",
    r"(?:i(?:'d| would|'ll| will|'m| am) (?:be )?)?(?:more than |very )?(?:happy|glad) to",
    r"(?:help|assist|do)(?: you)?(?: (?:out|with|so|it|that|this))+|(?:help|assist)(?: you)?",
    r"i can (?:help(?: you)? with|do|take care of|look into) (?:it|that|this)(?: for you)?",
    r"here (?:goes|we go)|let's (?:go|do (?:it|that|this))|challenge accepted|easy(?: enough)?",
    r"on my way|first things first|say no more|i (?:understand|see|hear you)",
)
_PHRASE: Final = f"(?:{'|'.join(_PHRASES)})"
_ACCEPTS: Final = late_pattern(
    rf"^\W*{_PHRASE}(?:\W+(?:and|then|so|thanks?|thank you|at all|{_PHRASE}))*\W*$"
)


def accepts(sentence: str) -> bool:
    """Return whether a sentence only accepts a request."""
    return bool(_ACCEPTS.search(sentence))


FUNCTION_WORDS: Final = frozenset(
    split("""
    a able about all already also am an and any anything are as at be been being but by can could
    did do does doing done for from get go going got had has have he her him his how i if in is it
    its just may me might must my no not now of on or our please shall she should so some still than
    that the their them then there these they this those to too up us was we were what when which
    while will with would yes yet you your
    """)
)
_ENDING: Final = re.compile(r"(?<=\w{3})(?:at)?(?:ions?|ings?|ers?|ed|es|s|e|'s)$")
_DOUBLED: Final = re.compile(r"(?<=\w\w)(\w)\1$")
_IRREGULAR: Final = {
    word: first
    for first, *words in map(
        str.split,
        (
            "send sent", "tell told", "write wrote written", "find found", "make made",
            "set setting", "throw thrown threw", "keep kept", "go went gone goes", "come came",
            "leave left", "lose lost", "take took taken", "bring brought", "buy bought",
            "meet met", "see saw seen", "know knew known", "pay paid", "give gave given",
            "run ran", "say said",
        ),
    )
    for word in words
}  # fmt: skip
_FORM: Final = re.compile(r"(?:(?<=r)r)?(?:ed|ing|s)$")
_WHOLE: Final = frozenset(
    split("""
    answer consider cover deliver discover enter filter mention monitor number offer order position
    question recover refer register remember transfer trigger water
    """)
)
"""Verbs whose apparent ending is part of the stem."""
_BRITISH: Final = re.compile(
    r"(?<=[a-z]{2}o)u(?=r(?:s|ed|ing|ite|ites|able|ful)?$)|(?<=ogu)e$|(?<=[a-z]{4}i)s(?=(?:e|es|ed|ing|ation)$)"
)
"""British spellings that differ from American ones."""


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return a lower-case word without its ending: ``send`` for ``sent`` and ``sending``."""
    # Without this, "water" and "number" would lose their "er".
    if (base := _FORM.sub("", word)) in _WHOLE:
        return base
    # "-ise" becomes "-ize", and "colour" loses its "u".
    word = _BRITISH.sub(lambda match: "z" if match[0] == "s" else "", _IRREGULAR.get(word, word))
    return _DOUBLED.sub(r"\1", _ENDING.sub("", word))


_MAX_LENGTH: Final = 500
"""Characters read at the end of a sentence: the patterns take quadratic time."""


class Act(Enum):
    """The speech act of a sentence."""

    ASKS = "asks"
    OFFERS_MORE = "offers more"
    """Asks whether the user needs anything else."""
    ANNOUNCES = "announces"
    FILLS = "fills"
    """Has no content: "Sure!", "I'll get back to you"."""
    STATES = "states"


_WH: Final = r"(?:which|what|who|whom|whose|when|where|whether|how|if)"
_SAY: Final = (
    r"(?:confirm|clarify|specify|verify|tell|let me know|provide|share|give|send|choose|pick|select"
    r"|advise|enter|supply|indicate|answer|reply|respond|type|approve|decide|repeat|double-check)"
)
CONSENT: Final = (
    r"(?:confirm\w*|go-? ?ahead|approv\w+|permission|ok(?:ay)?|say-so|consent|green light|nod"
    r"|sign-?off|blessing|agree\w*|thumbs?[ -]up|yes)"
)
_GO: Final = rf"(?:{CONSENT}|word|reply|answer|response|instructions?|input|decision)"
_YOURS: Final = (
    rf"\byour (?:go|word|signal|{CONSENT})\b(?! (?:number|code|e-?mail|message|link|page)\b)"
)
_MODAL: Final = (
    r"(?!do (?:it|that|this)\b)"
    r"(?:shall|should|may|can|could|do|does|did|would|will|am|is|are|want) (?:you )?"
    r"(?:i|you|we|it|that|this|these|they|he|she|me)\b"
)
_MEANT: Final = (
    r"(?:you(?:'d|'re| are)? (?:mean|meant|want|wish|need|like|prefer|would|refer|talk|look|ask)"
    r"|your|right|correct)"
)
_CLAUSE: Final = (
    r"(?:^|[,;:\u2013\u2014-] ?|\b(?:and|so|then|but|or|kindly|just|do|also|first|simply) )"
)
_OBJECT: Final = (
    rf"(?! (?:her|him|them|it now|that now)\b)"
    rf"(?=.*\b(?:me|it|that|this|{_WH}|yes|no|ok(?:ay)?|your?|the|an?|one)\b|\W*$)"
)
_TO_YOU: Final = r"\b(?:can|could|would|will|mind|must|need to|have to|'d like you to|you to)"
_NEED: Final = (
    r"\bi(?:'d| would|'ll| will|(?:'m| am) going to)?(?: (?:still|also|just|only|first))*"
    r" (?:need|require|(?:have|like|love) to (?=(?:know|have|hear)\b))\b"
)
_DO: Final = (
    r"(?:check|look|search|find|fetch|determine|turn|enable|figure|retrieve|pull|verify|work|see"
    r"|convert|calculate|identify|locate)"
)
_ONCE: Final = r"\b(?:once|until|before|after|when|as soon as|if)\b.*\b(?:you|your)\b[^,]*"
_IF_IT_IS: Final = (
    rf"\bif (?:that|this|it|everything|all|{QUOTE})(?:'s| is| looks?| sounds?| works?) (?:not )?"
)
_UNSURE: Final = (
    r"\b(?:wonder(?:ing)?|(?:not|un) ?(?:sure|certain|clear)|don't know|make sure|double-?check"
    r"|decide|to know)\b ?(?:\w+ ){0,3}?"
)
_BEGINS: Final = (
    r"(?:^(?:[\w']+,? ){0,2}|: |\b(?:so|and|but|or|okay|ok) )"
    r"(?:(?:which|what|whose|who|when|where|how)\b(?: \S+){0,4}? )?"
)
_DOING: Final = (
    r"(?:check|look|search|find|send|text|messag|set|add|delet|remov|turn|switch|fetch|gett?|pull"
    r"|work|calculat|convert|retriev|process|updat|chang|sav|mov|try|sort|start|begin|dig|think|do"
    r"|go|proceed|run|creat|cancel|reschedul|enabl|disabl|activat|writ|draft|prepar|us|verify|fix"
    r"|correct|comput|determin|locat|forward)\w*ing\b"
)
_AT_IT: Final = (
    r"(?! (?:on|for|in) (?:the|your)\b[^.!?]*\b(?:is|are|was|were|has|did|costs)\b)"
    r"(?= (?:it|that|this|now|your?|the|for|on|into|up|with|them|her|him)\b|\W*$)"
)
_I_WILL: Final = r"\bi(?:'ll| will|(?:'m| am) (?:now )?(?:going|about) to|'m gonna)\b"
_PROMISES: Final = r"(?!.*\bremind\b)(?! (?!help)\w+ you\b)"
_HOLD: Final = (
    r"(?<!\ba )(?<!\bthe )(?<!\byour )(?<!\bhis )(?<!\bher )(?<!\btheir )(?<!\bon )(?<!\bnew )hold"
)
"""The verb, not the noun of "a hold on a book"."""
_WAITS: Final = r"(?! (?:let|inform|keep|be|not|never|leave|stop|wait|need|get back|ring|assume)\b)"


_CHANGE: Final = r"(?:change|reschedule|edit|undo|adjust|cancel|modify|revert)"
_NEVER_TOLD: Final = (
    r"\byou (?:haven't|have not|didn't|did not)"
    r" (?:told? me|mention|sa(?:y|id)|specif|give|provide|share)"
)
_DID: Final = (
    r"(?!need|want|ask|wonder|check|stop|paus|wait)"
    r"(?:\w+ed|set|put|took|went|chose|made|sent|kept|left|wrote)\b"
)
"""How the agent says what it did without the missing detail: ``so I used noon``."""


def any_of(lines: str) -> re.Pattern[str]:
    """Return a pattern that matches any of the patterns in the lines."""
    return late_pattern("|".join(map(str.strip, lines.strip().splitlines())))


# tests/users/*_agent_turns.yaml has turns of agents for each speech act: extend both together.
_OFFERS_MORE: Final = any_of(
    rf"""
    (?<!before )\b(?:any|some)\s?(?:thing|one|body) (?:else|more|further)\b
    \bwhat else\b
    \banything\b.*\b(?:can|could|may) (?:i )?(?:do|help|assist)\b
    \b(?:more|further|other|additional|any) (?:help|assistance|questions?|changes?|requests?)\b
    \b(?:let me know|say the word|ask)\b.*\b(?:how it (?:goes|went)|changes? again|something else)\b
    \b(?:let me know|say the word|ask)\b.*\bneed (?:me|help|more)\b
    \bneed (?:me|help) (?:again|later)\b
    \blet me know if you (?:still |also |ever )?need\b
    \b(?:want|need|like) (?:it|them|that|this) back\b
    \bfeel free\b(?! to (?:share|provide|give|send|tell|specify|supply)\b)
    \blet me know if you(?:'d| would)? (?:like|want|wish) to {_CHANGE}\b
    \bhesitate\b
    \breach out\b
    """
)
_UNDONE: Final = re.compile(
    rf"\botherwise i\b|\bbefore i\b|\b(?:once|until) you {CONSENT}\b", re.IGNORECASE
)
"""Phrases that show that the errand is not done yet."""
OFFERS: Final = any_of(
    r"""
    \b(?:shall|should) i\b(?! (?:know|call you)\b)
    \b(?:may|can|could|might) i\b(?! (?:have|get|ask|know|see|call you)\b)
    \b(?:am|was) i to\b
    \b(?:do|would|did) you(?: still| really| just)? (?:want|like|prefer|wish) (?:me|us)\b
    \byou(?:'d| would)? (?:want|like) me to\b
    ^(?:\w+,? )?want me to\b
    \bmind if i\b
    \bif i (?:should|may|can)\b
    \bif you(?:'d| would)? (?:like|want|wish|agree|don't mind)\b
    """
)
"""How the agent proposes to do something."""
_ASKING: Final = (
    r"(?:^|[,:;] |\b(?:at|by|for|from|in|on|to|until|and|but|so|or|know|me|specify|clarify|confirm"
    r"|say|sure) )"
)
WHICH: Final = re.compile(
    rf"{_ASKING}(?:(?:which|whose|whom?)\b|(?:what|when|where|why|how)\b(?! about))", re.IGNORECASE
)
"""The beginning of a question for information."""
_NO_REQUEST: Final = any_of(
    rf"""
    \basks (?:you )?(?:if|whether|when|what|which|how|where|who)\b
    \bto (?:let|tell) (?:you|me) know\b
    \b(?:can|could)(?:'t|not| not) (?:\w+ ){{0,2}}tell\b
    ^(?:i|we) can (?:\w+ )?(?:confirm|verify) (?:that|it)\b(?!.*\b(?:if|once|when|as soon as)\b)
    \b(?:don't|do not|didn't|no) need\b
    \b(?:everything|all|anything else|what) i need\b
    \bthank(?:s| you)?\b.*\b(?:confirming|your {_GO})\b
    \bas you confirmed\b
    {_NEVER_TOLD}\b.*\bso (?:i|we)(?:'ve| have)? (?:just |\w+ly )?{_DID}
    \bwonder(?:ing)?\b.*;.*\b(?:is|are|was|were|has|have)\b
    \bgive me (?:just )?(?:a|one) (?:moment|second|sec|minute|bit)\b
    \bif you\b.*\byou can\b
    \blet me (?:\w+ )?(?:double-?check|verify)\b(?!.* with you\b)
    """
)
_ASKS: Final = any_of(
    rf"""
    {_CLAUSE}let me know\b
    {_CLAUSE}{_SAY}\b{_OBJECT}
    {_CLAUSE}(?:type|reply|say|answer|respond)(?: with)? {QUOTE}
    ^(?:so )?just to (?:be (?:sure|safe)|confirm|double-?check|make sure)\b.*\byou\b
    (?:^|, )what(?:'s| is) (?:the|your)\b.*\byou\b
    \b(?:please|free to) (?:say|identify|name|state|describe|explain|spell|let me have|{_SAY})\b
    {_TO_YOU} (?:you )?(?:please )?{_SAY}(?:ing)? (?:me|the|your|that|this|{_WH})\b
    \bmind (?:if|(?:confirm|tell|giv|shar|repeat)ing)\b
    {_NEED}(?! (?:(?:a|one) (?:moment|second|sec|minute|bit)|to (?:first |quickly )?{_DO})\b)
    \bwhat(?:'s| is)(?: still)? missing\b
    {_NEVER_TOLD}
    \b{_WH}\b.*\b(?:unclear|(?:isn't|not) clear)\b
    \b(?:would|'d) be (?:very |really )?(?:great|helpful|appreciated|ideal)\b
    \b(?:maybe|perhaps) you (?:know|have|can|could|remember)\b
    ^(?:just|only) (?:one|two|a few) (?:more )?(?:detail|thing|question)s?\b
    \bi(?:'m| am)? wonder(?:ing)? {_WH}\b
    \bi need\b.* please$
    ^(?:so )?(?:just|still|only|also) (?:need|missing)\b
    \bi(?:'m| am) (?:still )?(?:missing|lacking)\b
    ^missing:
    ^(?:just )?(?:the|your|an?) [\w ]{{1,40}}, please(?:$|,)
    \b(?:await|wait|{_HOLD}|stand|paus)\w*\b.*\b(?:your?|you)\b
    {_ONCE}\b(?:{_GO}|say|tell|agree|like|want|wish|ready|have|give|share|provide|send)\b
    \bwhen(?:ever)? you(?:'re| are)(?: (?:all )?(?:ready|set))?$
    ^(?:please |just )*(?:stop me|shout|yell|holler|speak up|object|interrupt me)\b.*\bif\b
    \b(?:until|once|when|after|as soon as) i(?:'ve| have)? hear\b
    \b(?:missing|left|need\w*|remain\w*|lack\w*|want\w*|takes?)\b.*{_YOURS}
    \b(?:on|upon|pending|without|only with) {_YOURS}
    \b(?:needs|requires|appreciate|without)\b.*\b(?:an?|you|explicit) (?:explicit )?{CONSENT}\b
    ^permission\b.*\brequested$
    \byou (?:may|can) approve\b
    {_YOURS} (?:(?:is|would be) (?:all|everything|the|what|still|missing)\b|and (?:i|it|we)\b)
    \b(?:check|confirm|verify)(?: this| that| it)? with you\b
    \b(?:provided|assuming|as long as|if) (?:that )?you(?:'re| are) (?:sure|happy|okay|ok|fine)\b
    {_IF_IT_IS}(?:all right|alright|right|correct|ok|okay|fine|good|what|for you)\b
    \b(?:once|when|as soon as) i (?:have|know|get) (?:the|your|h(?:is|er)|an?|wh\w+|it|that)\b
    \b(?:do i have|need|give me|with)\b.*\b(?:your|the) {_GO}\b
    \b(?:short|quick|simple) (?:yes\b|ok(?:ay)?\b|{QUOTE})|\byes is enough\b
    \b(?:confirm|make sure|check)\b.* before i (?:act|continue|proceed|go on|do|start|change)\b
    \b(?:say|give me|send me) (?:the (?:\w+ )?word|["']?yes|so|when|which|whether|a yes)\b
    \byes or no\b
    {_UNSURE}(?:{_WH}|that|this)\b.*\b{_MEANT}
    \b(?:would|might|could) help (?:me )?to know\b
    \byour (?:call|choice|decision)\b
    \byour instructions would\b
    \bup to you\b
    \b(?:you|your) (?:decide|choose|pick)\b
    \bwhich (?:one|is it|of (?:them|these|those|the two))$
    {_BEGINS}{_MODAL}
    ^(?:is|are|does|should|will) {QUOTE}
    ^(?:who|which|whose|where|when) (?:is|are|was|were)\b
    (?<!n't )(?<!not )\bwant me to\b
    \bokay to\b
    \b(?:is|are) (?:it|that|this|they) \w+$
    (?:^|:) ?(?:which|what(?! an?\b)|who|whose|when|where|how)\b(?: \S+){{0,4}}$
    """
)
_FILLER: Final = (
    r"(?:sure|of course|okay|ok|got it|certainly|absolutely|alright|all right|no problem|understood"
    r"|great|perfect|thanks?|thank you|no worries|right|roger|noted|yes|alrighty|gladly"
    r"|happy to help|i understand|i see|oh|ouch|hi|hello|sorry|i'm sorry)"
)
_ANNOUNCES: Final = any_of(
    rf"""
    \blet me (?!know\b)
    \ballow me to\b
    \blet's (?:see|check|look|find|begin|start|get started)\b
    \bi(?:'d| would)? (?:first )?(?:need|have|want|like) to (?:first |quickly )?{_DO}\b
    \bi can now (?:set|send|add|create|do|go|{_DO})\b
    \b(?:step (?:one|1)|the first step) is to\b
    ^(?:now )?(?:it's )?time to {_DO}\b
    {_I_WILL}{_PROMISES}{_WAITS}
    \bi(?:'m| am) (?:now |just |currently )*{_DOING}
    ^\W*(?:(?:{_FILLER}|now|hmm+|brb|be right back)\W+)*(?:now |just |already )*{_DOING}{_AT_IT}
    \b(?:get|right|i'm|i am) on (?:it|the case|the job)\b
    ^(?:{_FILLER}\W+)*on it$
    \b(?:brb|be right back|coming (?:right )?up$)
    \b(?:a|one) (?:moment|second|sec|minute)\b(?! ago\b)
    \bgive me a bit\b
    \b{_HOLD} on(?! tight)\b
    \b(?:hang on|hang tight|bear with|stand by|please (?:wait|hold))\b
    \b(?:right away|will do|right on that)\b
    \b(?:thanks|thank you) for (?:your patience|waiting|bearing with me)$
    (?:^|, |\band )(?:now|on|next)\b[ ,:]*(?:for |to |with )*the (?:rest|other|next|second)\b
    \b(?:one|two|three|a few) more (?:[\w-]+ )?(?:to go|left|to make)\b
    \bis being (?:processed|looked up|looked into|worked on)\b
    ^i (?:now )?have (?:everything|all) i need(?: now)?(?:, thank(?:s| you))?$
    ^(?:[\w' ]+, )*(?:i'm |i am |we're )?(?:nearly|almost) (?:there|done|finished|ready)$
    """
)
_FILLS: Final = any_of(
    rf"""
    ^\W*{_FILLER}\b(?:\W*[^\W\d]+){{0,5}}\W*$
    \bi(?:'ll| will)\b.*\b(?:let you know|get back to you|report back|tell you|keep you)\b
    \b(?:this|it) (?:will|'ll|won't|should)\b.*\b(?:take|long)\b
    """
)


_PLAN: Final = re.compile(rf"\b(?:plan|steps|i need to {_DO})\b|{_I_WILL}", re.IGNORECASE)
"""How the agent introduces a list of its next steps."""


def act_of(sentence: Sentence) -> Act:
    """Return the speech act of a sentence."""
    # The end of a sentence has its question. Markdown emphasis would separate words.
    plain = sentence.plain[-_MAX_LENGTH:].translate({ord("*"): None, ord("_"): " "})
    # First, since "Anything else?" is a question in form only.
    if _OFFERS_MORE.search(plain) and not _UNDONE.search(plain):
        return Act.OFFERS_MORE
    is_accepted = accepts(plain)
    # The items of a list have the meaning of the sentence before the list.
    is_step = bool(_PLAN.search(sentence.lead))
    is_request = not _NO_REQUEST.search(plain) and _ASKS.search(plain)
    # Steps of a plan, such as "Ask for the date", look like requests to the user.
    if sentence.mark == "?" or (not (is_accepted or is_step) and is_request):
        return Act.ASKS
    # Questions come first: "Let me know the date and I will send it" asks.
    if _ANNOUNCES.search(plain):
        return Act.ANNOUNCES
    return Act.FILLS if is_accepted or _FILLS.search(plain) else Act.STATES
