"""Markdown as GitHub shows it: texts from outside stay texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def plain(text: str) -> str:
    """Return a text that Markdown shows as it is: names come from files and from models."""
    return "".join(f"\\{char}" if char in "\\`*_<>[]~#" else char for char in text)


def cell(text: str) -> str:
    """Return a text for a cell of a table."""
    return plain(text).replace("|", "\\|")


def row(cells: Iterable[str]) -> str:
    """Return a row of cells, which are Markdown."""
    return f"| {' | '.join(cells)} |"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> str:
    """Return a table of texts, the first ``words`` columns to the left, numbers to the right."""
    rules = ["---" if place < words else "---:" for place in range(len(headings))]
    lines = [map(cell, headings), rules, *(map(cell, one) for one in rows)]
    return "\n".join(map(row, lines))
