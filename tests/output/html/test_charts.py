"""The charts of the HTML report: what they draw, and the numbers below them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from html_records import EVIL, record, records

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.output.html import charts
from pytest_toolsandbox.output.html.charts import Dot, Estimate
from pytest_toolsandbox.output.html.report import HtmlReport
from pytest_toolsandbox.records.parts import UsageRecord
from pytest_toolsandbox.records.writing import as_line


def drawn(*runs: list[dict[str, Any]]) -> dict[str, str]:
    """Return the charts of a page by their titles, each with its table."""
    report = HtmlReport()
    for number, run in enumerate(runs):
        for played in run:
            report.add(played, f"run{number}")
    text = "".join(report.texts())
    figures = re.findall(r"<figure>(.*?)</figure>", text, re.DOTALL)
    return {re.findall(r"<b>(.*?)</b>", figure)[0]: figure for figure in figures}


def cells(figure: str) -> list[list[str]]:
    """Return the cells of the table below a chart."""
    rows = re.findall(r"<tr>(.*?)</tr>", figure, re.DOTALL)
    return [
        [re.sub("<[^>]*>", "", c) for c in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in rows
    ]


SERIES = ("one", "<b>two", "three", "four")
ESTIMATES = [Estimate(0.5, 0.2, 0.8), Estimate(1.0, 0.9, 1.0), None, Estimate(0.0, 0.0, 0.1)]


@pytest.mark.parametrize(
    "svg",
    [
        charts.bars(EVIL[:30], [("<i>" * 20, ESTIMATES), ("b", ESTIMATES)], SERIES),
        charts.changes("c", [("<i>" * 20, 0.0, 1.0), ("b", 1.0, 0.25)], SERIES[:2], (0, 1)),
        charts.dots("d", "x", "y", {name: [Dot(0.5, 0.5, name, 0.4, 0.6)] for name in SERIES}),
        charts.dots("d", "x", "y", {"a": [Dot(0.0, 0.0)]}),
        charts.histogram("h", ("0", "1"), {name: [3, 0] for name in SERIES}),
        charts.histogram("h", ("0",), {"a": [0]}),
        charts.lines("l", ["2025-03-01", "2025-03-02"], dict.fromkeys(SERIES, ESTIMATES[:2])),
        charts.lines("l", ["2025-03-01"], {"a": [None]}),
    ],
)
def test_a_chart_is_xml_within_its_size_and_texts_are_texts(svg: str) -> None:
    root = ET.fromstring(svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    assert {element.tag for element in root.iter()} <= {
        *("svg", "g", "path", "rect", "text", "title", "circle", "polygon")
    }
    for element in root.iter():
        assert 0 <= float(element.get("x", element.get("cx", 0))) <= width
        assert 0 <= float(element.get("y", element.get("cy", 0))) <= height
        assert float(element.get("height", 1)) >= 0
    assert "style=" not in svg


def test_scores_by_category_and_what_changed() -> None:
    figures = drawn(records("oracle"), records("clumsy"))
    category = cells(figures["Score by category"])
    assert category[0] == ["name", "oracle", "clumsy"]
    assert ["query", "1.000 (0.21 to 1.00)", "0.000 (0.00 to 0.79)"] in category
    changed = figures["Scores with oracle and with clumsy"]
    assert "Of 3 items, 0 scored more, 3 less, the others the same." in changed
    assert ["most", "1.00", "0.00", "-1.00"] in cells(changed)
    scores = cells(figures["Scores"])
    assert ["1", "3", "0"] in scores
    assert sum(int(row[2]) for row in scores[1:]) == 3
    assert sum(int(row[1]) for row in cells(figures["Turns"])[1:]) == 3


def test_one_item_has_no_charts() -> None:
    assert drawn([record("cellar", "clumsy")]) == {}


def test_cost_and_score_of_each_item_or_of_each_agent() -> None:
    def costing(agent: str, cost: float) -> list[dict[str, Any]]:
        usage = dict.fromkeys(UsageRecord.__annotations__, 1) | {"cost": cost}
        return [played | {"usage": {"agent": usage}} for played in records(agent)]

    alone = cells(drawn(costing("oracle", 0.25))["Cost and score"])
    assert sorted(alone[1:]) == [[name, "0.2500", "1.000"] for name in ("cellar", "fork", "most")]
    both = drawn(costing("oracle", 0.25), costing("clumsy", 0.125))
    assert cells(both["Cost and score"])[1][:2] == ["oracle", "0.2500"]
    assert "Cost and score" not in drawn(records("oracle"))


def test_error_patterns_with_and_without_feedback() -> None:
    off = [played | {"id": f"{played['id']}[feedback_off]"} for played in records("clumsy")]
    on = [
        {**played, "id": f"{played['id']}[feedback_on]", "feedback": True}
        for played in records("clumsy")
    ]
    table = cells(drawn([*off, *on])["Error patterns with and without feedback: clumsy"])
    assert table[0] == ["name", "feedback on", "feedback off"]
    names = [row[0] for row in table[1:]]
    assert "IAV incorrect argument value" in names


def test_similar_names_and_accuracy() -> None:
    worlds = [
        {
            **record("cellar", "oracle"),
            "id": f"a.yaml::s{n}",
            "world": f"w{n}",
            "api_similarity": n / 4,
        }
        for n in range(3)
    ]
    table = cells(drawn(worlds)["Similar names of tools and accuracy"])
    assert ["oracle", "w1", "0.250", "1.000", "1"] in table


def test_a_trend_orders_runs_by_their_start(tmp_path: Path) -> None:
    files = []
    for day, agent in ((3, "clumsy"), (1, "oracle"), (2, "oracle")):
        file = tmp_path / f"{9 - day}.jsonl"
        run = {"started": f"2025-03-0{day}T01:00:00+00:00", "command": "pytest"}
        lines = [played | {"agent": "a", "run": run} for played in records(agent)]
        file.write_text("".join(f"{as_line(line)}\n" for line in lines), encoding="utf-8")
        files.append(str(file))
    out = tmp_path / "report.html"
    assert main(["report", *files, "--trend", "-o", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    figure = text.partition("Pass rate over time")[2].partition("</figure>")[0]
    assert [(row[0][:10], row[1][:5]) for row in cells(figure)[1:]] == [
        ("2025-03-01", "1.000"),
        ("2025-03-02", "1.000"),
        ("2025-03-03", "0.000"),
    ]
    assert text.count('data-arm="a (7)"') == text.count('data-arm="a (6)"') == 3
    assert 'data-arm="a (8)"' not in text


def test_an_agent_has_the_same_mark_in_all_charts() -> None:
    second = charts.dots("c", "x", "y", {"b": [charts.Dot(0.1, 0.5)]}, [1])
    assert 'class="s1"' in second
    assert 'class="s0"' not in second
    assert 'class="s1"' in charts.changes("c", [("a", 0.0, 1.0)], ("a", "b"), (0, 1))
