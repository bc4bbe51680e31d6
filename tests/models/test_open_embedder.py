"""A setting's text opens the embedder that it names, or is refused with what is known."""

from __future__ import annotations

import subprocess
import sys

import pytest

from consilience.errors import MissingExtra, UsageError
from consilience.models import open_embedder, open_reranker
from consilience.models.embedders import FastEmbed, Remote
from consilience.models.late_interaction import Late
from consilience.models.onnx_embedder import Fine
from consilience.models.static_embedder import Static
from consilience.settings import Settings, build_settings


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("fast", Static),
        ("fine", Fine),
        ("fastembed:BAAI/bge-small-en-v1.5", FastEmbed),
        ("openai:text-embedding-3-small", Remote),
        ("openai:qwen3:0.6b", Remote),
    ],
)
def test_the_word_before_the_first_colon_names_the_kind(name: str, kind: type) -> None:
    if kind is FastEmbed:
        pytest.importorskip("fastembed")
    if kind is Remote:
        pytest.importorskip("openai")
    embedder = open_embedder(name, Settings())
    assert type(embedder) is kind
    assert embedder.name.startswith(name)


def test_an_unknown_kind_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"'coarse:x'; known: .*fastembed, fine, openai"):
        open_embedder("coarse:x", Settings())


@pytest.mark.parametrize("name", ["", ":fine"])
def test_no_kind_at_all_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="unknown embedder"):
        open_embedder(name, Settings())


def test_fine_takes_no_argument() -> None:
    with pytest.raises(UsageError, match="takes no argument, not 'large'"):
        open_embedder("fine:large", Settings())


@pytest.mark.parametrize("kind", ["fastembed", "openai"])
def test_a_kind_by_name_needs_the_name(kind: str) -> None:
    with pytest.raises(UsageError, match=f"{kind!r} needs a model's name"):
        open_embedder(kind, Settings())


@pytest.mark.parametrize("kind", ["fastembed", "openai"])
def test_a_missing_package_is_named(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, kind, None)
    with pytest.raises(MissingExtra, match=rf"consilience\[{kind}\]"):
        open_embedder(f"{kind}:some-model", Settings())


def test_opening_loads_no_engine_and_nothing_is_printed() -> None:
    """In a process of its own, because other tests have loaded everything by now."""
    script = (
        "import sys\n"
        "import consilience.models\n"
        "assert 'numpy' not in sys.modules\n"
        "from consilience.settings import Settings\n"
        "embedder = consilience.models.open_embedder('fine', Settings())\n"
        "embedder.name, embedder.limit, embedder.dimensions\n"
        "assert not {'onnxruntime', 'tokenizers', 'openai', 'fastembed'} & set(sys.modules)\n"
        "embedder.embed(['one'])\n"
        "assert {'onnxruntime', 'tokenizers'} <= set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("embed", "rerank", "kind"),
    [
        ("fast", "auto", type(None)),
        ("fast", "late", Late),
        ("fine", "auto", Late),
        ("openai:some", "auto", type(None)),
        ("openai:some", "late", Late),
        ("fine", "none", type(None)),
    ],
)
def test_late_stands_beside_the_embedder_that_makes_its_vectors_unless_told(
    embed: str, rerank: str, kind: type
) -> None:
    settings = build_settings({"models.embed": embed, "models.rerank": rerank})
    assert isinstance(open_reranker(settings.models.rerank, settings), kind)
