"""``phone_number``: the same number to call, however it is written."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Self

from . import arguments
from .matcher import Matcher, MatcherMistake, Reading
from .registry import matcher


@matcher("phone_number")
@dataclass(frozen=True)
class PhoneNumber(Matcher):
    """The same phone number with its country code, whatever gaps and brackets it is written with.

    Numbers are compared in the format E.164.
    """

    argument_schema: ClassVar = {"type": "string", "minLength": 1}

    number: str

    @classmethod
    def read(cls, argument: Any, _: Reading) -> Self:
        """Read a number in any format. Raises ``MatcherMistake`` if it has no country code."""
        text = arguments.text_with_content(argument)
        if e164(text) is None:
            raise MatcherMistake(f"expected a number with + and its country code, found {text!r}")
        return cls(text)

    def similarity(self, found: Any) -> float:
        """Return 1 for the same number, else 0."""
        if not isinstance(found, str):
            return 0.0
        return float(found == self.number or e164(found) == e164(self.number))

    def describe(self) -> str:
        """Write it as the number."""
        return repr(self.number)

    @classmethod
    def fits(cls, literal: Any) -> bool:
        """Whether a bare value is a number with its country code."""
        return isinstance(literal, str) and e164(literal) is not None


@lru_cache(maxsize=4096)
def e164(text: str) -> str | None:
    """Return a number as ``+15105550121``, or ``None`` if a text is not one."""
    if "+" not in text:  # the import takes a while, and most texts are no numbers
        return None
    import phonenumbers

    try:
        number = phonenumbers.parse(text)
    except phonenumbers.NumberParseException:
        return None
    written: str = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
    return written
