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
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pypdfium2

from consilience.packs.finance.files.pdf import read_report
from consilience.packs.finance.files.pdf.page import read_page
from consilience.packs.finance.files.pdf.rows import is_number
from consilience.packs.finance.files.pdf.tables import tables_of
from consilience.packs.finance.files.reports import load
from consilience.packs.finance.shapes import Datum, Grid
from consilience.packs.finance.tables.encoding import loaded
from consilience.packs.finance.tables.wording import is_only_unit, unmarked
from consilience.types import Block

PACK = Path(__file__).parents[1] / "src" / "consilience" / "packs" / "finance"
Matrix = list[list[str]]
Reader = Callable[[Path, int], list[Matrix]]
NUMBER = re.compile(r"\d[\d.,]*\d|\d")
GROUPED = re.compile(r"[.,]")  # neither a day, a year nor the mark of a note
MARKS = re.compile(r"[\d.,()\[\]$€£¥%+*–—−-]+")
LETTERS = re.compile(r"[^\W\d_]{2,}")
LEAST = 6  # lines of numbers on a page that counts as one with a table


@dataclass(slots=True, kw_only=True)
class Score:
    """What a library made of some pages."""

    library: str
    pages: int = 0
    cells: int = 0
    right: int = 0
    seconds: float = 0.0
    failed: int = 0

    @property
    def share(self) -> float:
        return self.right / self.cells if self.cells else 0.0


# --- libraries --------------------------------------------------------------------------


def ours(path: Path, page: int) -> list[Matrix]:
    document = pypdfium2.PdfDocument(path)
    try:
        found = read_page(document, page)
        size = Counter(round(2 * word.size) / 2 for word in found.words)
        middle = size.most_common(1)[0][0] if size else 10.0
        tables = tables_of(found, found.words, usual=middle)
        return [matrix(table.grid) for table in tables]
    finally:
        document.close()


def matrix(grid: Grid) -> Matrix:
    rows, columns = grid.size
    found = [[""] * columns for _ in range(rows)]
    for cell in grid.cells:
        found[cell.row][cell.column] = cell.text
    return found


def plumber(strategy: str) -> Reader:
    def read(path: Path, page: int) -> list[Matrix]:
        pdfplumber = import_module("pdfplumber")

        settings = {"vertical_strategy": strategy, "horizontal_strategy": strategy}
        with pdfplumber.open(path, pages=[page + 1]) as document:
            tables = document.pages[0].extract_tables(settings)
        return [[[cell or "" for cell in row] for row in table] for table in tables]

    return read


def camelot_py(flavor: str) -> Reader:
    def read(path: Path, page: int) -> list[Matrix]:
        camelot = import_module("camelot")

        tables = camelot.read_pdf(str(path), pages=str(page + 1), flavor=flavor)
        return [table.df.astype(str).values.tolist() for table in tables]

    return read


def img2table(path: Path, page: int) -> list[Matrix]:
    pdf = import_module("img2table.document").PDF

    found = pdf(str(path), pages=[page], pdf_text_extraction=True)
    tables = found.extract_tables(borderless_tables=True, implicit_rows=True)
    return [
        [[str(value or "") for value in row] for row in table.df.values.tolist()]
        for some in tables.values()
        for table in some
    ]


def oxide(path: Path, page: int) -> list[Matrix]:
    pdf_oxide = import_module("pdf_oxide")

    tables = pdf_oxide.PdfDocument(str(path)).extract_tables(page)
    return [
        [[str(cell["text"]) for cell in row["cells"]] for row in table["rows"]] for table in tables
    ]


LIBRARIES: dict[str, tuple[str, Reader]] = {
    "ours (pypdfium2 + pdfplumber lattice)": ("pypdfium2", ours),
    "pdfplumber lines": ("pdfplumber", plumber("lines")),
    "pdfplumber text": ("pdfplumber", plumber("text")),
    "camelot lattice": ("camelot", camelot_py("lattice")),
    "camelot stream": ("camelot", camelot_py("stream")),
    "camelot network": ("camelot", camelot_py("network")),
    "img2table borderless": ("img2table", img2table),
    "pdf_oxide": ("pdf_oxide", oxide),
}


def available(only: Sequence[str]) -> dict[str, Reader]:
    found = {}
    for name, (module, reader) in LIBRARIES.items():
        if only and not any(word in name for word in only):
            continue
        if find_spec(module):
            found[name] = reader
        else:
            print(f"{name}: {module} is not installed; skipped", file=sys.stderr)
    return found


def timed(score: Score, reader: Reader, path: Path, page: int) -> list[Matrix]:
    """The tables of a page; a library that fails on it finds none."""
    start = time.perf_counter()
    try:
        tables = reader(path, page)
    except Exception as error:  # noqa: BLE001 whatever a library raises counts against it
        score.failed += 1
        print(f"{score.library}: {path.name}, page {page + 1}: {error!r}", file=sys.stderr)
        tables = []
    score.seconds += time.perf_counter() - start
    score.pages += 1
    return [compact(table) for table in tables]


def compact(table: Matrix) -> Matrix:
    """A table without empty rows and columns, its texts with single spaces."""
    rows = [[" ".join(str(cell).split()) for cell in row] for row in table]
    width = max((len(row) for row in rows), default=0)
    rows = [row + [""] * (width - len(row)) for row in rows if any(row)]
    kept = [at for at in range(width) if any(row[at] for row in rows)]
    return [[row[at] for at in kept] for row in rows]


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


# --- the sample: what the cells mean ----------------------------------------------------

NAMES = {
    "net sales": "revenue",
    "net income": "net profit",
    "sales volume": "volume",
    "employees": "headcount",
    "net debt at end of period": "net debt",
}  # what reports call the measures of the truth
UNITS = {"US$": "USD", "€": "EUR", "VZÄ": "FTE"}
SAID = ("text", "label", "heading", "metric", "period", "basis", "scale", "unit")


def truth_by_document() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    with gzip.open(PACK / "truth" / "tables.jsonl.gz", "rt", encoding="utf-8") as file:
        for row in file:
            table = json.loads(row)
            found[table["document"]].append(table)
    return found


def meant(cell: dict[str, Any]) -> bool:
    """Whether a true cell is a number: a dash, which stands for nil, and a unit are none."""
    return "basis" in cell and any(letter.isdecimal() for letter in cell["text"])


def agree(cell: dict[str, Any], datum: Datum | None, *, title: str) -> dict[str, bool]:
    """Which parts of a cell's meaning were understood; `title` stands over all columns."""
    if datum is None:
        return dict.fromkeys(SAID, False)
    label = [unmarked(part) for part in datum.label if not is_only_unit(part)]
    money, slash, base = cell["unit"].partition("/")
    return {
        "text": datum.text == cell["text"] and datum.value == Decimal(cell["value"]),
        "label": label == [unmarked(part) for part in cell["label"]],
        "heading": list(datum.header)
        in (cell["heading"], cell["heading"][cell["heading"][:1] == [title] :]),
        "metric": named(datum.metric) == named(cell["metric"]),
        "period": (datum.period.key if datum.period else None) == cell["period"],
        "basis": datum.basis == cell["basis"],
        "scale": datum.scale == cell["scale"],
        "unit": datum.unit == UNITS.get(money, money) + slash + base,
    }


def named(metric: str) -> str:
    return NAMES.get(metric.casefold(), metric.casefold())


def understood(document: str, tables: Sequence[dict[str, Any]]) -> dict[str, Counter[str]]:
    """How many numbers of a report, by the look of their tables, are right in which way."""
    data: dict[int | None, list[Datum]] = defaultdict(list)
    for block in load(PACK / "sample" / document).blocks:
        for one in loaded(str(block.metadata.get("cells", ""))):
            data[one.page].append(one)
    german = "monatsbericht" in document
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for table in tables:
        over = {cell["heading"][0] for cell in table["cells"] if cell["heading"]}
        title = over.pop() if len(over) == 1 else ""
        for cell in filter(meant, table["cells"]):
            right = agree(cell, at_box(data[cell["page"]], cell["box"]), title=title)
            if german:
                del right["metric"]
            counts = {name: int(good) for name, good in right.items()}
            counts |= {f"{name} of": 1 for name in right}
            counts |= {"all": int(all(right.values())), "all of": 1}
            for look in ("whole", table["look"]):
                found[look].update(counts)
    return found


def at_box(data: Iterable[Datum], box: Sequence[float]) -> Datum | None:
    """The number whose middle lies in a box."""
    left, top, right, bottom = box
    for one in data:
        if one.box is None:
            continue
        x, y = (one.box.left + one.box.right) / 2, (one.box.top + one.box.bottom) / 2
        if left - 2 <= x <= right + 2 and top - 2 <= y <= bottom + 2:
            return one
    return None


def meaning(only: Sequence[str] = ()) -> dict[str, Counter[str]]:
    """The counts of all reports of the sample that are PDFs, or of some."""
    total: dict[str, Counter[str]] = defaultdict(Counter)
    for document, tables in sorted(truth_by_document().items()):
        if document.endswith(".pdf") and (not only or document in only):
            for look, counts in understood(document, tables).items():
                total[look].update(counts)
    return total


def meaning_lines(total: dict[str, Counter[str]]) -> list[dict[str, Any]]:
    """A line a look: how many numbers, and which share of them is right in which way."""
    return [
        {
            "look": look,
            "numbers": counts["all of"],
            **{name: share(counts, name) for name in (*SAID, "all")},
        }
        for look, counts in sorted(total.items(), key=lambda one: -one[1]["all of"])
    ]


def share(counts: Counter[str], name: str) -> float:
    return round(counts[name] / max(counts[f"{name} of"], 1), 4)


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
