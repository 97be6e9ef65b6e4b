"""Which texts are calls that nobody executes."""

from __future__ import annotations

from rows import every
from shipped import scenarios_of

from pytest_toolsandbox.calls.text_format import is_spoken_call
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.roles import SayStep
from pytest_toolsandbox.language.values import FromResult
from pytest_toolsandbox.suites import suites_folder

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
    scripts = [one for s in scenes for one in (*s.solutions.values(), *s.counterexamples.values())]
    texts = [step.text for steps in scripts for step in steps if isinstance(step, SayStep)]
    said = [(one.format or "") if isinstance(one, FromResult) else one for one in texts]
    assert len(said) > 50
    names = {name for scene in scenes for name in scene.world.tools}
    assert [text for text in said if is_spoken_call(text, names)] == []


def test_without_tools_there_are_still_tags() -> None:
    assert is_spoken_call("<tool_call>", ())
    assert not is_spoken_call("weigh()", ())
