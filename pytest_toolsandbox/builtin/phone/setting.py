"""The phone's switches, and its location.

What a switch depends on is only in the errors: agents have to find out.
"""

from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.tool import tool

SERVICES = {
    "cellular": "Cellular service",
    "wifi": "Wifi",
    "location_service": "Location service",
}


@tool("setting")
def get_cellular_service_status(context: Context) -> bool:
    """Tell whether cellular service is on.

    Returns:
        True if it is on.
    """
    return _is_on(context, "cellular")


@tool("setting")
def get_current_location(context: Context) -> dict[str, float]:
    """Tell where the phone is.

    Returns:
        Its latitude and longitude, in degrees.

    Raises:
        PermissionError: If location service is off.
    """
    setting = context.row("setting")
    if not setting["location_service"]:
        raise PermissionError("Location service is not enabled.")
    return {"latitude": setting["latitude"], "longitude": setting["longitude"]}


@tool("setting")
def get_location_service_status(context: Context) -> bool:
    """Tell whether location service is on.

    Returns:
        True if it is on.
    """
    return _is_on(context, "location_service")


@tool("setting")
def get_low_battery_mode_status(context: Context) -> bool:
    """Tell whether low battery mode is on.

    Returns:
        True if it is on.
    """
    return _is_on(context, "low_battery_mode")


@tool("setting")
def get_wifi_status(context: Context) -> bool:
    """Tell whether wifi is on.

    Returns:
        True if it is on.
    """
    return _is_on(context, "wifi")


@tool("setting")
def set_cellular_service_status(context: Context, on: bool) -> None:
    """Turn cellular service on or off.

    Args:
        on: True to turn it on, false to turn it off.

    Raises:
        PermissionError: If it is to be turned on in low battery mode.
        ValueError: If it is so already.
    """
    _switch(context, "cellular", on)


@tool("setting")
def set_location_service_status(context: Context, on: bool) -> None:
    """Turn location service on or off.

    Args:
        on: True to turn it on, false to turn it off.

    Raises:
        PermissionError: If it is to be turned on in low battery mode.
        ValueError: If it is so already.
    """
    _switch(context, "location_service", on)


@tool("setting")
def set_low_battery_mode_status(context: Context, on: bool) -> None:
    """Turn low battery mode on or off.

    Turning it on also turns off cellular service, wifi and location service. They stay off when it
    is turned off again.

    Args:
        on: True to turn it on, false to turn it off.

    Raises:
        ValueError: If it is so already.
    """
    _switch(context, "low_battery_mode", on)
    if on:
        context.update("setting", context.row("setting"), **dict.fromkeys(SERVICES, False))


@tool("setting")
def set_wifi_status(context: Context, on: bool) -> None:
    """Turn wifi on or off.

    Args:
        on: True to turn it on, false to turn it off.

    Raises:
        PermissionError: If it is to be turned on in low battery mode.
        ValueError: If it is so already.
    """
    _switch(context, "wifi", on)


def _is_on(context: Context, switch: str) -> bool:
    return bool(context.row("setting")[switch])


def _switch(context: Context, switch: str, on: bool) -> None:
    setting = context.row("setting")
    if on and switch in SERVICES and setting["low_battery_mode"]:
        raise PermissionError(f"{SERVICES[switch]} cannot be turned on in low battery mode")
    if setting[switch] == on:
        raise ValueError(f"{switch} already {'enabled' if on else 'disabled'}")
    context.update("setting", setting, **{switch: on})


TOOLS = (
    get_cellular_service_status,
    get_current_location,
    get_location_service_status,
    get_low_battery_mode_status,
    get_wifi_status,
    set_cellular_service_status,
    set_location_service_status,
    set_low_battery_mode_status,
    set_wifi_status,
)
