"""``toolsandbox pick``: the items of stored results that tell agents apart best."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pytest_toolsandbox.gate.picking import Played, pick
from pytest_toolsandbox.gate.rates import Passes
from pytest_toolsandbox.gate.samples import Sample
from pytest_toolsandbox.text.formatting import pluralize

from .parsing import CommandError
from .record_files import arms_in, stored_sample


def pick_items(files: Sequence[Path], budget: int) -> int:
    """Print the ids of the chosen items, and how well they tell agents apart to stderr."""
    played = _played(sample for file in dict.fromkeys(files) for sample in _samples(file))
    try:
        picked = pick(played, budget)
    except ValueError as error:
        names = ", ".join(map(str, files))
        raise CommandError(f"{names}: {error}; name runs of the same scenarios") from None
    print(*picked.ids, sep="\n")
    size = f"{len(picked.ids)} of {pluralize(picked.common, 'item')}"
    agents = ", ".join(played)
    if len(played) == 1:
        text = f"{size}, whose results are most open; they were played by {agents} alone"
        print(f"{text}: name runs of several agents to tell them apart", file=sys.stderr)
        return 0
    separation = f"{picked.separation:.2f}; of all {picked.of_all:.2f}"
    print(f"{size} that {agents} have played; separation {separation}", file=sys.stderr)
    return 0


def _samples(file: Path) -> Iterator[tuple[str, Sample]]:
    """Yield the agents of a file with their trials."""
    arms = arms_in(file, is_silent=True)
    yield from ((name, arm.sample) for name, arm in arms.items())
    if not arms:
        sample = stored_sample(file, is_silent=True)
        names = dict.fromkeys(name for run in sample.runs for name in run.agents)
        yield ", ".join(names), sample


def _played(samples: Iterable[tuple[str, Sample]]) -> Played:
    """Return the trials of each agent in all files; quarantined scenarios are left out."""
    played: dict[str, dict[str, Passes]] = {}
    for agent, sample in samples:
        items = played.setdefault(agent, {})
        for name, scenario in sample.scenarios.items():
            results = scenario.all_results
            if results and not scenario.quarantined:
                before = items.get(name, Passes(0, 0))
                passed = sum(result.passed for result in results)
                items[name] = Passes(before.passed + passed, before.trials + len(results))
    return played
