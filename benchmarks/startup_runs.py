"""Runs pytest again and again in one process, in each environment in turn.

``startup_runs.py RUNS FOLDER...`` prints, as JSON, the CPU milliseconds of each of the runs in each
folder of packages. Python and pytest itself are loaded before: that takes many times as long as
what is looked for, and its noise would hide it. Whatever the first folder's run has not loaded is
forgotten before each run, so that it is loaded anew.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import json
import sys
import time


def main() -> None:
    """Measure, after a run in each folder that writes the byte code."""
    runs, folders, path = int(sys.argv[1]), sys.argv[2:], sys.path[1:]
    bare = set(sys.modules)
    for folder in reversed(folders):
        _milliseconds([folder, *path], bare)
    known = {name for name in sys.modules if not name.startswith("test_")}
    pairs = [[_milliseconds([folder, *path], known) for folder in folders] for _ in range(runs)]
    print(json.dumps(pairs))


def _milliseconds(path: list[str], known: set[str]) -> float:
    """Return the CPU time of a run that finds its modules on ``path``, all but ``known`` anew."""
    sys.path[:] = path
    for name in set(sys.modules) - known:
        del sys.modules[name]
    importlib.invalidate_caches()
    import pytest

    gc.enable()
    gc.collect()
    gc.disable()  # what earlier runs have left is no part of this one
    with contextlib.redirect_stdout(io.StringIO()):
        before = time.process_time()
        pytest.main(["--collect-only", "-q", "-p", "no:cacheprovider"])
        return (time.process_time() - before) * 1000


if __name__ == "__main__":
    main()
