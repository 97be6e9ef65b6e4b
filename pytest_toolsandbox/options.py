"""What pytest is told at the start: options, their ini twins, and the categories as marks.

Imported in every run of pytest, and so light: named tuples are made in a fifth of the time that a
dataclass takes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

SETTINGS = pytest.StashKey["Settings"]()
FREE_MARKS = pytest.StashKey[set[str]]()
"""The marks that scenarios may use as categories and tags: those of the ini file, and ours."""

NO_AGENT = "no agent: give --agent=NAME, or define a fixture named 'agent' in a conftest.py"
"""Why scenarios are skipped that nobody plays."""

CATEGORIES = {
    "single_tool_call": "scenarios that need one tool call",
    "multiple_tool_call": "scenarios that need several tool calls",
    "single_user_turn": "scenarios whose first message says everything",
    "multiple_user_turn": "scenarios in which the agent has to ask the user",
    "state_dependency": "scenarios whose tools depend on the state of the world",
    "canonicalization": "scenarios whose words have to be turned into canonical values",
    "insufficient_information": "scenarios that cannot be done with the tools at hand",
}
"""ToolSandbox's categories of scenarios (section 3)."""


class MinimumScore(NamedTuple):
    """A mean score, from 0 to 1, that a category's scenarios must reach, or all (``None``).

    ``required`` says that it falls short where nothing was scored: what the command line asks for
    must be shown, while what the ini file says need not concern every run.
    """

    category: str | None
    score: float
    required: bool


class Settings(NamedTuple):
    """What the user asked for."""

    agent: str | None
    aliases: Mapping[str, str]
    embedder: str | None
    results: Path | None
    rejudge: Path | None
    minimum_scores: tuple[MinimumScore, ...]
    scenario_files: tuple[str, ...]
    thresholds: Mapping[str, float]


def add_options(parser: pytest.Parser) -> None:
    """Declare the options. Each has a twin in the ini file: ``agent`` has ``sandbox_agent``."""
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
        "--sandbox-rejudge",
        metavar="FILE",
        help="score the conversations of a file of records again, and call no agent",
    )
    group.addoption(
        "--sandbox-min-score",
        metavar="[CATEGORY=]SCORE",
        action="append",
        help="fail the session when the mean score, of a category or of all, is lower (repeatable)",
    )
    parser.addini("sandbox_agent", "default of --agent", default="")
    parser.addini("sandbox_results", "default of --sandbox-results", default="")
    parser.addini("sandbox_rejudge", "default of --sandbox-rejudge", default="")
    parser.addini(
        "sandbox_min_score", "default of --sandbox-min-score, one a line", type="linelist"
    )
    parser.addini(
        "sandbox_aliases", "short names of models: NAME = PROVIDER/MODEL", type="linelist"
    )
    parser.addini(
        "sandbox_embedder",
        "what compares meanings: module:attribute, provider/model or sentence-transformers/NAME",
        default="",
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
    if config.getoption("--agent") == "":
        raise pytest.UsageError("--agent: no agent is named; is a variable empty?")
    return Settings(
        agent=config.getoption("--agent") or config.getini("sandbox_agent") or None,
        aliases=_pairs(config, "sandbox_aliases"),
        embedder=config.getini("sandbox_embedder") or None,
        results=_results_file(config),
        rejudge=_rejudged_file(config),
        minimum_scores=_minimum_scores(config),
        scenario_files=tuple(config.getini("scenario_files")),
        thresholds={
            name: _share("sandbox_thresholds", value)
            for name, value in _pairs(config, "sandbox_thresholds").items()
        },
    )


def add_marks(config: pytest.Config) -> None:
    """Register the categories as marks; must run before plugins register theirs."""
    config.stash[FREE_MARKS] = registered_marks(config)
    for name, text in CATEGORIES.items():
        add_mark(config, name, text)


def add_mark(config: pytest.Config, name: str, text: str) -> None:
    """Register a mark for scenarios."""
    config.stash[FREE_MARKS].add(name)
    config.addinivalue_line("markers", f"{name}: {text}")


def registered_marks(config: pytest.Config) -> set[str]:
    """Return the names of all marks that are registered."""
    lines = config.getini("markers")
    return {line.split(":")[0].split("(")[0].strip() for line in lines}


def _minimum_scores(config: pytest.Config) -> tuple[MinimumScore, ...]:
    """Return those of the command line or else, if it has none, those of the ini file."""
    given = config.getoption("--sandbox-min-score")
    option = "--sandbox-min-score" if given else "sandbox_min_score"
    texts: Iterable[str] = given or config.getini("sandbox_min_score")
    scores = []
    for text in texts:
        category, separator, score = text.rpartition("=")
        if separator and not category.strip():
            raise pytest.UsageError(f"{option}: {text!r} names no category before '='")
        scores.append(MinimumScore(category.strip() or None, _share(option, score), bool(given)))
    return tuple(scores)


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


def _results_file(config: pytest.Config) -> Path | None:
    """Return where records go: relative to where pytest was started, or to the ini file."""
    if given := config.getoption("--sandbox-results"):
        return _writable("--sandbox-results", config.invocation_params.dir, given)
    if given := config.getini("sandbox_results"):
        return _writable("sandbox_results", config.rootpath, given)
    return None


def _rejudged_file(config: pytest.Config) -> Path | None:
    """Return where stored records are read from, as relative as where they are written to."""
    option, folder = "--sandbox-rejudge", config.invocation_params.dir
    given = config.getoption(option)
    if not given:
        option, folder, given = "sandbox_rejudge", config.rootpath, config.getini("sandbox_rejudge")
    if not given:
        return None
    path = Path(folder, given)
    if not path.is_file():
        raise pytest.UsageError(f"{option}: there is no file {given}")
    return path


def _writable(option: str, folder: Path, text: str) -> Path:
    path = folder / text
    there = next(place for place in (path, *path.parents) if place.exists())
    wanted = path.is_file() if there == path else there.is_dir()
    if not wanted or not os.access(there, os.W_OK):
        raise pytest.UsageError(f"{option}: cannot write to {text}")
    return path
