"""The page about fusing says what the table says."""

from __future__ import annotations

from pathlib import Path

import pytest

from consilience.engine.fusion import FUSERS, fuse
from consilience.engine.fusion_methods import Fuser
from consilience.plain_runs import FusedRanking
from consilience.types import Found, Ranking

PAGE = (Path(__file__).parents[2] / "docs" / "fusing.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("fuser", FUSERS.values(), ids=list(FUSERS))
def test_every_fuser_has_its_row(fuser: Fuser) -> None:
    base = "–" if fuser.rank_base == "none" else fuser.rank_base
    scores = "yes" if fuser.uses_scores else "no"
    cells = (f"`{fuser.name}`", fuser.formula, base, scores, fuser.weights, fuser.origin)
    assert f"| {' | '.join(cells)} |\n" in PAGE


def test_the_page_names_no_fuser_that_is_not_there() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| `") and line.count("|") == 7]
    assert [row.split("`")[1] for row in rows] == list(FUSERS)


def test_the_example_on_the_page_runs_and_is_right() -> None:
    code = PAGE.partition("```python\n")[2].partition("```")[0]
    names: dict[str, FusedRanking] = {}
    exec(code, names)
    fused = names["fused"]
    assert list(fused.items()) == [("b", 1 / 62 + 1 / 61), ("a", 1 / 61), ("c", 1 / 62)]
    votes = [(vote.source, vote.rank, vote.contribution) for vote in fused.votes("b")]
    assert votes == [("bm25", 2, 1 / 62), ("dense", 1, 1 / 61)]


def test_a_fuser_says_whether_it_needs_scores() -> None:
    """Scores squared: the order of each source is the same, and only some fusers notice."""
    plain = {"x/bm25": {"a": 5.0, "b": 3.0, "c": 2.0}, "x/dense": {"c": 3.0, "d": 2.0, "b": 1.0}}

    def fused(method: str, power: int) -> dict[str, float]:
        rankings = [
            Ranking(
                source=source,
                collection="x",
                found=tuple(Found(each, score**power) for each, score in scores.items()),
            )
            for source, scores in plain.items()
        ]
        return dict(fuse(rankings, method=method).order)

    for name, fuser in FUSERS.items():
        assert (fused(name, 1) != fused(name, 2)) == fuser.uses_scores, name
