"""Which passages of chess are special? Games, which have a number and a move in their place."""

from consilience.kinds import Kind

_KEYS = frozenset({"positions", "focus", "mentioned", "line", "moves", "lead", "start", "end"})
KINDS = (
    Kind(name="game", locator=("game", "ply"), hidden=_KEYS),
    Kind(name="book", hidden=_KEYS),
)
