"""What is a fact that was looked for, and what is said of one that was not found?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from consilience.answer.checking.sources import Source
from consilience.types import Fault

_LONGEST = 90  # letters of a value that a remark repeats


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A fact of a statement: which check looked for it, as it is spelt, and whether it stands
    in what is cited; `near` is the closest that stands there, where there is one.
    """

    check: str
    value: str
    found: bool
    near: str = ""

    def fault(self, cited: Sequence[Source]) -> Fault:
        """What is said of a fact that was not found."""
        value = shortened(self.value)
        where = places(cited)
        near = f" (nearest there: {shortened(self.near)})" if self.near else ""
        if self.check == "quotation":
            near = f" (there: “{shortened(self.near)}”)" if self.near else ""
            told = f"“{value}” does not stand in {where} to the letter{near}"
        else:
            told = f'"{value}" is not in {where}{near}'
        return Fault(check=self.check, value=self.value, told=told)


def places(cited: Sequence[Source]) -> str:
    """`[2]`, or `[2] or [5]`; what it says where nothing is cited."""
    return " or ".join(f"[{one.mark}]" for one in cited) or "the evidence"


def shortened(text: str) -> str:
    """A text as a remark repeats it."""
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + "…"


def masked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """A text in which what was read already is blotted out, each letter by a dot."""
    parts, at = [], 0
    for start, end in sorted(spans):
        if end > at:
            parts += [text[at:start], "·" * (end - max(start, at))]
            at = end
    return "".join((*parts, text[at:]))
