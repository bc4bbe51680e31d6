import random
import re
from itertools import pairwise

import pytest

from consilience.evidence.catalogue import Catalogue, Record
from consilience.measure.data_model import Golden, Judgement, Question
from consilience.measure.label_resolver import (
    Corpus,
    UnresolvedJudgements,
    contains_quote,
    resolve,
    unresolved_in,
)
from consilience.types import Locator, Passage


def golden_of(*judgements, by="passage"):
    return Golden(
        name="set", by=by, questions=(Question(id="q", text="Why?", judgements=judgements),)
    )


def catalogue_of(tmp_path, *passages):
    """A real catalogue that holds these passages, each document by its path."""
    tmp_path.mkdir(exist_ok=True)
    catalogue = Catalogue(tmp_path / "catalogue.db")
    for path in dict.fromkeys(one.document for one in passages):
        own = [one for one in passages if one.document == path]
        record = Record(path=path, collection="notes", loader="text", version=1, sha256=path)
        catalogue.store(record, own)
    return catalogue


def passage(key, text, document="a/notes.md", **more):
    return Passage(
        id=key,
        collection="notes",
        document=document,
        kind=more.pop("kind", "document"),
        title="Notes",
        text=text,
        metadata=more.pop("metadata", {}),
        locator=Locator(**more),
    )


def meant(tmp_path, judgement, *passages):
    catalogue = catalogue_of(tmp_path, *passages)
    found = resolve(golden_of(judgement), catalogue)
    catalogue.close()
    return sorted(found.strict["q"])


def why_not(tmp_path, judgement, *passages, by="passage"):
    catalogue = catalogue_of(tmp_path, *passages)
    ((question, one, reason),) = unresolved_in(golden_of(judgement, by=by), Corpus(catalogue))
    with pytest.raises(UnresolvedJudgements) as caught:
        resolve(golden_of(judgement, by=by), catalogue)
    assert (question.id, one) == ("q", judgement)
    assert f"  q: {reason}" in str(caught.value)
    catalogue.close()
    return reason


# --- quotations -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("The Bell Rock", "… on the BELL\n   rock stood"),
        ("lighthouses of Scotland", "the light-\nhouses of Scot\u00adland"),
        ("it's “fine” - so to say", "Its ‘fine’ — so to say."),
        ("five fields flow", "ﬁve ﬁelds ﬂow"),
        ("**bold** word", "a bold word"),
        ("1,234.50 EUR", "of 1 234.50 EUR"),
        ("灯台は高い", "この灯台は高いです"),
        ("weiße Straße", "WEISSE STRASSE"),
    ],
)
def test_a_quotation_is_found_however_it_is_set(quote, text):
    assert contains_quote(text, quote)


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("art", "a party of four"),
        ("rock", "rocket"),
        ("12", "in 1812"),
        ("", "anything"),
        ("—", "a — b"),
        ("Bell Rock", "the Rock, the Bell"),
    ],
)
def test_a_quotation_is_whole_words_in_their_order(quote, text):
    assert not contains_quote(text, quote)


def test_a_quotation_means_the_passages_that_hold_it(tmp_path):
    one, other = passage("a" * 16, "oil gave way to gas"), passage("b" * 16, "gas gave way to oil")
    quoted = Judgement(document="notes.md", quote="oil gave way")
    assert meant(tmp_path, quoted, one, other) == [one.id]


def test_a_quotation_that_is_cut_counts_where_a_good_share_of_it_stands(tmp_path):
    parts = [
        passage("a" * 16, "One two. The lamp was carried", part=1),
        passage("b" * 16, "up the stairs each evening by the keeper. Ten.", part=2),
        passage("c" * 16, "up the stairs each evening by the keeper. Other place.", part=7),
    ]
    quoted = "the lamp was carried up the stairs each evening by the keeper"
    assert meant(tmp_path, Judgement(document="notes.md", quote=quoted), *parts) == ["b" * 16]


def test_a_quotation_over_three_passages_counts_in_the_largest_part(tmp_path):
    parts = [
        passage("a" * 16, "x abcd efgh", part=1),
        passage("b" * 16, "ijkl mnop qr", part=2),
        passage("c" * 16, "stuv wxyz y", part=3),
    ]
    quoted = Judgement(document="notes.md", quote="abcd efgh ijkl mnop qr stuv wxyz")
    assert meant(tmp_path, quoted, *parts) == ["b" * 16]


def test_a_quotation_may_run_over_the_end_of_a_page(tmp_path):
    parts = [passage("a" * 16, "the last words of", page=3), passage("b" * 16, "it. New.", page=4)]
    quoted = Judgement(document="notes.md", locator=Locator(page=3), quote="last words of it")
    assert meant(tmp_path, quoted, *parts) == ["a" * 16]


@pytest.mark.parametrize("seed", range(12))
def test_a_quotation_resolves_however_its_text_is_cut(seed, tmp_path):
    """The share rule, on random texts, cuts and quotations."""
    chance = random.Random(seed)
    words = [f"w{number}" for number in range(chance.randint(4, 40))]
    cuts = chance.sample(range(1, len(words)), min(len(words) - 1, chance.randint(0, 6)))
    edges = [0, *sorted(cuts), len(words)]
    start = chance.randrange(len(words))
    end = chance.randint(start + 1, len(words))
    spans = {f"{n:016d}": span for n, span in enumerate(pairwise(edges), start=1)}
    parts = [
        passage(key, " ".join(words[one:two]), part=int(key)) for key, (one, two) in spans.items()
    ]
    judgement = Judgement(document="notes.md", quote=" ".join(words[start:end]))
    found = meant(tmp_path, judgement, *parts)
    shares = {key: min(two, end) - max(one, start) for key, (one, two) in spans.items()}
    assert found
    assert all(shares[key] > 0 for key in found)
    whole = [key for key, share in shares.items() if share == end - start]
    assert not whole or found == whole


# --- documents, places, fields ----------------------------------------------------------


def test_a_document_is_named_by_its_path_or_the_end_of_it(tmp_path):
    here, there = passage("a" * 16, "one", "x/a.md"), passage("b" * 16, "one", "y/a.md")
    assert meant(tmp_path, Judgement(document="x/a.md", quote="one"), here, there) == [here.id]
    told = why_not(tmp_path / "2", Judgement(document="a.md", quote="one"), here, there)
    assert told == "2 documents end in 'a.md' (x/a.md, y/a.md); give more of the path"
    told = why_not(tmp_path / "3", Judgement(document="b.md", quote="one"), here, there)
    assert told == "there is no document 'b.md'; the nearest is 'a.md'"
    told = why_not(tmp_path / "4", Judgement(document="ya.md"), here)
    assert told.startswith("there is no document 'ya.md'")  # the end of a path, not of a name


def test_a_copy_of_a_file_is_the_same_document(workspace, evidence):
    (evidence / "zz").mkdir()
    (evidence / "zz" / "lamps.txt").write_bytes((evidence / "lamps.txt").read_bytes())
    workspace.add([evidence])
    for name in ("zz/lamps.txt", "lamps.txt"):
        found = resolve(
            golden_of(Judgement(document=name, quote="Fresnel arranged prisms")),
            workspace.catalogue,
        )
        assert len(found.strict["q"]) == 1


@pytest.mark.parametrize(
    ("judgement", "keys"),
    [
        (Judgement(document="notes.md"), ["a", "b", "c", "d"]),
        (Judgement(document="notes.md", locator=Locator(page=2)), ["b", "c"]),
        (Judgement(document="notes.md", locator=Locator(section=("Lenses",))), ["b", "c"]),
        (Judgement(document="notes.md", locator=Locator(section=("Part I", "Lenses"))), ["b"]),
        (Judgement(document="notes.md", locator=Locator(section=("PART i", "lenses:"))), ["b"]),
        (Judgement(document="notes.md", locator=Locator(row=3)), ["d"]),
        (Judgement(document="notes.md", fields={"name": "bell rock"}), ["d"]),
        (Judgement(document="notes.md", fields={"name": "Bell Rock", "lit": 1811.0}), ["d"]),
        (Judgement(document="notes.md", fields={"lit": "1811"}), ["d"]),
        (Judgement(document="notes.md", fields={"tags": "sea"}), ["d"]),
        (Judgement(document="notes.md", fields={"tags": ("sea", "rock")}), ["d"]),
        (Judgement(document="notes.md", fields={"kind": "row"}), ["d"]),
        (Judgement(document="", fields={"name": "Bell Rock"}), ["d"]),
        (Judgement(document="notes.md", locator=Locator(page=2), quote="same words"), ["b"]),
    ],
)
def test_every_part_of_a_place_that_is_given_must_be_right(tmp_path, judgement, keys):
    passages = [
        passage("a" * 16, "same words", page=1),
        passage("b" * 16, "same words", page=2, section=("Part I", "Lenses")),
        passage("c" * 16, "other words", page=2, section=("Part II", "Lenses")),
        passage(
            "d" * 16,
            "name: Bell Rock",
            kind="row",
            row=3,
            metadata={"name": "Bell Rock", "lit": 1811, "tags": ("rock", "sea")},
        ),
    ]
    assert [key[0] for key in meant(tmp_path, judgement, *passages)] == keys


def test_a_heading_that_was_cut_short_is_still_known(tmp_path):
    long = "A very long heading indeed"
    cut = passage("a" * 16, "words", section=("…", "A very long…"))
    assert meant(
        tmp_path, Judgement(document="notes.md", locator=Locator(section=("Part", long))), cut
    )
    assert meant(tmp_path, Judgement(document="notes.md", locator=Locator(section=(long,))), cut)


@pytest.mark.parametrize(
    ("judgement", "told"),
    [
        (Judgement(document="notes.md", locator=Locator(page=9)), "is at page 9"),
        (Judgement(document="notes.md", locator=Locator(section=("X",))), "the heading 'X'"),
        (Judgement(document="notes.md", fields={"nam": "b"}), "its fields are lit, name"),
        (Judgement(document="notes.md", fields={"name": "b"}), "is with name = b"),
        (Judgement(document="notes.md", quote="—"), "has no letter or digit"),
        (Judgement(document="notes.md", quote="bell of rock"), "the nearest is 'The bell"),
        (
            Judgement(document="notes.md", locator=Locator(page=9), quote="The bell"),
            "the quotation is at page 2, which is not at page 9",
        ),
    ],
)
def test_what_is_not_found_is_told_with_the_reason(tmp_path, judgement, told):
    one = passage("a" * 16, "The bell, the rock", page=2, metadata={"name": "a", "lit": 3})
    assert told in why_not(tmp_path, judgement, one)


# --- units ------------------------------------------------------------------------------


def test_judgements_of_the_same_passages_are_one_unit_of_the_higher_grade(tmp_path):
    catalogue = catalogue_of(tmp_path, passage("a" * 16, "one two three four"))
    both = golden_of(
        Judgement(document="notes.md", quote="one two", grade=1),
        Judgement(document="notes.md", quote="three four", grade=3),
    )
    found = resolve(both, catalogue)
    assert found.grades["q"] == {"q#1": 3}
    assert found.order("q", ["a" * 16]) == ["q#1"]
    catalogue.close()


def test_lenient_is_the_same_row_else_page_else_section_else_document(tmp_path):
    passages = [
        passage("a" * 16, "alpha", "r.csv", row=1, table="r"),
        passage("b" * 16, "beta", "r.csv", row=2, table="r"),
        passage("c" * 16, "alpha", "p.pdf", page=1, section=("S",)),
        passage("d" * 16, "beta", "p.pdf", page=1, section=("T",)),
        passage("e" * 16, "gamma", "p.pdf", page=2, section=("S",)),
        passage("f" * 16, "alpha", "s.md", section=("S",), part=1),
        passage("1" * 16, "beta", "s.md", section=("S",), part=2),
        passage("2" * 16, "gamma", "s.md", section=("T",)),
        passage("3" * 16, "alpha", "t.txt", part=1),
        passage("4" * 16, "beta", "t.txt", part=2),
    ]
    catalogue = catalogue_of(tmp_path, *passages)
    near = {}
    for name in ("r.csv", "p.pdf", "s.md", "t.txt"):
        found = resolve(golden_of(Judgement(document=name, quote="alpha")), catalogue)
        assert set(found.strict["q"]) < set(found.lenient["q"]) or name == "r.csv"
        near[name] = "".join(sorted(key[0] for key in found.lenient["q"]))
    assert near == {"r.csv": "a", "p.pdf": "cd", "s.md": "1f", "t.txt": "34"}
    catalogue.close()


def test_a_set_by_document_or_field_has_documents_and_values_as_units(tmp_path):
    passages = [
        passage("a" * 16, "one", "d1.md", metadata={"_id": 7}),
        passage("b" * 16, "two", "d1.md", metadata={"_id": "x8"}),
        passage("c" * 16, "three", "d2.md"),
    ]
    catalogue = catalogue_of(tmp_path, *passages)
    ids = [one.id for one in passages]
    found = resolve(golden_of(Judgement(document="d1.md", grade=2), by="document"), catalogue)
    assert found.grades["q"] == {"d1.md": 2}
    assert found.order("q", ids[::-1]) == ["d2.md", "d1.md"]
    found = resolve(golden_of(Judgement(document="", fields={"_id": "7"}), by="_id"), catalogue)
    assert found.grades["q"] == {"7": 1}
    assert found.order("q", ids[::-1]) == [ids[2], "x8", "7"]
    assert found.strict["q"] == {ids[0]: ("7",)}
    catalogue.close()
    gone = Judgement(document="", fields={"_id": "99"})
    assert why_not(tmp_path / "2", gone, *passages, by="_id") == "no passage has _id = '99'"


# --- another way of splitting -----------------------------------------------------------

PROSE = "\n\n".join(
    f"## Part {part}\n\n"
    + "\n\n".join(
        f"In year {1700 + 10 * part + one} the keeper of tower {part} noted event {one}, "
        f"which the superintendent of district {one} entered into book {part * one}."
        for one in range(1, 15)
    )
    for part in range(1, 5)
)


def test_a_judgement_holds_under_another_splitting(opened, evidence, embedder):
    embedder.limit = 400
    (evidence / "long.md").write_text(f"# Log\n\n{PROSE}\n", encoding="utf-8")
    sentences = [one + "." for one in re.findall(r"In year[^.]+", PROSE)]
    two = " ".join(sentences[3:5])  # two sentences: a cut may go between them
    golden = Golden(
        name="log",
        questions=tuple(
            Question(
                id=f"q{number}",
                text=f"What was noted at {number}?",
                judgements=(Judgement(document="long.md", quote=quote, grade=2),),
            )
            for number, quote in enumerate([*sentences, two])
        ),
    )
    counts = {}
    for target in (60, 180):
        with opened(**{"passages.target": target}) as space:
            space.add([evidence], force=True)
            passages = [one for one in space.catalogue.each("documents") if "long" in one.document]
            counts[target] = len(passages)
            found = resolve(golden, space.catalogue)
            for question in golden.questions:
                ideal = sorted(passages, key=lambda one: one.id not in found.strict[question.id])
                order = found.order(question.id, [one.id for one in ideal])
                assert order[0] == f"{question.id}#1"
                assert len(set(order)) == len(order)
                assert found.grades[question.id] == {f"{question.id}#1": 2}
    assert counts[60] > counts[180]
