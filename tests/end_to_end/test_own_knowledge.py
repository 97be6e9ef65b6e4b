"""Knowledge of one's own for the phone, as the documentation shows it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.any_pytest

DOCUMENTATION = (
    Path(__file__).parents[2].joinpath("docs", "phone-services.md").read_text(encoding="utf-8")
)


def section() -> str:
    return DOCUMENTATION.partition("### Your own data, or a live service")[2]


def examples() -> dict[str, str]:
    """Return the first block for every file that the section shows, its first line included."""
    blocks = re.findall(r"```\w+\n# ([\w./]+)\n(.*?)```", section(), re.DOTALL)
    return {name: f"#\n{text}" for name, text in reversed(blocks)}


SCENARIO = """
world: our_phone
categories: [single_tool_call]
user: {opening: What is Fernlicht at?}
milestones:
  looked_up:
    call: {search_stock: {query: fernlicht}}
  told: {says: {mentions: ["48.2"]}}
solutions:
  directly:
    - search_stock: {query: fernlicht}
    - say: {from: {call: search_stock, path: price, format: "It is at {}."}}
"""


def test_a_folder_of_ones_own(pytester: pytest.Pytester) -> None:
    for name, text in examples().items():
        file = pytester.path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    pytester.path.joinpath("stock.scenario.yaml").write_text(SCENARIO)
    pytester.runpytest_subprocess("--agent=oracle").assert_outcomes(passed=1)
    stocks = pytester.path / "knowledge" / "stocks.yaml"
    stocks.write_text(stocks.read_text().replace("48.20", "48,20"))
    result = pytester.runpytest_subprocess("--agent=oracle")
    (mistake,) = re.findall(r"^knowledge/stocks.yaml:.*", DOCUMENTATION, re.MULTILINE)
    output = result.stdout.str() + result.stderr.str()
    assert f"KnowledgeError: {pytester.path}/{mistake}" in output


def test_a_live_service_in_the_place_of_the_built_in_world(pytester: pytest.Pytester) -> None:
    conftest = re.findall(r"```python\n(.*?)```", section(), re.DOTALL)[1]
    pytester.makeconftest(conftest)
    pytester.makepyfile(our_prices="def look_up(query):\n    return {'price': 48.2}")
    text = SCENARIO.replace("our_phone", "phone")
    pytester.path.joinpath("stock.scenario.yaml").write_text(text)
    pytester.runpytest_subprocess("--agent=oracle").assert_outcomes(passed=1)
