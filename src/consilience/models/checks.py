"""What does every embedder owe its callers? Texts that fit, each read once, and sound vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from consilience.errors import ModelError
from consilience.protocols import Vectors

UNIT = 1e-6  # a vector shorter than this has no direction


def distinct(texts: Sequence[str]) -> tuple[list[str], NDArray[np.intp]]:
    """The different texts in order of appearance, and for each text its place among them."""
    places: dict[str, int] = {}
    order = [places.setdefault(text, len(places)) for text in texts]
    return list(places), np.array(order, dtype=np.intp)


def refuse_long(texts: Sequence[str], counts: Sequence[int], *, limit: int, name: str) -> None:
    """Raise `ModelError` for the first text over the limit: a cut text could not be found."""
    for text, count in zip(texts, counts, strict=True):
        if count > limit:
            raise ModelError(
                f"a text of {count} tokens is longer than the {limit} that {name!r} reads; "
                f"split it first: {text[:60]!r}…"
            )


def unit_rows(rows: object, *, count: int, dimensions: int | None, name: str) -> Vectors:
    """Rows of length 1 from what a model answered; `ModelError` when the answer is nonsense:
    not numbers, too few or too many rows, another number of dimensions, NaN, no direction.
    """
    try:
        vectors = np.asarray(rows, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise _nonsense(name, f"vectors that are not rows of numbers ({error})") from error
    if vectors.ndim != 2 or len(vectors) != count:
        raise _nonsense(name, f"an answer of shape {vectors.shape} to {count} texts")
    if dimensions is not None and vectors.shape[1] != dimensions:
        raise _nonsense(name, f"{vectors.shape[1]} dimensions where there were {dimensions}")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or bool((lengths < UNIT).any()):
        raise _nonsense(name, "a vector without a direction (zero, NaN or infinite)")
    unit: Vectors = vectors / lengths
    return unit


def _nonsense(name: str, what: str) -> ModelError:
    return ModelError(f"embedder {name!r} gave {what}; check that it is an embedding model")
