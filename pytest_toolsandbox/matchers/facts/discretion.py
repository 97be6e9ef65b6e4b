"""What a letter should keep to itself: passwords, and a greeting that was not wanted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from .letters import begins_with_greeting

_SECRET: Final = re.compile(r"\bpass(?:word|code|phrase)s?\b")
_GIVEN: Final = re.compile(
    r"'\w*(?:password|passcode|passphrase|verification_code)': '([^']{3,80})'"
)
"""A secret as it stands in the arguments of a call."""
_NO_GREETING: Final = re.compile(
    r"\b(?:without (?:an? |any )?|no |skip the |leave out the )(?:greeting|salutation)"
)


def indiscretions(expected: str, found: str, known: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what a letter gives away or adds that it should not, after what was said and found."""
    if (more := _SECRET.search(found.casefold())) and not _SECRET.search(expected.casefold()):
        yield "given away", more[0]
    secrets = {one for text in known for one in _GIVEN.findall(text)}
    yield from (
        ("given away", one) for one in sorted(secrets) if one in found and one not in expected
    )
    if begins_with_greeting(found) and not begins_with_greeting(expected):
        unwanted = (match[0] for text in known if (match := _NO_GREETING.search(text.casefold())))
        yield from (("not asked for", one) for one in dict.fromkeys(unwanted))
