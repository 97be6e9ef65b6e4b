from __future__ import annotations

from pathlib import Path

import pytest

from pytest_toolsandbox.text.error_text import describe_exception


def fail(*text: str) -> None:
    raise ValueError(*text)


LINE = fail.__code__.co_firstlineno + 1


def caught(*text: str) -> ValueError:
    with pytest.raises(ValueError) as failure:  # noqa: PT011  # its text is what is tested
        fail(*text)
    return failure.value


def test_type_text_and_place_stand_in_one_line() -> None:
    path = Path(__file__)
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    assert describe_exception(caught("no\n  good")) == f"ValueError: no good ({shown}:{LINE})"
    assert describe_exception(caught()) == f"ValueError ({shown}:{LINE})"


def test_a_place_elsewhere_is_a_whole_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert describe_exception(caught("no good")) == f"ValueError: no good ({__file__}:{LINE})"


def test_folders_of_the_machine_are_not_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (project := tmp_path / "me" / "project").mkdir(parents=True)
    monkeypatch.chdir(project)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "me"))
    texts = [project / "a.txt", tmp_path / "me" / "b.txt", Path("/mnt") / "c.txt"]
    assert describe_exception(OSError(", ".join(map(str, texts)))) == (
        f"OSError: a.txt, ~/b.txt, {texts[2]}"
    )
    assert "me" not in describe_exception(FileNotFoundError(2, "not there", str(texts[0])))


@pytest.mark.parametrize("home", ["/", "/root"])
def test_a_path_that_only_looks_alike_stays(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", home)
    text = "/mnt/root/a and /roots/b, a/b"
    assert describe_exception(OSError(text)) == f"OSError: {text}"


def test_what_was_never_describe_exception_has_no_place() -> None:
    assert describe_exception(ValueError("no good")) == "ValueError: no good"


def test_a_long_text_is_cut() -> None:
    text = describe_exception(ValueError("long " * 100))
    assert text.endswith("…")
    assert len(text) < 250


def test_keys_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "very-secret-key")
    assert describe_exception(ValueError("bad key very-secret-key")) == "ValueError: bad key ***"


class UnspeakableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("never")


def test_an_exception_that_cannot_be_written_is_described() -> None:
    assert describe_exception(UnspeakableError()) == (
        "UnspeakableError: its text cannot be read: __str__ raised RuntimeError"
    )


def test_control_characters_and_half_characters_are_escaped() -> None:
    assert describe_exception(ValueError("\x1b[2J \ud83d")) == r"ValueError: \x1b[2J \ud83d"


def test_the_file_of_code_that_is_made_has_a_name_that_can_be_shown() -> None:
    with pytest.raises(ZeroDivisionError) as caught_error:
        exec(compile("1 / 0", "made\x1b[2J\n.py", "exec"))
    assert describe_exception(caught_error.value).endswith(r" (made\x1b[2J .py:1)")


def test_a_place_is_told_where_the_current_folder_is_gone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert describe_exception(caught("no good")) == f"ValueError: no good ({__file__}:{LINE})"
