"""Scripts, as far as they decide where a word ends."""

from __future__ import annotations

from typing import Final

WITHOUT_SPACES: Final = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f"  # Burmese
    "\u1780-\u17ff"  # Khmer
    "\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese, Japanese
    "\u1100-\u11ff\uac00-\ud7af"  # Korean: particles follow a name without a space
)
"""Ranges of a character class: letters next to which a word may begin or end without a gap."""
