"""A file that one option names is destroyed by no other one."""

from __future__ import annotations

import os

import pytest
from desk import Suite

KEPT = '{"baseline": 1}\n'


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
    one, other = names
    assert result.errlines[0] == f"ERROR: {one}: it is the file of {other} too; name another one"
    assert (folder.path / "kept").read_text() == KEPT
    assert not (folder.path / "new").exists()


def test_a_run_goes_on_in_its_own_file(light: Suite) -> None:
    results = light.path / "results.jsonl"
    light.run("--agent=oracle", f"--sandbox-results={results}")
    for option in ([], ["--sandbox-results=./results.jsonl"]):
        result = light.run("--agent=oracle", f"--sandbox-resume={results}", *option)
        assert result.ret == pytest.ExitCode.OK
