from __future__ import annotations

from collections.abc import Sequence

import pytest

from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.agent_session import with_identifiers


def identified(own: Sequence[str], taken: Sequence[str] = ()) -> list[str]:
    calls = [ToolCall(identifier, "look", "{}") for identifier in own]
    return [call.identifier for call in with_identifiers(calls, 3, taken)]


@pytest.mark.parametrize("own", ["a", "call_A-1", "toolu_01A09q90qw90lq917835lq9", "x" * 40])
def test_one_that_chat_apis_accept_is_kept(own: str) -> None:
    assert identified([own]) == [own]


@pytest.mark.parametrize("own", ["", "a b", "a.b", "é", "a\n", "x" * 41])
def test_one_that_they_do_not_accept_is_replaced(own: str) -> None:
    assert identified([own]) == ["call-3-0"]


def test_no_two_calls_have_the_same() -> None:
    assert identified(["a", "a", "b"]) == ["a", "call-3-1", "b"]
    assert identified(["a", "b"], taken=["b", "c"]) == ["a", "call-3-1"]


def test_one_that_is_made_up_is_no_other_calls() -> None:
    assert identified(["call-3-1", "call-3-1", ""]) == ["call-3-1", "call-3-1-2", "call-3-2"]
    assert identified(["", ""], taken=["call-3-0", "call-3-0-2"]) == ["call-3-0-3", "call-3-1"]
