r"""How should trust follow what a question shows? Learned on judged questions, for each embedder.

    python models/train_trust.py ../shared/data --keep build/collections

writes src/consilience/engine/trust.json. For every question the sources are asked once; a passage's
columns are its scores by meaning and by words, scaled to [0, 1] over the candidates, and its
neighbours' mean of the two. Its value is the sum of the columns under weights that follow the
question's signs (`consilience.engine.trust`). The loss is the cross entropy of a softmax over each
question's candidates, every set of questions counting alike, with a ridge on the slopes; scipy's
L-BFGS finds the minimum. How well it does on a collection that was left out: benchmarks/fusing.py.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))

from quality import LONGEST, build, judgements, lines, settings_of

from consilience.engine import Gathered, gather
from consilience.engine.fusion import NEAREST, PART, neighbours_mean
from consilience.engine.fusion_methods import min_max
from consilience.engine.trust import SIDES, SIGNS, WIDEST, TrustModel, signs_of
from consilience.types import Query, Ranking
from consilience.workspace import Workspace, init_workspace, open_workspace

COLLECTIONS = (
    ("ir_scifact", "test"),
    ("ir_scifact", "train"),
    ("ir_cranfield", "test"),
    ("ir_cisi", "test"),
    ("ir_med", "test"),
    ("ir_npl_vaswani", "test"),
    ("ir_xquad", "test"),
    ("ir_squad11_dev", "test"),
)
FAMILIES = {"ir_xquad": "squad", "ir_squad11_dev": "squad"}
MOST, SEED = 1500, 3  # questions of a collection, and how they are drawn
RIDGE = 5e-3
TARGET = Path(__file__).parent.parent / "src" / "consilience" / "engine" / "trust.json"


@dataclass(frozen=True, slots=True)
class Case:
    """A question with its judgements, and what the sources said to it."""

    key: str
    text: str
    grades: Mapping[str, int]
    gathered: Gathered


def family(folder: str) -> str:
    """Collections that share texts are left out together."""
    return FAMILIES.get(folder, folder)


def opened(folder: Path, embed: str, keep: Path) -> Workspace:
    """The collection as a workspace, built if it is not there."""
    home = keep / f"{folder.name}-{embed}"
    fresh = not home.exists()
    if fresh:
        init_workspace(home)
    workspace = open_workspace(home, settings=settings_of(embed, {}))
    if fresh:
        build(folder, workspace)
    return workspace


def cases(folder: Path, part: str, workspace: Workspace, most: int = MOST) -> list[Case]:
    """The judged questions, each asked once."""
    grades: dict[str, dict[str, int]] = {}
    for one in judgements(folder, part):
        if one.relevance > 0:
            grades.setdefault(one.query_id, {})[one.doc_id] = one.relevance
    texts = {one["_id"]: one["text"][:LONGEST] for one in lines(folder / "queries.jsonl")}
    keys = sorted(grades)
    if len(keys) > most:
        keys = sorted(np.random.default_rng(SEED).choice(keys, most, replace=False))
    engine = workspace.engine

    async def ask() -> list[Case]:
        return [
            Case(
                key,
                texts[key],
                grades[key],
                await gather(Query(text=texts[key]), engine, completing=True),
            )
            for key in keys
        ]

    return asyncio.run(ask())


def columns(case: Case) -> tuple[list[str], np.ndarray, dict[str, float]] | None:
    """The candidates, a row of columns for each, and the question's signs."""
    legs = {one.source.rpartition("/")[2]: one for one in case.gathered.found.rankings}
    if "dense" not in legs or "bm25" not in legs:
        return None
    scores = [dict(_scores(legs[kind])) for kind in ("dense", "bm25")]
    ids = list(dict.fromkeys((*scores[0], *scores[1])))
    sides = [np.array(min_max([side.get(key, 0.0) for key in ids])) for side in scores]
    own = (sides[0] + sides[1]) / 2
    alike = case.gathered.likeness[legs["dense"].collection].between(ids)
    nearest = max(1, min(NEAREST, len(ids) // PART))
    mean = neighbours_mean(own, alike, nearest)
    signs = signs_of(legs["dense"], legs["bm25"], case.text)
    return ids, np.column_stack([*sides, mean]), signs


def _scores(ranking: Ranking) -> list[tuple[str, float]]:
    return [(one.id, one.score) for one in (*ranking.found, *ranking.completed)]


def fit(
    groups: Sequence[tuple[Sequence[Case], Mapping[str, str]]], signs: Sequence[str] = SIGNS
) -> TrustModel:
    """The weights and slopes that rank judged passages first; each group counts alike."""
    rows, targets, seen, owners, sizes = [], [], [], [], []
    for number, (members, homes) in enumerate(groups):
        for case in members:
            found = columns(case)
            if found is None:
                continue
            ids, table, shown = found
            good = np.array([case.grades.get(homes.get(key, ""), 0) > 0 for key in ids], float)
            if good.any():
                rows.append(table)
                targets.append(good / good.sum())
                seen.append([shown[name] for name in signs])
                sizes.append(len(ids))
                owners.append(number)
    weights = 1 / np.bincount(owners)[owners]
    usual, spread = np.mean(seen, axis=0), np.std(seen, axis=0)
    moved = np.clip((np.array(seen) - usual) / spread, -WIDEST, WIDEST)
    signal = np.column_stack([np.ones(len(moved)), moved])
    found = _minimum(
        np.concatenate(rows),
        np.concatenate(targets),
        signal,
        weights / weights.sum(),
        np.array(sizes),
    )
    return TrustModel(
        base={side: round(float(found[n, 0]), 3) for n, side in enumerate(SIDES)},
        slopes={
            side: {name: round(float(found[n, 1 + m]), 3) for m, name in enumerate(signs)}
            for n, side in enumerate(SIDES)
        },
        usual={name: round(float(usual[m]), 3) for m, name in enumerate(signs)},
        spread={name: round(float(spread[m]), 3) for m, name in enumerate(signs)},
    )


def _minimum(
    table: np.ndarray,
    target: np.ndarray,
    signal: np.ndarray,
    weight: np.ndarray,
    sizes: np.ndarray,
) -> np.ndarray:
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    which = np.repeat(np.arange(len(sizes)), sizes)
    shape = (table.shape[1], signal.shape[1])

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        now = flat.reshape(shape)
        value = (table * (signal @ now.T)[which]).sum(axis=1)
        value -= np.maximum.reduceat(value, starts)[which]
        odds = np.exp(value)
        total = np.add.reduceat(odds, starts)
        missed = -(target * (value - np.log(total)[which]))
        error = float((np.add.reduceat(missed, starts) * weight).sum())
        slope = ((odds / total[which] - target) * weight[which])[:, None] * table
        gradient = np.add.reduceat(slope, starts).T @ signal
        gradient[:, 1:] += 2 * RIDGE * now[:, 1:]
        return error + RIDGE * float((now[:, 1:] ** 2).sum()), gradient.ravel()

    first = np.zeros(shape)
    first[:, 0] = 5
    found = minimize(loss, first.ravel(), jac=True, method="L-BFGS-B")
    return np.asarray(found.x).reshape(shape)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder of the public collections")
    parser.add_argument("--keep", type=Path, default=Path("build/collections"))
    parser.add_argument("--embed", nargs="+", default=["fine", "fast"])
    options = parser.parse_args()
    models = {}
    for embed in options.embed:
        groups = []
        for folder, part in COLLECTIONS:
            with opened(options.data / folder, embed, options.keep) as workspace:
                homes = {one.id: one.document for one in workspace.catalogue.each("documents")}
                groups.append((cases(options.data / folder, part, workspace), homes))
                print(f"{embed}: {folder} {part}, {len(groups[-1][0])} questions", file=sys.stderr)
        models[embed] = asdict(fit(groups))
        if embed == "fine":
            models["any"] = asdict(fit(groups, signs=SIGNS[1:]))
    told = f"learned on {', '.join(f'{name} {part}' for name, part in COLLECTIONS)}"
    TARGET.write_text(json.dumps({"origin": told, "models": models}, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
