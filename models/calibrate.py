r"""How likely is a hit relevant, by what it carries? Learns the shipped calibrations.

    PYTHONPATH=benchmarks python models/calibrate.py ../shared/data --keep build/spaces

Learned on eight collections: some have one answer to a question, some have dozens. Each is asked
questions of its own, to which some passages are judged relevant, and questions of the others, to
which nothing in it is. Reported for each collection by what was learned on the others, without its
sisters (SQuAD and XQuAD share their texts). `taken away` are own questions whose relevant hits were
removed: nothing left answers them, though all of it is on the topic.

The part `answerable` says whether anything answers a question at all, where `late` read the hits:
always beside `fine`, and beside `fast` where it is asked for, with kept token vectors. Its
threshold is where a share of the foreign questions is refused: the smallest of `LEVELS` with
which 95 % are refused, as a mean over collections that neither the part nor its threshold were
learned on. The base is moved so that `refine.floor` is that threshold: one floor serves both rules.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from quality import build, chosen_on, judgements, lines, settings_of

from consilience.engine import Engine, find_exact_matches, search
from consilience.engine.relevance import (
    FIRST,
    SHIPPED,
    Answerable,
    Best,
    Calibration,
    abstains,
    best_of,
    signs_of,
)
from consilience.measure.calibration import (
    Sample,
    ScoredSample,
    fit_calibration,
    fit_logistic,
    measure_quality,
    refused_shares,
    sample_weights,
    score_samples,
)
from consilience.settings import Settings
from consilience.types import Hit, Query
from consilience.workspace import init_workspace, open_workspace

COLLECTIONS = (
    "ir_scifact",
    "ir_squad11_dev",
    "finance_tatqa",
    "ir_cranfield",
    "ir_cisi",
    "ir_med",
    "ir_npl_vaswani",
    "ir_xquad",
)
SISTERS = {"ir_squad11_dev", "ir_xquad"}
# Questions of the one may well be answered in the other.
ALIKE = ({"ir_scifact", "ir_med"}, {"ir_squad11_dev", "ir_xquad"})
OWN, FOREIGN = 250, 40
FLOORS = (0.1, 0.15, 0.2)
FLOOR = Settings().refine.floor
REFUSED = 0.95
"""The share of foreign questions that should be refused at the floor."""
LEVELS = (0.95, 0.955, 0.96, 0.965, 0.97, 0.975, 0.98)
Questions = list[tuple[str, str, frozenset[str]]]
Samples = dict[str, list[Sample]]


def as_collection(folder: Path, into: Path) -> Path:
    """TAT-QA in the layout of the others: a report's table and paragraphs are one document."""
    if not (folder / "tatqa_dataset_dev.json").exists():
        return folder
    (into / "qrels").mkdir(parents=True, exist_ok=True)
    corpus, queries, rows = [], [], ["query-id\tcorpus-id\tscore"]
    for part in ("dev", "test_gold"):
        text = (folder / f"tatqa_dataset_{part}.json").read_text(encoding="utf-8")
        for one in json.loads(text):
            key = one["table"]["uid"]
            paragraphs = sorted(one["paragraphs"], key=lambda each: each["order"])
            table = [" | ".join(filter(None, row)) for row in one["table"]["table"]]
            body = "\n".join([*(each["text"] for each in paragraphs), *table])
            corpus.append({"_id": key, "title": "", "text": body})
            for asked in one["questions"]:
                queries.append({"_id": asked["uid"], "text": asked["question"]})
                rows.append(f"{asked['uid']}\t{key}\t1")
    for name, found in (("corpus", corpus), ("queries", queries)):
        told = "".join(json.dumps(one) + "\n" for one in found)
        (into / f"{name}.jsonl").write_text(told, encoding="utf-8")
    (into / "qrels" / "test.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return into


def questions_of(folder: Path, squad: Path) -> Questions:
    """The judged questions by chance; of SQuAD the development split, of XQuAD the others."""
    part = "train" if folder.name == "ir_scifact" else "test"
    relevant: dict[str, set[str]] = {}
    for one in judgements(folder, part):
        if one.relevance > 0:
            relevant.setdefault(one.query_id, set()).add(one.doc_id)
    texts = {one["_id"]: one["text"][:4000] for one in lines(folder / "queries.jsonl")}
    keys = sorted(relevant)
    if folder.name == "ir_xquad":
        seen = chosen_on(squad)
        keys = [key for key in keys if texts[key] not in seen]
    random.Random(7).shuffle(keys)  # as in dev.py
    keys = keys[:1500]
    return [(key, texts[key], frozenset(relevant[key])) for key in keys]


def samples_of(
    hits: Sequence[Hit], asked: tuple[str, str, frozenset[str]], kind: str, letter, reranker: str
):
    signs = signs_of(hits, asked[1], letter)
    best = best_of(hits, asked[1], reranker)
    return [
        Sample(
            question=f"{kind} {asked[0]}",
            signs=one,
            relevant=hit.passage.document in asked[2],
            answerable=kind == "own",
            best=best,
        )
        for hit, one in zip(hits, signs, strict=True)
    ]


def ask(asked: tuple[str, str, frozenset[str]], engine: Engine, *, own: bool) -> Iterator:
    """The kinds of samples that a question gives."""
    result = asyncio.run(search(Query(text=asked[1], limit=FIRST), engine))
    letter = find_exact_matches(result.hits, result.trace.plan, engine.knowledge.pack)
    name = engine.reranker.name if engine.reranker else ""
    if not own:
        nothing = (*asked[:2], frozenset())
        yield "foreign", samples_of(result.hits, nothing, "foreign", letter, name)
        return
    yield "own", samples_of(result.hits, asked, "own", letter, name)
    left = [hit for hit in result.hits if hit.passage.document not in asked[2]]
    if left:
        yield "taken away", samples_of(left, asked, "taken away", letter, name)


def gather(
    name: str, folders: dict[str, Path], embed: str, keep: Path, rerank: str = "auto"
) -> Samples:
    """What the questions of all collections give when asked of this one."""
    home = keep / f"{name}-{embed}"
    if not home.exists():
        init_workspace(home)
        with open_workspace(home, settings=settings_of(embed, {})) as workspace:
            build(folders[name], workspace)
    samples: Samples = {}
    settings = settings_of(embed, {"models.rerank": rerank})
    with open_workspace(home, settings=settings) as workspace:
        for other, folder in folders.items():
            own = other == name
            if not own and {other, name} in ALIKE:
                continue
            asked = questions_of(folder, folders["ir_squad11_dev"])[: OWN if own else FOREIGN]
            for one in asked:
                for kind, found in ask(one, workspace.engine, own=own):
                    samples.setdefault(kind, []).extend(
                        replace(each, question=f"{name} {each.question}") for each in found
                    )
        samples["model"] = workspace.embedder.name
        samples["reranker"] = workspace.reranker.name if workspace.reranker else ""
    return samples


def without(name: str) -> list[str]:
    """The collections that share no text with this one."""
    left_out = SISTERS if name in SISTERS else {name}
    return [one for one in COLLECTIONS if one not in left_out]


def learned_from(names: Sequence[str], samples: dict[str, Samples]) -> Calibration:
    """About as many questions of each collection, and as many foreign ones as own ones."""
    picked: list[Sample] = []
    for name in names:
        for kind in ("own", "foreign"):
            picked.extend(samples[name][kind])
    return fit_calibration(picked, model=samples[names[0]]["model"])


def part_from(names: Sequence[str], samples: dict[str, Samples], share: float) -> Answerable:
    """What tells whether anything answers, its base moved so that the floor refuses a share."""
    chances: list[list[float]] = []
    for name in names:
        others = [one for one in names if one in without(name)]
        calibration, unseen = learned_from(others, samples), bare_part(others, samples)
        found = score_samples(samples[name]["foreign"], calibration)
        chances.append(sorted(chances_of(found, unseen)))
    part = bare_part(names, samples)
    limit = log_odds(level(chances, share))
    return replace(part, base=round(part.base + log_odds(FLOOR) - limit, 4))


def level(groups: Sequence[Sequence[float]], share: float) -> float:
    """The chance up to which so many questions have less, as a mean over groups in order."""
    return next(
        one
        for one in sorted(value for group in groups for value in group)
        if fmean(bisect_right(group, one) / len(group) for group in groups) >= share
    )


def bare_part(names: Sequence[str], samples: dict[str, Samples]) -> Answerable:
    picked = [one for name in names for kind in ("own", "foreign") for one in samples[name][kind]]
    return fit_answerable(picked, reranker=samples[names[0]]["reranker"])


def fit_answerable(samples: Sequence[Sample], *, reranker: str) -> Answerable:
    """The part of a calibration that makes it most likely which questions have an answer."""
    by_question = {sample.question: sample for sample in samples}
    known = [sample for sample in by_question.values() if sample.best is not None]
    names = Best._fields
    base, *weights = fit_logistic(
        [[1.0, *(sample.best or ())] for sample in known],
        [sample.answerable for sample in known],
        sample_weights(known),
        centre=[0.0] * (len(names) + 1),
        pull=1e-4,
        bounds=[(None, None), *[(0.0, None)] * len(names)],
    )
    named = {name: max(0.0, value) for name, value in zip(names, weights, strict=True)}
    return Answerable(reranker=reranker, base=base, weights=named)


def chances_of(found: Sequence[ScoredSample], part: Answerable) -> list[float]:
    """The chance that each question has an answer; 1 where an exact hit is never refused."""
    hits: dict[str, list[ScoredSample]] = {}
    for one, value in found:
        hits.setdefault(one.question, []).append((one, value))
    return [
        part.chance(group[0][0].best)
        if abstains([one.signs for one, _ in group], [value for _, value in group], FLOOR, 0.0)
        else 1.0
        for group in hits.values()
    ]


def log_odds(chance: float) -> float:
    return math.log(chance / (1 - chance))


def chosen_share(samples: dict[str, Samples]) -> tuple[float, dict[str, dict[str, float]]]:
    """The smallest share whose threshold refuses enough where it is not learned, with reports."""
    for share in LEVELS:
        told = {name: report_part(name, samples, share) for name in COLLECTIONS}
        if fmean(one["foreign refused by answerable"] for one in told.values()) >= REFUSED:
            return share, told
    raise SystemExit(f"no share of {LEVELS} refuses {REFUSED:.0%} of the foreign questions")


def report_part(name: str, samples: dict[str, Samples], share: float) -> dict[str, float]:
    """What is refused by both rules, learned without this collection."""
    others = without(name)
    calibration, part = learned_from(others, samples), part_from(others, samples, share)
    told = {}
    for rule, used in (("best relevance", None), ("answerable", part)):
        for kind in ("foreign", "own", "taken away"):
            found = refused_shares(score_samples(samples[name][kind], calibration), FLOOR, used)
            share = found["answerable"] if kind == "own" else found["unanswerable"]
            told[f"{kind} refused by {rule}"] = round(share or 0, 3)
    return told


def report(calibration: Calibration, samples: Samples) -> dict[str, float]:
    both = score_samples([*samples["own"], *samples["foreign"]], calibration)
    gone = score_samples(samples["taken away"], calibration)
    whole = measure_quality(both, FLOORS[0])
    told = {"brier": round(whole.brier, 3), "calibration_error": round(whole.error, 3)}
    for floor in FLOORS:
        found, left = measure_quality(both, floor).refusals, measure_quality(gone, floor).refusals
        told |= {
            f"foreign refused at {floor:.0%}": round(found["unanswerable"] or 0, 3),
            f"own refused at {floor:.0%}": round(found["answerable"] or 0, 3),
            f"taken away refused at {floor:.0%}": round(left["unanswerable"] or 0, 3),
        }
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--keep", type=Path, default=Path("build/spaces"))
    parser.add_argument("--embed", nargs="+", default=["fine", "fast"])
    parser.add_argument("--write", action="store_true", help="write the shipped file")
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    folders = {
        name: as_collection(options.data / name, options.keep / name) for name in COLLECTIONS
    }
    made, told = [], {}
    for embed in options.embed:
        samples = {name: gather(name, folders, embed, options.keep) for name in folders}
        found = learned_from(COLLECTIONS, samples)
        asked = sum(
            len(samples[name]["own"]) + len(samples[name]["foreign"]) for name in COLLECTIONS
        )
        origin = f"{', '.join(COLLECTIONS)}, each with questions of the others"
        read = samples
        if not samples[COLLECTIONS[0]]["reranker"]:
            read = {name: gather(name, folders, embed, options.keep, "late") for name in folders}
        share, refusals = chosen_share(read)
        part = part_from(COLLECTIONS, read, share)
        made.append(replace(found, origin=origin, questions=asked // FIRST, answerable=part))
        told[embed] = {
            name: report(learned_from(without(name), samples), samples[name]) | refusals[name]
            for name in COLLECTIONS
        }
    print(json.dumps({"calibrations": [one.as_json() for one in made], "report": told}, indent=2))
    if options.write:
        text = json.dumps([one.as_json() for one in made], indent=2) + "\n"
        SHIPPED.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
