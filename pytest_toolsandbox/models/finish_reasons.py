"""Why replies of models end: one vocabulary for all providers, and whose fault an ending is.

The names are those of OpenAI: ``stop``, ``tool_calls``, ``length`` (the token limit). Another name
is kept as the provider wrote it, in lower case.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any, Final

from .provider_errors import OTHER_WORDS, TOO_LONG, ReplyError, as_clause

CUT_OFF: Final = "length"
"""The reason of a reply that reached the token limit."""
COMPLETE: Final = ("stop", "tool_calls")
"""The reasons of replies that are complete."""
_LONGEST: Final = 60
"""Characters of a finish reason that are kept."""
_CALLS: Final = "tool_calls"
_REFUSAL: Final = "refusal"
_OPENAI_NAMES: Final = {
    **dict.fromkeys(
        ("end_turn", "stop_sequence", "complete", "completed", "eos", "eos_token"), "stop"
    ),
    **dict.fromkeys(("max_tokens", "max_output_tokens", "model_length"), CUT_OFF),
    **dict.fromkeys(("tool_use", "tool_call", "function_call"), _CALLS),
}
"""The names of other providers, in lower case."""
_BROKEN_OFF: Final = {
    *("error", "model_error", "network_error", "unknown", "other", "finish_reason_unspecified"),
    *("abort", "aborted", "cancelled", "canceled", "timeout", "insufficient_system_resource"),
    *("repetition_truncation", "missing_thought_signature"),
}
"""Reasons of a reply that the provider broke off."""
_WITHHELD: Final = {
    *("content_filter", "content_filtered", "guardrail_intervened", "sensitive", "error_toxic"),
    *("safety", "recitation", "language", "blocklist", "prohibited_content", "spii"),
}
"""Reasons of a reply that a filter of the provider cut off."""
_TOO_LONG: Final = "model_context_window_exceeded"
_PAUSED: Final = "pause_turn"
"""The reason of a reply that Anthropic wants to go on with, after uses of tools of its own."""
_NO_OWN_TOOLS: Final = "take its own tools out of the parameters"
_OF_GEMINI: Final = {"malformed_function_call", "unexpected_tool_call"}
_MALFORMED: Final = {*_OF_GEMINI, "malformed_tool_use"}
"""Reasons of a reply whose call the provider could not read."""
_NATIVE: Final = "native_finish_reason"
_FIELDS: Final = ("finish_reason", _NATIVE, "finishReason", "stop_reason", "stopReason")
"""Where replies have their finish reasons."""
_WRITTEN: Final = "written_finish_reasons"
_EXPLANATION: Final = "finish_message"
"""Keys under which a response of litellm gets what the provider wrote."""
_STANDARD: Final = {"stop", CUT_OFF, _CALLS, "content_filter"}


def finish_reason(choice: Any) -> str | None:
    """Return why a choice of a chat completion ended, ``None`` if it is not known.

    A reply with calls that merely stopped ended with ``tool_calls``, as OpenAI has it.
    """
    reasons = [*_reasons(choice)]
    malformed = [reason for reason in reasons if reason in _MALFORMED]
    special = [reason for reason in reasons if reason not in _STANDARD]
    reason = next(iter([*malformed, *special, *reasons]), None)
    has_calls = bool(getattr(choice.message, "tool_calls", None))
    return _CALLS if has_calls and reason in ("stop", None) else reason


def malformed_call(choice: Any) -> str | None:
    """Return the text of a call that the provider announces and cannot read, if that is the ending.

    The text is Gemini's explanation, which quotes the model, or the content of the message.
    """
    message = choice.message
    if getattr(message, "tool_calls", None) or getattr(message, "function_call", None):
        return None
    if finish_reason(choice) not in {_CALLS, *_MALFORMED}:
        return None
    explanation = _provider_fields(choice).get(_EXPLANATION)
    return str(explanation or getattr(message, "content", None) or "")


def extra_content(choice: Any) -> dict[str, Any]:
    """Return the field that a call needs with which Gemini gets its malformed call back.

    Gemini refuses a call without a signature, unless its text says that there is none
    (https://ai.google.dev/gemini-api/docs/thought-signatures).
    """
    if finish_reason(choice) not in _OF_GEMINI:
        return {}
    return {"extra_content": {"google": {"thought_signature": "skip_thought_signature_validator"}}}


def check_ending(choice: Any) -> None:
    """Raise :class:`ReplyError` if the provider broke off or withheld a reply with status 200."""
    message = choice.message
    parts = ({**vars(part), **_provider_fields(part)} for part in (choice, message))
    error = next(filter(None, (part.get("error") for part in parts)), None)
    reasons = {*_reasons(choice)}
    if reasons & _MALFORMED:  # for which OpenRouter also has the reason "error"
        return
    if error or reasons & _BROKEN_OFF:
        raise ReplyError(broken_off(error))
    if _TOO_LONG in reasons:
        raise ReplyError(TOO_LONG.format(words=""))
    if _PAUSED in reasons:
        raise ReplyError(f"the provider paused the reply ({_PAUSED}); {_NO_OWN_TOOLS}")
    is_refusal = _REFUSAL in reasons or refusal_in(message)
    if reasons & _WITHHELD and not is_refusal:
        raise ReplyError(f"the provider's content policy withheld the reply; {OTHER_WORDS}")


def broken_off(error: Any) -> str:
    """Return what an error in a reply says, and the remedy."""
    fields = vars(error) if isinstance(error, SimpleNamespace) else error
    message = fields.get("message") if isinstance(fields, Mapping) else error
    words = f": {as_clause(message)}" if message else ""
    return f"the provider failed{words}; try again later"


def refusal_in(message: Any) -> Any:
    """Return with what words the model refuses to answer, if it does."""
    # As of litellm 1.110, it may be among the provider's fields.
    return getattr(message, "refusal", None) or _provider_fields(message).get("refusal")


def restore_endings(response: Any, body: Mapping[str, Any]) -> None:
    """Add to litellm's response why the provider ended it.

    litellm renames finish reasons, takes a refusal of Claude for a content filter, and drops
    Gemini's explanation.
    """
    written = body.get("choices") or body.get("candidates") or [body]
    for choice, raw in zip(getattr(response, "choices", None) or (), written, strict=False):
        added = {
            _WRITTEN: [raw[name] for name in _FIELDS if raw.get(name)],
            _EXPLANATION: raw.get("finishMessage"),
        }
        choice.provider_specific_fields = {**_provider_fields(choice), **added}


def _reasons(choice: Any) -> Iterator[str]:
    """Yield the finish reasons of a choice: the one in its field, and that of a provider behind it.

    Google's OpenAI endpoint writes the category first: ``content_filter: SAFETY``.
    """
    fields = _provider_fields(choice)
    native = getattr(choice, _NATIVE, None), fields.get(_NATIVE)
    for reason in filter(None, (choice.finish_reason, *native, *fields.get(_WRITTEN, ()))):
        for part in reversed(str(reason)[:_LONGEST].lower().split(": ")):
            yield _OPENAI_NAMES.get(part, part)


def _provider_fields(part: Any) -> Mapping[str, Any]:
    """Return the provider's own fields, which litellm keeps."""
    fields = getattr(part, "provider_specific_fields", None) or {}
    return vars(fields) if isinstance(fields, SimpleNamespace) else fields
