"""How are the books of the `chess` sample made? From Markdown, one folder a book.

Run `python scripts/build_chess_sample.py` after editing `scripts/chess_sample/`. The games of the
sample are PGN files, edited where they are.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from epubs import About, build_book

SOURCES = Path(__file__).parent / "chess_sample"
SAMPLE = Path(__file__).parents[1] / "src/consilience/packs/chess/sample"


def main() -> None:
    """Write every book into the sample folder."""
    SAMPLE.mkdir(parents=True, exist_ok=True)
    for folder in sorted(SOURCES.iterdir()):
        (SAMPLE / f"{folder.name}.epub").write_bytes(build_book(folder, about(folder)))


def about(folder: Path) -> About:
    """What a book says of itself, in its `book.toml`."""
    known = tomllib.loads((folder / "book.toml").read_text(encoding="utf-8"))
    return About(title=known["title"], author=known["author"], date=known["date"])


if __name__ == "__main__":
    main()
