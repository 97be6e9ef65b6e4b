"""Calls in worlds of objects: the log, the instance of a conversation, forks and replays."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable
from typing import Any

import pytest

from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.conversation.messages import Response
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.state import State, plain
from pytest_toolsandbox.worlds.world import World


class Folders:
    """A file system, whose working directory no table shows."""

    made: list[Folders]

    def __init__(self) -> None:
        self.files = [{"path": "/a/notes", "text": "one"}, {"path": "/b/notes", "text": "two"}]
        self.folder = "/"
        self.closed = 0

    def cd(self, folder: str) -> None:
        """Change the working directory."""
        self.folder = f"/{folder}/"

    def read(self, name: str) -> str:
        """Read a file."""
        return next(file["text"] for file in self.files if file["path"] == self.folder + name)

    def write(self, name: str, text: str) -> int:
        """Write a file; return how many there are.

        Raises:
            ValueError: If the text is empty. The file is there then, too.
        """
        self.files.append({"path": self.folder + name, "text": text})
        if not text:
            raise ValueError("there is no text")
        return len(self.files)

    def close(self) -> None:
        self.closed += 1


class Locked(Folders):
    """One that cannot be copied."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()


def world_of(kind: Callable[..., Any] = Folders, **options: Any) -> tuple[World, list[Any]]:
    """Return a world, and the objects that it makes."""
    made: list[Any] = []

    def factory() -> Any:
        made.append(kind())
        return made[-1]

    options = {"state": ["files"], "reads": ["read"], **options}
    return World.of(factory, name="folders", **options), made


def environment(world: World) -> ExecutionEnvironment:
    return ExecutionEnvironment(world, world.now, world.shown())


def call(name: str, /, **arguments: Any) -> ToolCall:
    return ToolCall("call", name, json.dumps(arguments))


def run(played: ExecutionEnvironment, state: State, *calls: ToolCall) -> list[Response]:
    responses = []
    for place, made in enumerate(calls):
        responses.append(played.run(made, state, f"{place}/0"))
        state = responses[-1].state
    return responses


def paths(state: State) -> list[str]:
    return [row["path"] for row in state["files"]]


def test_equal_tables_are_not_an_equal_world() -> None:
    world, made = world_of()
    start = world.start(world.now)
    with environment(world) as played:
        moved, read = run(played, start, call("cd", folder="b"), call("read", name="notes"))
        assert read.content == '"two"'
        assert moved.state.same_tables(start)
        assert moved.state != start
        assert hash(moved.state) != hash(start)
        assert [logged.tool for logged in read.state.log] == ["cd"]
        assert read.state is moved.state, "a tool that only reads is not logged"
    assert all(instance.closed == 1 for instance in made)


def test_one_instance_plays_a_conversation() -> None:
    world, made = world_of()
    before = len(made)
    with environment(world) as played:
        calls = [call("write", name=str(number), text="x") for number in range(5)]
        responses = run(played, world.start(world.now), *calls)
        assert [response.content for response in responses] == ["3", "4", "5", "6", "7"]
    assert len(made) - before == 3, "one for the start, one to play, one to see that they differ"


def test_rows_that_do_not_change_are_shared() -> None:
    world, _ = world_of()
    start = world.start(world.now)
    with environment(world) as played:
        (written,) = run(played, start, call("write", name="new", text="x"))
    pairs = zip(start["files"].rows, written.state["files"].rows, strict=False)
    assert all(before is after for before, after in pairs)


def test_a_failing_call_may_have_changed_something() -> None:
    world, _ = world_of()
    with environment(world) as played:
        (failed,) = run(played, world.start(world.now), call("write", name="new", text=""))
        assert failed.error == "ValueError: there is no text"
        assert paths(failed.state) == ["/a/notes", "/b/notes", "/new"]
        refused = played.run(call("write", name="new"), failed.state, "1/0")
        assert refused.state is failed.state, "a call that is not executed changes nothing"


@pytest.mark.parametrize("kind", [Folders, Locked])
def test_any_earlier_state_can_be_gone_back_to(kind: type[Folders]) -> None:
    world, _ = world_of(kind)
    start = world.start(world.now)
    with environment(world) as played:
        calls = call("cd", folder="b"), call("write", name="new", text="x"), call("cd", folder="a")
        states = [start, *(response.state for response in run(played, start, *calls))]
        reads = [played.run(call("read", name="notes"), state, "9/0") for state in states[1:]]
        assert [read.content for read in reads] == ['"two"', '"two"', '"one"']
        again = played.run(call("write", name="new", text="x"), states[1], "9/0")
        assert again.state == states[2]
        assert plain(again.state["files"].rows) == plain(states[2]["files"].rows)


@pytest.mark.parametrize("kind", [Folders, Locked])
def test_parallel_calls_are_tried_in_every_order(kind: type[Folders]) -> None:
    """The order that fails comes first: then the file is written after its folder was left."""
    world, _ = world_of(kind, raises=(StopIteration,))
    start = world.start(world.now)
    calls = [call("cd", folder="a"), call("read", name="notes"), call("write", name="c", text="x")]
    with environment(world) as played:
        execution = played.execute(calls, start, 0)
        assert execution.all_tried
        order = [(index, response.failed) for index, response in execution.outcomes]
        assert order == [(1, True), (0, False), (2, False)]
        end = execution.outcomes[-1][1].state
        assert paths(end)[-1] == "/a/c"
        assert played.run(call("read", name="c"), end, "9/0").content == '"x"'


def test_orders_are_tried_within_a_budget_of_replays() -> None:
    calls = [call("write", name=str(number), text="x") for number in range(4)]
    world, _ = world_of(Locked)
    with environment(world) as played:
        execution = played.execute(calls, world.start(world.now), 0)
        assert not execution.all_tried
        assert [index for index, _ in execution.outcomes] == [0, 1, 2, 3]
        assert paths(execution.outcomes[-1][1].state)[2:] == ["/0", "/1", "/2", "/3"]
    world, made = world_of(Folders)
    with environment(world) as played:
        assert played.execute(calls, world.start(world.now), 0).all_tried, "copies cost less"
    assert len(made) < 6


def test_copies_of_many_rows_are_fewer() -> None:
    class Many(Folders):
        def __init__(self) -> None:
            super().__init__()
            self.files += [{"path": f"/{number}", "text": ""} for number in range(3_400)]

    calls = [call("write", name=str(number), text="x") for number in range(4)]
    world, _ = world_of(Many)
    with environment(world) as played:
        execution = played.execute(calls, world.start(world.now), 0)
    assert not execution.all_tried
    assert paths(execution.outcomes[-1][1].state)[-4:] == ["/0", "/1", "/2", "/3"]


def test_only_the_instance_that_goes_on_is_kept() -> None:
    world, made = world_of(Locked)
    calls = [call("write", name=str(number), text="x") for number in range(3)]
    with environment(world) as played:
        end = played.execute(calls, world.start(world.now), 0).outcomes[-1][1].state
        assert sum(not instance.closed for instance in made) == 1
        played.run(call("cd", folder="a"), end, "9/0")
        assert sum(not instance.closed for instance in made) == 1
    assert {instance.closed for instance in made} == {1}


def test_a_replay_that_does_something_else_is_an_error() -> None:
    drawn = iter(range(100))

    class Dice(Locked):
        def roll(self) -> int:
            """Roll the dice."""
            self.files.append({"path": str(next(drawn)), "text": ""})
            return 0

        def draw(self) -> int:
            """Draw a card."""
            return next(drawn)

    world, _ = world_of(Dice)
    start = world.start(world.now)
    with environment(world) as played:
        rolled, _ = run(played, start, call("roll"), call("cd", folder="a"))
        with pytest.raises(WorldError, match="repeated, in roll: other rows in files"):
            played.run(call("read", name="notes"), rolled.state, "9/0")
    with environment(world) as played:
        drawn_card, _ = run(played, start, call("draw"), call("cd", folder="a"))
        with pytest.raises(WorldError, match="repeated, in call 1, draw: first 2, then 3"):
            played.run(call("read", name="notes"), drawn_card.state, "9/0")


def test_two_instances_that_share_state_are_found_at_the_first_change() -> None:
    class Shared(Folders):
        files = [{"path": "/a", "text": ""}]  # noqa: RUF012  # that is the mistake

        def __init__(self) -> None:
            self.folder, self.closed = "/", 0

    world, _ = world_of(Shared)
    with environment(world) as played, pytest.raises(WorldError) as caught:
        run(played, world.start(world.now), call("write", name="new", text="x"))
    assert str(caught.value) == (
        "after write was called, the world 'folders' begins with other rows in files than at first:"
        " instances share state, such as class attributes, module globals or files, or the factory"
        " uses a clock or randomness"
    )


def test_a_deep_copy_that_shares_is_not_used() -> None:
    class Sharing(Folders):
        def __deepcopy__(self, memo: object) -> Sharing:
            copied = Sharing()
            copied.files = self.files
            return copied

    world, _ = world_of(Sharing, raises=(StopIteration,))
    calls = [call("write", name="c", text="x"), call("write", name="d", text="y")]
    with environment(world) as played:
        execution = played.execute(calls, world.start(world.now), 0)
    assert execution.all_tried
    assert paths(execution.outcomes[-1][1].state)[2:] == ["/c", "/d"]


def test_a_tool_that_only_reads_as_declared_is_watched() -> None:
    world, _ = world_of(reads=["read", "write"])
    with environment(world) as played, pytest.raises(WorldError) as caught:
        run(played, world.start(world.now), call("write", name="new", text="x"))
    assert str(caught.value) == (
        "the world 'folders': the tool 'write' only reads, as declared, and changed files"
    )


def test_arguments_make_another_world() -> None:
    def factory(text: str = "one") -> Folders:
        folders = Folders()
        folders.files[0]["text"] = text
        return folders

    world = World.of(factory, state=["files"])
    other = world.with_arguments({"text": "other"})
    assert other is world.with_arguments({"text": "other"})
    assert [place.start(place.now)["files"].rows[0]["text"] for place in (world, other)] == [
        "one",
        "other",
    ]
    with pytest.raises(ValueError, match=r"takes no argument 'test'.*did you mean 'text'"):
        world.with_arguments({"test": "other"})


@pytest.mark.parametrize("thread", ["main", "other"])
@pytest.mark.parametrize("is_read", [False, True])
def test_a_call_that_hangs_is_an_error_of_the_world(thread: str, *, is_read: bool) -> None:
    class Hanging(Folders):
        def wait(self) -> None:
            """Wait."""
            threading.Event().wait(60)

    errors = []

    def play() -> None:
        world, _ = world_of(Hanging, timeout=0.05, reads=["read", *(["wait"] * is_read)])
        with environment(world) as played, pytest.raises(WorldError) as caught:
            run(played, world.start(world.now), call("wait"))
        errors.append(str(caught.value))

    if thread == "main":
        play()
    else:
        playing = threading.Thread(target=play)
        playing.start()
        playing.join()
    assert errors[0] == (
        "the world 'folders': the tool 'wait' took longer than its timeout of 0.05 s;"
        " World.of(timeout=...) sets another"
    )


@pytest.mark.parametrize("thread", ["main", "other"])
def test_all_calls_are_made_on_one_thread(thread: str) -> None:
    class Connected(Folders):
        def __init__(self) -> None:
            super().__init__()
            self.connection = sqlite3.connect(":memory:")

        def close(self) -> None:
            self.connection.close()

        def count(self) -> int:
            """Count."""
            number: int = self.connection.execute("select 7").fetchone()[0]
            return number

    world, _ = world_of(Connected)
    played, contents = environment(world), []

    def play() -> None:
        response = played.run(call("count"), world.start(world.now), "0/0")
        contents.append(response.content)

    if thread == "main":
        play()
    else:
        playing = threading.Thread(target=play)
        playing.start()
        playing.join()
    played.close()
    assert contents == ["7"]
