"""A small MCP server over standard input and output, in the place of yours."""

import json
import sys
from collections.abc import Mapping
from typing import Any

ORDERS = [
    {"order_id": "A-17", "customer": "Jun Park", "item": "red kettle", "status": "open"},
    {"order_id": "A-18", "customer": "Jun Park", "item": "blue teapot", "status": "open"},
    {"order_id": "B-04", "customer": "Ada Okafor", "item": "red kettle", "status": "open"},
]


def tool(name: str, description: str, **arguments: str) -> dict[str, Any]:
    """Return the description of a tool whose arguments are texts."""
    properties = {key: {"type": "string", "description": text} for key, text in arguments.items()}
    schema = {"type": "object", "properties": properties, "required": [*properties]}
    return {"name": name, "description": description, "inputSchema": schema}


TOOLS = [
    tool("list_orders", "List all orders."),
    tool("find_orders", "Find the orders of a customer.", customer="The customer's full name."),
    tool("cancel_order", "Cancel an open order.", order_id="The identifier of the order."),
]


def call(name: str, arguments: Mapping[str, str]) -> Any:
    """Return the result of a tool."""
    if name == "list_orders":
        return ORDERS
    if name == "find_orders":
        return [order for order in ORDERS if order["customer"] == arguments["customer"]]
    orders = [order for order in ORDERS if order["order_id"] == arguments["order_id"]]
    if not orders or orders[0]["status"] != "open":
        raise ValueError(f"there is no open order {arguments['order_id']}")
    orders[0]["status"] = "cancelled"
    return None


def answer(method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of a request."""
    if method == "initialize":
        info = {"name": "shop", "version": "1"}
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": TOOLS}
    try:
        text, failed = json.dumps(call(params["name"], params["arguments"])), False
    except ValueError as error:
        text, failed = str(error), True
    return {"content": [{"type": "text", "text": text}], "isError": failed}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:  # other messages need no answer
        result = answer(message["method"], message.get("params") or {})
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
