"""Parts of a suite."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, strategies as st

from pytest_toolsandbox.runs.sharding import Shard, balanced, cut_shard

WEIGHTS = st.dictionaries(st.text(max_size=3), st.floats(0, 1000), max_size=12)


@given(WEIGHTS, st.integers(1, 5), st.randoms())
def test_each_is_in_one_part_whatever_the_order(
    weights: Mapping[str, float], count: int, random: object
) -> None:
    parts = balanced(weights, count)
    assert len(parts) == count
    assert sorted(name for part in parts for name in part) == sorted(weights)
    names = list(weights)
    random.shuffle(names)  # type: ignore[attr-defined]
    assert balanced({name: weights[name] for name in names}, count) == parts


@given(WEIGHTS, st.integers(1, 5))
def test_no_part_is_much_heavier_than_it_must_be(weights: Mapping[str, float], count: int) -> None:
    heaviest = max(sum(map(weights.__getitem__, part)) for part in balanced(weights, count))
    least = max([sum(weights.values()) / count, *weights.values()])
    assert heaviest <= least * (2 - 1 / count) + 1e-6  # Graham's bound by these two


def parts(of: int, seconds: Mapping[str, float], **trials: int) -> list[set[str]]:
    items = dict.fromkeys(trials, "as it is")
    cut = [cut_shard(Shard(number, of), items, trials, seconds) for number in range(1, of + 1)]
    assert len({shard.record["suite_digest"] for shard in cut}) == 1
    assert [len(shard.items) for shard in cut] == [shard.record["items"] for shard in cut]
    return [set(shard.items) for shard in cut]


def test_without_durations_trials_are_counted() -> None:
    assert parts(2, {}, a=1, b=1, c=1, d=1) == [{"a", "c"}, {"b", "d"}]
    assert parts(2, {}, a=1, b=1, c=1, d=3) == [{"d"}, {"a", "b", "c"}]


def test_past_durations_weigh_and_what_is_new_weighs_as_the_others_do() -> None:
    assert parts(2, {"a": 9, "b": 3, "c": 3}, a=1, b=1, c=1) == [{"a"}, {"b", "c"}]
    assert parts(2, {"a": 8, "b": 2}, a=1, b=1, new=2) == [{"new"}, {"a", "b"}]


@pytest.mark.parametrize(
    ("items", "seconds"),
    [({"a": 1, "b": 3}, {}), ({"a": 1}, {}), ({"a": 1, "b": 2}, {"a": 1, "b": 9})],
)
def test_shards_of_another_suite_are_told_apart(
    items: Mapping[str, int], seconds: Mapping[str, float]
) -> None:
    first = cut_shard(Shard(1, 2), {"a": 1, "b": 2}, {"a": 1, "b": 1}, {})
    other = cut_shard(Shard(2, 2), items, dict.fromkeys(items, 1), seconds)
    assert first.record["suite_digest"] != other.record["suite_digest"]
