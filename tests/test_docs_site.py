"""The documentation as a site, and what a release and a citation say."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
import yaml

import pytest_toolsandbox

pytestmark = pytest.mark.any_pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
CONFIG = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


def hooks() -> Any:
    specification = importlib.util.spec_from_file_location("hooks", DOCS / "_site" / "hooks.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


HOOKS = hooks()


def test_the_navigation_has_every_page() -> None:
    pages = re.findall(r"^ +- .*: (\S+\.md)$", CONFIG.partition("\nnav:")[2], re.MULTILINE)
    written = {page.name for page in DOCS.glob("*.md")}
    assert sorted(pages) == sorted(written | {*HOOKS.OUTER_PAGES, HOOKS.REFERENCE})


def test_the_reference_has_every_public_name() -> None:
    named = re.findall(r"^::: pytest_toolsandbox\.\S*\.(\w+)$", HOOKS.reference(), re.MULTILINE)
    assert sorted(named) == sorted(attrgetter("__all__")(pytest_toolsandbox))


@pytest.mark.parametrize(
    ("text", "base", "shown"),
    [
        (
            "[a *b*](../x/y.yml#z), [c](d.md)",
            "https://h/r",
            "[a *b*](https://h/r/x/y.yml#z), [c](d.md)",
        ),
        ("[`a`](../x/y.yml)", None, "`a`"),
        ("[a](../SECURITY.md)", None, "[a](SECURITY.md)"),
        ("| `a\\|b` | c\\|d |\n`a\\|b`", None, "| `a|b` | c\\|d |\n`a\\|b`"),
    ],
)
def test_pages_of_github_are_pages_of_the_site(text: str, base: str | None, shown: str) -> None:
    assert HOOKS.for_site(text, base) == shown


@pytest.mark.skipif(not importlib.util.find_spec("mkdocs"), reason="needs the group docs")
def test_the_site_is_built_and_a_broken_link_is_an_error(tmp_path: Path) -> None:
    for name in ("docs", "mkdocs.yml", "pytest_toolsandbox", *HOOKS.OUTER_PAGES):
        source, target = ROOT / name, tmp_path / name
        if name == "docs":
            shutil.copytree(source, target)
        else:
            target.symlink_to(source)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 0
    (tmp_path / "docs" / "windows.md").write_text("# Windows\n\n[away](gate.md#nowhere)\n")
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 1


def test_the_readme_on_pypi_has_absolute_links(tmp_path: Path) -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))
    steps = [step.get("run", "") for step in workflow["jobs"]["build"]["steps"]]
    (step,) = [text for text in steps if text.startswith("sed ")]
    assert steps.index(step) < steps.index("python -m build")
    shutil.copy(ROOT / "README.md", tmp_path)
    github = {"SERVER_URL": "https://h", "REPOSITORY": "o/r", "REF_NAME": "v1"}
    environment = {**os.environ, **{f"GITHUB_{name}": value for name, value in github.items()}}
    subprocess.run(["bash", "-ec", step], cwd=tmp_path, env=environment, check=True)
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]*)\)", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    assert "https://h/o/r/blob/v1/docs/gate.md" in links
    assert [link for link in links if not link.startswith("https://")] == []


def test_the_citation_is_of_this_version_and_of_three_papers() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == pytest_toolsandbox.__version__
    assert citation["authors"] == [{"name": "the pytest-toolsandbox developers"}]
    papers = [paper["title"].partition(":")[0] for paper in citation["references"]]
    assert papers == ["ToolSandbox", "ToolTalk", "SpecTool"]
