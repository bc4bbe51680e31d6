"""Why does a passage stand where it stands, and why is another one not there?

Both read the trace of a search. `why_not` asks sources again, deeper, to find the true rank of a
passage that none of them reached, and searches again to see that what it advises works.
"""

from __future__ import annotations

from consilience.explain.absence import Absence, why_not
from consilience.explain.account import Account, Explained, account, plan_lines, shares_asked
from consilience.explain.arithmetic import answerable, total, why

__all__ = [
    "Absence",
    "Account",
    "Explained",
    "account",
    "answerable",
    "plan_lines",
    "shares_asked",
    "total",
    "why",
    "why_not",
]
