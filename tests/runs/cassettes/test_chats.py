"""Messages as a cassette has them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rows import every

from pytest_toolsandbox.runs.cassettes.exchanges import is_reply, read_reply, written_message


def reply(arguments: str, identifier: str = "toolu_1") -> dict[str, Any]:
    function = {"name": "find", "arguments": arguments}
    call = {"id": identifier, "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def arguments_of(message: dict[str, Any]) -> str:
    text: str = message["tool_calls"][0]["function"]["arguments"]
    return text


@pytest.mark.parametrize("text", ['{"name": "Ada", "n": [1, 2.5]}', '{"name":"Ada","n":[1,2.5]}'])
def test_arguments_are_values_however_they_are_spaced(text: str) -> None:
    written = written_message(reply(text))
    assert written == {"calls": [{"find": {"name": "Ada", "n": [1, 2.5]}}]}
    assert arguments_of(read_reply(written, 1)) == '{"name": "Ada", "n": [1, 2.5]}'


@every(
    "text",
    [
        *("", "Ada", '["Ada"]', '{"n": 1e3}', '{"n": NaN}', '{"n": 1, "n": 2}', '{"n": "\\ud83d"}'),
        *('{"n": 1', '{ "n" : 1}', '{"n": "\\u00e9"}', f'{{"n": {"[" * 60}{"]" * 60}}}'),
    ],
)
def test_arguments_that_are_written_in_another_way_stay_text(text: str) -> None:
    written = written_message(reply(text))
    assert written == {"calls": [{"find": text}]}
    assert arguments_of(read_reply(written, 1)) == text


def test_what_a_cassette_has_is_read_back_as_itself() -> None:
    for message in (
        {"assistant": "Yes."},
        {"assistant": "Wait.", "calls": [{"find": {}}, {"find": {"name": "Ada"}}]},
        {"calls": [{"": "no json"}]},
    ):
        assert written_message(read_reply(message, 3)) == message


def test_what_a_model_wants_back_is_beside_what_it_says() -> None:
    signature = "s" * 50
    message = reply('{"name": "Ada"}', f"call__thought__{signature}")
    message["tool_calls"][0] |= {"extra_content": {"google": {"thought_signature": signature}}}
    message |= {"reasoning_content": "Hm.", "written": "<think>Hm.</think>"}
    written = written_message(message)
    assert written == {
        "calls": [{"find": {"name": "Ada"}}],
        "call_fields": [
            {
                "extra_content": {"google": {"thought_signature": signature}},
                "id": f"call__thought__{signature}",
            }
        ],
        "reasoning_content": "Hm.",
        "written": "<think>Hm.</think>",
    }
    assert is_reply(written)
    assert read_reply(written, 1) == message


@pytest.mark.parametrize("fields", [3, [], [3], [{"function": 3}], [{"id": 3}]])
def test_fields_of_calls_that_cannot_be_read(fields: object) -> None:
    assert not is_reply({"calls": [{"find": {}}], "call_fields": fields})


def test_identifiers_are_made_of_places() -> None:
    first = read_reply({"calls": [{"find": {}}, {"find": {}}]}, 4)
    assert [call["id"] for call in first["tool_calls"]] == ["call-4-0", "call-4-1"]


def test_half_characters_and_keys_do_not_enter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "the-planted-token-1")
    message = reply(json.dumps({"the-planted-token-1": "x the-planted-token-1"}))
    message |= {"content": "half \ud83d the-planted-token-1", "name": "the-planted-token-1"}
    assert written_message(message) == {
        "assistant": "half � ***",
        "calls": [{"find": {"***": "x ***"}}],
        "name": "***",
    }
