"""What is kept of a model's message, and what of it is a thought."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

from rows import every

from pytest_toolsandbox.models.reasoning import as_sent, reasoning_in, whole_message

THINKING = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
MARKED = [THINKING, {"type": "text", "text": "Two."}]
FUNCTION = {"name": "find", "arguments": "{}"}


def calling(**fields: Any) -> dict[str, Any]:
    call = {"id": "c", "type": "function", "function": FUNCTION, **fields}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


@every(
    ("message", "thought"),
    [
        *(
            ({"content": "Two.", **fields}, "Hm.")
            for fields in (
                {"reasoning_content": "Hm."},
                {"reasoning": "Hm."},
                {"reasoning": " ", "reasoning_details": [{"text": "Hm."}, {"data": "abc"}]},
                {"reasoning_items": [{"summary": [{"text": "Hm."}], "encrypted_content": "abc"}]},
                {"thinking_blocks": [{"thinking": "Hm.", "signature": "abc"}]},
                {"content": MARKED},
            )
        ),
        ({"content": "Two.", "written": "Hm.</think>Two."}, "Hm.</think>"),
        ({"content": "Two.", "written": MARKED}, "Hm."),
        # encrypted or signed
        ({"content": [{"type": "redacted_thinking", "data": "abc"}]}, ""),
        ({"reasoning_details": [{"type": "reasoning.encrypted", "data": "abc"}]}, ""),
        ({"reasoning": True}, ""),
        (calling(extra_content={"google": {"thought_signature": "abc"}}), ""),
        (
            calling(function={**FUNCTION, "provider_specific_fields": {"thought_signature": "a"}}),
            "",
        ),
        # none
        ({"content": "I am thinking."}, None),
        ({"content": "Two.", "reasoning_content": "", "thinking_blocks": []}, None),
        (calling(function={"name": "thought", "arguments": {"reasoning": "Hm."}}), None),
        (calling(index=0), None),
        ("Two.", None),
        ({"content": 3, "tool_calls": 3}, None),
    ],
)
def test_thoughts(message: Any, thought: str | None) -> None:
    assert reasoning_in(message) == thought


def completed(**message: Any) -> Any:
    return SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(**message))])


@every(
    ("raw", "translated", "whole"),
    [
        # a client that knows the blocks makes them again; else they go back as they came
        ({"content": MARKED}, {"reasoning_content": "Hm."}, {"reasoning_content": "Hm."}),
        ({"content": MARKED}, {}, {"written": MARKED}),
        ({"content": "Two.", "mood": "good"}, {"mood": "bad"}, {"mood": "good"}),
        # what says something else is none of the message
        ({"content": "<think>Hm.</think>Three."}, {}, {}),
    ],
)
def test_what_is_kept(
    raw: dict[str, Any], translated: dict[str, Any], whole: dict[str, Any]
) -> None:
    answer = {"role": "assistant", "content": "Two."}
    reply = json.dumps({"choices": [{"message": {"role": "assistant", **raw}}]})
    kept = whole_message(answer, completed(content="Two.", **translated), reply)
    assert kept == {**answer, **whole}
    sent = {name: value for name, value in whole.items() if name != "written"}
    assert as_sent(kept) == {**answer, **sent, "content": whole.get("written", "Two.")}
