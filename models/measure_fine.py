"""How close is the shipped model to its original, and how good and fast is it?

    /tmp/build/bin/pip install sentence-transformers
    PYTHONPATH=src /tmp/build/bin/python models/measure_fine.py --chunks chunks.jsonl.gz \
        --scifact ir_scifact

Compares with the original in 32-bit floats (PyTorch) on 1,000 passages spread evenly over
`--chunks` (JSON lines with a `text`), measures dense-only nDCG@10 on the 300 test questions of
SciFact (title and text, cut to the limit by both), and the speed on the machine it runs on.
The findings go into card.json; no text is stored.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import platform
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from build_fine import TARGET, installed_model, write_json
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer

from consilience.models.onnx_embedder import Fine

Matrix = NDArray[np.float32]
Encode = Callable[[Sequence[str]], Matrix]
TEXTS = 1000
EVERY = 250  # of the chunks: more than are needed, for those over the limit
WORDS = 120


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the shipped model.")
    parser.add_argument("--chunks", type=Path, required=True)
    parser.add_argument("--scifact", type=Path, default=None, help="left out: only speed")
    arguments = parser.parse_args()
    shipped = Fine(TARGET)
    original = SentenceTransformer(str(installed_model()), device="cpu")
    original.max_seq_length = shipped.limit

    def encode_original(texts: Sequence[str]) -> Matrix:
        return np.asarray(original.encode(list(texts), normalize_embeddings=True))

    def encode_shipped(texts: Sequence[str]) -> Matrix:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return np.stack(list(pool.map(shipped.embed_query, texts)))

    texts = sample(arguments.chunks, shipped)
    card = json.loads((TARGET / "card.json").read_text(encoding="utf-8"))
    measured: dict[str, object] = card.get("measured", {})
    measured["speed"] = speed(shipped, encode_original, texts)
    if arguments.scifact:
        measured["agreement"] = agreement(shipped.embed(texts), encode_original(texts))
        measured["scifact_ndcg_10"] = {
            "original_float32": scifact(arguments.scifact, encode_original),
            "shipped_int8": scifact(arguments.scifact, encode_shipped),
        }
    write_json(TARGET / "card.json", card | {"measured": measured})
    print(json.dumps(measured, indent=2))


def sample(path: Path, shipped: Fine) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        texts = [
            json.loads(line)["text"] for number, line in enumerate(lines) if number % EVERY == 0
        ]
    short = [
        text
        for text, tokens in zip(texts, shipped.count(texts), strict=True)
        if tokens <= shipped.limit
    ]
    if len(short) < TEXTS:
        raise SystemExit(f"{path} gives {len(short)} texts within the limit, {TEXTS} are needed")
    return [short[place * len(short) // TEXTS] for place in range(TEXTS)]


def agreement(ours: Matrix, theirs: Matrix) -> dict[str, float]:
    """Cosine between the two vectors of each text."""
    cosines = np.sum(ours * theirs, axis=1)
    return {
        "texts": len(cosines),
        "mean": round(float(cosines.mean()), 4),
        "p1": round(float(np.quantile(cosines, 0.01)), 4),
        "min": round(float(cosines.min()), 4),
    }


def speed(shipped: Fine, original: Encode, texts: Sequence[str]) -> dict[str, object]:
    """Passages of about `WORDS` words per second, best of three, and a short question's time.

    The original runs in PyTorch, in 32 bits, on all cores, in batches of like length.
    """
    passages = [text for text in texts if WORDS - 10 <= len(text.split()) <= WORDS][:300]
    question = "How does light bend when it enters glass?"
    return {
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, shared with other work",
        "passages": len(passages),
        "mean_tokens": round(float(np.mean(shipped.count(passages)))),
        "passages_per_second": round(
            len(passages) / min(_seconds(lambda: shipped.embed(passages)) for _ in range(3))
        ),
        "original_float32_passages_per_second": round(
            len(passages) / min(_seconds(lambda: original(passages)) for _ in range(3))
        ),
        "question_ms": round(
            1000 * min(_seconds(lambda: shipped.embed_query(question)) for _ in range(20)), 1
        ),
    }


def scifact(folder: Path, encode: Encode) -> float:
    """Mean nDCG@10 of ranking all abstracts by the cosine to the claim."""
    documents = _lines(folder / "corpus.jsonl")
    relevant: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (folder / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        relevant[query][document] = int(grade)
    queries = [each for each in _lines(folder / "queries.jsonl") if each["_id"] in relevant]
    corpus = encode([f"{each['title']} {each['text']}" for each in documents])
    scores = encode([each["text"] for each in queries]) @ corpus.T
    ids = [each["_id"] for each in documents]
    values = [
        ndcg([ids[place] for place in np.argsort(-row, kind="stable")[:10]], relevant[query["_id"]])
        for query, row in zip(queries, scores, strict=True)
    ]
    return round(float(np.mean(values)), 4)


def ndcg(ranking: Sequence[str], grades: Mapping[str, int]) -> float:
    """Σ grade / log2(rank + 1) over the first ten, divided by the largest it can be."""
    gains = [grades.get(each, 0) for each in ranking]
    best = sorted(grades.values(), reverse=True)[:10]
    return _discounted(gains) / _discounted(best)


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _seconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def _lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    main()
