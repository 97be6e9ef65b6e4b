"""What the user asked for, on the command line and in the ini file, as one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from .options import OPTIONS, value
from .readers import Feedback, MinimumScore

_SETTINGS = pytest.StashKey["Settings"]()


@dataclass(frozen=True)
class Settings:
    """A value for each option; the fields are named as the ini options without ``sandbox_``."""

    agent: str | None
    augment: tuple[str, ...]
    feedback: Feedback
    call_format: Literal["native", "text"] | None
    results: Path | None
    overwrite: bool
    rejudge: Path | None
    min_score: tuple[MinimumScore, ...]
    gate: Literal["items", "means"]
    embedder: str | None
    aliases: Mapping[str, str]
    thresholds: Mapping[str, float]
    secrets: tuple[str, ...]
    scenario_files: tuple[str, ...]


def settings_of(config: pytest.Config) -> Settings:
    """Return what the user asked for. Raises ``pytest.UsageError`` for what cannot be meant."""
    if _SETTINGS not in config.stash:
        values = {option.key.removeprefix("sandbox_"): value(option, config) for option in OPTIONS}
        config.stash[_SETTINGS] = _checked(Settings(**values))
    return config.stash[_SETTINGS]


def _checked(settings: Settings) -> Settings:
    """Refuse what cannot be meant together."""
    if settings.gate == "means" and not settings.min_score:
        text = "no minimum is given that means could miss; give --sandbox-min-score=SCORE too"
        raise pytest.UsageError(f"sandbox-gate=means: {text}")
    if settings.results and settings.rejudge and _same(settings.results, settings.rejudge):
        text = "records cannot be written to the file that they are read from; take another one"
        raise pytest.UsageError(f"--sandbox-results: {text}")
    return settings


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()
