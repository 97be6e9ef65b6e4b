"""Formats of e-mail addresses and phone numbers; as in ToolTalk, a final line break is valid."""

from __future__ import annotations

import re

_EMAIL = re.compile(r"[\w.-]+@[\w.-]+\n?")
_PHONE = re.compile(r"\d{3}-\d{3}-\d{4}\n?")


def is_email(text: str) -> bool:
    """Whether a text is letters, digits and any of ``_.-`` on both sides of one ``@``."""
    return _EMAIL.fullmatch(text) is not None


def is_phone_number(text: str) -> bool:
    """Whether a text is a phone number such as ``218-555-0100``."""
    return _PHONE.fullmatch(text) is not None
