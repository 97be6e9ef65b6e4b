"""Models that answer through one tool, such as judges, and what their providers refuse."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from .errors import ProviderError
from .model_agent import ProviderModel
from .requests import ModelReply

_OPTIONAL: Final = ("temperature", "tool_choice")
"""Parameters of a question that a provider may refuse: the question can be asked without them."""
_refused: Final = defaultdict[str, set[str]](set)
"""Model → the parameters that its provider has refused in this process."""


@dataclass(frozen=True)
class AnsweringModel(ProviderModel):
    """A model that is asked through one tool, and again without what its provider refuses.

    Reasoning models refuse a temperature. While DeepSeek's, Moonshot's and Anthropic's models
    think, a request must not force a tool; they call it as the instruction says.
    """

    def _reply(
        self,
        function: str,
        read: Callable[[Any], Any],
        payload: Mapping[str, Any],
        seconds: float,
    ) -> ModelReply:
        refused = _refused[self.model]
        while True:
            sent = {name: value for name, value in payload.items() if name not in refused}
            try:
                return super()._reply(function, read, sent, seconds)
            except ProviderError as error:
                named = {name for name in _OPTIONAL if name in sent and name in str(error)}
                if not named:
                    raise
                refused |= named
