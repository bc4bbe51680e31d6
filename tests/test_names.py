from consilience.names import Mention, longest, names_of, spans, surface


def test_a_surface_has_no_case_accents_or_punctuation():
    assert surface("Bell-Rock’s  Phare du Créac'h") == "bell rock s phare du creac h"


def test_spans_are_runs_of_words_longest_first():
    assert spans("how tall is it")[0] == "how tall is it"
    assert "tall is" in spans("how tall is it")
    assert spans("a a") == ["a a", "a"]


def test_rows_nodes_and_edges_give_names(passage):
    cells = {"name": "Bell Rock (old)", "height": 35, "note": "the", "lit": 1811, "on": True}
    row = passage("r", kind="row", metadata=cells)
    assert [(one.surface, one.role, one.field) for one in names_of(row)] == [
        ("bell rock old", "value", "name"),
        ("bell rock", "value", "name"),
        ("1811", "number", "lit"),
    ]
    node = passage("n", kind="node", metadata={"node": "b", "name": "Bell", "aliases": ("Inch",)})
    assert {(one.surface, one.value) for one in names_of(node)} == {("bell", "b"), ("inch", "b")}
    edge = passage("e", kind="edge", metadata={"relation": "BUILT_BY"})
    assert [(one.surface, one.role) for one in names_of(edge)] == [("built by", "relation")]
    assert names_of(passage("p")) == []


def test_a_name_inside_a_longer_one_is_not_meant():
    found = [Mention(one, "c", "value", "f", one) for one in ("bell", "bell rock", "rock")]
    assert [one.surface for one in longest("the Bell Rock light", found)] == ["bell rock"]
    assert [one.surface for one in longest("Bell Rock, and a bell", found)] == ["bell rock", "bell"]
