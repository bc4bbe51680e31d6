"""How is a workspace reached over HTTP? Through an app that says what its commands say.

It needs FastAPI, the `serve` extra. Every address gives the JSON of `consilience.json_output`, and
what a pack adds is mounted from its `endpoints`.
"""

from __future__ import annotations

from importlib.util import find_spec

from consilience.errors import MissingExtra

__all__ = ["needed"]


def needed() -> None:
    """Raise `MissingExtra` where FastAPI or its server is not installed."""
    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        raise MissingExtra("the HTTP service", "serve")
