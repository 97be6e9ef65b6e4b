"""Stems of English words by Porter's algorithm, with NLTK's extensions, as ROUGE counts them.

The algorithm is from M. F. Porter, "An algorithm for suffix stripping", Program 14.3 (1980), and
the steps have the paper's numbers. The published ROUGE scores use NLTK's stemmer, which changes
some rules; a comment marks each change. NLTK and its dependencies take 69 MB, so this module
replaces them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

_LONGEST_UNSTEMMED: Final = 3
"""ROUGE compares words of at most three letters as they are."""

_IRREGULAR: Final = {
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "news": "news",
    "inning": "inning",
    "innings": "inning",
    "outing": "outing",
    "outings": "outing",
    "canning": "canning",
    "cannings": "canning",
    "howe": "howe",
    "proceed": "proceed",
    "exceed": "exceed",
    "succeed": "succeed",
}
"""NLTK's exceptions: words whose stem no rule finds."""

_STEP_2: Final = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("fulli", "ful"),
)
_STEP_3: Final = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
)
_STEP_4: Final = re.compile(
    "(.*?)(al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|ion|ou|ism|ate|iti|ous|ive|ize)"
)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the stem of an English word in small letters."""
    if len(word) <= _LONGEST_UNSTEMMED:
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    word = _step_1c(_step_1b(_step_1a(word)))
    word = _replace_ending(_step_2(word), _STEP_3)
    return _step_5(_step_4(word))


def _step_1a(word: str) -> str:
    """Take the ending of the plural off."""
    # NLTK: "ies" becomes "ie" in words of four letters; in the paper always "i".
    if word.endswith("ies"):
        return word[:-1] if _is_short_of_ie(word) else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _step_1b(word: str) -> str:
    """Take the endings "ed" and "ing" off."""
    # NLTK's addition: the paper has no rule for "ied", and step 1b would leave "i".
    if word.endswith("ied"):
        return word[:-1] if _is_short_of_ie(word) else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for ending in ("ed", "ing"):
        root = word.removesuffix(ending)
        if root != word and "v" in _shape(root):
            return _repair(root)
    return word


def _is_short_of_ie(word: str) -> bool:
    """Return whether NLTK lets a word keep "ie": "dies" and "died" give "die", "flies" "fli"."""
    return len(word) == len("dies")


def _repair(root: str) -> str:
    """Restore the final "e" of "hoping", and take one of the two letters of "hopping"."""
    if root.endswith(("at", "bl", "iz")):
        return f"{root}e"
    if len(root) > 1 and root[-1] == root[-2] and _shape(root).endswith("c"):
        return root if root[-1] in "lsz" else root[:-1]
    # The paper's condition (m=1 and *o): "fil" from "filing" gets its "e" back, "fail" does not.
    return f"{root}e" if _measure(root) == 1 and _ends_short(root) else root


def _step_1c(word: str) -> str:
    """Turn a final "y" into "i"; in NLTK "enjoy" keeps its "y", and "spy" does not."""
    # NLTK requires a consonant before the "y"; the paper requires a vowel in the rest.
    after_consonant = len(word) > len("by") and _shape(word[:-1]).endswith("c")
    return f"{word[:-1]}i" if word.endswith("y") and after_consonant else word


def _step_2(word: str) -> str:
    """Replace a double ending by a single one."""
    # NLTK's two changes: what is left of "alli" is tried again, and "theology" counts its "l".
    if word.endswith("alli") and _measure(word[:-4]):
        return _step_2(word[:-2])
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) else word
    return _replace_ending(word, _STEP_2)


def _step_4(word: str) -> str:
    """Take a last ending off where much is left."""
    match = _STEP_4.fullmatch(word)
    if not match:
        return word
    root, ending = match.groups()
    is_removed = _measure(root) > 1 and (ending != "ion" or root.endswith(("s", "t")))
    return root if is_removed else word


def _step_5(word: str) -> str:
    """Take a final "e" off, and one of two final letters "l"."""
    root = word.removesuffix("e")
    if root != word and (_measure(root) > 1 or (_measure(root) == 1 and not _ends_short(root))):
        word = root
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


def _replace_ending(word: str, rules: Iterable[tuple[str, str]]) -> str:
    """Apply the first rule whose ending the word has, and no other."""
    for ending, replacement in rules:
        if word.endswith(ending):
            root = word.removesuffix(ending)
            return root + replacement if _measure(root) else word
    return word


def _measure(word: str) -> int:
    """Return how often a consonant follows a vowel: the paper's *m*, about the syllables."""
    return _shape(word).count("vc")


def _ends_short(word: str) -> bool:
    """Return whether a word ends in a short syllable, like "hop": the paper's condition ``*o``."""
    shape = _shape(word)
    return (shape.endswith("cvc") and word[-1] not in "wxy") or shape == "vc"


def _shape(word: str) -> str:
    """Return "c" for each consonant and "v" for each vowel; "y" is one after a consonant."""
    shape = ""
    for letter in word:
        is_vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        # The letter before decides on "y": in "syzygy", every "y" is a vowel.
        shape += "v" if is_vowel else "c"
    return shape
