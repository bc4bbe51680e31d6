"""How do several rankings become one? Fusers that explain every score they give."""

from __future__ import annotations

from consilience.fuse.ballots import Ballot, Options
from consilience.fuse.lean import lean
from consilience.fuse.levels import Mixture, adapts, completes, fuse, fuse_levels
from consilience.fuse.neighbours import NEIGHBOURS, can_hear
from consilience.fuse.table import FUSERS, Fuser
from consilience.fuse.tally import Fused

__all__ = [
    "FUSERS",
    "NEIGHBOURS",
    "Ballot",
    "Fused",
    "Fuser",
    "Mixture",
    "Options",
    "adapts",
    "can_hear",
    "completes",
    "fuse",
    "fuse_levels",
    "lean",
]
