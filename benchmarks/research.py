r"""What do expansion and reranking bring, each alone and together, and does it find the passage?

    python benchmarks/research.py --json                          # the sample, held out
    python benchmarks/research.py --golden golden-tuning.yaml     # the half to tune on
    python benchmarks/research.py --keep ../research --set fusion.expansion=0.6
    python benchmarks/research.py --data ../shared/data --json    # the open textbooks

Every question is asked four times: plain, with expansion, with reranking, with both. A passage
counts only if it is the very one that was judged. Gains are compared question by question, and
each kind of question stands for itself; `--failures` lists what is missed, for tuning only.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judged_ways import means, table, times

from consilience import plugins
from consilience.measure.data_model import Answer, Golden, Question, ResolvedLabels, Run, Way
from consilience.measure.derived_passages import edges_in, full_order
from consilience.measure.golden import read_golden
from consilience.measure.label_resolver import resolve
from consilience.measure.metrics import score
from consilience.measure.statistics import compare, interval
from consilience.pack import Pack
from consilience.settings import read_settings
from consilience.types import Query, Result
from consilience.workspace import Workspace, init_workspace, open_workspace

HERE = Path(__file__).parent
BOOKS = HERE / "research_books.yaml"
NAMES = ("Hit@5", "MRR@10", "P@5", "nDCG@10")
WAYS = {
    "plain": (False, False),
    "expanded": (True, False),
    "reranked": (False, True),
    "both": (True, True),
}
LIMIT = 20
PATIENT = {"retrieve.hard_ms": 20_000, "refine.rerank_ms": 20_000}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What one way gave: the run to score, and the results themselves."""

    run: Run
    results: Mapping[str, Result]


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory() as place:
        result = measured(options.keep or Path(place) / "space", options)
    if options.json:
        print(json.dumps(result, indent=2, ensure_ascii=False))
    else:
        print(table(result, NAMES))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--keep", type=Path, help="a workspace, made of the sample if not there")
    parser.add_argument("--golden", default="golden.yaml", help="a golden file of the pack")
    parser.add_argument("--data", type=Path, help="the folder of the open textbooks")
    parser.add_argument("--set", nargs="*", default=[], help="settings, like fusion.expansion=0.6")
    parser.add_argument("--failures", action="store_true", help="for questions to tune on only")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def measured(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Build or open the workspace, ask in every way, and compare."""
    pack: Pack = plugins.load("packs", "research")
    assert pack.sample is not None
    if not folder.exists():
        init_workspace(folder, pack="research")
    chosen = {**PATIENT, **dict(pair.split("=", 1) for pair in options.set)}
    given = {f"CONSILIENCE_{name.replace('.', '_').upper()}": str(chosen[name]) for name in chosen}
    settings = read_settings(folder, given)
    files = [pack.sample] if options.data is None else sorted(options.data.glob("research_*"))
    with open_workspace(folder, settings=settings) as workspace:
        workspace.add(files)
        golden = read_golden(BOOKS if options.data else pack.sample.with_name(options.golden))
        resolved = resolve(golden, workspace.catalogue)
        asked = {way: ask(golden, workspace, way) for way in WAYS}
        result = _told(asked, resolved, golden)
        result["passages"] = workspace.catalogue.counts()
    if options.failures:
        result["failures"] = failures(asked["both"], resolved, golden)
    return result


def ask(golden: Golden, workspace: Workspace, way: str) -> Asked:
    """Every question, in one way."""
    expand, rerank = WAYS[way]
    edges = edges_in(workspace.catalogue)
    workspace.search("what is a mean?")  # loads what the first question would wait for
    answers, results = {}, {}
    for one in golden.questions:
        query = Query(text=one.text, limit=LIMIT, expand=expand, rerank=rerank)
        started = time.perf_counter()
        found = workspace.find(query)
        ms = (time.perf_counter() - started) * 1000
        order = full_order(found, edges)
        answers[one.id] = Answer(
            question=one.id,
            passages=tuple(key for key, _ in order),
            scores=tuple(value for _, value in order),
            ms=ms,
            refused=found.abstained,
        )
        results[one.id] = found
    return Asked(run=Run(way=Way(name=way, kind="merged"), answers=answers), results=results)


# --- what came out ----------------------------------------------------------------------


def _told(asked: Mapping[str, Asked], resolved: ResolvedLabels, golden: Golden) -> dict[str, Any]:
    values = {way: score(one.run, resolved, names=NAMES) for way, one in asked.items()}
    judged = {one.id: one for one in golden.questions if not one.unanswerable}
    return {
        "questions": len(golden.questions),
        "ways": {way: means(found, list(judged)) for way, found in values.items()},
        "categories": {
            name: {way: means(found, keys) for way, found in values.items()}
            for name, keys in _categories(judged).items()
        },
        "gains": _gains(values),
        "refused rightly": _refused(asked["both"].run, golden, unanswerable=True),
        "refused wrongly": _refused(asked["both"].run, golden, unanswerable=False),
        "milliseconds": {way: times(one.run) for way, one in asked.items()},
    }


def _categories(judged: Mapping[str, Question]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, one in judged.items():
        found.setdefault(one.category or "", []).append(key)
    return dict(sorted(found.items()))


def _gains(values: Mapping[str, Mapping[str, Mapping[str, float]]]) -> dict[str, Any]:
    """What each way gains on plain by P@5, with its interval and p."""
    found = {}
    for measure in ("P@5", "MRR@10"):
        for way in ("expanded", "reranked", "both"):
            ours, theirs = values[way][measure], values["plain"][measure]
            one = compare(ours, theirs, names=(way, "plain"), measure=measure)
            base = interval(list(theirs.values())).mean
            found[f"{way}, {measure}"] = {
                "gain": round(one.gain.mean, 4),
                "low": round(one.gain.low, 4),
                "high": round(one.gain.high, 4),
                "relative": round(one.gain.mean / base, 4) if base else None,
                "p": round(one.p, 5),
            }
    return found


def _refused(run: Run, golden: Golden, *, unanswerable: bool) -> dict[str, int]:
    of = [one.id for one in golden.questions if one.unanswerable == unanswerable]
    return {"right": sum(run.answers[key].refused for key in of), "of": len(of)}


def failures(asked: Asked, resolved: ResolvedLabels, golden: Golden) -> list[dict[str, Any]]:
    """The questions without a right passage among the first five, and those wrongly refused."""
    hits = score(asked.run, resolved, names=("Hit@5",))["Hit@5"]
    found = []
    for one in golden.questions:
        answer, result = asked.run.answers[one.id], asked.results[one.id]
        missed = not one.unanswerable and not hits.get(one.id)
        if missed or answer.refused != one.unanswerable:
            found.append(
                {
                    "text": one.text,
                    "category": one.category,
                    "refused": answer.refused,
                    "intent": result.trace.plan.intent,
                    "terms": [term.text for term in result.trace.plan.terms],
                    "first": [hit.passage.text[:160] for hit in result.hits[:5]],
                    "wanted": [judgement.quote for judgement in one.judgements[:3]],
                }
            )
    return found


if __name__ == "__main__":
    main()
