"""How a project puts its own hands on the agent under test.

A fixture named ``agent`` in any ``conftest.py`` replaces the one that ``--agent`` makes, or, as
here, wraps it: every request to the agent is logged, and pytest shows the log of a scenario that
fails. To test an agent of your own, return it instead.
"""

from __future__ import annotations

import logging
from typing import Any

import pytest

from pytest_toolsandbox import Agent, wrap_agent

logger = logging.getLogger("agent")


@pytest.fixture(scope="session")
def agent(agent: Agent) -> Any:
    """Return the agent that ``--agent`` names, with a log of what it is asked."""

    def log(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> None:
        logger.info("asked with %d messages and %d tools", len(messages), len(tools))

    return wrap_agent(agent, before=log)
