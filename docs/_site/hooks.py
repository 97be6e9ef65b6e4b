"""Hooks of MkDocs that make a site of the pages which GitHub shows as they are.

They add the pages that are not below ``docs/`` and a reference of the public names, resolve links
out of ``docs/``, and write tables as MkDocs reads them.
"""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "pytest_toolsandbox"
OUTER_PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
"""Pages of the project that are pages of the site, too."""
REFERENCE = "api.md"

_CODE = re.compile(r"^( *)```.*?^\1```", re.MULTILINE | re.DOTALL)
_OUT = re.compile(r"\[([^\]]+)\]\(\.\./([^)#\s]+)(#[^)\s]*)?\)")
_CELL_CODE = re.compile(r"`[^`\n]+`")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Take the addresses of the repository from the variables that GitHub sets."""
    server, repository = (os.environ.get(f"GITHUB_{name}") for name in ("SERVER_URL", "REPOSITORY"))
    if server and repository:
        config.repo_url, config.repo_name = f"{server}/{repository}", repository
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not below ``docs/``."""
    from mkdocs.structure.files import File

    for name in OUTER_PAGES:
        text = ROOT.joinpath(name).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, name, content=text))
    files.append(File.generated(config, REFERENCE, content=reference()))
    return files


def on_page_markdown(markdown: str, config: MkDocsConfig, **_: Any) -> str:
    """Return a page with links and tables as the site needs them."""
    base = f"{config.repo_url.rstrip('/')}/blob/HEAD" if config.repo_url else None
    parts, end = [], 0
    for code in _CODE.finditer(markdown):
        parts += [for_site(markdown[end : code.start()], base), code[0]]
        end = code.end()
    return "".join([*parts, for_site(markdown[end:], base)])


def for_site(text: str, base: str | None) -> str:
    """Return a text without code: links lead out of ``docs/`` to ``base``, if that is known."""

    def out(link: re.Match[str]) -> str:
        words, path, anchor = link[1], link[2], link[3] or ""
        if path in OUTER_PAGES:
            return f"[{words}]({path}{anchor})"
        return f"[{words}]({base}/{path}{anchor})" if base else words

    lines = (_without_escapes(line) if line.startswith("|") else line for line in text.split("\n"))
    return _OUT.sub(out, "\n".join(lines))


def _without_escapes(row: str) -> str:
    r"""Return a row of a table with ``|`` for ``\|`` in code: only GitHub needs the escape."""
    return _CELL_CODE.sub(lambda code: code[0].replace("\\|", "|"), row)


def reference() -> str:
    """Return the page of the public names, by the room that defines them."""
    stub = ast.parse(PACKAGE.joinpath("__init__.pyi").read_text(encoding="utf-8"))
    rooms: dict[str, list[str]] = {}
    for node in stub.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            names = (f"::: {PACKAGE.name}.{node.module}.{name.name}" for name in node.names)
            rooms.setdefault(node.module.partition(".")[0], []).extend(names)
    lines = ["# Python API", f"All of these can be imported from `{PACKAGE.name}`."]
    for room, names in sorted(rooms.items()):
        lines += [f"## {room.capitalize()}", *names]
    return "\n\n".join(lines)
