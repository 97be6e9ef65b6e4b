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
    others = session.testsfailed - failed_scenarios
    if session.shouldfail or session.shouldstop:
        reason = "it was cut short, and a part has other means"
    elif others:
        reason = f"there {'is' if others == 1 else 'are'} {counted(others, 'other failure')}"
    elif missed:
        reason = "a minimum was missed"
    elif unspoken_of:
        reason = f"no minimum speaks of {', '.join(unspoken_of)}"
    else:
        session.exitstatus = pytest.ExitCode.OK
        return f"gate: by means, {failed} did not fail the session"
    return f"gate: by means, {failed} would not fail the session, but {reason}"
