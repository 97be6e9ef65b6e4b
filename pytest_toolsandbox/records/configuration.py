"""The configuration of agent, user and judge in a record, and the changes between two records."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, TypeGuard

from pytest_toolsandbox.agents.shapes import shape_of
from pytest_toolsandbox.agents.wrapping import bare
from pytest_toolsandbox.models.model_agent import ProviderModel
from pytest_toolsandbox.text.formatting import format_value
from pytest_toolsandbox.text.redaction import add_secrets, is_secret_name, redacted
from pytest_toolsandbox.text.secret_shapes import HIDDEN

from .parts import AgentRecord, JudgeRecord, UserRecord

CONFIGURATION: Final = (
    *("agent_settings", "user", "user_settings", "feedback", "call_format", "prompt_digest"),
)
"""The fields of a record with the configuration of agent and user."""
OF_JUDGE: Final = ("judge", "judge_settings")
"""The fields of a record with the configuration of the judge."""
OF_SCENARIO: Final = (
    *("scenario_digest", "world", "tools_digest", "world_digest", "now", "start", "limits"),
)
"""The fields of a record that identify the scenario."""


def changes(
    before: Mapping[str, Any], after: Mapping[str, Any], names: Collection[str] = ()
) -> Iterator[str]:
    """Yield ``agent_settings.model was 'a', is 'b'`` for each value that differs.

    Only the fields ``names`` are compared; without names, all.
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
    """Return the configuration of an agent, with the ``name`` from ``--agent``.

    ``parameter`` is the id of one of several prompts and of the parameters of a conftest's
    fixtures. ``label`` is the name of one of several agents in the ids of items. Of an agent that
    is not a model, only the import path is known. Secret parameters of a model are hidden.
    """
    agent = bare(agent)
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
    """Return the configuration of a user, with the ``name`` from ``--sandbox-user``."""
    record = UserRecord(name=name, type=import_path(user))
    if _is_model(user):
        record.update(_of_model(user))  # type: ignore[typeddict-item]  # it has those fields
        record["prompt"] = getattr(user, "prompt", "full")
        if _is_model(reviewer := getattr(user, "reviewer", None)):
            record["reviewer"] = reviewer.model
    return record


def judge_record(judge: object, votes: int = 1) -> JudgeRecord:
    """Return the configuration of a judge that is asked ``votes`` times."""
    record = JudgeRecord(type=import_path(judge))
    if _is_model(judge):
        record.update(_of_model(judge))  # type: ignore[typeddict-item]  # it has those fields
    if votes > 1:
        record["votes"] = votes
    return record


def _is_model(value: object) -> TypeGuard[ProviderModel]:
    """Return whether it is a model; ``isinstance`` could run code of a user's object."""
    return issubclass(type(value), ProviderModel)


def _of_model(model: ProviderModel) -> dict[str, Any]:
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
