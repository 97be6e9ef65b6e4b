"""Which files hold scenarios."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from rows import every

from pytest_toolsandbox.language.files import find_files, is_scenario_file, scenario_name


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    ("name", "is_known"),
    [
        ("a.scenario.yaml", True),
        ("a.scenario.yml", True),
        ("deep/er/a.b.scenario.yaml", True),
        (".scenario.yaml", True),
        ("a.yaml", False),
        ("a.scenario.json", False),
        ("scenario.yaml", False),
        ("a.scenario.yaml.bak", False),
        ("scenarios.yaml", False),
        ("scenarios/a.txt", False),
    ],
)
def test_a_file_is_known_by_its_name(tmp_path: Path, name: str, *, is_known: bool) -> None:
    assert is_scenario_file(written(tmp_path / name, "world: phone")) is is_known


@pytest.mark.parametrize(
    ("text", "is_known"),
    [
        ("world: phone\n", True),
        ("world : phone", True),
        ('"world": phone', True),
        ("'world': phone", True),
        ("# comment\n\nsummary: x\nworld: phone\n", True),
        ("\ufeffworld: phone", True),
        ("user: {}\r\nworld: phone\r\n", True),
        ("world:\n  phone", True),
        ("", False),
        ("worlds: phone", False),
        ("my_world: phone", False),
        ("  world: phone", False),
        ("a:\n  world: phone", False),
        ("# world: phone", False),
        ("- world: phone", False),
        ("text: world: phone", False),
    ],
)
def test_below_scenarios_a_file_is_known_by_its_world(
    tmp_path: Path, text: str, *, is_known: bool
) -> None:
    assert is_scenario_file(written(tmp_path / "scenarios" / "phone" / "a.yaml", text)) is is_known
    assert is_scenario_file(written(tmp_path / "scenarios" / "a.yml", text)) is is_known
    assert not is_scenario_file(written(tmp_path / "elsewhere" / "a.yaml", text))
    assert not is_scenario_file(tmp_path / "scenarios" / "missing.yaml")
    (tmp_path / "scenarios" / "folder.yaml").mkdir()
    assert not is_scenario_file(tmp_path / "scenarios" / "folder.yaml")


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ("*.yaml", True),
        ("a.*", True),
        ("cases/*.yaml", True),
        ("*/cases/*.yaml", True),
        ("b.*", False),
        ("other/*.yaml", False),
    ],
)
def test_patterns_stand_in_the_place_of_all_that(
    tmp_path: Path, pattern: str, matches: bool
) -> None:
    assert is_scenario_file(written(tmp_path / "cases" / "a.yaml", "x"), [pattern]) is matches
    assert not is_scenario_file(written(tmp_path / "c.scenario.yaml", "x"), ["b.*", "*.yml"])


def test_files_are_found_below_folders_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("b.scenario.yaml", "a/z.scenario.yaml", "a/b.txt", "c.scenario.yaml/d"):
        written(tmp_path / name, "")
    written(tmp_path / "scenarios" / "x.yaml", "world: phone")
    other = written(tmp_path / "any.txt", "")
    files = [path.relative_to(tmp_path).as_posix() for path in find_files([tmp_path, other])]
    assert files == ["a/z.scenario.yaml", "b.scenario.yaml", "scenarios/x.yaml", "any.txt"]
    monkeypatch.chdir(tmp_path / "scenarios")
    assert list(find_files([Path()])) == [Path("x.yaml")]
    assert list(find_files([Path()], ["*.yml"])) == []


@every(
    ("file", "name"),
    [
        ("a.yaml", "a"),
        ("a.yml", "a"),
        ("a.scenario.yaml", "a"),
        ("a.b.scenario.yml", "a.b"),
        ("a.scenario", "a.scenario"),
        ("folder/a.yaml", "a"),
    ],
)
def test_the_name_of_the_only_scenario(file: str, name: str) -> None:
    assert scenario_name(Path(file)) == name


def imported_with(module: str) -> set[str]:
    code = f"import sys, {module}; print(' '.join(sys.modules))"
    return set(subprocess.check_output([sys.executable, "-c", code], text=True).split())


def test_heavy_packages_are_imported_where_they_are_needed() -> None:
    modules = imported_with("pytest_toolsandbox.language.files")
    assert not modules & {"pydantic", "yaml", "jmespath", "jsonschema", "pytest"}
    ours = {name for name in modules if name.startswith("pytest_toolsandbox.")}
    assert ours == {"pytest_toolsandbox.language", "pytest_toolsandbox.language.files"}
    modules = imported_with("pytest_toolsandbox.plugin")
    assert not modules & {"pydantic", "yaml", "pytest_toolsandbox.language.models"}
    modules = imported_with("pytest_toolsandbox.language.loading")
    assert {"pydantic", "yaml"} <= modules
    assert not modules & {"jmespath", "jsonschema", "scipy", "pint", "httpx", "litellm"}
