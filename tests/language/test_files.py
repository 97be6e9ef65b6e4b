"""Which files hold scenarios."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_toolsandbox.language.files import find_files, is_scenario_file, scenario_name


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    "name", ["a.scenario.yaml", "a.scenario.yml", "deep/er/a.b.scenario.yaml", ".scenario.yaml"]
)
def test_a_file_is_known_by_its_name(tmp_path: Path, name: str) -> None:
    assert is_scenario_file(written(tmp_path / name, "anything"))


@pytest.mark.parametrize(
    "name", ["a.yaml", "a.scenario.json", "scenario.yaml", "a.scenario.yaml.bak", "scenarios.yaml"]
)
def test_other_names_say_nothing(tmp_path: Path, name: str) -> None:
    assert not is_scenario_file(written(tmp_path / name, "world: phone"))


WITH_WORLD = [
    "world: phone\n",
    "world : phone",
    '"world": phone',
    "'world': phone",
    "# comment\n\nsummary: x\nworld: phone\n",
    "\ufeffworld: phone",
    "user: {}\r\nworld: phone\r\n",
    "world:\n  phone",
]
WITHOUT_WORLD = [
    "",
    "worlds: phone",
    "my_world: phone",
    "  world: phone",
    "a:\n  world: phone",
    "# world: phone",
    "- world: phone",
    "text: world: phone",
]


@pytest.mark.parametrize("text", WITH_WORLD)
def test_below_scenarios_a_file_is_known_by_its_world(tmp_path: Path, text: str) -> None:
    assert is_scenario_file(written(tmp_path / "scenarios" / "phone" / "a.yaml", text))
    assert is_scenario_file(written(tmp_path / "scenarios" / "a.yml", text))
    assert not is_scenario_file(written(tmp_path / "elsewhere" / "a.yaml", text))


@pytest.mark.parametrize("text", WITHOUT_WORLD)
def test_below_scenarios_other_files_are_left_alone(tmp_path: Path, text: str) -> None:
    assert not is_scenario_file(written(tmp_path / "scenarios" / "a.yaml", text))


def test_only_yaml_is_looked_into(tmp_path: Path) -> None:
    assert not is_scenario_file(written(tmp_path / "scenarios" / "a.txt", "world: phone"))
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
    found = [path.relative_to(tmp_path).as_posix() for path in find_files([tmp_path, other])]
    assert found == ["a/z.scenario.yaml", "b.scenario.yaml", "scenarios/x.yaml", "any.txt"]
    monkeypatch.chdir(tmp_path / "scenarios")
    assert list(find_files([Path()])) == [Path("x.yaml")]
    assert list(find_files([Path()], ["*.yml"])) == []


@pytest.mark.parametrize(
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
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return set(result.stdout.split())


def test_looking_for_files_needs_nothing_heavy() -> None:
    modules = imported_with("pytest_toolsandbox.language.files")
    assert not modules & {"pydantic", "yaml", "jmespath", "jsonschema", "pytest"}
    ours = {name for name in modules if name.startswith("pytest_toolsandbox.")}
    assert ours == {"pytest_toolsandbox.language", "pytest_toolsandbox.language.files"}


def test_the_plugin_does_not_import_the_language() -> None:
    modules = imported_with("pytest_toolsandbox.plugin")
    assert not modules & {"pydantic", "yaml", "pytest_toolsandbox.language.models"}


def test_loading_needs_what_is_heavy_only_where_a_scenario_does() -> None:
    modules = imported_with("pytest_toolsandbox.language.loading")
    assert {"pydantic", "yaml"} <= modules
    heavy = {"jmespath", "jsonschema", "scipy", "pint", "litellm"}
    assert not modules & heavy
