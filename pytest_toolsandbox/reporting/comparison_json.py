"""A comparison as plain JSON values, for other programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pytest_toolsandbox.gate.estimates import estimates
from pytest_toolsandbox.gate.verdict import Change, Verdict

from .comparison import Part, changed_costs, changed_findings, changed_setup, prompt_diff
from .tables import DIGITS
from .verdict_lines import pass_rates, verdict_sentence


def comparison_json(verdict: Verdict) -> dict[str, Any]:
    """Return all that is known of a comparison; figures are rounded, and shares from 0 to 1."""
    pairing = verdict.pairing
    known: dict[str, Any] = {
        "verdict": verdict.kind,
        "why": verdict_sentence(verdict),
        "margin": verdict.margin,
        "levels": verdict.levels._asdict(),
        "missing": pairing.missing,
        "scenarios": len(verdict.strata),
        "not_compared": {
            name: list(getattr(pairing, name))
            for name in ("changed", "new", "absent", "quarantined")
        },
        **(_figures(verdict) if verdict.strata else {}),
        "costs": _rows(changed_costs(pairing)),
        "findings": _rows(changed_findings(pairing)),
        "setup": _rows(changed_setup(pairing)),
        "prompt_diff": prompt_diff(pairing),
        "estimates": [one._asdict() for one in estimates(pairing.candidate)],
    }
    rounded: dict[str, Any] = _rounded(known)
    return rounded


def _figures(verdict: Verdict) -> dict[str, Any]:
    before, now = pass_rates(verdict.strata)
    return {
        "pass_rate": {"before": before, "now": now},
        "drop": {"found": verdict.model.found, **verdict.interval._asdict()},
        "p": verdict.tails._asdict(),
        "p_of_scenarios_like_these": verdict.tails_of_others._asdict(),
        "score": verdict.scores._asdict() if verdict.scores else None,
        "critical_broken": list(verdict.broken_critical),
        "broken": list(map(_change, verdict.broken)),
        "mended": list(map(_change, verdict.mended)),
        "groups": [one._asdict() for one in verdict.groups],
    }


def _change(one: Change) -> dict[str, Any]:
    further = one.further and one.further._asdict()
    return {**one._asdict(), "stratum": one.stratum._asdict(), "further": further}


def _rows(parts: Iterable[Part]) -> list[dict[str, str]]:
    return [
        dict(zip(("name", *part.rows[0][1:]), row, strict=True))
        for part in parts
        for row in part.rows[1:]
    ]


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return [_rounded(one) for one in value] if is_list else value
