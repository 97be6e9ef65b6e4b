"""Sentences of a text, and quotations in it."""

from __future__ import annotations

import pytest
from rows import every

from pytest_toolsandbox.text.sentences import is_quoted_in, parts, sentences, texts_in


@every(
    ("text", "expected"),
    [
        ("", []),
        ("...", []),
        ("Done.", [("Done", ".")]),
        ("Done! Anything else?", [("Done", "!"), ("Anything else", "?")]),
        ("Really?! Yes…", [("Really", "?"), ("Yes", ".")]),
        ("One line\nand another", [("One line", ""), ("and another", "")]),
        ("# Done\n+ Bins", [("Done", ""), ("Bins", "")]),
        ("See ./bins, etc., and Jo.", [("See ./bins, etc., and Jo", ".")]),
        ("These:\n1. Bins\n- Cello", [("These:", ""), ("Bins", ""), ("Cello", "")]),
        # a full stop that ends nothing
        ("It's at Vinnie's. Is that all?", [("It's at Vinnie's", "."), ("Is that all", "?")]),
        ("Dr. Marsh at 8.45 a.m. tomorrow.", [("Dr. Marsh at 8.45 a.m. tomorrow", ".")]),
        ("At 8 a.m. Shall I?", [("At 8 a.m", "."), ("Shall I", "?")]),
        ("See example.org/?q=1 please", [("See example.org/?q=1 please", "")]),
        # marks in a quotation
        ('I sent "Are you in?" to Jo.', [('I sent "Are you in" to Jo', ".")]),
        ('I sent "Are you in?"', [('I sent "Are you in"', ".")]),
        ("I sent “In? Yes.” OK?", [('I sent "In Yes"', "."), ("OK", "?")]),
        ("Send 'I'm late. Sorry!' now?", [("Send 'I'm late Sorry' now", "?")]),
        ("The kids' and the dogs' food.", [("The kids' and the dogs' food", ".")]),
        ("> Are you in?\nOK?", [("> Are you in", "."), ("OK", "?")]),
        ("I texted Jo: Are you in? Bye.", [("I texted Jo: Are you in", "."), ("Bye", ".")]),
        ('An inch is 1". Shall I?', [('An inch is 1"', "."), ("Shall I", "?")]),
        # other scripts
        ("続けますか\uff1fはい。", [("続けますか", "?"), ("はい", "。")]),
        ("هل أستمر\u061f", [("هل أستمر", "?")]),
    ],
)
def test_sentences(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(sentence.text, sentence.mark) for sentence in sentences(text)] == expected


def test_a_quotation_is_one_sign_in_the_plain_text() -> None:
    (sentence,) = sentences('Send "A. B" or „C“?')
    assert sentence.plain == "Send \ufffc or \ufffc"
    assert sentence.text == 'Send "A B" or "C"'


def test_items_of_a_list_know_what_leads_to_it() -> None:
    items = sentences("Hi. I **deleted:**\n- Bins.\n* Cello\nBye:\n\n## Left\n1) Yoga\n- Jo\nEnd")
    assert [(item.plain, item.lead) for item in items if item.lead] == [
        ("Bins", "I **deleted"), ("Cello", "I **deleted"), ("Yoga", "Left"), ("Jo", "Left"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("One. Two! Three", ["One.", " Two!", " Three"]),
        ("At 8 a.m. then. (Yes.) ", ["At 8 a.m. then.", " (Yes.)"]),
    ],
)
def test_parts_are_sentences_as_they_are_written(line: str, expected: list[str]) -> None:
    assert list(parts(line)) == expected


@pytest.mark.parametrize("sign", ["\0", "\ufffc"])
def test_signs_of_our_own_are_blanks_in_a_text(sign: str) -> None:
    split = sentences(f'I sent{sign}it. "Yes" {sign}')
    assert [part.text for part in split] == ["I sent it", '"Yes"']


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
    assert is_quoted_in(quote, text) is stands


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
    first, *other_texts = texts_in(arguments)
    assert (first, set(other_texts)) == (arguments, values)
