"""``--sandbox-brief``: what fails, where, and how to see it again."""

from __future__ import annotations

import pytest
from desk import LIGHT, Suite

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.output.brief import LIMIT

FAILING = """\
# 1 of 3 scenarios passed

## two.scenario.yaml::broken
at two.scenario.yaml:16
```text
the agent raised ZeroDivisionError: division by zero (conftest.py:70)
```
    pytest two.scenario.yaml::broken

## two.scenario.yaml::half
at two.scenario.yaml:17
```text
score 0.50 of 1: missed user_told (1 of 2 milestones reached)
milestones
  reached  light_on   1.00  at [3]
  missed   user_told  0.00  nearest at [4]
      - says: expected mentions on, found 'It is dark.' (missing: on)
error patterns: none, but a wrong report
```
    pytest two.scenario.yaml::half
"""
AGENT = """
@pytest.fixture
def agent(request):
    call = {"id": "1", "function": {"name": "switch_lamp", "arguments": '{"on": true}'}}
    def agent(messages, tools):
        if request.node.name == "broken":
            1 / 0
        if messages[-1]["role"] == "user":
            return {"content": None, "tool_calls": [call]}
        return "It is dark." if request.node.name == "half" else "The lamp is on."
    return agent
"""


@pytest.mark.parametrize("option", ["-n0", "-n1"])
def test_what_fails_and_how_to_see_it_again(suite: Suite, option: str) -> None:
    suite.write(
        "two.scenario.yaml", f"{LIGHT}\nscenarios:\n  right: {{}}\n  broken: {{}}\n  half: {{}}\n"
    )
    suite.conftest(AGENT)
    suite.run_apart("--sandbox-brief=brief.md", option)
    assert (suite.path / "brief.md").read_text(encoding="utf-8") == FAILING


def test_a_long_one_is_cut_and_what_broke_comes_first(suite: Suite) -> None:
    names = [f"lamp_{number:02}" for number in range(60)]
    suite.write(
        "many.scenario.yaml", LIGHT + "\nscenarios:\n" + "".join(f"  {n}: {{}}\n" for n in names)
    )
    suite.run("--agent=oracle", "--sandbox-results=results.jsonl", "-k", "lamp_5")
    assert main(["baseline", "add", "results.jsonl"]) == 0
    suite.run(
        "--agent=counterexample", "--sandbox-brief=brief.md", "--sandbox-baseline=baseline.jsonl"
    )
    text = (suite.path / "brief.md").read_text(encoding="utf-8")
    assert len(text.encode()) <= LIMIT
    assert text.startswith("# 0 of 60 scenarios passed\n\n```text\nbaseline: worse: ")
    told = [line for line in text.splitlines() if line.startswith("## ")]
    assert told[:10] == [f"## many.scenario.yaml::lamp_{number}" for number in range(50, 60)]
    assert text.splitlines()[-1] == (
        f"{60 - len(told)} more scenarios did not pass: pytest --lf plays them again"
    )
    assert "    pytest many.scenario.yaml::lamp_50 --agent=counterexample\n" in text
