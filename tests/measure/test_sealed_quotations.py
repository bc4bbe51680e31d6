"""A sealed quotation is found where the words are, tells none of them, and survives any cut."""

from test_label_resolver import catalogue_of, golden_of, meant, passage, why_not
from typer.testing import CliRunner

from consilience.cli import app
from consilience.measure.data_model import Judgement
from consilience.measure.golden import read_golden
from consilience.measure.golden_health import find_problems
from consilience.measure.label_resolver import (
    SEALED,
    is_sealed,
    seal,
    seal_golden,
    seals_of,
)

TEXT = "The rook belongs behind the passed pawn, whether it is one's own or the enemy's."
QUOTE = "behind the passed pawn, whether it is"


def test_a_sealed_quotation_is_found_and_has_none_of_its_words(tmp_path):
    found = seal(QUOTE)
    assert is_sealed(found)
    assert not any(word in found for word in ("behind", "passed", "pawn"))
    judgement = Judgement(document="notes.md", grade=3, quote=found)
    others = [passage("b", "The rook is cut off."), passage("c", "The passed pawn runs.")]
    assert meant(tmp_path, judgement, passage("a", TEXT), *others) == ["a"]


def test_how_the_words_are_set_does_not_matter():
    assert seal("Behind the PASSED-pawn") == seal("behind  the passed\npawn")
    assert seal(seal(QUOTE)) == seal(QUOTE)
    assert seal("") == ""


def test_where_it_is_cut_each_part_that_has_half_counts(tmp_path):
    words = QUOTE.split()
    first, second = " ".join(words[:4]), " ".join(words[4:])
    parts = [passage("a", f"So {first}", part=1), passage("b", f"{second} so", part=2)]
    judgement = Judgement(document="notes.md", grade=3, quote=seal(QUOTE))
    assert meant(tmp_path, judgement, *parts) == ["a", "b"]


def test_what_is_not_there_is_an_error_with_its_document(tmp_path):
    judgement = Judgement(document="notes.md", grade=3, quote=seal("something else altogether"))
    assert "another edition" in why_not(tmp_path, judgement, passage("a", TEXT))
    broken = Judgement(document="notes.md", grade=3, quote=SEALED + "12")
    assert seals_of(broken.quote) == []
    assert "is not there" in why_not(tmp_path / "b", broken, passage("a", TEXT))


def test_health_asks_nothing_of_the_words_of_a_sealed_quotation(tmp_path):
    golden = seal_golden(golden_of(Judgement(document="notes.md", grade=3, quote=QUOTE)))
    catalogue = catalogue_of(tmp_path, passage("a", TEXT))
    assert not [one for one in find_problems(golden, catalogue) if "quotation" in str(one)]
    catalogue.close()


def test_convert_seals_a_set(tmp_path):
    source, target = tmp_path / "a.yaml", tmp_path / "b.yaml"
    source.write_text(
        "questions:\n  - id: q\n    text: Where does the rook belong?\n    judgements:\n"
        f'      - {{document: notes.md, quote: "{QUOTE}", grade: 3}}\n',
        encoding="utf-8",
    )
    ran = CliRunner().invoke(app, ["golden", "convert", "--seal", str(source), str(target)])
    assert ran.exit_code == 0, ran.output
    (question,) = read_golden(target).questions
    assert question.judgements[0].quote == seal(QUOTE)
    assert "behind" not in target.read_text(encoding="utf-8")
