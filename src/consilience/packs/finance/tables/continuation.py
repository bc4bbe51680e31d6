"""Does a table go on on the next page? Then its parts are one grid.

A grid goes on where it is the first of the next page, does not begin a table of its own (another
caption, a section, other headings, the same rows again), and has the same columns: its headings
are repeated, or it has none and its columns stand where those above do. Where its caption says
that it goes on (`continued`, `Fortsetzung`), its columns alone decide. Repeated headings are
dropped; each cell keeps its page and its box.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from consilience.packs.finance.data_model import Cell, Grid
from consilience.packs.finance.tables.headings import heading_rows
from consilience.packs.finance.tables.lattice import Lattice, lattice_of, tidy

_ON = re.compile(
    r"(?i)[\s,;–—(\[-]*\b(?:continued|cont['’.]?d?|continuation|fortsetzung|fortgesetzt|suite|"
    r"continuaci[oó]n|continuação|segue|continua|vervolg)\b"
    r"[\s.)\]:]*(?:from previous page)?[\s.)\]]*"
)
_NEAR = 12.0  # points by which columns of two pages may differ
_FIRST = 3  # labels that come again where it is another table of the same kind


@dataclass(frozen=True, slots=True)
class _Read:
    grid: Grid
    lattice: Lattice
    count: int

    @property
    def heads(self) -> list[dict[int, str]]:
        """The texts of its rows of headings, by column."""
        return [_texts(self.lattice, row) for row in range(self.count)]


def joined(grids: Sequence[Grid]) -> list[Grid]:
    """The grids of a document in reading order, those that go on over pages as one."""
    found: list[Grid] = []
    last: _Read | None = None
    for grid in grids:
        part = _read(grid)
        columns = _columns(last, part) if last is not None else None
        if last is None or columns is None:
            found.append(grid)
            last = part
        else:
            found[-1] = _with(last.grid, part, columns, repeated=_repeated(last, part))
            last = replace(last, grid=found[-1])
    return found


def goes_on(caption: str) -> bool:
    """Whether a caption says that its table began before."""
    return bool(_ON.search(caption))


def _read(grid: Grid) -> _Read:
    lattice = lattice_of(grid)
    return _Read(grid, lattice, heading_rows(lattice, grid.header))


def _texts(lattice: Lattice, row: int) -> dict[int, str]:
    return {c: text for c in range(lattice.columns) if (text := lattice.text(row, c))}


# --- whether it goes on -----------------------------------------------------------------


def _columns(last: _Read, part: _Read) -> Mapping[int, int] | None:
    """Which column of the table each column of its continuation is; None for another table."""
    one, two = last.grid, part.grid
    if not two.cells or two.page is None or two.page != _last_page(one) + 1:
        return None
    said = goes_on(two.caption)
    if not said and (_begins_anew(one, two) or _comes_again(last, part)):
        return None
    if said and _bare(two.caption) and not _alike(_bare(two.caption), _bare(one.caption)):
        return None
    repeated = _repeated(last, part)
    again = 0 < last.count == repeated  # what is judged to be a heading beyond those is none
    if part.count > repeated and _has_headings(part) and not again:
        return None
    return _matched(one, two, surely=said or repeated > 0)


def _last_page(grid: Grid) -> int:
    pages = [one.page for one in grid.cells if one.page is not None]
    return max(pages, default=grid.page if grid.page is not None else -1)


def _bare(caption: str) -> str:
    return re.sub(r"[\W_]+", " ", _ON.sub(" ", caption)).strip().casefold()


def _alike(one: str, two: str) -> bool:
    return not two or one == two or one in two or two in one


def _begins_anew(one: Grid, two: Grid) -> bool:
    """Whether a caption or a heading of a section stands over the second."""
    if two.caption and _bare(two.caption) != _bare(one.caption):
        return True
    if two.section and two.section != one.section:
        return True
    last = [cell.box for cell in one.cells if cell.box and cell.page == _last_page(one)]
    lowest = max((box.bottom for box in last), default=None)
    return bool(lowest is not None and two.box is not None and lowest <= two.box.top)


def _comes_again(last: _Read, part: _Read) -> bool:
    """Whether the rows begin as those before do: the same table of something else."""
    one, two = (_labels(read)[:_FIRST] for read in (last, part))
    return len(two) > 1 and one[: len(two)] == two


def _labels(read: _Read) -> list[str]:
    lattice = lattice_of(read.grid)
    return [text for row in range(read.count, lattice.rows) if (text := lattice.text(row, 0))]


def _repeated(last: _Read, part: _Read) -> int:
    """How many first rows of the continuation are the headings of the table again."""
    above = [list(texts.values()) for texts in last.heads]
    count = 0
    for row in range(part.lattice.rows):
        texts = list(_texts(part.lattice, row).values())
        if count < len(above) and [*map(_same, texts)] == [*map(_same, above[count])]:
            count += 1
        else:
            break
    return count


def _same(text: str) -> str:
    return _ON.sub("", tidy(text)).casefold()


def _has_headings(part: _Read) -> bool:
    """Whether its first rows name columns: a text alone is a section or a label."""
    return any(len(texts) > 1 for texts in part.heads)


def _matched(one: Grid, two: Grid, *, surely: bool) -> Mapping[int, int] | None:
    """The columns by where they stand on the page; without boxes, by their number."""
    here, there = _places(one), _places(two)
    width = one.size[1]
    if two.size[1] == width:
        same = {column: column for column in range(width)}
        apart = [c for c in here.keys() & there.keys() if not _stand_alike(here[c], there[c])]
        return same if surely or not apart else None
    if not here or not there or two.size[1] > width:
        return None
    found: dict[int, int] = {}
    for column, place in there.items():
        fits = [c for c, other in here.items() if _stand_alike(place, other)]
        if len(fits) != 1:
            return None
        found[column] = fits[0]
    return found if len(set(found.values())) == len(found) else None


def _places(grid: Grid) -> dict[int, tuple[float, float]]:
    """How far left and right the cells of each column reach."""
    found: dict[int, tuple[float, float]] = {}
    for cell in grid.cells:
        if cell.box and cell.columns == 1:
            left, right = found.get(cell.column, (cell.box.left, cell.box.right))
            found[cell.column] = min(left, cell.box.left), max(right, cell.box.right)
    return found


def _stand_alike(one: tuple[float, float], two: tuple[float, float]) -> bool:
    """Whether two columns are set flush left or right, or lie over one another."""
    near = any(abs(a - b) <= _NEAR for a, b in zip(one, two, strict=True))
    shared = min(one[1], two[1]) - max(one[0], two[0])
    return near or shared > 0.5 * min(one[1] - one[0], two[1] - two[0])


# --- one grid of two --------------------------------------------------------------------


def _with(grid: Grid, part: _Read, columns: Mapping[int, int], *, repeated: int) -> Grid:
    rows = grid.size[0]
    moved = [
        _moved(cell, rows - repeated, columns)
        for cell in part.grid.cells
        if cell.row >= repeated and cell.column in columns
    ]
    notes = dict.fromkeys((*grid.notes, *part.grid.notes))
    return replace(grid, cells=(*grid.cells, *moved), notes=tuple(notes))


def _moved(cell: Cell, rows: int, columns: Mapping[int, int]) -> Cell:
    return replace(cell, row=cell.row + rows, column=columns[cell.column])
