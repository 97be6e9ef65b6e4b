import gc
from collections.abc import Iterator

import pytest

from pytest_toolsandbox.concurrency.garbage_collection import lasting, seldom, undisturbed


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    gc.enable()
    gc.unfreeze()


def test_what_lasts_is_not_looked_through() -> None:
    gc.unfreeze()
    with lasting():
        assert not gc.isenabled()
        made: list[list[object]] = [[[]] for _ in range(100)]
    assert gc.isenabled()
    assert gc.get_freeze_count() > len(made)


def test_what_is_made_while_tests_run_may_become_garbage() -> None:
    gc.unfreeze()
    with undisturbed():
        assert not gc.isenabled()
    assert gc.get_freeze_count() == 0


def test_python_looks_for_garbage_again_after_an_error() -> None:
    with pytest.raises(ImportError), lasting():
        raise ImportError
    assert gc.isenabled()


def test_a_run_that_looks_for_no_garbage_goes_on_so() -> None:
    gc.disable()
    with lasting():
        pass
    assert not gc.isenabled()


def test_python_looks_less_often_in_a_block() -> None:
    gc.set_threshold(700, 10, 9)
    with seldom():
        assert gc.get_threshold() == (20_000, 10, 9)
    assert gc.get_threshold() == (700, 10, 9)


@pytest.mark.parametrize("own", [(0, 10, 10), (50_000, 5, 5)])
def test_who_looks_less_often_still_is_left_alone(own: tuple[int, int, int]) -> None:
    gc.set_threshold(*own)
    with seldom():
        assert gc.get_threshold() == own
    assert gc.get_threshold() == own
