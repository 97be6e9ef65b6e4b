"""Variants of a scenario: tool augmentations, and perturbations.

Augmentations add distraction tools or scramble descriptions. They follow ToolSandbox (section 3 and
appendix A.2.1), with scrambled argument names in addition. Perturbations are in ``perturbations/``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from pytest_toolsandbox.text.nearest_name import unknown
from pytest_toolsandbox.worlds.tool_view import Scrambled
from pytest_toolsandbox.worlds.world import World

from .perturbations.names import (
    PERTURBATIONS,
    REWORDING,
    is_perturbation,
    read_perturbation,
)
from .scenario import Scenario


@dataclass(frozen=True)
class _Augmentation:
    """How many distraction tools are offered (or which), and what is scrambled."""

    distraction_tools: int | Literal["modules", "all"]
    scrambled: Scrambled | None = None


AUGMENTATIONS: Mapping[str, _Augmentation] = {
    "no_distraction_tools": _Augmentation(0),
    "three_distraction_tools": _Augmentation(3),
    "ten_distraction_tools": _Augmentation(10),
    "all_tools_available": _Augmentation("all"),
    "tool_name_scrambled": _Augmentation(3, "tool_name"),
    "tool_description_scrambled": _Augmentation(3, "tool_description"),
    "argument_description_scrambled": _Augmentation(3, "argument_description"),
    "argument_type_scrambled": _Augmentation(3, "argument_type"),
    "argument_name_scrambled": _Augmentation(3, "argument_name"),
    "module_tools_available": _Augmentation("modules"),
    "descriptions_scrambled": _Augmentation(3, "descriptions"),
}
"""In the order of the paper's tables; the last three are not in the paper."""

PUBLISHED = tuple(AUGMENTATIONS)[:8]
"""The augmentations of the paper, which ``all`` means."""


def read_augmentations(text: str) -> tuple[str, ...]:
    """Return the augmentations in a comma-separated list; ``none`` and ``all`` are allowed, too.

    ``all_tools_available+descriptions_scrambled`` joins the tools of the first with the scrambling
    of the second; perturbations can be joined with all of them, and with one another. The result is
    in the order of the tables, with joined ones last. Raises ``ValueError`` for unknown names, and
    for names that cannot be joined.
    """
    chosen: set[str] = set()
    for word in (part.strip() for part in text.split(",")):
        if word == "all":
            chosen |= set(PUBLISHED)
        elif word != "none":
            chosen.add("+".join(_joined(word)))
    return tuple(augmentations_in_order(chosen))


def augmentations_in_order(names: Iterable[str]) -> list[str]:
    """Return distinct augmentations in the order of the tables, with joined ones last."""
    places = {name: place for place, name in enumerate(AUGMENTATIONS)}

    def rank(name: str) -> tuple[bool, list[int]]:
        parts = _parts(name)
        return len(parts) > 1, [places.get(part, len(places)) for part in parts]

    return sorted(sorted(set(names)), key=rank)  # a record may name an unknown one


def augmentation(name: str) -> _Augmentation:
    """Return the augmentation of a name, or of two joined names."""
    first, *second = (AUGMENTATIONS[part] for part in name.split("+"))
    return replace(first, scrambled=second[0].scrambled) if second else first


def _joined(word: str) -> list[str]:
    """Split a word into its augmentations and perturbations."""
    parts = _parts(word)
    joins = len(parts) > 1
    allowed = [*([] if joins else ["none", "all"]), *AUGMENTATIONS, *PERTURBATIONS]
    for part in parts:
        if is_perturbation(part):
            read_perturbation(part)
        elif part not in AUGMENTATIONS:
            raise ValueError(
                unknown("augmentation", part, allowed, f"in {word!r}" if joins else "")
            )
    of_tools = [part for part in parts if not is_perturbation(part)]
    scrambles = [AUGMENTATIONS[part].scrambled is not None for part in of_tools]
    if len(of_tools) > 1 and scrambles != [False, True]:
        text = "join one that offers tools with one that scrambles them, in this order"
        raise ValueError(f"{word!r} cannot be joined; {text}")
    perturbing = [part.partition(":")[0] for part in parts if is_perturbation(part)]
    if len({*perturbing}) < len(perturbing):
        raise ValueError(f"{word!r} cannot be joined; name each perturbation once")
    order = [*PERTURBATIONS]
    last = sorted(filter(is_perturbation, parts), key=lambda p: order.index(p.partition(":")[0]))
    return [*of_tools, *last]


def _parts(word: str) -> list[str]:
    """Split a word at each ``+`` that does not belong to the parameters of a perturbation."""
    parts: list[str] = []
    for part in (part.strip() for part in word.split("+")):
        if parts and ":" in parts[-1] and not is_perturbation(part) and part not in AUGMENTATIONS:
            parts[-1] += f"+{part}"
        else:
            parts.append(part)
    return parts


def shows_true_names(name: str) -> bool:
    """Whether a variant says which tools are offered, scrambles nothing and perturbs nothing."""
    parts = _parts(name)
    return all(part in AUGMENTATIONS and AUGMENTATIONS[part].scrambled is None for part in parts)


def without_rewording(name: str | None) -> str | None:
    """Return a variant's name without the parts that only change words and names."""
    parts = [part for part in _parts(name or "") if part.partition(":")[0] not in REWORDING]
    return "+".join(filter(None, parts)) or None


def unfit(scenario: Scenario, name: str) -> str | None:
    """Return why a variant of a scenario would be as the scenario is, ``None`` if it is not."""
    reasons = (
        read_perturbation(part).unfit(scenario) for part in _parts(name) if is_perturbation(part)
    )
    return next(filter(None, reasons), None)


def variant(scenario: Scenario, name: str) -> Scenario:
    """Return the scenario with augmented tools and perturbations."""
    parts = _parts(name)
    if of_tools := [part for part in parts if not is_perturbation(part)]:
        scenario = _augmented(scenario, "+".join(of_tools))
    for part in filter(is_perturbation, parts):
        perturbation = read_perturbation(part)
        if perturbation.unfit(scenario) is None:
            scenario = perturbation.apply(scenario)
    return replace(scenario, variant=name)


def _augmented(scenario: Scenario, name: str) -> Scenario:
    """Return the scenario with augmented tools, except for those that it withholds.

    The order of the tools depends on the names of scenario and augmentation, so it does not reveal
    which tools are needed.
    """
    chosen, known = augmentation(name), scenario.world.tools
    needed, which = scenario.needed_tools, chosen.distraction_tools
    spare = scenario.memory.value(
        f"spare tools beside {needed}, without {scenario.withheld}",
        scenario.world,
        lambda: distraction_tools(scenario.world, needed, scenario.withheld),
    )
    if which == "modules":
        modules = {known[tool].module for tool in needed}
        spare = [tool for tool in spare if known[tool].module in modules]
    offered = (*needed, *(spare[:which] if isinstance(which, int) else spare))

    def place(tool: str) -> bytes:
        return hashlib.sha256(f"{scenario.name}/{name}/{tool}".encode()).digest()

    tools = tuple(sorted(offered, key=place))
    return replace(scenario, tools=tools, scrambled=chosen.scrambled)


def distraction_tools(
    world: World, offered: Sequence[str], withheld: Collection[str] = ()
) -> list[str]:
    """Return the other tools, the most confusable ones first.

    These are in the module of an offered tool, or have a similar name: rapidfuzz's ``WRatio`` of
    the words of names, as in ToolSandbox's published code.
    """
    modules = {world.tools[name].module for name in offered}
    rank = {name: place for place, name in enumerate(world.agent_tools)}

    def nearness(name: str) -> tuple[bool, float, int]:
        similarity = max((_similarity(name, candidate) for candidate in offered), default=0.0)
        return world.tools[name].module not in modules, -similarity, rank[name]

    spare = (name for name in rank if name not in offered and name not in withheld)
    return sorted(spare, key=nearness)


@cache
def _similarity(name: str, candidate: str) -> float:
    from rapidfuzz import fuzz, utils

    return fuzz.WRatio(name, candidate, processor=utils.default_process)
