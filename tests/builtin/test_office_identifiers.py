from __future__ import annotations

import random

import pytest

from pytest_toolsandbox.builtin.office import world
from pytest_toolsandbox.builtin.office.identifiers import draw, identifier
from pytest_toolsandbox.worlds.context import Context

START = world.start(world.now)

# The first eight of each, as the published code draws them.
TOKENS = (
    "e149636f-d9ca-0792 5c5373e0-fa69-84c3 36298341-4eab-12de 1400d29d-cac5-8d0c "
    "c3fdaed5-6571-7c1f ae2e544a-013c-c39d 84926d00-0a2e-647f f346b00b-1052-0b09"
)
STREAMS = {
    "UserLogin": TOKENS,
    "RegisterUser": TOKENS,
    "AddAlarm": ("5bff-dd80 20d0-d9ca 0792-1add b8a6-0205 fa69-84c3 6c53-71e7 4eab-12de 2801-067a"),
    "CreateEvent": (
        "e149636f-d9ca 03c93f31-b8a6 4261c3e1-71e7 27559f6b-2801 "
        "b499c1ff-7c1f ae2e544a-013c eac5126b-8573 139626af-647f"
    ),
    "SendEmail": (
        "5b-dd80-9f8a27ab 07-1add-8af336bb 02-fa69-c1cc4dc9 6c-71e7-27559f6b "
        "28-067a-c681ae93 8d-39c6-32b89b9e 42-3b91-61ceca50 27-0a2e-4d6b436b"
    ),
    "SendMessage": (
        "e149636f-ecc3f121 5c5373e0-ecf4712d c1cc4dc9-36298341 27559f6b-1400d29d "
        "c681ae93-fd17d6fe c3fdaed5-32b89b9e ae2e544a-61ceca50 139626af-4d6b436b"
    ),
    "AddReminder": "5b-dd80 20-d9ca 07-1add b8-0205 fa-84c3 6c-71e7 4e-12de 28-067a",
    "SendVerificationCode": "984520 968507 188408 646780 453632 530841 922774 067201",
}


@pytest.mark.parametrize("tool", STREAMS)
def test_each_tool_draws_its_own(tool: str) -> None:
    context = Context(START, world.now)
    assert [draw(context, tool) for _ in range(8)] == STREAMS[tool].split()
    assert [dict(row) for row in context.rows("identifier")] == [{"tool": tool, "drawn": 8}]


def test_which_comes_next_is_a_matter_of_the_state_alone() -> None:
    here, other = Context(START, world.now), Context(START, world.now, "elsewhere")
    draw(here, "AddAlarm")
    draw(here, "AddReminder")
    draw(other, "AddReminder")
    draw(other, "AddAlarm")
    assert here.state == other.state
    assert draw(here, "AddAlarm") == draw(other, "AddAlarm") == "20d0-d9ca"


def test_the_stream_goes_on_in_whichever_order_it_is_asked() -> None:
    late = identifier("AddAlarm", 40)
    assert identifier("AddAlarm", 15) == identifier("AddAlarm", 15)
    first = [identifier("AddAlarm", place) for place in range(64)]
    assert first[40] == late
    assert len(set(first)) == 64


def test_nobody_elses_randomness_is_touched() -> None:
    random.seed(1)
    expected = random.random()
    random.seed(1)
    identifier("SendMessage", 500)
    assert random.random() == expected


def test_no_row_of_the_start_has_an_identifier_that_is_still_to_be_drawn() -> None:
    tools = {"alarm": "AddAlarm", "event": "CreateEvent", "reminder": "AddReminder"}
    for table, tool in tools.items():
        drawn = {identifier(tool, place) for place in range(100)}
        assert drawn.isdisjoint(row[f"{table}_id"] for row in START[table])
