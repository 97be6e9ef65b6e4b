"""Command line and ini file as one value."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

import pytest

_SETTINGS = pytest.StashKey["Settings"]()

FEEDBACK = "on, off, or on,off for both"

NO_AGENT = "no agent: give --agent=NAME, or define a fixture named 'agent' in a conftest.py"
"""Why scenarios are skipped that nobody plays."""
NO_RECORD = "there is no stored conversation of this item"
"""Why items are skipped of which nothing can be judged again."""


@dataclass(frozen=True)
class MinimumScore:
    """A mean score, from 0 to 1, that a category's scenarios must reach, or all (``None``).

    ``required`` says that it falls short where nothing was scored: what the command line asks for
    must be shown, while what the ini file says need not concern every run.
    """

    category: str | None
    score: float
    required: bool


@dataclass(frozen=True)
class Settings:
    """What the user asked for.

    ``feedback`` has both values where both arms are to be compared, none where nothing was said;
    ``feedback_is_default`` says that it gives way to what a scenario says.
    """

    agent: str | None
    aliases: Mapping[str, str]
    embedder: str | None
    augmentations: tuple[str, ...]
    feedback: tuple[bool, ...]
    feedback_is_default: bool
    call_format: Literal["native", "text"] | None
    results: Path | None
    rejudge: Path | None
    minimum_scores: tuple[MinimumScore, ...]
    scenario_files: tuple[str, ...]
    thresholds: Mapping[str, float]

    def feedback_of(self, said: bool | None) -> bool | None:  # what a scenario says
        """Return whether a scenario gives feedback, which says so itself or not."""
        if len(self.feedback) != 1 or (self.feedback_is_default and said is not None):
            return said
        return self.feedback[0]


def settings_of(config: pytest.Config) -> Settings:
    """Return what the user asked for. Raises ``pytest.UsageError`` for what cannot be meant."""
    if _SETTINGS not in config.stash:
        config.stash[_SETTINGS] = _read(config)
    return config.stash[_SETTINGS]


def _read(config: pytest.Config) -> Settings:
    if config.getoption("--agent") == "":
        raise pytest.UsageError("--agent: no agent is named; is a variable empty?")
    return Settings(
        agent=config.getoption("--agent") or config.getini("sandbox_agent") or None,
        aliases=_pairs(config, "sandbox_aliases"),
        embedder=config.getini("sandbox_embedder") or None,
        augmentations=_augmentations(config),
        feedback=_feedback(config),
        feedback_is_default=config.getoption("--sandbox-feedback") is None,
        call_format=_call_format(config),
        results=_results_file(config),
        rejudge=_rejudged_file(config),
        minimum_scores=_minimum_scores(config),
        scenario_files=tuple(config.getini("scenario_files")),
        thresholds={
            name: _share("sandbox_thresholds", value)
            for name, value in _pairs(config, "sandbox_thresholds").items()
        },
    )


def _augmentations(config: pytest.Config) -> tuple[str, ...]:
    given = config.getoption("--sandbox-augment")
    option = "sandbox_augment" if given is None else "--sandbox-augment"
    text = config.getini("sandbox_augment") if given is None else given
    if given is None and not text:
        return ()
    from pytest_toolsandbox.language.variants import read_augmentations

    try:
        return read_augmentations(text)
    except ValueError as error:
        raise pytest.UsageError(f"{option}: {error}") from None


def _feedback(config: pytest.Config) -> tuple[bool, ...]:
    given = config.getoption("--sandbox-feedback")
    option = "sandbox_feedback" if given is None else "--sandbox-feedback"
    text = config.getini("sandbox_feedback") if given is None else given
    words = [word.strip() for word in text.split(",") if word.strip()]
    if given is not None and not words:
        raise pytest.UsageError(f"{option}: expected {FEEDBACK}, found nothing")
    for word in words:
        if word not in ("on", "off"):
            raise pytest.UsageError(f"{option}: expected {FEEDBACK}, found {word!r}")
    return tuple(dict.fromkeys(word == "on" for word in words))


def _call_format(config: pytest.Config) -> Literal["native", "text"] | None:
    given = config.getoption("--sandbox-call-format")
    option = "sandbox_call_format" if given is None else "--sandbox-call-format"
    text = config.getini("sandbox_call_format") if given is None else given
    if text in ("native", "text"):
        return cast('Literal["native", "text"]', text)
    if given is None and not text:
        return None
    raise pytest.UsageError(f"{option}: expected native or text, found {text!r}")


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
