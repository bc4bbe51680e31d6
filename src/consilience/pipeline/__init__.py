"""In which order do the stages run? The only package that knows it; each leaves its trace."""

from consilience.pipeline.asking import ask, first_prompt
from consilience.pipeline.engine import Engine, Gathered
from consilience.pipeline.searching import gather, made, search, settle, window_size
from consilience.pipeline.weighing import meant

__all__ = [
    "Engine",
    "Gathered",
    "ask",
    "first_prompt",
    "gather",
    "made",
    "meant",
    "search",
    "settle",
    "window_size",
]
