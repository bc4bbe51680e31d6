"""Of which kind is a question: opening, concept or mixed? By what evidence answers it.

Games show, books tell. So the rule asks two things of what `asking` found:

- Does the question name what games can be looked up by? A position, a line of moves, a code, an
  opening, a numbered move; or players together with a word of games played ("beat", "game",
  "match", a year): who asks how Morphy won at the opera wants that game, whatever was opened
  with. A theme then says which game it was; only words of explanation ask for more.
- Does it ask for reasons? By words of explanation ("plan", "why", "idea", "weakness") or by a
  theme that players explain ("isolated pawn", "opposition"). The word "how" alone does not, where
  an opening is named: "How should Black meet the Evans Gambit?" wants moves.

Named and no reasons asked is `opening`; reasons and nothing named is `concept`; both is `mixed`.
Where openings, positions or moves are named, games keep their full share of voice: they lose
places there that they are worth. Mixed is a theme as well for which games are wanted ("model games
with an isolated pawn"). A move that has no number and no opening ("Bxh7+", "...d5") is the name of
an idea where reasons are asked, and an opening's move where they are not. Words in which nothing of
chess is known, and which ask for no reasons, are `none` of these: searched like a concept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from consilience.pack import Reading, Rule
from consilience.packs.chess.questions import Sought, read_question, told_codes
from consilience.types import Emphasis


@dataclass(frozen=True, slots=True, kw_only=True)
class _Follows:
    """What follows from a kind: weights of sources, shares and depths of collections, cover."""

    weights: Mapping[str, float] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)
    depths: Mapping[str, float] = field(default_factory=dict)
    cover: Mapping[str, int] = field(default_factory=dict)
    emphasis: Emphasis | None = None


FOLLOWS: Mapping[str, _Follows] = {
    "exact": _Follows(
        weights={"position": 4.0, "dense": 0.5, "bm25": 0.5},
        shares={"games": 1.3},
        depths={"games": 1.5},
        cover={"game": 10},
    ),
    "opening": _Follows(
        weights={"position": 2.0},
        shares={"games": 1.3},
        depths={"games": 1.5},
        cover={"game": 10},
    ),
    "concept": _Follows(
        weights={"position": 0.5},
        shares={"books": 1.3},
        depths={"books": 1.5},
        cover={"book": 10},
        emphasis="ideas",
    ),
    "none": _Follows(weights={"position": 0.5}, shares={"books": 1.3}, depths={"books": 1.5}),
    "mixed": _Follows(
        weights={"position": 2.0},
        cover={"game": 10, "book": 10},
        emphasis="ideas",
    ),
}
"""What follows from each kind of question; `exact` is an opening that only moves or codes name."""


def route(reading: Reading) -> Rule | None:
    """The rule of a question's kind; its name says what fired. None where nothing did."""
    sought = read_question(reading.text)
    kind = intent(sought)
    if kind is None:
        return None
    follows = FOLLOWS["exact" if kind == "opening" and sought.bare else kind]
    return Rule(
        name=_why(sought),
        intent=kind,
        fires=lambda other: intent(read_question(other.text)) == kind,
        weights=follows.weights,
        shares=follows.shares,
        depths=follows.depths,
        cover=follows.cover,
        emphasis="lines" if kind == "mixed" and (sought.lines or sought.fens) else follows.emphasis,
        damps=not (sought.openings or sought.bare),
        exact=sought.bare and not sought.lines,
    )


def intent(sought: Sought) -> str | None:
    """`opening`, `concept`, `mixed`, `none` of these, or None where there are no words at all."""
    if not sought.chess:
        return ("concept" if sought.why else "none") if sought.worded else None
    named, reasons = _named(sought), _reasons(sought)
    if named:
        lookup = all(one.startswith(("players", "a game")) for one in named)
        return "mixed" if sought.why or (reasons and not lookup) else "opening"
    if sought.lists and sought.themes:
        return "mixed"
    if sought.lists or (sought.moves and not reasons and not sought.asks):
        return "opening"
    return "concept"


def _named(sought: Sought) -> list[str]:
    """What games can be looked up by, in words for people."""
    numbered = [move for move in sought.moves if move[0].isdigit()]
    played = sought.games or sought.years or len(sought.players) > 1
    kinds = (
        ("a position", ["FEN"] if sought.fens else []),
        ("moves", [str(line) for line in sought.lines]),
        ("an ECO code", list(told_codes(sought.ecos))[:3]),
        ("an opening", [one.surface for one in sought.openings]),
        ("a move", numbered),
        ("players", list(sought.players) if played else []),
        ("a game", list(sought.famous)),
    )
    return [f"{kind} ({', '.join(words)})" for kind, words in kinds if words]


def _reasons(sought: Sought) -> list[str]:
    """What asks for an explanation, in words for people."""
    themes = [one for one in sought.themes if one not in sought.why]
    found = [f"words of explanation ({', '.join(sought.why)})"] if sought.why else []
    return [*found, *([f"a theme ({', '.join(themes)})"] if themes else [])]


def _why(sought: Sought) -> str:
    """What fired: `an opening (Najdorf) and words of explanation (plan)`."""
    found = [*_named(sought), *_reasons(sought)]
    if sought.lists:
        found.append("games wanted")
    if not found:
        words = "words of chess" if sought.chess else "no word of chess"
        found = [f"a move ({', '.join(sought.moves)})"] if sought.moves else [words]
    return " and ".join((", ".join(found[:-1]), found[-1]) if len(found) > 1 else found)
