"""The ``toolsandbox`` commands: what each is given, and a module for the work of each subject.

Importing this package registers the commands, in the order of the help. Commands do not know
pytest: what its ini file says is handed to them as a ``Project``.
"""

from . import scenario_commands  # noqa: F401  # come first in the help

# isort: split
from . import record_commands  # noqa: F401
from .parsing import AT_END, BEFORE_CONFTESTS, Command, CommandError, command_parser, parsed

__all__ = ["AT_END", "BEFORE_CONFTESTS", "Command", "CommandError", "command_parser", "parsed"]
