"""How long does reranking 40 passages take? With kept token vectors, and read at the question.

Passages of 120 generated words, different ones for each question. Live reading is measured under
its default time budget; `read` says how many of the 40 it reached.

    python benchmarks/rerank.py --json
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from embed import passages as texts

from consilience.evidence.token_store import TokenStore
from consilience.models import open_embedder, open_reranker
from consilience.settings import build_settings
from consilience.types import Locator, Passage, passage_id

FIRST = 40


def made(number: int) -> list[Passage]:
    return [
        Passage(
            id=passage_id("rerank", "text", "Generated", Locator(row=row), text),
            collection="rerank",
            document="",
            kind="text",
            title="Generated",
            text=text,
        )
        for row, text in enumerate(texts(number, seed=6))
    ]


def timed(reranker: object, passages: Sequence[Passage], rounds: int) -> dict[str, float]:
    times, read = [], []
    for turn in range(rounds):
        some = [passages[(turn * FIRST + at) % len(passages)] for at in range(FIRST)]
        question = " ".join(some[turn % FIRST].text.split()[turn % 60 :][:9])
        started = time.perf_counter()
        scores = asyncio.run(reranker.rerank(question, some))
        times.append((time.perf_counter() - started) * 1000)
        read.append(sum(score is not None for score in scores))
    cuts = statistics.quantiles(times, n=20)
    return {
        "p50_ms": round(statistics.median(times), 1),
        "p95_ms": round(cuts[18], 1),
        "read": round(statistics.mean(read), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    settings = build_settings({})
    embedder, reranker = open_embedder("fine", settings), open_reranker("late", settings)
    passages = made(options.passages)
    asyncio.run(reranker.rerank("to load it", passages[:4]))
    found: dict[str, object] = {"live": timed(reranker, passages, max(10, options.rounds // 10))}
    with tempfile.TemporaryDirectory() as folder:
        kept = TokenStore(Path(folder) / "tokens.db", reranker.name)
        _, packed = reranker.prepare([one.indexed for one in passages], embedder)
        kept.write(dict(zip((one.id for one in passages), packed, strict=True)))
        reranker.reads_from(kept.get)
        found["kept"] = timed(reranker, passages, options.rounds)
        kept.close()
    found["bytes_a_passage"] = round(statistics.mean(map(len, packed)))
    print(json.dumps(found) if options.json else found)


if __name__ == "__main__":
    main()
