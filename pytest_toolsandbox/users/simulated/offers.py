"""How people talk who serve others: a user who talks so is out of its role."""

from __future__ import annotations

from typing import Final

from .deeds import (
    ACT,
    ACTED,
    ACTING,
    BUSY,
    CHANGED,
    IT,
    NOT_OWN,
    OFF,
    OWN_PLANS,
    SERVE,
    SERVING,
    SLOT,
    THING,
    phrases,
)

_WH: Final = r"(?:what|which|who|whom|when|where|how)\b[^?\n]*"
_MAY_I: Final = r"(?:shall|should|can|may|could|might) (?:i|we)"
_I_WILL: Final = r"i (?:will|shall|am going to|am about to)"
_FINE: Final = r"(?:okay|ok|fine|all right|alright|good|correct|right)"
_DONE: Final = r"(?:off|out|sent|done|set|sorted|over|fixed|added|saved|arranged|handled)"
_SOON: Final = r"(?:moment|minute|second|sec|hold on|hang on)"
_GLAD: Final = r"(?:happy|glad|willing|delighted|pleased|eager|here|able|ready|love|pleasure)"
_WISH: Final = r"(?:like|prefer|want|wish|need)"

_NO_SUBJECT: Final = (
    r"(?!.*\b(?:is|are|was|does|did|has|can|could|may|might|would|will|helps|makes|seems|sounds"
    r"|works)\b)"
)
"""After a verb in -ing: nothing is told of it, as in "renaming does not help me"."""
OFFERS: Final = phrases(
    rf"""
    (?:should|shall|may|can|could) (?!(?:you|i|we|it)\b)[^?\n]* be \w+ed\b[^?\n]* \?
    i (?:can|could|will) {NOT_OWN}(?!{OWN_PLANS}\b)\w+\b
    (?:if|when) you (?:give|tell|send|let)\b[^\n]*\b(?:i can|i will|i could)\b
    (?:what|which|when|where|how|who)\b[^?\n]* (?:should|shall) (?!i\b)[^?\n]* \?
    want (?:me|an?|to)\b[^?\n]* \?|would (?:an?|the|that) [^?\n]* \?|what else can i\b
    would you mind (?:giv|tell|shar|confirm|provid)ing\b|feel better\b
    i (?:would )?(?:recommend|suggest|advise|propose)\b|to (?:figure|work) (?:it|that|this) out\b
    (?:{_WH})?(?:shall|should) (?:i|we) {NOT_OWN}(?:let|get|keep|include|mention|phrase|proceed\
    |use to|reach|assume|address)\b
    (?:{_WH})?(?:shall|should) (?:i|we) {NOT_OWN}(?:{ACT}|go (?:with|ahead))\b(?! you\b)
    (?:{_WH})?shall i (?!(?:wait|do|say|tell|repeat|give|take|bring|come|go|explain|call\
    |spell)\b)\S
    {_WH}(?:would |do |did )?you (?:would )?(?:like|prefer|rather)\b(?! to know)
    (?!.*\bmy\b)(?:is|was|will|would) there (?:be )?anything (?:else|more|further|specific)\b
    need anything\b(?! from me)|do you prefer\b
    (?:do|would) you (?:need|want|like) (?:directions|help|assistance|a hand|a reminder)\b
    (?:(?:can|could|would|will) you )?(?:provide|specify|clarify)\b(?! (?:wh\w+ever|any|either)\b)
    (?:do|did) you (?:want|need|wish) (?:it|that|this|them)\b[^?\n]* or\b
    (?:do|would) you have (?:a|any|another) (?:\w+ )?(?:prefer|specific|particular)
    (?:would it|is it|would|are) (?:be|you|mind)?\W*{_FINE} if i {NOT_OWN}(?:{CHANGED}|{ACTED}\
    |{ACT})\b
    (?:{_I_WILL}|i c(?:an|ould)|let (?:me|us)|allow me to) go ahead\b|will {NOT_OWN}(?:{ACT}|do)\b
    let me (?:try|have another (?:look|go)|see if i can)\b(?! to (?:remember|think|explain))
    let me {NOT_OWN}(?!put it\b)(?:\w+ )?(?:{ACT}|get|bring|take|change|move)\b
    {_I_WILL} {NOT_OWN}(?!{OWN_PLANS}\b)\w+ {OFF}(?:{IT}|the|your|an?|for)\b(?!.*\b(?:later\
    |soon)\b)
    {_I_WILL} {NOT_OWN}(?!{OWN_PLANS}\b)\w+ (?:shortly|from here|back|on|off)\b
    {_I_WILL} (?:proceed|begin|get (?:going|started|to (?:it|work)|right on|on (?:it|that)))\b
    {_I_WILL} (?:take (?:it|this|over) from here|search|remind you|be right back with)\b
    i (?:will|can) {NOT_OWN}(?:get|have) (?:\w+ ){{1,3}}{_DONE}\b
    i (?:will|can) (?:do|take care of|see to|get on|get to|handle) (?:it|that|this)\b{NOT_OWN}
    i would (?:need|require) (?:her|his|their|your|the|more|some|any)\b
    (?:i will|let (?:me|us)) {NOT_OWN}(?!(?:{OWN_PLANS}|rephrase)\b)\w+ [^\n]*\b{THING}\b
    let us (?:get|do|have) (?:that|it|the) [^\n]*(?:out|sent|set|fixed|sorted|done)\b
    (?:do|did) you want (?:the|an?|her|his) {THING} to\b|{ACTING} (?:failed|worked|succeeded)\b
    anything (?:else|more)\b(?![^\n]*\b(?:from|in|on|of) m[ey]\b)[^?\n]* \?
    (?:once|as soon as) you (?:confirm|provide|share|specify|(?:give|tell) me)\b
    (?:leave|consider) (?:it|that|this) (?:to me|done)\b|(?:on it|will do|coming right up)\b
    (?:to confirm )?you {_WISH} (?!me to (?:repeat|spell|say|explain))(?:\w+ )?(?:to|that|an?)\b
    (?:{_WH})?(?:may|can|could) i (?:ask|trouble|bother|have) (?:you )?for (?:h|th|you|a)
    (?:{_WH})?(?:may|can|could) i (?:ask|trouble|bother) (?:you )?(?:what|who) the\b
    to whom (?:should|shall)\b|what is the recipient\b
    what is the (?:best|right|correct|preferred) (?:\w+ )?(?:number|time|date|day|address|way)\b
    you will (?:be (?:reminded|notified|informed|alerted)|(?:get|receive|see) an? (?:alert|reminder\
    |notification|confirmation))\b
    i am (?:working on it|on it|processing|going to need)\b
    i am {NOT_OWN}(?!{BUSY})\w+ing (?:{IT}|your)\b|i am {NOT_OWN}{ACTING} [^\n]*\b{THING}\b
    i (?:can|will) (?:give|tell|show|get) you [^\n]*\b(?:once|as soon as|if you)\b
    {ACTING} {OFF}(?:{IT}|your|in|the|{THING})\b{_NO_SUBJECT}
    {SERVING} {_NO_SUBJECT}[^?\n]+$
    (?:may|can|could) i (?:know|ask) wh[^?\n]*\byou (?:would|want|mean|prefer|like|need)\b
    i have (?:all|everything|enough|what)\b[^\n]* to {ACT}\b
    to {ACT}\b[^\n]*\bi (?:will )?(?:need|require)\b|(?:rest|sleep) (?:well|up|tight)\b
    (?:i will|i can) {NOT_OWN}[^\n]* and {SERVE}\b
    does (?:\w+ ){{1,2}}(?:prefer|want|need)\b[^\n]*\?
    (?:could|can|would|will) you {NOT_OWN}confirm [^?\n]* or\b
    is there an? (?:particular|specific)\b
    would (?!it\b|that\b|this\b)[^?\n]* (?:work|suit \w+)(?: for \w+)? \?
    here is the {SLOT} (?:for|of) the\b
    enjoy\b(?! (?:it|that|this|being)\b)
    have (?:fun|an? \w+ (?:dinner|trip|time|flight|stay|run|party))\b
    (?:searching|checking) for\b|do you mean\b[^\n]* or\b
    do you (?:approve|confirm|authori[sz]e|wish|consent)\b
    is there (?:any|some)\w* [^?\n]*\byou (?:would|want|wish)\b|have you tried\b|before {ACTING}\b
    here is [^\n]* you asked for\b|stay (?:warm|safe|dry|tuned|healthy)\b|great choice\b
    you (?:may|might|could) (?:want|like|wish) to\b|make sure (?:that )?your\b
    i (?:will |do |would )?(?:need|require)\b[^?\n]*\b(?:exact|full name|you would|good to go)\b
    i require\b|in order to\b|before i (?:do|{ACT})\b
    to {ACT}\b[^\n]*\n(?:.*\n)?(?:i (?:will )?(?:need|require)|(?:could|can|would) you)\b
    confirm (?:that|if|whether) i (?:should|can|may|shall)\b
    (?:could|can|would|will) you {NOT_OWN}(?:confirm|verify) (?:the|your|her|his|their) {SLOT}\b
    (?:could|can|would|will) you [^?\n]*(?:share|provide|(?:give|tell\
    |send) me)\b[^\n]*\nthat i can\b
    (?:give|send|tell|get|pop|share) me\b[^\n]*\n(?!.*\bmyself\b)i (?:will|can)\b
    (?:share|tell me|give me|enter|choose|select) (?:\w+ ){{1,3}}?(?:details|recipient|content\
    |wording|title)
    (?:i am |i would be )?(?:more than |very |always )?{_GLAD} to {NOT_OWN}(?:do (?:that|it|so)\
    |{ACT})\b
    have i (?:answered|helped|understood)\b|how (?:does|would)\b[^?\n]*\bsound\b
    (?:does|do|would) (?:that|this|it|these|the \w+) (?:look|sound|seem) {_FINE}\b
    who is the (?:message|text|reminder) (?:for|to)\b
    (?:do )?let me know (?:should you|\w+(?: \w+)?(?: that)? you (?:would|want|prefer))\b
    (?:how about|what if) i {ACT}\w*\b|would it help if i\b
    (?:you can|you may) (?:always )?(?:ask|tell) me\b
    """,
    rf"""
    {_MAY_I} (?:\w+ ){{0,2}}(?:help|assist)\b|{_MAY_I} (?:get|bring|offer|show) you\b
    {_MAY_I} (?:{ACT}|take|do|order|book|call|run)\b[^?\n]*\byour?\b
    {_MAY_I} (?!have|get|see|know)\w+ (?:the|a|your|her|his) (?:\w+ )?{THING}\b[^\n]*\?
    may i (?:have|know) (?:your|the {SLOT})\b|(?:how|what) can i do\b
    anything (?:else|more|further)? ?(?:that )?(?:i (?:can|could|should|may|might)\
    |you would (?:like|need))\b(?! from me)
    help you \?|you have in mind\b|at your service\b
    {_GLAD} (?:to |of )?(?:be of |help|assist|serv|have been)
    (?:i |you )?can (?:help|assist) (?:you|with)\b|glad (?:that )?i could\b
    to have (?:helped|been of)\b
    \ban? (?:message|text|call|tap) away\b|if anything (?:else )?comes up\b|on file\b
    in (?:my|our|the) (?:records?|system|database)\b|before i (?:{ACT}|proceed)\b{NOT_OWN}
    i can help\b
    would you (?:like|prefer|rather|care)\b
    (?:do|did) you (?:want|need) (?:any (?!\w* ?from me)|anything(?! from me)|(?:\w+ )?(?:help\
    |assist))
    (?:works?|suits?) (?:\w+ )?(?:for )?you\b[^\n]*\?
    here is (?:a|the|your) (?:draft|list|summary|update|suggestion|proposal)\b
    (?:a|an|the|his|her|\w+) will be (?:{ACTED}|told|reminded|added|saved)\b|safe \w+ing\b
    you need (?:a hand|me|help|support|anything)\b(?! from me)
    (?:real[- ]time|live) (?:\w+ )?(?:data|info\w*|access)
    (?:thanks|thank you) for (?:reaching out|contacting|choosing|waiting|(?:confirm|clarify\
    |provid|shar|specify)ing|the (?:info|clarif|confirm|details))
    my pleasure\b|(?<!i )enjoy (?:your|the)\b|get well\b
    safe (?:travels|trip|flight|journey|move|drive|ride)\b
    report back\b|your patience\b|(?:assist|help) with (?:that|this) request\b
    (?:from|on) my (?:end|side)\b|manually\b|in case you\b(?! need it\b)|drive safely\b
    where you (?:are|live)\b
    (?:clos|near)\w+ to you\b|convenient\b|see if that (?:helps|works)\b
    you are (?:very |most )?welcome\b|hope (?:that|this|it) (?:helps|answers|clears)\b
    great question\b
    need (?:\w+ ){{0,3}}(?:more|some|further) (?:details?|info(?:rmation)?)\b
    (?:let|tell) (?:me|us)(?: know)? (?:\w+ ){{0,4}}?(?:you (?:mean|would (?:like|prefer))\
    |to {ACT})\b
    (?:let me know|tell me) (?:if|what) (?:you (?:need|want)|there is|you would like)\b
    confirm the details\b|allow me to\b|bear with me\b
    (?<!if )you (?:would )?(?:want|like|wish) to (?:{ACT}|include|proceed)\b
    as your \w* ?assistant\b|you (?:would )?{_WISH} me to\b
    i am (?:always )?here (?:if|to|when\w*) you\b|hesitate\b
    (?:feel free to|do) (?:ask|reach|let|contact|message)\b|reach out\b|ready when you are\b
    (?<!is )(?:of|any|further|additional|more) (?:\w+ )?(?:help|assistance|service)\b
    i(?: can| will| could| would be)\b[^\n]{{0,40}}\bfor you\b|i will (?:make sure|handle)\b
    (?:apologi[sz]e|apologies|sorry) for (?:the|any) (?:inconv|trouble|confusion|delay|wait|mix)
    i can do (?:it|that|this)\b{NOT_OWN}
    {_SOON}s? (?:to|while i) (?:see|do|{ACT}) (?:for|into|up|through|{IT}|the|your)\b
    i (?:am unable|am not able) to (?:access|assist|help)\b
    i do not have (?:access to|the ability)\b
    """,
)
