"""What agents read of a docstring, and what is a mistake in one."""

from __future__ import annotations

import pytest
from rows import every

from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.docstrings import read_docstring
from pytest_toolsandbox.worlds.tool import tool


def weigh(name: str, unit: str, places: int = 2) -> float:
    """Weigh something.

    Args:
        name (str, optional): What to weigh:
            rice or tea.

            Not both.

    Example:
        >>> weigh("rice", "g")
        12.5

    Args:
        unit: Of the result.

    Keyword Args:
        places: How many there are.

    Returns:
        float: The weight; at most: 5.

    Note:
        Args: are not meant here.

    Raises:
        :class:`ValueError`: If it is unknown.
        KeyError, json.JSONDecodeError: Never.

    The scale is calibrated.
    """
    return len(name + unit) / places


def test_all_that_is_no_section_of_ours_is_the_description() -> None:
    assert tool("kitchen")(weigh).description == (
        'Weigh something. Example: >>> weigh("rice", "g") 12.5 Note: Args: are not meant here. '
        "The scale is calibrated. Returns: The weight; at most: 5."
    )


def test_sections_are_read_wherever_they_are() -> None:
    docstring = read_docstring(weigh)
    assert docstring.arguments == {
        "name": "What to weigh: rice or tea. Not both.",
        "unit": "Of the result.",
        "places": "How many there are.",
    }
    assert docstring.raises == {"ValueError", "KeyError", "JSONDecodeError"}
    assert docstring.problems == ()


@every(
    ("section", "returns"),
    [
        ("Returns:\n    dict[str, int]: The sizes.", "The sizes."),
        ("Returns:\n    The most alike first: all.", "The most alike first: all."),
        ("Returns:\n    a\n\n    b", "a b"),
        ("Returns: the sizes.", ""),  # a sentence of the description
    ],
)
def test_the_result(section: str, returns: str) -> None:
    def look() -> None: ...

    look.__doc__ = f"Look.\n\n{section}\n"
    assert read_docstring(look).returns == returns


@every(
    ("section", "problem"),
    [
        ("Args:", "nothing below Args: that is indented; write name: text for each argument"),
        ("Args:\nname: What at.", "nothing below Args: that is indented; write name: text"),
        (
            "Args:\n    nothing",
            "'nothing' below Args:; write name: text for each argument, or leave",
        ),
        ("Keyword Args:\n    name: a\n    b", "'b' below Keyword Args:; write name: text for each"),
        ("Returns:\n\n", "nothing below Returns: that is indented; say what the result is, or"),
        ("Raises:\n    ValueError", "'ValueError' below Raises:; write ValueError: when, for each"),
    ],
)
def test_a_section_that_cannot_be_read_is_a_mistake_with_its_place(
    section: str, problem: str
) -> None:
    def look(name: str) -> None: ...

    look.__doc__ = f"Look.\n\n{section}\n"
    line = look.__code__.co_firstlineno
    with pytest.raises(WorldError) as caught:
        tool("kitchen")(look)
    place, text = str(caught.value).split(": the tool 'look': its docstring has ")
    assert place.endswith(f"test_docstrings.py:{line}")
    assert text.startswith(problem)
