"""All rows of a table are tried, and those that fail are told."""

from __future__ import annotations

import pytest
from rows import every


def test_rows_that_fail_are_told_and_the_others_tried() -> None:
    tried = []

    @every(("divisor", "expected"), [(1, 1), (2, 3), (0, 0), (5, 5)])
    def shares(divisor: int, expected: int) -> None:
        tried.append(divisor)
        if divisor == 5:
            pytest.fail("five")
        assert 6 / divisor == 6 / expected

    with pytest.raises(BaseExceptionGroup, match=r"^3 of 4 rows") as caught:
        shares()
    assert tried == [1, 2, 0, 5]
    kinds = [type(failure) for failure in caught.value.exceptions]
    assert kinds == [AssertionError, ZeroDivisionError, pytest.fail.Exception]
    assert caught.value.exceptions[0].__notes__ == ["in the row divisor = 2, expected = 3"]


def test_values_of_one_name_are_no_rows_and_have_ids() -> None:
    @every("pair", [(1, 2), (3, 3)], ids=sum)
    def differ(pair: tuple[int, int]) -> None:
        assert pair[0] != pair[1]

    with pytest.raises(BaseExceptionGroup) as caught:
        differ()
    assert caught.value.exceptions[0].__notes__ == ["in the row pair = 6"]


def test_a_table_without_rows_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="no rows"):
        every("given", [])


def test_a_row_that_is_skipped_skips_the_test() -> None:
    @every("number", [1])
    def skips(number: int) -> None:
        pytest.skip(f"{number}")

    with pytest.raises(pytest.skip.Exception):
        skips()
