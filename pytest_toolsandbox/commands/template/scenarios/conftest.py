"""A small shop, and the agent that works in it: put your own tools and agent in their place.

The plugin reads this file before the scenarios beside it: it registers the world that they name,
and defines the agent that plays them.
"""

import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest

from pytest_toolsandbox import (
    Agent,
    Column,
    Context,
    NoDataError,
    TableSchema,
    World,
    register_world,
    tool,
)

# --- The tools: yours do something to a database or a service; these do it to the tables below.
# Agents see name, arguments and docstring, so copy them from your own tools as they are.


@tool("shop")
def find_orders(context: Context, customer: str) -> list[dict[str, Any]]:
    """Find the orders of a customer.

    Args:
        customer: The customer's full name.
    """
    return [dict(order) for order in context.state["order"].where(customer=customer)]


@tool("shop")
def cancel_order(context: Context, order_id: str) -> None:
    """Cancel an open order.

    Args:
        order_id: The identifier of the order.

    Raises:
        ValueError: If the order is not open.
    """
    orders = context.state["order"].where(order_id=order_id)
    if not orders:
        raise NoDataError(f"there is no order {order_id}")
    if orders[0]["status"] != "open":
        raise ValueError(f"order {order_id} is {orders[0]['status']}")
    context.update("order", orders[0], status="cancelled")


# --- The world: its tables, what is in them at the start, and its clock, which stands still.

ORDERS = [
    {"order_id": "A-17", "customer": "Jun Park", "item": "red kettle"},
    {"order_id": "A-18", "customer": "Jun Park", "item": "blue teapot"},
    {"order_id": "B-04", "customer": "Ada Okafor", "item": "red kettle"},
]
COLUMNS = {
    "order_id": Column(str),
    "customer": Column(str),
    "item": Column(str),
    "status": Column(str, default="open"),
}

register_world(
    World(
        name="shop",
        now=datetime(2025, 3, 14, 9, 0, tzinfo=UTC),
        tables={"order": TableSchema(COLUMNS)},
        toolset=[find_orders, cancel_order],
        initial=lambda _now: {"order": ORDERS},
    )
)


# --- The agent: this one follows a few rules, so that it needs no model and no key.


def rules(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str | dict[str, Any]:
    """Reply to a conversation: with text for the user, or with a message that calls tools.

    Both arguments have the shapes of a chat-completions API, and so has the reply.
    """
    del tools  # a model is shown them
    last = messages[-1]
    text = last["content"]
    if last["role"] == "user":
        name = re.search(r"[A-Z]\w+ [A-Z]\w+", text)
        return call("find_orders", customer=name[0]) if name else "What is your full name?"
    if not text.startswith("["):  # what cancel_order returned: nothing, or why it cannot be done
        return "Your order is cancelled." if text == "null" else f"That did not work: {text}"
    user_texts = " ".join(message["content"] for message in messages if message["role"] == "user")
    for order in json.loads(text):
        if order["item"] in user_texts:
            return call("cancel_order", order_id=order["order_id"])
    return "I cannot find that order."


def call(name: str, **arguments: Any) -> dict[str, Any]:
    """Return a message that calls one tool."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "tool_calls": [{"type": "function", "function": function}]}


@pytest.fixture(scope="session")  # so that conversations can be held at the same time
def agent(request: pytest.FixtureRequest, sandbox_agent: str | None) -> Agent:
    """Return the agent under test: of ``--agent`` or ``sandbox_agent`` (ini file), or yours."""
    if sandbox_agent:
        named: Agent = request.getfixturevalue("agent")  # the plugin's, in whose place this stands
        return named
    return rules  # yours goes here; other fixtures of the session may be arguments
