"""Translate findings to the world's names, to compare augmentations and to read transcripts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.scoring.error_patterns.patterns import ErrorPatterns, Finding
from pytest_toolsandbox.worlds.tool_view import ToolView


def unscrambled(patterns: ErrorPatterns, scenario: Scenario) -> ErrorPatterns:
    """Return the patterns with the world's names; names that the agent invented stay."""
    if scenario.scrambled is None:
        return patterns
    shown = scenario.tool_views
    return replace(
        patterns, findings=tuple(_renamed(finding, shown) for finding in patterns.findings)
    )


def _renamed(finding: Finding, shown: Mapping[str, ToolView]) -> Finding:
    expected = PATTERNS[finding.pattern].expected
    if expected == "tools":
        world_names = {name: tool.tool.name for name, tool in shown.items()}
        return replace(
            finding,
            expected=", ".join(world_names.values()),
            nearest=world_names.get(finding.nearest or ""),
        )
    tool = shown.get(finding.function)
    if tool is None:
        return finding
    world_names = dict(tool.world_names)
    finding = replace(
        finding,
        function=tool.tool.name,
        argument=None
        if finding.argument is None
        else world_names.get(finding.argument, finding.argument),
        nearest=world_names.get(finding.nearest or ""),
    )
    if expected == "arguments":
        return replace(finding, expected=", ".join(world_names.values()))
    return replace(finding, expected=_call(finding, tool)) if expected == "call" else finding


def _call(finding: Finding, tool: ToolView) -> str:
    _, parenthesis, arguments = finding.expected.partition("(")
    names = "|".join(map(re.escape, tool.world_names)) or "(?!)"
    call = f"{tool.tool.name}{parenthesis}{arguments}"
    return re.sub(rf"(?<=[( ])({names})(?==)", lambda match: tool.world_names[match[0]], call)
