"""Calls in the text of a reply: what is read, and what is written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st
from rows import every
from shipped import scenarios_of

from pytest_toolsandbox.calls.text_format import (
    OBSERVATION,
    REACT,
    TEXT,
    CallText,
    TextFormat,
    call_text,
    instructions,
    is_spoken_call,
    read_call_text,
    with_call_text,
)
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.roles import SayStep
from pytest_toolsandbox.language.values import FromResult
from pytest_toolsandbox.suites import suites_folder

LIST = ("list_items", "{}")
WEIGH = ("weigh", '{"name": "rice"}')


@pytest.mark.parametrize(
    ("text", "spoken", "calls"),
    [
        ('Action: weigh with Action Input: {"name": "rice"}', "", [WEIGH]),
        ('Action:weigh with Action Input:{"name": "rice"}', "", [WEIGH]),
        ('Action: weigh\nwith\nAction Input:\n  {"name": "rice"}\n', "", [WEIGH]),
        (
            "Let me see. Action: list_items with Action Input: {}",
            "Let me see.",
            [("list_items", "{}")],
        ),
        (
            (
                'Two at once.\nAction: weigh with Action Input: {"name": "rice"}\n'
                "Action: list_items with Action Input: {}"
            ),
            "Two at once.",
            [WEIGH, ("list_items", "{}")],
        ),
        ('Action: weigh with Action Input: {"name": "rice"} and that is it.', "", [WEIGH]),
        (
            (
                'Action: weigh with Action Input: {"name": "rice"}\nObservation: 2\n'
                "Action: finish with Action Input: {}"
            ),
            "",
            [WEIGH],
        ),
        (
            'Action: say with Action Input: {"text": "Action: a with Action Input: {}"}',
            "",
            [("say", '{"text": "Action: a with Action Input: {}"}')],
        ),
        ("Action: weigh with Action Input: [1, 2]", "", [("weigh", "[1, 2]")]),
        ("Action: list items with Action Input: {}", "", [("list items", "{}")]),
        ("Action: weigh with scales with Action Input: {}", "", [("weigh with scales", "{}")]),
        ("Action: weigh with Action Input: rice, please", "", [("weigh", "rice, please")]),
        ("Action: weigh with Action Input: ", "", [("weigh", "")]),
        (
            "Action: a with Action Input: {'b': 1}\nAction: list_items with Action Input: {}",
            "",
            [("a", "{'b': 1}"), ("list_items", "{}")],
        ),
        (f"Action: weigh with Action Input: {'[' * 5000}", "", [("weigh", "[" * 5000)]),
        (
            "Action: list_items\nAction Input: {}\nAction: finish with Action Input: {}",
            "",
            [("list_items", "{}"), ("finish", "{}")],
        ),
        (
            'It is:\nAction: weigh\n Action Input: {\\"name\\": \\"rice\\"}\nObservation: 2',
            "It is:",
            [WEIGH],
        ),
        (
            'First. Action: list_items with Action Input: {}\nAction: weigh({"name": "rice"})',
            "First.",
            [("list_items", "{}"), ("", 'Action: weigh({"name": "rice"})')],
        ),
        (
            "Action: weigh Action: list_items with Action Input: {}",
            "",
            [("", "Action: weigh"), ("list_items", "{}")],
        ),
    ],
)
@pytest.mark.parametrize("must_call", [True, False])
def test_what_is_read(
    text: str, spoken: str, calls: list[tuple[str, str]], *, must_call: bool
) -> None:
    assert read_call_text(text, must_call=must_call) == CallText(spoken, tuple(calls))


@pytest.mark.parametrize(
    ("text", "spoken", "calls"),
    [
        ('**Action:** weigh with **Action Input:** {"name": "rice"}', "", [WEIGH]),
        ('**Action**: weigh with **Action Input**: {"name": "rice"}', "", [WEIGH]),
        ('**Action**: [weigh] with **Action Input**: [{"name": "rice"}]', "", [WEIGH]),
        ('Action: [weigh] with Action Input: {"name": "rice"}', "", [WEIGH]),
        ('Action: `weigh` with Action Input: {"name": "rice"}', "", [WEIGH]),
        ('Action: weigh with Action Input:\n```json\n{"name": "rice"}\n```', "", [WEIGH]),
        (
            'I look.\n```json\n{"name": "weigh", "arguments": {"name": "rice"}}\n```',
            "I look.",
            [WEIGH],
        ),
        (
            '```\n{"action": "weigh", "action_input": "{\\"name\\": \\"rice\\"}"}\n```\nSo.',
            "",
            [WEIGH],
        ),
        (
            (
                'I look.\n<tool_call>\n{"name": "weigh", "arguments": {"name": "rice"}}\n'
                "</tool_call>"
                '<tool_call>{"name": "list_items", "arguments": {}}</tool_call>'
            ),
            "I look.",
            [WEIGH, ("list_items", "{}")],
        ),
        ('<tool_call>{"name": "weigh", "arguments": {"name": "rice"}}', "", [WEIGH]),
        ("<tool_call>weigh(rice)</tool_call>", "", [("", "weigh(rice)")]),
        (
            '<tool_call>{"name": "weigh"}</tool_call>',
            "",
            [("", '{"name": "weigh"}')],
        ),
        (
            '<tool_call>[{"name": "weigh", "arguments": {"name": "rice"}}]</tool_call>',
            "",
            [WEIGH],
        ),
        (
            'So.\n[TOOL_CALLS] [{"name": "weigh", "arguments": {"name": "rice"}}]\n\nPlease wait.',
            "So.",
            [WEIGH],
        ),
        (
            '[TOOL_CALLS]weigh[ARGS]{"name": "rice"}[TOOL_CALLS]list_items[CALL_ID]a1[ARGS]{}',
            "",
            [WEIGH, ("list_items", "{}")],
        ),
        ('[TOOL_CALLS] [{"name": "weigh"}]', "", [("", '[{"name": "weigh"}]')]),
        ("<<function>>weigh(name='rice')\n<<function>> list_items()", "", [WEIGH, LIST]),
        (
            '<<function>>scale.weigh(name="\\d", at=[-1, None], exact=True)',
            "",
            [("scale.weigh", '{"name": "\\\\d", "at": [-1, null], "exact": true}')],
        ),
        *(
            (f"<<function>>{code}", "", [("", code)])
            for code in (
                *('weigh("rice")', "weigh(name=rice())", "weigh(**{'name': 'rice'})"),
                *("weigh(a={1})", "weigh(a=b'')", "weigh", "weigh() and so on"),
                f"weigh(a={'-' * 9999}1)",
            )
        ),
    ],
)
@pytest.mark.parametrize("written", [TEXT, REACT])
@pytest.mark.parametrize("must_call", [True, False])
def test_layouts_that_models_write(
    text: str, spoken: str, calls: list[tuple[str, str]], written: TextFormat, *, must_call: bool
) -> None:
    read_back = read_call_text(text, must_call=must_call, text_format=written)
    assert read_back == CallText(spoken, tuple(calls))


@pytest.mark.parametrize(
    "text",
    [
        'It says:\n```json\n{"name": "rice", "amount": 2}\n```',
        "```\nThere are two.\n```",
        '{"name": "weigh", "arguments": {}} in no fence',
        "*" * 100_000,
        "```\n" * 30_000,
    ],
)
def test_other_blocks_are_words(text: str) -> None:
    assert read_call_text(text, must_call=False) == CallText(text.strip(), ())


@pytest.mark.parametrize(
    ("text", "spoken", "calls"),
    [
        (
            'Thought: I look.\nAction: weigh\nAction Input: {"name": "rice"}',
            "Thought: I look.",
            [WEIGH],
        ),
        ('Action: weigh with Action Input: {"name": "rice"}', "", [WEIGH]),
        ('**Action:** weigh\n\n**Action Input:**\n{"name": "rice"}', "", [WEIGH]),
        (
            (
                'Action: weigh\nAction Input: {"name": "rice"}\n'
                "Action: list items\nAction Input: {}\nObservation: 2\nThought: Two."
            ),
            "",
            [WEIGH, ("list items", "{}")],
        ),
        (
            'Action: weigh\nAction Input: {"name": "rice"}\nFinal Answer: Two.',
            "",
            [WEIGH],
        ),
    ],
)
def test_what_is_read_of_react(text: str, spoken: str, calls: list[tuple[str, str]]) -> None:
    read_back = read_call_text(text, must_call=True, text_format=REACT)
    assert read_back == CallText(spoken, tuple(calls))


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("Thought: I know.\nFinal Answer: Two.\nOr so.", "Two.\nOr so."),
        ("Two.", "Two."),
    ],
)
def test_what_the_user_hears_of_react(text: str, spoken: str) -> None:
    assert read_call_text(text, must_call=False, text_format=REACT) == CallText(spoken, ())
    assert read_call_text(text, must_call=True, text_format=REACT) is None
    assert read_call_text("Action: weigh rice", must_call=False, text_format=REACT) is None


@pytest.mark.parametrize(
    "text",
    [
        *("There are two.", "", "In action: nothing", "Actions speak louder"),
        *("Action items:\n- buy rice", "Action is needed: the rice is gone."),
        "No action input is needed.",
    ],
)
def test_a_text_without_a_call_is_one_unless_a_call_is_due(text: str) -> None:
    assert read_call_text(text, must_call=False) == CallText(text, ())
    assert read_call_text(text, must_call=True) is None


@every(
    "text",
    [
        'Action: weigh({"name": "rice"})',
        "Action: weigh",
        "I weigh it.\n  Action: weigh the rice.\nI have no Action Input",
        'Action Input: {"name": "rice"}',
        "Action weigh with Action Input: {}",
        'Action weigh {"name": "rice"}',
        "I weigh it. Action: weigh, Action Input: {}",
        "action: weigh with action input: {}",
        "I weigh it. ACTION: weigh with ACTION INPUT: {}",
        '**Action**: weigh({"name": "rice"})',
        "- Action: weigh",
    ],
)
def test_a_call_that_was_begun_and_cannot_be_read(text: str) -> None:
    assert read_call_text(text, must_call=False) is None
    assert read_call_text(text, must_call=True) is None


def test_a_result_that_was_made_up_is_nothing() -> None:
    text = f"{OBSERVATION}28\nAction: finish with Action Input: {{}}"
    assert read_call_text(text, must_call=False) == CallText("", ())
    assert read_call_text(text, must_call=True) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
CALLS = st.lists(
    st.tuples(
        st.from_regex(r"[A-Za-z_]\w*", fullmatch=True),
        st.dictionaries(st.text(), JSON, max_size=3).map(json.dumps),
    ),
    min_size=1,
    max_size=3,
)


@given(CALLS, st.sampled_from(["", "Let me look.", "First,\nthen:"]), st.sampled_from(["\n", " "]))
def test_what_is_written_is_read(calls: list[tuple[str, str]], spoken: str, gap: str) -> None:
    for written in (TEXT, REACT):
        text = gap.join(
            [*([spoken] if spoken else []), *(call_text(*call, written) for call in calls)]
        )
        read_back = read_call_text(text, must_call=True, text_format=written)
        assert read_back == CallText(spoken, tuple(calls))


@given(st.text(), st.booleans())
def test_any_text_can_be_read(text: str, must_call: bool) -> None:
    read_back = read_call_text(text, must_call=must_call)
    assert read_back is None or read_back.calls or not must_call


def test_calls_without_arguments_have_some() -> None:
    assert call_text("list_items", "") == "Action: list_items with Action Input: {}"


def test_what_could_not_be_read_is_shown_as_it_was_written() -> None:
    assert call_text("", "Action: weigh\nAction Input: {}") == "Action: weigh\nAction Input: {}"


def native(*calls: tuple[str, str], content: str | None = None) -> dict[str, Any]:
    functions = [{"name": name, "arguments": arguments} for name, arguments in calls]
    tool_calls = [{"id": str(i), "function": function} for i, function in enumerate(functions)]
    return {"role": "assistant", "content": content, "tool_calls": tool_calls}


def test_a_conversation_as_it_is_shown() -> None:
    messages = [
        {"role": "system", "content": "You act."},
        {"role": "user", "content": "How much rice?"},
        native(WEIGH, ("list_items", "{}"), content="Let me see."),
        {"role": "tool", "tool_call_id": "0", "content": "2"},
        {"role": "tool", "tool_call_id": "1", "content": "[]"},
        {"role": "assistant", "content": "Two."},
    ]
    assert with_call_text(messages) == [
        {"role": "system", "content": "You act."},
        {"role": "user", "content": "How much rice?"},
        {
            "role": "assistant",
            "content": "Let me see.\n"
            'Action: weigh with Action Input: {"name": "rice"}\n'
            "Action: list_items with Action Input: {}",
        },
        {"role": "user", "content": "Observation: 2"},
        {"role": "user", "content": "Observation: []"},
        {"role": "assistant", "content": "Two."},
    ]
    assert "tool_calls" in messages[2]  # the messages themselves are as they were


TOOLS = [{"type": "function", "function": {"name": "weigh", "description": "Wiegt \u00e4"}}]


@pytest.mark.parametrize("must_call", [True, False])
@pytest.mark.parametrize("written", [TEXT, REACT])
def test_what_the_agent_is_told(written: TextFormat, *, must_call: bool) -> None:
    text = instructions(TOOLS, must_call=must_call, text_format=written)
    assert written.form in text
    assert text.endswith('\n{"name": "weigh", "description": "Wiegt \u00e4"}')
    assert ("Every reply must have such" in text) is must_call
    assert ("to the user" in text) is not must_call
    example = text.partition("An example")[2].partition("These are your tools")[0]
    replies = [part.partition("\nObservation")[0] for part in example.split("You: ")[1:]]
    read = [read_call_text(reply, must_call=must_call, text_format=written) for reply in replies]
    assert all(example_call is not None for example_call in read)
    assert [bool(example_call and example_call.calls) for example_call in read] == [
        True,
        True,
        must_call,
    ]


NAMES = ("weigh", "list_items")


@every(
    "text",
    [
        '{"name": "weigh", "arguments": {"name": "rice"}}',
        'I look it up.\n```json\n{"tool": "weigh", "parameters": {"name": "rice"}}\n```',
        "{'function': 'list_items'}",
        '{"type": "function", "function": {"name": "weigh", "arguments": "{}"}}',
        '[{"weigh": {"name": "rice"}}]',
        'weigh(name="rice")',
        "`list_items()`",
        'Let me weigh it:\n\n```python\nkilos = weigh(\n    name="rice (white)",\n)\n```',
        "print(default_api.weigh(name='rice'))",
        "[weigh(name='rice'), list_items()]",
        '<tool_call>\n{"name": "weigh"}\n</tool_call>',
        "<function=weigh>{}</function>",
        '<invoke name="weigh">',
        "<|python_tag|>weigh.call(name='rice')",
        '[TOOL_CALLS] [{"name": "weigh"}]',
        "<<function>>weigh(name='rice')",
        "<weigh><name>rice</name></weigh>",
        "Action: weigh",
        '**Action:** `weigh`\n**Action Input:** {"name": "rice"}',
        'Action: unheard_of with Action Input: {"name": "rice"}',
    ],
)
def test_a_call_that_is_written_as_text(text: str) -> None:
    assert is_spoken_call(text, NAMES)


@every(
    "text",
    [
        "",
        "The rice weighs 2.47 kg.",
        "I can weigh (or count) it for you.",
        "I used weigh(name='rice') and found 2.47 kg.",
        "weigh(name='rice') gave 2.47 kg.",
        "Shall I weigh it? I would call list_items first.",
        '{"name": "rice", "kilograms": 2.47}',
        '"name": "Weigh House"',
        "Actions taken: weighed the rice.",
        "Action: none is needed.",
        "No action input is needed.",
        "Amounts < 3 and > 1: rice (white), salt (coarse).",
        "See <https://example.com/weigh>.",
    ],
)
def test_a_text_that_is_no_call(text: str) -> None:
    assert not is_spoken_call(text, NAMES)


def test_nothing_that_the_suites_say_is_a_call() -> None:
    files = list(find_files([suites_folder()]))[::10]
    scenes = [scene for file in files for scene in scenarios_of(file)]
    scripts = [
        script for s in scenes for script in (*s.solutions.values(), *s.counterexamples.values())
    ]
    texts = [step.text for steps in scripts for step in steps if isinstance(step, SayStep)]
    spoken = [(text.format or "") if isinstance(text, FromResult) else text for text in texts]
    assert len(spoken) > 50
    names = {name for scene in scenes for name in scene.world.tools}
    assert [text for text in spoken if is_spoken_call(text, names)] == []


def test_without_tools_there_are_still_tags() -> None:
    assert is_spoken_call("<tool_call>", ())
    assert not is_spoken_call("weigh()", ())
