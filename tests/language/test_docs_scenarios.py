"""What the page about scenarios shows is what the program does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_toolsandbox.language import models, yaml12
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.protocols import read_file

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "scenarios.md").read_text(encoding="utf-8")
REFERENCE = PAGE + (DOCS / "milestones.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
YAML = re.findall(r"^```yaml\n(.*?)^```$", REFERENCE, re.MULTILINE | re.DOTALL)
EXAMPLES = [text for text in YAML if "# wrong" not in text]


def test_the_mistakes_are_the_real_ones() -> None:
    at = next(i for i, (_, text) in enumerate(BLOCKS) if text.startswith("# wrong"))
    with pytest.raises(ScenarioError) as caught:
        read_file(BLOCKS[at][1].encode(), "wrong", "wrong.scenario.yaml")
    assert str(caught.value) == BLOCKS[at + 1][1].strip()


KEYS = PAGE.partition("## All keys")[2].partition("\n## ")[0]


def test_every_key_is_in_the_table() -> None:
    rows = [line for line in KEYS.splitlines() if line.startswith("| `")]
    keys = re.findall(r"`(\w+)`", " ".join(row.split("|")[1] for row in rows))
    assert sorted(keys) == sorted(models.ScenarioDocument.model_fields)


@pytest.mark.parametrize(
    ("protocol", "model"),
    [("recorded conversation", models.ConversationDocument), ("query", models.QueryDocument)],
)
def test_what_other_protocols_have_instead(protocol: str, model: type[models.Model]) -> None:
    (row,) = [line for line in KEYS.splitlines() if line.startswith(f"| a [{protocol}]")]
    without, added = (set(re.findall(r"`(\w+)`", cell)) for cell in row.split("|")[2:4])
    assert without == set(models.ScenarioDocument.model_fields) - set(model.model_fields)
    assert added == set(model.model_fields) - set(models.ScenarioDocument.model_fields)


@pytest.mark.parametrize(
    "model",
    [models.UserDocument, models.ReplyDocument, models.EventDocument, models.MinefieldDocument],
)
def test_every_key_of_a_part_is_on_the_page(model: type[models.Model]) -> None:
    shown = {key for text in EXAMPLES for key in re.findall(r"\b(\w+):", text)}
    named = set(re.findall(r"`(\w+)(?::[^`]*)?`", REFERENCE))
    assert set(model.model_fields) <= shown | named


def test_the_limits_are_the_real_ones() -> None:
    limits = f"{yaml12.MAX_BYTES // 10**6} MB, {yaml12.MAX_NESTING} levels, {yaml12.MAX_VALUES:,}"
    assert limits in PAGE
    assert f"{yaml12.MAX_ENTRIES:,} entries of a list or mapping" in PAGE
