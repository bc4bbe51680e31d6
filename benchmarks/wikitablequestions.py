"""How many questions on Wikipedia tables are answered, and how often surely and wrongly?

Denotation accuracy as the data set's own evaluator computes it: the sets of values are equal after
folding, as numbers, or as dates.

    python benchmarks/wikitablequestions.py FOLDER [--split FILE] [--count N] [--seed N] [--show N]
"""

from __future__ import annotations

import argparse
import csv
import random
import re
import time
from collections.abc import Sequence
from pathlib import Path

from consilience.tables.database import Database
from consilience.tables.grammar import parse_question
from consilience.tables.schema import Table, fold, make_table, parse_date, parse_number


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
    first = {normalize(one) for one in found}
    bare = {normalize(re.sub(r"\s*\([^)]*\)\s*$", "", one)) for one in found}
    return {normalize(one) for one in wanted} in (first, bare)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--split", default="data/random-split-1-train.tsv")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=25)
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    lines = (given.folder / given.split).read_text(encoding="utf-8").splitlines()[1:]
    sample = random.Random(given.seed).sample(lines, given.count)
    right = sure = sure_wrong = broken = 0
    started = time.process_time()
    for line in sample:
        _, question, context, target = line.split("\t")
        table = read_table(given.folder / context)
        query = parse_question(question, table)
        try:
            database = Database([table])
            values = database.run(query).values if query.is_complete else ()
            database.close()
        except Exception as error:  # noqa: BLE001 - counted and shown
            values, broken = (), broken + 1
            print("broken:", context, question, type(error).__name__, str(error)[:100])
        is_right = agrees(values, target.split("|"))
        is_sure = query.is_sure and bool(values)
        right, sure = right + is_right, sure + is_sure
        sure_wrong += is_sure and not is_right
        if not is_right and given.show > 0:
            given.show -= 1
            print(f"{question} | want {target} | got {values} | {query}")
    ms = (time.process_time() - started) * 1000 / given.count
    print(
        f"questions {given.count}, right {right / given.count:.3f}, sure {sure / given.count:.3f}"
    )
    print(
        f"sure and wrong {sure_wrong / given.count:.3f}, broken {broken}, {ms:.0f} ms of CPU each"
    )


if __name__ == "__main__":
    main()
