"""Where does a model stop thinking aloud? At `</think>`, which some replies close but never open.

The template of a chat may open the thought before the model writes. Then nothing tells a thought
from an answer until it ends; what came before is forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_ENDS = ("</think>", "</thinking>")
_END = re.compile(r"(?<!`)</think(?:ing)?>\s*")  # between backticks it is quoted


class Thinking:
    """Takes letters as they come and gives them; None where all before them was a thought."""

    def __init__(self) -> None:
        self._held = ""
        self._before = ""  # the last letter that was given

    def take(self, text: str) -> Iterator[str | None]:
        """What is certain after these letters."""
        known = self._before + self._held + text
        rest = after(known)
        if rest != known:
            yield None
            self._before, known = "", rest
        given = known[len(self._before) : len(known) - _begun(known)]
        self._held = known[len(self._before) + len(given) :]
        if given:
            self._before = given[-1]
            yield given

    def end(self) -> Iterator[str | None]:
        """What was held back and became no end of a thought."""
        held, self._held = self._held, ""
        if held:
            yield held


def after(text: str) -> str:
    """A text without what was thought aloud before it."""
    ends = list(_END.finditer(text))
    return text[ends[-1].end() :] if ends else text


def _begun(text: str) -> int:
    """How many letters at the end of a text may become the end of a thought."""
    at = text.rfind("<")
    return len(text) - at if at >= 0 and any(one.startswith(text[at:]) for one in _ENDS) else 0
