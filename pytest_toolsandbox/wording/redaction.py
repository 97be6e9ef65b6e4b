"""What may be shown of a text from outside: no secrets, in whatever encoding they stand there.

A secret is known by its name, in the environment or in an agent's parameters, or because the user
names it; others are found by their shape.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, takewhile
from typing import Any, Final, NamedTuple

from .phrases import escaped, one_line
from .secret_values import encodings, secrets_in, secrets_of_environment

HIDDEN: Final = "***"
PART: Final = 12
"""Characters at the begin or end of a secret that are hidden where the rest was cut off."""

_SHORT: Final = 100
_MOST_KEPT: Final = 10_000
"""How many texts, of how many characters, are remembered with what is shown of them."""
SHORTEST_NAMED: Final = 4
"""Characters of a secret that the user names."""

_WORDS: Final = re.compile(r"[A-Za-z_./\s-]*")
_MARKS: Final = (
    *("sk-", "gsk_", "hf_", "xai-", "AIza", "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_"),
    *("glpat-", "xox", "xapp-", "AKIA", "ASIA", "eyJ", "earer ", "asic ", "PRIVATE KEY", "://"),
)
"""One of these stands in every text that has a secret's shape: to look for them is fast."""
_SHAPES: Final = re.compile(
    r"\bsk-[\w*-]{3,}"
    r"|\b(?:gsk_|hf_|xai-|AIza|gh[opsur]_|github_pat_|glpat-|xox[abeprs]-|xapp-)[\w*-]{8,}"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{12,}"
    r"|\beyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?"
    r"|(?<=\bBearer )[\w.~+/=*-]+"
    r"|(?<=\bbearer )(?=\S*\d)[\w.~+/=*-]{8,}"
    r"|(?<=\b[Bb]asic )(?=[A-Za-z+/]*[\d=])[A-Za-z0-9+/]{8,}=*"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*-----|\Z)"
    r"|(?<=://)[^\s/:@\"'<>]*:[^\s/@\"'<>]+(?=@)"
    r"|(?<=://)[\w.~%+-]{20,}(?=@)"
)
_QUERY: Final = re.compile(
    r"(?i)([?&](?:[a-z_-]*(?:key|token|secret|password|signature)|auth|sig)=)[^&\s\"'#<>\\]{6,}"
)


class _Needle(NamedTuple):
    """A text to hide, by its first and by its last characters."""

    whole: str
    head: str
    tail: str

    def hide_parts(self, text: str) -> str:
        """Hide what is left of it where the rest was cut off."""
        forward = _without(text, self.whole, self.head)
        if self.tail not in forward:
            return forward
        return _without(forward[::-1], self.whole[::-1], self.tail[::-1])[::-1]


class _Needles(NamedTuple):
    """What to look for, the longest first: what is no plain word, and all of it.

    ``shown`` has short texts with what is shown of them, since names come again and again: one
    mapping for each list, made with it, so that threads never mix them up.
    """

    sure: list[_Needle]
    all: list[_Needle]
    shown_sure: dict[str, str]
    shown: dict[str, str]


_CURRENT_TEST = b"PYTEST_CURRENT_TEST"
"""What pytest sets anew in every phase of every item. On Windows the name is no bytes: no harm."""


class _Known:
    """The secrets that are known, and what to look for; made anew when they change."""

    def __init__(self) -> None:
        self._registered: set[str] = set()
        self._named: set[str] = set()
        self._environment: object = None
        self._looked_at: object = None
        self._needles = _Needles([], [], {}, {})

    def add(self, secrets: Iterable[str], named: Iterable[str] = ()) -> None:
        """Add secrets, and what the user names: variables that hold one, or themselves."""
        before = len(self._registered), len(self._named)
        self._registered.update(secrets)
        self._named.update(named)
        if before != (len(self._registered), len(self._named)):
            self._environment = self._looked_at = None

    def needles(self) -> _Needles:
        """Return what to look for."""
        now = getattr(os.environ, "_data", os.environ)  # undecoded, 100 times as fast
        if now != self._looked_at:
            self._looked_at = now = dict(now)
            now = {name: value for name, value in now.items() if name != _CURRENT_TEST}
            if now != self._environment:
                self._needles = self._made()
                self._environment = now
        return self._needles

    def _made(self) -> _Needles:
        secrets = self._registered | set(secrets_of_environment(self._named))
        ordered = _longest_first(one for one in secrets if len(one) >= SHORTEST_NAMED)
        needles = {one: list(map(_needle, _longest_first(encodings(one)))) for one in ordered}
        sure = (needles[one] for one in ordered if not _WORDS.fullmatch(one))
        return _Needles([*chain(*sure)], [*chain(*needles.values())], {}, {})


_known = _Known()


def add_secrets(parameters: Any) -> None:
    """Hide from now on the secrets that an agent's parameters hold, at any depth."""
    _known.add(secrets_in(parameters))


def add_named_secrets(lines: Iterable[str]) -> None:
    """Hide from now on what the user names: variables of the environment, or the texts."""
    _known.add((), filter(None, map(str.strip, lines)))


def redacted(text: str, *, words: bool = True) -> str:
    """Return a text without secrets; ``words=False`` leaves those that may be plain words."""
    known = _known.needles()
    needles, kept = (known.all, known.shown) if words else (known.sure, known.shown_sure)
    if len(text) > _SHORT:
        return _redacted_text(text, needles)
    if (shown := kept.get(text)) is None:
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        shown = kept[text] = _redacted_text(text, needles)
    return shown


def _redacted_text(text: str, needles: Sequence[_Needle]) -> str:
    found = [one for one in needles if one.head in text or one.tail in text]
    for needle in found:
        text = text.replace(needle.whole, HIDDEN)
    for needle in found:
        text = needle.hide_parts(text)
    if any(mark in text for mark in _MARKS):
        text = _SHAPES.sub(HIDDEN, text)
        return _QUERY.sub(rf"\1{HIDDEN}", text) if "://" in text else text
    return text


def clean(text: str) -> str:
    """Return a text of several lines as it may be shown: redacted and escaped."""
    return escaped(redacted(text))


def redacted_line(text: str, limit: int = 200, mark: str = "…") -> str:
    """Return a text from outside without secrets, in one line, cut after that, and escaped."""
    return one_line(redacted(text), limit, mark)


def redacted_values(value: Any, own: Collection[str], data: Collection[str]) -> Any:
    """Return a JSON value without secrets in its texts.

    The program's own words stay, even where a secret is such a word: keys, except those below the
    keys ``data``, and what stands under the keys ``own``.
    """
    texts = "\n".join(_texts(value))
    return value if redacted(texts) == texts else _redacted(value, own, data)


def _redacted(
    value: Any,
    own: Collection[str],
    data: Collection[str],
    inside: bool = False,
    is_own: bool = False,
) -> Any:
    """``inside`` of data nothing is the program's own."""
    if isinstance(value, dict):
        return {
            redacted(name, words=inside): _redacted(
                item, own, data, inside or name in data, not inside and name in own
            )
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [_redacted(item, own, data, inside, is_own) for item in value]
    return redacted(value, words=not is_own) if isinstance(value, str) else value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for item in (*value, *value.values()) if isinstance(value, dict) else value:
            yield from _texts(item)


def _without(text: str, whole: str, head: str) -> str:
    """Hide what begins as ``head`` does, as far as it goes on as ``whole``."""
    kept, begin = [], 0
    while (at := text.find(head, begin)) >= 0:
        kept.append(text[begin:at])
        pairs = zip(whole, text[at : at + len(whole)], strict=False)
        begin = at + len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
    return HIDDEN.join([*kept, text[begin:]])


def _longest_first(texts: Iterable[str]) -> list[str]:
    return sorted(texts, key=lambda text: (-len(text), text))


def _needle(text: str) -> _Needle:
    """Paths, URLs, words and short secrets begin as other texts do: those are hidden whole."""
    cut = len(text) > PART + 4 and "://" not in text and not _WORDS.fullmatch(text)
    part = PART if cut and not text.startswith(("/", "~", ".")) else len(text)
    return _Needle(text, text[:part], text[-part:])
