import json
from pathlib import Path

import chess
import pytest

from consilience.evidence.splitter import split
from consilience.packs.chess.books import annotate, drawn_in, is_pgn, prepare
from consilience.protocols import Room
from consilience.settings import build_settings
from consilience.types import Block, Document, Locator
from consilience.workspace import init_workspace, open_workspace
from tests_shared import WordVectors

ROOM = Room(count=lambda texts: [len(text.split()) + 2 for text in texts], limit=256, target=120)
ITALIAN = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq -"
MARKED = """\
   ---------------------------------------
8 |    |    |    |    |    |    | #K |    |
  |---------------------------------------|
7 | #P |    |    |    |    | #P |#Kt | #P |
  |---------------------------------------|
6 |    |    |    |    |    |    |    |    |
  |---------------------------------------|
5 |    |    |    |    |    |    |    |    |
  |---------------------------------------|
4 |    |    |    |    |    |    |    |    |
  |---------------------------------------|
3 |    |    |    |    |    |    | ^B |    |
  |---------------------------------------|
2 |    |    |    |    |    |^P  | ^P | ^P |
  |---------------------------------------|
1 |    |    |    | ^R |    |    | ^K |    |
   ---------------------------------------
    A    B    C    D    E    F    G    H"""
PLACEMENT = "6k1/p4pnp/8/8/8/6B1/5PPP/3R2K1"


PAWNS = "8/8/8/3k4/8/3K4/3P4/8 b - - 0 1"


def book(*blocks: Block) -> Document:
    return Document(title="A Book", kind="document", blocks=blocks)


def passages(document: Document, path: str = "book.md"):
    ready = prepare(document, Path(path), ROOM)
    return annotate(split(ready, collection="books", path=path, room=ROOM))


@pytest.mark.parametrize(
    ("drawing", "placement"),
    [
        (MARKED, PLACEMENT),
        (str(chess.Board()), chess.STARTING_BOARD_FEN),
        (
            "\n".join(f"{8 - at} {row}" for at, row in enumerate(str(chess.Board()).split("\n")))
            + "\n  a b c d e f g h",
            chess.STARTING_BOARD_FEN,
        ),
        (
            "+----+----+----+----+----+----+----+----+\n".join(
                [
                    "",
                    *(
                        ["| wK |    |    | bP |    |    |    | bK |\n"]
                        + 7 * ["|" + 8 * "    |" + "\n"]
                    ),
                ]
            ),
            "K2p3k/8/8/8/8/8/8/8",
        ),
    ],
)
def test_a_board_drawn_with_letters_is_read(drawing, placement):
    legal = placement != "K2p3k/8/8/8/8/8/8/8"  # a pawn cannot stand there
    text = f"Before it.\n{drawing}\nAfter it."
    assert [found for *_, found in drawn_in(text)] == ([placement] if legal else [])


def test_seven_rows_and_tables_are_no_board():
    rows = str(chess.Board()).split("\n")
    assert not list(drawn_in("\n".join(rows[:7])))
    assert not list(drawn_in("\n".join(["| 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 |"] * 8)))


def test_a_drawn_board_is_shown_as_printed_and_found_by_its_position():
    text = f"White to play.\n{MARKED}\nThus 1. R-Q8ch, Kt-K1; 2. RxKtch wins."
    found = passages(book(Block(text=text, locator=Locator(section=("Endings",)))))
    assert "| #P |" in "\n".join(one.text for one in found)
    searched = "\n".join(one.search for one in found)
    assert PLACEMENT in searched
    assert "#P" not in searched
    positions = [key for one in found for key in one.metadata.get("positions", ())]
    assert f"{PLACEMENT} w - -" in positions
    assert any(key.startswith("4R1k1/p4p1p/8/8/8/6B1/5PPP/6K1 b") for key in positions)


def test_figurines_are_searched_plainly_and_shown_as_printed():
    found = passages(book(Block(text="After 1.e4 e5 2.♘f3 ♞c6 3.♗g1-f1 White has nothing.")))
    assert "♘f3" in found[0].text
    assert "Nf3" in found[0].search
    assert len(found[0].metadata["positions"]) == 4


def test_passages_know_openings_by_moves_and_by_name():
    found = passages(
        book(
            Block(
                text="1. P-K4 P-K4; 2. Kt-KB3 Kt-QB3; 3. B-B4 B-B4", locator=Locator(section=("I",))
            ),
            Block(text="The Najdorf is sharper by far.", locator=Locator(section=("II",))),
        )
    )
    assert ITALIAN in found[0].metadata["positions"]
    assert "C50" in found[0].metadata["ecos"]
    assert any("Italian" in name for name in found[0].metadata["openings"])
    assert any("Najdorf" in name for name in found[1].metadata["openings"])


def test_a_record_begins_from_the_position_that_it_says():
    about = {"metadata.pgn": "1. e4 c5", "metadata.name": "Sicilian"}
    blocks = [
        Block(text="Here 2.Nf3 d6 is met most.", whole=True, metadata=about),
        Block(text="Here 2.Nf3 Nc6 is met most.", whole=True, metadata={"fen": PAWNS}),
    ]
    found = passages(book(*blocks), "texts.jsonl")
    assert (
        "rnbqkbnr/pp2pppp/3p4/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -"
        in found[0].metadata["positions"]
    )
    assert found[1].metadata["positions"] == ("8/8/8/3k4/8/3K4/3P4/8 b - -",)


def test_records_are_texts_of_their_own_and_none_is_front_matter():
    blocks = [
        Block(text=word, whole=True, locator=Locator(section=("Index",)))
        for word in ("rook", "king")
    ]
    assert len(passages(book(*blocks), "texts.jsonl")) == 2


def test_the_same_book_gives_the_same_ids():
    document = book(Block(text=f"1.e4 e5 2.Nf3\n{MARKED}\n2...Nc6 3.Bb5"))
    first, second = passages(document), passages(document)
    assert first == second
    assert first[0].metadata["positions"]


def test_a_text_of_games_is_known_by_its_tags(tmp_path: Path):
    games = tmp_path / "games.txt"
    games.write_text('\ufeff[Event "A"]\n[White "B"]\n\n1. e4 e5 *\n', encoding="utf-8")
    prose = tmp_path / "prose.txt"
    prose.write_text("[1] A note.\n\n1. e4 is best by test.\n", encoding="utf-8")
    assert is_pgn(games)
    assert not is_pgn(prose)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    files = folder / "files"
    files.mkdir()
    (files / "old.md").write_text(
        "# An Old Book\n\n## The Quiet Game\n\nThis way of beginning is slow and sound, as all "
        "agree: 1. P-K4, P-K4; 2. Kt-KB3, Kt-QB3; 3. B-B4, B-B4.\n\n## Pins\n\nA pin binds.\n"
    )
    (files / "page.html").write_text(
        "<html><body><h1>Forks</h1><p>A knight on c7 forks king and rook.</p></body></html>"
    )
    (files / "games.txt").write_text('[White "Doe"]\n[Black "Roe"]\n\n1. d4 d5 2. c4 dxc4 *\n')
    (files / "notes.txt").write_text("Bishops like open lines, and rooks like open files.\n")
    (files / "players.csv").write_text("name,born\nLasker,1868\nEuwe,1901\n")
    texts = [
        {"text": f"Text {n} tells in ten words or more what a good move is.", "n": n}
        for n in (1, 2)
    ]
    (files / "texts.jsonl").write_text("\n".join(json.dumps(one) for one in texts))
    nodes = [{"node": name} for name in ("Lasker", "Steinitz")]
    graph = [*nodes, {"edge": ["Lasker", "BEAT", "Steinitz"]}]
    (files / "who.graph.jsonl").write_text("\n".join(json.dumps(one) for one in graph))
    space = init_workspace(folder / "space", pack="chess")
    patient = {"retrieve.soft_ms": 20_000, "retrieve.hard_ms": 30_000}
    settings = build_settings({"pack": "chess", "models.rerank": "none", **patient})
    with open_workspace(space, settings=settings, embedder=WordVectors()) as workspace:
        report = workspace.add([files])
        assert not report.failed
        yield workspace


def test_files_of_every_kind_go_where_they_belong(shelf):
    kinds = {
        (Path(one.document).name, one.collection, one.kind)
        for collection in shelf.catalogue.counts()
        for one in shelf.catalogue.each(collection)
    }
    assert kinds >= {
        ("old.md", "books", "book"),
        ("page.html", "books", "book"),
        ("notes.txt", "books", "book"),
        ("texts.jsonl", "books", "book"),
        ("games.txt", "games", "game"),
        ("players.csv", "tables", "row"),
    }
    assert any(name == "who.graph.jsonl" and where == "graph" for name, where, _ in kinds)


def test_moves_in_algebraic_notation_find_the_old_book_by_position(shelf):
    result = shelf.search("1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5")
    first = {one.passage.id: Path(one.passage.document).name for one in result.hits[:2]}
    (found,) = next(one for one in result.trace.rankings if one.source == "books/position").found
    assert first[found.id] == "old.md"
