"""How is MiniLM run for training? In PyTorch, from the weights that `fine` was made of.

The word table is read from the shipped `fine` (int8 with a scale per row): what is trained here
then stands on the very table it will run on. The layers come from teacher.npz, which
`python models/minilm.py` writes from the package that models/build_fine.py names.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

REPOSITORY = Path(__file__).parent.parent
FINE = REPOSITORY / "src" / "consilience" / "models" / "data" / "fine"
CLS, SEP, PAD = 101, 102, 0
WIDTH = 384
LIMIT = 256


@dataclass(frozen=True, slots=True)
class Texts:
    """The training text in tokens, without special ones: passages with titles, short texts."""

    titles: list[list[int]]
    passages: list[list[int]]
    short: list[list[int]]


def tokenizer() -> object:
    from tokenizers import Tokenizer  # noqa: PLC0415

    return Tokenizer.from_file(str(FINE / "tokenizer.json"))


def encode(texts: Sequence[str], *, limit: int = LIMIT - 2) -> list[list[int]]:
    """Token ids of each text, without special tokens, cut at the limit."""
    found = tokenizer().encode_batch(list(texts), add_special_tokens=False)  # type: ignore[attr-defined]
    return [one.ids[:limit] for one in found]


def read_texts(path: Path) -> Texts:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    long = [row for row in rows if row["title"]]
    return Texts(
        titles=encode([row["title"] for row in long], limit=48),
        passages=encode([row["text"] for row in long]),
        short=encode([row["text"] for row in rows if not row["title"]], limit=64),
    )


def idf(documents: Sequence[Sequence[int]], size: int = 30_522) -> np.ndarray:
    """log(1 + (N - n + 0.5) / (n + 0.5)) for each token, over the training passages."""
    counts = np.zeros(size, dtype=np.int64)
    for tokens in documents:
        counts[list(set(tokens))] += 1
    return np.log1p((len(documents) - counts + 0.5) / (counts + 0.5)).astype(np.float32)


def device() -> str:
    """The accelerator, or the processor to try a recipe with a few steps."""
    import torch  # noqa: PLC0415

    return "cuda" if torch.cuda.is_available() else "cpu"


def load(folder: Path, *, layers: int = 6) -> object:
    """The encoder in PyTorch, on the accelerator, in evaluation mode."""
    import torch  # noqa: PLC0415
    from transformers import BertConfig, BertModel  # noqa: PLC0415

    config = BertConfig(
        vocab_size=30_522,
        hidden_size=WIDTH,
        num_hidden_layers=layers,
        num_attention_heads=12,
        intermediate_size=1536,
        max_position_embeddings=512,
    )
    model = BertModel(config, add_pooling_layer=False)
    state = {name: torch.from_numpy(value.astype(np.float32)) for name, value in weights(folder)}
    state = {name: value for name, value in state.items() if name in model.state_dict()}
    missing, unexpected = model.load_state_dict(state, strict=False)
    if unexpected or [name for name in missing if "position_ids" not in name]:
        raise SystemExit(f"teacher.npz does not fit: {missing} {unexpected}")
    return model.to(device()).eval()


def weights(folder: Path) -> Iterator[tuple[str, np.ndarray]]:
    with np.load(folder / "teacher.npz") as data:
        yield from data.items()
    yield "embeddings.word_embeddings.weight", word_table()


def word_table() -> np.ndarray:
    """The shipped word table, int8 times its scales."""
    import onnx  # noqa: PLC0415
    from onnx import numpy_helper  # noqa: PLC0415

    model = onnx.load(str(FINE / "model.onnx"))
    found = {one.name: one for one in model.graph.initializer if one.name.startswith("words")}
    rows = numpy_helper.to_array(found["words"]).astype(np.float32)
    return rows * numpy_helper.to_array(found["words.scale"])


def padded(batch: Sequence[Sequence[int]]) -> tuple[object, object]:
    """Ids with the special tokens, and the mask, as tensors on the accelerator."""
    import torch  # noqa: PLC0415

    width = max(len(one) for one in batch) + 2
    ids = np.zeros((len(batch), width), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens) + 2] = [CLS, *tokens, SEP]
        mask[row, : len(tokens) + 2] = 1
    return torch.from_numpy(ids).to(device()), torch.from_numpy(mask).to(device())


def sentences(model: object, documents: Sequence[Sequence[int]], *, batch: int = 512) -> object:
    """Unit sentence vectors (mean of the last states), in the order given."""
    import torch  # noqa: PLC0415

    order = sorted(range(len(documents)), key=lambda at: -len(documents[at]))
    out = torch.empty((len(documents), WIDTH), device=device())
    with torch.inference_mode(), torch.autocast(device(), torch.bfloat16):
        for start in range(0, len(order), batch):
            some = order[start : start + batch]
            out[some] = pooled(model, [documents[at] for at in some])
    return out


def pooled(model: object, batch: Sequence[Sequence[int]]) -> object:
    import torch  # noqa: PLC0415

    ids, mask = padded(batch)
    states = model(input_ids=ids, attention_mask=mask).last_hidden_state.float()  # type: ignore[operator]
    real = mask.unsqueeze(-1)  # type: ignore[attr-defined]
    return torch.nn.functional.normalize((states * real).sum(1) / real.sum(1), dim=-1)


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the teacher's layers in 16 bits.")
    parser.add_argument("--out", type=Path, default=Path("build/train"))
    options = parser.parse_args()
    from build_fine import WEIGHTS, installed_model  # noqa: PLC0415
    from safetensors.numpy import load_file  # noqa: PLC0415

    path = installed_model() / "model.safetensors"
    if hashlib.sha256(path.read_bytes()).hexdigest() != WEIGHTS:
        raise SystemExit(f"{path} is not the file that this recipe was written for")
    skipped = ("position_ids", "word_embeddings", "pooler")
    kept = {
        name: value.astype(np.float16)
        for name, value in load_file(path).items()
        if not any(part in name for part in skipped)
    }
    options.out.mkdir(parents=True, exist_ok=True)
    np.savez(options.out / "teacher.npz", **kept)


if __name__ == "__main__":
    main()
