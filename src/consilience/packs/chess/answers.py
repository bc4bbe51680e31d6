"""What does an answer say from games? The pack's writer for passages of the kind `game`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from consilience.packs.chess.extra import later
from consilience.types import Exhibit, Passage, Statement

_Chosen = Callable[[Sequence[Exhibit], str], Sequence[Exhibit]]
_Told = Sequence[tuple[Exhibit, Sequence[Statement]]]
_find_asked: _Chosen = later("games", "asked_game")
_rank: _Chosen = later("games", "fitting")
_match_move: Callable[[Exhibit, str], int] = later("games", "named")
_first_piece: Callable[[Exhibit, Sequence[Exhibit]], Exhibit] = later("games", "first_piece")
_is_asked_for: Callable[[str], bool] = later("games", "wanted_by")
_is_related: Callable[[Exhibit, str], bool] = later("games", "related")
_is_touched: Callable[[Exhibit, str], bool] = later("games", "touched")
_arrange: Callable[[_Told], _Told] = later("games", "in_order")
_write_piece: Callable[..., Sequence[Statement]] = later("citations", "statements")
_write_whole: Callable[..., Sequence[Statement]] = later("citations", "told")


class GameWriter:
    """Writes from games: their moves around what is asked, with comments and boards."""

    heading = "Games"

    def identity(self, passage: Passage) -> Hashable:
        """The game, by its file and its number in it."""
        return (passage.document, passage.locator.get("game"))

    def is_asked_for(self, question: str) -> bool:
        """Whether a question asks for games themselves."""
        return _is_asked_for(question)

    def find_whole(self, exhibits: Sequence[Exhibit], question: str) -> Sequence[Exhibit]:
        """The pieces of the one game that a question is about, in playing order."""
        return _find_asked(exhibits, question)

    def match(self, exhibit: Exhibit, question: str) -> int:
        """How far a game has the last move that a question names."""
        return _match_move(exhibit, question)

    def is_related(self, exhibit: Exhibit, question: str) -> bool:
        """Whether a game is about what is asked."""
        return _is_related(exhibit, question)

    def is_telling(self, exhibit: Exhibit, written: Sequence[Statement], question: str) -> bool:
        """Whether comments were written, and the game has anything of what is asked."""
        commented = any(statement.form != "lines" for statement in written)
        return commented and _is_touched(exhibit, question)

    def rank(self, exhibits: Sequence[Exhibit], question: str) -> Sequence[Exhibit]:
        """The games that fit a question, those with the move that it names first."""
        return _rank(exhibits, question)

    def levels(self, exhibit: Exhibit) -> tuple[str, ...]:
        """What a game is about: its header, then what it belongs to."""
        passage = exhibit.passage
        known = [str(passage.metadata.get(name, "")) for name in ("white", "chapter", "opening")]
        return (" ".join(known), passage.text.partition("\n\n")[0], passage.title)

    def joins(self, passage: Passage, sides: Sequence[Callable[[str], bool]]) -> bool:
        """Whether a game was played by the two whom a question names."""
        white, black = (str(passage.metadata.get(side, "")) for side in ("white", "black"))
        is_first, is_second = sides
        return bool(white and black) and (
            (is_first(white) and is_second(black)) or (is_first(black) and is_second(white))
        )

    def write_opening(
        self, exhibits: Sequence[Exhibit], question: str, *, comments: int, figure: bool
    ) -> tuple[Sequence[Statement], set[int]]:
        """The story of the one game that is asked about, or the game that fits best."""
        games = [exhibit for exhibit in exhibits if exhibit.passage.kind == "game"]
        if not games:
            return [], set()
        whole = _find_asked(exhibits, question)
        if whole:
            story = _write_whole(whole, question, comments=comments, board=figure)
            return story, {exhibit.mark for exhibit in whole}
        best = _rank(games, question)[0]
        if _is_asked_for(question) and not _match_move(best, question):
            best = _first_piece(best, games)
        return self.write(best, question, comments=comments, figure=figure), {best.mark}

    def write(
        self, exhibit: Exhibit, question: str, *, comments: int, figure: bool
    ) -> Sequence[Statement]:
        """The moves of a game around what is asked, then comments."""
        return _write_piece(exhibit, question, comments=comments, board=figure)

    def arrange(
        self, written: Sequence[tuple[Exhibit, Sequence[Statement]]]
    ) -> Sequence[tuple[Exhibit, Sequence[Statement]]]:
        """Games as they come, the pieces of one game together and in playing order."""
        return _arrange(written)
