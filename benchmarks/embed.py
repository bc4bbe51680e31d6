"""How fast are the shipped embedders here? Passages of 120 words, and one short question.

The words are those of the tokenizer's own list, common ones often and rare ones seldom as in
real text, a fourth of the rarer ones compounds, with signs and some letters beyond ASCII. Three
words of each passage appear once only.

    python benchmarks/embed.py [--model fast|fine] [--json]
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import time
from itertools import accumulate

from consilience.models import open_embedder
from consilience.models.static_embedder import TOKENIZER
from consilience.settings import build_settings

PASSAGES = {"fast": 40_000, "fine": 400}
WORDS = 120
SIGNS = [*[""] * 40, ",", ",", ",", ".", ".", ".", ";", "%", "’s", " –"]


def vocabulary() -> list[str]:
    """About 20,000 words, the commonest first."""
    known = json.loads(TOKENIZER.read_text(encoding="utf-8"))["model"]["vocab"]
    plain = [word for word in known if word.isalpha() and len(word) > 1]
    return [
        word + plain[-rank] if rank % 4 == 3 and rank > 200 else word
        for rank, word in enumerate(plain)
    ]


def passages(number: int, *, seed: int) -> list[str]:
    chance = random.Random(seed)
    words = vocabulary()
    weights = list(accumulate(1 / (rank + 3) for rank in range(len(words))))
    texts = []
    for place in range(number):
        chosen = chance.choices(words, cum_weights=weights, k=WORDS - 3)
        signs = chance.choices(SIGNS, k=len(chosen))
        once = [f"{chance.choice(words)}{place}", f"{place}.{seed}", f"x{place:x}"]
        text = " ".join([*once, *map(str.__add__, chosen, signs)])
        texts.append(text[0].upper() + text[1:] + ".")
    return texts


def measure(name: str, number: int) -> dict[str, float]:
    embedder = open_embedder(name, build_settings({}))
    texts, few = passages(number, seed=4), passages(32, seed=5)
    started = time.perf_counter()
    embedder.embed(few)  # loads the model
    first = time.perf_counter() - started
    started = time.perf_counter()
    embedder.embed(texts)
    embedded = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    started = time.perf_counter()
    counts = embedder.count(texts)
    counted = time.perf_counter() - started
    times = []
    for place in range(50):
        started = time.perf_counter()
        embedder.embed_query(f"who built tower number {place} on the reef?")
        times.append((time.perf_counter() - started) * 1000)
    return {
        "tokens": round(statistics.mean(counts)),
        "passages_per_s": round(number / embedded, 1),
        "count_per_s": round(number / counted, 1),
        "question_ms": round(statistics.median(times), 3),
        "first_ms": round(first * 1000, 1),
        "peak_mb": round(peak, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=list(PASSAGES), help="one of them (default: both)")
    parser.add_argument("--passages", type=int, help="how many, instead of the usual number")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    names = [options.model] if options.model else list(PASSAGES)
    found = {name: measure(name, options.passages or PASSAGES[name]) for name in names}
    if not options.model:
        ratio = found["fast"]["passages_per_s"] / found["fine"]["passages_per_s"]
        found["fast_over_fine"] = {"passages_per_s": round(ratio)}
    print(json.dumps(found) if options.json else found)


if __name__ == "__main__":
    main()
