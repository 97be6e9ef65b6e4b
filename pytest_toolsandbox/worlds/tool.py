"""Tools: plain Python functions, as an agent sees them and as the world calls them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pytest_toolsandbox.wording.cutting import one_line
from pytest_toolsandbox.wording.error_text import place_of, place_of_caller, type_and_text
from pytest_toolsandbox.wording.import_strings import accepts
from pytest_toolsandbox.wording.nearest_name import did_you_mean
from pytest_toolsandbox.wording.regular_expression import SlowSearchError

from .awaiting import finished
from .call_rules import CallComparison
from .context import Context
from .errors import DECLARED, WorldError
from .hints import NOT_GIVEN
from .json_values import as_json
from .schemas import lifted
from .signatures import Parameter, Signature, read_signature


@dataclass(frozen=True)
class Tool:
    """A function that agents, or the simulated user, may call.

    Its first parameter may be annotated as :class:`Context`: it is the world, and not shown.
    Name, description and parameters come from the function's name, docstring and type hints.
    ``module`` names the group that the tool belongs to. An ``action`` does something, where other
    tools only find something out; ``comparison`` says when a call of it is the expected one.
    A ``precondition`` raises where the tool cannot be called at all, whatever the arguments; the
    execution environment asks it before it looks at them. ``raises`` are the exceptions that are
    meant for the agent, beside those under ``Raises:`` in the docstring, ``NoDataError`` and
    ``DuplicateError``; any other is a mistake of the world.
    """

    function: Callable[..., Any]
    module: str = ""
    for_user: bool = False
    action: bool = field(default=False, kw_only=True)
    comparison: CallComparison = field(default=CallComparison(), kw_only=True, compare=False)
    precondition: Callable[[Context], None] | None = field(default=None, kw_only=True)
    raises: tuple[type[BaseException], ...] = field(default=(), kw_only=True, compare=False)
    name: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", getattr(self.function, "__name__", ""))

    @cached_property
    def signature(self) -> Signature:
        """What the function says of itself. Raises :class:`WorldError` if it cannot be a tool."""
        read = read_signature(self.function)
        for problem in self._problems(read):
            raise WorldError(f"{read.place}: the tool {self.name!r}: {problem}")
        return read

    @property
    def is_built_in(self) -> bool:
        """Whether the tool came with the package."""
        return getattr(self.function, "__module__", "").startswith("pytest_toolsandbox.")

    def with_raises(self, raises: tuple[type[BaseException], ...]) -> Tool:
        """Return the tool with further exceptions that are meant for the agent."""
        further = copy.copy(self)
        object.__setattr__(further, "raises", (*self.raises, *raises))
        return further

    @property
    def description(self) -> str:
        """What the docstring says before its sections, as one paragraph."""
        return self.signature.description

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """Name → parameter, in the order of the signature, without the context."""
        return self.signature.parameters

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The tool as a chat-completions API takes it."""
        shown = {name: parameter.shown for name, parameter in self.parameters.items()}
        properties, definitions = lifted(shown)
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": {
                    "type": "object",
                    "properties": {
                        name: {**schema, "description": self._described(name, schema)}
                        for name, schema in properties.items()
                    },
                    "required": [name for name, p in self.parameters.items() if p.required],
                    **({"$defs": definitions} if definitions else {}),
                },
            },
        }

    def _described(self, name: str, schema: Mapping[str, Any]) -> str:
        text: str = self.parameters[name].description or schema.get("description", "")
        return text

    def bind(
        self, arguments: Mapping[str, Any], shown: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Check the arguments of a call and add the defaults, except those that are not given.

        ``shown`` maps the tool's names of its arguments to those of the call, where they differ;
        what is returned has the tool's. Raises ``TypeError`` for an argument that is missing,
        unknown or of the wrong type, in the names of the call.
        """
        names = shown or {name: name for name in self.parameters}
        for name, parameter in self.parameters.items():
            if parameter.required and names[name] not in arguments:
                raise TypeError(f"missing a required argument: {names[name]!r}")
        known = set(names.values())
        for name in arguments:
            if name not in known:
                raise TypeError(f"got an unexpected keyword argument {name!r}")
        given = {name: arguments[names[name]] for name in names if names[name] in arguments}
        for name, value in given.items():
            if problem := self.problem(name, value, names[name]):
                raise TypeError(problem)
        bound = {name: given.get(name, p.default) for name, p in self.parameters.items()}
        return {name: value for name, value in bound.items() if value is not NOT_GIVEN}

    def problem(self, name: str, value: Any, shown: str | None = None) -> str | None:
        """Say what is wrong with the type of an argument, if anything is.

        ``shown`` is what the argument is called there, if not by its name. Raises
        :class:`WorldError` where a validator of the world's own fails.
        """
        try:
            return self.parameters[name].type.problem(value, shown or name)
        except SlowSearchError:
            raise
        except Exception as error:
            raise self._mistake(error) from error

    def check_precondition(self, context: Context) -> None:
        """Raise what keeps the tool from being called now, if anything does."""
        if self.precondition is not None:
            self._called(self.precondition, context)

    def run(self, context: Context, arguments: Mapping[str, Any]) -> Any:
        """Call the function with bound arguments, and wait for it where it is ``async``.

        Raises what the tool declares, which is the call's error, and :class:`WorldError` in the
        place of anything else.
        """
        read = {name: self.parameters[name].type.read(value) for name, value in arguments.items()}
        if self.signature.takes_context:
            return self._called(self.function, context, **read)
        return self._called(self.function, **read)

    def answer(self, context: Context, arguments: Mapping[str, Any]) -> str:
        """Run the tool and return its result as JSON. Raises what :meth:`run` does."""
        result = self.run(context, arguments)
        try:
            return as_json(result)
        except (TypeError, ValueError, RecursionError) as error:
            text = f"its result cannot be written as JSON: {one_line(str(error))}"
            raise WorldError(f"{self.signature.place}: the tool {self.name!r}: {text}") from error

    def declares(self, error: BaseException) -> bool:
        """Whether an exception is one that the tool raises for the agent to read."""
        return isinstance(error, (*DECLARED, *self.raises)) or any(
            kind.__name__ in self.signature.raises for kind in type(error).__mro__
        )

    def _problems(self, read: Signature) -> Iterator[str]:
        """Yield what is wrong with what is said of the function in ``@tool``."""
        if problem := raises_problem(self.raises):
            yield problem
        for name in self.comparison.arguments:
            if name not in read.parameters:
                hint = did_you_mean(name, read.parameters)
                yield f"comparison names {name!r}, which is no argument of it{hint}"
        if self.precondition is not None and not accepts(self.precondition, None):
            yield "precondition must be a function of one argument, the Context"

    def _called(self, function: Callable[..., Any], *positional: Any, **named: Any) -> Any:
        try:
            return finished(function(*positional, **named))
        except (Exception, SystemExit) as error:
            if self.declares(error):
                raise
            raise self._mistake(error) from error

    def _mistake(self, error: BaseException) -> WorldError:
        start = f"{place_of(error) or self.signature.place}: the tool {self.name!r}"
        if isinstance(error, WorldError):
            return WorldError(f"{start}: {error}")
        remedy = (
            f"mend it, or declare {type(error).__name__} for agents to read: under Raises: in its "
            "docstring, or in @tool(raises=(...))"
        )
        return WorldError(f"{start} raised {type_and_text(error)}; {remedy}")


def tool(
    module: str,
    *,
    for_user: bool = False,
    action: bool = False,
    comparison: CallComparison | None = None,
    precondition: Callable[[Context], None] | None = None,
    raises: tuple[type[BaseException], ...] = (),
) -> Callable[[Callable[..., Any]], Tool]:
    """Make a function a tool of the group ``module``.

    Raises :class:`WorldError` for a function that agents could not call as it is.
    """
    if not isinstance(module, str):
        raise WorldError(
            f'{place_of_caller()}: tool takes the name of a group; write @tool("shop")'
        )
    compared = comparison or CallComparison()

    def made(function: Callable[..., Any]) -> Tool:
        how: dict[str, Any] = {"action": action, "comparison": compared, "raises": raises}
        one = Tool(function, module, for_user, precondition=precondition, **how)
        if not one.is_built_in:  # tests have checked those: importing them imports nothing heavy
            one.signature  # noqa: B018  # now, so that a mistake shows where it is made
        return one

    return made


def raises_problem(raises: object) -> str | None:
    """Say why ``raises`` does not name exceptions, if it does not."""
    if isinstance(raises, tuple) and all(
        isinstance(one, type) and issubclass(one, BaseException) for one in raises
    ):
        return None
    return f"raises must be a tuple of exception types, such as (ValueError,), not {raises!r}"
