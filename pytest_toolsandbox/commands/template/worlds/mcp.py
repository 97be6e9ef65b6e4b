"""A small shop, and the agent that works in it: put your own tools and agent in their place.

The plugin reads this file before the scenarios beside it: it registers the world that they name,
and defines the agent that plays them.
"""

import json
import re
from typing import Any

import pytest

from pytest_toolsandbox import (
    Agent,
    mcp_world,
    register_world,
)

# --- The world: the tools of an MCP server. Name the command that starts yours, and the calls that
# show its tables. Then run: toolsandbox worlds pull scenarios/

register_world(
    mcp_world(
        ["python", "shop_server.py"],
        name="shop",
        tables={"order": {"tool": "list_orders", "key": "order_id"}},
        reads=["list_orders", "find_orders"],
    )
)
