"""What is in the wheel, built from the checkout and from the source distribution."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from pytest_toolsandbox.commands.init import TEMPLATE_FILES, WORLDS

ROOT = Path(__file__).parents[1]
SUITES = "pytest_toolsandbox/scenarios/"
TEMPLATE = "pytest_toolsandbox/commands/template/"


def built(source: Path, target: str, folder: Path) -> Path:
    """Build a distribution, without pip and its network, and return its file."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (file,) = folder.iterdir()
    return file


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the source distribution unpacks to."""
    folder = tmp_path_factory.mktemp("source")
    with tarfile.open(built(ROOT, "sdist", folder)) as archive:
        archive.extractall(folder, filter="data")
    (unpacked,) = (path for path in folder.iterdir() if path.is_dir())
    return unpacked


def test_the_wheel_has_the_suites_and_the_template(source: Path, tmp_path: Path) -> None:
    wheel = contents(built(source, "wheel", tmp_path))
    suites = {name: wheel[name] for name in wheel if name.startswith(SUITES)}
    assert suites == {SUITES + name: text for name, text in files(source / "scenarios").items()}
    template = {name: wheel[name] for name in wheel if name.startswith(TEMPLATE)}
    of_worlds = {f"worlds/{name}" for files in WORLDS.values() for name, _ in files.values()}
    assert template == {
        TEMPLATE + name: (source / TEMPLATE / name).read_bytes()
        for name in (*TEMPLATE_FILES, *of_worlds)
    }
    assert {name.partition("/")[0].partition("-")[0] for name in wheel} == {"pytest_toolsandbox"}


def test_the_source_distribution_makes_the_same_wheel(source: Path, tmp_path: Path) -> None:
    for name in ("of_source", "of_checkout"):
        (tmp_path / name).mkdir()
    of_source = contents(built(source, "wheel", tmp_path / "of_source"))
    of_checkout = contents(built(ROOT, "wheel", tmp_path / "of_checkout"))
    assert set(of_source) == set(of_checkout)


def test_an_editable_install_has_no_copy_of_the_suites(source: Path, tmp_path: Path) -> None:
    wheel = contents(built(source, "wheel:editable", tmp_path))
    assert [name for name in wheel if "dist-info" not in name] == ["_pytest_toolsandbox.pth"]
    assert wheel["_pytest_toolsandbox.pth"].decode() == str(source)


def files(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
