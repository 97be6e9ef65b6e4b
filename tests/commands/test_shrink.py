"""``toolsandbox shrink``: the parts of a scenario that its proof does without."""

from __future__ import annotations

from pathlib import Path

from command_line import Run

LIGHT = """\
world: phone
state:
  setting: {wifi: false, latitude: 1.5}
  contact: {added: [{person_id: sam, name: Sam Reyes, phone_number: "+14155550171"}]}
tools: [set_wifi_status, get_wifi_status]
user: {opening: Turn on wifi.}
milestones:
  looked: {call: get_wifi_status}
  turned_on: {after: [looked], state: {setting: {wifi: true}}}
  told: {after: [turned_on], says: {mentions: ["on", [wifi, wi-fi]]}}
minefields:
  cellular_off: {state: {setting: {cellular: false}}}
protected: [contact, messaging, reminder]
solutions:
  at_once: [get_wifi_status: {}, set_wifi_status: {on: true}, say: Wifi is on.]
  again: [get_wifi_status: {}, set_wifi_status: {on: true}, say: The wifi is on now.]
counterexamples:
  only_says_so: [get_wifi_status: {}, say: Wifi is on.]
  looks_never: [set_wifi_status: {on: true}, say: Wifi is on.]
"""


def test_what_the_proof_does_without_is_listed_by_line(folder: Path, run: Run) -> None:
    (folder / "light.scenario.yaml").write_text(LIGHT)
    printed = run("shrink", ".")
    assert printed.lines == [
        "light.scenario.yaml::light: its proof does without 10 parts",
        "  line   3  state.setting.latitude",
        "  line   4  state.contact",
        "  line   9  milestones.turned_on.after",
        "  line  10  milestones.told.after",
        "  line  10  milestones.told.says.mentions.1",
        "  line  12  minefields.cellular_off",
        *[f"  line  13  protected.{place}" for place in range(3)],
        "  line  16  solutions.again",
    ]
    assert printed.status == 0


MORE = "toolsandbox check shows all that is wrong with it"
SMALL = """\
scenarios:
  small: {}
  unproved: {counterexamples: null}
world: phone
state: {setting: {wifi: false}}
tools: [set_wifi_status]
user: {opening: Turn on wifi.}
milestones:
  turned_on: {state: {setting: {wifi: true}}}
  told: {says: {mentions: "on"}}
solutions: {at_once: [set_wifi_status: {on: true}, say: It is on.]}
counterexamples: {only_says_so: [say: It is on.]}
"""


def test_what_is_needed_stays_and_what_is_not_proved_is_not_shrunk(folder: Path, run: Run) -> None:
    (folder / "light.scenario.yaml").write_text(SMALL)
    printed = run("shrink", ".")
    assert printed.lines == [
        "light.scenario.yaml::small: its proof needs all of it",
        f"light.scenario.yaml::unproved: it has no counterexample; {MORE}",
    ]
    assert printed.status == 1
