r"""How good are answers without a language model? Whether they hold the answer, in how many words.

    python benchmarks/excerpts.py ../shared/data/ir_squad11_dev --json

Asks questions whose answers are known (SQuAD's) over its own paragraphs, and reports the share of
answers that hold the answer's words, and how long they are, for each length, beside two baselines
over the same search: the first passage printed whole, and the three sentences nearest in meaning
among the first three passages.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np

from consilience.settings import build_settings
from consilience.types import LENGTHS, Result
from consilience.understand.sentences import sentences
from consilience.workspace import Workspace, init_workspace, open_workspace

WAITING = {"retrieve.soft_ms": 20_000, "retrieve.hard_ms": 30_000, "refine.rerank_ms": 60_000}


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure answers made of excerpts.")
    parser.add_argument("collection", type=Path)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    asked = read_questions(options.collection)
    random.Random(options.seed).shuffle(asked)
    with tempfile.TemporaryDirectory() as folder:
        space = build(options.collection, Path(folder))
        with space:
            report = measure(space, asked[: options.questions])
    if options.json:
        print(json.dumps(report, indent=2))
        return
    for way, found in report.items():
        print(f"{way:12} {found['holds']:.3f}  {found['words']:.0f} words")


def read_questions(collection: Path) -> list[tuple[str, list[str]]]:
    data = json.loads(next(collection.glob("*.rebuilt.json")).read_text(encoding="utf-8"))["data"]
    return [
        (question["question"], [answer["text"] for answer in question["answers"]])
        for article in data
        for paragraph in article["paragraphs"]
        for question in paragraph["qas"]
    ]


def build(collection: Path, folder: Path) -> Workspace:
    """A workspace with a document for each article."""
    articles: dict[str, list[str]] = defaultdict(list)
    with (collection / "corpus.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            articles[record.get("title") or record["_id"]].append(record["text"])
    files = folder / "files"
    files.mkdir()
    for number, (title, texts) in enumerate(articles.items()):
        body = "\n\n".join(texts)
        (files / f"{number:03}.md").write_text(
            f"# {title.replace('_', ' ')}\n\n{body}\n", encoding="utf-8"
        )
    home = init_workspace(folder / "space")
    space = open_workspace(home, settings=build_settings(WAITING))
    space.add([files])
    return space


def measure(space: Workspace, asked: list[tuple[str, list[str]]]) -> dict[str, dict[str, float]]:
    held: dict[str, list[bool]] = defaultdict(list)
    words: dict[str, list[int]] = defaultdict(list)
    for question, answers in asked:
        texts = {length: space.ask(question, length=length).text for length in LENGTHS}
        result = space.search(question)
        texts["first passage"] = result.hits[0].passage.text if result.hits else ""
        texts["nearest"] = nearest(space, question, result)
        for way, text in texts.items():
            held[way].append(any(plain(answer) in plain(text) for answer in answers))
            words[way].append(len(text.split()))
    return {
        way: {"holds": sum(found) / len(found), "words": sum(words[way]) / len(found)}
        for way, found in held.items()
    }


def nearest(space: Workspace, question: str, result: Result) -> str:
    """The three sentences nearest in meaning of the first three passages."""
    found = [sentence.text for hit in result.hits[:3] for sentence in sentences(hit.passage.text)]
    if not found or space.embedder is None:
        return ""
    cosines = space.embedder.embed(found) @ space.embedder.embed_query(question)
    return " ".join(found[place] for place in np.argsort(-cosines)[:3])


def plain(text: str) -> str:
    return re.sub(r"\W+", " ", text.casefold()).strip()


if __name__ == "__main__":
    main()
