"""The verdict at the top of ``toolsandbox report``: beside a baseline, or between its files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from command_line import Run
from html_records import records

from pytest_toolsandbox.records.writing import as_line


def written(file: Path, some: Sequence[dict[str, Any]]) -> str:
    file.write_text("".join(f"{as_line(each)}\n" for each in some), encoding="utf-8")
    return file.name


def renamed(some: Sequence[dict[str, Any]], agent: str) -> list[dict[str, Any]]:
    """Return records as of a run of several agents."""
    return [
        {
            **each,
            "id": f"{each['id']}[{agent}]",
            "agent_settings": {**each["agent_settings"], "label": agent},
        }
        for each in some
    ]


@pytest.fixture
def night(folder: Path) -> Path:
    for agent, name in (("oracle", "monday"), ("clumsy", "tuesday"), ("clumsy", "wednesday")):
        written(folder / f"{name}.jsonl", records(agent))
    return folder


def banners(folder: Path) -> list[str]:
    text = folder.joinpath("report.html").read_text(encoding="utf-8")
    return re.findall(
        r'<section class="gate [^>]*><h2[^>]*>(?:<span[^>]*>[^<]*</span>)? (.*?)</h2>', text
    )


def test_later_files_are_compared_with_the_first(night: Path, run: Run) -> None:
    files = [f"{name}.jsonl" for name in ("monday", "tuesday", "wednesday")]
    assert run("report", *files).status == 0
    shown = banners(night)
    compared = run("compare", *files).out
    verdicts = re.findall(r"beside monday.jsonl\n([\w ]+):", compared)
    assert shown == [
        f"tuesday beside monday: {verdicts[0]}",
        f"wednesday beside monday: {verdicts[1]}",
    ]
    assert verdicts[0] != "no worse"
    text = night.joinpath("report.html").read_text(encoding="utf-8")
    assert len(set(re.findall(r'id="h-gate\d"', text))) == 2
    first, second = text.split('<section class="gate')[1:]
    links = [
        re.findall(r'href="#(\w+)"', part.partition("</section>")[0]) for part in (first, second)
    ]
    assert all(links)
    assert set(links[0]).isdisjoint(links[1])  # each leads to the items of its own run


def test_a_trend_compares_the_last_run_with_the_one_before(night: Path, run: Run) -> None:
    files = [f"{name}.jsonl" for name in ("monday", "tuesday", "wednesday")]
    assert run("report", *files, "--trend").status == 0
    (shown,) = banners(night)
    assert " beside " in shown
    assert len({*shown.partition(":")[0].split(" beside ")}) == 2


def test_a_baseline_is_named(night: Path, run: Run) -> None:
    assert run("baseline", "add", "monday.jsonl").status == 0
    args = ("report", "tuesday.jsonl", "--baseline", "baseline.jsonl")
    assert run(*args, "--margin=0.9").status == 0
    (shown,) = banners(night)
    assert shown.startswith("tuesday beside baseline: ")
    assert "<dd>0.900</dd>" in night.joinpath("report.html").read_text(encoding="utf-8")
    assert run(*args, "-o", "baseline.jsonl").status == 1


def test_the_agents_of_one_file_are_compared(folder: Path, run: Run) -> None:
    both = renamed(records("oracle"), "oracle") + renamed(records("clumsy"), "clumsy")
    written(folder / "both.jsonl", both)
    assert run("report", "both.jsonl").status == 0
    (shown,) = banners(folder)
    assert shown.startswith("clumsy beside oracle: ")


def test_what_has_nothing_in_common_has_no_banner(night: Path, run: Run) -> None:
    assert run("report", "monday.jsonl").status == 0
    assert banners(night) == []
    of_other_items = [{**each, "id": f"other.{each['id']}"} for each in records("oracle")]
    written(night / "other.jsonl", of_other_items)
    assert run("report", "monday.jsonl", "other.jsonl").status == 0
    assert banners(night) == []
    assert run("report", "other.jsonl", "--baseline=monday.jsonl").status == 0
    assert banners(night) == ["other beside monday: inconclusive"]


def test_what_was_played_otherwise_is_said(night: Path, run: Run) -> None:
    written(night / "judged.jsonl", [{**each, "judge": "gpt"} for each in records("oracle")])
    assert run("report", "monday.jsonl", "judged.jsonl").status == 0
    assert banners(night) == ["judged beside monday: not comparable"]
    text = night.joinpath("report.html").read_text(encoding="utf-8")
    assert "<p>monday was played otherwise: the judge: gpt here, none there</p>" in text
