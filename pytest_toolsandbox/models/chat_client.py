"""Ask models over HTTP without litellm: chat completions, OpenAI's responses, Anthropic's messages.

Responses have the form of litellm's, as far as :mod:`.chat_replies` reads them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

from . import anthropic_messages, openai_responses
from .chat_replies import add_hidden
from .http_posts import StatusError, parsed, post
from .provider_errors import ReplyError
from .providers import ANTHROPIC, FORCED, RENAMED, Endpoint, endpoint, missing_variables

Json = dict[str, Any]

_OWN: Final = {
    *("api_base", "api_key", "base_url", "extra_body", "extra_headers", "headers"),
    *("max_retries", "num_retries", "timeout"),
}
"""Parameters that are not part of the body."""
_REFUSED: Final = (400, 404)
_ELSEWHERE: Final = "v1/responses"
"""What a server says of a model that it has only, or with tools only, at another path."""


class _Api(NamedTuple):
    """An API of chats: the end of its URL, and what translates requests and replies."""

    path: str
    write: Callable[[Mapping[str, Any]], Json]
    read: Callable[[Any], Any]


_CHAT: Final = _Api("/chat/completions", dict, lambda body: body)
_RESPONSES: Final = _Api(
    "/responses", openai_responses.response_request, openai_responses.chat_completion
)
_MESSAGES: Final = _Api(
    "/v1/messages", anthropic_messages.message_request, anthropic_messages.chat_completion
)
_elsewhere: set[tuple[str, str]] = set()
"""URL and name of the models of which a server has said so in this process."""


def respond(function: str, model: str, request: Mapping[str, Any], replies: list[str]) -> Any:
    """Return the response to a request; the provider's reply is added to ``replies`` as it came.

    The ``function`` is ``completion`` or ``embedding``. Raises :class:`~.http_posts.StatusError`,
    :class:`~.provider_errors.ReplyError`, and errors of httpx and of reading.
    """
    if missing_variables(model, request):
        raise LookupError("no API key")
    place = endpoint(model, request)
    if function == "embedding":
        body = _asked(place, _CHAT._replace(path="/embeddings"), request, replies)
        return SimpleNamespace(data=body["data"], usage=body.get("usage"))
    known = (place.url, place.name)
    if place.provider == ANTHROPIC:
        return _completion(place, _MESSAGES, request, replies)
    if known not in _elsewhere:
        try:
            return _completion(place, _CHAT, request, replies)
        except StatusError as refusal:
            if refusal.response.status_code not in _REFUSED or _ELSEWHERE not in str(refusal):
                raise
        _elsewhere.add(known)
    return _completion(place, _RESPONSES, request, replies)


def _completion(place: Endpoint, api: _Api, request: Mapping[str, Any], replies: list[str]) -> Any:
    body = _asked(place, api, request, replies)
    response = _response(api.read(body))
    add_hidden(response, replies[-1])
    return response


def _asked(place: Endpoint, api: _Api, request: Mapping[str, Any], replies: list[str]) -> Any:
    names = RENAMED.get(place.provider, {})
    sent = {names.get(name, name): value for name, value in request.items() if name not in _OWN}
    body = {**api.write(sent), **(request.get("extra_body") or {}), "model": place.name}
    try:
        written = json.dumps(body)
    except TypeError as error:
        remedy = f"write its JSON, or {FORCED}{place.provider}/{place.name}"
        raise ReplyError(f"a parameter cannot be sent: {error}; {remedy}") from error
    extra_headers = {**(request.get("headers") or {}), **(request.get("extra_headers") or {})}
    url = _url(place.url, api.path)
    reply = post(url, {**place.headers, **extra_headers}, written, request["timeout"])
    replies.append(reply)
    return parsed(reply)


def _url(base: str, path: str) -> str:
    """Return a base URL with a path, of which users may have written the beginning or all."""
    for written in (path, path[: path.rindex("/")]):
        base = base.removesuffix(written)
    return f"{base}{path}"


def _response(body: Any) -> Any:
    """Return a chat completion as an object. Raises if it is not one."""
    choices = [_choice(choice) for choice in body["choices"]]
    return SimpleNamespace(choices=choices, usage=body.get("usage"))


def _choice(choice: Mapping[str, Any]) -> Any:
    fields = {name: value for name, value in choice.items() if name != "message"}
    message = dict(choice["message"])
    message["content"] = _text(message.get("content"))
    message["tool_calls"] = [_call(call) for call in message.get("tool_calls") or ()] or None
    return SimpleNamespace(
        message=SimpleNamespace(**message),
        finish_reason=choice.get("finish_reason") or "stop",  # some servers have none
        provider_specific_fields=fields,
    )


def _text(content: Any) -> Any:
    """Return what a list of parts says, as Mistral's models have it beside their thoughts."""
    if not isinstance(content, list | str | None):
        raise TypeError(f"content is {type(content).__name__}")
    if not isinstance(content, list):
        return content
    return "".join(part["text"] for part in content if part.get("type") == "text")


def _call(call: Mapping[str, Any]) -> Any:
    function = call["function"]
    arguments = function.get("arguments")
    written = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    name = function.get("name")
    if not isinstance(name, str | None):
        raise TypeError(f"the name of a call is {type(name).__name__}")
    function = SimpleNamespace(**{**function, "name": name, "arguments": written})
    identifier = call.get("id")
    known = None if identifier is None else str(identifier)
    return SimpleNamespace(**{**call, "id": known, "function": function})
