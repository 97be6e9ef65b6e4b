"""``toolsandbox try-agent`` with the aliases of the ini file."""

from __future__ import annotations

from typing import Literal

from pytest_toolsandbox.commands import try_agent as command

from .told import told


def try_agent(agent: str, call_format: Literal["native", "text", "react"]) -> int:
    """Play a small scenario and print all of it; see :mod:`..commands.try_agent`."""
    found = told(())
    if isinstance(found, int):
        return found
    settings, _ = found
    return command.try_agent(agent, call_format, settings.aliases)
