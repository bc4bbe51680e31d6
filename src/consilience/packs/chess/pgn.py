"""How does a PGN file come in? Its games one by one, and those that are too long in pieces.

The work is done by `loading` and `cutting`, which need python-chess: they are imported when the
first file is read.
"""

from __future__ import annotations

from consilience.packs.chess.extra import later
from consilience.protocols import Cutter, Format, Loader

load: Loader = later("game_files", "load")
cut: Cutter = later("game_pieces", "cut")

LOADER = Format(endings=(".pgn",), version=3, load=load, cut=cut)
