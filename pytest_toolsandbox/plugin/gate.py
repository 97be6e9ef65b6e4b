"""What fails a session with ``--sandbox-gate=means``: a missed minimum, and any other failure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pytest

from pytest_toolsandbox.wording.phrases import counted


def decide_by_means(
    session: pytest.Session,
    failed_scenarios: int,
    missed: Collection[str],
    unspoken_of: Sequence[str],
) -> str | None:
    """Let a session pass in which only scenarios failed, and their means suffice.

    ``missed`` are the minimums that were not reached; ``unspoken_of`` are the failed scenarios
    that no minimum speaks of. Returns a line that says what became of the failed scenarios.
    """
    if not failed_scenarios or session.exitstatus != pytest.ExitCode.TESTS_FAILED:
        return None
    failed = counted(failed_scenarios, "failed scenario")
    if reason := _why_it_fails(session, failed_scenarios, missed, unspoken_of):
        return f"gate: by means, {failed} would not fail the session, but {reason}"
    session.exitstatus = pytest.ExitCode.OK
    return f"gate: by means, {failed} did not fail the session"


def _why_it_fails(
    session: pytest.Session,
    failed_scenarios: int,
    missed: Collection[str],
    unspoken_of: Sequence[str],
) -> str | None:
    if session.shouldfail or session.shouldstop:
        return "it was cut short, and a part has other means"
    if others := session.testsfailed - failed_scenarios:
        return f"there {'is' if others == 1 else 'are'} {counted(others, 'other failure')}"
    if missed:
        return "a minimum was missed"
    if unspoken_of:
        return f"no minimum speaks of {', '.join(unspoken_of)}"
    return None
