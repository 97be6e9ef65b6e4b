"""ToolSandbox's categories of scenarios.

Every run of pytest imports this module, so it must stay light. PYTEST_DONT_REWRITE: rewriting its
asserts would cost time, and it has none.
"""

from __future__ import annotations

CATEGORIES = {
    "single_tool_call": "scenarios that need one tool call",
    "multiple_tool_call": "scenarios that need several tool calls",
    "single_user_turn": "scenarios whose first message says everything",
    "multiple_user_turn": "scenarios in which the agent has to ask the user",
    "state_dependency": "scenarios whose tools depend on the state of the world",
    "canonicalization": "scenarios whose words have to be turned into canonical values",
    "insufficient_information": "scenarios that cannot be done with the tools at hand",
}
"""Category → its scenarios (ToolSandbox, section 3), in the order of the paper's tables."""
