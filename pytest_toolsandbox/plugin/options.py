"""What pytest is told at the start: options, their ini twins, and the categories as marks.

Imported in every run of pytest, and so light; what was said is read in ``settings``. With nothing
to assert it is spared the rewriting of asserts: PYTEST_DONT_REWRITE.
"""

from __future__ import annotations

import pytest

from pytest_toolsandbox.language.categories import CATEGORIES

FREE_MARKS = pytest.StashKey[set[str]]()
"""The marks that scenarios may use as categories and tags: those of the ini file, and ours."""

OPTIONS = (
    *("agent", "sandbox_augment", "sandbox_feedback", "sandbox_call_format", "sandbox_results"),
    *("sandbox_rejudge", "sandbox_min_score"),
)
INI = (
    *("augment", "feedback", "call_format", "results", "rejudge", "min_score"),
    *("aliases", "thresholds"),
)
"""What is read at once where it is said, so that mistakes end the run before it begins."""


def add_options(parser: pytest.Parser) -> None:
    """Declare the options. Each has a twin in the ini file: ``agent`` has ``sandbox_agent``."""
    group = parser.getgroup("toolsandbox", "LLM agents in simulated worlds")
    group.addoption(
        "--agent",
        metavar="AGENT",
        help="the agent under test: oracle[:NAME], counterexample[:NAME], erring, an alias such as "
        "claude, provider/model, or module:attribute",
    )
    group.addoption(
        "--sandbox-augment",
        metavar="none|all|NAME,...",
        help="play every scenario with its tools augmented, once for each augmentation: "
        "distraction tools, scrambled names, descriptions and types (default: none)",
    )
    group.addoption(
        "--sandbox-feedback",
        metavar="on|off|on,off",
        help="answer an invalid call with what is allowed; on,off plays every scenario both ways "
        "(default: on for queries, off for the others)",
    )
    group.addoption(
        "--sandbox-call-format",
        metavar="native|text",
        help="how the agent calls tools: as its API has it, or in the text of its replies "
        "(default: as the scenario says, native)",
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
        help="fail the session when the mean score, of a category, of an augmentation or of all, "
        "is lower (repeatable)",
    )
    parser.addini("sandbox_agent", "default of --agent", default="")
    parser.addini("sandbox_augment", "default of --sandbox-augment", default="")
    parser.addini("sandbox_feedback", "default of --sandbox-feedback", default="")
    parser.addini("sandbox_call_format", "default of --sandbox-call-format", default="")
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


def is_told(config: pytest.Config) -> bool:
    """Whether the user said anything that could be a mistake."""
    given = (config.getoption(name) is not None for name in OPTIONS)
    return any(given) or any(config.getini(f"sandbox_{name}") for name in INI)


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
