"""Books: reading order, chapters, protection, damage."""

from __future__ import annotations

import zipfile
from itertools import product

import pytest
from loader_files import NAV_ITEM, NCX_ITEM, epub_bytes, nav, package, page

from consilience.errors import LoadError
from consilience.evidence.loaders import archive
from consilience.evidence.loaders.epub import LOADER

load = LOADER.load


def pairs(document):
    return [(block.locator.section, block.text) for block in document.blocks]


def book(write, files):
    return load(write("book.epub", epub_bytes(files)))


ONE = page("<h1>Chapter One</h1><p>First.</p><h2>Inner</h2><p>Second.</p>")
TWO = page("<p>Third.</p>")


def test_chapters_come_in_spine_order_under_the_titles_of_the_contents(write):
    entries = (
        '<li><span>Part I</span><ol><li><a href="text/one%20a.xhtml">Chapter One</a></li></ol></li>'
        '<li><a href="text/two.xhtml">The Second</a></li>'
    )
    found = book(
        write,
        {
            "OPS/book.opf": package(["text/one%20a.xhtml", "text/two.xhtml"], extra=NAV_ITEM),
            "OPS/text/two.xhtml": TWO,
            "OPS/text/one a.xhtml": ONE,
            "OPS/nav.xhtml": nav(entries),
        },
    )
    assert (found.title, found.kind) == ("The Book", "book")
    assert found.metadata == {"author": "Ann Author", "language": "en"}
    assert pairs(found) == [
        (("Part I", "Chapter One"), "First."),
        (("Part I", "Chapter One", "Inner"), "Second."),
        (("The Second",), "Third."),
    ]


def test_the_contents_of_epub_2_are_read(write):
    ncx = (
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>Part'
        '</text></navLabel><content src="one.xhtml"/><navPoint><navLabel><text>Later</text>'
        '</navLabel><content src="one.xhtml#x"/></navPoint></navPoint></navMap></ncx>'
    )
    found = book(
        write,
        {
            "OPS/book.opf": package(["one.xhtml"], extra=NCX_ITEM, toc=' toc="ncx"'),
            "OPS/one.xhtml": page('<p>A</p><p id="x">B</p>'),
            "OPS/toc.ncx": ncx,
        },
    )
    assert pairs(found) == [(("Part",), "A"), (("Part", "Later"), "B")]


def test_without_contents_headings_are_the_path(write):
    found = book(write, {"OPS/book.opf": package(["one.xhtml"]), "OPS/one.xhtml": ONE})
    assert pairs(found) == [
        (("Chapter One",), "First."),
        (("Chapter One", "Inner"), "Second."),
    ]


def test_a_file_that_the_contents_do_not_name_goes_on_with_its_chapter(write):
    found = book(
        write,
        {
            "OPS/book.opf": package(["one.xhtml", "two.xhtml"], extra=NAV_ITEM),
            "OPS/one.xhtml": ONE,
            "OPS/two.xhtml": TWO,
            "OPS/nav.xhtml": nav('<li><a href="one.xhtml">Chapter One</a></li>'),
        },
    )
    assert pairs(found)[-1] == (("Chapter One",), "Third.")


def test_the_title_of_the_book_is_not_repeated_in_paths(write):
    entries = (
        '<li><a href="one.xhtml">THE BOOK</a><ol><li><a href="two.xhtml">Two</a></li></ol></li>'
    )
    found = book(
        write,
        {
            "OPS/book.opf": package(["one.xhtml", "two.xhtml"], extra=NAV_ITEM),
            "OPS/one.xhtml": page("<h1>The Book</h1><p>Front.</p>"),
            "OPS/two.xhtml": TWO,
            "OPS/nav.xhtml": nav(entries),
        },
    )
    assert pairs(found) == [((), "Front."), (("Two",), "Third.")]


def test_missing_chapters_are_noted_and_the_rest_is_read(write):
    files = {"OPS/book.opf": package(["one.xhtml", "gone.xhtml"]), "OPS/one.xhtml": ONE}
    found = book(write, files)
    assert len(found.blocks) == 2
    assert "OPS/gone.xhtml" in found.notes[0]


def encryption(algorithm: str) -> str:
    return (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData '
        'xmlns="http://www.w3.org/2001/04/xmlenc#"><EncryptionMethod '
        f'Algorithm="{algorithm}"/></EncryptedData></encryption>'
    )


def test_a_protected_book_is_refused_and_scrambled_fonts_are_not(write):
    files = {"OPS/book.opf": package(["one.xhtml"]), "OPS/one.xhtml": ONE}
    fonts = encryption("http://www.idpf.org/2008/embedding")
    assert book(write, {**files, "META-INF/encryption.xml": fonts}).blocks
    drm = encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc")
    with pytest.raises(LoadError, match="protected"):
        book(write, {**files, "META-INF/encryption.xml": drm})


def test_what_is_no_book_is_refused(write, tmp_path):
    with pytest.raises(LoadError, match="not an EPUB"):
        load(write("a.epub", "hello"))
    with pytest.raises(LoadError, match=r"has no OPS/book\.opf"):
        load(write("b.epub", epub_bytes({})))
    with pytest.raises(LoadError, match="no such file"):
        load(tmp_path / "none.epub")


def test_entities_are_refused(write):
    opf = package(["one.xhtml"]).replace(
        '<?xml version="1.0"?>', '<!DOCTYPE p [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    )
    with pytest.raises(LoadError, match="entities"):
        book(write, {"OPS/book.opf": opf, "OPS/one.xhtml": ONE})


def test_a_decompression_bomb_is_refused(write):
    files = {"OPS/book.opf": package(["one.xhtml"]), "OPS/one.xhtml": "x" * 30_000_000}
    with pytest.raises(LoadError, match="bomb"):
        book(write, files)


def test_all_chapters_together_are_bounded(write, monkeypatch):
    monkeypatch.setattr(archive, "MOST_BYTES", 20_000)
    names = [f"c{at}.xhtml" for at in range(30)]
    chapters = {f"OPS/{name}": page("<p>word</p>" * 200) for name in names}
    with pytest.raises(LoadError, match="bomb"):
        book(write, {"OPS/book.opf": package(names), **chapters})


def test_a_chapter_that_is_named_three_hundred_times_is_read_once(write):
    names = [
        "".join(pair) for pair in product(*((letter, letter.upper()) for letter in "onexhtml"))
    ]
    names = [f"{name[:3]}.{name[3:]}" for name in names]
    found = book(write, {"OPS/book.opf": package(names * 2), "OPS/one.xhtml": ONE})
    assert len(names) == 256
    assert len(found.blocks) == 2


def test_a_damaged_chapter_is_left_out_and_said(write):
    path = write(
        "a.epub",
        epub_bytes(
            {
                "OPS/book.opf": package(["one.xhtml", "two.xhtml"]),
                "OPS/one.xhtml": ONE,
                "OPS/two.xhtml": TWO,
            }
        ),
    )
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("OPS/two.xhtml")
        start = info.header_offset + 30 + len(info.filename) + 4
    data = bytearray(path.read_bytes())
    data[start : start + 12] = b"\xff" * 12
    path.write_bytes(bytes(data))
    found = load(path)
    assert len(found.blocks) == 2
    assert "two.xhtml" in found.notes[0]
