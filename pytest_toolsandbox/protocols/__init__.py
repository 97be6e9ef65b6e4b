"""The built-in protocols: how milestones, replays and queries are read, played, scored and proved.

Importing this package registers them, so what loads scenarios or shows records imports it.
"""

from pytest_toolsandbox.language.loading import load_file, read_file
from pytest_toolsandbox.language.protocol import register_protocol

from .milestones import MilestonesProtocol
from .query import QueryProtocol
from .replay import ReplayProtocol

__all__ = ["load_file", "read_file", "register_protocol"]

register_protocol(MilestonesProtocol())  # first, so it is the default
register_protocol(ReplayProtocol())
register_protocol(QueryProtocol())
