"""Which passages does the support model learn from? Openly licensed ones, balanced by source.

    python models/support_texts.py --data ../shared/data --out build/support

Writes passages.jsonl.xz ({source, text} a line) and questions.jsonl.xz (a SQuAD paragraph, a
question, its answer, and other answers in the same paragraph). `HELD_OUT` sources are never
trained on: they measure how far the model carries to corpora it has not seen.
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from texts import tatqa

CAPS = {
    "pmlr": 14_000,
    "acl": 8_000,
    "mdn": 5_000,
    "dotnet": 4_000,
    "factbook": 5_000,
    "gutenberg_chess": 4_000,
    "pmlr_abstract": 3_000,
    "openintro": 3_000,
    "d2l": 2_500,
    "sklearn": 1_500,
    "squad": 0,  # its paragraphs come with their questions
    "scifact": 1_500,
    "gutenberg_travel": 1_500,
    "wikibooks": 900,
    "causal_handbook": 900,
    "causal_libs": 2_000,
    "tatqa": 1_200,
}
HELD_OUT = frozenset({"scifact", "gutenberg_travel", "wikibooks", "causal_handbook", "tatqa"})
SEED = 11


def passages(data: Path) -> Iterator[tuple[str, str]]:
    with gzip.open(data / "scale_chunks" / "chunks.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            yield record["source"].removeprefix("ir_"), record["text"]
    for source, title, text in tatqa(data):
        if title and len(text.split()) > 30 and ": " not in text[:40]:
            yield source, text


def questions(data: Path) -> Iterator[dict[str, object]]:
    path = data / "ir_squad11_dev" / "dev-v1.1.rebuilt.json"
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            answers = {qa["question"]: qa["answers"][0]["text"] for qa in paragraph["qas"]}
            for question, answer in answers.items():
                others = sorted({other for other in answers.values() if other != answer})
                yield {
                    "text": paragraph["context"],
                    "question": question,
                    "answer": answer,
                    "others": others,
                }


def main() -> None:
    parser = argparse.ArgumentParser(description="Choose the passages of the support model.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("build/support"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    random.seed(SEED)
    by_source: dict[str, list[str]] = defaultdict(list)
    for source, text in passages(options.data):
        if len(text.split()) >= 40 and sum(map(str.isalpha, text)) > 0.7 * len(text):
            by_source[source].append(text)
    counts: Counter[str] = Counter()
    with lzma.open(options.out / "passages.jsonl.xz", "wt", encoding="utf-8", preset=4) as out:
        for source, texts in sorted(by_source.items()):
            cap = CAPS.get(source, 1_000)
            for text in random.sample(texts, min(cap, len(texts))):
                out.write(json.dumps({"source": source, "text": text}, ensure_ascii=False) + "\n")
                counts[source] += 1
    with lzma.open(options.out / "questions.jsonl.xz", "wt", encoding="utf-8", preset=4) as out:
        for record in questions(options.data):
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
            counts["squad"] += 1
    for source, count in counts.most_common():
        print(f"{source:20} {count:>8,}")


if __name__ == "__main__":
    main()
