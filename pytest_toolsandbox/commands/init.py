"""``toolsandbox init``: a first scenario in a project, with an agent that passes it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from . import CommandError
from .new_files import write_new

TEMPLATE = Path(__file__).parent / "template"
"""The files as they are written."""

TEMPLATE_FILES: Mapping[str, str] = {
    "scenarios/conftest.py": "a world with two tools, and the agent: put yours in its place",
    "scenarios/cancel_an_order.scenario.yaml": "a conversation, and what must come of it",
    ".github/workflows/scenarios.yml": "plays the scenarios on GitHub",
}
"""File → what it is for."""

COMMANDS: Mapping[str, str] = {
    "pytest scenarios/": "passes: the agent in scenarios/conftest.py",
    "pytest scenarios/ --agent=counterexample": "fails: it says 'cancelled' and cancels nothing",
    "toolsandbox check scenarios/": "proves that the scenario can tell them apart",
}
"""What to do next → what comes of it."""


def write_template(folder: Path) -> int:
    """Write the files below ``folder``, which need not exist: all of them, or none."""
    files = {folder / name: TEMPLATE / name for name in TEMPLATE_FILES}
    if there := [f"{file} is there already\n" for file in files if os.path.lexists(file)]:
        remedy = "nothing was written; name another folder: toolsandbox init DIR"
        raise CommandError("".join(there) + remedy)
    write_new({file: template.read_bytes() for file, template in files.items()})
    print("wrote:")
    _print_aligned({str(folder / name): text for name, text in TEMPLATE_FILES.items()})
    print("next:")
    if folder.resolve() != Path.cwd():
        print(f"  cd {shlex.quote(str(folder))}")
    _print_aligned({command: f"# {text}" for command, text in COMMANDS.items()})
    return 0


def _print_aligned(texts: Mapping[str, str]) -> None:
    width = max(map(len, texts))
    for left, right in texts.items():
        print(f"  {left:{width}}  {right}")
