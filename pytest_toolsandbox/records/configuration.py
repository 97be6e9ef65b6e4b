"""With what a conversation was held, and how that differs between two records.

How the agent is configured that played a trial.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, TypeGuard

from pytest_toolsandbox.agents.shapes import shape_of
from pytest_toolsandbox.models.litellm_agent import LitellmModel
from pytest_toolsandbox.text.formatting import format_value
from pytest_toolsandbox.text.redaction import HIDDEN, add_secrets, is_secret_name, redacted

from .parts import AgentRecord, JudgeRecord, UserRecord

CONFIGURATION: Final = (
    *("agent_settings", "user", "user_settings", "feedback", "call_format", "prompt_digest"),
)
"""The fields of a record that say who took part, and in which way: what a user chooses."""
OF_JUDGE: Final = ("judge", "judge_settings")
"""Those that say who judged words."""
OF_SCENARIO: Final = (
    *("scenario_digest", "world", "tools_digest", "world_digest", "now", "start", "limits"),
)
"""Those that say what was played."""


def changes(
    before: Mapping[str, Any], after: Mapping[str, Any], names: Collection[str] = ()
) -> Iterator[str]:
    """Yield ``agent_settings.model was 'a', is 'b'`` for each value that differs.

    The ``names`` are those of the fields to look at, without any all of them.
    """
    old, new = (
        dict(_flat({name: values.get(name) for name in names or values}))
        for values in (before, after)
    )
    for name in dict.fromkeys((*old, *new)):
        if old.get(name) == new.get(name):
            continue
        if name.endswith("_digest"):
            yield f"{name} is another one"
        else:
            yield f"{name} was {_written(old, name)}, is {_written(new, name)}"


def _flat(values: Mapping[str, Any], start: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{start}{name}.")
        else:
            yield f"{start}{name}", value


def _written(values: Mapping[str, Any], name: str) -> str:
    return format_value(values[name]) if values.get(name) is not None else "not set"


def agent_record(
    name: str, agent: object = None, parameter: str | None = None, label: str | None = None
) -> AgentRecord:
    """Return who plays: the ``name`` that ``--agent`` says, and how the ``agent`` is configured.

    ``parameter`` is the id of one of several prompts and of the parameters of a conftest's
    fixtures, ``label`` what stands for one of several agents in the ids of items. Of
    an agent that is no model, its import path is all that is known; parameters of a model that are
    secret are hidden.
    """
    path = import_path(agent)
    record = AgentRecord(name=name, type=path if agent is not None else None, parameter=parameter)
    if label:
        record["label"] = label
    if agent is not None:
        record["shape"] = shape_of(agent)
    if _is_model(agent):
        record.update(_of_model(agent))  # type: ignore[typeddict-item]  # it has those fields
    return record


def user_record(name: str, user: object) -> UserRecord:
    """Return who talks to the agent: what ``--sandbox-user`` says, and its settings."""
    record = UserRecord(name=name, type=import_path(user))
    if _is_model(user):
        record.update(_of_model(user))  # type: ignore[typeddict-item]  # it has those fields
        record["prompt"] = getattr(user, "prompt", "full")
        if _is_model(reviewer := getattr(user, "reviewer", None)):
            record["reviewer"] = reviewer.model
    return record


def judge_record(judge: object, votes: int = 1) -> JudgeRecord:
    """Return how a judge is configured, which is asked so often of each conversation."""
    record = JudgeRecord(type=import_path(judge))
    if _is_model(judge):
        record.update(_of_model(judge))  # type: ignore[typeddict-item]  # it has those fields
    if votes > 1:
        record["votes"] = votes
    return record


def _is_model(value: object) -> TypeGuard[LitellmModel]:
    """Whether a model is asked; ``isinstance`` would ask the ``__class__`` of a user's own."""
    return issubclass(type(value), LitellmModel)


def _of_model(model: LitellmModel) -> dict[str, Any]:
    add_secrets(model.parameters)
    parameters = _hidden(model.parameters)
    return {"model": model.model, "timeout": model.timeout, "parameters": parameters}


def import_path(agent: object) -> str:
    """Return ``module:name`` of a function or a class, or of the class of anything else."""
    try:
        return f"{agent.__module__}:{agent.__qualname__}"  # type: ignore[attr-defined]  # of functions and classes
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001  # any attribute of a user's own may raise
        return f"{type(agent).__module__}:{type(agent).__qualname__}"


def _hidden(value: Any, name: str = "") -> Any:
    if value is None or isinstance(value, (bool, int, float)):
        return value  # ``max_tokens`` is such a name, too
    if isinstance(value, str) and not is_secret_name(name):
        return redacted(value)
    if isinstance(value, Mapping):
        return {str(key): _hidden(item, str(key)) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_hidden(item, name) for item in value]
    return HIDDEN if is_secret_name(name) else value
