"""Tool calls in the text of a reply, for models without native tool calls (SpecTool, section 4).

Calls are read as ``Action: … Action Input: …``, in one line or two, with or without asterisks,
brackets and fences, or in the layout of a model (``model_layouts.py``). The module also has the
instructions for such models, and recognizes calls in texts to the user.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .model_layouts import calls_in_layouts

_LONGEST: Final = 2_000
"""Characters of arguments that are searched."""

_BEGIN: Final = r"^[^\w\n]*(?:\w+\s*=\s*|await\s+|return\s+|print\()*(?:\w+\.)*"
"""What may precede a call in a line."""

_MARKS: Final = re.compile(
    r"(?i:<\|?/?(?:tool_calls?|tool_use|function_calls?|python_tag|invoke)\b"
    r"|\[TOOL_CALLS\]|<<function>>)"
    r"|\bAction Input[^\w\n]*:"
)
"""Marks that only models write, such as ``<tool_call>``, ``[TOOL_CALLS]`` or ``Action Input:``."""
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
    """Whether a text has a call of one of these tools: as JSON, code, tags or an action.

    The name of a tool in a sentence is not a call.
    """
    if _MARKS.search(text):
        return True
    named = [name for name in names if name in text]  # most texts name no tool: nothing to compile
    either = "|".join(map(re.escape, named))
    return bool(named) and any(
        re.search(form.replace("NAME", either), text, re.MULTILINE) for form in _FORMS
    )


OBSERVATION: Final = "Observation: "
"""The mark before the result of a call."""

_NAME: Final = r"\S{1,200}|\w[\w.-]*(?:[ \t]+(?!Action:)[\w.-]+){1,9}?"
"""The name of a tool; a wrong name may have spaces."""

_WORD: Final = r"\*{0,3}Action\*{0,3}:\*{0,3}\s*"
_INPUT: Final = r"\*{0,3}Action Input\*{0,3}:\*{0,3}\s*(?:```(?:json)?\s*)?"
_CALL: Final = re.compile(rf"{_WORD}({_NAME})(?:\s+with\s+|[^\S\n]*\n\s*){_INPUT}")
"""What precedes arguments: SpecTool's prompt has a line (table 8), its trajectory two (table 9)."""
_ACTION_LIKE: Final = re.compile(
    r"^[ \t]*Action\b.*\{"  # but not: Action items for today
    r"|\bAction Input\b"
    r"|(?i:^[^\w\n]*action[^\w\n]*:)"
    r"|(?i:\baction input\s*:)",  # but not: No action input is needed
    re.MULTILINE,
)
_INVENTED_RESULT: Final = re.compile(r"^[ \t]*Observation:", re.MULTILINE)


@dataclass(frozen=True)
class TextFormat:
    """How calls are written in a text, and how that is explained to a model.

    ``between`` separates name and arguments; ``answer`` marks a text to the user. ``always`` is
    the rule if each reply must call a tool, ``sometimes`` the rule if it need not; ``thought``
    precedes the form, and ``thoughts`` precede the three replies of the example.
    """

    between: str
    lines: str
    always: str
    sometimes: str
    thoughts: tuple[str, str, str]
    thought: str = ""
    answer: str = ""

    @property
    def form(self) -> str:
        """The form of a call."""
        return f"Action: NAME{self.between}Action Input: {{JSON}}"

    def marked(self, answer: str) -> str:
        """Return a text to the user with its mark, if it needs one."""
        return f"{self.answer} {answer}" if self.answer else answer


TEXT: Final = TextFormat(
    between=" with ",
    lines="a line of this form, with",
    always="Every reply must have such a line. The last one calls finish with the answer.",
    sometimes="A reply without such a line goes to the user.",
    thoughts=("", "The north pier is longer. ", ""),
)
"""SpecTool's format (section 4)."""
REACT: Final = TextFormat(
    between="\n",
    lines="lines of this form, with what you think,",
    always="Every reply must have such lines. The last one calls finish with the answer.",
    sometimes="To speak to the user, write 'Final Answer:' and what you say instead of an action.",
    thoughts=(
        "Thought: I have to know which pier is the longer one.\n",
        "Thought: The north pier is longer.\n",
        "Thought: I know the number.\n",
    ),
    thought="Thought: …\n",
    answer="Final Answer:",
)
"""ReAct's format (Yao et al. 2023), which ToolSandbox compares in its table 9."""
TEXT_FORMATS: Final = {"text": TEXT, "react": REACT}
"""``call_format`` → format."""


@dataclass(frozen=True)
class CallText:
    """A reply that was read: the text before its calls, and name and arguments of each call."""

    before: str
    calls: tuple[tuple[str, str], ...]


def call_text(name: str, arguments: str, text_format: TextFormat = TEXT) -> str:
    """Write a call with its arguments in JSON; an unreadable call, without a name, as it is."""
    if not name:
        return arguments
    return f"Action: {name}{text_format.between}Action Input: {arguments or '{}'}"


def read_call_text(
    text: str, *, must_call: bool, text_format: TextFormat = TEXT
) -> CallText | None:
    """Return the calls in a text, or ``None`` if none can be read although one is begun or due.

    Results that the model invents do not count. Arguments are kept as they are, JSON or not. An
    unreadable call beside readable ones has an empty name.
    """
    invented = _INVENTED_RESULT.search(text)
    agent_text = text[: invented.start()] if invented else text
    first = _CALL.search(agent_text)
    if first is None:
        start, calls = calls_in_layouts(agent_text)
        if calls:
            return CallText(agent_text[:start].strip(), tuple(calls))
        if must_call or _ACTION_LIKE.search(agent_text):
            return None
        _, mark, answer = (
            agent_text.partition(text_format.answer) if text_format.answer else ("", "", "")
        )
        return CallText((answer if mark else agent_text).strip(), ())
    before = agent_text[: first.start()].strip()
    before = "" if _ACTION_LIKE.search(before) else before
    return CallText(before, tuple(_calls(agent_text, first)))


def invents_result(text: str) -> bool:
    """Whether a model wrote the result of its call itself."""
    return _INVENTED_RESULT.search(text) is not None


def with_call_text(
    messages: Sequence[Mapping[str, Any]], text_format: TextFormat = TEXT
) -> list[dict[str, Any]]:
    """Return the messages with calls and their results as texts."""
    return [_as_text(message, text_format) for message in messages]


def _calls(text: str, first: re.Match[str]) -> Iterator[tuple[str, str]]:
    """Yield name and arguments of each call; a call inside an argument is not one."""
    place = 0
    match: re.Match[str] | None = first
    while match is not None:
        yield from _unreadable(text[place : match.start()])
        start = match.end()
        end = _end_of_json(text, start)
        following = _CALL.search(text, start if end is None else end)
        if end is None:  # not JSON: everything up to the next call
            end = following.start() if following else len(text)
            yield _bare(match[1], _unescaped(text[start:end].strip()))
        else:
            yield _bare(match[1], text[start:end])
        place, match = end, following
    yield from _unreadable(text[place:])


def _bare(name: str, arguments: str) -> tuple[str, str]:
    """Return name and arguments without the brackets that a model has copied from the form."""
    if not (name.startswith("[") and name.endswith("]")):
        return name.strip("*`"), arguments
    is_bracketed = arguments.startswith("[") and arguments.endswith("]")
    return name[1:-1], arguments[1:-1].strip() if is_bracketed else arguments


def _unescaped(text: str) -> str:
    """Return JSON whose quotes are escaped (SpecTool, table 9), and anything else as it is."""
    try:
        inner = json.loads(f'"{text}"', strict=False)
        json.loads(inner)
    except (ValueError, RecursionError):
        return text
    return str(inner)


def _unreadable(text: str) -> Iterator[tuple[str, str]]:
    """Yield a text between calls if it was begun as a call."""
    if _ACTION_LIKE.search(text):
        yield "", text.strip()


def _end_of_json(text: str, start: int) -> int | None:
    try:
        return json.JSONDecoder().raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return None


def _as_text(message: Mapping[str, Any], text_format: TextFormat) -> dict[str, Any]:
    if message["role"] == "tool":
        return {"role": "user", "content": f"{OBSERVATION}{message['content']}"}
    if not message.get("tool_calls"):
        if message["role"] != "assistant":
            return dict(message)
        return {**message, "content": text_format.marked(message["content"])}
    parts = [message["content"]] if message.get("content") else []
    functions = (call["function"] for call in message["tool_calls"])
    parts += [call_text(f["name"], f["arguments"], text_format) for f in functions]
    return {"role": "assistant", "content": "\n".join(parts)}


def instructions(
    tools: Sequence[Mapping[str, Any]], *, must_call: bool, text_format: TextFormat = TEXT
) -> str:
    """Return how to write calls, with an example and the tools; ``must_call`` in every reply."""
    form = (
        f"You call a tool by writing {text_format.lines} the name of the tool and its arguments "
        f"as a JSON object:\n\n{text_format.thought}{text_format.form}"
    )
    results = (
        f"The result comes in the next message, after {OBSERVATION.strip()!r}; never write that "
        "yourself."
    )
    rule = text_format.always if must_call else text_format.sometimes
    example = _example(text_format, must_call=must_call)
    parts = [form, results, rule, example, f"These are your tools:\n{_definitions(tools)}"]
    return "\n\n".join(parts)


def further_tools(tools: Sequence[Mapping[str, Any]]) -> str:
    """Return what a model is told of tools that it is offered later."""
    return f"You have these tools, too, from now on:\n{_definitions(tools)}"


def _definitions(tools: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join(json.dumps(tool["function"], ensure_ascii=False) for tool in tools)


def _example(text_format: TextFormat, *, must_call: bool) -> str:
    first, second, last = text_format.thoughts
    answer = text_format.marked("28 lanterns hang on the north pier, which is the longer one.")
    if must_call:
        answer = call_text("finish", json.dumps({"answer": "28"}), text_format)
    return f"""An example, with tools that you do not have:

The question: How many lanterns hang on the longer of the two piers at Skarvik?
You: {first}{call_text("list_piers", '{"harbour": "Skarvik"}', text_format)}
{OBSERVATION}[{{"pier": "north", "length": 140}}, {{"pier": "west", "length": 95}}]
You: {second}{call_text("count_lanterns", '{"pier": "north"}', text_format)}
{OBSERVATION}28
You: {last}{answer}"""
