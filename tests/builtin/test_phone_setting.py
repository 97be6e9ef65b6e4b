from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pytest_toolsandbox.worlds.state import State

# The column of a switch → the middle of its tools' names, and how errors call it.
SERVICES = {
    "cellular": ("cellular_service", "Cellular service"),
    "wifi": ("wifi", "Wifi"),
    "location_service": ("location_service", "Location service"),
}
SWITCHES = {**SERVICES, "low_battery_mode": ("low_battery_mode", "")}


def setting(state: State) -> dict[str, Any]:
    (row,) = state["setting"].rows
    return dict(row)


@pytest.mark.parametrize("column", SWITCHES)
@pytest.mark.parametrize("on", [True, False])
def test_status(
    column: str, on: bool, call: Callable[..., Any], switched: Callable[..., State]
) -> None:
    others = dict.fromkeys(SWITCHES, not on)
    state = switched(**others | {column: on})
    status, after = call(f"get_{SWITCHES[column][0]}_status", state=state)
    assert status is on
    assert after is state


@pytest.mark.parametrize("column", SWITCHES)
@pytest.mark.parametrize("on", [True, False])
def test_a_switch_changes_its_own_column(
    column: str, on: bool, call: Callable[..., Any], switched: Callable[..., State]
) -> None:
    state = switched(**dict.fromkeys(SERVICES, False) | {"low_battery_mode": False, column: not on})
    result, after = call(f"set_{SWITCHES[column][0]}_status", on=on, state=state)
    assert result is None
    assert setting(after) == setting(state) | {column: on}
    assert after.with_table("setting", state["setting"]) == state


@pytest.mark.parametrize("column", SWITCHES)
@pytest.mark.parametrize("on", [True, False])
def test_a_switch_that_is_so_already(
    column: str, on: bool, error: Callable[..., str], switched: Callable[..., State]
) -> None:
    state = switched(**{"low_battery_mode": False, column: on})
    word = "enabled" if on else "disabled"
    tool = f"set_{SWITCHES[column][0]}_status"
    assert error(tool, on=on, state=state) == f"ValueError: {column} already {word}"


@pytest.mark.parametrize("column", SERVICES)
@pytest.mark.parametrize("already", [True, False])
def test_no_service_can_be_turned_on_in_low_battery_mode(
    column: str, already: bool, error: Callable[..., str], switched: Callable[..., State]
) -> None:
    name, title = SERVICES[column]
    state = switched(**{"low_battery_mode": True, column: already})
    assert error(f"set_{name}_status", on=True, state=state) == (
        f"PermissionError: {title} cannot be turned on in low battery mode"
    )


@pytest.mark.parametrize("column", SERVICES)
def test_a_service_can_be_turned_off_in_low_battery_mode(
    column: str, call: Callable[..., Any], switched: Callable[..., State]
) -> None:
    state = switched(**{"low_battery_mode": True, column: True})
    _, after = call(f"set_{SERVICES[column][0]}_status", on=False, state=state)
    assert setting(after) == setting(state) | {column: False}


@pytest.mark.parametrize("off", [(), ("wifi",), ("cellular", "wifi", "location_service")])
def test_low_battery_mode_turns_all_services_off(
    off: tuple[str, ...], call: Callable[..., Any], switched: Callable[..., State]
) -> None:
    state = switched(**dict.fromkeys(off, False))
    _, after = call("set_low_battery_mode_status", on=True, state=state)
    assert setting(after) == setting(state) | {
        "low_battery_mode": True,
        "cellular": False,
        "wifi": False,
        "location_service": False,
    }


def test_leaving_low_battery_mode_turns_nothing_on(
    call: Callable[..., Any], switched: Callable[..., State]
) -> None:
    state = switched(low_battery_mode=True, cellular=False, wifi=True, location_service=False)
    _, after = call("set_low_battery_mode_status", on=False, state=state)
    assert setting(after) == setting(state) | {"low_battery_mode": False}


def test_a_message_can_be_sent_again_step_by_step(
    call: Callable[..., Any], error: Callable[..., str]
) -> None:
    text = {"phone_number": "+14155550111", "content": "Hello"}
    _, state = call("set_low_battery_mode_status", on=True)
    assert error("send_message_with_phone_number", **text, state=state) == (
        "ConnectionError: Cellular service is not enabled"
    )
    assert error("set_cellular_service_status", on=True, state=state) == (
        "PermissionError: Cellular service cannot be turned on in low battery mode"
    )
    _, state = call("set_low_battery_mode_status", on=False, state=state)
    assert error("send_message_with_phone_number", **text, state=state) == (
        "ConnectionError: Cellular service is not enabled"
    )
    _, state = call("set_cellular_service_status", on=True, state=state)
    _, after = call("send_message_with_phone_number", **text, state=state)
    assert len(after["messaging"]) == len(state["messaging"]) + 1


@pytest.mark.parametrize("name", [name for name, _ in SWITCHES.values()])
@pytest.mark.parametrize("low_battery", [True, False])
def test_a_number_is_no_switch(
    name: str, low_battery: bool, error: Callable[..., str], switched: Callable[..., State]
) -> None:
    state = switched(low_battery_mode=low_battery)
    assert error(f"set_{name}_status", on=1, state=state) == (
        "TypeError: Parameter 'on' is of type 'integer', but expected 'boolean'."
    )


def test_current_location(
    call: Callable[..., Any], error: Callable[..., str], switched: Callable[..., State]
) -> None:
    here = {"latitude": 37.7955, "longitude": -122.3937}
    assert call("get_current_location")[0] == here
    state = switched(location_service=True, cellular=False, wifi=False, low_battery_mode=True)
    assert call("get_current_location", state=state)[0] == here
    state = switched(location_service=False)
    assert error("get_current_location", state=state) == (
        "PermissionError: Location service is not enabled."
    )
