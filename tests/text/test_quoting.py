"""Quoted words, and the texts in which they stand."""

from __future__ import annotations

from rows import every

from pytest_toolsandbox.text.sentences import stands_in, texts_in


@every(
    ("quote", "text", "stands"),
    [
        ("fine with it", "She is fine with it now.", True),
        ("FINE, with: it", "She is *fine* with it now.", True),
        ("fine with it", "_She is fine with it_", True),
        ("_fine with it_", "She is fine with it.", True),
        ("He said ... left", "He said\u2026 then he left, and said it. He said: left", True),
        ("on", "All done.", False),
        ("a hat", "Data hats off", False),
        ("She is fine", "She is not fine", False),
        ("Cafe\u0301", "the Caf\u00e9", True),
        (
            "\u6ca1\u6709\u53d1\u9001",
            "\u706f\u5df2\u7ecf\u6253\u5f00\u4e86\uff0c\u6211\u6ca1\u6709\u53d1\u9001\u77ed\u4fe1",
            True,
        ),
        ("\u53d1\u9001\u6ca1\u6709", "\u6211\u6ca1\u6709\u53d1\u9001\u77ed\u4fe1", False),
        ("\U0001f44d", "Done \U0001f44d", True),
        ("\U0001f44d", "Done", False),
        ("", "Done", False),
        (" ", "Done now", False),
    ],
)
def test_a_quotation_stands_where_its_words_follow_one_another(
    quote: str, text: str, stands: bool
) -> None:
    assert stands_in(quote, text) is stands


@every(
    ("arguments", "values"),
    [
        ('{"text": "caf\\u00e9\\nnoir", "to": ["Ada"], "n": 3}', {"caf\u00e9\nnoir", "Ada", "3"}),
        ("{broken", set()),
        ("[" * 99_999, set()),
        ('"plain"', {"plain"}),
    ],
)
def test_arguments_have_texts_at_any_depth(arguments: str, values: set[str]) -> None:
    first, *others = texts_in(arguments)
    assert (first, set(others)) == (arguments, values)
