from consilience.packs.chess.books import with_headings, without_matter
from consilience.types import Block, Locator

PROSE = "The rook belongs behind the passed pawn, whether it is one's own or the enemy's."


def block(text: str, *section: str) -> Block:
    return Block(text=text, locator=Locator(section=section))


def test_front_and_back_matter_is_left_out_and_listed():
    blocks = [
        block("Copyright © 2020. All rights reserved.", "Copyright"),
        block("1 Rooks 3\n2 Pawns 9", "Contents"),
        block(PROSE, "1 Rooks"),
        block("Good notes stay.", "Preface"),
        block("Zugzwang: a duty to move.", "Glossary"),
        block("Lasker, Manual of Chess, 1925", "Bibliography"),
        block("rook, 12, 15\nzugzwang, 40", "Index of terms"),
    ]
    kept, left = without_matter(blocks)
    assert [one.locator.section[0] for one in kept] == ["1 Rooks", "Preface", "Glossary"]
    assert left == ("Copyright", "Contents", "Bibliography", "Index of terms")


def test_an_index_is_known_by_its_lines_and_a_list_of_moves_is_none():
    index = "\n".join(f"Opening number {n}, {n * 3}, {n * 3 + 1}" for n in range(1, 12))
    moves = "\n".join(f"{n}. 13-6 25-2{n % 10}" for n in range(1, 12))
    kept, left = without_matter([block(PROSE, "A"), block(index, "Names"), block(moves, "Play")])
    assert [one.locator.section for one in kept] == [("A",), ("Play",)]
    assert left == ("Names",)


def test_a_page_of_credits_without_a_heading_is_left_out():
    page = "First published in 1921 by some house. Printed in Great Britain."
    kept, left = without_matter([block(page), block(PROSE, "A")])
    assert [one.text for one in kept] == [PROSE]
    assert left == ("pages before the first heading",)


def test_a_long_chapter_is_kept_whatever_it_is_called():
    kept, left = without_matter([block(PROSE, "A"), block(f"{PROSE} " * 200, "References")])
    assert len(kept) == 2
    assert left == ()


def test_a_document_that_would_lose_everything_keeps_everything():
    blocks = [block("rook, 12", "Index")]
    assert without_matter(blocks) == (tuple(blocks), ())


def test_the_wrapping_of_a_free_library_goes():
    blocks = [
        block("*** START OF THIS PROJECT GUTENBERG EBOOK X ***", "A"),
        *(block(f"{PROSE} {n}", "A") for n in range(6)),
        block("*** END OF THIS PROJECT GUTENBERG EBOOK X ***", "A"),
        block("You may copy it.", "A"),
    ]
    kept, left = without_matter(blocks)
    assert [one.text for one in kept] == [f"{PROSE} {n}" for n in range(6)]
    assert left == ("the library's licence",)


def test_sections_set_in_capitals_become_headings():
    blocks = [
        block("9. A CARDINAL PRINCIPLE", "CHAPTER I"),
        block(PROSE, "CHAPTER I"),
        block("37. R x B P; P - Q 6 !", "CHAPTER I"),
        block("A NEW WAY TO WIN", "CHAPTER I"),
        block("More of the same.", "CHAPTER I"),
        block("Next.", "CHAPTER II"),
    ]
    headed = with_headings(blocks)
    assert [one.locator.section for one in headed] == [
        ("CHAPTER I", "9. A CARDINAL PRINCIPLE"),
        ("CHAPTER I", "9. A CARDINAL PRINCIPLE"),
        ("CHAPTER I", "A NEW WAY TO WIN"),
        ("CHAPTER II",),
    ]


def test_the_pages_before_the_text_of_a_book_are_left_out():
    long = " ".join([PROSE] * 20)
    blocks = [
        block("THE WAY TO PLAY", "CHESS"),
        block("LONDON: SOME HOUSE, 1921", "CHESS"),
        block("Rooks\nPawns\nKings", "I. ENDINGS"),
        block(
            "This e-text was made of the second edition.", "Information about this e-text edition"
        ),
        block("For those who play.", "Preface"),
        *(block(f"{long} {n}", "Endings") for n in range(10)),
    ]
    kept, left = without_matter(blocks)
    assert left == ("CHESS", "I. ENDINGS", "Information about this e-text edition")
    assert [one.locator.section[0] for one in kept[:2]] == ["Preface", "Endings"]


def test_short_notes_and_moves_before_the_first_prose_stay():
    notes = [block("Rook behind pawn.", "Rooks"), block("King in front.", "Kings")]
    assert without_matter(notes)[1] == ()
    long = " ".join([PROSE] * 20)
    blocks = [block("1.e4 e5 2.Nf3", "Lines"), *(block(f"{long} {n}", "B") for n in range(10))]
    assert without_matter(blocks)[1] == ()


def test_captions_signatures_and_title_lines_are_no_headings():
    lines = (
        "DIAGRAM 118.",
        "DIAG. 9.",
        "[TABLE OF CONTENTS]",
        "WHITE.; BLACK.",
        "BORIS. I—",
        "THE END.",
    )
    blocks = [one for line in lines for one in (block(line, "I"), block(PROSE, "I"))]
    blocks += [block("BY THE AUTHOR", "I"), block("SOLD BY ALL", "I"), block("J. DOE", "I")]
    assert {one.locator.section for one in with_headings(blocks)} == {("I",)}
    assert with_headings([block("GAME NO. 39", "I"), block(PROSE, "I")])[0].locator.section == (
        "I",
        "GAME NO. 39",
    )
