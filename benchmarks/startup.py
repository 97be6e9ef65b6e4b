"""Measures what the installed plugin costs a project that does not use it.

Measures the CPU time of ``pytest --collect-only`` on 50 empty tests, in two environments: one with
pytest alone, one in which pytest-toolsandbox is installed as well, so that pytest finds it by its
entry point as it does at a user's. The environments are folders of links to what is installed
here. ``-p no:toolsandbox`` would be no plain pytest: the plugin stays installed, and pytest reads
the list of its files. Nor would the environment at hand without our plugin do: other plugins in it
cost a hundred times as much, and their noise hides ours.

The runs alternate in one process, see ``startup_runs.py``. A busy machine adds to a run and never
takes from it: what counts is the difference between the lowest tenths of the runs. Then counts the
packages and megabytes that come with an installation without extras. The exit status is 1 when a
limit is exceeded.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from dependencies import core_packages, megabytes
from packaging.requirements import Requirement

LIMIT = 6.0
"""Milliseconds of CPU time."""
PACKAGES, MEGABYTES = 40, 250.0
"""What an installation without extras may bring."""
TESTS = 50
PLUGIN = "pytest-toolsandbox"
ROOT = Path(__file__).parents[1]
_INFORMATION = (
    *("INSTALLER", "METADATA", "RECORD", "REQUESTED", "WHEEL"),
    *("entry_points.txt", "licenses/LICENSE"),
)
RUNS = Path(__file__).with_name("startup_runs.py")


def main() -> int:
    """Measure, print lowest tenths and their difference, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=100, help="runs in each environment")
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        project = _project(Path(folder, "project"))
        plain = _environment(Path(folder, "plain"))
        plugged = _environment(Path(folder, "plugged"))
        _install_plugin(plugged)
        pairs = _measured(project, [plain, plugged], runs)
    columns = zip(*pairs, strict=True)
    without, with_plugin = (statistics.quantiles(column, n=10)[0] for column in columns)
    difference = with_plugin - without
    print(
        f"pytest --collect-only, {TESTS} empty tests, CPU time, lowest tenth of {len(pairs)} runs"
    )
    print(f"without the plugin  {without:7.1f} ms")
    print(f"with the plugin     {with_plugin:7.1f} ms")
    print(f"difference          {difference:7.1f} ms  (at most {LIMIT:g})")
    packages = core_packages()
    size = megabytes(packages)
    print(f"installed           {len(packages):7d} packages  (at most {PACKAGES})")
    print(f"                    {size:7.1f} MB  (at most {MEGABYTES:g})")
    too_much = len(packages) > PACKAGES or size > MEGABYTES
    return 1 if difference > LIMIT or too_much else 0


def _project(folder: Path) -> Path:
    folder.mkdir()
    tests = "\n\n".join(f"def test_{number}():\n    pass" for number in range(TESTS))
    (folder / "test_nothing.py").write_text(f"{tests}\n")
    return folder


def _environment(site: Path) -> Path:
    """Make a folder of packages with pytest and what it needs."""
    site.mkdir()
    for name in _needed("pytest"):
        distribution = importlib.metadata.distribution(name)
        tops = {file.parts[0] for file in distribution.files or () if file.parts[0] != ".."}
        for top in tops - {"__pycache__"}:
            (site / top).symlink_to(str(distribution.locate_file(top)))
    return site


def _needed(name: str) -> Iterator[str]:
    yield name
    for line in importlib.metadata.requires(name) or ():
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield from _needed(requirement.name)


def _install_plugin(site: Path) -> None:
    """Install the package as pip does, with the list of its files, which pytest reads."""
    package = ROOT / "pytest_toolsandbox"
    (site / package.name).symlink_to(package)
    information = site / "pytest_toolsandbox-0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {PLUGIN}\nVersion: 0\n")
    (information / "entry_points.txt").write_text(
        "[pytest11]\ntoolsandbox = pytest_toolsandbox.plugin\n"
    )
    files = [path for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    shipped = [*files, *(path for path in (ROOT / "scenarios").rglob("*") if path.is_file())]
    names = [path.relative_to(ROOT).as_posix() for path in shipped]
    # pip compiles all modules, and lists the byte code, too, without hash and size.
    compiled = [importlib.util.cache_from_source(name) for name in names if name.endswith(".py")]
    own = [f"{information.name}/{name}" for name in _INFORMATION]
    lines = [f"{name},sha256={'0' * 43},1234" for name in (*names, *own)]
    lines += [f"{name},," for name in compiled]
    (information / "RECORD").write_text("\n".join(sorted(lines)) + "\n")


def _measured(project: Path, sites: list[Path], runs: int) -> list[list[float]]:
    """Measure in a process of its own, which sees no package but those of the environments."""
    # -S keeps the packages of the Python at hand out of it.
    command = [sys.executable, "-S", str(RUNS), str(runs), *map(str, sites)]
    environment = {**os.environ, "PYTHONPATH": "", "PYTHONHASHSEED": "0"}
    for name in ("PYTEST_ADDOPTS", "PYTHONDONTWRITEBYTECODE"):
        environment.pop(name, None)
    done = subprocess.run(command, cwd=project, env=environment, stdout=subprocess.PIPE, check=True)
    pairs: list[list[float]] = json.loads(done.stdout)
    return pairs


if __name__ == "__main__":
    sys.exit(main())
