"""A pack whose documents say in their own text which work they are and what they cite."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from consilience import plugins
from consilience.pack import Files, Pack
from consilience.protocols import Room, StoreKind, Vectors
from consilience.types import Block, Document, Locator, Passage

_KEY = re.compile(r"^WORK: (.+)$", re.MULTILINE)
_CITES = re.compile(r"^CITES: (.+)$", re.MULTILINE)


def prepare(document: Document, path: Path, room: Room) -> Document:
    text = path.read_text(encoding="utf-8") if path.suffix == ".md" else ""
    keys, cited = _KEY.findall(text), _CITES.findall(text)
    prose = [one for one in document.blocks if not one.text.startswith(("WORK: ", "CITES: "))]
    works = [_work(key, document.title) for key in keys]
    return replace(document, blocks=(*prose, *works, *(_citation(keys[0], one) for one in cited)))


def _work(key: str, title: str) -> Block:
    surname, _, year = key.partition(" ")
    aliases = (f"{surname.title()} ({year})", f"{surname.title()} et al. ({year})")
    return Block(
        text=f"{title} ({', '.join(aliases)})",
        locator=Locator(node=key),
        kind="work",
        whole=True,
        metadata={"node": key, "name": title, "aliases": aliases},
    )


def _citation(key: str, cited: str) -> Block:
    return Block(
        text=f"{cited.title()}. A study of granite towers. Journal of Towers 12, 1–20.",
        locator=Locator(section=("References",), node=f"{key} → {cited}"),
        kind="citation",
        whole=True,
        metadata={"source": key, "relation": "CITES", "target": cited, "weight": 0.4},
    )


PACK = Pack(
    name="cited",
    summary="Papers that cite",
    files=Files(collections={"graph": "graph", "*": "papers"}, prepare=prepare),
)
PAPERS = {
    "eskola.md": "# How granite towers stand against waves\n\nWaves break on a tower of granite."
    "\n\nWORK: eskola 2018\n\nCITES: moran 2001\n\nCITES: rubin 1974\n",
    "moran.md": "# Granite\n\nGranite blocks are cut with a dovetail.\n\n"
    "WORK: moran 2001\n\nCITES: rubin 1974\n\nCITES: noor 1960\n",
    "lund.md": "# Lamps of the north\n\nA lamp burns oil behind rings of glass.\n\n"
    "WORK: lund 2020\n\nCITES: moran 2001\n",
}


class Heard:
    """A store of a third party, which takes all but works and remembers what it was handed."""

    def __init__(self) -> None:
        self.calls: list[tuple[list[str], int]] = []

    def write(self, passages: Sequence[Passage], vectors: Vectors | None) -> None:
        kinds = [one.kind for one in passages]
        self.calls.append((kinds, 0 if vectors is None else len(vectors)))

    def remove(self, ids: Sequence[str]) -> None:
        """Nothing is held."""

    def close(self) -> None:
        """Nothing is open."""


HEARD = StoreKind(
    takes=lambda kind: kind != "work",
    file="heard",
    open=lambda path, shelf: Heard(),
    sources=lambda store, shelf: [],
)


def install(monkeypatch: pytest.MonkeyPatch, *, stores: bool = False) -> None:
    """As if the pack above were installed, and the store where it is wanted."""
    more = {"consilience.packs": EntryPoint("cited", "citations_shared:PACK", "consilience.packs")}
    if stores:
        group = "consilience.stores"
        more[group] = EntryPoint("heard", "citations_shared:HEARD", group)
    real = plugins.entry_points
    monkeypatch.setattr(
        plugins,
        "entry_points",
        lambda group: [*real(group=group), *([more[group]] if group in more else [])],
    )


def write_papers(folder: Path) -> Path:
    """A folder of three papers."""
    folder.mkdir()
    for name, text in PAPERS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder
