from __future__ import annotations

import pytest
from cosines import Cosines

from pytest_toolsandbox.evaluation.tooltalk.text_similarity import text_similarity_in_use
from pytest_toolsandbox.matchers.embedding import EmbedderError, using


def test_without_an_embedder_it_is_the_f1_of_words() -> None:
    similarity = text_similarity_in_use()
    assert similarity.name == "token_f1"
    assert similarity("Buy milk", "buy oat milk") == pytest.approx(0.8)


def test_texts_without_words_are_alike() -> None:
    assert text_similarity_in_use()("...", " ") == 1


def test_with_an_embedder_it_is_the_cosine() -> None:
    with using(Cosines("Buy milk", {"get some milk": 0.75})):
        similarity = text_similarity_in_use()
        assert similarity.name == "cosine"
        assert similarity("Buy milk", "get some milk") == pytest.approx(0.75)
        assert similarity("get some milk", "Buy milk") == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("x", "x", 1), ("", "", 1), ("", " \n", 1), ("", "x", 0), ("x", " ", 0)],
)
@pytest.mark.parametrize("embedded", [False, True])
def test_nobody_is_asked_about_the_same_text_or_a_blank_one(
    one: str, other: str, expected: float, embedded: bool
) -> None:
    embedder = Cosines("", {})
    with using(embedder if embedded else None):
        assert text_similarity_in_use()(one, other) == expected
    assert embedder.asked == []


def test_the_embedders_failure_is_an_error() -> None:
    def failing(_: list[str]) -> list[list[float]]:
        raise ConnectionError("no route")

    with using(failing), pytest.raises(EmbedderError) as caught:
        text_similarity_in_use()("a", "b")
    assert str(caught.value).startswith("the embedder failed: ConnectionError: no route (")
