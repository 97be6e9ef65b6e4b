"""Tools: Python functions that agents call, and how their calls are compared (ToolTalk)."""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal

from pytest_toolsandbox.text.error_text import (
    blamed,
    message_of,
    place_of,
    place_of_caller,
    type_and_text,
)
from pytest_toolsandbox.text.formatting import type_name
from pytest_toolsandbox.text.import_strings import accepts
from pytest_toolsandbox.text.nearest_name import did_you_mean
from pytest_toolsandbox.text.regular_expression import SlowSearchError

from .context import DECLARED, Checks, Context, WorldError, check
from .json_values import as_json
from .parameter import NOT_GIVEN, Parameter
from .return_annotation import ReturnAnnotation
from .schemas import Problem, with_shared_definitions
from .signatures import Signature, read_signature
from .state import State, UnknownNameError, UnknownTableError

END_CONVERSATION: Final = "end_conversation"
"""The tool with which every user ends a conversation (ToolSandbox, section 2)."""

CallProtocolName = Literal["published_code", "paper", "turnwise"]
"""How the calls of a recorded conversation are compared."""


@dataclass(frozen=True)
class FreeText:
    """An argument in the caller's own words: equal from a similarity of ``threshold`` on.

    ``is_title`` is for short texts, such as titles and places: to ``turnwise`` each word counts.
    """

    threshold: float = 0.9
    is_title: bool = False


@dataclass(frozen=True)
class SupersetOf:
    """A result whose list ``rows`` must have every ``identifier`` of the expected list.

    If the result itself is a list, its items are compared.
    """

    rows: str
    identifier: str


ArgumentMeasure = FreeText | Literal["exact", "set", "date", "moment", "attendees", "ignored"]
"""``set``: a list in any order; ``date``: the date of a date and time; ``moment``: as ``exact``,
with or without leading zeros in dates and times; ``attendees``: a set of users to which the calling
user always belongs. ``turnwise`` reads ``exact`` and ``date`` as ``moment``; the other protocols
read ``attendees`` as ``exact``.
"""

ResultMeasure = SupersetOf | Literal["equal", "ignored"]


@dataclass(frozen=True)
class CallComparison:
    """What must agree for a call to be the expected one, beside the tool and the error.

    ``arguments`` has a measure for those that are not compared exactly. Only arguments of the
    expected call are compared; with ``whole_request`` the calls must have the same arguments.
    ``merged_by`` is the argument that names what a tool changes: ``turnwise`` merges calls of a
    turn that have the same value for it and otherwise different arguments.
    """

    arguments: Mapping[str, ArgumentMeasure] = field(default_factory=dict)
    result: ResultMeasure = "equal"
    whole_request: bool = False
    merged_by: str | None = None


_NO_GROUP: Final = 'tool takes the name of a group; write @tool("shop")'
_BUGS: Final = (NameError, TypeError, AttributeError, ImportError, SyntaxError, AssertionError)
"""What code raises that is wrong, whatever it is called with: nothing for agents to read."""
_DECLARE: Final = "under Raises: in its docstring, or in raises=(...) of its tool or world"


@dataclass(frozen=True)
class Tool:
    """A function that agents, or the simulated user, may call.

    Name, description and parameters come from its name, docstring and type hints. A first parameter
    annotated as :class:`Context` is the world, and agents do not see it. ``module`` names the
    tool's group. An ``action`` does something; other tools only look something up. ``comparison``
    says when a call is the expected one. A ``precondition`` raises if the tool cannot be called,
    whatever its arguments. Agents read the exceptions ``raises``, those under ``Raises:`` in the
    docstring, ``NoDataError`` and ``DuplicateError``; any other is a bug of the world. With
    ``show_defaults``, the schema has the defaults of arguments. Without ``check_arguments``, the
    function gets whatever a call has. ``copies_arguments`` says that what executes the tool copies
    them, as :meth:`answer_of` does. ``preload`` imports what the first call would wait for.
    """

    function: Callable[..., Any]
    module: str = ""
    for_user: bool = False
    action: bool = field(default=False, kw_only=True)
    comparison: CallComparison = field(default=CallComparison(), kw_only=True, compare=False)
    precondition: Callable[[Context], None] | None = field(default=None, kw_only=True)
    raises: tuple[type[BaseException], ...] = field(default=(), kw_only=True, compare=False)
    show_defaults: bool = field(default=True, kw_only=True, compare=False)
    check_arguments: bool = field(default=True, kw_only=True, compare=False)
    copies_arguments: bool = field(default=False, kw_only=True, compare=False)
    preload: Callable[[], object] | None = field(default=None, kw_only=True, compare=False)

    @cached_property
    def name(self) -> str:
        """The name of the function."""
        return getattr(self.function, "__name__", "")

    @cached_property
    def signature(self) -> Signature:
        """The function's signature. Raises :class:`WorldError` if it cannot be a tool."""
        signature = read_signature(self.function, copied=self.copies_arguments)
        check(self._rules(signature), f"{signature.place}: the tool {self.name!r}")
        return signature

    @cached_property
    def returns(self) -> ReturnAnnotation:
        """What the function is annotated to return."""
        return ReturnAnnotation(self.signature.returns)

    def in_world(self, raises: tuple[type[BaseException], ...], *, show_defaults: bool) -> Tool:
        """Return the tool with what its world says: further exceptions for the agent to read."""
        if not raises and show_defaults:
            return self
        return replace(self, raises=(*self.raises, *raises), show_defaults=show_defaults)

    @property
    def description(self) -> str:
        """The docstring without its sections, as one paragraph, and what the tool returns."""
        return self.signature.description

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """Name → parameter, in the order of the signature, without the context."""
        return self.signature.parameters

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The tool as a chat-completions API takes it."""
        shown = {name: parameter.shown for name, parameter in self.parameters.items()}
        properties, definitions = with_shared_definitions(shown)
        for name, parameter in self.parameters.items():
            text = parameter.description or properties[name].get("description", "")
            default = parameter.shown_default if self.show_defaults else {}
            properties[name] = {**properties[name], **default, "description": text}
        required = [name for name, parameter in self.parameters.items() if parameter.required]
        parameters = {"type": "object", "properties": properties, "required": required}
        parameters |= {"$defs": definitions} if definitions else {}
        function = {"name": self.name, "description": self.description, "parameters": parameters}
        return {"type": "function", "function": function}

    def bind(
        self, arguments: Mapping[str, Any], shown: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Check the arguments of a call; return them under the tool's names, with the defaults.

        ``shown`` maps the tool's names to those of the call, if they differ. Raises ``TypeError``
        for an argument that is missing, unknown or of the wrong type.
        """
        names = shown or {name: name for name in self.parameters}
        if not self.check_arguments:
            name_of = {shown_name: name for name, shown_name in names.items()}
            return {name_of.get(name, name): value for name, value in arguments.items()}
        for name, parameter in self.parameters.items():
            if parameter.required and names[name] not in arguments:
                raise TypeError(f"missing a required argument: {names[name]!r}")
        for name in arguments:
            if name not in names.values():
                raise TypeError(f"got an unexpected keyword argument {name!r}")
        bound = {}
        for name, parameter in self.parameters.items():
            if names[name] in arguments:
                value = arguments[names[name]]
                if problem := self.problem(name, value, names[name]):
                    raise TypeError(problem)
                bound[name] = value
            elif parameter.default is not NOT_GIVEN:
                bound[name] = parameter.default
        return bound

    def problem(self, name: str, value: Any, shown: str | None = None) -> str | None:
        """Say what is wrong with an argument, named ``shown``. Raises ``WorldError``."""
        with blamed(self._mistake, SlowSearchError):
            return self.parameters[name].problem(value, shown or name)

    def problems(self, name: str, value: Any) -> list[Problem]:
        """Return all problems of an argument. Raises ``WorldError``."""
        with blamed(self._mistake, SlowSearchError):
            return list(self.parameters[name].problems(value))

    def completed(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments with the defaults inside them, such as those of a model's fields."""
        known = self.parameters
        return {
            name: known[name].completed(value) if name in known else value
            for name, value in arguments.items()
        }

    def check_precondition(self, context: Context) -> None:
        """Raise if the tool cannot be called now."""
        if self.precondition is not None:
            self._called(self.precondition, context)

    def run(self, context: Context, arguments: Mapping[str, Any]) -> Any:
        """Run the tool. Raises the exceptions that it declares, or ``WorldError``."""
        world = (context,) if self.signature.takes_context else ()
        return self._called(self.function, *world, **self._values(arguments))

    def answer_of(
        self, function: Callable[..., Any], world: tuple[Any, ...], arguments: Mapping[str, Any]
    ) -> str:
        """Return the result of a function that executes the tool, such as a method, as JSON.

        It gets ``world`` and its own copies of the arguments. Raises what :meth:`run` does.
        """
        result = self._called(function, *world, **self._values(json.loads(as_json(arguments))))
        with blamed(self._not_json):
            return as_json(result)

    def _values(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the function gets for the arguments: objects, if its hints name classes."""
        if not self.check_arguments:
            return dict(arguments)
        read = ((self.parameters[name], value) for name, value in arguments.items())
        return {parameter.python_name: parameter.read(value) for parameter, value in read}

    def answer(self, context: Context, arguments: Mapping[str, Any]) -> str:
        """Run the tool and return its result as JSON. Raises what :meth:`run` does."""
        result = self.run(context, arguments)
        if not isinstance(state := vars(context).get("state"), State):
            text = f"it left {type_name(state)} as context.state; expected a State"
            raise WorldError(f"{self.signature.place}: the tool {self.name!r}: {text}")
        with blamed(self._not_json):
            return as_json(result)

    def declares(self, error: BaseException) -> bool:
        """Whether an agent reads an exception; an unknown table is always a bug of the world."""
        names = {kind.__name__ for kind in type(error).__mro__}
        declared = isinstance(error, (*DECLARED, *self.raises)) or names & self.signature.raises
        return bool(declared) and not isinstance(error, UnknownTableError)

    def _rules(self, signature: Signature) -> Checks:
        yield raises_rule(self.raises)
        for name in self.comparison.arguments:
            problem = f"comparison names {name!r}, which is not one of its arguments"
            yield name in signature.parameters, problem + did_you_mean(name, signature.parameters)
        takes_one = self.precondition is None or accepts(self.precondition, None)
        yield takes_one, "precondition must be a function of one argument, the Context"

    def _called(self, function: Callable[..., Any], *positional: Any, **named: Any) -> Any:
        with blamed(self._reported_as):
            result = function(*positional, **named)
            return _awaited(result) if inspect.isawaitable(result) else result

    def _reported_as(self, error: BaseException) -> BaseException:
        """Return an exception itself if the tool declares it, else a ``WorldError``."""
        if not self.declares(error):
            return self._mistake(error)
        # An agent must not read the names of columns, so this becomes a plain KeyError.
        return KeyError(error.name) if isinstance(error, UnknownNameError) else error

    def _not_json(self, error: BaseException) -> WorldError:
        text = f"its result cannot be written as JSON: {message_of(error)}"
        return WorldError(f"{self.signature.place}: the tool {self.name!r}: {text}")

    def _mistake(self, error: BaseException) -> WorldError:
        start = f"{place_of(error) or self.signature.place}: the tool {self.name!r}"
        if isinstance(error, (WorldError, UnknownNameError)):
            return WorldError(f"{start}: {error}")
        remedy = "fix it"
        if not isinstance(error, _BUGS):
            remedy += f", or declare {type(error).__name__} for agents to read: {_DECLARE}"
        return WorldError(f"{start} raised {type_and_text(error)}; {remedy}")


def tool(
    module: str,
    *,
    for_user: bool = False,
    action: bool = False,
    comparison: CallComparison | None = None,
    precondition: Callable[[Context], None] | None = None,
    raises: tuple[type[BaseException], ...] = (),
    preload: Callable[[], object] | None = None,
) -> Callable[[Callable[..., Any]], Tool]:
    """Make a function a tool of the group ``module``. Raises :class:`WorldError`.

    ``preload`` is called while agents wait for their first answers, to import what is slow.
    """
    if not isinstance(module, str):
        raise WorldError(f"{place_of_caller()}: {_NO_GROUP}")

    def decorated(function: Callable[..., Any]) -> Tool:
        made = Tool(
            function,
            module,
            for_user,
            action=action,
            comparison=comparison or CallComparison(),
            precondition=precondition,
            raises=raises,
            preload=preload,
        )
        # Reading a signature imports heavy libraries; tests check the bundled tools.
        if not getattr(function, "__module__", "").startswith("pytest_toolsandbox."):
            made.signature  # noqa: B018  # raises here, so that the traceback shows the tool
        return made

    return decorated


def raises_rule(raises: object) -> tuple[bool, str]:
    """Return whether ``raises`` is a tuple of exception types, and the message if it is not."""
    kinds = raises if isinstance(raises, tuple) else (None,)
    remedy = f"must be a tuple of exception types, such as (ValueError,), not {raises!r}"
    return all(map(is_exception, kinds)), f"raises {remedy}"


def is_exception(value: object) -> bool:
    """Whether a value is an exception type."""
    return isinstance(value, type) and issubclass(value, BaseException)


def _awaited(result: Awaitable[Any]) -> Any:
    from asyncio import CancelledError

    from pytest_toolsandbox.concurrency.event_loop import OF_TOOLS

    try:
        return OF_TOOLS.run(result)
    except CancelledError as error:  # a BaseException, which would end the run as Ctrl-C does
        raise RuntimeError("the coroutine was cancelled") from error
