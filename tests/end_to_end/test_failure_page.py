"""The page of a scenario that failed, as a user sees it."""

from __future__ import annotations

import pytest
from desk import Suite, section

pytestmark = pytest.mark.any_pytest

SCENARIO = """
world: desk
user: {opening: "Light on, then write 'Call Ada at six' and file it under Calls."}
milestones:
  light_on: {call: {switch_lamp: {on: true}}}
  written:
    state:
      lamp: {on: true}
      note: {added: [{text: Call Ada at six, title: Calls}]}
  user_told: {says: {mentions: [note, [written, wrote]]}}
counterexamples:
"""

PAGES = [
    (
        """
  dark:
    - write_note: {text: Call Ada at six}
    - flip_switch: {on: 1}
    - switch_lamp: {up: true}
    - say: I am sorry, it is too dark.
""",
        """\
missed light_on, written, user_told (0 of 3 milestones reached); score 0.00 of 1

milestones
  missed   light_on   0.00  nearest at [7]
      - call switch_lamp:
          expected a call without error
          found    "TypeError: missing a required argument: 'on'"
  missed   written    0.00  nothing near it
      - state.lamp, on: expected true, found false
      - state.note.added: expected 1 row: {text: like 'Call Ada at six', title: 'Calls'}, found none
  missed   user_told  0.00  nearest at [8]
      - says:
          expected mentions note, written | wrote
          found    'I am sorry, it is too dark.' (missing: note, written | wrote)

error patterns: IFN 1, IAN 1

conversation
  [ 1] user -> agent         Light on, then write 'Call Ada at six' and file it under Calls.
  [ 2] agent -> environment  write_note(text='Call Ada at six')
  [ 3] environment -> agent  PermissionError: it is dark
  [ 4] agent -> environment  flip_switch(on=1)
       ^ IFN flip_switch: there is no such tool; did you mean switch_lamp?
  [ 5] environment -> agent  NameError: name 'flip_switch' is not defined: there is no such tool
  [ 6] agent -> environment  switch_lamp(up=True)
       ^ IAN up for switch_lamp: the arguments are on
  [ 7] environment -> agent  TypeError: missing a required argument: 'on'
       ^ nearest to light_on
  [ 8] agent -> user         I am sorry, it is too dark.
       ^ nearest to user_told
  [ 9] user -> environment   end_conversation()
  [10] environment -> user   null""",
    ),
    (
        """
  much_wrong:
    - switch_lamp: {on: true}
    - write_note: {text: Bob was here}
    - switch_lamp: {on: false}
    - say: There!
summary: Nothing is to be changed.
protected: [lamp]
minefields:
  cries: {says: {contains: "!"}}
  darkens: {tried: {any_of: [{switch_lamp: {on: false}}, read_notes]}}
  bobs: {state: {note: {includes: [{text: {contains: Bob}}]}}}
  empties: {state: {note: {rows: []}}}
""",
        """\
hit cries, darkens, bobs; changed protected lamp; missed written, \
user_told (1 of 3 milestones reached); score 0.00 of 1

Nothing is to be changed.

milestones
  reached  light_on   1.00  at [3]
  missed   written    0.00  nearest at [5]
      + state.lamp
      - state.note.added, text:
          expected like 'Call Ada at six'
          found    'Bob was here' (similarity 0.00, at least 0.5 was asked)
      - state.note.added, title: expected 'Calls', found null
  missed   user_told  0.00  nearest at [8]
      - says:
          expected mentions note, written | wrote
          found    'There!' (missing: note, written | wrote)

minefields
  hit  cries  at [8]
      - says: contains '!'
        by 'There!'
  hit  darkens  at [6]
      - tried: switch_lamp(on: false) or read_notes()
        by switch_lamp(on=False)
  hit  bobs  at [5]
      - state.note.includes: {text: contains 'Bob'}
        by write_note(text='Bob was here')

protected tables
  changed  lamp  at [3]
      - removed: {on: false}
      - added: {on: true}
        by switch_lamp(on=True)

error patterns: none, but a side effect, a minefield hit and a wrong report

conversation
  [ 1] user -> agent         Light on, then write 'Call Ada at six' and file it under Calls.
  [ 2] agent -> environment  switch_lamp(on=True)
  [ 3] environment -> agent  null
       ^ reached light_on
       ^ changed protected lamp
  [ 4] agent -> environment  write_note(text='Bob was here')
  [ 5] environment -> agent  "fb330b36-41a6-5b3c-942b-2b2973dea9c2"
       ^ nearest to written
       ^ hit bobs
  [ 6] agent -> environment  switch_lamp(on=False)
       ^ hit darkens
  [ 7] environment -> agent  null
  [ 8] agent -> user         There!
       ^ nearest to user_told
       ^ hit cries
  [ 9] user -> environment   end_conversation()
  [10] environment -> user   null""",
    ),
    (
        """
  on_the_way:
    - switch_lamp: {on: true}
    - write_note: {text: Ask}
    - say: I wrote a note. All right?
    - switch_lamp: {on: false}
    - read_notes: {}
    - say: Bye!
scenarios:
  scene:
    milestones:
      light_on: null
      written: null
      asked: {after: [user_told], user_says: I don't have more information.}
      read: {after: [asked], call: {read_notes: {}}}
      bye: {after: [read], guardrails: [lamp], says: Bye!}
""",
        """\
missed read (3 of 4 milestones reached); score 0.75 of 1

milestones
  reached  user_told  1.00  at [6]
  reached  asked      1.00  at [7]
  missed   read       0.00  nearest at [11]
      + call
      - guardrail.lamp: expected no change since asked, found 2 rows: {on: false} and {on: true}
  reached  bye        1.00  at [12]

error patterns: none, but a side effect

conversation
  [ 1] user -> agent         Light on, then write 'Call Ada at six' and file it under Calls.
  [ 2] agent -> environment  switch_lamp(on=True)
  [ 3] environment -> agent  null
  [ 4] agent -> environment  write_note(text='Ask')
  [ 5] environment -> agent  "fb330b36-41a6-5b3c-942b-2b2973dea9c2"
  [ 6] agent -> user         I wrote a note. All right?
       ^ reached user_told
  [ 7] user -> agent         I don't have more information.
       ^ reached asked
  [ 8] agent -> environment  switch_lamp(on=False)
  [ 9] environment -> agent  null
  [10] agent -> environment  read_notes()
  [11] environment -> agent  ["Water the ferns.", "Ask"]
       ^ nearest to read
  [12] agent -> user         Bye!
       ^ reached bye
  [13] user -> environment   end_conversation()
  [14] environment -> user   null""",
    ),
]


@pytest.mark.parametrize(("more", "page"), PAGES)
def test_pages(suite: Suite, more: str, page: str) -> None:
    suite.write("scene.scenario.yaml", SCENARIO + more)
    shown = section(suite.run("--agent=counterexample"), "scene")
    assert shown == page


def test_the_page_stands_there_once_also_on_several_cores_and_on_ci(
    light: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    result = light.run("--agent=counterexample")
    cause = "missed user_told (1 of 2 milestones reached); score 0.50 of 1"
    assert f"FAILED {cause} - light.scenario.yaml::light" in result.outlines
    monkeypatch.setenv("CI", "true")
    for option in ("-n0", "-n1"):
        on_ci = light.run_apart("--agent=counterexample", option)
        assert section(on_ci, "light").endswith(section(result, "light"))
        assert on_ci.outlines.count("conversation") == 1
        assert on_ci.outlines[-2] == f"FAILED light.scenario.yaml::light - {cause}"


def test_a_conversation_without_an_end_says_why_it_stops(light: Suite) -> None:
    light.conftest(
        "@pytest.fixture\n"
        "def agent():\n"
        "    call = {'id': '1', 'function': {'name': 'read_notes', 'arguments': '{}'}}\n"
        "    return lambda messages, tools: {'content': None, 'tool_calls': [call]}\n"
    )
    page = section(light.run("-o", "python_functions=none"), "light")
    assert page.startswith("cut off: max_messages is 30; missed light_on")
    assert page.endswith(
        "  [ 2] agent -> environment  read_notes()  (15 times, to [31])\n"
        "       ^ RAC read_notes: the same call was made before, and this one tells or changes "
        "nothing more  (14 times)\n"
        '  [ 3] environment -> agent  ["Water the ferns."]\n  cut off: max_messages is 30'
    )


STRANGE = """
world: desk
user: {opening: "Schalt das Licht ein, ≥ 50 %!"}
milestones: {light_on: {state: {lamp: {on: true}}}}
counterexamples:
  strange:
    - write_note: {text: "\\e[2Jgone\\u200b", title: "a\\nb"}
    - say: "Não \\e[31mposso\\u0007.\\r\\nDesculpe ✗"
"""


@pytest.mark.parametrize("option", ["-n0", "-n1"])
def test_a_terminal_that_is_narrow_and_knows_ascii_only(
    suite: Suite, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    suite.write("strange.scenario.yaml", STRANGE)
    for name, value in (("LC_ALL", "C"), ("PYTHONIOENCODING", "ascii"), ("COLUMNS", "20")):
        monkeypatch.setenv(name, value)
    result = suite.run_apart("--agent=counterexample", option)
    result.assert_outcomes(failed=1)
    assert result.stdout.str().isascii()
    page = result.outlines[result.outlines.index("conversation") + 1 :]
    assert page[:6] == [
        "  [ 1] user -> agent         Schalt das Licht ein, \\u2265 50 %!",
        "  [ 2] agent -> environment  write_note(text='\\x1b[2Jgone\\u200b', title='a\\nb')",
        "  [ 3] environment -> agent  PermissionError: it is dark",
        "  [ 4] agent -> user         N\\xe3o \\\\x1b[31mposso\\\\x07. Desculpe \\u2717",
        "  [ 5] user -> environment   end_conversation()",
        "  [ 6] environment -> user   null",
    ]
