"""What does the score of a hit add up from? Votes, and what was done since."""

from __future__ import annotations

from consilience.fuse import NEIGHBOURS
from consilience.relevance import Calibration, best_of
from consilience.types import Change, Hit, Result, Vote


def why(hit: Hit) -> list[str]:
    """The arithmetic of one hit in plain lines; the numbers add up to its score."""
    lines = [line for vote in hit.votes for line in _vote(vote)]
    lines.extend(_change(change) for change in hit.changes)
    if hit.merged:
        lines.append(f"stands for {len(hit.merged)} more of the same: {', '.join(hit.merged)}")
    lines.append(f"score {hit.score:.6f}")
    return lines


def answerable(result: Result, calibration: Calibration | None) -> list[str]:
    """How the chance that anything answers comes about; nothing where it is not known."""
    part = calibration.answerable if calibration else None
    if part is None:
        return []
    best = best_of([*result.hits, *result.more], result.query.text, part.reranker)
    return [part.explained(best)] if best else []


def total(hit: Hit) -> float:
    """What the votes and changes of a hit add up to: its score."""
    return sum(vote.contribution for vote in hit.votes) + sum(one.delta for one in hit.changes)


def _vote(vote: Vote, indent: str = "") -> list[str]:
    rank = f"rank {vote.rank}" if vote.rank else _unranked(vote)
    line = (
        f"{indent}{vote.source}: {rank}, its score {vote.score:.4f}, "
        f"weight {vote.weight:g} → {vote.contribution:+.6f}"
    )
    because = [f"{indent}  {vote.because}"] if vote.because else []
    inner = (line for part in vote.parts for line in _vote(part, indent + "  "))
    return [line, *because, *inner]


def _unranked(vote: Vote) -> str:
    """Why a vote has no rank: neighbours find nothing, they have scores of their own."""
    heard = vote.source.rpartition("/")[2] == NEIGHBOURS
    return "the mean of those most like it" if heard else "not among its first"


def _change(change: Change) -> str:
    if change.before is not None:
        return f"{change.step}: moved from {change.before} to {change.after} ({change.reason})"
    own = "" if change.score is None else f", its score {change.score:.4f}"
    return f"{change.step}: {change.delta:+.6f} ({change.reason}{own})"
