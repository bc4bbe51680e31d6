"""Web pages: what a reader sees, under its headings."""

from __future__ import annotations

import pytest

from consilience.errors import LoadError
from consilience.evidence.loaders.html import LOADER

load = LOADER.load


def pairs(document):
    return [(block.locator.section, block.text) for block in document.blocks]


def test_headings_paragraphs_lists_tables_and_code(write):
    found = load(
        write(
            "a.html",
            "<html lang=en><head><title>T - Site</title><meta name=author content='Ann B'></head>"
            "<body><h1>Top</h1>loose <b>words</b><p>One<br>two</p><h2>Sec</h2>"
            "<ul><li>a<ol><li>b</ol><li>c</ul><h3>Deep</h3><pre>  x\n    y</pre>"
            "<table><tr><th>X<th>Y<tr><td>1<td><p>2</p></table><h2>End</h2><blockquote>q</blockquote>",
        )
    )
    assert found.title == "Top"
    assert found.metadata == {"language": "en", "author": "Ann B"}
    assert pairs(found) == [
        ((), "loose words"),
        ((), "One\ntwo"),
        (("Sec",), "- a\n  1. b\n- c"),
        (("Sec", "Deep"), "x\n  y"),
        (("Sec", "Deep"), "X: 1; Y: 2"),
        (("End",), "q"),
    ]


def test_menus_scripts_and_footers_are_left_out(write):
    body = (
        "<nav>menu</nav><script>s</script><style>c</style><aside>ad</aside><p>Text</p>"
        "<div role=navigation>links</div><p hidden>no</p><footer>foot</footer>"
    )
    assert pairs(load(write("a.html", body))) == [((), "Text")]


def test_a_page_that_is_all_aside_is_read_all_the_same(write):
    assert pairs(load(write("a.html", "<aside><p>All there is</p></aside>"))) == [
        ((), "All there is")
    ]


def test_a_table_without_a_header_names_no_columns_and_one_for_layout_is_a_frame(write):
    plain = "<table><tr><td>1. e4<td>e5<tr><td>2. Nf3<td>Nc6</table>"
    assert pairs(load(write("a.html", plain))) == [((), "1. e4; e5\n2. Nf3; Nc6")]
    layout = "<table><tr><td><h2>Left</h2><p>One</p><td><p>Two</p></table>"
    assert pairs(load(write("b.html", layout))) == [(("Left",), "One"), (("Left",), "Two")]


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ("<meta charset=windows-1251>", "cp1251"),
        ("<meta charset=iso-8859-1>", "cp1252"),
        ("", "utf-8"),
    ],
)
def test_the_declared_encoding_is_honoured(write, head, encoding):
    word = "Привет" if encoding == "cp1251" else "café — ok"
    found = load(write("a.html", f"{head}<p>{word}</p>".encode(encoding)))
    assert pairs(found) == [((), word)]
    assert found.notes == ()


@pytest.mark.parametrize("name", ["hex", "rot13", "utf-16", "no-such"])
def test_a_declared_encoding_that_is_none_is_passed_over(write, name):
    assert pairs(load(write("a.html", f"<meta charset={name}><p>été</p>"))) == [((), "été")]


def test_xhtml_may_close_its_title_in_its_own_tag(write):
    text = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><p>Seen</p></body></html>'
    found = load(write("a-page.xhtml", text))
    assert pairs(found) == [((), "Seen")]
    assert found.title == "a page"


def test_the_page_title_serves_where_no_single_h1_does(write):
    assert (
        load(write("a.html", "<title> My\nPage </title><h1>A</h1>x<h1>B</h1>y")).title == "My Page"
    )


def test_absurd_nesting_is_refused_at_once(write):
    with pytest.raises(LoadError, match="nested"):
        load(write("a.html", "<div>" * 50_000 + "x"))


def test_deep_but_possible_nesting_is_read(write):
    assert pairs(load(write("a.html", "<div>" * 3000 + "deep"))) == [((), "deep")]
