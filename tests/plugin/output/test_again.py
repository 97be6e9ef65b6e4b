"""The command of the brief plays a failure again, whatever options it was played with."""

from __future__ import annotations

import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from desk import LIGHT, Suite

from pytest_toolsandbox.plugin.options import OPTIONS
from pytest_toolsandbox.plugin.output import again
from pytest_toolsandbox.plugin.settings import Settings

SOURCE = Path(__file__).parent
PROMPTED = """
def answer(messages, tools):
    return messages[0]["content"]

def polite(messages):
    return None
"""
BESIDE = {
    *(
        "keep_reasoning",
        "max_user_faults",
        "concurrency",
        "retries",
        "sample",
        "shard",
        "durations",
    ),
    *("resume", "dry_run", "baseline", "margin", "inconclusive", "gate", "min_score"),
    *("agent_files", "max_cost", "max_tokens", "max_time", "prices", "results", "overwrite"),
    *("html", "brief", "secrets", "categories"),
}
"""Options that decide nothing about one conversation; a new option is in one of both sets."""


def command(suite: Suite) -> list[str]:
    """Return the words of the only command in the brief."""
    lines = (suite.path / "brief.md").read_text(encoding="utf-8").splitlines()
    (line,) = [line for line in lines if line.startswith("    pytest ")]
    return shlex.split(line)[1:]


def test_a_prompt_is_given_again(suite: Suite) -> None:
    suite.write("mine.py", PROMPTED)
    suite.write("a.scenario.yaml", LIGHT)
    suite.write("my prompt.txt", "Say no.")
    options = ("--agent=mine:answer", "--sandbox-prompt", "my prompt.txt", "--sandbox-trials=2")
    beside = ("--sandbox-brief=brief.md", "-o", "sandbox_user_retries=1", "-q")
    suite.run_apart(*options, *beside)
    assert command(suite) == [
        *("a.scenario.yaml::a", "--agent=mine:answer", "--sandbox-prompt=my prompt.txt"),
        *("--sandbox-trials=2", "--override-ini=sandbox_user_retries=1"),
    ]
    first = (suite.path / "brief.md").read_text(encoding="utf-8")
    suite.run_apart(*command(suite), "--sandbox-brief=brief.md")
    assert (suite.path / "brief.md").read_text(encoding="utf-8") == first


def test_an_item_is_named_as_in_the_current_folder() -> None:
    arguments = ["--sandbox-record=all", "--sandbox-trials", "auto", "--sandbox-user=gpt"]
    config: Any = SimpleNamespace(
        rootpath=SOURCE.parent,
        invocation_params=SimpleNamespace(dir=SOURCE, args=arguments),
    )
    nodeid = f"{SOURCE.name}/test_again.py::x[claude-none]"
    record = {"agent": "claude", "agent_settings": {"label": "claude"}}
    expected = "pytest 'test_again.py::x[none]' --agent=claude --sandbox-user=gpt"
    assert again.command(nodeid, record, config) == expected


def test_every_option_is_for_playing_or_not() -> None:
    fields = {option.field for option in OPTIONS}
    playing = again._PLAYING
    assert fields == playing | BESIDE
    assert not playing & BESIDE
    assert playing <= {*Settings.__dataclass_fields__}
