"""Which library reads the tables of reports best, and does every table of a filing come in?

Four parts, each printed as a table and given as JSON:

- `sample`: the PDFs of the finance sample, whose true cells are known. A cell is right if a row
  with its label has exactly its text in its column, counted over columns that are not empty.
- `meaning`: the same cells after they are understood, whole and by the look of their tables: the
  share of numbers with the true text, label path, heading path, metric (English reports only),
  period, basis, scale and unit, and of those with all of them. A heading over all columns may be
  left to the table's title. A number that is not found is wrong in every way.
- `filings`: pages of real filings that hold numbers in columns, read by each library. A number is
  placed if it stands alone in exactly one cell (currency signs, brackets and percent signs aside),
  its row has a label with letters before it, and its column a text above it. Which numbers there
  are is told by the page's text alone: those with a comma or a point in lines that end in two.
- `accounted`: every page of the filings through `read_report`: tables, rows, numbers in and
  outside of them, seconds a page.

Libraries that are not installed are skipped with a word.

    python benchmarks/finance_tables.py --data ../shared/data --pages 6 --json
"""

from __future__ import annotations

import argparse
import gzip
import json
import logging
import re
import sys
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pypdfium2
from finance_libraries import Matrix, Reader, Score, available, timed
from finance_meaning import PACK, meaning, meaning_lines

from consilience.packs.finance.data_model import Grid
from consilience.packs.finance.files.pdf import read_report
from consilience.packs.finance.files.pdf.rows import is_number
from consilience.types import Block

NUMBER = re.compile(r"\d[\d.,]*\d|\d")
GROUPED = re.compile(r"[.,]")  # neither a day, a year nor the mark of a note
MARKS = re.compile(r"[\d.,()\[\]$€£¥%+*–—−-]+")
LETTERS = re.compile(r"[^\W\d_]{2,}")
LEAST = 6  # lines of numbers on a page that counts as one with a table


# --- the sample: known cells ------------------------------------------------------------


def plain(text: str) -> str:
    return "".join(text.split())


def score_sample(name: str, reader: Reader, *, limit: int) -> Score:
    score = Score(library=name)
    with gzip.open(PACK / "truth" / "tables.jsonl.gz", "rt", encoding="utf-8") as file:
        truth = [json.loads(line) for line in file]
    wanted: dict[tuple[str, int], list[tuple[str, int, str]]] = defaultdict(list)
    for table in truth:
        labels = {one["row"]: one["text"] for one in table["labels"]}
        for cell in table["cells"]:
            key = (table["document"], cell["page"])
            wanted[key].append((labels[cell["row"]], cell["column"], cell["text"]))
    for document, page in sorted(wanted)[:: max(1, len(wanted) // limit)]:
        tables = timed(score, reader, PACK / "sample" / document, page - 1)
        found = {
            (plain(row[0]), at, plain(text))
            for table in tables
            for row in table
            for at, text in enumerate(row)
        }
        for label, column, text in wanted[document, page]:
            score.cells += 1
            score.right += (plain(label), column, plain(text)) in found
    return score


# --- filings: numbers with a label and a heading ----------------------------------------


def numbers_of(text: str) -> Counter[str]:
    """The numbers at the ends of lines that end in several, by how often they occur."""
    found: Counter[str] = Counter()
    for row in text.splitlines():
        run: list[str] = []
        for word in reversed(row.split()):
            if not MARKS.fullmatch(word):
                break
            run.extend(NUMBER.findall(word))
        if len(run) >= 2:
            found.update(filter(GROUPED.search, run))
    return found


def page_texts(path: Path) -> list[str]:
    document = pypdfium2.PdfDocument(path)
    try:
        return [document[at].get_textpage().get_text_range() for at in range(len(document))]
    finally:
        document.close()


def placed(tables: Iterable[Matrix]) -> Counter[str]:
    """The numbers that stand alone in a cell, right of a label and below a text."""
    found: Counter[str] = Counter()
    for table in tables:
        for at, row in enumerate(table):
            for column, text in enumerate(row):
                inside = list(filter(GROUPED.search, NUMBER.findall(text)))
                if len(inside) != 1 or LETTERS.search(text):
                    continue
                labelled = any(LETTERS.search(cell) for cell in row[:column])
                headed = any(above[column] for above in table[:at])
                if labelled and headed:
                    found[inside[0]] += 1
    return found


def score_filing(name: str, reader: Reader, path: Path, pages: Sequence[int]) -> Score:
    score = Score(library=name)
    texts = page_texts(path)
    for page in pages:
        wanted = numbers_of(texts[page])
        found = placed(timed(score, reader, path, page))
        score.cells += wanted.total()
        score.right += (wanted & found).total()
    return score


def table_pages(path: Path) -> list[int]:
    return [at for at, text in enumerate(page_texts(path)) if numbers_of(text).total() >= 2 * LEAST]


# --- every table accounted for ----------------------------------------------------------


def accounted(path: Path) -> dict[str, Any]:
    texts = page_texts(path)
    start = time.perf_counter()
    report = read_report(path)
    seconds = time.perf_counter() - start
    grids = [part for part in report.parts if isinstance(part, Grid)]
    inside: dict[int, Counter[str]] = defaultdict(Counter)
    for grid in grids:
        for cell in grid.cells:
            inside[grid.page or 0].update(NUMBER.findall(cell.text))
    for part in report.parts:
        if isinstance(part, Block) and part.locator.page:
            inside[-part.locator.page].update(NUMBER.findall(part.text))
    wanted = {at + 1: numbers_of(text) for at, text in enumerate(texts)}
    full = [page for page, some in wanted.items() if some.total() >= 2 * LEAST]
    outside = sum((wanted[page] - inside[page]).total() for page in full)
    prose = sum(((wanted[page] - inside[page]) & inside[-page]).total() for page in full)
    return {
        "filing": path.stem,
        "pages": len(texts),
        "with_columns": len(full),
        "with_tables": len({grid.page for grid in grids}),
        "tables": len(grids),
        "rows": sum(grid.size[0] for grid in grids),
        "numbers": sum(is_number(cell.text) for grid in grids for cell in grid.cells),
        "in_columns": sum(wanted[page].total() for page in full),
        "outside": outside,
        "outside_in_prose": prose,
        "seconds": round(seconds, 2),
        "per_page": round(seconds / max(len(texts), 1), 4),
    }


# --- printing ---------------------------------------------------------------------------


def shown(rows: Sequence[dict[str, Any]]) -> str:
    """Rows as a table with aligned columns."""
    if not rows:
        return "nothing"
    names = list(rows[0])
    cells = [names, *([str(row[name]) for name in names] for row in rows)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(names))]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    )


def line(score: Score) -> dict[str, Any]:
    return {
        "library": score.library,
        "pages": score.pages,
        "cells": score.cells,
        "right": score.right,
        "share": round(score.share, 4),
        "s_per_page": round(score.seconds / max(score.pages, 1), 3),
        "failed": score.failed,
    }


def together(scores: Sequence[Score]) -> Score:
    total = Score(library=scores[0].library)
    for one in scores:
        for name, value in asdict(one).items():
            if name != "library":
                setattr(total, name, getattr(total, name) + value)
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--pages", type=int, default=6, help="pages of each filing to compare on")
    parser.add_argument("--sample", type=int, default=40, help="pages of the sample to compare on")
    parser.add_argument("--library", nargs="*", default=[], help="only those with such a name")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    readers = available(given.library)
    files = sorted((given.data / "finance_filings").glob("*.pdf"))
    result: dict[str, list[dict[str, Any]]] = {
        "sample": [],
        "meaning": meaning_lines(meaning()),
        "filings": [],
        "accounted": [],
    }
    for name, reader in readers.items():
        result["sample"].append(line(score_sample(name, reader, limit=given.sample)))
        scores = []
        for path in files:
            pages = table_pages(path)
            chosen = pages[:: max(1, len(pages) // given.pages)][: given.pages]
            scores.append(score_filing(name, reader, path, chosen))
        if scores:
            result["filings"].append(line(together(scores)))
    result["accounted"] = [accounted(path) for path in files]
    if not files:
        print(f"no filings under {given.data}; only the sample was read", file=sys.stderr)
    if given.json:
        print(json.dumps(result))
        return
    for name, rows in result.items():
        print(f"\n{name}\n{shown(rows)}")


if __name__ == "__main__":
    main()
