"""What does an answer say from games? The pack's writer for passages of the kind `game`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from consilience.packs.chess import game_citations, game_selection, stories
from consilience.types import Exhibit, Passage, Statement


class GameWriter:
    """Writes from games: their moves around what is asked, with comments and boards."""

    heading = "Games"

    def identity(self, passage: Passage) -> Hashable:
        """The game, by its file and its number in it."""
        return (passage.document, passage.locator.get("game"))

    def is_asked_for(self, question: str) -> bool:
        """Whether a question asks for games themselves."""
        return game_selection.wanted_by(question)

    def find_whole(self, exhibits: Sequence[Exhibit], question: str) -> Sequence[Exhibit]:
        """The pieces of the one game that a question is about, in playing order."""
        return game_selection.asked_game(exhibits, question)

    def match(self, exhibit: Exhibit, question: str) -> int:
        """How far a game has the last move that a question names."""
        return game_selection.named(exhibit, question)

    def is_related(self, exhibit: Exhibit, question: str) -> bool:
        """Whether a game is about what is asked."""
        return game_selection.related(exhibit, question)

    def is_telling(self, exhibit: Exhibit, written: Sequence[Statement], question: str) -> bool:
        """Whether comments were written, and the game has anything of what is asked."""
        commented = any(statement.form != "lines" for statement in written)
        return commented and game_selection.touched(exhibit, question)

    def rank(self, exhibits: Sequence[Exhibit], question: str) -> Sequence[Exhibit]:
        """The games that fit a question, those with the move that it names first."""
        return game_selection.fitting(exhibits, question)

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
        whole = game_selection.asked_game(exhibits, question)
        if whole:
            story = stories.told(whole, question, comments=comments, board=figure)
            return story, {exhibit.mark for exhibit in whole}
        best = game_selection.fitting(games, question)[0]
        if game_selection.wanted_by(question) and not game_selection.named(best, question):
            best = game_selection.first_piece(best, games)
        return self.write(best, question, comments=comments, figure=figure), {best.mark}

    def write(
        self, exhibit: Exhibit, question: str, *, comments: int, figure: bool
    ) -> Sequence[Statement]:
        """The moves of a game around what is asked, then comments."""
        return game_citations.statements(exhibit, question, comments=comments, board=figure)

    def arrange(
        self, written: Sequence[tuple[Exhibit, Sequence[Statement]]]
    ) -> Sequence[tuple[Exhibit, Sequence[Statement]]]:
        """Games as they come, the pieces of one game together and in playing order."""
        return game_selection.in_order(written)
