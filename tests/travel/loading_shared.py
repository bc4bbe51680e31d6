"""What tests of loading share: files written and read, and their passages by kind."""

import json

from consilience.evidence.splitter import split
from consilience.packs.travel.files.documents import read
from consilience.protocols import Room

CITY = {"name": "Lisbon", "type": "city", "lat": 38.7, "lng": -9.1}


class Read:
    """A document with what came of its records, and its blocks by what they are."""

    def __init__(self, path):
        self.document, self.tally = read(path)
        self.blocks = self.document.blocks
        self.notes = self.document.notes
        assert self.tally.unaccounted == 0

    @property
    def places(self):
        return {one.metadata["node"]: one for one in self.blocks if one.kind == "place"}

    @property
    def relations(self):
        return [one for one in self.blocks if one.kind in ("edge", "tie")]

    def of(self, relation):
        return {
            (one.metadata["source"], one.metadata["target"]): one
            for one in self.relations
            if one.metadata["relation"] == relation
        }


def write(folder, **files):
    """Write files (`cities_json=[…]`, `ways_csv="…"`) into a folder, and read the last."""
    for name, content in files.items():
        stem, _, ending = name.rpartition("_")
        path = folder / f"{stem}.{ending}"
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        path.write_text(text, encoding="utf-8")
    return Read(path)


def passages_of(found):
    """The passages that a document is cut into."""
    room = Room(count=lambda texts: [len(one.split()) for one in texts], limit=400, target=200)
    return split(found.document, collection="places", path="x", room=room)
