"""Command line and ini → one frozen value."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SETTINGS = pytest.StashKey["Settings"]()


@dataclass(frozen=True)
class MinimumScore:
    """A mean score that the session must reach: of a category's scenarios, or of all (``None``)."""

    category: str | None
    score: float


@dataclass(frozen=True)
class Settings:
    """What the user asked for."""

    agent: str | None
    aliases: Mapping[str, str]
    results: Path | None
    minimum_scores: tuple[MinimumScore, ...]
    scenario_files: tuple[str, ...]
    thresholds: Mapping[str, float]


def add_options(parser: pytest.Parser) -> None:
    """Declare the options. Each has a twin in the ini file, ``sandbox_`` and its name."""
    group = parser.getgroup("toolsandbox", "LLM agents in simulated worlds")
    group.addoption(
        "--agent",
        metavar="AGENT",
        help="the agent under test: oracle, counterexample[:NAME], an alias such as claude, "
        "provider/model, or module:attribute",
    )
    group.addoption(
        "--sandbox-results",
        metavar="FILE",
        help="write a record of every scenario to FILE as JSON Lines",
    )
    group.addoption(
        "--sandbox-min-score",
        metavar="[CATEGORY=]SCORE",
        action="append",
        help="fail the session when the mean score, of a category or of all, is lower (repeatable)",
    )
    parser.addini("sandbox_agent", "default of --agent", default="")
    parser.addini("sandbox_results", "default of --sandbox-results", default="")
    parser.addini(
        "sandbox_min_score", "default of --sandbox-min-score, one a line", type="linelist"
    )
    parser.addini(
        "sandbox_aliases", "short names of models: NAME = PROVIDER/MODEL", type="linelist"
    )
    parser.addini(
        "sandbox_thresholds", "what graded matchers must reach: MATCHER = NUMBER", type="linelist"
    )
    parser.addini(
        "scenario_files",
        "which files hold scenarios (default: *.scenario.yaml, and below a folder called scenarios "
        "any *.yaml with world: at its top)",
        type="linelist",
    )


def read_settings(config: pytest.Config) -> Settings:
    """Return the settings. Raises ``pytest.UsageError`` for what cannot be meant."""
    scores = config.getoption("--sandbox-min-score") or config.getini("sandbox_min_score")
    results = config.getoption("--sandbox-results") or config.getini("sandbox_results")
    return Settings(
        agent=config.getoption("--agent") or config.getini("sandbox_agent") or None,
        aliases=_pairs(config, "sandbox_aliases"),
        results=_results_file(config, results) if results else None,
        minimum_scores=tuple(map(_minimum_score, scores)),
        scenario_files=tuple(config.getini("scenario_files")),
        thresholds={
            name: _share("sandbox_thresholds", value)
            for name, value in _pairs(config, "sandbox_thresholds").items()
        },
    )


def _minimum_score(text: str) -> MinimumScore:
    category, separator, score = text.rpartition("=")
    return MinimumScore(
        category.strip() if separator else None, _share("--sandbox-min-score", score)
    )


def _share(option: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise pytest.UsageError(f"{option}: {text.strip()!r} is no number from 0 to 1")
    return value


def _pairs(config: pytest.Config, name: str) -> dict[str, str]:
    pairs = {}
    for line in config.getini(name):
        key, separator, value = line.partition("=")
        if not (separator and key.strip() and value.strip()):
            raise pytest.UsageError(f"{name}: expected NAME = VALUE, found {line!r}")
        pairs[key.strip()] = value.strip()
    return pairs


def _results_file(config: pytest.Config, text: Any) -> Path:
    path = Path(config.invocation_params.dir, text)
    writable = next(parent for parent in path.parents if parent.exists())
    if path.is_dir() or not writable.is_dir() or not os.access(writable, os.W_OK):
        raise pytest.UsageError(f"--sandbox-results: cannot write to {text}")
    return path
