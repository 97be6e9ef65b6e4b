"""Ask a judge several times, and take the verdict of the majority."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from pytest_toolsandbox.evaluation.opinion import OPINIONS, CriterionOpinion, Opinion
from pytest_toolsandbox.models.errors import JudgeError


def majority(ask: Callable[[], Opinion], votes: int) -> Opinion:
    """Ask so many times, and return the first opinion with the verdict of the majority.

    It says how many votes each verdict got. That words are wrong is one side, on which ``false``
    and ``incomplete`` are counted together. Raises ``JudgeError`` where no side has more than half
    of the votes, since an answer was no opinion, and what ``ask`` raises besides.
    """
    if votes == 1:
        return ask()
    given: list[Opinion] = []
    lost: JudgeError | None = None
    for _ in range(votes):
        try:
            given.append(ask())
        except JudgeError as error:
            lost = error
    right = [one for one in given if one.is_right]
    wrong = [one for one in given if not one.is_right]
    side = max(right, wrong, key=len)
    criteria = _criteria(given, votes)
    if lost is not None and (len(side) <= votes // 2 or criteria is None):
        raise lost
    counts = Counter(one.verdict for one in given)
    verdict = max((one.verdict for one in side), key=counts.__getitem__)
    first = next(one for one in side if one.verdict == verdict)
    kept = {str(name): counts[name] for name in OPINIONS if counts[name]}
    return replace(first, criteria=criteria or (), votes=kept)


def check_votes(votes: object) -> None:
    """Raise ``TypeError`` or ``ValueError`` for a number of votes that can be a tie."""
    if isinstance(votes, bool) or not isinstance(votes, int):
        raise TypeError(f"votes is {votes!r}; expected an odd number, such as 3")
    if votes < 1 or votes % 2 == 0:
        raise ValueError(f"votes is {votes}; expected an odd number, such as 3")


def _criteria(given: Sequence[Opinion], votes: int) -> tuple[CriterionOpinion, ...] | None:
    """Return for each criterion the first opinion of its majority; ``None`` without one."""
    found = []
    for several in zip(*(one.criteria for one in given), strict=True):
        met = [one for one in several if one.met]
        unmet = [one for one in several if not one.met]
        side = max(met, unmet, key=len)
        if len(side) <= votes // 2:
            return None
        found.append(side[0])
    return tuple(found)
