"""Tools and calls of the user, as a scenario has them, and what is wrong with them."""

from __future__ import annotations

import pytest
from handset import ABROAD, scenario
from rows import every

from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.roles import ToolStep
from pytest_toolsandbox.language.values import FromResult

ALL = ("set_airplane_mode", "check_signal", "write_down")
PLAIN = "world: handset\nprotected: [note]\n"


def test_the_user_has_the_tools_that_are_listed_or_all() -> None:
    plain = PLAIN + "user: {opening: Hi.}\n"
    assert scenario(plain).task.user_tools == ALL
    assert scenario(plain + "user_tools: [check_signal]").task.user_tools == ("check_signal",)
    assert scenario(plain + "user_tools: []").task.user_tools == ()
    assert [*scenario().user_tool_views] == [*ALL]
    assert {*ALL}.isdisjoint(scenario().tool_views)


def test_a_reply_has_calls_and_may_say_a_result() -> None:
    script = scenario().task.user_script
    assert script.opening == "My phone has no service in Portugal."
    assert script.opening_calls == (ToolStep("check_signal", {}),)
    (reply,) = script.replies
    off = ToolStep("set_airplane_mode", {"on": False})
    assert reply.calls == (off, ToolStep("check_signal", {}))
    assert reply.say == FromResult("check_signal", "text", "Done. It says {} now.")


def test_arguments_may_come_from_results() -> None:
    (reply,) = scenario(
        PLAIN + "user: {opening: {say: Hi., do: [check_signal]}, replies: "
        "[{say: I wrote it down., do: [write_down: {text: $check_signal.text}]}]}"
    ).task.user_script.replies
    assert reply.calls[0].arguments == {"text": FromResult("check_signal", "text")}


@every(
    ("user", "line"),
    [
        (
            "opening: {say: Hi., do: [check_sinal]}",
            "opening.do[0].check_sinal: unknown tool 'check_sinal'; did you mean 'check_signal'?",
        ),
        (
            "opening: {say: Hi., do: [set_airplane_mode]}",
            "opening.do[0].set_airplane_mode: the argument 'on' is missing",
        ),
        (
            "opening: {say: Hi., do: [{set_airplane_mode: {on: 3}}]}",
            "opening.do[0].set_airplane_mode.on: expected true or false, found the number 3",
        ),
        (
            "opening: {say: Hi., do: [{set_airplane_mode: {off: true, on: true}}]}",
            "opening.do[0].set_airplane_mode.off: unknown argument 'off' of set_airplane_mode",
        ),
        (
            "opening: {say: Hi., do: [allow_roaming: {on: true}]}",
            "opening.do[0].allow_roaming: allow_roaming is a tool of the agent, which the user ca",
        ),
        (
            "opening: {say: Hi., do: [3]}",
            "opening.do[0]: expected one tool of the user with its arguments; found the n",
        ),
        ("opening: {say: Hi., do: check_signal}", "opening.do: expected a list, found "),
        ("opening: {do: [check_signal]}", "opening.say: this key is missing"),
        ("opening: {say: '', do: []}", "opening.say: expected what the user says first;"),
        ("opening: [Hi.]", "opening: expected text, or a mapping with say and do; found a list"),
        (
            "opening: Hi., replies: [{say: {from: {call: check_signal}}}]",
            "replies[0].say.from.call: no step before this one calls check_signal; call it first",
        ),
        (
            "opening: Hi., replies: [{say: {of: x}, do: [check_signal]}]",
            "replies[0].say: expected a text, or a mapping with from; found",
        ),
        ("opening: Hi., replies: [{say: 3}]", "replies[0].say: expected a text, or a mapping"),
        (
            "opening: Hi., replies: [{say: A., do: [write_down: {text: $look_up_line}]}]",
            "replies[0].do[0].write_down.text.call: unknown earlier call 'look_up_line'",
        ),
    ],
)
def test_mistakes(user: str, line: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario(PLAIN + f"user: {{{user}}}\n")
    (text,) = str(caught.value).splitlines()
    assert text.startswith("abroad.yaml:3:")
    assert f": user.{line}" in text


@pytest.mark.parametrize(
    ("tools", "line"),
    [
        ("[check_sinal]", "user_tools[0]: unknown user tool 'check_sinal'; did you mean"),
        ("[allow_roaming]", "user_tools[0]: unknown user tool 'allow_roaming' (allowed: set_"),
        ("[check_signal, check_signal]", "user_tools[1]: 'check_signal' is listed twice"),
    ],
)
def test_tools_that_no_user_has(tools: str, line: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario(PLAIN + f"user: {{opening: Hi.}}\nuser_tools: {tools}\n")
    assert f"abroad.yaml:4:{line}" in str(caught.value).replace(":14: ", ":").replace(":28: ", ":")


def test_a_script_calls_only_what_this_user_has() -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario(ABROAD + "user_tools: [check_signal]\n")
    assert str(caught.value) == (
        "abroad.yaml:9:11: user.replies[0].do[0].set_airplane_mode: "
        "the user does not have set_airplane_mode; check user_tools"
    )
