"""What a run has brought is destroyed by no option that names its file."""

from __future__ import annotations

import os

import pytest
from desk import Suite

KEPT = "torn, and nothing that can be recognised\n"


@pytest.fixture
def folder(light: Suite) -> Suite:
    """A folder with a file that is there, links to it, and one to a folder."""
    light.write("kept", KEPT)
    (light.path / "link").symlink_to("kept")
    os.link(light.path / "kept", light.path / "twin")
    (light.path / "here").symlink_to(".")
    return light


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["--sandbox-results=new", "--sandbox-html=new"], ("--sandbox-html", "--sandbox-results")),
        (
            ["--sandbox-results=new", "--sandbox-brief=here/new"],
            ("--sandbox-brief", "--sandbox-results"),
        ),
        (["--sandbox-html=new", "--sandbox-brief=./new"], ("--sandbox-html", "--sandbox-brief")),
        (["--sandbox-resume=kept", "--sandbox-html=kept"], ("--sandbox-html", "--sandbox-resume")),
        (
            ["--sandbox-rejudge=kept", "--sandbox-brief=link"],
            ("--sandbox-brief", "--sandbox-rejudge"),
        ),
        (
            ["--sandbox-baseline=kept", "--sandbox-results=twin", "--sandbox-overwrite"],
            ("--sandbox-results", "--sandbox-baseline"),
        ),
        (
            ["--sandbox-baseline=kept", "-o", "sandbox_brief=kept"],
            ("sandbox_brief", "--sandbox-baseline"),
        ),
    ],
)
def test_two_options_of_one_file(folder: Suite, options: list[str], names: tuple[str, str]) -> None:
    result = folder.run("--agent=oracle", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    first, other = names
    assert result.errlines[0] == f"ERROR: {first}: it is the file of {other} too; name another one"
    assert (folder.path / "kept").read_text() == KEPT
    assert not (folder.path / "new").exists()


@pytest.mark.parametrize("option", ["--sandbox-html", "--sandbox-brief", "sandbox_html"])
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('{"record": 2, "id": "a.yaml::a"', "records"),
        ('{"record":2}\n', "records"),
        ('{"baseline": 1}\n', "a baseline"),
        ('{"run": "3e58fb8e"}\n', "a baseline"),
        ('<<<<<<< HEAD\n{"id": "a.yaml::a"}\n', "a baseline"),
    ],
)
def test_records_and_baselines_are_kept(light: Suite, option: str, text: str, kept: str) -> None:
    file = light.write("kept", text)
    words = [f"{option}=kept"] if option.startswith("-") else ["-o", f"{option}=kept"]
    result = light.run("--agent=oracle", *words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    why_not = f"it holds {kept}, which would be lost; name another file"
    assert result.errlines[0] == f"ERROR: {option}: cannot write to kept: {why_not}"
    assert file.read_text() == text


@pytest.mark.parametrize("text", ["", "<!doctype html>", "# All passed", '{"messages": []}\n'])
@pytest.mark.parametrize("option", ["--sandbox-html", "--sandbox-brief"])
def test_other_files_are_replaced(light: Suite, option: str, text: str) -> None:
    file = light.write("page", text)
    assert light.run("--agent=oracle", f"{option}=page").ret == pytest.ExitCode.OK
    assert file.read_text() not in ("", text)


def test_a_run_goes_on_in_its_own_file(light: Suite) -> None:
    results = light.path / "results.jsonl"
    light.run("--agent=oracle", f"--sandbox-results={results}")
    for option in ([], ["--sandbox-results=./results.jsonl"]):
        result = light.run("--agent=oracle", f"--sandbox-resume={results}", *option)
        assert result.ret == pytest.ExitCode.OK
