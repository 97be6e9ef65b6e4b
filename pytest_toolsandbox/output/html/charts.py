"""Charts as SVG: bars with intervals, changes, dots, histograms and lines over time.

Each is a text without scripts and styles of its own; ``page.css`` has its colours. Series differ in
the shape of their marks, too, so that no chart needs colours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Final, NamedTuple

from pytest_toolsandbox.text.formatting import truncate

_WIDTH: Final = 460
_LEFT: Final = 196
"""Where the plot begins, behind the labels of rows."""
_RIGHT: Final = 414
_TOP: Final = 24
_LINE: Final = 17
_LETTERS: Final = 26
"""Characters of a label that there is room for."""
_LETTERS_OF_NAME: Final = 28
_PLOT_HEIGHT: Final = 190
_PANEL: Final = 84
_MARGIN: Final = 44
"""The room for the numbers of a vertical axis."""
_TICKS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_MOST_LABELS: Final = 12
SHAPES: Final = 4
"""How many series have marks of their own."""
NEUTRAL: Final = (SHAPES, SHAPES + 1)
"""The marks of two series that are no agents: an open circle and a filled one."""


class Estimate(NamedTuple):
    """A mean from 0 to 1 with its interval."""

    mean: float
    low: float
    high: float


class Dot(NamedTuple):
    """A point of two numbers; ``y`` is from 0 to 1, and may have an interval."""

    x: float
    y: float
    label: str = ""
    low: float | None = None
    high: float | None = None


Rows = Sequence[tuple[str, Sequence[Estimate | None]]]
"""A label, and what each series has there."""


def bars(
    title: str, rows: Rows, series: Sequence[str], marks: Sequence[int] = range(SHAPES)
) -> str:
    """Return a row for each label, with the mean and interval of each series below each other.

    Each series has the mark of its number in ``marks``; so that an agent looks the same in all
    charts, this is its place among the agents.
    """
    parts = [*_legend(series, marks)]
    y = _TOP + _LINE * _legend_lines(series)
    plot_top = y
    for label, estimates in rows:
        y += 6
        parts.append(_label(label, y + _LINE * len(estimates) / 2 + 4))
        for place, estimate in enumerate(estimates):
            parts += _estimate(estimate, marks[place], y + _LINE / 2)
            y += _LINE
    parts = [*_vertical_grid(plot_top, y + 4), *parts]
    return _svg(title, y + 26, parts)


def changes(
    title: str,
    rows: Sequence[tuple[str, float, float]],
    names: Sequence[str],
    marks: tuple[int, int],
) -> str:
    """Return a row for each label, with a line from the mark of before to that of now."""
    y = _TOP + 10
    legend = [
        _mark(marks[0], 10, 14),
        _text(20, 18, truncate(names[0], _LETTERS_OF_NAME)),
        _mark(marks[1], 236, 14),
        _text(246, 18, truncate(names[1], _LETTERS_OF_NAME)),
    ]
    parts = []
    for label, before, now in rows:
        parts.append(_label(label, y + _LINE / 2 + 4))
        middle, start, end = y + _LINE / 2, _across(before), _across(now)
        parts.append(f'<path class="range" d="M{start:.1f} {middle:.1f}H{end:.1f}"/>')
        parts += [_mark(marks[0], start, middle), _mark(marks[1], end, middle)]
        parts.append(_text(_RIGHT + 8, middle + 4, f"{now - before:+.2f}"))
        y += _LINE
    return _svg(title, y + 26, [*_vertical_grid(_TOP + 4, y + 4), *legend, *parts])


def dots(
    title: str,
    x_name: str,
    y_name: str,
    series: Mapping[str, Sequence[Dot]],
    marks: Sequence[int] = range(SHAPES),
) -> str:
    """Return points of two numbers, those of each series with its mark."""
    points = [dot for of_one in series.values() for dot in of_one]
    most = _rounded_up(max((dot.x for dot in points), default=1.0))
    named = [name for name in series if len(series) > 1]
    top = _TOP + _LINE * _legend_lines(named)
    bottom = top + _PLOT_HEIGHT
    parts = [*_legend(named, marks), *_horizontal_grid(top, bottom)]
    for tick in _TICKS[:: 2 if most < 0.001 else 1]:  # noqa: PLR2004  # long numbers
        x = _MARGIN + tick * (_RIGHT - _MARGIN)
        parts.append(_text(x, bottom + 16, f"{tick * most:.3g}", "middle"))
    parts.append(_text((_MARGIN + _RIGHT) / 2, bottom + 34, x_name, "middle"))
    parts.append(_text(4, top - 8, y_name))
    for place, of_one in zip(marks, series.values(), strict=False):
        for dot in of_one:
            x = _MARGIN + dot.x / most * (_RIGHT - _MARGIN)
            y = bottom - dot.y * _PLOT_HEIGHT
            if dot.low is not None and dot.high is not None:
                low, high = (bottom - bound * _PLOT_HEIGHT for bound in (dot.low, dot.high))
                parts.append(f'<path class="range s{place}" d="M{x:.1f} {low:.1f}V{high:.1f}"/>')
            parts.append(_mark(place, x, y, f"{dot.label}: {dot.x:.4g}, {dot.y:.2f}"))
            if dot.label and len(points) <= _MOST_LABELS:
                is_left = x > (_MARGIN + _RIGHT) / 2
                side = (x - 9, "end") if is_left else (x + 9, "start")
                parts.append(_text(side[0], y - 5, truncate(dot.label, _LETTERS), side[1]))
    return _svg(title, bottom + 42, parts)


def histogram(title: str, bins: Sequence[str], counts: Mapping[str, Sequence[int]]) -> str:
    """Return a panel for each series below each other, with a bar and a number for each bin."""
    most = max((count for of_one in counts.values() for count in of_one), default=0) or 1
    step = (_RIGHT - 8) / max(1, len(bins))
    parts, y = [], 0
    for place, (name, of_one) in enumerate(counts.items()):
        bottom = y + _PANEL + 18
        parts.append(_text(4, y + 14, truncate(name, 60)))
        parts.append(f'<path class="axis" d="M4 {bottom}H{_RIGHT}"/>')
        for at, count in enumerate(of_one):
            height = count / most * (_PANEL - 18)
            x = 6 + at * step
            size = f'width="{step - 4:.1f}" height="{height:.1f}"'
            parts.append(f'<rect class="s{place}" x="{x:.1f}" y="{bottom - height:.1f}" {size}/>')
            middle = x + step / 2 - 2
            if count:
                parts.append(_text(middle, bottom - height - 3, str(count), "middle"))
            parts.append(_text(middle, bottom + 15, bins[at], "middle"))
        y += _PANEL + 42
    return _svg(title, y + 4, parts)


def lines(
    title: str,
    labels: Sequence[str],
    series: Mapping[str, Sequence[Estimate | None]],
    marks: Sequence[int] = range(SHAPES),
) -> str:
    """Return the means of each series over the labels, such as dates, with their intervals."""
    named = [*series] if len(series) > 1 else []
    top = _TOP + _LINE * _legend_lines(named)
    bottom = top + _PLOT_HEIGHT
    step = (_RIGHT - _MARGIN - 20) / max(1, len(labels) - 1)
    parts = [*_legend(named, marks), *_horizontal_grid(top, bottom)]
    every = -(-len(labels) // 5)
    parts += [
        _text(_MARGIN + 10 + at * step, bottom + 16, labels[at], "middle")
        for at in range(0, len(labels), every)
    ]
    for place, of_one in zip(marks, series.values(), strict=False):
        known = [(at, estimate) for at, estimate in enumerate(of_one) if estimate is not None]
        shift = place * 3  # so that intervals of the same date stand side by side
        spots = [(_MARGIN + 10 + at * step + shift, e) for at, e in known]
        path = "L".join(f"{x:.1f} {bottom - e.mean * _PLOT_HEIGHT:.1f}" for x, e in spots)
        parts.append(f'<path class="line s{place}" d="M{path}"/>' if path else "")
        for x, e in spots:
            low, high = (bottom - bound * _PLOT_HEIGHT for bound in (e.low, e.high))
            parts.append(f'<path class="range s{place}" d="M{x:.1f} {low:.1f}V{high:.1f}"/>')
            parts.append(_mark(place, x, bottom - e.mean * _PLOT_HEIGHT, f"{e.mean:.3f}"))
    return _svg(title, bottom + 26, parts)


def _svg(title: str, height: float, parts: Iterable[str]) -> str:
    size = f'width="{_WIDTH}" height="{height:.0f}" viewBox="0 0 {_WIDTH} {height:.0f}"'
    return (
        f'<svg class="chart" role="img" aria-label="{escape(title)}" {size}>{"".join(parts)}</svg>'
    )


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    where = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}"{where}>{escape(text)}</text>'


def _label(text: str, y: float) -> str:
    shown = _text(_LEFT - 10, y, truncate(text, _LETTERS), "end")
    return shown if len(text) <= _LETTERS else f"<g><title>{escape(text)}</title>{shown}</g>"


def _mark(place: int, x: float, y: float, words: str = "") -> str:
    """Return the mark of a series: a circle, a square, a diamond, a triangle, or a neutral one."""
    title = f"<title>{escape(words)}</title>" if words else ""
    if place == 0 or place in NEUTRAL:
        return f'<circle class="s{place}" cx="{x:.1f}" cy="{y:.1f}" r="4.5">{title}</circle>'
    corners = {
        1: ((-4, -4), (4, -4), (4, 4), (-4, 4)),
        2: ((0, -6), (6, 0), (0, 6), (-6, 0)),
        3: ((0, -6), (5, 4), (-5, 4)),
    }[place]
    points = " ".join(f"{x + right:.1f},{y + down:.1f}" for right, down in corners)
    return f'<polygon class="s{place}" points="{points}">{title}</polygon>'


def _estimate(estimate: Estimate | None, place: int, y: float) -> Iterator[str]:
    if estimate is None:
        yield _text(_LEFT + 2, y + 4, "n/a")
        return
    low, high = map(_across, (estimate.low, estimate.high))
    yield f'<path class="range s{place}" d="M{low:.1f} {y:.1f}H{high:.1f}"/>'
    words = f"{estimate.mean:.3f}, {estimate.low:.2f} to {estimate.high:.2f}"
    yield _mark(place, _across(estimate.mean), y, words)
    yield _text(_RIGHT + 8, y + 4, f"{estimate.mean:.2f}")


def _legend(series: Sequence[str], marks: Sequence[int]) -> Iterator[str]:
    for place, name in enumerate(series):
        x, y = (4, 230)[place % 2], 14 + _LINE * (place // 2)
        yield _mark(marks[place], x + 6, y)
        yield _text(x + 16, y + 4, truncate(name, _LETTERS_OF_NAME))


def _legend_lines(series: Sequence[str]) -> int:
    return (len(series) + 1) // 2


def _vertical_grid(top: float, bottom: float) -> Iterator[str]:
    for tick in _TICKS:
        x = _across(tick)
        yield f'<path class="axis" d="M{x:.1f} {top:.1f}V{bottom:.1f}"/>'
        yield _text(x, bottom + 16, f"{tick:g}", "middle")


def _horizontal_grid(top: float, bottom: float) -> Iterator[str]:
    for tick in _TICKS:
        y = bottom - tick * (bottom - top)
        yield f'<path class="axis" d="M{_MARGIN} {y:.1f}H{_RIGHT}"/>'
        yield _text(_MARGIN - 6, y + 4, f"{tick:g}", "end")


def _across(share: float) -> float:
    return _LEFT + share * (_RIGHT - _LEFT)


def _rounded_up(number: float) -> float:
    """Return a number of one digit that is not smaller, or 1 for 0."""
    if number <= 0:
        return 1.0
    unit = float(f"1e{int(f'{number:e}'.partition('e')[2])}")
    return next(unit * digit for digit in (1, 2, 4, 5, 8, 10, 20) if unit * digit >= number)
