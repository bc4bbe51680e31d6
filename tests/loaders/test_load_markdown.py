"""Markdown: sections, plain text, front matter."""

from __future__ import annotations

from consilience.evidence.loaders.markdown import LOADER

load = LOADER.load


def read(write, text, name="a-note.md"):
    return load(write(name, text))


def pairs(document):
    return [(block.locator.section, block.text) for block in document.blocks]


def test_headings_are_the_section_path_and_a_lone_h1_is_the_title(write):
    found = read(
        write,
        "# Optics\n\nIntro.\n\n## Lenses\n\nThin.\n\n#### Deep\n\nThick.\n\n## Eyes\n\nSee.\n",
    )
    assert found.title == "Optics"
    assert pairs(found) == [
        ((), "Intro."),
        (("Lenses",), "Thin."),
        (("Lenses", "Deep"), "Thick."),
        (("Eyes",), "See."),
    ]


def test_several_h1_are_sections_and_the_file_gives_the_title(write):
    found = read(write, "# A\n\none\n\n# B\n\ntwo\n")
    assert found.title == "a note"
    assert pairs(found) == [(("A",), "one"), (("B",), "two")]


def test_markup_is_gone_and_words_stay(write):
    text = "A *very* **bold** [link](http://x.y) with `code`, a <b>tag</b>\nand &amp; more.\\\nNew."
    assert pairs(read(write, text)) == [((), "A very bold link with code, a tag and & more.\nNew.")]


def test_text_between_angle_brackets_that_is_no_markup_stays(write):
    text = (
        'A Map<String, List<T>> of a <b and c> d, <your-name> too, <i class="x">not</i> <br/> this'
        " <!-- nor this --> at <https://x.y>.\n\n<config>\nlives here\n</config>\n\n"
        "<div>\nVec<T> and <em>words</em>\n</div>"
    )
    assert [block.text for block in read(write, text).blocks] == [
        "A Map<String, List<T>> of a <b and c> d, <your-name> too, not\nthis at https://x.y.",
        "<config> lives here </config>",
        "Vec<T> and words",
    ]


def test_images_speak_by_captions_of_several_words(write):
    text = "![img](a.png)\n\n![The retina of an eye](b.png)"
    assert pairs(read(write, text)) == [((), "The retina of an eye")]


def test_lists_quotes_code_and_tables_are_blocks(write):
    text = (
        "- one\n- two\n  1. a\n  2. b\n\n> quoted\n> words\n\n```python\nif x:\n    y()\n```\n\n"
        "| Country | Height |\n|---|---|\n| France | 52.0 |\n| Chad | |\n"
    )
    assert [b.text for b in read(write, text).blocks] == [
        "- one\n- two\n  1. a\n  2. b",
        "quoted words",
        "if x:\n    y()",
        "Country: France; Height: 52.0\nCountry: Chad",
    ]


def test_front_matter_is_metadata(write):
    fields = 'title: "On: Light"\nauthor: Ann\nyear: 1999\ntags: [a, b]\nkeys:\n  - c\n  - d\n'
    text = f"---\n{fields}---\n# Head\n\nText."
    found = read(write, text)
    assert found.title == "On: Light"
    assert found.metadata == {"author": "Ann", "year": 1999, "tags": ("a", "b"), "keys": ("c", "d")}
    assert pairs(found) == [((), "Text.")]


def test_a_rule_at_the_top_is_no_front_matter(write):
    assert [b.text for b in read(write, "---\n\nText.\n\n---\n\nMore.").blocks] == [
        "Text.",
        "More.",
    ]


def test_formulas_are_copied_as_they_are(write):
    assert (
        read(write, r"Let $\{a_1, *b*\}$ cost \$5.").blocks[0].text
        == r"Let $\{a_1, *b*\}$ cost $5."
    )


def test_roles_lose_their_names_and_labels_vanish(write):
    text = "# T\n:label:`sec_t`\n\nSee :cite:`Knuth` for more."
    assert pairs(read(write, text)) == [((), "See Knuth for more.")]


def test_html_in_markdown_is_read_as_text(write):
    html = "<div>\n<p>Inner <i>text</i></p>\n<script>no()</script>\n</div>"
    text = f"{html}\n\n<!-- hidden -->\n\nAfter."
    assert pairs(read(write, text)) == [((), "Inner text"), ((), "After.")]


def test_an_outline_without_text_is_read_by_its_headings(write):
    assert [b.text for b in read(write, "# A\n\n## B\n").blocks] == ["A", "B"]


def test_anchors_behind_headings_are_no_words(write):
    found = read(write, "# Light {#sec-light}\n\n## Lenses {#l .x}\n\nThin.")
    assert found.title == "Light"
    assert pairs(found) == [(("Lenses",), "Thin.")]
