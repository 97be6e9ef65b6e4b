"""The bundled worlds: an office (ToolTalk), a phone (ToolSandbox), ten to query (SpecTool).

The machinery of worlds, which users' own worlds share, is in ``worlds``.
"""

from typing import Final

ENVIRONMENTS: Final = (
    "patent",
    "movies",
    "travel",
    "sports",
    "tools",
    "data",
    "social",
    "media",
    "spaceflight",
    "video_images",
)
"""SpecTool's environments, in the order of the paper (table 2)."""

WORLDS: Final = ("office", "phone", *(f"queries.{name}" for name in ENVIRONMENTS))
"""The names of the worlds, which are also the names of their modules."""
