"""Of which kind is a question: opening, concept or mixed? By what evidence answers it.

Games show, books tell. So the rule asks two things of what `questions` found:

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

Positions, moves and codes mean nothing to those who cannot read them: the name of the opening says
what books and annotators would call it. And whatever words say, a passage that holds the very
position comes before one that does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from consilience.pack import Reading, Rule
from consilience.packs.chess.notation import epd, fens_in
from consilience.packs.chess.openings import name_of, opening_of, openings_at
from consilience.packs.chess.questions import Sought, read_question, told_codes
from consilience.types import Boost, Emphasis, Filter, Term


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
    given = sought.lines or sought.fens
    by_moves = kind == "mixed" and bool(given) and not sought.openings
    return Rule(
        name=_why(sought),
        intent=kind,
        fires=lambda other: intent(read_question(other.text)) == kind,
        weights=follows.weights,
        shares=follows.shares,
        depths=follows.depths,
        cover=follows.cover,
        emphasis="lines" if by_moves else follows.emphasis,
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


WEIGHT = 0.5
"""What a name that stands for moves weighs against the words of the question."""
EXACT = 0.15
"""The share of its score that a passage gains by holding what is asked for: more than lies between
the first and the last of those that are shown.
"""
SPOKEN = 0.1
"""What it gains besides if it stops there and speaks, so that notes come before bare moves."""
NAMED = 0.05
"""The same for a passage of an opening that is named: a nudge, words find names as well."""
MOST = 3
"""Codes of a range that are put into words or preferred."""


def expand(text: str) -> tuple[Term, ...]:
    """The names of the openings that a question's positions, moves and codes belong to."""
    sought = read_question(text)
    known = {name.casefold() for name in sought.names}
    found = {
        name: Term(text=name, weight=WEIGHT, origin=origin, replaces=replaces)
        for name, origin, replaces in _wording_named(text, sought)
        if name.casefold() not in known
    }
    return tuple(found.values())


def boosts(reading: Reading) -> tuple[Boost, ...]:
    """That what holds the very position or code of a question comes before what does not."""
    sought = read_question(reading.text)
    ends = [line.positions[-1] for line in sought.lines if line.first + len(line.moves) > 1]
    positions = dict.fromkeys((*sought.fens, *ends))
    found = [
        Boost(condition=Filter(name, "=", epd), factor=EXACT, reason="it holds the position")
        for epd in positions
        for name in ("positions", "mentioned")
    ]
    found += [
        Boost(
            condition=Filter("focus", "=", epd), factor=SPOKEN, reason="it speaks of the position"
        )
        for epd in positions
    ]
    codes = [
        Boost(condition=Filter(name, "=", code), factor=EXACT, reason=f"it is {code}")
        for code in sought.ecos[:MOST]
        for name in ("eco", "ecos")
    ]
    named = [
        Boost(
            condition=Filter(field, "contains", name), factor=NAMED, reason=f"it is in the {name}"
        )
        for name in sought.names
        if not any(other != name and other in name for other in sought.names)
        for field in ("opening", "openings")
    ]
    return (*found, *codes, *named)


def certain(identifier: str) -> bool:
    """Whether an identifier answers by itself: a position or a code, unlike a name."""
    return identifier.count("/") == 7 or name_of(identifier) is not None


def _wording_named(text: str, sought: Sought) -> Iterator[tuple[str, str, bool]]:
    """Names, what they stand for in the question, and whether that says nothing by itself."""
    for spelt, board in fens_in(text):
        if (opening := openings_at(epd(board))) is not None:
            yield opening.name, spelt, True
    for line in sought.lines:
        if (found := opening_of(line.positions)) is not None:
            yield found.name, str(line), sought.bare
    for code in sought.ecos[:MOST]:
        if (name := name_of(code)) is not None:
            yield name, code, sought.bare
