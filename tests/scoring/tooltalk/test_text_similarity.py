from __future__ import annotations

import pytest
from cosines import Cosines
from hypothesis import given, strategies as st
from rows import every

from pytest_toolsandbox.matchers.embedding import EmbedderError, using
from pytest_toolsandbox.scoring.tooltalk.comparison import text_similarity_in_use, token_f1


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


# the F1 of words


TEXTS = st.text(st.sampled_from("abAB ß.,'\t\u00a0É"), max_size=12)


@every(
    ("one", "other", "expected"),
    [
        ("take out the trash", "take out the trash", 1),
        ("Take out, the TRASH!", "take out the trash", 1),
        ("it's", "its", 1),
        ("well-known", "wellknown", 1),
        ("well-known", "well known", 0),
        ("STRASSE", "straße", 1),
        ("a  b\n", "b a", 1),
        ("a b", "a c", 0.5),
        ("a a b", "a", 0.5),
        ("a a b", "a a", 0.8),
        ("“a”", "a", 0),
        ("", "", 1),
        ("", "?!", 1),
        ("", "a", 0),
        ("a", "...", 0),
    ],
)
def test_it_is_the_share_of_the_words_that_two_texts_have_in_common(
    one: str, other: str, expected: float
) -> None:
    assert token_f1(one, other) == pytest.approx(expected, abs=0)
    assert token_f1(other, one) == pytest.approx(expected, abs=0)


@given(TEXTS, TEXTS)
def test_it_is_a_similarity(one: str, other: str) -> None:
    assert 0 <= token_f1(one, other) <= 1
    assert token_f1(one, other) == token_f1(other, one)
    assert token_f1(one, one) == 1


@given(TEXTS, TEXTS)
def test_it_is_1_for_the_same_words_alone(one: str, other: str) -> None:
    def words(text: str) -> list[str]:
        kept = "".join(char for char in text.casefold() if char not in ".,'")
        return sorted(kept.split())

    assert (token_f1(one, other) == 1) == (words(one) == words(other))


@given(st.lists(st.sampled_from("abcd"), min_size=1))
def test_the_order_of_words_does_not_count(words: list[str]) -> None:
    assert token_f1(" ".join(words), " ".join(sorted(words))) == 1
    assert token_f1(" ".join(words), " ".join([*words, "e"])) == pytest.approx(
        2 * len(words) / (2 * len(words) + 1)
    )
