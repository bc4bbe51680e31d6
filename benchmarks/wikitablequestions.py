"""How many questions on Wikipedia tables are answered, and how often surely and wrongly?

Denotation accuracy as the data set's own evaluator computes it: the sets of values are equal after
folding, as numbers, or as dates. With a language model (`gguf:<path>` or another of the settings)
the model is asked where the grammar is not sure, as `ask` does it.

    python benchmarks/wikitablequestions.py FOLDER [--split FILE] [--count N] [--model GGUF]
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import random
import re
import time
from collections.abc import Sequence
from pathlib import Path

from consilience.errors import ConsilienceError
from consilience.models.gguf import open_gguf
from consilience.models.static_embedder import open_fast
from consilience.protocols import Generator
from consilience.settings import Answering, Settings
from consilience.tables.database import Database
from consilience.tables.grammar import parse_question, tokenize
from consilience.tables.proposal import propose_answer
from consilience.tables.schema import Table, fold, make_table, parse_date, parse_number
from consilience.tables.source import compare_meaning

EMBEDDER = open_fast("", Settings())


def read_table(path: Path) -> Table:
    """A CSV table of the data set, which escapes quotes by a backslash."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, escapechar="\\", doublequote=False))
    rows = [[cell.replace("\\n", " ").replace("\n", " ") for cell in row] for row in rows]
    return make_table(path.stem, rows[0], rows[1:])


def normalize(value: str) -> str | float | tuple[int, int, int]:
    """A value as it is compared."""
    plain = value.replace("\\p", "|").strip()
    if re.fullmatch(r"[-−]?[$£€]?[\d,]+(?:\.\d+)?%?", plain):
        number = parse_number(plain)
        if number is not None:
            return round(number, 4)
    if (day := parse_date(plain)) and len(plain) < 20:
        return (day.year, day.month, day.day)
    return fold(re.sub(r"\[[^\]]*\]", "", plain))


def agrees(found: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether two lists denote the same values; text behind brackets may be left out."""
    whole = {normalize(value) for value in found}
    bare = {normalize(re.sub(r"\s*\([^)]*\)\s*$", "", value)) for value in found}
    return {normalize(value) for value in wanted} in (whole, bare)


def answer_question(question: str, table: Table, generator: Generator | None) -> dict[str, object]:
    """What the grammar and, where there is one, the model answer."""
    database = Database([table])
    words = {*table.names, *(token.folded for token in tokenize(question))}
    vectors = {word: EMBEDDER.embed_query(word.replace("_", " ")).reshape(-1) for word in words}
    query = parse_question(question, table, compare_meaning(vectors))
    found = database.run(query).values if query.is_complete else ()
    record: dict[str, object] = {"grammar": found, "sure": query.is_sure and bool(found)}
    if generator is not None:
        try:
            answer = asyncio.run(propose_answer(question, table, database, generator))
            record |= {"model": answer.values, "sql": answer.sql}
        except ConsilienceError as error:
            record |= {"model": (), "error": str(error)}
    database.close()
    return record


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--split", default="data/random-split-1-train.tsv")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=25)
    parser.add_argument("--model", default="", help="path of a GGUF file")
    parser.add_argument("--timeout-s", type=float, default=120.0, help="of one reply of the model")
    parser.add_argument("--records", type=Path, help="write what was answered, as JSON Lines")
    given = parser.parse_args()
    settings = Settings(answer=Answering(timeout_s=given.timeout_s))
    generator = open_gguf(given.model, settings) if given.model else None
    lines = (given.folder / given.split).read_text(encoding="utf-8").splitlines()[1:]
    sample = random.Random(given.seed).sample(lines, min(given.count, len(lines)))
    records: list[dict[str, object]] = []
    started = time.process_time()
    for line in sample:
        _, question, context, target = line.split("\t")
        table = read_table(given.folder / context)
        record = answer_question(question, table, generator)
        wanted = target.split("|")
        for way in ("grammar", "model"):
            values = record.get(way, ())
            record[f"{way}_right"] = isinstance(values, tuple) and agrees(values, wanted)
        use_model = bool(generator) and not record["sure"] and bool(record.get("model"))
        record["right"] = record["model_right" if use_model else "grammar_right"]
        record |= {"question": question, "wanted": wanted, "table": context}
        records.append(record)
        if given.records:
            text = "\n".join(json.dumps(record) for record in records)
            given.records.write_text(text + "\n", encoding="utf-8")
    ms = (time.process_time() - started) * 1000 / len(records)
    sure = [record for record in records if record["sure"]]
    shares = {
        "right": sum(bool(record["right"]) for record in records),
        "grammar_right": sum(bool(record["grammar_right"]) for record in records),
        "grammar_sure": len(sure),
        "sure_and_wrong": sum(not record["grammar_right"] for record in sure),
    }
    if generator:
        shares["model_right"] = sum(bool(record["model_right"]) for record in records)
        shares["model_without_answer"] = sum(not record["model"] for record in records)
    measured = {"questions": len(records), "ms": round(ms)}
    measured |= {name: round(count / len(records), 3) for name, count in shares.items()}
    print(json.dumps(measured, indent=2))


if __name__ == "__main__":
    main()
