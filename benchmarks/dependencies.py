"""Measures what the package's dependencies cost: megabytes, packages, and first imports.

Prints a table in Markdown, the one in ``docs/dependencies.md``, read off the environment at hand.
Packages and megabytes of a row are those of the dependency and of all that it needs; others may
need the same, and the last row counts each package once. Import times are CPU milliseconds over
those of Python alone, the median of several processes. ``startup.py`` holds the last row to limits.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PLUGIN = "pytest-toolsandbox"


@dataclass(frozen=True)
class Dependency:
    """What a dependency is for, and the import that a scenario pays for."""

    purpose: str
    module: str


DEPENDENCIES = {
    "pytest": Dependency("runs the scenarios", "pytest"),
    "pytest-xdist": Dependency("`-n auto`", "xdist.plugin"),
    "pyyaml": Dependency("scenario files", "yaml"),
    "pydantic": Dependency("the shape of scenario files, arguments of tools", "pydantic"),
    "jsonschema": Dependency("checks the arguments of calls", "jsonschema"),
    "jinja2": Dependency("the HTML report", "jinja2"),
    "jmespath": Dependency("`path:` in values", "jmespath"),
    "numpy": Dependency("statistics of the gate, what scipy counts with", "numpy"),
    "scipy": Dependency("assignment of rows, minimum cuts of milestones", "scipy.optimize"),
    "rapidfuzz": Dependency("`rouge_l`, searches of the phone", "rapidfuzz.distance"),
    "regex": Dependency("regular expressions of scenarios, in bounded time", "regex"),
    "phonenumberslite": Dependency("phone numbers of the phone", "phonenumbers"),
    "pint": Dependency("units of the phone", "pint"),
    "holidays": Dependency("holidays of the phone", "holidays"),
    "geographiclib": Dependency("distances of the phone", "geographiclib.geodesic"),
    "filelock": Dependency("locks of files that several runs write", "filelock"),
    "tzdata": Dependency("time zones where the system has none", "tzdata"),
    "httpx": Dependency("models, extra `[models]`", "httpx"),
    "litellm": Dependency("models of all other providers, extra `[litellm]`", "litellm"),
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=5, help="processes for each import")
    runs = parser.parse_args().runs
    bare = _milliseconds("sys", runs)
    print("| package | for | packages | MB | first import |\n|---|---|---|---|---|")
    for name, dependency in DEPENDENCIES.items():
        took = _milliseconds(dependency.module, runs) - bare
        _print_row(f"`{name}`", dependency.purpose, needed_packages(name), f"{max(took, 0):.0f} ms")
    _print_row("all without extras", "", core_packages(), "")


def core_packages() -> set[str]:
    """Return the canonical names of all packages of an installation without extras."""
    return {package for name in _direct() for package in _needed(name)}


def needed_packages(name: str) -> set[str]:
    """Return the canonical names of a package and of all that it needs here."""
    return set(_needed(name))


def megabytes(packages: Iterable[str]) -> float:
    """Return the size of packages without byte code, which depends on what was run."""
    return sum(map(_megabytes, packages))


def _print_row(name: str, purpose: str, packages: set[str], took: str) -> None:
    print(f"| {name} | {purpose} | {len(packages)} | {megabytes(packages):.1f} | {took} |")


def _direct() -> Iterator[str]:
    """Yield what the package needs without extras."""
    for line in importlib.metadata.requires(PLUGIN) or ():
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield canonicalize_name(requirement.name)


def _needed(name: str, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield a package and all that it needs here, under their canonical names."""
    name = canonicalize_name(name)
    if name in seen:
        return
    yield name
    for line in importlib.metadata.requires(name) or ():
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield from _needed(requirement.name, seen | {name})


def _megabytes(name: str) -> float:
    distribution = importlib.metadata.distribution(name)
    paths = (distribution.locate_file(file) for file in distribution.files or ())
    kept = (path for path in map(str, paths) if not path.endswith(".pyc"))
    return sum(_size(path) for path in kept) / 1e6


def _size(path: str) -> int:
    return Path(path).stat().st_size if Path(path).is_file() else 0


def _milliseconds(module: str, runs: int) -> float:
    """Return the CPU time of a process that imports a module, in milliseconds."""
    command = [sys.executable, "-c", f"import {module}"]
    environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}  # else it asks the network
    times = []
    for _ in range(runs + 1):  # the first one writes byte code
        before = _used()
        subprocess.run(command, check=True, env=environment)
        times.append((_used() - before) * 1000)
    return statistics.median(times[1:])


def _used() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
