"""The steps of a conversation that may be to blame: where it differs, and what would be right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.solutions import right_conversations
from pytest_toolsandbox.language.roles import ToolStep
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.worlds.state import plain

from .acts import Act, acts_of, added_rows, new_identifiers, without_new
from .alignment import Aligned, aligned

StepKind = Literal["another change", "left out", "other arguments", "other words"]
_KINDS: Final[tuple[StepKind, ...]] = (
    *("another change", "left out", "other arguments", "other words"),
)
"""In the order in which they are tried."""


@dataclass(frozen=True)
class WrongStep:
    """A step that differs from a solution: the index of its ``message``, and what is right.

    ``start`` is the first message of its reply, ``end`` the message after the answers to it.
    ``instead`` is a text or calls; if they stand for the ``whole`` reply, no other call of the
    reply stays. After the ``last`` step the agent does nothing more.
    """

    message: int
    start: int
    end: int
    kind: StepKind
    instead: str | tuple[ToolStep, ...]
    whole: bool
    last: bool


def wrong_steps(scenario: Scenario, trajectory: Trajectory) -> tuple[WrongStep, ...]:
    """Return where a conversation differs from the solutions, the likeliest causes first.

    First come the steps at which the world changed otherwise than in the nearest solution, then
    what was left out, then other arguments and other words; each in the order of the conversation.
    """
    acts = acts_of(scenario, trajectory)
    compared = []
    for solution in right_conversations(scenario):
        alignment = aligned(acts, acts_of(scenario, solution))
        renamed = _renamed_identifiers(scenario, solution, trajectory)
        compared.append((alignment, renamed))
    least = min((alignment.cost for alignment, _ in compared), default=0.0)
    steps: dict[tuple[Any, ...], WrongStep] = {}
    for alignment, renamed in compared:
        for step in _steps(alignment, renamed) if alignment.cost == least else ():
            steps.setdefault((step.message, repr(step.instead)), step)
    return (*sorted(steps.values(), key=lambda step: (_KINDS.index(step.kind), step.message)),)


def _steps(compared: Aligned, renamed: Mapping[str, str]) -> Iterator[WrongStep]:
    pairs = compared.pairs
    for number, pair in enumerate(pairs):
        kind = _kind(compared, number) if pair.cost else None
        right = next((p.right for p in pairs[number:] if p.right is not None), None)
        is_further = pair.act is None and number > 0 and pairs[number - 1].act is None
        if kind is None or right is None or is_further:
            continue  # of several steps that are left out in a row, the first comes first
        instead = _instead(compared.solution[right], renamed)
        for act in _places(compared, number):
            yield _step(compared.acts, act, kind, instead, is_other=None not in pair[:2])


def _places(compared: Aligned, number: int) -> list[int]:
    """Return the acts in whose place a pair may be mended.

    What is left out may come where it is first missed, or at the latest before the next act that
    the solution has, too. Further look-ups are no mistake, so they stay.
    """
    pairs = compared.pairs
    if (act := pairs[number].act) is not None:
        return [act]
    later = (at for at in range(number, len(pairs)) if pairs[at].act is not None)
    following = [at for at in later if pairs[at].right is not None or _kind(compared, at)]
    matched = [at for at in following if pairs[at].right is not None]
    ends = [*following[:1], *(matched[:1] or following[-1:])]
    return [*dict.fromkeys(act for at in ends if (act := pairs[at].act) is not None)]


def _step(
    acts: Sequence[Act],
    place: int,
    kind: StepKind,
    instead: str | tuple[ToolStep, ...],
    *,
    is_other: bool,
) -> WrongStep:
    act = acts[place]
    at_once = sum(other.start == act.start for other in acts)
    return WrongStep(
        act.place,
        act.start,
        act.end,
        kind,
        instead,
        whole=at_once > 1 and not is_other,
        last=act.start == acts[-1].start,
    )


def _kind(compared: Aligned, number: int) -> StepKind | None:
    """Return how a pair differs; ``None`` if it is no mistake to have more."""
    pair = compared.pairs[number]
    act = None if pair.act is None else compared.acts[pair.act]
    right = None if pair.right is None else compared.solution[pair.right]
    if act is None:
        return "left out"
    if act.text is not None:
        return "other words"
    if act.effect and (right is None or pair.cost >= 1):
        return "another change"
    is_early = act.tool in _left_out_tools(compared)
    was_tried = act.failed and act.is_action  # some scenarios forbid to try it
    return "other arguments" if right is not None or is_early or was_tried else None


def _left_out_tools(compared: Aligned) -> set[str | None]:
    """Return the tools of calls that are left out: another call of one may stand for it.

    It was made too early, or with other arguments.
    """
    left = (pair.right for pair in compared.pairs if pair.act is None)
    return {compared.solution[right].tool for right in left if right is not None}


def _instead(right: Act, renamed: Mapping[str, str]) -> str | tuple[ToolStep, ...]:
    """Return an act of a solution as something to say or to call."""
    if right.made is None:
        return right.text or ""
    arguments = _with_names(plain(right.arguments), renamed)
    return (ToolStep(right.made.call.name, arguments),)


def _with_names(value: Any, renamed: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return renamed.get(value, value)
    if isinstance(value, Mapping):
        return {name: _with_names(item, renamed) for name, item in value.items()}
    if isinstance(value, list):
        return [_with_names(item, renamed) for item in value]
    return value


def _renamed_identifiers(
    scenario: Scenario, solution: Trajectory, trajectory: Trajectory
) -> Mapping[str, str]:
    """Return the identifier of each row that a solution adds → that of the same row here."""
    there, here = (_new_rows(scenario, made) for made in (solution, trajectory))
    return {
        identifier: here[content][place]
        for content, identifiers in there.items()
        for place, identifier in enumerate(identifiers)
        if place < len(here.get(content, ()))
    }


def _new_rows(scenario: Scenario, made: Trajectory) -> dict[str, list[str]]:
    """Return the content of each row that was added → the identifiers of such rows, in order."""
    new = new_identifiers(scenario, made)
    rows: dict[str, list[str]] = {}
    for name, row in added_rows(made):
        values = plain(row)
        for identifier in (value for value in values.values() if isinstance(value, str)):
            names = rows.setdefault(f"{name} {sorted(without_new(values, new).items())}", [])
            if identifier in new and identifier not in names:
                names.append(identifier)
    return rows
