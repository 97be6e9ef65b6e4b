"""A user's own agent, found by ``module:attribute``."""

from __future__ import annotations

import difflib
import importlib
import inspect
import os
import sys
import sysconfig
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from .agent import Agent, AgentError
from .redaction import one_line, redacted

WANTED = "an agent takes (messages, tools), and a factory, which makes one, nothing"


def load_agent(reference: str) -> Agent:
    """Return the agent that ``module:attribute`` names; the attribute may have dots.

    A callable that takes ``(messages, tools)`` is the agent, ``async def`` or not. One that needs
    no arguments, a class for instance, is called, and what it returns is the agent. Modules are
    found as ``python -m`` finds them. Every mistake is an ``AgentError`` of one line.
    """
    module_name, _, attribute = reference.partition(":")
    if not (module_name and attribute):
        raise AgentError(f"{reference!r} names no agent; write module:attribute")
    found = _attribute(_module(module_name, reference), attribute, reference)
    if not callable(found):
        raise AgentError(f"{reference} is {_kind(found)}, which cannot be called; {WANTED}")
    if _is_agent(found):
        return cast("Agent", found)
    if not _accepts(found):
        raise AgentError(f"{reference} takes {_signature(found)}; {WANTED}")
    return _made(found, reference)


def _module(name: str, reference: str) -> ModuleType:
    try:
        return _import(name)
    except ModuleNotFoundError as error:
        raise AgentError(f"{reference}: {_not_found(name, error)}") from error
    except (Exception, SystemExit) as error:
        raise AgentError(f"{reference}: importing {name} raised {_raised(error)}") from error


def _import(name: str) -> ModuleType:
    """Import a module, if need be from the current directory, which then stays on the path."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        here = str(Path.cwd())
        if not _is_itself(name, error) or here in sys.path or "" in sys.path:
            raise
    sys.path.insert(0, here)
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if _is_itself(name, error):
            sys.path.remove(here)
        raise


def _is_itself(name: str, error: ModuleNotFoundError) -> bool:
    """Whether the module that is missing is the one asked for, or a package that it lies in."""
    return error.name is not None and f"{name}.".startswith(f"{error.name}.")


def _not_found(name: str, error: ModuleNotFoundError) -> str:
    if not _is_itself(name, error):
        return f"{name} imports {error.name}, which is not installed"
    if "is not a package" in str(error):
        return f"{error.name} is not found: {name.partition('.')[0]} is a module, not a package"
    return f"there is no module {error.name}, neither installed nor in the current directory"


def _attribute(module: ModuleType, path: str, reference: str) -> Any:
    owner: Any = module
    walked = module.__name__
    for name in path.split("."):
        try:
            owner = getattr(owner, name)
        except AttributeError as error:
            problem = f"{walked} has no {name!r}{_nearest(name, owner)}"
            raise AgentError(f"{reference}: {problem}") from error
        except Exception as error:
            raise AgentError(f"{reference}: {walked}.{name} raised {_raised(error)}") from error
        walked = f"{walked}.{name}"
    return owner


def _nearest(name: str, owner: Any) -> str:
    public = [known for known in dir(owner) if not known.startswith("_")]
    close = difflib.get_close_matches(name, public)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


def _made(factory: Callable[[], Any], reference: str) -> Agent:
    try:
        made = factory()
    except (Exception, SystemExit) as error:
        raise AgentError(f"{reference} raised {_raised(error)}") from error
    if inspect.iscoroutine(made):
        made.close()  # else Python warns that nobody waited for it
        raise AgentError(f"{reference} is an async factory; an agent may be async, a factory not")
    if not callable(made):
        raise AgentError(f"{reference} returned {_kind(made)}, which cannot be called; {WANTED}")
    if not _is_agent(made):
        raise AgentError(f"{reference} returned what takes {_signature(made)}; {WANTED}")
    return cast("Agent", made)


def _is_agent(found: Callable[..., Any]) -> bool:
    """Whether it takes messages and tools.

    Calling a class makes an instance, so a class is none; and what takes no arguments as well is
    a factory with options, ``build(model="…", temperature=0)``, unless it asks for messages.
    """
    if inspect.isclass(found) or not _accepts(found, "messages", "tools"):
        return False
    parameters = inspect.signature(found).parameters
    variadic = any(each.kind is each.VAR_POSITIONAL for each in parameters.values())
    return variadic or "messages" in parameters or not _accepts(found)


def _accepts(found: Callable[..., Any], *arguments: str) -> bool:
    try:
        inspect.signature(found).bind(*arguments)
    except (TypeError, ValueError):  # ValueError: some built-in functions have no signature
        return False
    return True


def _signature(found: Callable[..., Any]) -> str:
    try:
        return one_line(str(inspect.signature(found)))
    except (TypeError, ValueError):
        return "arguments that Python does not tell"


def _kind(value: Any) -> str:
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def _raised(error: BaseException) -> str:
    """Return type and text of an exception of the user's code, and the place it comes from."""
    text = one_line(redacted(error.msg if isinstance(error, SyntaxError) else str(error)))
    return f"{type(error).__name__}{f': {text}' if text else ''} ({_place(error)})"


def _place(error: BaseException) -> str:
    """Return ``file:line``: of a syntax error its own, else the last line that is the user's."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_relative(error.filename)}:{error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    foreign = (__file__, "<frozen ", *map(sysconfig.get_path, ("stdlib", "purelib", "platlib")))
    own = [frame for frame in frames if not frame.filename.startswith(foreign)]
    last = (own or frames)[-1]
    return f"{_relative(last.filename)}:{last.lineno}"


def _relative(filename: str) -> str:
    inside = Path(filename).is_relative_to(Path.cwd())
    return os.path.relpath(filename) if inside else filename
