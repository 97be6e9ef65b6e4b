"""The reference for every stem is NLTK's stemmer, which ``rouge_score`` uses."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given, settings, strategies as st
from nltk.stem.porter import PorterStemmer
from rouge_score.tokenize import tokenize

from pytest_toolsandbox.matchers.porter_stemmer import stem

ROOT = Path(__file__).parents[2]
NLTK = PorterStemmer()
ENDINGS = re.findall(
    r"\w+",
    """s es ed ing ly ment ational tional iveness ies ied eed y ization alli fulli logi bli eli
    ousli ator alism aliti iviti biliti enci anci izer entli icate ative alize iciti ical ful ness
    al ance ence er ic able ible ant ement ent ion sion ou ism ate iti ous ive ize e ll at bl iz""",
)
roots = st.text("aeioyltsndrwxz1", min_size=1, max_size=8)


def reference(word: str) -> str:
    stemmed: list[str] = tokenize(word, NLTK)
    return stemmed[0]


def test_every_word_of_the_repository_has_the_stem_of_rouge_score() -> None:
    files = [*ROOT.glob("scenarios/**/*.yaml"), *ROOT.glob("docs/*.md"), *ROOT.glob("tests/*.yaml")]
    texts = (file.read_text(encoding="utf-8") for file in files)
    words = {word for text in texts for word in re.findall(r"[a-z0-9]+", text.lower())}
    assert len(words) > 5000
    longer = {word + ending for word in sorted(words)[::50] for ending in ENDINGS}
    assert [word for word in words | longer if stem(word) != reference(word)] == []


@settings(deadline=None, max_examples=500)
@given(st.builds("".join, st.tuples(roots, st.sampled_from(["", *ENDINGS]))))
def test_an_invented_word_has_the_stem_of_rouge_score(word: str) -> None:
    assert stem(word) == reference(word)


def test_irregular_words_have_the_stem_of_rouge_score() -> None:
    words = {word for forms in NLTK.pool.items() for word in forms} | {"dies", "died", "flies"}
    assert {word: stem(word) for word in words} == {word: reference(word) for word in words}
