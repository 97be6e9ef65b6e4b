"""Tool calls in the text of a reply, for models that know no other way (SpecTool, section 4).

They are read in the layouts in which models write them: with asterisks or brackets around the
words, with JSON in a fence, or as a block of JSON in a fence or in ``<tool_call>``.

Calls as blocks of JSON in a text: in ``<tool_call>``, as Hermes writes them, or in a fence.

Calls that an agent writes into what it says, where they are executed by nobody.

What an agent is told that has to write its calls.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

_BLOCK: Final = re.compile(
    r"<tool_call>\s*(?P<tagged>.*?)\s*(?:</tool_call>|\Z)|```\w*\s*\n(?P<fenced>.*?)```", re.DOTALL
)
_NAMES: Final = ("name", "action", "tool", "function", "tool_name")
_ARGUMENTS: Final = ("arguments", "action_input", "parameters", "args", "input")
"""Keys under which models write the name of a tool and its arguments."""


def block_calls(text: str) -> tuple[int, list[tuple[str, str]]]:
    """Return where the first block with a call begins, and name and arguments of each call.

    A fence is such a block where its JSON has a name and arguments; ``<tool_call>`` always is. A
    call in it that cannot be read has no name, and its text as arguments.
    """
    found = [(block.start(), list(_text_blocks_calls(block))) for block in _BLOCK.finditer(text)]
    found = [(start, calls) for start, calls in found if calls]
    return (found[0][0] if found else 0), [call for _, calls in found for call in calls]


def _text_blocks_calls(block: re.Match[str]) -> Iterator[tuple[str, str]]:
    is_tagged = block["tagged"] is not None
    content = block["tagged"] if is_tagged else block["fenced"]
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        value = None
    for one in value if isinstance(value, list) else [value]:
        if call := _call(one):
            yield call
        elif is_tagged:
            yield "", content


def _call(value: Any) -> tuple[str, str] | None:
    if not isinstance(value, Mapping):
        return None
    name = next((value[key] for key in _NAMES if key in value), None)
    arguments = next((value[key] for key in _ARGUMENTS if key in value), None)
    if not isinstance(name, str) or arguments is None:
        return None
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return name, text


_LONGEST: Final = 2_000
"""How many characters of arguments are looked at."""

_BEGIN: Final = r"^[^\w\n]*(?:\w+\s*=\s*|await\s+|return\s+|print\()*(?:\w+\.)*"
"""What may stand before a call in a line."""

_MARKS: Final = re.compile(
    r"(?i:<\|?/?(?:tool_calls?|tool_use|function_calls?|python_tag|invoke)\b|\[TOOL_CALLS\])"
    r"|\bAction Input[^\w\n]*:"
)
"""What only models write: ``<tool_call>``, ``[TOOL_CALLS]``, ``Action Input:``."""
_FORMS: Final = (
    # {"name": "weigh", "arguments": {...}} and {"weigh": {...}}
    r"""["'](?:name|tool|function|action|tool_name|function_name)["']\s*:\s*["'](?:NAME)["']""",
    r"""["'](?:NAME)["']\s*:\s*\{""",
    # weigh(name="rice") in a line of its own, assigned or printed
    rf"{_BEGIN}(?:NAME)\((?:[^()]|\([^()]*\)){{0,{_LONGEST}}}\)(?:[^\w\n]*$|,\s*(?:NAME)\()",
    # <function=weigh>, <weigh>
    r"<(?:function=)?(?:NAME)\b",
    # Action: weigh
    r"^[^\w\n]*Action[^\w\n]*:[^\w\n]*(?:NAME)\b",
)


def is_spoken_call(text: str, names: Iterable[str]) -> bool:
    """Whether a text has a call of a tool of these names: as JSON, code, tags or an action.

    A text that speaks of a tool, or names it in a sentence, has none.
    """
    if _MARKS.search(text):
        return True
    named = [name for name in names if name in text]  # before anything has to be compiled
    either = "|".join(map(re.escape, named))
    return bool(named) and any(
        re.search(form.replace("NAME", either), text, re.MULTILINE) for form in _FORMS
    )


OBSERVATION: Final = "Observation: "
"""What stands before the result of a call."""

_NAME: Final = r"\S{1,200}|\w[\w.-]*(?:[ \t]+(?!Action:)[\w.-]+){1,9}?"
"""A wrong one may have spaces."""

_WORD: Final = r"\*{0,3}Action\*{0,3}:\*{0,3}\s*"
_INPUT: Final = r"\*{0,3}Action Input\*{0,3}:\*{0,3}\s*(?:```(?:json)?\s*)?"
_ACTION_LIKE: Final = re.compile(
    r"^[ \t]*Action\b.*\{"  # but not: Action items for today
    r"|\bAction Input\b"
    r"|(?i:^[^\w\n]*action[^\w\n]*:)"
    r"|(?i:\baction input\s*:)",  # but not: No action input is needed
    re.MULTILINE,
)
_MADE_UP: Final = re.compile(r"^[ \t]*Observation:", re.MULTILINE)


@dataclass(frozen=True)
class TextFormat:
    """How calls are written: what stands between name and arguments, and before an answer."""

    between: str
    pattern: re.Pattern[str]
    answer: str = ""

    @property
    def form(self) -> str:
        """How a call is written."""
        return f"Action: NAME{self.between}Action Input: {{JSON}}"

    def marked(self, answer: str) -> str:
        """Return how words to the user are written."""
        return f"{self.answer} {answer}" if self.answer else answer


TEXT: Final = TextFormat(" with ", re.compile(rf"{_WORD}({_NAME})\s+with\s+{_INPUT}"))
"""SpecTool's (section 4)."""
REACT: Final = TextFormat(
    "\n",
    re.compile(rf"{_WORD}({_NAME})(?:\s+with\s+|[^\S\n]*\n\s*){_INPUT}"),
    "Final Answer:",
)
"""ReAct's (Yao et al. 2023), which ToolSandbox compares in its table 9."""
TEXT_FORMATS: Final = {"text": TEXT, "react": REACT}
"""``call_format`` → how calls are written."""


@dataclass(frozen=True)
class CallText:
    """A reply that was read: what is said before its calls, and name and arguments of each."""

    said: str
    calls: tuple[tuple[str, str], ...]


def call_text(name: str, arguments: str, written: TextFormat = TEXT) -> str:
    """Write a call, whose arguments are JSON; one without a name as it was written."""
    if not name:
        return arguments
    return f"Action: {name}{written.between}Action Input: {arguments or '{}'}"


def read_call_text(text: str, *, must_call: bool, written: TextFormat = TEXT) -> CallText | None:
    """Return the calls in a text, or ``None`` where one was begun, or is due, and none can be read.

    What a model makes up of the results does not count. Arguments are kept as they stand there,
    JSON or not. An unreadable call beside readable ones has no name.
    """
    invented = _MADE_UP.search(text)
    own = text[: invented.start()] if invented else text
    first = written.pattern.search(own)
    if first is None:
        start, blocks = block_calls(own)
        if blocks:
            return CallText(own[:start].strip(), tuple(blocks))
        if must_call or _ACTION_LIKE.search(own):
            return None
        return CallText(_answer(own, written), ())
    before = own[: first.start()].strip()
    said = "" if _ACTION_LIKE.search(before) else before
    return CallText(said, tuple(_calls(own, first, written)))


def _answer(text: str, written: TextFormat) -> str:
    """Return what goes to the user: all of it, or what stands behind the mark."""
    _, mark, answer = text.partition(written.answer) if written.answer else ("", "", "")
    return (answer if mark else text).strip()


def with_call_text(
    messages: Sequence[Mapping[str, Any]], written: TextFormat = TEXT
) -> list[dict[str, Any]]:
    """Return messages in which calls and their results are texts."""
    return [_written(message, written) for message in messages]


def _calls(text: str, first: re.Match[str], written: TextFormat) -> Iterator[tuple[str, str]]:
    """Yield name and arguments of each call; an argument may look like a call itself."""
    place = 0
    match: re.Match[str] | None = first
    while match is not None:
        yield from _unreadable(text[place : match.start()])
        start = match.end()
        end = _end_of_json(text, start)
        following = written.pattern.search(text, start if end is None else end)
        if end is None:  # all that stands there, since it is no JSON
            end = following.start() if following else len(text)
        yield _bare(match[1], text[start:end].strip())
        place, match = end, following
    yield from _unreadable(text[place:])


def _bare(name: str, arguments: str) -> tuple[str, str]:
    """Return name and arguments without the brackets that a model has copied from a form."""
    if not (name.startswith("[") and name.endswith("]")):
        return name.strip("*`"), arguments
    is_bracketed = arguments.startswith("[") and arguments.endswith("]")
    return name[1:-1], arguments[1:-1].strip() if is_bracketed else arguments


def _unreadable(text: str) -> Iterator[tuple[str, str]]:
    """Yield a text beside calls that was begun as one, too."""
    if _ACTION_LIKE.search(text):
        yield "", text.strip()


def _end_of_json(text: str, start: int) -> int | None:
    try:
        return json.JSONDecoder().raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return None


def _written(message: Mapping[str, Any], written: TextFormat) -> dict[str, Any]:
    if message["role"] == "tool":
        return {"role": "user", "content": f"{OBSERVATION}{message['content']}"}
    if not message.get("tool_calls"):
        if message["role"] != "assistant":
            return dict(message)
        return {**message, "content": written.marked(message["content"])}
    functions = (call["function"] for call in message["tool_calls"])
    calls = [call_text(one["name"], one["arguments"], written) for one in functions]
    said = [message["content"]] if message.get("content") else []
    return {"role": "assistant", "content": "\n".join([*said, *calls])}


_NEVER: Final = (
    f"The result comes in the next message, after {OBSERVATION.strip()!r}; never write that "
    "yourself."
)
_TOLD: Final = "28 lanterns hang on the north pier, which is the longer one."


@dataclass(frozen=True)
class _Told:
    """How a format is explained: the rule where each reply must call, and where it need not."""

    form: str
    always: str
    sometimes: str
    thoughts: tuple[str, str, str]


_EXPLAINED: Final = {
    TEXT: _Told(
        "You call a tool by writing a line of this form, with the name of the tool and its "
        f"arguments as a JSON object:\n\n{TEXT.form}\n\n{_NEVER}",
        "Every reply must have such a line. The last one calls finish with the answer.",
        "A reply without such a line goes to the user.",
        ("", "The north pier is longer. ", ""),
    ),
    REACT: _Told(
        "You call a tool by writing lines of this form, with what you think, the name of the tool "
        f"and its arguments as a JSON object:\n\nThought: …\n{REACT.form}\n\n{_NEVER}",
        "Every reply must have such lines. The last one calls finish with the answer.",
        f"To speak to the user, write {REACT.answer!r} and what you say instead of an action.",
        (
            "Thought: I have to know which pier is the longer one.\n",
            "Thought: The north pier is longer.\n",
            "Thought: I know the number.\n",
        ),
    ),
}


def instructions(
    tools: Sequence[Mapping[str, Any]], *, must_call: bool, written: TextFormat = TEXT
) -> str:
    """Return how calls are written, an example and the tools; ``must_call`` in every reply."""
    told = _EXPLAINED[written]
    rule = told.always if must_call else told.sometimes
    listed = "\n".join(json.dumps(tool["function"], ensure_ascii=False) for tool in tools)
    example = _example(written, told, must_call=must_call)
    return "\n\n".join([told.form, rule, example, f"These are your tools:\n{listed}"])


def _example(written: TextFormat, told: _Told, *, must_call: bool) -> str:
    first, second, last = told.thoughts
    finish = call_text("finish", json.dumps({"answer": "28"}), written)
    return f"""An example, with tools that you do not have:

The question: How many lanterns hang on the longer of the two piers at Skarvik?
You: {first}{call_text("list_piers", '{"harbour": "Skarvik"}', written)}
{OBSERVATION}[{{"pier": "north", "length": 140}}, {{"pier": "west", "length": 95}}]
You: {second}{call_text("count_lanterns", '{"pier": "north"}', written)}
{OBSERVATION}28
You: {last}{finish if must_call else written.marked(_TOLD)}"""
