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
            "the client lacks a package: No SDK. Install it: pip install sdk",
        ),
        (
            caused(RuntimeError("Odd value"), UserWarning("Odd\nvalue of key sk-0123456789.")),
            "the client stopped at a warning: Odd value of key ***; let it pass in filterwarnings",
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


class RefusalError(Exception):
    """An error of a client, with the body of the answer."""

    def __init__(self, body: object) -> None:
        super().__init__("Error code: 400")
        self.body = body


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"message": "Too big."}, "Too big"),
        ({"error": {"message": "Too big.", "code": 400}}, "Too big"),
        ([{"error": {"message": "Too big.", "status": "INVALID_ARGUMENT"}}], "Too big"),
        ({"detail": "Too big."}, "Too big"),
        ({"detail": [{"loc": ["body", "n"], "msg": "Too big."}]}, "body.n: Too big"),
        ({"errors": [{"message": "Too big."}]}, "Too big"),
        ("<html>Repair</html>", "<html>Repair</html>"),
        (
            {
                "message": "Provider returned error",
                "metadata": {"raw": '{"error": {"message": "Too big."}}'},
            },
            "Provider returned error: Too big",
        ),
        ({"code": 7}, "Error code: 400"),
        ([], "Error code: 400"),
    ],
    ids=str,
)
def test_words_of_a_provider(body: object, words: str) -> None:
    assert ProviderFailure("acme/stub", RefusalError(body), 60).words == f": {words}"


GROQ = {"message": "Failed to call a function.", "code": "tool_use_failed"}
FORMAT = "model produced output that does not match the expected peg-native format"


@pytest.mark.parametrize(
    ("body", "written"),
    [
        ({**GROQ, "failed_generation": '{"on": '}, '{"on": '),
        ({"error": {**GROQ, "failed_generation": '{"on": '}}, '{"on": '),
        ({"message": "See below", "failed_generation": '{"on": '}, '{"on": '),
        (GROQ, "Failed to call a function."),
        ({"message": 'Failed to parse input at pos 3: {"on": '}, '{"on": '),
        (
            {"message": "Failed to parse tool call arguments as JSON: [parse_error.101]"},
            "[parse_error.101]",
        ),
        ({"message": f"The {FORMAT}"}, FORMAT),
        ({"error": "error parsing tool call: raw='{\"on\": ', err=unexpected end"}, '{"on": '),
        (
            {"error": "XML syntax error on line 8: element <function> closed by </parameter>"},
            "XML syntax error on line 8: element <function> closed by </parameter>",
        ),
        (
            {"error": "expected element type <function> but have <parameter>"},
            "expected element type <function> but have <parameter>",
        ),
        (
            {"message": "Model produced invalid sequence as part of ToolUse. Please refer to …"},
            "Model produced invalid sequence as part of ToolUse",
        ),
        ({"message": "failed to parse JSON"}, None),
    ],
    ids=str,
)
def test_malformed_call(body: object, written: str | None) -> None:
    assert ProviderFailure("acme/stub", RefusalError(body), 60).malformed_call == written
