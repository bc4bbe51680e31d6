"""Does a question ask for a figure, or for what prose tells? By how it begins and what it asks.

"Why did EBITDA fall in 2024?" names a metric and a year, and no number answers it.
"""

from __future__ import annotations

from consilience.packs.finance.questions.patterns import is_put


def asks_figure(told: str, *, names: bool, measures: bool, computes: bool, dated: bool) -> bool:
    """Whether a question is for a figure.

    `told` is the question with placeholders. `names` says whether it names something that there
    are figures of, `measures` whether it names a measure by a word known everywhere, `computes`
    whether something is to be computed, `dated` whether it names a time.
    """
    counted = "METRIC" in told and is_put(told, "prose", "counted")
    if is_put(told, "prose", "reason") or (is_put(told, "prose", "told") and not counted):
        return False
    if is_put(told, "prose", "defined") and not dated:
        return False
    if names or (computes and (measures or dated)):
        return True
    numeric = is_put(told, "prose", "numeric")
    if measures:
        return dated or numeric or is_put(told, "prose", "asking")
    return dated and numeric
