"""Which passages of chess are special? Games, which are not cut into sentences, and books."""

from consilience.kinds import Kind

_KEYS = frozenset({"positions", "focus", "mentioned", "line", "moves", "lead", "start", "end"})
KINDS = (
    Kind(
        name="game",
        locator=("game", "ply"),
        hidden=_KEYS,
        whole=True,
        notation="consilience.packs.chess.move_notation:NOTATION",
    ),
    Kind(name="book", hidden=_KEYS),
)
