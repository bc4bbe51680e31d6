"""Is one choice better than another? Measured on a development split, never on what is reported.

The split: the 809 training questions of SciFact, and 1,500 questions of SQuAD 1.1 chosen by seed
7. XQuAD's questions are among SQuAD's: those of the split are left out of what is reported, by
`benchmarks/quality.py --without`. The classic collections (Cranfield, CISI, MED, NPL) and SciFact's
test questions are not looked at when choosing.

    python models/dev.py --data ../shared/data --out build/train

writes dev.json.xz: the texts, the questions with their judgements, and for each question the
first 200 of BM25 as this package computes it.
"""

from __future__ import annotations

import argparse
import csv
import json
import lzma
import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SPLIT = (("ir_scifact", "train", 809), ("ir_squad11_dev", "test", 1500))
DEPTH, SEED = 200, 7


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the grades of its documents by place, and BM25's first."""

    text: str
    grades: Mapping[int, int]
    words: Sequence[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Collection:
    """The texts of a collection and the questions asked of it."""

    name: str
    texts: list[str]
    questions: list[Question]


def read(path: Path) -> list[Collection]:
    with lzma.open(path, "rt", encoding="utf-8") as stream:
        found = json.load(stream)
    return [
        Collection(
            name,
            one["corpus"],
            [
                Question(q["text"], {int(at): g for at, g in q["rel"].items()}, q["bm25"])
                for q in one["queries"]
            ],
        )
        for name, one in found.items()
    ]


def ndcg(order: Sequence[int], grades: Mapping[int, int], *, depth: int = 10) -> float:
    """NDCG with the grade as gain, as trec_eval computes it."""
    gains = [grades.get(at, 0) / np.log2(place + 2) for place, at in enumerate(order[:depth])]
    best = sorted(grades.values(), reverse=True)[:depth]
    ideal = sum(grade / np.log2(place + 2) for place, grade in enumerate(best))
    return float(sum(gains) / ideal) if ideal else 0.0


def convex(
    question: Question, cosines: np.ndarray, *, alpha: float, depth: int = 100
) -> tuple[np.ndarray, np.ndarray]:
    """The union of both first `depth` with completed scores, best first: places and scores.

    A document that BM25 did not find among its first 200 counts as 0 there.
    """
    words = dict(question.words)
    near = np.argpartition(-cosines, min(depth, len(cosines) - 1))[:depth]
    union = np.array(sorted({*near.tolist(), *[at for at, _ in question.words[:depth]]}))
    dense = scaled(cosines[union])
    sparse = scaled(np.array([words.get(int(at), 0.0) for at in union]))
    scores = alpha * dense + (1 - alpha) * sparse
    order = np.argsort(-scores, kind="stable")
    return union[order], scores[order]


def blended(scores: np.ndarray, opinion: np.ndarray, *, blend: float) -> np.ndarray:
    """The order after blending a reranker's opinion of the first into the fused scores."""
    mixed = (1 - blend) * standard(scores) + blend * standard(opinion)
    return np.argsort(-mixed, kind="stable")


def standard(values: np.ndarray) -> np.ndarray:
    """How many deviations each value lies above the mean."""
    return (values - values.mean()) / (values.std() or 1.0)


def scaled(values: np.ndarray) -> np.ndarray:
    low, high = values.min(), values.max()
    return (values - low) / (high - low) if high > low else np.ones_like(values)


def build(data: Path, name: str, split: str, number: int) -> dict[str, object]:
    folder = data / name
    corpus = [json.loads(line) for line in (folder / "corpus.jsonl").open(encoding="utf-8")]
    places = {one["_id"]: at for at, one in enumerate(corpus)}
    grades: dict[str, dict[int, int]] = {}
    with (folder / "qrels" / f"{split}.tsv").open(encoding="utf-8") as stream:
        for query, document, grade in list(csv.reader(stream, delimiter="\t"))[1:]:
            if int(grade) > 0 and document in places:
                grades.setdefault(query, {})[places[document]] = int(grade)
    asked = sorted(grades)
    random.Random(SEED).shuffle(asked)
    texts = {
        one["_id"]: one["text"]
        for one in map(json.loads, (folder / "queries.jsonl").open(encoding="utf-8"))
    }
    questions = {key: texts[key] for key in asked[:number]}
    found = by_words(corpus, questions)
    return {
        "corpus": [f"{one.get('title') or ''}\n{one['text'] or ''}".strip() for one in corpus],
        "queries": [
            {"text": text, "rel": grades[key], "bm25": found[key]}
            for key, text in questions.items()
        ],
    }


def by_words(
    corpus: Sequence[Mapping[str, str]], questions: Mapping[str, str]
) -> dict[str, list[tuple[int, float]]]:
    """BM25's first 200 for each question, as the passage store ranks them."""
    from consilience.stores.passage_sources import SPARSE  # noqa: PLC0415
    from consilience.stores.qdrant_edge import EdgeStore  # noqa: PLC0415
    from consilience.stores.word_vectors import token_counts  # noqa: PLC0415
    from consilience.types import Locator, Passage, passage_id  # noqa: PLC0415

    passages = []
    for at, one in enumerate(corpus):
        title, text, where = one.get("title") or "", one["text"] or " ", Locator(row=at)
        key = passage_id("dev", "text", title, where, text)
        passages.append(
            Passage(
                id=key,
                collection="dev",
                document="",
                kind="text",
                title=title,
                text=text,
                locator=where,
            )
        )
    places = {passage.id: at for at, passage in enumerate(passages)}
    counts = token_counts([one.indexed for one in passages], language="english")
    with tempfile.TemporaryDirectory() as folder:
        store = EdgeStore(
            Path(folder) / "store",
            4,
            language="english",
            average_length=float(np.mean(counts)),
            exact=10**6,
        )
        store.write(passages, np.ones((len(passages), 4), dtype=np.float32))
        found = {
            key: [
                (places[one.id], round(one.score, 4))
                for one in store.search(
                    store.words(text, ()), SPARSE, only=None, limit=DEPTH, exact=True
                )
                if one.score > 0
            ]
            for key, text in questions.items()
        }
        store.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the development split.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("build/train"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    found = {name: build(options.data, name, split, number) for name, split, number in SPLIT}
    with lzma.open(options.out / "dev.json.xz", "wt", encoding="utf-8", preset=4) as stream:
        json.dump(found, stream)


if __name__ == "__main__":
    main()
