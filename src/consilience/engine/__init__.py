"""How does a question become an explained ranking? plan → retrieve → complete → fuse → refine.

The modules are the stages in that order. Stages never import one another: only `pipeline` knows
them all. Its names are imported when first used, so that fusing alone loads no other stage.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'consilience.engine' has no attribute {name!r}")
    return getattr(import_module("consilience.engine.pipeline"), name)
