"""``toolsandbox init``: write new files, all of them or none.

It writes a first scenario, an agent that passes it, and a workflow; with ``--ci`` a workflow that
compares each change with a baseline.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from pytest_toolsandbox.text.shells import join_command

from . import CommandError, argument, command

TEMPLATE = Path(__file__).parent / "template"
"""The files as they are written."""

TEMPLATE_FILES: Mapping[str, str] = {
    "scenarios/conftest.py": "a world with two tools, and the agent: put yours in its place",
    "scenarios/cancel_an_order.scenario.yaml": "a conversation, and what must come of it",
    ".github/workflows/scenarios.yml": "plays the scenarios on GitHub",
}
"""File → what it is for."""

CI_TEMPLATE = TEMPLATE.with_name("ci_template")
CI_FILES: Mapping[str, str] = {
    ".github/workflows/agent.yml": "says on GitHub whether a change makes the agent worse"
}
"""The same for ``--ci``."""
CI_COMMANDS: Mapping[str, str] = {
    "pytest scenarios/ --sandbox-results=first.jsonl": "plays the agent",
    "toolsandbox baseline add first.jsonl": "makes baseline.jsonl; commit it",
}

COMMANDS: Mapping[str, str] = {
    "pytest scenarios/": "passes: the agent in scenarios/conftest.py",
    "pytest scenarios/ --agent=counterexample": "fails: it says 'cancelled' and cancels nothing",
    "toolsandbox check scenarios/": "proves that the scenario can tell them apart",
}
"""What to do next → what comes of it."""


@command(
    "init",
    argument("folder DIR", "default: here", nargs="?", type=Path, default=Path()),
    argument("--ci", "write a workflow that says on GitHub whether a change makes the agent worse"),
)
def write_template(folder: Path, *, ci: bool) -> int:
    """Write the files below ``folder``, which need not exist: all of them, or none.

    With ``ci`` these are a workflow for a project that has scenarios.
    """
    source, texts = (CI_TEMPLATE, CI_FILES) if ci else (TEMPLATE, TEMPLATE_FILES)
    files = {folder / name: source / name for name in texts}
    if existing := [f"{file} already exists\n" for file in files if os.path.lexists(file)]:
        command = "toolsandbox init --ci DIR" if ci else "toolsandbox init DIR"
        remedy = f"nothing was written; name another folder: {command}"
        raise CommandError("".join(existing) + remedy)
    write_new({file: template.read_bytes() for file, template in files.items()})
    print("wrote:")
    _print_aligned({str(folder / name): text for name, text in texts.items()})
    print("next:")
    if folder.resolve() != Path.cwd():
        print(f"  cd {join_command([str(folder)])}")
    commands = CI_COMMANDS if ci else COMMANDS
    _print_aligned({command: f"# {text}" for command, text in commands.items()})
    return 0


def _print_aligned(texts: Mapping[str, str]) -> None:
    width = max(map(len, texts))
    for left, right in texts.items():
        print(f"  {left:{width}}  {right}")


def write_new(files: Mapping[Path, bytes]) -> None:
    """Write new files and their folders: all, or none. Raises ``CommandError``."""
    with ExitStack() as undo:
        try:
            for file, content in files.items():
                missing = [folder for folder in file.parents if not folder.exists()]
                for folder in reversed(missing):
                    folder.mkdir()
                    undo.callback(folder.rmdir)
                with file.open("xb") as stream:
                    undo.callback(file.unlink)
                    stream.write(content)
        except OSError as error:
            problem = f"nothing was written: {error.filename}: {error.strerror}"
            raise CommandError(problem) from error
        undo.pop_all()
