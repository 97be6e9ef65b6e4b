"""What a verdict depends on: where nothing of it changed, it holds without a call."""

from __future__ import annotations

import glob
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any


def named_files(patterns: Iterable[str], folder: Path) -> tuple[list[Path], list[str]]:
    """Return the files below a folder that patterns name, in order, and patterns without any."""
    found: dict[str, list[Path]] = {}
    for pattern in patterns:
        names = glob.glob(pattern, root_dir=folder, recursive=True, include_hidden=True)  # noqa: PTH207  # Path.glob takes no absolute pattern
        found[pattern] = [folder / name for name in names if (folder / name).is_file()]
    files = sorted({path for paths in found.values() for path in paths})
    return files, [pattern for pattern, paths in found.items() if not paths]


def impact_digest(facts: Mapping[str, Any], files: Sequence[Path], folder: Path) -> str:
    """Return what changes with any of the facts, and with the name or text of any of the files."""
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode())
    for path in files:
        text = path.read_bytes()
        name = path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)
        digest.update(json.dumps([name, len(text)]).encode() + text)
    return digest.hexdigest()
