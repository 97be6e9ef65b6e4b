"""Where the bundled suites lie, what their files are called, and which arguments name them."""

from __future__ import annotations

from pathlib import Path

import pytest

import pytest_toolsandbox
from pytest_toolsandbox import suites

CHECKOUT = Path(__file__).parents[1]
PACKAGE = Path(pytest_toolsandbox.__file__).parent
FILE = "phone/calls/ring.scenario.yaml"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The suites of a package that is installed below the folder ``environment``."""
    package = tmp_path / "environment" / "pytest_toolsandbox"
    for name in ("phone/calls", "office", ".cache", "__pycache__"):
        (package / "scenarios" / name).mkdir(parents=True)
    (package / "scenarios" / FILE).touch()
    (package / "scenarios" / "notes.txt").touch()
    monkeypatch.setattr(suites, "__file__", str(package / "suites.py"))
    return package / "scenarios"


def test_the_suites_of_an_installed_package(folder: Path, tmp_path: Path) -> None:
    assert suites.suites_folder() == folder
    assert suites.suites() == {"office": folder / "office", "phone": folder / "phone"}
    assert list(suites.suites()) == ["office", "phone"]
    (tmp_path / "link").symlink_to(folder.parent)
    for place in (folder, tmp_path / "link" / "scenarios"):  # a link changes no id
        assert suites.bundled_id(place / FILE) == f"scenarios/{FILE}"
    for other in (folder, folder.parent / "a.yaml", tmp_path / "scenarios" / FILE):
        assert suites.bundled_id(other) is None


def test_the_suites_of_a_checkout_lie_beside_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scenarios" / "phone").mkdir(parents=True)
    monkeypatch.setattr(suites, "__file__", str(tmp_path / "pytest_toolsandbox" / "suites.py"))
    assert suites.suites() == {"phone": tmp_path / "scenarios" / "phone"}


def test_the_suites_of_this_package_are_those_of_the_checkout() -> None:
    """They are copies where a wheel is tested."""
    folder = suites.suites_folder()
    assert folder in (CHECKOUT / "scenarios", PACKAGE / "scenarios")
    assert scenarios(folder) == scenarios(CHECKOUT / "scenarios") != {}


def scenarios(folder: Path) -> dict[str, bytes]:
    """Return path → content of each file."""
    files = folder.rglob("*.yaml")
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


@pytest.mark.parametrize(
    ("argument", "place"),
    [
        ("scenarios", "."),
        ("scenarios/phone", "phone"),
        ("scenarios/phone/", "phone"),
        ("./scenarios/phone/calls", "phone/calls"),
        (f"scenarios/{FILE}", FILE),
        (f"scenarios/{FILE}::ring[x::y]", f"{FILE}::ring[x::y]"),
        (f"../../scenarios/{FILE}::ring", f"{FILE}::ring"),
    ],
)
def test_ids_are_arguments(folder: Path, tmp_path: Path, argument: str, place: str) -> None:
    root = tmp_path / "project"
    expected = str(folder) if place == "." else f"{folder}/{place}"
    assert Path(suites.placed(argument, root / "a" / "b", root)) == Path(expected)


ELSEWHERE = "scenarios/fone scenario/phone phone ../scenarios/phone elsewhere/scenarios/phone"
OUTSIDE = "scenarios/../scenarios/../phone /scenarios/phone"


@pytest.mark.parametrize("argument", [*ELSEWHERE.split(), *OUTSIDE.split(), ""])
@pytest.mark.usefixtures("folder")
def test_other_arguments_are_what_they_are(tmp_path: Path, argument: str) -> None:
    root = tmp_path / "project"
    assert suites.placed(argument, root / "a" / "b", root) == argument


@pytest.mark.parametrize("argument", ["scenarios/phone", f"scenarios/{FILE}::ring"])
def test_what_lies_there_comes_first(folder: Path, tmp_path: Path, argument: str) -> None:
    project_file = tmp_path / "project" / "scenarios" / FILE
    project_file.parent.mkdir(parents=True)
    project_file.touch()
    assert suites.placed(argument, tmp_path / "project", tmp_path) == argument
    assert str(folder) in suites.placed(argument, tmp_path, tmp_path)
