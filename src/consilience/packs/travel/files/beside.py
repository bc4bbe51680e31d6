"""Which places do the files beside a file tell of? Read once, kept while they stay as they are.

Bounded: at most so many files, so many bytes, in the same folder. A file that cannot be read is
told of where it is taken in itself.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from consilience.errors import LoadError
from consilience.packs.travel.files.gazetteer import Known, known_of
from consilience.packs.travel.files.reading import ENDINGS, drafts_of, read_content

MOST_FILES = 40
MOST_BYTES = 16_000_000  # of one file
_TOGETHER = 64_000_000


def places_beside(path: Path) -> tuple[tuple[Known, ...], list[str]]:
    """The places that the other files of a folder tell of, and notes on files not looked at."""
    found: list[Known] = []
    looked_at, room, skipped = 0, _TOGETHER, []
    for other in _others(path):
        size = other.stat().st_size
        if looked_at >= MOST_FILES or size > min(MOST_BYTES, room):
            skipped.append(other.name)
            continue
        looked_at, room = looked_at + 1, room - size
        found.extend(_places(other, other.stat().st_mtime_ns, size))
    notes = []
    if skipped:
        some = ", ".join([*skipped[:3], *(["…"] if len(skipped) > 3 else [])])
        notes.append(f"names were not looked up in {len(skipped)} large files beside it: {some}")
    return tuple(found), notes


def _others(path: Path) -> list[Path]:
    try:
        siblings = sorted(path.parent.iterdir())
    except OSError:
        return []
    return [
        one
        for one in siblings
        if one.name.lower().endswith(ENDINGS)
        and not one.name.lower().endswith(".graph.jsonl")
        and one.name != path.name
        and not one.name.startswith(".")
        and one.is_file()
    ]


@lru_cache(64)
def _places(path: Path, _changed: int, _size: int) -> tuple[Known, ...]:
    try:
        return tuple(known_of(one, path.name) for one in drafts_of(read_content(path)))
    except LoadError:
        return ()
