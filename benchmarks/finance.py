r"""Are numbers found, on the right page, and calculated right? Strictly, on golden questions.

    python benchmarks/finance.py                   # held-out questions on the sample, built anew
    python benchmarks/finance.py --keep ../finance --json
    python benchmarks/finance.py --keep ../finance --golden golden-tuning.yaml --failures

Right value: every value that the question has is stated by one of the first five hits, as a number
in its unit, in the right document. Right page: by a hit of a page that prints it. Every source
alone stands beside fused and reranked; alpha is swept, and its ends are held against the sources.
`--failures` shows what went wrong: for questions to tune on, never for those kept out.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from finance_judged import (
    FIRST,
    TOP,
    Order,
    Seen,
    cites_page,
    computes,
    has_page,
    has_values,
    hits_of,
    wrong,
)

from consilience.engine import Engine, Gathered, fuse_and_refine, gather
from consilience.engine.retrieve import Breakers
from consilience.measure.data_model import Question
from consilience.measure.golden import read_golden
from consilience.measure.metrics import group_facts, percentiles
from consilience.measure.runs import patient_settings
from consilience.measure.statistics import compare, correct_for_number, interval
from consilience.types import Plan, Query, Result
from consilience.worker_pool import run_sync
from consilience.workspace import STORE, Workspace, copy_sample, init_workspace, open_workspace
from consilience.workspace.layout import SAMPLE

FUSED, RERANKED = "fused", "fused and reranked"
ALPHAS = tuple(round(step / 10, 1) for step in range(11))
METHODS = ("convex", "adaptive")


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory() as place, _opened(options.keep or Path(place)) as workspace:
        questions = read_golden(workspace.folder / options.golden).questions
        seen = [look(one, workspace, sweep=not options.quick) for one in questions]
        sources = sorted(workspace.engine.sources)
    report = summed(seen, sources)
    if options.json:
        print(json.dumps(report, indent=2, ensure_ascii=False))
    else:
        _print(report)
    if options.failures:
        for one in seen:
            _print_failure(one)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, help="a workspace, made of the sample if not there")
    parser.add_argument("--golden", type=Path, default="golden.yaml", help="those kept out, else")
    parser.add_argument("--failures", action="store_true", help="list what went wrong")
    parser.add_argument("--quick", action="store_true", help="without the sweep over alpha")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _opened(folder: Path) -> Workspace:
    """A workspace of the sample: the one that is there, brought up to date."""
    if not (folder / STORE).exists():
        init_workspace(folder, pack="finance")
        copy_sample(folder, "finance")
    workspace = open_workspace(folder)
    workspace.add([folder / SAMPLE])
    return workspace


# --- looking ----------------------------------------------------------------------------


def look(question: Question, workspace: Workspace, *, sweep: bool) -> Seen:
    """Search and ask as a person would, then every way alone, with patience."""
    _ = workspace.search("warm up")
    began = time.perf_counter()
    result = workspace.search(question.text)
    between = time.perf_counter()
    answer = workspace.ask(question.text)
    ended = time.perf_counter()
    engine = replace(
        workspace.engine, settings=patient_settings(workspace.engine.settings), breakers=Breakers()
    )
    gathered = run_sync(gather(Query(text=question.text), engine, completing=True))
    swept = _swept(gathered, engine) if sweep else {}
    return Seen(
        question=question,
        orders=_orders(gathered, engine),
        result=result,
        answer=answer,
        search_ms=(between - began) * 1000,
        ask_ms=(ended - between) * 1000,
        sweep={key: hits_of(one) for key, one in swept.items()},
        ends=_ends(gathered, swept),
    )


def _orders(gathered: Gathered, engine: Engine) -> dict[str, Order]:
    """The first places of every source, of fused and of reranked."""
    orders: dict[str, Order] = dict.fromkeys(engine.sources, ())
    for ranking in gathered.found.rankings:
        first = ranking.found[:FIRST]
        known = engine.lookup([one.id for one in first])
        passages = (one.passage or known.get(one.id) for one in first)
        orders[ranking.source] = tuple(one for one in passages if one is not None)
    plain = replace(gathered, plan=_unranked(gathered))
    orders[FUSED] = hits_of(run_sync(fuse_and_refine(plain, engine)))
    if engine.reranker is not None:
        orders[RERANKED] = hits_of(run_sync(fuse_and_refine(gathered, engine)))
    return orders


def _unranked(gathered: Gathered) -> Plan:
    return replace(gathered.plan, query=replace(gathered.plan.query, rerank=False))


def _swept(gathered: Gathered, engine: Engine) -> dict[tuple[str, float], Result]:
    """What every alpha makes of the same rankings, without reranking."""
    plain = replace(gathered, plan=_unranked(gathered))
    found = {}
    for method in METHODS:
        for alpha in ALPHAS:
            fusion = replace(engine.settings.fusion, method=method, alpha=alpha)
            settings = replace(engine.settings, fusion=fusion)
            found[method, alpha] = run_sync(
                fuse_and_refine(plain, replace(engine, settings=settings))
            )
    return found


def _ends(gathered: Gathered, swept: Mapping[tuple[str, float], Result]) -> tuple[bool, ...]:
    """Whether the ends of alpha are the single sources; of a question that SQL takes part in, none.

    Places with one score may stand in any order, so the source's scores are compared.
    """
    rankings = {one.source.rpartition("/")[2]: one for one in gathered.found.rankings}
    if not swept or rankings.keys() != {"dense", "bm25"}:
        return ()
    same = []
    for method in METHODS[:1]:
        for alpha, kind in ((0.0, "bm25"), (1.0, "dense")):
            own = rankings[kind]
            scores = {one.id: one.score for one in (*own.found, *own.completed)}
            places = min(FIRST, len(own.found))
            first = [key for key, _ in swept[method, alpha].trace.fused[:places]]
            wanted = [one.score for one in own.found[:places]]
            same.append([scores.get(key) for key in first] == wanted)
    return tuple(same)


# --- summing up -------------------------------------------------------------------------


def summed(seen: Sequence[Seen], sources: Sequence[str]) -> dict[str, Any]:
    """All tables, as plain values."""
    asked = [one for one in seen if not one.question.unanswerable]
    used = RERANKED if any(RERANKED in one.orders for one in seen) else FUSED
    ways = [*sources, FUSED, *([RERANKED] if used == RERANKED else [])]
    return {
        "questions": len(seen),
        "left_out": sorted(
            {
                f"{one.source}: {one.reason}"
                for each in seen
                for one in each.result.trace.outcomes
                if one.left_out
            }
        ),
        "categories": _categories(seen),
        "ways": {way: _way(asked, way) for way in ways},
        "by_category": {
            way: {
                name: _share([has_page(one.question, one.orders[way]) for one in group])
                for name, group in _grouped(asked).items()
            }
            for way in ways
        },
        "compared": _compared(asked, used, [one for one in ways if one != used]),
        "alpha": _alpha(asked),
        "latency_ms": {
            "search": percentiles([one.search_ms for one in seen]),
            "ask": percentiles([one.ask_ms for one in seen]),
        },
    }


def _categories(seen: Sequence[Seen]) -> dict[str, dict[str, Any]]:
    return {name: _category(group) for name, group in {"all": seen, **_grouped(seen)}.items()}


def _grouped(seen: Sequence[Seen]) -> dict[str, list[Seen]]:
    groups: dict[str, list[Seen]] = {}
    for one in seen:
        groups.setdefault(one.question.category or "none", []).append(one)
    return dict(sorted(groups.items()))


def _category(group: Sequence[Seen]) -> dict[str, Any]:
    asked = [one for one in group if not one.question.unanswerable]
    hits = {one.question.id: hits_of(one.result) for one in asked}
    values = [has_values(one.question, hits[one.question.id], paged=False) for one in asked]
    strict = [has_values(one.question, hits[one.question.id], paged=True) for one in asked]
    lacking = [one for one in group if one.question.unanswerable]
    return {
        "count": len(group),
        "value in 5": _share(values),
        "page of those": _share([b for a, b in zip(values, strict, strict=True) if a]),
        "page in 5": _share([has_page(one.question, hits[one.question.id]) for one in asked]),
        "computed": _share([computes(one) for one in asked]),
        "cited page": _share([cites_page(one) for one in asked]),
        "refused rightly": _share([one.answer.abstained for one in lacking]),
        "refused wrongly": _share([one.answer.abstained for one in asked]),
    }


def _way(asked: Sequence[Seen], way: str) -> dict[str, Any]:
    return {
        "value and page in 5": _share(
            [has_values(one.question, one.orders[way], paged=True) for one in asked]
        ),
        "page in 5": _share([has_page(one.question, one.orders[way]) for one in asked]),
    }


def _share(values: Sequence[bool | None]) -> dict[str, Any] | None:
    known = [float(one) for one in values if one is not None]
    if not known:
        return None
    spread = interval(known)
    return {
        "right": int(sum(known)),
        "of": len(known),
        "share": round(spread.mean, 4),
        "low": round(spread.low, 4),
        "high": round(spread.high, 4),
    }


def _compared(asked: Sequence[Seen], used: str, others: Sequence[str]) -> list[dict[str, Any]]:
    """Fused against every other way, on the same questions, corrected for their number."""
    rules: dict[str, Callable[[Seen, str], bool | None]] = {
        "value and page in 5": lambda one, way: has_values(
            one.question, one.orders[way], paged=True
        ),
        "page in 5": lambda one, way: has_page(one.question, one.orders[way]),
    }
    found = []
    for measure, rule in rules.items():
        values = {
            way: {
                one.question.id: float(value)
                for one in asked
                if (value := rule(one, way)) is not None
            }
            for way in (used, *others)
        }
        pairs = [
            compare(values[used], values[way], names=(used, way), measure=measure) for way in others
        ]
        found += [
            {
                "measure": measure,
                "ours": one.ours,
                "theirs": one.theirs,
                "gain": round(one.gain.mean, 4),
                "p": round(one.p_corrected, 4),
            }
            for one in correct_for_number(pairs)
        ]
    return found


def _alpha(asked: Sequence[Seen]) -> dict[str, Any]:
    swept = [one for one in asked if one.sweep]
    ends = [same for one in swept for same in one.ends]
    return {
        "ends_are_the_sources": {"right": sum(ends), "of": len(ends)},
        **{
            method: {
                str(alpha): {
                    "value and page in 5": _share(
                        [has_values(o.question, o.sweep[method, alpha], paged=True) for o in swept]
                    ),
                    "page in 5": _share(
                        [has_page(o.question, o.sweep[method, alpha]) for o in swept]
                    ),
                    "first ten changed": sum(
                        _ids(o.sweep[method, alpha]) != _ids(o.sweep[method, 0.5]) for o in swept
                    ),
                }
                for alpha in ALPHAS
            }
            for method in METHODS
            if swept
        },
    }


def _ids(order: Order) -> list[str]:
    return [one.id for one in order]


# --- telling ----------------------------------------------------------------------------


def _print(report: Mapping[str, Any]) -> None:
    print(f"{report['questions']} questions\n")
    for one in report["left_out"]:
        print(f"a source did not answer: {one}")
    _table("", report["categories"])
    _table("every way", report["ways"])
    _table("page in the first five, by category", report["by_category"])
    for one in report["compared"]:
        print(
            f"{one['ours']} against {one['theirs']}, {one['measure']}: "
            f"{one['gain']:+.3f} (p {one['p']:.3f})"
        )
    for name in METHODS:
        if name in report["alpha"]:
            _table(f"\nalpha, {name}", report["alpha"][name])
    print(f"ends of alpha are the sources: {_cell(report['alpha']['ends_are_the_sources'])}")
    print("milliseconds:", json.dumps(report["latency_ms"]))


def _table(title: str, rows: Mapping[str, Mapping[str, Any]]) -> None:
    if title:
        print(title)
    columns = list(dict.fromkeys(name for row in rows.values() for name in row))
    widths = [max(len(name), 9) for name in columns]
    print(f"{'':<20}" + "  ".join(f"{n:>{w}}" for n, w in zip(columns, widths, strict=True)))
    for name, row in rows.items():
        cells = (f"{_cell(row.get(n)):>{w}}" for n, w in zip(columns, widths, strict=True))
        print(f"{name:<20}" + "  ".join(cells))
    print()


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return f"{value['right']}/{value['of']}"
    return "" if value is None else str(value)


def _print_failure(seen: Seen) -> None:
    """A question with what was expected and what stands there instead, if anything is wrong."""
    found = wrong(seen)
    if not found:
        return
    one = seen.question
    print(f"\n--- {one.category}: {one.text}\n    {', '.join(found)}")
    print(f"    intent {seen.result.trace.plan.intent}; abstained {seen.answer.abstained}")
    for group in group_facts(one.facts):
        pages = ", ".join(f"{fact.document} p{fact.page}" for fact in group[:3])
        print(f"    wants {group[0].value} {group[0].unit} {pages}")
    for outcome in seen.result.trace.outcomes:
        if outcome.source.endswith("/sql"):
            told = f"{outcome.status} {outcome.count} missing={outcome.missing}"
            print(f"    sql: {told} steps={outcome.steps}")
    for place, hit in enumerate(seen.result.hits[:TOP], start=1):
        passage = hit.passage
        where = f"{passage.document} p{passage.locator.page}"
        text = " ".join(passage.text.split())[:170]
        print(f"    {place} {passage.kind} {where} [{', '.join(sorted(hit.sources))}] {text}")
    print(f"    answer: {' '.join(seen.answer.text.split())[:260]}")


if __name__ == "__main__":
    main()
