"""What an agent is told that has to write its calls."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .text_format import OBSERVATION, REACT, TEXT, TextFormat, call_text

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
