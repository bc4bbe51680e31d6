r"""Does the gold evidence of questions on real filings come first? Each source alone, and fused.

    python benchmarks/finance_real.py ../shared/data --keep ../finance --json       # to report
    python benchmarks/finance_real.py ../shared/data --keep ../finance --part choosing
    python benchmarks/finance_real.py ../shared/data --most 200                     # a quick look

TAT-QA and FinQA: every context is a page, all pages are one workspace, and every question is
asked of all of it. `found` counts questions of which a piece of the gold evidence (a row of the
gold table that holds the gold cell, prose that holds the gold sentence) is among the first 5 or
10 passages, `all` those of which every piece is, and `page` those of which the right page is.
TAT-QA's dev part and FinQA's train part are for choosing, the gold test part and FinQA's dev part
for reporting. Merged is compared with each other way on the same questions (paired, corrected).
A workspace that is kept is used again, and questions that were answered are not asked again;
after a change to how files are read, build it `--fresh`.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from finance_gold import Page, Question, distractors, finqa, met, tatqa

from consilience.evidence.catalogue import Catalogue
from consilience.measure.data_model import Question as Asking
from consilience.measure.runs import (
    MERGED,
    RUNS,
    AnswerCache,
    RunResults,
    answers_key,
    run_questions,
)
from consilience.measure.statistics import compare, correct_for_number, interval
from consilience.settings import build_settings
from consilience.types import Passage
from consilience.workspace import STORE, Workspace, init_workspace, open_workspace

PACK = "finance"
DEPTHS = (5, 10)
MEASURES = tuple(f"{name}@{depth}" for name in ("found", "all", "page") for depth in DEPTHS)
SEED = 7
PARTS = {
    "choosing": (("tatqa", "tatqa_dataset_dev"), ("finqa", "finqa_train_100")),
    "reporting": (("tatqa", "tatqa_dataset_test_gold"), ("finqa", "finqa_dev_200")),
}
READERS = {"tatqa": tatqa, "finqa": finqa}
Values = dict[str, dict[str, dict[str, float]]]  # by way, by measure, by question


def main() -> None:
    options = _options()
    if not (options.data / "finance_tatqa").exists():
        sys.exit(f"{options.data} has no finance_tatqa; these numbers need the public sets")
    with tempfile.TemporaryDirectory() as place:
        result = measured(options.keep or Path(place), options)
    print(json.dumps(result, indent=2, ensure_ascii=False) if options.json else table(result))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--part", choices=tuple(PARTS), default="reporting")
    parser.add_argument("--set", choices=tuple(READERS), default=None, help="one set only")
    parser.add_argument("--most", type=int, default=0, help="ask so many, drawn by a seed")
    parser.add_argument("--convfinqa", action="store_true", help="add its pages as distractors")
    parser.add_argument("--tier", choices=("fine", "fast"), default="fine")
    parser.add_argument("--settings", nargs="*", default=[], help="like fusion.alpha=0.4")
    parser.add_argument("--keep", type=Path, help="keep the workspace here, and use it again")
    parser.add_argument("--fresh", action="store_true", help="build a kept workspace anew")
    parser.add_argument("--misses", type=int, default=0, help="list so many that merged misses")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


# --- the workspace ----------------------------------------------------------------------


def measured(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Build or open the workspace, ask, judge and compare."""
    pages, questions = read_sets(options)
    files = write_pages(folder / "pages", pages)
    home = folder / f"space-{options.tier}"
    if options.fresh and home.exists():
        shutil.rmtree(home)
    if not (home / STORE).exists():
        init_workspace(home, pack=PACK)
    chosen = dict(pair.split("=", 1) for pair in options.settings)
    settings = build_settings({"pack": PACK, "models.embed": options.tier, **chosen})
    with open_workspace(home, settings=settings) as workspace:
        workspace.add([files])
        asked = ask(questions, workspace)
        values, places = judge(questions, asked, workspace.catalogue)
        counts = workspace.catalogue.counts()
    result = {
        "part": options.part,
        "pages": len(pages),
        "passages": counts,
        "questions": len(questions),
        "ways": {way: means(found, questions) for way, found in values.items()},
        "types": by_type(values, questions),
        "merged against": against(values),
        "failed": len(asked.failed),
        "failures": list(asked.missed[:5]),
    }
    if options.misses:
        result["misses"] = misses(values, questions, places)[: options.misses]
    return result


def read_sets(options: argparse.Namespace) -> tuple[list[Page], list[Question]]:
    """All pages of both parts, and the questions of the part that is asked."""
    pages: dict[str, Page] = {}
    questions: list[Question] = []
    for part, sets in PARTS.items():
        for name, file in sets:
            path = options.data / f"finance_{name}" / f"{file}.json"
            found, asked = READERS[name](path, name)
            pages.update((one.name, one) for one in found)
            if part == options.part and options.set in (None, name):
                questions += asked
    if options.convfinqa:
        path = options.data / "finance_convfinqa_test" / "test.json"
        pages = {**{one.name: one for one in distractors(path)}, **pages}
    if options.most:
        questions = random.Random(SEED).sample(questions, min(options.most, len(questions)))
    return list(pages.values()), questions


def write_pages(folder: Path, pages: Sequence[Page]) -> Path:
    """The pages as files; one that is there already, and the same, is left alone."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in pages:
        path, text = folder / page.name, page.markup()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    return folder


def ask(questions: Sequence[Question], workspace: Workspace) -> RunResults:
    """What every source and the fused search answer; answers are kept with the workspace."""
    asking = [Asking(id=one.id, text=one.text, category=one.type) for one in questions]
    digest = sha256("\n".join(sorted(one.text for one in questions)).encode()).hexdigest()
    path = workspace.folder / STORE / RUNS / f"{answers_key(workspace, digest[:16])}.jsonl"
    return run_questions(asking, workspace, cache=AnswerCache(path))


# --- judging ----------------------------------------------------------------------------


def judge(
    questions: Sequence[Question], asked: RunResults, catalogue: Catalogue
) -> tuple[Values, dict[str, list[str]]]:
    """Every measure of every question by every way, and what merged put first."""
    values: Values = {way: {name: {} for name in MEASURES} for way in asked.runs}
    first: dict[str, list[str]] = {}
    for question in questions:
        for way, run in asked.runs.items():
            keys = run.answers[question.id].passages[: max(DEPTHS)]
            passages = catalogue.get(list(keys))
            ranked = [passages[key] for key in keys if key in passages]
            for name, value in scores(ranked, question, catalogue).items():
                values[way][name][question.id] = value
            if way == MERGED:
                first[question.id] = [
                    f"{Path(one.document).name}: {one.text[:80]}" for one in ranked[:3]
                ]
    return values, first


def scores(ranked: Sequence[Passage], question: Question, catalogue: Catalogue) -> dict[str, float]:
    """What the first passages hold of the evidence of a question."""
    held = [set().union(*(met(one, question) for one in behind(hit, catalogue))) for hit in ranked]
    right = [
        any(Path(one.document).name == question.document for one in behind(hit, catalogue))
        for hit in ranked
    ]
    found = {}
    for depth in DEPTHS:
        pieces: set[int] = set().union(*held[:depth])
        found[f"found@{depth}"] = float(bool(pieces))
        found[f"all@{depth}"] = float(len(pieces) == len(question.pieces))
        found[f"page@{depth}"] = float(any(right[:depth]))
    return found


def behind(passage: Passage, catalogue: Catalogue) -> list[Passage]:
    """What a passage stands for: a calculation for the rows that its numbers come from."""
    operands = passage.metadata.get("operands")
    if not operands:
        return [passage]
    keys = [one["passage"] for one in json.loads(str(operands))]
    return list(catalogue.get(keys).values())


# --- summing up -------------------------------------------------------------------------


def means(
    found: Mapping[str, Mapping[str, float]], questions: Sequence[Question]
) -> dict[str, Any]:
    """The mean of each measure over all questions, with its interval, and by set."""
    groups = sorted({one.group for one in questions})
    result: dict[str, Any] = {}
    for name in MEASURES:
        mean = interval(list(found[name].values()))
        result[name] = {
            "mean": round(mean.mean, 4),
            "low": round(mean.low, 4),
            "high": round(mean.high, 4),
        }
        for group in groups if len(groups) > 1 else ():
            keys = [one.id for one in questions if one.group == group]
            result[name][group] = round(sum(found[name][key] for key in keys) / len(keys), 4)
    return result


def by_type(values: Values, questions: Sequence[Question]) -> dict[str, Any]:
    """How many questions of each type find a piece of their evidence, by way."""
    types: dict[str, list[str]] = {}
    for one in questions:
        types.setdefault(f"{one.group}: {one.type}", []).append(one.id)
    return {
        kind: {
            "questions": len(keys),
            **{
                way: {
                    name: round(sum(found[name][key] for key in keys) / len(keys), 4)
                    for name in MEASURES
                    if name.startswith("found")
                }
                for way, found in values.items()
            },
        }
        for kind, keys in sorted(types.items())
    }


def against(values: Values) -> list[dict[str, Any]]:
    """What merged gains on every other way, on the same questions."""
    others = [way for way in values if way != MERGED]
    found = [
        compare(values[MERGED][name], values[way][name], names=(MERGED, way), measure=name)
        for name in MEASURES
        if name.startswith("found")
        for way in others
    ]
    return [
        {
            "measure": one.measure,
            "way": one.theirs,
            "gain": round(one.gain.mean, 4),
            "low": round(one.gain.low, 4),
            "high": round(one.gain.high, 4),
            "p": round(one.p_corrected, 5),
        }
        for one in correct_for_number(found)
    ]


def misses(
    values: Values, questions: Sequence[Question], first: Mapping[str, list[str]]
) -> list[dict[str, Any]]:
    """Questions of which merged has no evidence among the first, with what it has instead."""
    lost = [one for one in questions if not values[MERGED][MEASURES[0]][one.id]]
    random.Random(SEED).shuffle(lost)
    return [
        {
            "text": one.text,
            "type": one.type,
            "document": one.document,
            "page": bool(values[MERGED]["page@5"][one.id]),
            "pieces": [str(piece)[:200] for piece in one.pieces],
            "first": first[one.id],
        }
        for one in lost
    ]


def table(result: Mapping[str, Any]) -> str:
    """The means for a terminal."""
    lines = [f"{result['questions']} questions on {result['pages']} pages ({result['part']})"]
    if result["failed"]:
        lines.append(f"in {result['failed']} of them a source failed: {result['failures'][0]}")
    lines.append(f"{'':28}" + "".join(f"{name:>10}" for name in MEASURES))
    for way, found in result["ways"].items():
        lines.append(f"{way:28}" + "".join(f"{found[name]['mean']:10.3f}" for name in MEASURES))
    lines += ["", *(str(one) for one in result["merged against"])]
    for kind, found in result["types"].items():
        ways = {way: one for way, one in found.items() if way != "questions"}
        told = "  ".join(
            f"{way} {one['found@5']:.2f}/{one['found@10']:.2f}" for way, one in ways.items()
        )
        lines.append(f"{kind} ({found['questions']}): {told}")
    if "misses" in result:
        lines += ["", json.dumps(result["misses"], indent=1, ensure_ascii=False)]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
