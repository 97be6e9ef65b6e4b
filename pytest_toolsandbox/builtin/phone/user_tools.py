"""Tools of the simulated user."""

from pytest_toolsandbox.worlds.tool import tool


@tool("user_tools", for_user=True)
def end_conversation() -> None:
    """End the conversation, once the task is done or cannot be done."""


TOOLS = (end_conversation,)
