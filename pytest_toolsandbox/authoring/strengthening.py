"""Finds what a scenario could ask for so that the mutants that survive its proof fail.

What all solutions have in common is found as for a proposal. Each part of it is added alone, and
counts if the proof has no finding then and fewer survivors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pytest_toolsandbox.language.scenario import Scenario

from .proof.played_solution import played
from .proof.proof import Proof, Survivor, prove
from .proposing.conversations import Conversation
from .proposing.demands import Demands, demands
from .shrinking import Document, Read

Addition = dict[str, Any]
"""Keys of a scenario with what is to be added to them."""


class Remedy(NamedTuple):
    """What is to be added to a scenario, and the mutants that do not survive it."""

    addition: Addition
    killed: Sequence[Survivor]


def remedies(document: Document, scenario: Scenario, proof: Proof, read: Read) -> list[Remedy]:
    """Return what kills survivors of a proof without failing a solution.

    The proof must have no findings. What kills most comes first; each further remedy is one for
    the scenario with all those before it.
    """
    left, chosen = list(proof.survivors), list[Remedy]()
    common = demands(
        [
            Conversation(name, scenario, played(scenario, steps))
            for name, steps in scenario.solutions.items()
        ]
    )
    while left:
        remedy = max(
            (
                Remedy(addition, killed)
                for addition in _additions(document, common)
                if (killed := _killed(read(_added(document, addition)), left))
            ),
            key=lambda remedy: len(remedy.killed),
            default=None,
        )
        if remedy is None:
            break
        chosen.append(remedy)
        document = _added(document, remedy.addition)
        left = [survivor for survivor in left if survivor not in remedy.killed]
    return chosen


def strengthened(document: Document, chosen: Sequence[Remedy]) -> dict[str, Any]:
    """Return a scenario with remedies, in the order in which they were chosen."""
    stronger = dict(document)
    for remedy in chosen:
        stronger = _added(stronger, remedy.addition)
    return stronger


def _killed(scenario: Scenario | None, survivors: Sequence[Survivor]) -> list[Survivor]:
    """Return the survivors that a scenario kills; none if its own proof has findings."""
    proof = prove(scenario) if scenario else None
    if proof is None or proof.findings:
        return []
    names = {(survivor.kind, survivor.what) for survivor in proof.survivors}
    return [survivor for survivor in survivors if (survivor.kind, survivor.what) not in names]


def _additions(document: Document, common: Demands) -> Iterator[Addition]:
    """Yield parts of what all solutions have in common, those that ask for least first."""
    for table in common.protected:
        protected = document.get("protected")
        if isinstance(protected, list | None) and table not in (protected or ()):
            yield {"protected": [table]}
    guardrails = {"all_but": common.free} if common.free else None
    if document.get("guardrails") not in (guardrails, "all"):
        yield {"guardrails": guardrails or "all"}
    for name, event in _events(common):
        unused = name if name not in document["milestones"] else f"{name}_too"
        if unused not in document["milestones"]:
            yield {"milestones": {unused: event}}
        if "state" in event:  # what else a solution changes on the way may be none of its business
            yield {"milestones": {unused: {**event, "guardrails": guardrails or "none"}}}


def _events(common: Demands) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the names and keys of possible milestones; those about the end have ``after``."""
    for table, block in common.state.items():
        columns = block if not {"added", "updated", "removed"} & block.keys() else None
        for column, value in (columns or {}).items():
            yield f"{table}_{column}", {"after": [], "state": {table: {column: value}}}
        if columns is None:
            yield f"{table}_changed", {"after": [], "state": {table: block}}
    yield from common.look_ups.milestones().items()
    for words in (*common.told, common.says):
        if words:
            yield "told", {"after": [], "says": words}


def _added(document: Document, addition: Addition) -> dict[str, Any]:
    """Return a document with an addition.

    A milestone about the end comes after all others, and one about the way before or beside them.
    """
    stronger = dict(document)
    if "protected" in addition:
        stronger["protected"] = [*(document.get("protected") or ()), *addition["protected"]]
        return stronger
    if "guardrails" in addition:
        return stronger | addition
    earlier = document["milestones"]
    ((name, event),) = addition["milestones"].items()
    if any("after" in (other or ()) for other in earlier.values()):
        after = {"after": _last(earlier)} if "after" in event else {}
        event.update(after)
        stronger["milestones"] = {**earlier, name: event}
    elif event.pop("after", None) is not None:
        stronger["milestones"] = {**earlier, name: event}
    else:
        stronger["milestones"] = {name: event, **earlier}
    return stronger


def _last(milestones: Mapping[str, Any]) -> list[str]:
    """Return the milestones after which no other comes."""
    earlier = set[str]()
    for event in milestones.values():
        after = (event or {}).get("after") or ()
        earlier |= {after} if isinstance(after, str) else {*after}
    return [name for name in milestones if name not in earlier]
