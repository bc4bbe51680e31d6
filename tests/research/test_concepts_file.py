"""A file of concepts: what is read, what is told of what is wrong, and what is refused."""

import pytest
import yaml
from chains_shared import concept, relation, write_concepts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from consilience.errors import LoadError
from consilience.packs.research.concepts import load
from consilience.packs.research.relations import (
    RELATIONS,
    WEIGHTS,
    read_out,
    relation_named,
)

DML = """\
concepts:
  - name: Double machine learning
    kind: method
    aliases: [DML, debiased machine learning]
    definition: Estimates an effect with learners.
    relations:
      - {type: REQUIRES, to: cross-fitting, confidence: 0.8, document: a.md, quote: "DML needs it"}
      - {type: alternative to, to: Cross fitting}
  - name: cross-fitting
    kind: method
"""


@pytest.fixture
def read(tmp_path):
    def load_text(text):
        path = tmp_path / "my.concepts.yaml"
        path.write_text(text, encoding="utf-8")
        return load(path)

    return load_text


def edges(document):
    return [one for one in document.blocks if one.kind == "edge"]


def nodes(document):
    return {one.metadata["node"]: one for one in document.blocks if one.kind == "node"}


def test_concepts_are_nodes_and_relations_edges_with_the_words_behind_them(read):
    document = read(DML)
    assert (document.kind, document.title, document.notes) == ("graph", "my concepts", ())
    node = nodes(document)["double machine learning"]
    assert node.text == (
        "Double machine learning (DML, debiased machine learning). "
        "Estimates an effect with learners."
    )
    assert dict(node.metadata) == {
        "node": "double machine learning",
        "name": "Double machine learning",
        "aliases": ("DML", "debiased machine learning"),
        "node_kind": "method",
    }
    first, second = edges(document)
    assert first.text == (
        "Double machine learning → (requires) → cross-fitting. “DML needs it” (a.md)"
    )
    assert first.metadata["weight"] == pytest.approx(0.8)
    assert {name: first.metadata[name] for name in ("source", "relation", "target")} == {
        "source": "double machine learning",
        "relation": "REQUIRES",
        "target": "cross fitting",
    }
    assert first.metadata["inverse"] == "is required by"
    assert first.metadata["evidence"] == "a.md"
    assert first.metadata["quote"] == "DML needs it"
    assert second.metadata["weight"] == pytest.approx(WEIGHTS["ALTERNATIVE_TO"])
    assert "inverse" not in second.metadata  # it reads the same from either end


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("- {kind: method, relations: [{type: USES, to: x}]}", "a concept has no name"),
        ("- {name: '…'}", "'…' has no letters"),
        ("- {name: x, kind: wizard}", "the kind 'wizard' is none of method"),
        ("- just words", "an entry is not a map of fields"),
        ("- {name: x, relations: yes}", "relations are no list"),
        ("- {name: x, relations: [{type: HATES, to: y}]}", "'x' HATES 'y' is left out: the type"),
        ("- {name: x, relations: [{to: y}]}", "'x' without a type 'y' is left out"),
        ("- {name: x, relations: [{type: USES}]}", "it names no concept to relate to"),
        ("- {name: x, aliases: [z], relations: [{type: USES, to: Z}]}", "a concept to itself"),
        ("- {name: x, relations: [{type: USES, to: nowhere}]}", "no entry here tells of 'nowhere'"),
        (
            "- {name: x, relations: [{type: USES, to: y, confidence: 7}]}\n- {name: y}",
            "the confidence 7 is not a number from 0 to 1; 0.5 is taken",
        ),
        ("- {name: x, aliases: ['!']}", "the alias '!' is not a name"),
        ("- {name: x, aliases: {y: z}}", "aliases are no list of names"),
        ("- {name: No}", "YAML's words for yes and no"),
        ("- {name: x, name: y}", "'name' is given twice; the first is read"),
        ("- {name: !!python/object:os.system x}", "a value cannot be read"),
    ],
)
def test_a_fault_is_told_with_its_line_and_costs_nothing_else(read, lines, told):
    document = read(f"concepts:\n- {{name: fine, kind: method}}\n{lines}\n- {{name: last}}\n")
    note = next(one for one in document.notes if told in one)
    assert note.startswith("line 3: ")
    assert {"fine", "last"} <= nodes(document).keys()


def test_a_list_alone_will_do_and_other_parts_of_a_file_are_told(read):
    assert list(nodes(read("- {name: x}\n"))) == ["x"]
    document = read("version: 2\nconcepts:\n- {name: x}\n")
    assert document.notes == ("line 1: 'version' is not read, only `concepts`",)
    assert read("").notes == ("my.concepts.yaml holds no text",)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("concepts: [", "not valid YAML"),
        ("concepts: 3", "holds no list of concepts"),
        ("a: &x [1]\nconcepts: *x", "line 2: `\\*` repeats another part"),
        ("concepts: " + "[" * 40 + "]" * 40, "nested too deep"),
        ('concepts:\n- {name: "a\n', "not valid YAML"),
    ],
)
def test_what_is_no_file_of_concepts_is_refused_with_what_to_do(read, text, told):
    with pytest.raises(LoadError, match=told) as refused:
        read(text)
    assert "my.concepts.yaml" in str(refused.value)


def test_a_bomb_of_anchors_is_refused_before_it_is_opened(read):
    lines = ['a0: &a0 ["x", "x", "x", "x", "x", "x", "x", "x", "x"]']
    lines += [f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 9)}]" for at in range(1, 30)]
    with pytest.raises(LoadError, match="repeats another part"):
        read("\n".join(lines))


def test_entries_of_one_name_are_one_concept(read):
    document = read(
        "- {name: matching, aliases: [pair], definition: One., relations: [{type: USES, to: a}]}\n"
        "- {name: Matching, kind: method, definition: Two., relations: [{type: USES, to: b}]}\n"
        "- {name: a}\n- {name: b}\n"
    )
    assert len(nodes(document)) == 3
    assert nodes(document)["matching"].text == "matching (pair). One.\nTwo."
    assert nodes(document)["matching"].metadata["node_kind"] == "method"
    assert {one.metadata["target"] for one in edges(document)} == {"a", "b"}


def test_a_relation_may_name_an_alias_and_a_name_goes_before_an_alias(read):
    document = read(
        "- {name: x, relations: [{type: USES, to: DML}, {type: USES, to: blocking}]}\n"
        "- {name: double machine learning, aliases: [dml, blocking]}\n"
        "- {name: blocking, aliases: [CF]}\n- {name: causal forest, aliases: [CF]}\n"
    )
    targets = [one.metadata["target"] for one in edges(document)]
    assert targets == ["double machine learning", "blocking"]
    [note] = document.notes
    assert note == (
        "2 names are those of several concepts: 'blocking' (blocking, double machine learning); "
        "'CF' (blocking, causal forest)"
    )


def test_what_nobody_accepted_is_not_used(read):
    document = read(
        "concepts:\n"
        "- {name: x, relations: [{type: USES, to: y, status: proposed}, "
        "{type: REQUIRES, to: y, status: accepted}, {type: null, to: y, status: rejected}]}\n"
        "- {name: y, status: accepted}\n"
        "- {name: z, status: proposed, relations: [{type: USES, to: x}]}\n"
    )
    assert list(nodes(document)) == ["x", "y"]
    assert [one.metadata["relation"] for one in edges(document)] == ["REQUIRES"]
    assert document.notes == (
        "4 proposals are not used; take them in with `consilience concepts accept`",
    )


def test_relations_weigh_by_kind_and_read_both_ways():
    assert WEIGHTS["REQUIRES"] == 1.0 == max(WEIGHTS.values())
    assert WEIGHTS["REQUIRES"] > WEIGHTS["TESTS"] > WEIGHTS["USES"] > WEIGHTS["CITES"] > 0
    assert read_out("REQUIRES") == "requires"
    assert read_out("REQUIRES", forward=False) == "is required by"
    assert read_out("GENERALIZES", forward=False) == "is a special case of"
    assert read_out("BUILT_BY", forward=False) == "← built by"
    assert [one.name for one in RELATIONS.values() if not one.has_direction] == ["ALTERNATIVE_TO"]
    for spelt in ("alternative-to", "ALTERNATIVE TO", "alternative_to"):
        assert relation_named(spelt) is RELATIONS["ALTERNATIVE_TO"]
    assert relation_named("generalises") is RELATIONS["GENERALIZES"]
    assert relation_named("") is None


_value = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.dates(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(("name", "relations", "type", "to", "aliases", "x", "confidence")),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(_value)
def test_whatever_stands_in_the_file_is_read_or_refused(tmp_path, value):
    path = tmp_path / "any.concepts.yaml"
    for content in ({"concepts": value}, {"concepts": [value, {"name": "kept"}]}, value):
        path.write_text(yaml.safe_dump(content), encoding="utf-8")
        try:
            found = load(path)
        except LoadError:
            continue
        if isinstance(content, dict) and {"name": "kept"} in (content.get("concepts") or ()):
            assert "kept" in nodes(found)


def test_thousands_of_concepts_are_read_at_once(tmp_path):
    some = [
        concept(f"idea {at}", "method", relation("USES", f"idea {at + 1}", "words"))
        for at in range(1500)
    ]
    document = load(
        write_concepts(tmp_path / "large.concepts.yaml", [*some, concept("idea 1500", "")])
    )
    assert len(edges(document)) == 1500
    assert not document.notes
