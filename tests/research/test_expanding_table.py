"""What the table of synonyms may say, and what is said where it is wrong."""

import pytest

from consilience.errors import UsageError
from consilience.packs.research.expanding import TABLE
from consilience.packs.research.table import read_table


def read(tmp_path, text):
    path = tmp_path / "synonyms.yaml"
    path.write_text(text, encoding="utf-8")
    return read_table(path)


def test_an_entry_is_read_with_all_it_says(tmp_path):
    table = read(
        tmp_path,
        "- names: [SCM, synthetic control method]\n"
        "  about: [Synthetic control, panels]\n"
        "  contexts: {SCM: [donor pool]}\n"
        "- names: [DiD, difference-in-differences]\n"
        "  about: panels\n"
        "  cased: [DiD, DID]\n",
    )
    first, second = table.entries
    assert first.names == ("SCM", "synthetic control method")
    assert first.about == {"synthetic control", "panels"}
    assert first.contexts == {"scm": ("donor pool",)}
    assert (second.about, second.cased) == ({"panels"}, {"DiD", "DID"})
    assert first.meaning == "synthetic control method"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- names: [a", "is not valid YAML"),
        ("names: [IV, x]", "takes a list of entries"),
        ("- [IV, x]", "entry 1 has .* known keys: about, cased, contexts, names"),
        ("- nams: [IV, x]", "known keys"),
        ("- names: IV", "entry 1, names: takes a list of names, not 'IV'"),
        ("- about: x", "names: takes a list of names, not None"),
        ("- names: [IV]", r"entry 1 \(IV\) needs two names or more"),
        ("- names: [back-door, Back door]", "needs two names or more"),
        ("- names: [no, number needed]", "False is not a text; put it in quotation marks"),
        ("- names: [IV, '-']", "'-' is not a text"),
        ("- names: [OR, odds ratio]", "'OR' is an ordinary word as well; list under `cased`"),
        ("- names: [IV, instrument]\n  cased: [DiD]", "'DiD' is cased, but no spelling of a name"),
        ("- names: [IV, instrument]\n  contexts: [x]", "contexts: takes words by name"),
        ("- names: [IV, instrument]\n  contexts: {DiD: [x]}", "'DiD' is not a name of the entry"),
        ("- names: [IV, instrument]\n  contexts: {IV: x}", "contexts of IV: takes a list"),
        (
            "- names: [IPW, inverse weighting]\n- names: [IPTW, Inverse-weighting]",
            r"'inverse weighting' is a name of two entries \(IPW, inverse weighting / IPTW",
        ),
    ],
)
def test_what_is_wrong_is_said_with_the_entry(tmp_path, text, message):
    with pytest.raises(UsageError, match=message):
        read(tmp_path, text)


def test_the_shipped_table_has_entries_enough_and_the_abbreviations_that_everyone_uses():
    table = read_table(TABLE)
    assert len(table.entries) >= 120
    assert {"iv", "2sls", "did", "ate", "dml", "rdd", "cia"} <= table.places.keys()
