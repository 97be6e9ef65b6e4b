from __future__ import annotations

import pytest

from pytest_toolsandbox.text.shells import join_command, split_command


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (r"C:\tools\agent.exe --with options", [r"C:\tools\agent.exe", "--with", "options"]),
        (r'"C:\Program Files\agent.exe" it\'s', [r"C:\Program Files\agent.exe", r"it\'s"]),
        (r'py --at="C:\my data\" #1', ["py", "--at=C:\\my data\\", "#1"]),
        ('agent ""', ["agent", ""]),
        ("", []),
    ],
)
def test_a_command_is_split_as_windows_does(text: str, words: list[str]) -> None:
    assert split_command(text, windows=True) == words


def test_a_quote_that_is_not_closed_is_refused() -> None:
    for windows in (True, False):
        with pytest.raises(ValueError, match="No closing quotation"):
            split_command('agent "x', windows=windows)


@pytest.mark.parametrize(
    ("words", "windows", "posix"),
    [
        (["pytest", "a.yaml::b[c-d]"], "pytest a.yaml::b[c-d]", "pytest 'a.yaml::b[c-d]'"),
        ([r"C:\my agent.exe"], r'"C:\my agent.exe"', r"'C:\my agent.exe'"),
        (["C:\\a b\\"], '"C:\\a b\\\\"', "'C:\\a b\\'"),
        (['say "hi"', "a&b", ""], r'"say \"hi\"" "a&b" ""', "'say \"hi\"' 'a&b' ''"),
    ],
)
def test_words_are_joined_for_the_shell(words: list[str], windows: str, posix: str) -> None:
    assert join_command(words, windows=True) == windows
    assert join_command(words, windows=False) == posix


@pytest.mark.parametrize("words", [["a b", "c"], [r"C:\x y\z", "--k=v"], ["", "x"]])
@pytest.mark.parametrize("windows", [True, False])
def test_what_was_joined_is_split_again(words: list[str], *, windows: bool) -> None:
    assert split_command(join_command(words, windows=windows), windows=windows) == words
