"""What the page about calls shows is what the program does."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

from pytest_toolsandbox.builtin.office import world
from pytest_toolsandbox.scoring.tooltalk.evaluate_calls import evaluate_calls
from pytest_toolsandbox.scoring.tooltalk.rules import Call
from pytest_toolsandbox.worlds.tool import Tool

PAGE = (Path(__file__).parents[3] / "docs" / "calls.md").read_text(encoding="utf-8")


def test_the_session_is_a_real_one() -> None:
    examples = doctest.DocTestParser().get_doctest(PAGE, {}, "calls.md", None, None)
    result = doctest.DocTestRunner().run(examples)
    assert result.failed == 0
    assert result.attempted == 16


def test_the_tool_is_one() -> None:
    (_, program, _) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    namespace: dict[str, Any] = {"__name__": __name__}
    exec(compile(program, "conftest.py", "exec", dont_inherit=True), namespace)
    tool = namespace["open_ticket"]
    assert isinstance(tool, Tool)
    given = {"title": "Cold tea", "labels": ["a", "b"], "due": "2024-02-01", "trace": "1"}
    other = given | {"labels": ["b", "a"], "due": "2024-02-01 09:00:00", "trace": "2"}
    calls = [Call("open_ticket", arguments) for arguments in (given, other)]
    assert evaluate_calls(calls[1:], calls[:1], {"open_ticket": tool}).passed


def test_the_example_of_matching_is_a_real_one() -> None:
    anywhere = Call("CreateEvent", {"name": "Tea"})
    here = Call("CreateEvent", {"name": "Tea", "location": "Kitchen"})
    judged = evaluate_calls([here, anywhere], [anywhere, here], world.tools)
    assert [prediction.match for prediction in judged.predictions] == [1, 0]
    assert evaluate_calls([here], [anywhere], world.tools).passed
    assert evaluate_calls([anywhere], [here], world.tools).counts.matches == 0
