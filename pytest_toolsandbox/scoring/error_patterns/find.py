"""Find SpecTool's error patterns in a conversation (Kokane et al. 2024, sections 3 and 6).

``error_patterns`` compares the attempts of the agent with each accepted solution, and reports the
findings against the closest one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.tasks import FINISH
from pytest_toolsandbox.worlds.tool_view import ToolView

from .alignment import Alignment, Comparisons, written_call
from .attempts import Attempt, WrongArgument, attempted_calls, repetitions
from .patterns import AcceptedSolution, ErrorPatterns, Finding, SolutionCall, SolutionErrors

_FAILED_CALL: Final = "a call that failed"
RACE: Final = "a call that failed, since it happened before those made at once with it"

_Distance = tuple[int, int, int, int]
"""The sort key of solutions; the smallest is the closest.

It counts missing calls and wrong values, attempts outside of the solution, agreeing calls
(negative) and findings.
"""


def error_patterns(
    trajectory: Trajectory,
    shown: Mapping[str, ToolView],
    solutions: Sequence[AcceptedSolution] = (),
    *,
    turns_apart: bool = False,
) -> ErrorPatterns:
    """Return the error patterns of a conversation.

    ``shown`` maps the tool names that the agent sees to the tools. Without ``solutions``, only the
    tools decide which values are wrong, and no call counts as missing. With ``turns_apart``, as in
    a replayed conversation, the agent does not know what it did before the last user message. A
    matcher in a solution may raise
    :class:`~pytest_toolsandbox.matchers.embedding.EmbedderError`.
    """
    made = tuple(attempted_calls(trajectory, shown, 0 if turns_apart else trajectory.first))
    repeated = repetitions(made, turns_apart=turns_apart)
    tools = {tool.tool.name: tool for tool in shown.values()}
    texts = (message.content for message in trajectory.messages if message.sender is Role.USER)
    # Only queries offer ``finish``. Their question is the first message of the user.
    question = next(texts, "") if FINISH.name in tools else ""
    shared = Comparisons(made, tools, question)
    # Without a solution, an empty one leaves the findings that need only the tools.
    aligned = [Alignment(shared, repeated, solution) for solution in solutions or ((),)]
    compared = [*map(_against, aligned)]
    if not solutions:
        return ErrorPatterns(compared[0][2])
    closest = min(range(len(compared)), key=lambda place: compared[place][0])
    errors = tuple(solution_errors for _, solution_errors, _ in compared)
    messages = {call: made[place].message for place, call in aligned[closest].pairs}
    calls = tuple(
        SolutionCall(written_call(call, None), messages.get(at))
        for at, call in enumerate(solutions[closest])
    )
    return ErrorPatterns(compared[closest][2], errors, closest, calls)


def _against(alignment: Alignment) -> tuple[_Distance, SolutionErrors, tuple[Finding, ...]]:
    first = [finding for finder in _FINDERS for finding in finder(alignment)]
    # One fault is one finding: if there is another finding, it may be the reason that a call
    # failed. A repetition is no such reason, and nothing else explains a call that lost a race.
    may_be_why = any(finding.pattern != "RAC" for finding in first)
    in_vain = _not_come_through(alignment)
    failed = (finding for finding in in_vain if finding.found == RACE or not may_be_why)
    findings = _in_order([*first, *failed])
    calls = ErrorPatterns(findings).calls
    agreeing = sum(alignment.is_exact(place, accepted) for place, accepted in alignment.pairs)
    distance = calls["IAC"] + calls["IAV"], len(alignment.unpaired), -agreeing, len(findings)
    return distance, SolutionErrors(missing=calls["IAC"], wrong=calls["IAV"]), findings


def _faults(alignment: Alignment) -> Iterator[Finding]:
    """Yield the faults that keep calls from being executed, and texts instead of calls."""
    for attempt in alignment.attempts:
        for fault in attempt.faults:
            yield Finding(
                fault.pattern,
                attempt.message,
                attempt.call,
                fault.function,
                fault.argument,
                f"{fault.expected} at {fault.inside}" if fault.inside else fault.expected,
                attempt.text if attempt.call is None else fault.found,
                nearest=fault.nearest,
            )


def _repeated(alignment: Alignment) -> Iterator[Finding]:
    """Yield the repetitions that are not part of the solution."""
    for place in alignment.unpaired & frozenset(alignment.repeated):
        attempt = alignment.attempts[place]
        expected = "no call that was made before and tells or changes nothing more"
        yield Finding("RAC", attempt.message, attempt.call, attempt.text, None, expected)


def _wrong_values(alignment: Alignment) -> Iterator[Finding]:
    """Yield arguments with other values than in the solution, and arguments that a tool refuses.

    A call that covers no call of the solution is wrong if it was corrected later. If it changed the
    world, it is wrong as a whole: to say how it differs from a call that was made would mislead.
    """
    for place, accepted in alignment.pairs:
        attempt, wrong = alignment.attempts[place], [*alignment.wrong_values(place, accepted)]
        known = {argument.name for argument in wrong}
        refused = (argument for argument in attempt.refused if argument.name not in known)
        yield from _wrong(attempt, [*wrong, *refused])
    for place in sorted(alignment.unpaired.difference(alignment.repeated)):
        attempt = alignment.attempts[place]
        differences = attempt.refused or alignment.wrong_values_beside(place)
        if differences and attempt.changed_the_world and not attempt.refused:
            expected = "no further call that changes the world"
            where = attempt.message, attempt.call, attempt.text
            yield Finding("IAV", *where, expected=expected, given=False)
        else:
            yield from _wrong(attempt, differences)


def _wrong(attempt: Attempt, arguments: Iterable[WrongArgument]) -> Iterator[Finding]:
    where = attempt.message, attempt.call, attempt.text
    for argument in arguments:
        name = attempt.tool.argument_names[argument.name] if attempt.tool else argument.name
        yield Finding("IAV", *where, name, argument.expected, argument.actual, argument.is_given)


def _not_made(alignment: Alignment) -> Iterator[Finding]:
    """Yield the missing calls; a call that lost a race is reported at its attempt."""
    covered = {accepted for _, accepted in alignment.pairs}
    for accepted in range(len(alignment.solution)):
        if accepted not in covered:
            tried = (
                attempt
                for place, attempt in enumerate(alignment.attempts)
                if alignment.is_exact(place, accepted) and attempt.lost_race(alignment.attempts)
            )
            yield _missing(alignment, accepted, next(tried, None))


def _not_come_through(alignment: Alignment) -> Iterator[Finding]:
    """Yield the correct calls that failed and were never repeated with success."""
    for place, accepted in alignment.pairs:
        again = (
            alignment.is_exact(candidate, accepted) and not attempt.failed
            for candidate, attempt in enumerate(alignment.attempts)
        )
        if alignment.has_failed(place, accepted) and not any(again):
            yield _missing(alignment, accepted, alignment.attempts[place])


def _missing(alignment: Alignment, accepted: int, attempt: Attempt | None) -> Finding:
    call = alignment.solution[accepted]
    tool = alignment.tools.get(call.tool)
    raced = attempt is not None and attempt.lost_race(alignment.attempts)
    return Finding(
        "IAC",
        attempt.message if attempt else None,
        attempt.call if attempt else None,
        tool.name if tool else call.tool,
        expected=written_call(call, tool),
        found=(RACE if raced else _FAILED_CALL) if attempt else None,
        given=attempt is not None,
    )


_FINDERS: Final[Sequence[Callable[[Alignment], Iterator[Finding]]]] = (
    _faults,
    _repeated,
    _wrong_values,
    _not_made,
)
"""The functions that find error patterns in an aligned conversation."""


def _in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings in the order of the messages, and within a message by pattern."""
    patterns = list(PATTERNS)
    by_pattern = sorted(findings, key=lambda finding: patterns.index(finding.pattern))
    return tuple(
        sorted(by_pattern, key=lambda finding: (finding.message is None, finding.message or 0))
    )
