"""A cassette: a text that says who plays, what was said in each trial, and the settings."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from textwrap import indent
from typing import Any, Final

import yaml

from pytest_toolsandbox.language.yaml12 import LimitError, load_yaml
from pytest_toolsandbox.language.yaml_writing import write_yaml

from .chats import is_reply
from .exchanges import Exchange, Setting, read_exchanges, written_exchanges

VERSION: Final = 1
_HEAD: Final = "# Recorded by pytest --sandbox-record; how to read it: docs/cassettes.md\n"
_SETTINGS: Final = "settings:\n"
AGAIN: Final = "record it again with --sandbox-record=all"
"""What mends a cassette that cannot be read."""


class UnreadableError(ValueError):
    """What is wrong with a cassette, in one line without its name."""


@dataclass(frozen=True)
class RecordedTrial:
    """What was asked and replied in a trial, and what else its record has to say.

    The settings of requests are left out where they were not read; ``names`` are theirs.
    """

    exchanges: list[Exchange]
    notes: Mapping[str, Any] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Cassette:
    """The recorded trials of an item, by their numbers; ``about`` has its id, agent and user.

    ``shown`` is what errors call it.
    """

    shown: str
    about: Mapping[str, Any]
    written: Mapping[int, Mapping[str, Any]]
    settings_text: str = ""

    def trial(self, number: int) -> RecordedTrial | None:
        """Return a trial without the settings of its requests, or ``None`` without such a trial."""
        if (written := self.written.get(number)) is None:
            return None
        try:
            pairs = [*read_exchanges(written["exchanges"])]
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            raise UnreadableError(f"trial {number} is no list of exchanges; {AGAIN}") from error
        for place, (_, one) in enumerate(pairs, 1):
            if not is_reply(one.reply):
                text = f"trial {number}: reply {place} is neither a text nor calls; {AGAIN}"
                raise UnreadableError(text)
        notes = {key: one for key, one in written.items() if key not in ("trial", "exchanges")}
        return RecordedTrial([one for _, one in pairs], notes, [name for name, _ in pairs])

    def has_setting(self, name: str, setting: Setting) -> bool:
        """Whether requests were made with a setting, which hardly ever has to be read for that."""
        return self._texts.get(name, "") == setting_text(setting) or self.setting(name) == setting

    def setting(self, name: str) -> Setting:
        """Return a setting by its name."""
        return self._settings.get(name) or {}

    @cached_property
    def _texts(self) -> dict[str, str]:
        parts = re.split(r"^  (\S+):\n", self.settings_text, flags=re.MULTILINE)
        return dict(zip(parts[1::2], parts[2::2], strict=True))

    @cached_property
    def _settings(self) -> dict[str, Setting]:
        found = _loaded(f"{_SETTINGS}{self.settings_text}")["settings"]
        return found if isinstance(found, dict) else {}


def cassette_text(about: Mapping[str, Any], trials: Mapping[int, RecordedTrial]) -> str:
    """Return the text of a cassette; the same conversations make the same one."""
    settings: dict[str, Setting] = {}
    written = [
        {
            "trial": number,
            "exchanges": [*written_exchanges(trial.exchanges, settings)],
            **trial.notes,
        }
        for number, trial in sorted(trials.items())
    ]
    texts = "".join(f"  {name}:\n{setting_text(one)}" for name, one in settings.items() if one)
    head = write_yaml({"cassette": VERSION, **about, "trials": written}, folded=False)
    return f"{_HEAD}{head}{_SETTINGS if texts else ''}{texts}"


def read_cassette(text: str, shown: str = "") -> Cassette:
    """Return the cassette that a text is. Raises :class:`UnreadableError`."""
    head, _, settings = text.partition(f"\n{_SETTINGS}")
    found = _loaded(head)
    if not isinstance(found, dict) or "cassette" not in found:
        raise UnreadableError(f"it is no cassette; {AGAIN}")
    if (version := found.pop("cassette")) != VERSION:
        newer = "update pytest-toolsandbox, or " if isinstance(version, int) else ""
        raise UnreadableError(f"its version is {version!r}, not {VERSION}; {newer}{AGAIN}")
    try:
        trials = {operator.index(one["trial"]): one for one in found.pop("trials")}
    except (LookupError, TypeError) as error:
        raise UnreadableError(f"'trials' is no list of trials; {AGAIN}") from error
    return Cassette(shown, found, trials, settings)


def setting_text(setting: Setting) -> str:
    """Return a setting as it stands in a cassette."""
    others = {name: one for name, one in setting.items() if name != "tools"}
    text = write_yaml(others, folded=False) if others else ""
    if tools := setting.get("tools"):
        text += "tools:\n" + "".join(_tool_text(json.dumps(tool)) for tool in tools)
    return indent(text, "    ")


@lru_cache(maxsize=4096)
def _tool_text(tool: str) -> str:
    """Return the text of a tool, which many scenarios have: writing YAML is slow."""
    return write_yaml({"tools": [json.loads(tool)]}, folded=False).partition("\n")[2]


def _loaded(text: str) -> Any:
    try:
        return load_yaml(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"line {mark.line + 1}: " if mark else ""
        what = "" if isinstance(error, LimitError) else "no YAML: "
        raise UnreadableError(f"{place}{what}{error.problem}; {AGAIN}") from None
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        raise UnreadableError(f"no YAML: {error}; {AGAIN}") from None
