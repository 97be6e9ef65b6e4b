"""``toolsandbox new``: questions on a terminal, and a scenario that can be played."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from command_line import Run

ANSWERS = """\
Turn the wifi off!
phne
phone

Please turn off the wifi.
set_wifi
?
get_wifi_status, set_wifi_status
off, wifi
"""


def test_five_questions_make_a_scenario(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(ANSWERS))
    printed = run("new")
    assert printed.status == 0, printed
    assert "unknown world 'phne'; did you mean 'phone'?" in printed.out
    assert "an answer is needed" in printed.out
    assert "unknown tool 'set_wifi'; did you mean 'set_wifi_status'?" in printed.out
    assert "add_contact, " in printed.out
    assert (folder / "turn_the_wifi_off.scenario.yaml").read_text() == (
        "world: phone\n"
        "user: {opening: Please turn off the wifi.}\n"
        "milestones:\n"
        "  get_wifi_status_called: {call: get_wifi_status}\n"
        "  set_wifi_status_called: {call: set_wifi_status}\n"
        "  told: {says: {mentions: ['off', wifi]}}\n"
    )
    assert run("check", ".").lines[0].endswith("it has no counterexample")


def test_nothing_is_written_without_all_answers(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "scenarios").mkdir()
    (folder / "scenarios" / "wifi.scenario.yaml").write_text("")
    monkeypatch.setattr("sys.stdin", io.StringIO("Wifi\nWifi again\nphone\n"))
    printed = run("new", "scenarios")
    assert (printed.status, printed.err) == (1, "nothing was written: the answers ended\n")
    assert "scenarios/wifi.scenario.yaml is there already; use other words" in printed.out
    assert [file.name for file in (folder / "scenarios").iterdir()] == ["wifi.scenario.yaml"]
