"""How is the static embedder `fast` learned? By imitating MiniLM on text, without any label.

    python models/train_fast.py --folder build/train --out build/fast

(on an accelerator; a few minutes). A text's vector is the normalised sum of one row per token.
Rows begin as MiniLM's last state of each token alone, on the 256 principal directions of its
sentence vectors, centred and weighted down when frequent (SIF). They are then trained so that
sums point where MiniLM's sentence vectors point:

    loss = 5 · (1 - cosine to the teacher) + 0.5 · KL of the similarities inside a batch

over batches of one kind of text each: whole passages, random windows, short texts and titles.
Writes rows.npy in 16 bits; models/build_learned.py makes the shipped files of it.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path

import dev
import minilm
import numpy as np
import torch
from torch.nn.functional import kl_div, log_softmax, normalize, softmax

SIZE, DIMENSIONS, SEED = 30_522, 256, 11
BATCH, STEPS, RATE = 2048, 5000, 3e-3
KINDS = (("passages", 0.3), ("windows", 0.5), ("short", 0.2))
WINDOW = (5, 64)
SIF, TAU = 1e-4, 0.05


class Sampler:
    """Batches of token lists, each of one kind."""

    def __init__(self, texts: minilm.Texts) -> None:
        self._texts = texts
        self._short = [
            one for one in (*texts.short, *dict.fromkeys(map(tuple, texts.titles))) if one
        ]
        self._chance = random.Random(SEED)

    def batch(self) -> list[list[int]]:
        (kind,) = self._chance.choices(
            [name for name, _ in KINDS], weights=[share for _, share in KINDS]
        )
        if kind == "short":
            return [list(one) for one in self._chance.choices(self._short, k=BATCH)]
        places = self._chance.choices(range(len(self._texts.passages)), k=BATCH)
        return [self._whole(at) if kind == "passages" else self._window(at) for at in places]

    def _whole(self, at: int) -> list[int]:
        title = self._texts.titles[at] if self._chance.random() < 0.5 else []
        return [*title, *self._texts.passages[at]][: minilm.LIMIT - 2]

    def _window(self, at: int) -> list[int]:
        tokens = self._texts.passages[at]
        length = self._chance.randint(*WINDOW)
        start = self._chance.randrange(max(1, len(tokens) - length + 1))
        return tokens[start : start + length]


def directions(model: object, texts: minilm.Texts) -> torch.Tensor:
    """The principal directions of sentence vectors, strongest first: dimensions × width."""
    places = random.Random(SEED).sample(range(len(texts.passages)), 60_000)
    vectors = minilm.sentences(model, [texts.passages[at] for at in places])
    _, _, rows = torch.linalg.svd(vectors.float(), full_matrices=False)  # type: ignore[attr-defined]
    return rows[:DIMENSIONS]


def first_rows(model: object, basis: torch.Tensor, texts: minilm.Texts) -> torch.Tensor:
    """Each token alone through MiniLM, projected, centred, weighted by SIF, of mean norm 1."""
    states = []
    with torch.inference_mode():
        for start in range(0, SIZE, 4096):
            ids, mask = minilm.padded([[at] for at in range(start, min(SIZE, start + 4096))])
            states.append(model(input_ids=ids, attention_mask=mask).last_hidden_state[:, 1])  # type: ignore[operator]
    rows = torch.cat(states).float() @ basis.T
    rows = rows - rows.mean(0)
    counts = np.bincount(np.concatenate([*texts.passages, *texts.short]), minlength=SIZE)
    share = torch.from_numpy(counts / counts.sum()).float().to(minilm.device())
    rows = rows * (SIF / (SIF + share))[:, None]
    return rows / rows.norm(dim=1).mean()


def bags(batch: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    flat = torch.from_numpy(np.concatenate([np.asarray(one, dtype=np.int64) for one in batch]))
    starts = np.cumsum([0, *[len(one) for one in batch[:-1]]])
    return flat.to(minilm.device()), torch.from_numpy(starts).to(minilm.device())


def loss_of(ours: torch.Tensor, theirs: torch.Tensor) -> torch.Tensor:
    pull = 1 - (ours * theirs).sum(1).mean()
    hidden = torch.eye(len(ours), device=minilm.device(), dtype=torch.bool)
    near = (ours @ ours.T / TAU).masked_fill(hidden, -1e4)
    wanted = (theirs @ theirs.T / TAU).masked_fill(hidden, -1e4)
    return 5 * pull + 0.5 * kl_div(log_softmax(near, 1), softmax(wanted, 1), reduction="batchmean")


def train(model: object, texts: minilm.Texts, *, steps: int) -> torch.Tensor:
    basis = directions(model, texts)
    table = torch.nn.EmbeddingBag.from_pretrained(
        first_rows(model, basis, texts), freeze=False, mode="sum"
    )
    adam = torch.optim.Adam(table.parameters(), lr=RATE)
    warm = max(1, steps * 3 // 100)
    rate = torch.optim.lr_scheduler.LambdaLR(
        adam, lambda at: min((at + 1) / warm, 1 - 0.99 * max(0, at - warm) / (steps - warm))
    )
    sampler, started = Sampler(texts), time.perf_counter()
    for step in range(steps):
        batch = sampler.batch()
        theirs = normalize(minilm.sentences(model, batch) @ basis.T, dim=-1)  # type: ignore[operator]
        ours = normalize(table(*bags(batch)), dim=-1)
        loss = loss_of(ours, theirs.clone())
        adam.zero_grad(set_to_none=True)
        loss.backward()
        adam.step()
        rate.step()
        if step % 500 == 0:
            print(f"step {step} loss {loss.item():.4f} {time.perf_counter() - started:.0f} s")
    return table.weight.detach()


def vectors(rows: torch.Tensor, texts: list[str]) -> np.ndarray:
    tokens = [one or [1] for one in minilm.encode(texts, limit=510)]
    found = torch.nn.functional.embedding_bag(bags(tokens)[0], rows, bags(tokens)[1], mode="sum")
    return normalize(found, dim=-1).cpu().numpy()


def measure(rows: torch.Tensor, folder: Path) -> dict[str, dict[str, float]]:
    """On the development split: alone, and in convex combination with BM25."""
    found = {}
    for one in dev.read(folder / "dev.json.xz"):
        near = vectors(rows, [q.text for q in one.questions]) @ vectors(rows, one.texts).T
        found[one.name] = measured(one, near)
    return found


def measured(one: dev.Collection, near: np.ndarray) -> dict[str, float]:
    def mean(orders: list[np.ndarray]) -> float:
        pairs = zip(one.questions, orders, strict=True)
        return round(float(np.mean([dev.ndcg(order, q.grades) for q, order in pairs])), 4)

    found = {"alone": mean([np.argsort(-row)[:10] for row in near])}
    for alpha in (0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7):
        both = [
            dev.convex(q, row, alpha=alpha)[0] for q, row in zip(one.questions, near, strict=True)
        ]
        found[f"convex {alpha}"] = mean(both)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Learn the static embedder.")
    parser.add_argument("--folder", type=Path, default=Path("build/train"))
    parser.add_argument("--out", type=Path, default=Path("build/fast"))
    parser.add_argument("--steps", type=int, default=STEPS)
    options = parser.parse_args()
    torch.manual_seed(SEED)
    torch.backends.cuda.matmul.allow_tf32 = True
    texts = minilm.read_texts(options.folder / "texts.jsonl.xz")
    print(f"{len(texts.passages)} passages, {len(texts.short)} short texts")
    teacher = minilm.load(options.folder)
    rows = train(teacher, texts, steps=options.steps)
    options.out.mkdir(parents=True, exist_ok=True)
    np.save(options.out / "rows.npy", rows.cpu().numpy().astype(np.float16))
    found = {"steps": options.steps, "seed": SEED, "dev": measure(rows, options.folder)}
    print(json.dumps(found, indent=1))
    (options.out / "measured.json").write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
