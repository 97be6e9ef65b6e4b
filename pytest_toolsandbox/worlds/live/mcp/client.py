"""A client of the Model Context Protocol: begins a session, lists tools and calls them.

It knows no transport: ``stdio.py`` and ``http.py`` have the channels. One client serves one
conversation at a time.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any, Final

from pytest_toolsandbox.text.formatting import one_line
from pytest_toolsandbox.text.redaction import redacted_line
from pytest_toolsandbox.worlds.context import WorldError

from .channel import Channel, ChannelError, Message

VERSION: Final = "2025-11-25"
"""The version of the protocol that the client asks for. It works with what servers answer."""
GRACE: Final = 2.0
"""Seconds for a server to end by itself, since closing its input does not end every server."""
CALL_SECONDS: Final = 30.0
"""The default time limit of a call."""
START_SECONDS: Final = 120.0
"""The time for a server to start: ``npx`` may first download it."""
_LAST_WORDS: Final = 1.0
"""Seconds for the notification that a call is cancelled."""
_MOST_PAGES: Final = 1000
"""Pages of the list of tools, so that a server whose cursor never ends is an error."""
_NO_METHOD: Final = -32601


class RemoteError(Exception):
    """A server answered a request with an error of JSON-RPC, which has a code and a text."""

    def __init__(self, code: Any, text: str) -> None:
        super().__init__(text)
        self.code = code


class McpClient:
    """A session with a server, which messages call ``name``.

    All methods raise :class:`WorldError` if the server does something wrong. The client is then
    closed, as ``is_open`` says.
    """

    def __init__(self, channel: Channel, name: str) -> None:
        self.name = name
        self.is_open = True
        self.server: dict[str, Any] = {}
        """What the server says about itself: ``name`` and ``version``."""
        self.tools_changed = False
        """Whether the server has said that its list of tools changed."""
        self._channel = channel
        self._number = 0

    def start(self, seconds: float = START_SECONDS) -> None:
        """Begin the session."""
        asked = {
            "protocolVersion": VERSION,
            "capabilities": {},
            "clientInfo": {"name": "toolsandbox", "version": "1"},
        }
        result = self._result("initialize", asked, "initialize", seconds)
        self.server = result.get("serverInfo") or {}
        deadline = time.monotonic() + seconds
        try:
            self._channel.send(_notification("notifications/initialized"), deadline)
        except (ChannelError, TimeoutError) as error:
            raise self._failed(f"{error} after initialize") from None

    def tools(self, seconds: float = START_SECONDS) -> list[dict[str, Any]]:
        """Return the tools as the server lists them, of all pages."""
        self.tools_changed = False
        tools: list[dict[str, Any]] = []
        cursor = None
        for _ in range(_MOST_PAGES):
            params: dict[str, Any] = {"cursor": cursor} if cursor else {}
            result = self._result("tools/list", params, "tools/list", seconds)
            page = result.get("tools")
            if not isinstance(page, list) or not all(map(_is_tool, page)):
                raise self._failed("answered tools/list without a list of tools with names")
            tools += page
            if not (cursor := result.get("nextCursor")):
                return tools
        raise self._failed(f"lists its tools on more than {_MOST_PAGES} pages")

    def call(
        self, tool: str, arguments: dict[str, Any], seconds: float = CALL_SECONDS
    ) -> dict[str, Any]:
        """Call a tool, and return its result as the protocol has it.

        Raises :class:`RemoteError` for an answer that is an error of JSON-RPC.
        """
        params = {"name": tool, "arguments": arguments}
        try:
            return self._request("tools/call", params, f"{tool}()", seconds)
        except TimeoutError:
            self._cancel()
            text = f"did not answer {tool}() within {seconds:g} s; timeout: sets another limit"
            raise self._failed(text) from None

    @property
    def remark(self) -> str:
        """What is wrong with the output of the server, as a clause; empty if nothing is."""
        return self._channel.remark

    def begin_conversation(self) -> None:
        """Leave what earlier conversations have logged out of errors."""
        self._channel.forget_errors()

    def close(self, grace: float | None = None) -> None:
        """End the session and a server that was started for it; later calls do nothing.

        A server has ``grace`` seconds to end by itself, by default two.
        """
        if self.is_open:
            self.is_open = False
            self._channel.close(GRACE if grace is None else grace)

    def _result(
        self, method: str, params: dict[str, Any], what: str, seconds: float
    ) -> dict[str, Any]:
        """Return the result of a request that no server may refuse."""
        try:
            return self._request(method, params, what, seconds)
        except TimeoutError:
            raise self._failed(f"did not answer {what} within {seconds:g} s") from None
        except RemoteError as error:
            raise self._failed(f"refused {what}: {error}") from None

    def _request(
        self, method: str, params: dict[str, Any], what: str, seconds: float
    ) -> dict[str, Any]:
        """Return the result of a request. Raises ``TimeoutError``, :class:`RemoteError`."""
        if not self.is_open:
            raise WorldError(f"MCP server {self.name}: it is closed, and gets no {what}")
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        deadline = time.monotonic() + seconds
        try:
            self._channel.send(request, deadline)
            answer = self._answer(deadline)
        except ChannelError as error:
            raise self._failed(str(error), f"during {what}") from None
        except TimeoutError:
            raise
        except BaseException:  # such as a time limit: the answer could be taken for a later one's
            self.close(0)
            raise
        if "error" in answer:
            refusal = answer["error"] if isinstance(answer["error"], dict) else {}
            text = redacted_line(str(refusal.get("message") or "an error without a message"))
            raise RemoteError(refusal.get("code"), text)
        if not isinstance(answer.get("result"), dict):
            raise self._failed(f"answered {what} without a result")
        result: dict[str, Any] = answer["result"]
        return result

    def _answer(self, deadline: float) -> Message:
        """Return the answer to the last request; meanwhile the server may ask and notify."""
        while True:
            message = self._channel.receive(deadline)
            if "method" not in message:
                if message.get("id") == self._number:
                    return message
            elif "id" in message:
                self._channel.send(_reply(message), deadline)
            elif message["method"] == "notifications/tools/list_changed":
                self.tools_changed = True

    def _cancel(self) -> None:
        params = {"requestId": self._number, "reason": "it took too long"}
        with suppress(ChannelError, TimeoutError):
            message = _notification("notifications/cancelled", params)
            self._channel.send(message, time.monotonic() + _LAST_WORDS)

    def _failed(self, text: str, when: str = "") -> WorldError:
        """Close the client, and return the error."""
        self.close()
        text, _, rest = text.partition(";")
        parts = [" ".join(filter(None, (text, when))) + (f";{rest}" if rest else ""), self.remark]
        return WorldError(
            one_line(f"MCP server {self.name}: " + "; ".join(filter(None, parts)), 900)
        )


def _is_tool(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("name"), str)


def _notification(method: str, params: dict[str, Any] | None = None) -> Message:
    return {"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})}


def _reply(request: Message) -> Message:
    """Return the answer to a request of the server: it may ask whether the client still lives.

    Samples of a model, forms for a person and the client's folders are refused: some servers would
    otherwise wait for them without end.
    """
    head = {"jsonrpc": "2.0", "id": request["id"]}
    if request["method"] == "ping":
        return {**head, "result": {}}
    text = f"this client has no {request['method']}"
    return {**head, "error": {"code": _NO_METHOD, "message": text}}
