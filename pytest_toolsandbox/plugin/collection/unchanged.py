"""``sandbox_agent_files``: reuse the verdict of an earlier run if nothing changed since then."""

from __future__ import annotations

import glob
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

import pytest_toolsandbox
from pytest_toolsandbox.plugin.settings import settings_of
from pytest_toolsandbox.plugin.stash import IMPACT, UNCHANGED

if TYPE_CHECKING:
    from pytest_toolsandbox.language.scenario import Scenario


def named_files(patterns: Iterable[str], folder: Path) -> tuple[list[Path], list[str]]:
    """Return the files below a folder that match patterns, in order, and patterns without any."""
    matches: dict[str, list[Path]] = {}
    for pattern in patterns:
        names = glob.glob(pattern, root_dir=folder, recursive=True, include_hidden=True)  # noqa: PTH207  # Path.glob takes no absolute pattern
        matches[pattern] = [folder / name for name in names if (folder / name).is_file()]
    files = sorted({path for paths in matches.values() for path in paths})
    return files, [pattern for pattern, paths in matches.items() if not paths]


def impact_digest(facts: Mapping[str, Any], files: Sequence[Path], folder: Path) -> str:
    """Return a digest of facts, and of the names and texts of files."""
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode())
    for path in files:
        text = path.read_bytes()
        name = path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)
        digest.update(json.dumps([name, len(text)]).encode() + text)
    return digest.hexdigest()


WHY: Final = "nothing changed that the verdict depends on"
_KEY: Final = "toolsandbox/verdicts"
_MOST: Final = 20
"""Verdicts that are kept: enough for switching between branches."""
_BESIDE: Final = {
    *("results", "overwrite", "brief", "resume", "secrets", "inconclusive", "baseline"),
    *("durations", "dry_run"),
}
"""Settings that change no conversation and no verdict; of the baseline, the text counts."""


def look_for_changes(config: pytest.Config, played: Sequence[tuple[str, Scenario]]) -> None:
    """Note the digest of all that the verdict depends on, and an earlier verdict of the same.

    Only the user can say which files an agent is made of: without ``sandbox_agent_files`` every
    run is played.
    """
    settings = settings_of(config)
    if not (settings.baseline and settings.agent_files and played):
        return
    files, without = named_files(settings.agent_files, config.rootpath)
    if without:
        raise pytest.UsageError(f"sandbox_agent_files: no file is named {without[0]}")
    names = {field.name for field in fields(settings)} - _BESIDE
    facts = {
        "version": pytest_toolsandbox.__version__,
        "settings": {name: repr(getattr(settings, name)) for name in names},
        "scenarios": sorted(_facts(name, scenario) for name, scenario in played),
    }
    digest = impact_digest(facts, [settings.baseline, *files], config.rootpath)
    config.stash[IMPACT] = digest
    if (verdict := kept_verdict(config, digest)) is not None:
        config.stash[UNCHANGED] = verdict


def keep_verdict(config: pytest.Config, digest: str, verdict: dict[str, str]) -> None:
    """Keep a verdict in pytest's cache, with the newest of the others."""
    if (cache := getattr(config, "cache", None)) is not None:
        verdicts = _kept(config)
        verdicts.pop(digest, None)
        cache.set(_KEY, dict([*verdicts.items(), (digest, verdict)][-_MOST:]))


def kept_verdict(config: pytest.Config, digest: str) -> dict[str, str] | None:
    """Return the verdict of an earlier run that depended on the same, if there is one."""
    return _kept(config).get(digest)


def _kept(config: pytest.Config) -> dict[str, dict[str, str]]:
    cache = getattr(config, "cache", None)
    known: Any = cache.get(_KEY, None) if cache is not None else None
    return known if isinstance(known, dict) else {}


def _facts(name: str, scenario: Scenario) -> list[str]:
    from pytest_toolsandbox.records.digests import scenario_digests

    return [name, scenario.digest, *scenario_digests(scenario).values()]
