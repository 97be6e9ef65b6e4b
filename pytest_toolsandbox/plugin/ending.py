"""How a run ends in the middle of an agent that nothing interrupts, as pytest would end it."""

from __future__ import annotations

import signal
import traceback
from types import FrameType, TracebackType

import pytest

from .playing.players import player_of
from .reporting.telling import tell_records


def end_within(session: pytest.Session, frame: FrameType) -> None:
    """Come to the end of a run as pytest does, in the ``frame`` of an agent that goes on and on.

    The finished trials of the item that it plays are kept. Ctrl-C now ends the process.
    """
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, 0)
    config, hook = session.config, session.config.hook
    try:
        if capture := config.pluginmanager.get_plugin("capturemanager"):
            capture.suspend_global_capture(in_=True)
        if item := player_of(config).item:
            item.keep_finished()
            tell_records(item)
        try:
            raise KeyboardInterrupt().with_traceback(
                TracebackType(None, frame, frame.f_lasti, frame.f_lineno)
            )
        except KeyboardInterrupt:
            hook.pytest_keyboard_interrupt(excinfo=pytest.ExceptionInfo.from_current())
        session.exitstatus = pytest.ExitCode.INTERRUPTED
        hook.pytest_sessionfinish(session=session, exitstatus=session.exitstatus)
        config._ensure_unconfigure()  # noqa: SLF001  # as at its own end
    except BaseException:  # noqa: BLE001  # nobody else would ever tell it
        traceback.print_exc()
