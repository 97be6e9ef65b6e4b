"""What the server of the model tests cannot bring about."""

from __future__ import annotations

import socket
import ssl

import pytest

from pytest_toolsandbox.models.provider_errors import ProviderFailure, explain

NETWORK = "check the network, and the base URL if you set one"


def caused(error: Exception, cause: BaseException) -> Exception:
    error.__context__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            caused(
                RuntimeError("Connection error."), socket.gaierror(-2, "Name or service not known")
            ),
            f"the connection failed: Name or service not known; {NETWORK}",
        ),
        (
            caused(RuntimeError("Connection error."), ssl.SSLError(1, "self-signed certificate")),
            f"the connection failed: self-signed certificate; {NETWORK}",
        ),
        (
            caused(RuntimeError("No SDK"), ImportError("No SDK. Install it: pip install sdk")),
            "litellm lacks a package: No SDK. Install it: pip install sdk",
        ),
        (
            caused(RuntimeError("Odd value"), UserWarning("Odd\nvalue of key sk-0123456789.")),
            "litellm stopped at a warning: Odd value of key ***; let it pass in filterwarnings",
        ),
        (
            RuntimeError("litellm.APIConnectionError: Acme_aiException - ACME_API_KEY is not set"),
            "litellm finds no API key: ACME_API_KEY is not set; set it in the environment",
        ),
        (
            RuntimeError(
                "litellm.ContextError: litellm.BadRequestError: AcmeError - "
                '{"error": {"type": "bad", "message": "Too big."}}. Handle with `care`.'
            ),
            (
                "the reply is not a chat completion: Too big; "
                "check the model server, and the base URL if you set one"
            ),
        ),
        (
            RuntimeError("Oops\nTraceback (most recent call last):\n  File ..."),
            (
                "the reply is not a chat completion: Oops; "
                "check the model server, and the base URL if you set one"
            ),
        ),
    ],
    ids=["name", "certificate", "package", "warning", "key", "error object", "traceback"],
)
def test_explanation(error: Exception, line: str) -> None:
    assert str(explain(ProviderFailure("acme/stub", error, 60))) == f"acme/stub: {line}"


def test_circular_causes_come_to_an_end() -> None:
    first, second = RuntimeError("first"), RuntimeError("second")
    first.__context__, second.__context__ = second, first
    assert ProviderFailure("acme/stub", first, 60).chain == (first, second)
