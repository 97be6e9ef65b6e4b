"""The command that plays an item again as it was played, for the brief."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest

from pytest_toolsandbox.plugin.options import OPTIONS, Option
from pytest_toolsandbox.records.reading import without_agent
from pytest_toolsandbox.text.redaction import redacted
from pytest_toolsandbox.text.shells import join_command

_PLAYING: Final = {
    *("agent", "prompt", "call_format", "augment", "feedback", "aliases"),
    *("user", "user_style", "user_prompt", "user_retries", "user_review"),
    *("judge", "words", "judge_votes", "judge_criteria", "embedder", "thresholds"),
    *("trials", "pass_", "rejudge", "record", "cassettes", "scenario_files"),
}
"""Settings that decide what is said in a conversation, and whether it passes."""
_NOT_ALONE: Final = {("trials", "auto"), ("record", "all")}
"""Values that are left out: ``auto`` needs the other items, ``all`` would replace a cassette."""
_UNKNOWN: Final = ("fixture", "unknown")
"""Agents of records that ``--agent`` does not name."""


def command(nodeid: str, record: Mapping[str, Any], config: pytest.Config) -> str:
    """Return the command, with the options that were typed; those of the ini file hold anyway."""
    agent = record["agent"]
    name = without_agent(nodeid, (record.get("agent_settings") or {}).get("label"))
    options = [*_typed_options(config)]
    if agent not in _UNKNOWN:  # of several agents, this one alone
        options = [(key, text) for key, text in options if key != "agent"]
        options.insert(0, ("agent", f"--agent={agent}"))
    words = ["pytest", _from_here(name, config), *(text for _, text in options)]
    return redacted(join_command(words))


def _from_here(nodeid: str, config: pytest.Config) -> str:
    """Return an id as it is typed in the current folder; pytest's own is relative to its root."""
    file, separator, name = nodeid.partition("::")
    folder, path = config.invocation_params.dir, config.rootpath / file
    is_here = folder == config.rootpath or not path.exists()  # bundled suites have other names
    return nodeid if is_here else f"{os.path.relpath(path, folder)}{separator}{name}"


def _typed_options(config: pytest.Config) -> Iterator[tuple[str, str]]:
    """Yield the field of each option on the command line that concerns playing, and its words."""
    flags = {option.flag: option for option in OPTIONS if option.flag}
    keys = {option.key: option for option in OPTIONS}
    arguments = iter(map(str, config.invocation_params.args))
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if option := flags.get(name):
            if not equals and option.reader != "flag":
                value = next(arguments, "")
            if _is_needed(option, value):
                yield option.field, f"{name}={value}" if option.reader != "flag" else name
        elif name == "--override-ini" or name.startswith("-o"):
            setting = argument.removeprefix("-o").removeprefix("--override-ini=")
            setting = setting if "=" in setting else next(arguments, "")
            key, _, value = setting.partition("=")
            if key in keys and _is_needed(keys[key], value):
                yield "", f"--override-ini={setting}"


def _is_needed(option: Option, value: str) -> bool:
    return option.field in _PLAYING and (option.field, value) not in _NOT_ALONE
