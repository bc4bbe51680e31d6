r"""What is refused? Questions that nothing here answers should be, those with an answer should not.

    python benchmarks/refusals.py --json
    python benchmarks/refusals.py --collections ../shared/data --keep build/spaces --json

The sample of the pack `general`, built from nothing, is asked its judged questions, those of
other subjects that are built in (`measure/scoring/off_topic.py`), and those of `refusals.yaml`:
40 of other subjects, and 20 on lighthouses that the sample does not answer. Each public
collection is asked questions of its own, and questions of the others. For each embedder and
corpus: the share that is refused at the floor, how many questions were decided by the
chance that anything answers (the others by the best relevance), and how many of the refusals
suggest another question. `--rerank late` has `late` read the hits beside `fast` too.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from quality import build, judgements, lines, settings_of

from consilience.measure.controls import off_topic_questions
from consilience.measure.golden import read_golden
from consilience.measure.runs import patient_settings
from consilience.settings import build_settings
from consilience.workspace import Workspace, copy_sample, init_workspace, open_workspace

MORE = Path(__file__).with_name("refusals.yaml")
COLLECTIONS = (
    "ir_scifact",
    "ir_squad11_dev",
    "ir_cranfield",
    "ir_cisi",
    "ir_med",
    "ir_npl_vaswani",
    "ir_xquad",
)
# Questions of the one may well be answered in the other.
ALIKE = ({"ir_scifact", "ir_med"}, {"ir_squad11_dev", "ir_xquad"})
OWN, FOREIGN = 60, 12  # questions of a collection, and of each other


def asked(workspace: Workspace, texts: Iterable[str]) -> dict[str, float]:
    """The share of questions that get no answer, and how many of those suggest another question.

    `by_names` are refused although the search found something likely: they name what is nowhere.
    """
    found = [workspace.ask(text, model=False, length="concise") for text in texts]
    refused = [one for one in found if one.abstained]
    return {
        "questions": len(found),
        "refused": round(len(refused) / len(found), 4) if found else 0.0,
        "by_names": sum(not one.result.abstained for one in refused),
        "by_chance": sum(one.result.answerable is not None for one in found),
        "suggesting": sum(bool(one.suggestions) for one in refused),
    }


def sample(embed: str, rerank: Mapping[str, str]) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as place:
        home = init_workspace(Path(place) / "space")
        files = copy_sample(home, "general")
        golden, more = read_golden(home / "golden.yaml"), read_golden(MORE)
        settings = patient_settings(build_settings({"models.embed": embed, **rerank}))
        with open_workspace(home, settings=settings) as workspace:
            workspace.add([files])
            by_kind = {
                "answerable": [one.text for one in golden.questions if not one.unanswerable],
                "unanswerable": [one.text for one in golden.questions if one.unanswerable],
                "off_topic": [
                    *off_topic_questions(workspace.catalogue),
                    *(one.text for one in more.questions if one.category == "off-topic"),
                ],
                "near_topic": [one.text for one in more.questions if one.category == "near-topic"],
            }
            found = {kind: asked(workspace, texts) for kind, texts in by_kind.items()}
            told = {"embed": embed, "rerank": rerank["models.rerank"]}
            return {"corpus": "sample", **told, "floor": settings.refine.floor, **found}


def questions(folder: Path, count: int) -> list[str]:
    """Judged questions of a collection, spread over all of them."""
    texts = {one["_id"]: one["text"][:4000] for one in lines(folder / "queries.jsonl")}
    keys = sorted({one.query_id for one in judgements(folder, "test") if one.relevance > 0})
    return [texts[key] for key in keys[:: max(1, len(keys) // count)][:count]]


def collections(
    data: Path, embed: str, keep: Path, rerank: Mapping[str, str]
) -> Iterator[dict[str, object]]:
    folders = [data / name for name in COLLECTIONS if (data / name / "corpus.jsonl").exists()]
    settings = settings_of(embed, rerank)
    for folder in folders:
        home = keep / f"{folder.name}-{embed}"
        fresh = not home.exists()
        if fresh:
            init_workspace(home)
        with open_workspace(home, settings=settings) as workspace:
            if fresh:
                build(folder, workspace)
            others = [
                text
                for other in folders
                if other != folder and {other.name, folder.name} not in ALIKE
                for text in questions(other, FOREIGN)
            ]
            yield {
                "corpus": folder.name,
                "embed": embed,
                "rerank": rerank["models.rerank"],
                "floor": settings.refine.floor,
                "answerable": asked(workspace, questions(folder, OWN)),
                "off_topic": asked(workspace, others),
            }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embed", nargs="+", default=["fine", "fast"])
    parser.add_argument("--rerank", choices=["auto", "late"], default="auto")
    parser.add_argument("--collections", type=Path, help="folder of the public collections")
    parser.add_argument("--keep", type=Path, default=Path("build/spaces"))
    parser.add_argument("--json", action="store_true", help="JSON instead of words")
    options = parser.parse_args()
    tokens = {"auto": "auto", "late": "keep"}[options.rerank]
    rerank = {"models.rerank": options.rerank, "models.tokens": tokens}
    told: dict[str, dict[str, object]] = {}
    for embed in options.embed:
        found = [sample(embed, rerank)]
        if options.collections:
            options.keep.mkdir(parents=True, exist_ok=True)
            found += collections(options.collections, embed, options.keep, rerank)
        told[embed] = {str(one["corpus"]): one for one in found}
    if options.json:
        print(json.dumps(told, indent=2))
        return
    for embed, corpora in told.items():
        for name, one in corpora.items():
            kinds = [kind for kind in one if isinstance(one[kind], dict)]
            shares = ", ".join(f"{one[kind]['refused']:.1%} of {kind}" for kind in kinds)
            print(f"{name} ({embed}): refused {shares}")


if __name__ == "__main__":
    main()
