"""What the pages show of the scenarios of a shop is what the program prints of them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_toolsandbox.authoring.measures import GRAPH_SHAPES, RESULT, WHOLE_TABLE

DOCS = Path(__file__).parents[3] / "docs"
STATISTICS = (DOCS / "statistics.md").read_text(encoding="utf-8")
REPORTS = (DOCS / "reports.md").read_text(encoding="utf-8")
WORLDS = (DOCS / "worlds.md").read_text(encoding="utf-8")
PYTEST = ("pytest", "-p", "no:cacheprovider", "--agent=counterexample", "scenarios")

pytestmark = pytest.mark.usefixtures("warm")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the world of one page and the scenarios of another."""
    folder = tmp_path_factory.mktemp("shop")
    (folder / "scenarios").mkdir()
    (folder / "conftest.py").write_text(blocks(WORLDS, "python")[0])
    (folder / "scenarios" / "orders.yaml").write_text(blocks(STATISTICS, "yaml")[0])
    return folder


def run(folder: Path, *command: str) -> str:
    finished = subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False
    )
    return finished.stdout


def test_the_scenarios_prove_themselves(shop: Path) -> None:
    output = run(shop, "pytest_toolsandbox", "check", "scenarios")
    assert output.endswith("3 scenarios, 3 solutions, 3 counterexamples: 0 findings\n")


def test_the_world_s_own_scenario_proves_itself(shop: Path) -> None:
    (shop / "scenarios" / "cancel.scenario.yaml").write_text(blocks(WORLDS, "yaml")[0])
    command = ("pytest_toolsandbox", "check", "scenarios/cancel.scenario.yaml")
    try:
        assert (
            run(shop, *command) == blocks(WORLDS, "console")[0].partition("check scenarios/\n")[2]
        )
    finally:
        (shop / "scenarios" / "cancel.scenario.yaml").unlink()


def test_the_statistics(shop: Path) -> None:
    command = ("pytest_toolsandbox", "stats", "scenarios")
    plain, multiplied = blocks(STATISTICS, "text")
    assert run(shop, *command) == plain
    assert run(shop, *command, "--augment=all").startswith(multiplied)


def test_the_summary_and_the_gates(shop: Path) -> None:
    minimums = ("--sandbox-min-score=0.8", "--sandbox-min-score=single_tool_call=0.7")
    (gates,) = (block for block in blocks(REPORTS, "text") if block.startswith("min-score:"))
    table = blocks(REPORTS, "text")[2]
    assert table + gates in run(shop, *PYTEST, *minimums)


@pytest.mark.parametrize(("minimum", "line"), [("0.3", "did not"), ("0.4", "alone would not")])
def test_the_gate_by_means(shop: Path, minimum: str, line: str) -> None:
    options = ("--sandbox-gate=means", f"--sandbox-min-score={minimum}")
    output = run(shop, *PYTEST, *options)
    (gate,) = (
        block for block in blocks(REPORTS, "text") if block.startswith("gate:") and line in block
    )
    assert f"\n{gate}===" in output


def test_the_summary_of_augmentations(shop: Path) -> None:
    (option,) = re.findall(r"`(--sandbox-augment=.*?)`", REPORTS, re.MULTILINE)
    assert blocks(REPORTS, "text")[3] in run(shop, *PYTEST, option)


def test_every_table_is_explained() -> None:
    explained = STATISTICS.partition("## What is counted")[2]
    for table in blocks(STATISTICS, "text")[0].split("\n\n"):
        match = re.match(r"([\w' ]+\w)(?: \(ToolSandbox, table (\d)\))?", table)
        assert match
        title, number = match.groups()
        where = f"Table {number}" if number else ""
        assert re.search(rf"^\| {title} \|[^|]*{where}", explained, re.MULTILINE)


def test_every_word_is_explained() -> None:
    explained = STATISTICS.partition("## What is counted")[2]
    shapes = [word for name in GRAPH_SHAPES[1:] for word in name.split(" and ")]
    kinds = (
        "fields",
        "rows",
        "includes",
        "added",
        "call",
        "tried",
        "says",
        "user_says",
        "ends_as",
        "holds",
    )
    for word in (*shapes, *kinds, WHOLE_TABLE, RESULT):
        assert f"`{word}`" in explained
