"""Which libraries read tables of a page, and what does each make of it?"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pypdfium2

from consilience.packs.finance.data_model import Grid
from consilience.packs.finance.files.pdf.page import read_page
from consilience.packs.finance.files.pdf.tables import tables_of

Matrix = list[list[str]]
Reader = Callable[[Path, int], list[Matrix]]


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
