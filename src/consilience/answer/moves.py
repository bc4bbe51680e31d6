"""How is a chess move written? In algebraic notation, short or long, with either kind of castling.

Without its number, the sign for check, and what is thought of it: each reader knows best what may
stand around a move.
"""

from __future__ import annotations

MOVE = (
    r"(?:O-O-O|O-O|0-0-0|0-0"
    r"|[KQRBN][a-h]?[1-8]?[x:-]?[a-h][1-8](?:[x-][a-h][1-8])?"
    r"|[a-h][1-8]?x[a-h][1-8](?:=?[QRBN])?"
    r"|[a-h][1-8](?:-?[a-h][1-8])?(?:=[QRBN])?)"
)
"""A move, as part of a pattern: `Nf3`, `Ng1-f3`, `exd5`, `e2-e4`, `e8=Q`, `O-O`."""
