"""From what ``--sandbox-judge`` says to a judge."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Final

from pytest_toolsandbox.models.aliases import ALIASES, NO_JUDGE, model_name
from pytest_toolsandbox.models.errors import JudgeError
from pytest_toolsandbox.models.litellm_agent import load_early
from pytest_toolsandbox.wording.import_strings import ExpectedCallable, import_callable
from pytest_toolsandbox.wording.nearest_name import did_you_mean

from .model_judge import ModelJudge, NamedJudge
from .own import OwnJudge

_EXPECTED: Final = ExpectedCallable(
    ("question",),
    "a judge takes (question) or is a ModelJudge, and a factory, which makes one, takes nothing",
    "an async factory; a judge may be async, a factory not",
    "names no judge; write module:attribute",
    JudgeError,
    lambda found: issubclass(type(found), ModelJudge),
)


def resolve_judge(
    text: str, aliases: Mapping[str, str], *, is_asked: bool = True, votes: int | None = None
) -> ModelJudge | NamedJudge | OwnJudge:
    """Return the judge that ``text`` names; ``aliases`` are the user's. Raises ``JudgeError``.

    Of a model that is not asked, since its replies are recorded, nothing has to be installed.
    It is asked ``votes`` times, or as often as it says itself.
    """
    names = {**ALIASES, **aliases}
    model = model_name(text, names)
    if not model and ":" not in text:
        known = (NO_JUDGE, *names)
        allowed = f"{', '.join(known)}, provider/model, module:attribute"
        raise JudgeError(f"there is no such judge{did_you_mean(text, known)} (allowed: {allowed})")
    found: Any = None if model else import_callable(text, _EXPECTED)
    if not (model or issubclass(type(found), ModelJudge)):
        return OwnJudge(text, found, votes or 1)
    if is_asked:
        load_early()
    if model:
        return ModelJudge(model, votes=votes or 1)
    return NamedJudge(text, _asked(found, votes) if votes else found)


def _asked(judge: ModelJudge, votes: int) -> ModelJudge:
    """Return a judge that is asked so often; its class may be a user's own, and take anything."""
    copied = copy.copy(judge)
    object.__setattr__(copied, "votes", votes)
    return copied
