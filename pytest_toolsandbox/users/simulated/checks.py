"""Check the utterances of a simulated user for faults, by rules, before they are delivered.

The two published kinds of faults (ToolSandbox, Table 2) are hallucination and instruction
following. The rules find malformed texts, leaked instructions, swapped roles, loops and an early
end, and values, names and texts that the user cannot know.
"""

from __future__ import annotations

import datetime as dt
import re
from calendar import day_abbr, day_name, month_abbr, month_name
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, Final, Literal

from pytest_toolsandbox.text.normal_text import split, typewritten
from pytest_toolsandbox.text.quantities import Meaning, Quantity, quantities_in
from pytest_toolsandbox.users.reading import FUNCTION_WORDS, OFFERS, stem
from pytest_toolsandbox.users.turns import proposals, turn_of

from . import tool_calling_prompt, toolsandbox_prompt
from .utterance import Situation, Utterance, runs, values_of, words

_MAX_LENGTH: Final = 1_000
"""Characters of the longest text that a person would send."""
_LEAKED_RUN: Final = 5
"""The number of consecutive words of an instruction that count as a leak."""
_LABELS: Final = frozenset(split("user simulated scenario instruction prompt goal boundary"))
"""Names of the parts of prompts and scenarios, which a person would not use."""
_REPEATED: Final = 0.7
"""The share of its runs of three words with which a text repeats a message."""
_SHORTEST_REPEATED: Final = 6
"""A text of fewer words may repeat a message by chance; a question needs two words less."""
_MIN_TRIES: Final = 5
"""Messages of the agent after which a user may give up (ToolSandbox, section 2)."""
_MAX_REPETITIONS: Final = 2
"""How often a user may say the same."""

_DATA: Final = re.compile(
    r"\W*|(?:null|undefined|nan|n/a)\W*|\{.*\}|\[.*\]|```.*|\([^)]*\)|\*[^*]*\*",
    re.IGNORECASE | re.DOTALL,
)
_TO_FILL: Final = re.compile(r"[\[{][A-Za-z][\w' -]*[]}]|\bX{3,}\b|\b(\w)\1{0,2}-\1{3,}")
"""A placeholder of a template: ``[your name]``, ``{street}``, ``XXX-XXXX``."""
_MARKUP: Final = re.compile(
    r"\b[^\W\d_]+_\w+|\b\w+\(\w+=|</?\w+>|<\||\|>|\bUser [AB]\b"
    r"|^\W*(?:user|assistant|agent|system|tool|reply)\s*:",
    re.IGNORECASE,
)
"""Names and calls of tools, tags, tokens of a chat template, and speaker labels."""
_PROMPT_RUNS: Final = frozenset[str]().union(
    *(
        runs(words(text), _LEAKED_RUN)
        for prompt in (toolsandbox_prompt, tool_calling_prompt)
        for text in (prompt.INSTRUCTION, prompt.OWN_TOOLS)
    )
)
_FIRST_PERSON: Final = re.compile(r"\b(?:I|I'\w+|my|me)\b|\?\s*$")
_THANKS: Final = frozenset(
    split("""
    thanks thank you so much thx ty great perfect ok okay cool nice awesome bye goodbye cheers got
    it a lot that's all no have good day one appreciate wonderful again very too for everything your
    the help see later soon take care
    """)
)
_NO_TOPIC: Final = FUNCTION_WORDS | {"know", "like", "need", "tell", "want"}


def _malformed(utterance: Utterance, situation: Situation) -> str | None:
    """Return feedback on a text that a person would not send."""
    text = utterance.text or ""
    if len(text) > _MAX_LENGTH:
        return f"That has over {_MAX_LENGTH} characters."
    if _DATA.fullmatch(text):
        return "That has no words that a person would send."
    gaps = [gap[0] for gap in _TO_FILL.finditer(text) if gap[0] not in situation.known]
    return f"You left {gaps[0]} to be filled in. Say that you do not know it." if gaps else None


def _leaks(utterance: Utterance, situation: Situation) -> str | None:
    """Return feedback on a text that repeats the prompt or names its parts."""
    text = typewritten(utterance.text or "")
    text_words = words(text)
    names = {word.removesuffix("'s").removesuffix("s") for word in text_words} & _LABELS
    marks = [mark[0] for mark in _MARKUP.finditer(text) if mark[0] not in situation.known]
    if names - {*situation.words} or marks or runs(text_words, _LEAKED_RUN) & _PROMPT_RUNS:
        return "That tells of your instructions, which nobody may hear of."
    return None


def _swaps_roles(utterance: Utterance, situation: Situation) -> str | None:
    """Return feedback on a text that proposes to act, or repeats the agent."""
    text = typewritten(utterance.text or "")
    if any(OFFERS.search(sentence.plain) for sentence in proposals(turn_of(text))):
        return "You offer help: that is the other one's part. You are who wants something."
    if any(_repeats(text, message) for message in situation.agent_messages):
        return "You repeat the other one's words. Say what you want, or what you know."
    return None


def _repeats(text: str, heard: str) -> bool:
    text_words, heard_words = words(text), words(heard)
    if len(text_words) < _SHORTEST_REPEATED - 2 * text.rstrip().endswith("?"):
        return text_words == heard_words and len(text_words) >= _SHORTEST_REPEATED - 2
    parts = runs(text_words, 3)
    is_most = _FIRST_PERSON.search(text) or len(text_words) > len(heard_words) / 2
    return bool(is_most) and len(parts & runs(heard_words, 3)) >= _REPEATED * len(parts)


def _loops(utterance: Utterance, situation: Situation) -> str | None:
    """Return feedback on a text that was said twice, or that only thanks again."""
    gist, before = _gist(utterance.text or ""), [*map(_gist, situation.own_messages)]
    if before.count(gist) >= _MAX_REPETITIONS or (gist in before[1:] and gist <= _THANKS):
        return "You have said that already. Say something else, or end the conversation."
    if before and gist and gist <= _THANKS and before[-1] <= _THANKS:
        return "You have thanked already. End the conversation."
    return None


def _gist(text: str) -> frozenset[str]:
    text_words = frozenset(words(text))
    return text_words - FUNCTION_WORDS or text_words


def _ends_early(utterance: Utterance, situation: Situation) -> str | None:
    """Return feedback on an early end of the conversation."""
    is_done = utterance.reason in (None, "done")
    if is_done and situation.open_goals:
        return f"You have not asked for this yet: {', '.join(situation.open_goals)}."
    if utterance.reason == "handed_over" or len(situation.agent_messages) >= _MIN_TRIES:
        return None
    turn = turn_of(situation.agent_messages[-1] if situation.agent_messages else "")
    if is_done and turn.announces:
        return "The other one is still at it. Let it go on."
    if turn.questions and is_done:
        return "You were asked something. Answer it."
    if turn.questions and _topics(turn.punctuated) & _topics(situation.knowledge.text):
        return "You were asked something that you know. Answer it."
    return None


def _topics(text: str) -> set[str]:
    return {stem(word) for word in words(text) if word not in _NO_TOPIC}


_WORLD_RUN: Final = 4
"""The number of consecutive words of a text of the world that show knowledge of it."""
_COUNTED: Final = 10
"""Up to this number, a number in words may count known things: ``the other three``."""

_DAY: Final = 86_400
_NUMBER: Final = re.compile(r"(?<![\w.,:])\+?\d(?:[\d ().-]|,(?=\d)){2,}\d(?![\w:])")
_LOCAL: Final = 9
"""The digits of a phone number without its country code."""
_QUOTED: Final = re.compile(
    r"\"([^\"]{4,})\"|(?<!\w)'(?!(?:til|cause|n|em|bout|round|ol)\b)(\w[^'\n]{3,})(?<!s)'(?!\w)"
)
_ADDRESS: Final = re.compile(
    r"[\w.+-]+@[\w.-]+|(?:(?<=://)|\b(?=www\.))[^\s,;<>()]+"
    r"|(?<![\w.-])[\w-]+\.(?:com|org|net|edu|gov|io)\b(?:/[^\s,;<>()]*)?"
)
_NAME: Final = re.compile(r"(?<![\w'])[^\W\d_a-z][^\W\d_A-Z]{2,}")
_FULL_NAME: Final = re.compile(r"(?:[A-Z][a-z]{3,}\.? )+[A-Z][a-z]{3,}")
_BEGINS: Final = re.compile(r"(?:^|[.!?:\u2026\n])[\s\"'(*-]*$")
_COMMON_NAMES: Final = frozenset(
    split("""
    wifi google siri celsius fahrenheit america american california britain england english europe
    european xmas christmas states tues thur thurs sept ave mum mom dad
    """)
).union(map(str.casefold, chain(day_name, day_abbr, month_name, month_abbr)))
"""Names that everyone knows."""


def _invents(utterance: Utterance, situation: Situation) -> str | None:
    """Return feedback on a text with values, names or texts that the user does not know."""
    text = typewritten(utterance.text or "")
    values = [value.written for value in _values(text, situation)]
    unknown = dict.fromkeys((*values, *_names(text, situation), *_texts(text, situation)))
    if listed := ", ".join(unknown):
        return f"You do not know this: {listed}. Say only what you know, or that you do not know."
    return None


def _knows_world(utterance: Utterance, situation: Situation) -> str | None:
    """Return feedback on a text with information that only the world has."""
    text = typewritten(utterance.text or "")
    text_words, there, known = words(text), {*situation.words}, f" {' '.join(situation.words)} "
    read = frozenset().union(*(runs(text_words, length) for length in range(1, _WORLD_RUN + 1)))
    secrets = [
        run
        for run in sorted(read & _runs_in(situation.world), key=lambda run: (-len(run), run))
        if f" {run} " not in known and (run.count(" ") == _WORLD_RUN - 1 or {*run.split()} - there)
    ]
    if values := _values(text, situation):
        numbers = {meaning for meaning in values_of(situation.world) if meaning[0] == "call"}
        secrets += [value.written for value in values if not value.asked.isdisjoint(numbers)]
    if not secrets:
        return None
    return f"You cannot know this: {secrets[0]}. It was neither told to you nor said."


def _values(text: str, situation: Situation) -> list[Quantity]:
    """Return the numbers, dates and times that are neither known nor near known ones."""
    for number in _NUMBER.findall(text):
        known_digits = re.sub(r"(?<=\d)[ ().,-]+(?=\d)", "", situation.known)
        if re.sub(r"\D", "", number)[-_LOCAL:] in known_digits:
            text = text.replace(number, "")
    values = [value for value in quantities_in(text) if value.asked]
    known = values_of(situation.lines) if values else frozenset()
    has_days = any("date" in str(meaning[0]) or _lasts_days(meaning) for meaning in known)
    return [
        value
        for value in values
        if value.asked.isdisjoint(known | _near(known))
        and not (value.written.isalpha() and all(map(_only_counts, value.asked)))
        and not (has_days and any(map(_lasts_days, value.asked)))
        and value.written.casefold() not in situation.words
    ]


def _only_counts(meaning: tuple[Any, ...]) -> bool:
    kind, size, *_ = meaning
    return kind == "single" or (kind in ("number", "ordinal") and bool(size <= _COUNTED))


def _lasts_days(meaning: tuple[Any, ...]) -> bool:
    """Return whether it is a duration of days: people round these, and count to a date."""
    return meaning[0] == "months" or (meaning[0] == "seconds" and bool(meaning[1] >= _DAY))


@lru_cache(maxsize=256)
def _near(known: frozenset[tuple[Any, ...]]) -> frozenset[Meaning]:
    """Return today, the neighbours of known dates, and the hours of known times as numbers."""
    near: set[Meaning] = {("day", "today")}
    for kind, *numbers in known:
        if kind == "time":
            near.add(("number", numbers[0] // 3600 % 12 or 12))
        elif "date" in kind:
            day = dt.date(2000, *numbers[-2:])  # a leap year
            for neighbour in (day - dt.timedelta(1), day, day + dt.timedelta(1)):
                near |= {("date", neighbour.month, neighbour.day), ("ordinal", neighbour.day)}
    return frozenset(near)


def _names(text: str, situation: Situation) -> Iterator[str]:
    """Yield unknown capitalized words within sentences."""
    known = _COMMON_NAMES.union(re.findall(r"[^\W\d_]+", situation.known.casefold()))
    for match in _NAME.finditer("" if text.isupper() else text):
        name = match[0].casefold()
        if not _BEGINS.search(text[: match.start()]) and not {name, name.removesuffix("s")} & known:
            yield name


def _texts(text: str, situation: Situation) -> Iterator[str]:
    """Yield unknown email and web addresses, and unknown quotations of several words."""
    for written in _ADDRESS.findall(text.casefold()):
        address = written.removeprefix("www.").rstrip("./?!:'\"")
        if address not in situation.known.casefold():
            yield address
    for quoted in map(words, map("".join, _QUOTED.findall(text))):
        if len(quoted) > 1 and {*quoted} - FUNCTION_WORDS - {*situation.words}:
            yield " ".join(quoted)


@lru_cache(maxsize=64)
def _runs_in(world: tuple[str, ...]) -> frozenset[str]:
    """Return the short texts of the world, the words of its names, and runs of long texts."""
    world_runs = set[str]()
    for text in world:
        text_words = words(text)
        if len(text) >= _WORLD_RUN and re.search(r"\W|\d|^[^a-z]", text):  # no single common word
            world_runs |= runs(text_words, min(len(text_words), _WORLD_RUN))
        world_runs.update(text_words if _FULL_NAME.fullmatch(text) else ())
    return frozenset(world_runs)


FaultKind = Literal[
    "malformed", "call", "leak", "roles", "invention", "world", "early_end", "loop", "reviewed"
]
_PublishedKind = Literal["hallucination", "instruction_following"]
_Effect = Literal["helped", "hindered"]

WHAT: Final[Mapping[FaultKind, str]] = {
    "malformed": "said nothing that could be delivered",
    "call": "called a tool of its own wrongly",
    "leak": "told of its instructions",
    "roles": "fell out of its role",
    "invention": "made something up",
    "world": "told what only the world knows",
    "early_end": "ended too early",
    "loop": "went in circles",
    "reviewed": "was at fault by its review",
}
"""The descriptions of faults, which follow "the user"."""
_HALLUCINATIONS: Final[frozenset[FaultKind]] = frozenset(("invention", "world"))
_HELPING: Final[frozenset[FaultKind]] = frozenset(("leak", "world"))
"""The faults that tell the agent what it should find out itself; the others hinder it."""


@dataclass(frozen=True)
class UserFault:
    """A fault in an utterance; ``feedback`` is sent to the model.

    It is ``left`` if the utterance was delivered anyway. ``reviewed`` is the published kind of a
    fault that a reviewer found.
    """

    kind: FaultKind
    feedback: str
    utterance: str
    left: bool = False
    reviewed: _PublishedKind | None = None

    @property
    def what(self) -> str:
        """The description of the fault."""
        return WHAT[self.kind]

    @property
    def published_kind(self) -> _PublishedKind:
        """The kind in Tables 2 and 3."""
        if self.reviewed:
            return self.reviewed
        return "hallucination" if self.kind in _HALLUCINATIONS else "instruction_following"

    @property
    def effect(self) -> _Effect:
        """Whether the fault makes the agent's task easier or harder."""
        return "helped" if self.kind in _HELPING else "hindered"


def fault_in(utterance: Utterance, situation: Situation) -> UserFault | None:
    """Return the first fault of an utterance."""
    rules: _Rules = {"early_end": _ends_early} if utterance.ends else _TEXT_RULES
    for kind, rule in rules.items():
        if feedback := rule(utterance, situation):
            return UserFault(kind, feedback, utterance.text or f"(ends: {utterance.reason})")
    return None


_Rules = Mapping[FaultKind, Callable[[Utterance, Situation], str | None]]
_TEXT_RULES: Final[_Rules] = {
    "malformed": _malformed,
    "leak": _leaks,
    "roles": _swaps_roles,
    "world": _knows_world,
    "invention": _invents,
    "loop": _loops,
}
