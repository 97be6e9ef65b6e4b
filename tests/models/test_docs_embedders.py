"""What the page about embedders shows is what the program does."""

from __future__ import annotations

import configparser
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from rows import every

from pytest_toolsandbox.matchers.embedding import KEPT, EmbedderError, Embeddings, current, using
from pytest_toolsandbox.models.embedders import SentenceTransformer, resolve_embedder
from pytest_toolsandbox.text.quantities import missing

PAGE = (Path(__file__).parents[2] / "docs" / "embedders.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def shown_details() -> Iterator[tuple[str, str, str]]:
    for block in blocks("text")[1].split("\n\n"):
        first, *lines = block.strip("\n").splitlines()
        for line in lines:
            lacks, text = re.split(r"\s{2,}", line, maxsplit=1)
            yield first.removeprefix("expected").strip(), lacks, text


@every(("expected", "lacks", "text"), list(shown_details()))
def test_the_details_are_the_real_ones(expected: str, lacks: str, text: str) -> None:
    assert ", ".join(missing(expected, text)) == lacks


def what_will_do() -> Iterator[tuple[str, str]]:
    table = PAGE.partition("| | equivalent forms | |\n")[2].partition("\n\n")[0]
    for row in table.splitlines()[1:]:
        for group in row.split("|")[2].split(";"):
            expected, *others_of_group = re.findall(r"`(.*?)`", group)
            yield from ((expected, other) for other in [expected, *others_of_group])


@every(("expected", "text"), list(what_will_do()))
def test_what_will_do_in_the_table_does(expected: str, text: str) -> None:
    assert missing(expected, text) == ()
    assert missing(expected, "") != ()


def test_the_error_is_the_real_one() -> None:
    with pytest.raises(EmbedderError) as caught:
        current()
    assert " ".join(blocks("text")[0].split()) == str(caught.value)


def test_the_ini_option_names_an_embedder() -> None:
    (ini,) = blocks("ini")
    parser = configparser.ConfigParser()
    parser.read_string(ini)
    embedder = resolve_embedder(parser["pytest"]["sandbox_embedder"])
    assert embedder == SentenceTransformer("all-MiniLM-L6-v2")


def test_the_fixture_makes_an_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    class Client:
        def __init__(self) -> None:
            self.embeddings = self

        def create(self, *, model: str, input: list[str]) -> Any:  # noqa: A002  # openai's name
            assert model == "text-embedding-3-small"
            return SimpleNamespace(
                data=[SimpleNamespace(embedding=[float(len(text))]) for text in input]
            )

    openai = ModuleType("openai")
    openai.OpenAI = Client  # type: ignore[attr-defined]  # that is how modules are
    monkeypatch.setitem(sys.modules, "openai", openai)
    (program,) = blocks("python")
    plain = re.sub(r"^@pytest.*\n", "", program, flags=re.MULTILINE)
    namespace: dict[str, Any] = {"__name__": __name__}
    exec(compile(plain, "conftest.py", "exec", dont_inherit=True), namespace)
    embedder = namespace["embedder"]()
    assert isinstance(embedder, Embeddings)
    with using(embedder):
        assert current().similarity("a", "ab") == 1


def test_the_number_of_vectors_is_the_real_one() -> None:
    assert f"the last {KEPT} texts" in " ".join(PAGE.split())
