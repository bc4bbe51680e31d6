"""How do several rankings become one? Fusers that explain every score they give."""

from __future__ import annotations

from consilience.fuse.ballots import Ballot, Options
from consilience.fuse.lean import lean
from consilience.fuse.levels import completes, fuse, fuse_levels
from consilience.fuse.table import FUSERS, Fuser
from consilience.fuse.tally import Fused

__all__ = [
    "FUSERS",
    "Ballot",
    "Fused",
    "Fuser",
    "Options",
    "completes",
    "fuse",
    "fuse_levels",
    "lean",
]
