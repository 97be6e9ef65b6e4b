"""What the page about the published data shows is what the program does."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from published_tooltalk import ALARM, EASY, HARD, Json, changed, write_data

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.worlds import world as worlds

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "import-tooltalk.md").read_text(encoding="utf-8")
COMMAND = ["import", "tooltalk", "ToolTalk/data", "tooltalk"]
SHOWN = f"$ toolsandbox {' '.join(COMMAND)}\n"


@pytest.fixture(autouse=True)
def _nothing_stays_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worlds, "_registered", dict(worlds._registered))


@pytest.fixture
def checkout(pytester: pytest.Pytester) -> Path:
    """A checkout with as many conversations as the published one, in the current folder."""
    data = pytester.path / "ToolTalk" / "data"
    return write_data(data, dict(as_many(EASY, 28)), dict(as_many(HARD, 50)))


def as_many(conversations: Mapping[str, Json], count: int) -> Iterator[tuple[str, Json]]:
    yield from conversations.items()
    for index, conversation in enumerate(
        itertools.islice(itertools.cycle(conversations.values()), count)
    ):
        if index >= len(conversations):
            yield f"more-{index}", conversation


@pytest.mark.usefixtures("checkout")
def test_the_page_shows_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(COMMAND) == 0
    assert f"{SHOWN}{capsys.readouterr().out}$ pytest --agent=oracle tooltalk\n" in PAGE
    written = Path("tooltalk/easy/AddAlarm-easy.scenario.yaml").read_text(encoding="utf-8")
    assert f"```yaml\n{written}```" in PAGE


def test_the_page_shows_what_is_said_of_damage(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = ["conversation", 1, "apis", 0, "request", "api_name"]
    misspelled = changed(ALARM, name, "AddAlrm")
    (checkout / "easy" / "AddAlarm-easy.json").write_text(json.dumps(misspelled))
    stranger = changed(EASY["ResetPassword-easy"], ["user", "username"], "adah")
    (checkout / "easy" / "ResetPassword-easy.json").write_text(json.dumps(stranger))
    text = '{\n\n\n\n\n  "name": ""\n  "user": {}}'
    (checkout / "tooltalk" / "golden_conversation_1.json").write_text(text)
    assert main(COMMAND) == 1
    assert f"{SHOWN}{capsys.readouterr().err}```" in PAGE
