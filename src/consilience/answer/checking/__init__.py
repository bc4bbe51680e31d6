"""Does what an answer says stand in what it cites? Checked by code, for every writer.

Compared are marks, numbers with unit and sign, dates, names, quotations, codes, moves, paths and
the share of telling words. What cannot be seen so, and passes where its facts stand in the source:
who did what to whom (roles), whether a sentence is negated, which of two years or numbers of one
source belongs to which event, and an ordinary noun or verb put in place of another ("granite" for
"sandstone", "fell to" for "fell by").
"""

from __future__ import annotations

from consilience.answer.checking.checker import Verdict, check

__all__ = ["Verdict", "check"]
