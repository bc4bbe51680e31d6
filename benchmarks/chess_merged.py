r"""Do books and games find more together than apart? On questions kept out, and on real books.

    python benchmarks/chess_merged.py --json               # the sample, held out
    python benchmarks/chess_merged.py --part tuning --json  # the half to tune on
    python benchmarks/chess_merged.py --answers --json      # answers in writing too
    python benchmarks/chess_merged.py --data ../shared/data --json  # real books and games
    python benchmarks/chess_merged.py --routing benchmarks/chess_routing.yaml --json

Merged is compared with the books alone and the games alone, by nDCG@10 and by MRR@10, overall and
in each category; the guard-rails are counted, and the router is held against the categories.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from consilience import plugins
from consilience.measure.data_model import Golden
from consilience.measure.evaluation import Evaluation, EvaluationOptions, evaluate
from consilience.measure.golden import read_golden
from consilience.pack import Pack, Reading
from consilience.settings import build_settings
from consilience.workspace import Workspace, init_workspace, open_workspace

HERE = Path(__file__).parent
REAL = HERE / "chess_real.yaml"
NAMES = ("nDCG@10", "MRR@10", "Hit@5", "R@20")
COVER = {"opening": "game", "concept": "book"}
FIRST = 10
WORST = 20


def main() -> None:
    options = _options()
    if options.routing:
        result = routed(read_routing(options.routing))
    else:
        with tempfile.TemporaryDirectory() as place:
            result = measured(Path(place) / "space", options)
    print(json.dumps(result, indent=2, ensure_ascii=False) if options.json else result)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=("held-out", "tuning"), default="held-out")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--tier", choices=("fine", "fast"), default="fine")
    parser.add_argument("--keep", type=Path, help="keep the workspace here, and use it again")
    parser.add_argument("--answers", action="store_true")
    parser.add_argument("--worst", action="store_true", help="list the twenty worst questions")
    parser.add_argument("--routing", type=Path)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def measured(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Build a workspace, and evaluate every way of asking it."""
    folder = options.keep or folder
    settings = build_settings({"pack": "chess", "models.embed": options.tier})
    if not folder.exists():
        init_workspace(folder, pack="chess")
    pack: Pack = plugins.load("packs", "chess")
    with open_workspace(folder, settings=settings) as workspace:
        workspace.add(_files(pack, options.data))
        golden = read_golden(_golden(pack, options))
        found = evaluate(
            workspace, golden, options=EvaluationOptions(names=NAMES, answers=options.answers)
        )
        by_rank = EvaluationOptions(names=("MRR@10", "nDCG@10"))
        ranks = evaluate(workspace, golden, options=by_rank)
        result = {
            "questions": len(found.resolved.grades),
            "passages": workspace.catalogue.counts(),
            "ways": _ways(found),
            "gains": {**_gains(found), **_gains(ranks)},
            "categories": _categories(found),
            "guard_rails": guard_rails(found, workspace),
            "refusals": found.as_json()["ways"]["merged"]["refusals"],
            "latency_ms": found.as_json()["ways"]["merged"]["latency_ms"],
            "red": [one.name for one in found.controls if not one.passed],
            "router": routed([(one.text, one.category) for one in _routed(golden)]),
        }
        if options.answers:
            result["answers"] = found.as_json()["answers"]
        if options.worst:
            result["worst"] = worst(found)
    return result


def _files(pack: Pack, data: Path | None) -> list[Path]:
    if data is None:
        assert pack.sample is not None
        return [pack.sample.folder]
    # The pages of the wikibook are there three times; as games they have their lines.
    pages = data / "chess_wikibooks_openings" / "pgn"
    return [data / "chess_books", pages, *sorted(data.glob("chess_pgn_*"))]


def _golden(pack: Pack, options: argparse.Namespace) -> Path:
    if options.data is not None:
        return REAL
    assert pack.sample.golden is not None
    return (
        pack.sample.golden
        if options.part == "held-out"
        else pack.sample.golden.with_stem("golden-tuning")
    )


def _ways(found: Evaluation) -> dict[str, dict[str, float]]:
    return {
        way: {name: round(one.means[name]["strict"].mean, 4) for name in NAMES}
        for way, one in found.ways.items()
        if way in ("merged", "books", "games") or one.kind == "source"
    }


def _gains(found: Evaluation) -> dict[str, dict[str, float]]:
    """What merged gains on the books and on the games, by the first measure."""
    return {
        f"{found.primary} over {one.theirs}": {
            "gain": round(one.gain.mean, 4),
            "low": round(one.gain.low, 4),
            "high": round(one.gain.high, 4),
            "p": round(one.p, 5),
        }
        for one in found.comparisons
        if one.theirs in ("books", "games")
    }


def _categories(found: Evaluation) -> dict[str, dict[str, dict[str, float]]]:
    ways = found.as_json()["ways"]
    return {
        category: {
            way: {name: ways[way]["categories"][category][name] for name in NAMES}
            for way in ("books", "games", "merged")
        }
        for category in ways["merged"]["categories"]
    }


def guard_rails(found: Evaluation, workspace: Workspace) -> dict[str, float]:
    """For how many questions of a category the first ten hold the kind it calls for."""
    shares = {}
    for category, kind in COVER.items():
        asked = [one for one in found.resolved.golden.questions if one.category == category]
        met = 0
        for question in asked:
            first = found.runs["merged"].answers[question.id].passages[:FIRST]
            kinds = {one.kind for one in workspace.catalogue.get(list(first)).values()}
            met += kind in kinds
        shares[f"a {kind} for {category}"] = round(met / max(1, len(asked)), 4)
    return shares


def worst(found: Evaluation) -> list[dict[str, Any]]:
    """The questions on which merged does worst, with what it put first."""
    scores = found.ways["merged"].strict["nDCG@10"]
    texts = {one.id: one for one in found.resolved.golden.questions}
    ordered = sorted(scores, key=lambda key: (scores[key], key))[:WORST]
    return [
        {"id": key, "text": texts[key].text, "nDCG@10": round(scores[key], 3)} for key in ordered
    ]


# --- the router -------------------------------------------------------------------------


def _routed(golden: Golden) -> list[Any]:
    return [one for one in golden.questions if one.category in ("opening", "concept", "mixed")]


def read_routing(path: Path) -> list[tuple[str, str]]:
    """Questions with the intent that a person gave them."""
    listed = yaml.safe_load(path.read_text(encoding="utf-8"))["questions"]
    return [(one["text"], one["intent"]) for one in listed]


def routed(labelled: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """How many questions the router reads as a person did, and which it does not."""
    pack: Pack = plugins.load("packs", "chess")
    wrong = []
    for text, intent in labelled:
        rule = pack.questions.route(Reading(text=text))
        if rule is None or rule.intent != intent:
            wrong.append({"text": text, "wanted": intent, "found": rule.intent if rule else None})
    return {
        "questions": len(labelled),
        "right": round(1 - len(wrong) / max(1, len(labelled)), 4),
        "wrong": wrong,
    }


if __name__ == "__main__":
    main()
