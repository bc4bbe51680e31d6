"""Is it better than before? Two evaluations of the same questions, compared pair by pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from consilience.errors import UsageError
from consilience.measure.evaluate.evaluating import SEED, Evaluation, comparison_json
from consilience.measure.scoring.statistics import compare, corrected
from consilience.measure.values import Comparison, judged


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """Each way now against the same way before; `notes` are what else is not the same."""

    path: str
    comparisons: tuple[Comparison, ...]
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The comparison as plain values."""
        return {
            "path": self.path,
            "comparisons": [comparison_json(one) for one in self.comparisons],
            "notes": list(self.notes),
        }


def against(evaluation: Evaluation, earlier: Mapping[str, Any], path: str) -> Against:
    """Compare with the JSON of an earlier evaluation, on the questions that both have."""
    measure = evaluation.primary
    texts = {(one.id, one.text) for one in judged(evaluation.golden.questions)}
    before: dict[str, dict[str, float]] = {}
    common = 0
    for one in earlier["questions"]:
        if (one["id"], one["text"]) in texts:
            common += 1
            for name, values in one["ways"].items():
                if measure in values:
                    before.setdefault(name, {})[one["id"]] = float(values[measure])
    ways = [name for name in evaluation.ways if name in before]
    if not ways:
        raise UsageError(
            f"{path} has no {measure} of a question and a way that this evaluation has too; "
            "compare evaluations of the same golden set and measure"
        )
    found = [
        compare(
            {key: evaluation.ways[name].strict[measure][key] for key in before[name]},
            before[name],
            names=(name, f"{name}, before"),
            measure=measure,
            seed=SEED,
        )
        for name in ways
    ]
    return Against(
        path=path,
        comparisons=tuple(corrected(found)),
        notes=tuple(_differences(evaluation, earlier, common)),
    )


def _differences(evaluation: Evaluation, earlier: Mapping[str, Any], common: int) -> list[str]:
    """What else is not as it was, so that nobody takes one cause for another."""
    now = evaluation.as_json()
    notes = []
    if common < len(judged(evaluation.golden.questions)) or common < len(earlier["questions"]):
        notes.append(f"only the {common} questions that both have are compared")
    if earlier.get("fingerprint") != now["fingerprint"]:
        notes.append("the corpus is another one")
    if earlier.get("golden", {}).get("digest") != now["golden"]["digest"]:
        notes.append("the golden set has changed")
    for part in ("models", "settings"):
        old, new = earlier.get(part, {}), now[part]
        changed = [name for name in {**old, **new} if old.get(name) != new.get(name)]
        notes += [f"{name}: {old.get(name)!r} before, now {new.get(name)!r}" for name in changed]
    return notes
