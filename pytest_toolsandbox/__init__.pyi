# The public names, and where each is defined: ``__init__.py`` reads them here.

from .agents.agent import Agent as Agent
from .agents.toolbox import Toolbox as Toolbox, TurnOver as TurnOver
from .agents.wrapping import wrap_agent as wrap_agent
from .builtin.office import office_world as office_world
from .builtin.office.database_files import DatabaseError as DatabaseError
from .builtin.phone import phone_world as phone_world
from .builtin.phone.knowledge import Knowledge as Knowledge
from .builtin.phone.knowledge_base import KnowledgeBase as KnowledgeBase
from .builtin.phone.knowledge_files import KnowledgeError as KnowledgeError
from .builtin.timed_phone import timed_phone_world as timed_phone_world
from .calls.tool_call import ToolCall as ToolCall, ToolTrace as ToolTrace
from .concurrency.event_loop import run_coroutine as run_coroutine
from .conversation.messages import Message as Message, Trajectory as Trajectory
from .conversation.play import PlayError as PlayError, ask as ask, play as play
from .conversation.replay import replay as replay
from .language.mistakes import ScenarioError as ScenarioError
from .language.protocol import Protocol as Protocol
from .language.scenario import Scenario as Scenario
from .language.tasks import Task as Task
from .matchers import (
    Matcher as Matcher,
    MatcherMistake as MatcherMistake,
    Reading as Reading,
    matcher as matcher,
)
from .models.errors import (
    AgentError as AgentError,
    JudgeError as JudgeError,
    ProviderError as ProviderError,
)
from .models.model_agent import ModelAgent as ModelAgent
from .protocols import load_file as load_file, register_protocol as register_protocol
from .records.writing import Trial as Trial
from .runs.job import trial_seed as trial_seed
from .runs.trial import play_trial as play_trial
from .scoring.error_patterns.find import error_patterns as error_patterns
from .scoring.error_patterns.patterns import (
    AcceptedCall as AcceptedCall,
    ErrorPatterns as ErrorPatterns,
    Finding as Finding,
)
from .scoring.judges.model_judge import ModelJudge as ModelJudge
from .scoring.judges.question import JudgeQuestion as JudgeQuestion
from .scoring.milestones.evaluate import evaluate as evaluate
from .scoring.queries import QueryEvaluation as QueryEvaluation, evaluate_query as evaluate_query
from .scoring.results import (
    CriterionOpinion as CriterionOpinion,
    Evaluation as Evaluation,
    Opinion as Opinion,
)
from .scoring.tooltalk.evaluate_calls import CallEvaluation as CallEvaluation
from .scoring.tooltalk.evaluate_replay import evaluate_replay as evaluate_replay
from .users.user import ScriptedUser as ScriptedUser, User as User, scripted_user as scripted_user
from .worlds.context import (
    Context as Context,
    DuplicateError as DuplicateError,
    NoDataError as NoDataError,
    WorldError as WorldError,
)
from .worlds.due import Due as Due
from .worlds.live.mcp.world import mcp_world as mcp_world
from .worlds.live.openapi.world import openapi_world as openapi_world
from .worlds.parameter import NOT_GIVEN as NOT_GIVEN, NotGiven as NotGiven
from .worlds.sessions import Sessions as Sessions
from .worlds.state import (
    NEW_IDENTIFIER as NEW_IDENTIFIER,
    Column as Column,
    TableSchema as TableSchema,
)
from .worlds.tool import (
    CallComparison as CallComparison,
    FreeText as FreeText,
    SupersetOf as SupersetOf,
    Tool as Tool,
    tool as tool,
)
from .worlds.world import World as World, register_world as register_world

__version__: str
