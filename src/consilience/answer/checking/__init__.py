"""Does what an answer says stand in what it cites? Checked by code, for every writer."""

from __future__ import annotations

from consilience.answer.checking.checker import Verdict, check

__all__ = ["Verdict", "check"]
