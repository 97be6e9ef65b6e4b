"""Vectors of texts."""

from __future__ import annotations

import pytest

from pytest_toolsandbox.runs.cassettes.cassette import RecordedVectors, read_vector, written_vector


def test_a_vector_is_read_back_with_seven_digits() -> None:
    vector = [0.1, -2.5, 1e-9]
    once = read_vector(written_vector(vector))
    assert once == pytest.approx(vector, rel=1e-6)
    assert read_vector(written_vector(once)) == once


def test_what_is_kept_is_not_asked_for() -> None:
    asked: list[str] = []

    def embed(texts: list[str]) -> list[list[float]]:
        asked.extend(texts)
        return [[float(len(text)), 0.5] for text in texts]

    first = RecordedVectors({}, embed)
    assert first(["one", "three"]) == [[3.0, 0.5], [5.0, 0.5]]
    assert first(["three", "two"]) == [[5.0, 0.5], [3.0, 0.5]]
    assert RecordedVectors(first.kept, embed)(["two", "one"]) == [[3.0, 0.5], [3.0, 0.5]]
    assert asked == ["one", "three", "two"]
