"""How does a question become an explained ranking? plan → retrieve → complete → fuse → refine.

The modules are the stages in that order. Stages never import one another: only `pipeline` knows
them all.
"""

from consilience.engine.pipeline import (
    Engine,
    Gathered,
    find_exact_matches,
    fuse_and_refine,
    gather,
    made_passages,
    search,
    window_size,
)

__all__ = [
    "Engine",
    "Gathered",
    "find_exact_matches",
    "fuse_and_refine",
    "gather",
    "made_passages",
    "search",
    "window_size",
]
