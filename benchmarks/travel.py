r"""Is the fused list better than each of its voices, and is what cannot be answered refused?

    python benchmarks/travel.py --json                            # the sample, held out
    python benchmarks/travel.py --golden golden-tuning.yaml --failures
    python benchmarks/travel.py --keep ../travel --set fusion.weights.graph=0.5

Every question is asked once. Beside the list that is shown stand the lists that meaning, words and
the graph gave for it alone: of each, what it found in all collections, by its own scores. They are
compared question by question by nDCG@10, all questions that have an answer counted, also those to
which a source finds nothing. Each kind of question stands for itself.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from judged_ways import means, table, times

from consilience import plugins
from consilience.measure.data_model import Answer, Golden, ResolvedLabels, Run, Way
from consilience.measure.derived_passages import edges_in, full_order
from consilience.measure.golden import read_golden
from consilience.measure.label_resolver import resolve
from consilience.measure.metrics import score
from consilience.measure.statistics import compare
from consilience.pack import Pack
from consilience.packs.travel.trip_planner import open_atlas
from consilience.settings import read_settings
from consilience.types import AGAIN, Query, Result
from consilience.workspace import Workspace, init_workspace, open_workspace

NAMES = ("nDCG@10", "Hit@5", "MRR@10", "P@5")
FUSED, PLAIN = "fused", "fused, not reranked"
SINGLE = {"meaning": "dense", "words": "bm25", "graph": "graph"}
WAYS = (FUSED, PLAIN, *SINGLE)
LIMIT = 20
PATIENT = {"retrieve.hard_ms": 20_000, "refine.rerank_ms": 20_000}
Values = Mapping[str, Mapping[str, Mapping[str, float]]]


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory() as place:
        result = measured(options.keep or Path(place) / "space", options)
    print(
        json.dumps(result, indent=2, ensure_ascii=False) if options.json else table(result, NAMES)
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--keep", type=Path, help="a workspace, made of the sample if not there")
    parser.add_argument("--golden", default="golden.yaml", help="a golden file of the pack")
    parser.add_argument("--set", nargs="*", default=[], help="settings, like refine.floor=0.1")
    parser.add_argument("--failures", action="store_true", help="for questions to tune on only")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def measured(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Build or open the workspace, ask, and compare."""
    pack: Pack = plugins.load("packs", "travel")
    assert pack.sample is not None
    if not folder.exists():
        init_workspace(folder, pack="travel")
    chosen = {**PATIENT, **dict(pair.split("=", 1) for pair in options.set)}
    given = {f"CONSILIENCE_{name.replace('.', '_').upper()}": str(chosen[name]) for name in chosen}
    with open_workspace(folder, settings=read_settings(folder, given)) as workspace:
        workspace.add([pack.sample.folder])
        golden = read_golden(pack.sample.golden.with_name(options.golden))
        resolved = resolve(golden, workspace.catalogue)
        runs, results = ask(golden, workspace)
        result = _told(runs, resolved, golden)
        result["passages"] = workspace.catalogue.counts()
        result["kinds"] = Counter(one.kind for one in open_atlas(workspace).places.values())
    if options.failures:
        result["failures"] = failures(runs[FUSED], results, resolved, golden)
    return result


def ask(golden: Golden, workspace: Workspace) -> tuple[dict[str, Run], dict[str, Result]]:
    """Every question: the list that is shown, the fused one, and that of each voice."""
    edges = edges_in(workspace.catalogue)
    workspace.search("where is a quiet beach?")  # loads what the first question would wait for
    answers: dict[str, dict[str, Answer]] = {way: {} for way in WAYS}
    results = {}
    for one in golden.questions:
        for way, rerank in ((FUSED, True), (PLAIN, False)):
            started = time.perf_counter()
            found = workspace.find(Query(text=one.text, limit=LIMIT, rerank=rerank))
            ms = (time.perf_counter() - started) * 1000
            answers[way][one.id] = _answer(
                one.id, full_order(found, edges), ms, refused=found.abstained
            )
            results[one.id] = results.get(one.id, found)
        for way, kind in SINGLE.items():
            answers[way][one.id] = _answer(one.id, alone(found, kind), 0.0, refused=False)
    runs = {way: Run(way=Way(name=way, kind="merged"), answers=answers[way]) for way in WAYS}
    return runs, results


def alone(result: Result, kind: str) -> list[tuple[str, float]]:
    """What the sources of a kind found, in the order of their scores."""
    found: dict[str, float] = {}
    for ranking in result.trace.rankings:
        if ranking.source.rpartition("/")[2] == kind and AGAIN not in ranking.source:
            for one in ranking.found:
                found[one.id] = max(found.get(one.id, 0.0), one.score)
    return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:LIMIT]


def _answer(key: str, order: Sequence[tuple[str, float]], ms: float, *, refused: bool) -> Answer:
    return Answer(
        question=key,
        passages=tuple(one for one, _ in order),
        scores=tuple(value for _, value in order),
        ms=ms,
        refused=refused,
    )


# --- what came out ----------------------------------------------------------------------


def _told(runs: Mapping[str, Run], resolved: ResolvedLabels, golden: Golden) -> dict[str, Any]:
    values = {way: score(run, resolved, names=NAMES) for way, run in runs.items()}
    judged = [one for one in golden.questions if not one.unanswerable]
    kinds: dict[str, list[str]] = {}
    for one in judged:
        kinds.setdefault(one.category or "", []).append(one.id)
    return {
        "questions": len(golden.questions),
        "ways": {way: means(found, [one.id for one in judged]) for way, found in values.items()},
        "categories": {
            name: {way: means(found, keys) for way, found in values.items()}
            for name, keys in sorted(kinds.items())
        },
        "gains": _gains(values),
        "refused rightly": _refused(runs[FUSED], golden, unanswerable=True),
        "refused wrongly": _refused(runs[FUSED], golden, unanswerable=False),
        "milliseconds": {way: times(runs[way]) for way in (FUSED, PLAIN)},
    }


def _gains(values: Values) -> dict[str, Any]:
    """What the shown and the fused list gain on each voice, with interval and p."""
    found = {}
    for ours in (FUSED, PLAIN):
        for theirs in SINGLE:
            one = compare(
                values[ours]["nDCG@10"],
                values[theirs]["nDCG@10"],
                names=(ours, theirs),
                measure="nDCG@10",
            )
            found[f"{ours} against {theirs}"] = {
                "gain": round(one.gain.mean, 4),
                "low": round(one.gain.low, 4),
                "high": round(one.gain.high, 4),
                "p": round(one.p, 5),
            }
    return found


def _refused(run: Run, golden: Golden, *, unanswerable: bool) -> dict[str, int]:
    of = [one.id for one in golden.questions if one.unanswerable == unanswerable]
    return {"refused": sum(run.answers[key].refused for key in of), "of": len(of)}


def failures(
    run: Run, results: Mapping[str, Result], resolved: ResolvedLabels, golden: Golden
) -> list[dict[str, Any]]:
    """The questions that do worst, and those wrongly refused or answered."""
    values = score(run, resolved, names=("nDCG@10",))["nDCG@10"]
    found = []
    for one in golden.questions:
        answer, result = run.answers[one.id], results[one.id]
        poor = not one.unanswerable and values.get(one.id, 0.0) < 0.35
        if poor or answer.refused != one.unanswerable:
            found.append(
                {
                    "text": one.text,
                    "category": one.category,
                    "nDCG@10": round(values.get(one.id, 0.0), 3),
                    "refused": answer.refused,
                    "notes": [str(note) for note in result.notes],
                    "intent": result.trace.plan.intent,
                    "first": [hit.passage.text[:110] for hit in result.hits[:6]],
                    "wanted": [judgement.quote for judgement in one.judgements[:4]],
                }
            )
    return found


if __name__ == "__main__":
    main()
