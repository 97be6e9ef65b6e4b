"""Finds the parts of a scenario that its proof does without: milestones, state and solutions.

A part of milestones, minefields and protected tables may go if all solutions still pass, and
whatever failed before still fails: counterexamples, idle agents and mutants. A row of the state may
go if no conversation of the proof is another one without it, word for word. A solution may go if
its calls are accepted without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import PlayError
from pytest_toolsandbox.language.mistakes import Path
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.scoring.judging import patterns_against_solutions
from pytest_toolsandbox.scoring.milestones.evaluate import evaluate

from .proof.equivalent_solutions import equivalent_solutions
from .proof.milestone_proof import IDLERS
from .proof.mutants import mutants
from .proof.played_solution import played, solved
from .proof.proof import UNJUDGED, Proof, prove

Document = Mapping[str, Any]
Read = Callable[[Document], Scenario | None]
"""Makes the scenario of a document; ``None`` if the document has mistakes."""
_SCORED: Final = ("milestones", "minefields", "protected")
_KEPT: Final = ("any_of", "not", "before", "guardrails", "since", "threshold")
"""Keys whose parts allow something: without them, a milestone would refuse more."""


class Conversations(NamedTuple):
    """The conversations of a proof by their names, which must pass, and which must not."""

    right: dict[str, Trajectory]
    wrong: dict[str, Trajectory]


def removable(document: Document, read: Read) -> list[Path]:
    """Return the paths of the parts of a document that may all go at once, in the order tried.

    Whole milestones come before their parts, and what is written later before what is written
    earlier. The scenario must be one whose proof has no findings.
    """
    whole = read(document)
    assert whole is not None, "the document of a proved scenario"
    proved, talks = prove(whole), conversations(whole)
    gone: list[Path] = []
    for path in _candidates(document):
        if any(path[: len(other)] == other for other in gone):
            continue
        scenario = read(pruned(document, {*gone, path}))
        if scenario is not None and _still_holds(scenario, talks, path[0], proved):
            gone.append(path)
    return gone


def pruned(document: Document, gone: set[Path]) -> dict[str, Any]:
    """Return a document without the parts at these paths.

    What came after a milestone that is gone comes after those that it came after.
    """
    smaller: dict[str, Any] = _pruned(document, (), gone)
    events = {**document.get("milestones", {})}
    missing = {path[1] for path in gone if path[:1] == ("milestones",) and not path[2:]}
    for key in ("milestones", "minefields") if missing else ():
        for event in smaller.get(key, {}).values():
            if isinstance(event, dict) and isinstance(event.get("after"), list):
                event["after"] = [*dict.fromkeys(_predecessors(event["after"], events, missing))]
    return smaller


def conversations(scenario: Scenario) -> Conversations:
    """Play the proof of a scenario: what passes as it should, and what fails as it should."""
    first = solved(scenario, next(iter(scenario.solutions.values())))
    right = {
        **{f"solution {name}": steps for name, steps in scenario.solutions.items()},
        **{f"with {what}": steps for what, steps in equivalent_solutions(first)},
    }
    wrong = {
        **{f"counterexample {name}": steps for name, steps in scenario.counterexamples.items()},
        **{f"idle {what}": steps for what, steps in IDLERS},
    }
    plays: dict[str, Callable[[], Trajectory]] = {
        name: lambda steps=steps: played(scenario, steps)  # type: ignore[misc]
        for name, steps in {**right, **wrong}.items()
    }
    plays |= {f"{mutant.kind}, {mutant.what}": mutant.play for mutant in mutants(first)}
    talks = Conversations({}, {})
    for name, play in plays.items():
        try:
            trajectory = play()
            if name in right:
                talks.right.update(
                    {name: trajectory} if _passes_fully(scenario, trajectory) else {}
                )
            elif Proof().passes(scenario, trajectory) is False:
                talks.wrong[name] = trajectory
        except (PlayError, *UNJUDGED):
            continue
    return talks


def _still_holds(scenario: Scenario, talks: Conversations, key: object, proved: Proof) -> bool:
    """Whether the proof of a smaller scenario is as good as that of the whole."""
    try:
        if key in _SCORED:
            if not all(_passes_fully(scenario, trajectory) for trajectory in talks.right.values()):
                return False
            if any(Proof().passes(scenario, talk) is not False for talk in talks.wrong.values()):
                return False
        elif key == "state":
            smaller = conversations(scenario)
            if _words(smaller.right) != _words(talks.right) or _words(smaller.wrong) != _words(
                talks.wrong
            ):
                return False
        elif any(
            patterns_against_solutions(scenario, trajectory).findings
            for name, trajectory in talks.right.items()
            if name.startswith("solution ")
        ):
            return False
        proof = prove(scenario)
    except (PlayError, *UNJUDGED):
        return False
    return not proof.findings and {*proof.survivors} <= {*proved.survivors}


def _passes_fully(scenario: Scenario, trajectory: Trajectory) -> bool:
    result = evaluate(scenario, trajectory)
    return result.score == 1 and result.passed


def _words(talks: Mapping[str, Trajectory]) -> dict[str, list[object]]:
    """Return what was said, called and returned in conversations, by their names."""
    return {
        name: [(message.sender, message.content, message.call) for message in talk.messages]
        for name, talk in talks.items()
    }


def _candidates(document: Document) -> Iterator[Path]:
    """Yield the paths of what may be left out: the larger parts first, the last ones first.

    The state comes first, since what is compared then are the conversations of the whole proof.
    """
    yield from _parts(document.get("state"), ("state",))
    for name in [*document.get("solutions", {})][:0:-1]:
        yield ("solutions", name)
    for key in _SCORED:
        for name in reversed(_keys(document.get(key))):
            yield (key, name)
    for name in reversed(_keys(document.get("milestones"))):
        yield from _parts(document["milestones"][name], ("milestones", name))


def _parts(value: Any, path: Path) -> Iterator[Path]:
    """Yield the paths of the parts of a value without which less is asked, the larger ones first.

    A list in a list of ``mentions`` has words of which any will do.
    """
    for key in reversed(_keys(value)):
        if key in _KEPT:
            continue
        yield (*path, key)
        if path[-1] != "mentions":
            yield from _parts(value[key], (*path, key))


def _keys(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return [*value]
    return [*range(len(value))] if isinstance(value, list) else []


def _pruned(value: Any, path: Path, gone: set[Path]) -> Any:
    kept = [key for key in _keys(value) if (*path, key) not in gone]
    if isinstance(value, Mapping):
        return {key: _pruned(value[key], (*path, key), gone) for key in kept}
    if isinstance(value, list):
        return [_pruned(value[key], (*path, key), gone) for key in kept]
    return value


def _predecessors(names: list[Any], events: Mapping[str, Any], missing: set[Any]) -> Iterator[Any]:
    """Yield names of milestones; instead of a missing one, those that it came after."""
    for name in names:
        if name in missing:
            after = events[name].get("after") if isinstance(events[name], Mapping) else None
            yield from _predecessors(after or [], events, missing)
        else:
            yield name
