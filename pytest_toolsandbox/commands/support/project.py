"""What the ini file and the options of pytest say of a project, for commands that act as a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.models.usage import Prices
from pytest_toolsandbox.runs.cassettes.inventory import Numbers


@dataclass(frozen=True)
class Project:
    """The settings of a project below its ``root``.

    The ``agents``, those that are recorded, play these ``variants``. ``cassettes`` is the folder of
    cassettes, if one is set; ``scenario_files`` are patterns.
    """

    root: Path = Path()
    aliases: Mapping[str, str] = field(default_factory=dict)
    prices: Prices = field(default_factory=Prices)
    criteria: tuple[str, ...] = ()
    votes: int | None = None
    cassettes: Path | None = None
    trials: Callable[[Scenario], Numbers] = lambda _: Numbers(1, None)
    agents: Sequence[str] = ()
    variants: Sequence[str] = ("",)
    scenario_files: Sequence[str] = ()
