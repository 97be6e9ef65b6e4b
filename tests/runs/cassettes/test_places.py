"""Where cassettes lie."""

from __future__ import annotations

from pathlib import Path

from pytest_toolsandbox.runs.cassettes.inventory import cassette_path


def place(item: str, file: str = "late.scenario.yaml", agent: str = "claude") -> str:
    return cassette_path(Path("cassettes"), agent, Path(file), item).as_posix()


def test_a_file_of_one_scenario_has_its_cassettes_beside_each_other() -> None:
    assert place("late") == "cassettes/claude/late.cassette.yaml"
    assert place("late[all_tools]") == "cassettes/claude/late.all_tools.cassette.yaml"


def test_the_scenarios_of_a_file_are_in_a_folder_of_its_name() -> None:
    assert place("soon") == "cassettes/claude/late/soon.cassette.yaml"
    assert place("late", "late.yaml") == "cassettes/claude/late.cassette.yaml"


def test_two_names_have_two_places_whatever_characters_are_in_them() -> None:
    names = ["openai/gpt", "openai-gpt", "openai:gpt", "../gpt", "gpt", "x" * 300, "x" * 301, "Zoë"]
    places = [place("late", agent=name) for name in names]
    assert len({*places}) == len(names)
    for path in places:
        assert path.count("/") == 2
        assert len(path) < 150
    assert place("late", agent="openai/gpt").startswith("cassettes/openai-gpt-")
