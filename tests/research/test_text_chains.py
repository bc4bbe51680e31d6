"""Two terms are connected by the sentences of one's own texts, without a graph."""

import pytest

from consilience.errors import UsageError
from consilience.packs.research.text_chains import SentenceStore
from consilience.workspace import Workspace, init_workspace, open_workspace

TEXTS = {
    "kilns.md": """# Kilns

The anagama kiln is a single long chamber that slopes up a hillside.
An anagama kiln is fired with pine wood for six days without a pause.
Fly ash from the pine settles on every pot during the firing of an anagama kiln.
In the anagama kiln fly ash melts at stoneware heat.
""",
    "glazes.md": """# Glazes

A celadon glaze owes its colour to a trace of iron.
Natural ash glaze forms where fly ash melts on the shoulder of a jar.
Fly ash is the oldest flux of a natural ash glaze.
A natural ash glaze runs down the pot in green drips.
The celadon glaze is fired in a reducing flame, as in Longquan.
""",
    "looms.md": """# Looms

A warp-weighted loom stands against a wall and keeps its threads straight with clay weights.
The warp-weighted loom was used in Greece and Scandinavia for plain woollen cloth.
Weavers at a warp-weighted loom walk to and fro while they pass the weft.
""",
}


@pytest.fixture(scope="module")
def pottery(tmp_path_factory):
    home = tmp_path_factory.mktemp("pottery")
    texts = home / "texts"
    texts.mkdir()
    for name, text in TEXTS.items():
        (texts / name).write_text(text)
    init_workspace(home / "space", pack="research")
    with open_workspace(home / "space") as space:
        space.add([texts])
        yield space


def test_terms_of_one_sentence_are_joined_by_it(pottery: Workspace) -> None:
    answer = pottery.ask("How does iron relate to the celadon glaze?")
    assert "owes its colour to a trace of iron" in answer.text
    assert any(
        "celadon glaze" in cited.quote and "iron" in cited.quote for cited in answer.citations
    )


def test_terms_that_never_meet_are_joined_by_a_third(pottery: Workspace) -> None:
    chain = pottery.paths("anagama kiln", "natural ash glaze", limit=1)[0]
    assert [link.end for link in chain.links] == ["fly ash", "natural ash glaze"]
    assert {link.passage.document.rpartition("/")[2] for link in chain.links} == {
        "kilns.md",
        "glazes.md",
    }
    for quote in chain.passage.text.splitlines()[1:]:
        sentence = quote.partition("“")[2].partition("”")[0]
        assert any(sentence in text for text in TEXTS.values())


def test_terms_of_one_passage_are_joined_by_a_sentence_about_each(pottery: Workspace) -> None:
    [chain, *_] = pottery.paths("trace of iron", "Longquan")
    assert len(chain.links) == 1
    assert "owes its colour" in chain.passage.text
    assert "reducing flame" in chain.passage.text


def test_unrelated_terms_are_said_to_be_so(pottery: Workspace) -> None:
    answer = pottery.ask("How is the celadon glaze connected to the warp-weighted loom?")
    assert answer.abstained
    assert "'celadon glaze' and 'warp-weighted loom'" in f"{answer.text} {answer.notes}"
    assert pottery.paths("celadon glaze", "warp-weighted loom") == []


def test_a_term_of_no_text_is_refused_by_name(pottery: Workspace) -> None:
    with pytest.raises(UsageError, match="trebuchet"):
        pottery.paths("celadon glaze", "trebuchet")


def test_a_removed_text_joins_nothing(tmp_path) -> None:
    home = init_workspace(tmp_path / "space", pack="research")
    file = tmp_path / "glazes.md"
    file.write_text(TEXTS["glazes.md"])
    with open_workspace(home) as space:
        space.add([file])
        assert space.paths("celadon glaze", "iron")
        space.remove([file])
        with pytest.raises(UsageError):
            space.paths("celadon glaze", "iron")


def test_a_store_keeps_its_sentences(tmp_path, pottery: Workspace) -> None:
    passages = list(pottery.catalogue.each("papers"))
    store = SentenceStore(tmp_path / "sentences.sqlite")
    store.write(passages, None)
    store.write(passages, None)  # again, as after a crash
    size = store.size()
    store.close()
    store = SentenceStore(tmp_path / "sentences.sqlite")
    assert store.size() == size > 0
    assert store.count(("iron",), ("celadon glaze", "longquan")) == 1
    store.remove([passage.id for passage in passages])
    assert (store.size(), store.count(("iron",))) == (0, 0)
    store.close()
