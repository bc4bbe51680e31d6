"""How is the table of openings made? From the tables of named lines that lichess gives away (CC0).

Run `python scripts/build_openings.py FOLDER` with a folder that has `a.tsv` to `e.tsv` (columns
eco, name, pgn). It needs the `chess` extra. Every line becomes a row of
`src/consilience/packs/chess/openings.tsv`: code, name, moves as coordinates, and the position
that they lead to. The same tables give the same bytes.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator
from pathlib import Path

import chess.pgn

from consilience.packs.chess.notation import epd

TABLE = Path(__file__).parents[1] / "src/consilience/packs/chess/openings.tsv"


def main(folder: Path) -> int:
    """Write the table from the files of a folder; gives the number of lines."""
    rows = sorted(row for path in sorted(folder.glob("[a-e].tsv")) for row in rows_of(path))
    if not rows:
        raise SystemExit(f"{folder} has none of a.tsv to e.tsv: name the folder that has them")
    lines = ["eco\tname\tmoves\tposition", *("\t".join(row) for row in rows)]
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(rows)


def rows_of(path: Path) -> Iterator[tuple[str, str, str, str]]:
    """The lines of one file: code, name, moves as coordinates, final position."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            game = chess.pgn.read_game(io.StringIO(row["pgn"]))
            if game is None or game.errors:
                raise SystemExit(f"{path}: {row['name']!r} does not replay: {row['pgn']!r}")
            end = game.end()
            moves = " ".join(move.uci() for move in game.mainline_moves())
            yield row["eco"], row["name"], moves, epd(end.board())


if __name__ == "__main__":
    written = main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path())
    sys.stderr.write(f"{written} lines in {TABLE}\n")
