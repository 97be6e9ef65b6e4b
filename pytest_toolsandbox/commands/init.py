"""``toolsandbox init``: write new files, all of them or none.

It writes a first scenario, an agent that passes it, and a workflow; with ``--ci`` a workflow that
compares each change with a baseline. With ``--agent`` the ini file names the agent.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final, NamedTuple

from pytest_toolsandbox.text.shells import join_command

from .parsing import CommandError

TEMPLATE = Path(__file__).parent / "template"
"""The files as they are written."""

CONFTEST: Final = "scenarios/conftest.py"
TEMPLATE_FILES: Mapping[str, str] = {
    CONFTEST: "two tools and an agent: replace them",
    "scenarios/cancel_an_order.scenario.yaml": "a conversation and its outcome",
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
    "pytest scenarios/": "passes: the agent in conftest.py",
    "pytest scenarios/ --agent=counterexample": "fails: it only says 'cancelled'",
    "toolsandbox check scenarios/": "proves that it tells them apart",
}
"""What to do next → what comes of it."""

WORLDS: Final[Mapping[str, Mapping[str, tuple[str, str]]]] = {
    "tables": {},
    "object": {"conftest.py": ("object.py", "methods of a class")},
    "sqlite": {"conftest.py": ("sqlite.py", "functions of a database")},
    "mcp": {
        "conftest.py": ("mcp.py", "tools of an MCP server"),
        "shop_server.py": ("shop_server.py", "the server: replace it"),
        "shop.world.json": ("shop.world.json", "its tools, as worlds pull writes them"),
    },
}
"""What a world is made of → file of its scenarios → the template, and what the file is for.

A template of ``conftest.py`` has no agent: that of the tables is added.
"""

AGENT_PARTS: Final = {
    "A small shop, and the agent that works in it: put your own tools and agent in their place.": (
        "A small shop: put your own tools in its place. The ini file names the agent."
    ),
    "it registers the world that they name,\nand defines the agent that plays them.": (
        "it registers the world that they name."
    ),
    "import json\nimport re\n": "",
    "import pytest\n\n": "",
    "    Agent,\n": "",
    "passes: the agent in conftest.py": "plays the agent of the ini file",
}
"""What the files say of the template's agent → what they say if the user has one."""
AGENT_BEGINS: Final = "\n\n# --- The agent:"
"""Where the template's agent begins, which is the rest of its file."""
_SECTIONS: Final = {
    **dict.fromkeys(("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini"), ""),
    "pyproject.toml": "[tool.pytest",
    "tox.ini": "[pytest]",
    "setup.cfg": "[tool:pytest]",
}
"""A file that pytest reads its settings from → what it has if it is that file."""


class _Written(NamedTuple):
    """Texts of files by name, what each file is for, and what to do next."""

    texts: Mapping[str, str]
    purposes: Mapping[str, str]
    commands: Mapping[str, str]


def write_template(
    folder: Path, *, ci: bool, agent: str | None, world: str | None, inconclusive: str | None
) -> int:
    """Write the files below ``folder``, which need not exist: all of them, or none.

    With ``ci`` these are a workflow for a project that has scenarios; else ``world`` is one of
    :data:`WORLDS`.
    """
    if world and ci:
        raise CommandError("--world: --ci writes a workflow alone; leave out one of them")
    if inconclusive and not ci:
        raise CommandError("--inconclusive: it is written into the workflow of --ci; add --ci")
    if agent is not None and (not agent.strip() or not agent.isprintable()):
        raise CommandError(f"--agent: {agent!r} names no agent; give it as --agent of pytest")
    written = _workflow(inconclusive or "warn") if ci else _project(agent, world or "tables")
    ini = _ini_file(folder) if agent else None
    if agent and ini is None:
        text = "[pytest]\n# where the agent's module is\npythonpath = .\n"
        purpose = {"pytest.ini": f"names the agent: {agent}"}
        texts = {**written.texts, "pytest.ini": f"{text}sandbox_agent = {agent}\n"}
        written = written._replace(texts=texts, purposes={**written.purposes, **purpose})
    files = {folder / name: text.encode() for name, text in written.texts.items()}
    if existing := [f"{file} already exists\n" for file in files if os.path.lexists(file)]:
        command = "toolsandbox init --ci DIR" if ci else "toolsandbox init DIR"
        remedy = f"nothing was written; name another folder: {command}"
        raise CommandError("".join(existing) + remedy)
    write_new(files)
    print("wrote:")
    _print_aligned({str(folder / name): text for name, text in written.purposes.items()})
    print("next:")
    if folder.resolve() != Path.cwd():
        print(f"  cd {join_command([str(folder)])}")
    if agent and ini:
        value = json.dumps(agent, ensure_ascii=False) if ini.suffix == ".toml" else agent
        print(f"  set in {ini}: sandbox_agent = {value}")
    _print_aligned({command: f"# {text}" for command, text in written.commands.items()})
    return 0


def _workflow(inconclusive: str) -> _Written:
    """Return the workflow of ``--ci``."""
    (name,) = CI_FILES
    text = CI_TEMPLATE.joinpath(name).read_text(encoding="utf-8")
    text = text.replace("--sandbox-inconclusive=warn", f"--sandbox-inconclusive={inconclusive}")
    return _Written({name: text}, CI_FILES, CI_COMMANDS)


def _project(agent: str | None, world: str) -> _Written:
    """Return a first scenario with its world, and with an agent unless the user has one."""
    texts = {name: TEMPLATE.joinpath(name).read_text(encoding="utf-8") for name in TEMPLATE_FILES}
    purposes = dict(TEMPLATE_FILES)
    _, begins, agent_text = texts[CONFTEST].partition(AGENT_BEGINS)
    for name, (template, purpose) in WORLDS[world].items():
        text = TEMPLATE.joinpath("worlds", template).read_text(encoding="utf-8")
        is_conftest = name == "conftest.py"
        texts[f"scenarios/{name}"] = text + (begins + agent_text) * is_conftest
        yours = " and an agent: replace them"
        purposes[f"scenarios/{name}"] = purpose + yours * is_conftest
    if agent is None:
        return _Written(texts, purposes, COMMANDS)
    for name, text in texts.items():
        texts[name] = text.partition(AGENT_BEGINS)[0]
        for part, with_agent in AGENT_PARTS.items():
            texts[name] = texts[name].replace(part, with_agent)
    purposes[CONFTEST] = purposes[CONFTEST].replace(" and an agent", "")
    plays, *further = COMMANDS
    commands = {
        join_command(["toolsandbox", "try-agent", agent]): "shows what it is sent and returns",
        plays: "plays it",
        **{command: COMMANDS[command] for command in further},
    }
    return _Written(texts, purposes, commands)


def _ini_file(folder: Path) -> Path | None:
    """Return the file that pytest reads its settings from below a folder, if there is one."""
    whole = folder.resolve()
    for parent in (whole, *whole.parents):
        for name, section in _SECTIONS.items():
            file = parent / name
            if file.is_file() and section in file.read_text(encoding="utf-8", errors="replace"):
                return Path(os.path.relpath(file))
    return None


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
