"""How fast is the shipped embedder here? Passages of 120 words, and one short question.

python benchmarks/embed.py --json
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time

from consilience.models import open_embedder
from consilience.settings import build_settings

COMMON = "the of and a to in is that for it as was with be by on not he his but at are this have"
WORDS = "light tower stone lens keeper storm harbour granite prism signal reef captain engine oil"


def passages(number: int) -> list[str]:
    chance = random.Random(4)
    words = [*COMMON.split(), *WORDS.split()]
    return [f"{n} " + " ".join(chance.choices(words, k=120)) for n in range(number)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=600)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    embedder = open_embedder("fine", build_settings({}))
    embedder.embed(passages(32))
    texts = passages(options.passages)
    started = time.perf_counter()
    embedder.embed(texts)
    rate = len(texts) / (time.perf_counter() - started)
    times = []
    for number in range(50):
        started = time.perf_counter()
        embedder.embed_query(f"who built tower number {number} on the reef?")
        times.append((time.perf_counter() - started) * 1000)
    found = {
        "tokens": round(statistics.mean(embedder.count(texts))),
        "passages_per_s": round(rate, 1),
        "question_ms": round(statistics.median(times), 2),
    }
    print(json.dumps(found) if options.json else found)


if __name__ == "__main__":
    main()
