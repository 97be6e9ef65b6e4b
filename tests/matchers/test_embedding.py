from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from typing import Any

import pytest
from cosines import Cosines
from rows import every

from pytest_toolsandbox.matchers import embedding
from pytest_toolsandbox.matchers.embedding import EmbedderError, Embeddings, current, using

RETURNS = "it must return one vector of numbers for every text"


def always(value: Any) -> Callable[[list[str]], Any]:
    return lambda _: value


def directions(*vectors: Sequence[float]) -> Embeddings:
    return Embeddings(lambda texts: vectors[: len(texts)])


@every(
    ("vector", "other", "cosine"),
    [
        ([1, 0], [1, 0], 1),
        ([1, 0], [0, 1], 0),
        ([3, 4], [4, 3], 24 / 25),
        ([1, 1], [2, 2], 1),
        ([1, 0], [-1, 0], 0),
        ([1, 0], [-1, 2], 0),
        ([0, 0], [1, 0], 0),
        ([0, 0], [0, 0], 0),
        ([1e200, 1e200], [1e200, 0], math.sqrt(1 / 2)),
        ([5e-324, 5e-324], [1, 1], 1),
        ([0.1] * 3, [0.3] * 3, 1),
        ((1, 0), range(2), 0),
    ],
)
def test_the_cosine_lies_between_0_and_1(
    vector: Sequence[float], other: Sequence[float], cosine: float
) -> None:
    similarity = directions(vector, other).similarity("a", "b")
    assert similarity == pytest.approx(cosine, abs=1e-12)
    assert 0 <= similarity <= 1


def test_arrays_of_numpy_will_do() -> None:
    numpy = pytest.importorskip("numpy")
    embeddings = Embeddings(always(numpy.array([[3, 4], [4, 3]], dtype="float32")))
    assert embeddings.similarity("a", "b") == pytest.approx(0.96)


def test_texts_that_are_needed_together_are_embedded_together_and_once() -> None:
    embedder = Cosines("a", {"b": 0.5, "c": 0.25})
    embeddings = Embeddings(embedder)
    assert embeddings.similarity("a", "b") == pytest.approx(0.5)
    assert embeddings.similarity("a", "c") == pytest.approx(0.25)
    assert embeddings.similarity("b", "a") == pytest.approx(0.5)
    assert embeddings.similarity("c", "c") == pytest.approx(1)
    assert embedder.asked == [["a", "b"], ["c"]]


def test_the_least_recently_used_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "KEPT", 2)
    embedder = Cosines("a", {"b": 0.5, "c": 0.25})
    embeddings = Embeddings(embedder)
    for other in "bcbbc":
        embeddings.similarity("a", other)
    assert embedder.asked == [["a", "b"], ["c"], ["b"], ["c"]]
    assert len(embeddings._kept) == 2


@every(
    ("returned", "what"),
    [
        (None, "nothing for 2 texts"),
        (5, "an int for 2 texts"),
        ("ab", "a str for 2 texts"),
        ({"a": [1]}, "a dict for 2 texts"),
        ([], "0 vectors for 2 texts"),
        ([[1.0]], "1 vector for 2 texts"),
        ([[1.0]] * 3, "3 vectors for 2 texts"),
        ([0.5, 0.5], "a float in place of a vector"),
        ([[], []], "nothing in place of a vector"),
        ([None, None], "nothing in place of a vector"),
        (["AAAA", "AAAA"], "a str in place of a vector"),
        ([[[1.0]], [[1.0]]], "a vector of something else than numbers"),
        ([["a"], ["b"]], "a vector of something else than numbers"),
        ([[1.0], [math.nan]], "a vector with a number that is not finite"),
        ([[1.0], [math.inf]], "a vector with a number that is not finite"),
        ([[1.0], [10**400]], "a vector with a number that is not finite"),
        ([[1.0], [1.0, 2.0]], "vectors of 1 and of 2 numbers"),
    ],
)
def test_what_is_no_vectors(returned: Any, what: str) -> None:
    with pytest.raises(EmbedderError) as caught:
        Embeddings(always(returned)).similarity("a", "b")
    assert str(caught.value) == f"the embedder returned {what}; {RETURNS}"


def test_what_is_no_vectors_of_one_text_or_of_a_coroutine() -> None:
    with pytest.raises(EmbedderError, match=r"^the embedder returned 2 vectors for 1 text; "):
        Embeddings(always([[1.0], [1.0]]))(["a"])

    async def embed(texts: list[str]) -> list[list[float]]:
        return [[1.0] for _ in texts]

    with pytest.raises(EmbedderError) as caught:
        Embeddings(embed).similarity("a", "b")  # type: ignore[arg-type]  # a user's mistake
    what = "a coroutine; make it a plain function, not async"
    assert str(caught.value) == f"the embedder returned {what}; {RETURNS}"


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("no such\n   model"), "the embedder failed: ValueError: no such model"),
        (KeyError(), "the embedder failed: KeyError"),
        (RuntimeError("x" * 300), f"the embedder failed: RuntimeError: {'x' * 199}…"),
        (EmbedderError("a/b: no API key"), "a/b: no API key"),
    ],
)
def test_an_embedder_that_fails_fails_in_a_line(error: Exception, line: str) -> None:
    def embed(_: list[str]) -> list[list[float]]:
        raise error

    with pytest.raises(EmbedderError) as caught:
        Embeddings(embed).similarity("a", "b")
    assert str(caught.value).partition(" (")[0] == line
    assert caught.value is error or caught.value.__cause__ is error


def test_a_generator_may_fail_too() -> None:
    def embed(texts: list[str]) -> Iterator[list[float]]:
        yield from ([1 / len(text)] for text in texts)

    with pytest.raises(EmbedderError, match=r"^the embedder failed: ZeroDivisionError: "):
        Embeddings(embed)(["a", ""])  # type: ignore[arg-type]  # a generator is no sequence
    assert [list(vector) for vector in Embeddings(embed)(["a"])] == [[1]]  # type: ignore[arg-type]


def test_nothing_is_kept_of_a_failure() -> None:
    answers: Iterator[list[list[float]]] = iter([[[1.0]], [[1.0], [1.0]]])
    embeddings = Embeddings(lambda _: next(answers))
    with pytest.raises(EmbedderError):
        embeddings.similarity("a", "b")
    assert embeddings.similarity("a", "b") == 1


def test_without_an_embedder_it_says_what_to_do() -> None:
    with pytest.raises(EmbedderError) as caught:
        current()
    assert str(caught.value) == (
        "the matcher 'semantic' needs an embedder: define a fixture 'embedder' "
        "in conftest.py, or set the ini option sandbox_embedder (for toolsandbox check, "
        "--embedder) to module:attribute, "
        "provider/model or sentence-transformers/NAME"
    )


def test_an_embedder_is_used_inside_of_its_block() -> None:
    outer, inner = Cosines("a", {"b": 0.5}), Cosines("a", {"b": 0.25})
    with using(outer):
        assert current().similarity("a", "b") == pytest.approx(0.5)
        with using(inner):
            assert current().similarity("a", "b") == pytest.approx(0.25)
        assert current().similarity("a", "b") == pytest.approx(0.5)
        with using(None), pytest.raises(EmbedderError):
            current()
    with pytest.raises(EmbedderError):
        current()
    with pytest.raises(ZeroDivisionError), using(outer):
        _ = 1 / 0
    with pytest.raises(EmbedderError):
        current()


def test_every_block_remembers_for_itself_unless_it_is_given_what_remembers() -> None:
    embedder = Cosines("a", {"b": 0.5})
    for _ in range(2):
        with using(embedder):
            current().similarity("a", "b")
    assert len(embedder.asked) == 2
    embeddings = Embeddings(embedder)
    for _ in range(2):
        with using(embeddings):
            assert current() is embeddings
            current().similarity("a", "b")
    assert len(embedder.asked) == 3


def test_threads_have_embedders_of_their_own_and_tasks_that_of_their_block() -> None:
    seen: list[object] = []

    def look() -> None:
        try:
            seen.append(current())
        except EmbedderError:
            seen.append(None)

    async def look_later() -> None:
        await asyncio.sleep(0)
        look()

    async def tasks(embeddings: Embeddings) -> None:
        with using(embeddings):
            task = asyncio.create_task(look_later())
        await task

    embeddings = Embeddings(Cosines("a", {}))
    asyncio.run(tasks(embeddings))
    with using(embeddings):
        context = copy_context()
        for target in (look, lambda: context.run(look)):
            thread = threading.Thread(target=target)
            thread.start()
            thread.join()
    assert seen == [embeddings, None, embeddings]


def test_threads_may_share_what_remembers() -> None:
    cosines = {str(number): number / 100 for number in range(1, 50)}
    embeddings = Embeddings(Cosines("a", cosines))
    wrong: list[str] = []

    def compare() -> None:
        wrong.extend(
            text
            for text, cosine in cosines.items()
            if not math.isclose(embeddings.similarity("a", text), cosine)
        )

    threads = [threading.Thread(target=compare) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
