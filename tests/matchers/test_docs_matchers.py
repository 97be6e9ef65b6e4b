"""What the page about matchers shows is what the program does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from cosines import MEASURED
from rows import every

from pytest_toolsandbox.matchers import MatcherMistake, names, read, registry
from pytest_toolsandbox.matchers.embedding import using
from pytest_toolsandbox.text.numerals import numbers_in

PAGE = (Path(__file__).parents[2] / "docs" / "matchers.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def shown_scores() -> Iterator[tuple[str, str, str, str]]:
    for block in "\n\n".join(blocks("text")).split("\n\n"):
        first, *lines = block.strip().splitlines()
        for line in lines:
            score, reached, compared = line.split(maxsplit=2)
            yield first.removeprefix("expected").strip(), compared, score, reached


@every(("expected", "compared", "score", "reached"), list(shown_scores()))
def test_the_scores_are_the_real_ones(
    expected: str, compared: str, score: str, reached: str
) -> None:
    matcher, value = read(yaml.safe_load(expected)), yaml.safe_load(compared)
    with using(MEASURED):
        assert f"{matcher.similarity(value):.2f}" == score
        assert reached == ("yes" if matcher.reached(value) else "no")


def test_the_measured_cosine_is_the_real_one() -> None:
    assert f"would score {MEASURED.cosines['See you at 6pm']:.2f}, and" in PAGE


def test_every_matcher_has_an_example() -> None:
    shown = {name for expected, *_ in shown_scores() for name in re.findall(r"\w+", expected)}
    assert set(names()) <= shown


NUMBERS = {
    "1,500": [1500],
    "1500.0": [1500],
    "$12.50": [12.5],
    "68°F": [68],
    "5pm": [5],
    "5th": [5],
    "#5": [5],
    "-5": [-5],
    "-$5": [-5],
    "temp: -5": [-5],
    "3-5": [3, 5],
    "covid-19": [19],
    "12,50": [12, 50],
    "4 136": [4, 136],
    "5:30": [],
    "1.2.3": [],
    "A5": [],
    "3fa85": [],
    "007": [],
}


@every("text", NUMBERS)
def test_numbers_are_read_as_the_table_says(text: str) -> None:
    assert list(numbers_in(text)) == NUMBERS[text]


def test_the_table_has_no_other_numbers() -> None:
    table = PAGE.partition("| in the text |")[2].partition("\n\n")[0]
    left = [row.split("|")[1] for row in table.splitlines()[2:]]
    assert re.findall("`(.*?)`", " ".join(left)) == list(NUMBERS)


def test_the_matcher_of_one_s_own_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    (program,) = blocks("python")
    code = compile(program, "conftest.py", "exec", dont_inherit=True)
    exec(code, {"__name__": __name__})
    own_matcher = read({"not": {"starts_with": "Dear Ada"}})
    assert own_matcher.describe() == "not starts with 'Dear Ada'"
    assert own_matcher.reached("Hello Ada")
    assert not own_matcher.reached("Dear Ada, hello")
    with pytest.raises(MatcherMistake, match=r"^expected text, found 5$"):
        read({"starts_with": 5})
