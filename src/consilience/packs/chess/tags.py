"""What do the tags of a game say? `[White "Petrosian"]`, also where they are written loosely.

Names are read in any case, and values in other quotation marks or in none; loose quotation marks
inside a value belong to it, and what stands behind the bracket does not.
"""

from __future__ import annotations

import re

_BETWEEN = re.compile(r"(?<=\])[^\S\n]{0,9}(?=\[\s{0,9}\w)")
_NAME = re.compile(r"\[\s*(\w[\w.+#=:-]*)\s*")
_CAPITALS = frozenset(("Fen", "Eco"))


def tags_of(line: str) -> list[tuple[str, str]]:
    """The tags of a line: their names and values."""
    found = []
    for part in _BETWEEN.split(line):
        name = _NAME.match(part)
        if name:
            found.append((_named(name[1]), _value(part[name.end() :])))
    return found


def _named(name: str) -> str:
    """A tag's name as it is usually written."""
    known = name.capitalize() if name.islower() or name.isupper() else name
    return known.upper() if known in _CAPITALS else known


def _value(text: str) -> str:
    value, end, _ = text.rpartition('"]')
    value = value if end else text.rstrip(" \t]")
    value = value.removeprefix('"').removesuffix('"').strip("“”„'")
    return re.sub(r'\\(["\\])', r"\1", value).strip()
