"""The table of options: the command line, its twins in the ini file, and how both are read.

A new option is a row in ``OPTIONS``, its reader in ``readers``, and a row in ``docs/options.md``.
The module is imported in every run of pytest, and imports nothing heavy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import pytest

from . import readers
from .readers import Said

EMPTY = "nothing is given; is a variable empty?"


class Option(NamedTuple):
    """One thing that a user can say.

    ``key`` names the ini option (``sandbox_results``). With a ``metavar`` the command line has it
    too (``--sandbox-results``). ``kind`` says whether it is one text, several lines (repeatable on
    the command line), or a flag. ``read`` makes a value of what was said and raises ``ValueError``
    for what cannot be meant; ``default`` is the value where nothing was said.
    """

    key: str
    metavar: str | None
    help: str
    read: Callable[[Said], Any]
    default: Any = None
    kind: Literal["text", "lines", "flag"] = "text"

    @property
    def flag(self) -> str | None:
        """How it is written on the command line, if it can be."""
        if self.metavar is None:
            return None
        return "--agent" if self.key == "sandbox_agent" else f"--{self.key.replace('_', '-')}"


OPTIONS = (
    Option(
        "sandbox_agent",
        "AGENT",
        "the agent under test: oracle[:NAME], counterexample[:NAME], an alias such as claude, "
        "provider/model, or module:attribute",
        readers.text,
    ),
    Option(
        "sandbox_augment",
        "none|all|NAME,...",
        "play every scenario with its tools augmented, once for each augmentation: distraction "
        "tools, scrambled names, descriptions and types (default: none)",
        readers.augmentations,
        (),
    ),
    Option(
        "sandbox_feedback",
        "on|off|on,off",
        "answer an invalid call with what is allowed; on,off plays every scenario both ways "
        "(default: on for queries, off for the others)",
        readers.feedback,
        readers.Feedback((), is_default=True),
    ),
    Option(
        "sandbox_call_format",
        "native|text",
        "how the agent calls tools: as its API has it, or in the text of its replies "
        "(default: as the scenario says, native)",
        readers.one_of("native", "text"),
    ),
    Option(
        "sandbox_results",
        "FILE",
        "write a record of every scenario to FILE as JSON Lines; {time} in its name is the time of "
        "the start",
        readers.new_file,
    ),
    Option(
        "sandbox_overwrite",
        "",
        "replace the file of --sandbox-results where there is one",
        readers.is_set,
        default=False,
        kind="flag",
    ),
    Option(
        "sandbox_rejudge",
        "FILE",
        "score the conversations of a file of records again, and call no agent",
        readers.existing_file,
    ),
    Option(
        "sandbox_min_score",
        "[CATEGORY=]SCORE",
        "fail the session when the mean score, of a category, of an augmentation or of all, is "
        "lower (repeatable)",
        readers.minimum_scores,
        (),
        kind="lines",
    ),
    Option(
        "sandbox_gate",
        "items|means",
        "what fails the session: every scenario that fails, or the means of --sandbox-min-score "
        "alone (default: items)",
        readers.one_of("items", "means"),
        "items",
    ),
    Option(
        "sandbox_embedder",
        None,
        "what compares meanings: module:attribute, provider/model or sentence-transformers/NAME",
        readers.text,
    ),
    Option(
        "sandbox_aliases",
        None,
        "short names of models: NAME = PROVIDER/MODEL",
        readers.pairs,
        {},
        kind="lines",
    ),
    Option(
        "sandbox_thresholds",
        None,
        "what graded matchers must reach: MATCHER = NUMBER",
        readers.shares,
        {},
        kind="lines",
    ),
    Option(
        "sandbox_secrets",
        None,
        "what no report shows: variables that hold a secret, or the secret, one a line",
        readers.lines,
        (),
        kind="lines",
    ),
    Option(
        "scenario_files",
        None,
        "which files hold scenarios (default: *.scenario.yaml, and below a folder called scenarios "
        "any *.yaml with world: at its top)",
        readers.lines,
        (),
        kind="lines",
    ),
)


def add_options(parser: pytest.Parser) -> None:
    """Declare the options to pytest."""
    group = parser.getgroup("toolsandbox", "LLM agents in simulated worlds")
    for option in OPTIONS:
        text = option.help
        if option.flag is not None:
            group.addoption(option.flag, help=text, **_declared(option))
            text = f"default of {option.flag}{', one a line' * (option.kind == 'lines')}"
        kind, nothing = _INI[option.kind]
        parser.addini(option.key, text, kind, nothing)


_INI: dict[str, tuple[Any, Any]] = {
    "text": ("string", ""),
    "lines": ("linelist", []),
    "flag": ("bool", False),
}


def _declared(option: Option) -> dict[str, Any]:
    if option.kind == "flag":
        return {"action": "store_true", "default": None}
    action = "append" if option.kind == "lines" else "store"
    return {"metavar": option.metavar, "action": action}


def any_option_given(config: pytest.Config) -> bool:
    """Whether the user said anything, on the command line or in the ini file."""
    return any(said(option, config) for option in OPTIONS)


def value(option: Option, config: pytest.Config) -> Any:
    """Return what an option means. Raises ``pytest.UsageError`` for what cannot be meant."""
    words = said(option, config)
    if words is None:
        return option.default
    if not all(line.strip() for line in words.lines):
        raise pytest.UsageError(f"{words.option}: {EMPTY}")
    try:
        return option.read(words)
    except ValueError as error:
        raise pytest.UsageError(f"{words.option}: {error}") from None


def said(option: Option, config: pytest.Config) -> Said | None:
    """Return what was said on the command line or else in the ini file; there, '' says nothing."""
    given = config.getoption(option.flag) if option.flag else None
    if given is not None:
        return Said(option.flag or "", _lines(given), config.invocation_params.dir, True)
    given = config.getini(option.key)
    return Said(option.key, _lines(given), config.rootpath, False) if given else None


def _lines(given: Any) -> tuple[str, ...]:
    return tuple(given) if isinstance(given, list) else (str(given),)
