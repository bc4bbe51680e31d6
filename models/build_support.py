"""How do learned numbers become the shipped `support`? One ONNX file, hashed, with a card.

    /tmp/build/bin/python models/build_support.py --source build/support

reads support-*.npz and support.json, which train_support.py writes on an accelerator, and the word
table of the shipped `fine`, which the training left as it is.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from bert_graph import OPSET, Shape, build_classifier
from build_fine import TARGET as FINE
from build_fine import digest, write_json
from minilm import word_table
from support_texts import HELD_OUT

LIMIT = 256
CLASSES = ("supported", "contradicted", "not said")
THRESHOLD = 0.12  # of `supported`: see models/support.md
CONTRADICTED = 0.5


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the shipped support model.")
    parser.add_argument("--source", type=Path, default=Path("build/support"))
    parser.add_argument("--target", type=Path, default=FINE.parent / "support")
    options = parser.parse_args()
    options.target.mkdir(parents=True, exist_ok=True)
    weights: dict[str, np.ndarray] = {}
    head: dict[str, np.ndarray] = {}
    for path in sorted(options.source.glob("support-*.npz")):
        for name, value in np.load(path).items():
            own = head if not name.startswith("bert.") else weights
            own[name.removeprefix("bert.")] = value.astype(np.float32)
    weights["embeddings.word_embeddings.weight"] = word_table()
    shape = Shape(layers=6, heads=12, width=384, epsilon=1e-12, limit=LIMIT)
    model = build_classifier(weights, head, shape)
    path = options.target / "model.onnx"
    path.write_bytes(model.SerializeToString(deterministic=True))
    report = json.loads((options.source / "support.json").read_text(encoding="utf-8"))
    card = {
        "name": "support",
        "identity": digest(path),
        "limit": LIMIT,
        "classes": CLASSES,
        "files": {"model.onnx": digest(path)},
        "bytes": {"model.onnx": path.stat().st_size},
        "origin": "sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), trained further",
        "licence": "Apache-2.0",
        "recipe": "models/support_texts.py, paraphrase.py, train_support.py, build_support.py",
        "conversion": f"models/bert_graph.py: int8, opset {OPSET}; the word table is that of fine",
        "not trained on": sorted(HELD_OUT),
        "measured": report["unseen sources"],
    }
    write_json(options.target / "card.json", card)
    print(f"support:{card['identity'][:12]} {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
