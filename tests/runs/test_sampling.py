"""Which scenarios of a suite are its sample."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from pytest_toolsandbox.runs.sampling import Place, sampled

SUITE = {
    **{f"p{n}": Place("phone", ("rare",) if n < 4 else ("usual", "long")) for n in range(40)},
    **{f"d{n}": Place("desk", ()) for n in range(3)},
}


def of_phone(size: int) -> Counter[str]:
    names = sampled(SUITE, size) & {name for name in SUITE if name.startswith("p")}
    return Counter(category for name in names for category in SUITE[name].categories)


def test_each_world_has_as_many_as_it_can() -> None:
    worlds = Counter(SUITE[name].world for name in sampled(SUITE, 5))
    assert worlds == {"phone": 5, "desk": 3}


def test_categories_are_balanced_as_far_as_possible() -> None:
    assert of_phone(2) == {"rare": 1, "usual": 1, "long": 1}
    assert of_phone(6) == {"rare": 3, "usual": 3, "long": 3}
    assert of_phone(20) == {"rare": 4, "usual": 16, "long": 16}


def test_a_smaller_sample_is_a_part_and_the_order_is_irrelevant() -> None:
    samples = [sampled(SUITE, size) for size in (1, 5, 20, 99)]
    assert all(small < large for small, large in pairwise(samples))
    assert samples[-1] == frozenset(SUITE)
    assert sampled(dict(reversed(SUITE.items())), 5) == samples[1]


def test_the_choice_is_the_same_on_every_machine() -> None:
    assert sampled(SUITE, 2) == {"d0", "d2", "p1", "p19"}
