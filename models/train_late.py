"""How are token vectors for late interaction learned? Layers on top of MiniLM's first ones.

    python models/train_late.py --folder build/train --out build/late

(on an accelerator). The first `frozen` layers are MiniLM's own and stay as they are, so that the
embedder and the reranker share them; the layers above them begin as MiniLM's and are trained,
and a projection brings token states to a few dimensions. A passage's score is

    Σ idf(t) · max_j cos(q_t, d_j) / Σ idf(t)     over the question's tokens t.

No label is needed. A question is a passage's title, a window of it, or a few of its words; it
stands against seven passages that are near in meaning and all those of the batch:

    loss = c · cross entropy over the batch + KL to MiniLM's own late interaction on the eight
           + 3 · (1 - cosine of each token's state to MiniLM's last one)

Several variants are trained on the same batches and measured on the development split.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from dataclasses import dataclass
from pathlib import Path

import dev
import minilm
import numpy as np
import torch
from torch.nn.functional import cross_entropy, kl_div, log_softmax, normalize, softmax

SEED, STEPS, RATE = 12, 2000, 1.5e-4
QUESTIONS, LIST, LENGTH = 64, 8, 192
TAU, FIRST = 0.03, 40
GENERIC = 3  # titles of fewer tokens name nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """`layers` in all, of which the first `frozen` are MiniLM's own; `width` of the vectors.

    `contrast` weighs the cross entropy against the imitation of MiniLM.
    """

    name: str
    layers: int
    frozen: int
    width: int
    contrast: float = 0.5


VARIANTS = (
    Variant(name="six-64", layers=6, frozen=6, width=64),
    Variant(name="six-64-calm", layers=6, frozen=6, width=64, contrast=0.1),
    Variant(name="six-96", layers=6, frozen=6, width=96),
    Variant(name="six-96-calm", layers=6, frozen=6, width=96, contrast=0.1),
    Variant(name="two-one-64", layers=3, frozen=2, width=64),
    Variant(name="two-two-64", layers=4, frozen=2, width=64),
)


class Late(torch.nn.Module):
    """A truncated MiniLM and its projection."""

    def __init__(self, variant: Variant, folder: Path, basis: torch.Tensor) -> None:
        super().__init__()
        self.variant = variant
        self.encoder = minilm.load(folder, layers=variant.layers)
        self.project = torch.nn.Linear(minilm.WIDTH, variant.width, bias=False)
        self.project.weight.data = basis[: variant.width].clone()
        self.scale = torch.nn.Parameter(torch.tensor(30.0))
        self.to(minilm.device())
        frozen = [self.encoder.embeddings, *self.encoder.encoder.layer[: variant.frozen]]
        for part in frozen:
            part.requires_grad_(False)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        states = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        return states, normalize(self.project(states).float(), dim=-1)


class Sampler:
    """Questions with a list of passages each, the right one first."""

    def __init__(self, texts: minilm.Texts, near: np.ndarray, weights: np.ndarray) -> None:
        self._texts, self._near, self._weights = texts, near, weights
        self._chance = random.Random(SEED)

    def batch(self) -> tuple[list[list[int]], list[list[int]]]:
        questions, passages = [], []
        for _ in range(QUESTIONS):
            at = self._chance.randrange(len(self._texts.passages))
            others = self._chance.sample(self._near[at].tolist(), LIST - 1)
            question, passage = self._pair(at)
            questions.append(question)
            passages.extend([passage, *[self._whole(one) for one in others]])
        return questions, passages

    def _whole(self, at: int) -> list[int]:
        title = self._texts.titles[at] if self._chance.random() < 0.5 else []
        return [*title, *self._texts.passages[at]][: LENGTH - 2]

    def _pair(self, at: int) -> tuple[list[int], list[int]]:
        title, tokens = self._texts.titles[at], self._texts.passages[at]
        kind = self._chance.random()
        if kind < 0.35 and len(title) > GENERIC:
            return title[:30], tokens[: LENGTH - 2]
        if kind < 0.7 or len(tokens) < 12:
            length = self._chance.randint(5, 24)
            start = self._chance.randrange(max(1, len(tokens) - length + 1))
            window = tokens[start : start + length]
            rest = [*tokens[:start], *tokens[start + length :]]
            left = rest if self._chance.random() < 0.5 and len(rest) > 20 else tokens
            return window, left[: LENGTH - 2]
        weights = self._weights[tokens]
        chosen = np.random.default_rng(self._chance.randrange(2**31)).choice(
            len(tokens),
            size=min(self._chance.randint(3, 8), len(tokens)),
            replace=False,
            p=weights / weights.sum(),
        )
        return [tokens[place] for place in sorted(chosen)], self._whole(at)


def scores(
    questions: torch.Tensor, weights: torch.Tensor, passages: torch.Tensor, real: torch.Tensor
) -> torch.Tensor:
    """MaxSim of every question with every passage, weighted: questions × passages."""
    near = torch.einsum("qth,pjh->qptj", questions, passages)
    near = near.masked_fill(~real[None, :, None, :], -1.0)
    return (near.amax(-1) * weights[:, None]).sum(-1)


def own(mask: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    """The tokens that are neither padding nor special."""
    return mask.bool() & (ids != minilm.CLS) & (ids != minilm.SEP)


def shares(ids: torch.Tensor, mask: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Each token's share of its question's idf; special tokens have none."""
    found = weights[ids] * own(mask, ids)
    return found / found.sum(1, keepdim=True).clamp(min=1e-6)


def neighbours(model: object, texts: minilm.Texts) -> np.ndarray:
    """For each passage 32 of its nearest by meaning, from the 4th to the 100th."""
    vectors = minilm.sentences(model, texts.passages).half()  # type: ignore[attr-defined]
    found = []
    for start in range(0, len(vectors), 4096):
        near = vectors[start : start + 4096] @ vectors.T
        found.append(near.topk(100).indices[:, 4::3].int().cpu().numpy())
    return np.concatenate(found)


def token_basis(model: object, texts: minilm.Texts) -> torch.Tensor:
    """The principal directions of MiniLM's token states."""
    places = random.Random(SEED).sample(range(len(texts.passages)), 2000)
    ids, mask = minilm.padded([texts.passages[at][: LENGTH - 2] for at in places])
    with torch.inference_mode():
        states = model(input_ids=ids, attention_mask=mask).last_hidden_state[mask.bool()]  # type: ignore[operator, attr-defined]
    _, _, rows = torch.linalg.svd(normalize(states.float(), dim=-1), full_matrices=False)
    return rows.clone()


def train(
    students: list[Late], teacher: object, sampler: Sampler, weights: torch.Tensor, *, steps: int
) -> None:
    adams = [
        torch.optim.AdamW(
            [
                {"params": [p for p in one.encoder.parameters() if p.requires_grad], "lr": RATE},
                {"params": [one.project.weight], "lr": 1e-3},
                {"params": [one.scale], "lr": 1e-2, "weight_decay": 0.0},
            ]
        )
        for one in students
    ]
    warm = max(1, steps // 20)
    rates = [
        torch.optim.lr_scheduler.LambdaLR(
            adam, lambda at: min((at + 1) / warm, 1 - 0.98 * max(0, at - warm) / (steps - warm))
        )
        for adam in adams
    ]
    started = time.perf_counter()
    for step in range(steps):
        losses = learn(students, adams, teacher, sampler.batch(), weights)
        for rate in rates:
            rate.step()
        if step % 200 == 0:
            print(f"step {step} {losses} {time.perf_counter() - started:.0f} s", flush=True)


def learn(
    students: list[Late],
    adams: list[torch.optim.Optimizer],
    teacher: object,
    batch: tuple[list[list[int]], list[list[int]]],
    weights: torch.Tensor,
) -> list[float]:
    asked, given = minilm.padded(batch[0]), minilm.padded(batch[1])
    share = shares(*asked, weights)  # type: ignore[arg-type]
    real = own(given[1], given[0])  # type: ignore[arg-type]
    with torch.inference_mode(), torch.autocast(minilm.device(), torch.bfloat16):
        q_states = teacher(input_ids=asked[0], attention_mask=asked[1]).last_hidden_state  # type: ignore[operator]
        p_states = teacher(input_ids=given[0], attention_mask=given[1]).last_hidden_state  # type: ignore[operator]
        q, p = normalize(q_states.float(), dim=-1), normalize(p_states.float(), dim=-1)
        lists = p.view(QUESTIONS, LIST, *p.shape[1:])
        near = torch.einsum("qth,qpjh->qptj", q, lists)
        near = near.masked_fill(~real.view(QUESTIONS, LIST, 1, -1), -1.0)
        wanted = (near.amax(-1) * share[:, None]).sum(-1)
    q, p, wanted = q.clone(), p.clone(), wanted.clone()
    losses = []
    for one, adam in zip(students, adams, strict=True):
        loss = loss_of(one, (asked, given), (q, p), share, wanted)
        adam.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_([p for p in one.parameters() if p.requires_grad], 1.0)
        adam.step()
        losses.append(round(loss.item(), 3))
    return losses


def loss_of(
    one: Late,
    inputs: tuple[object, object],
    states: tuple[torch.Tensor, torch.Tensor],
    share: torch.Tensor,
    wanted: torch.Tensor,
) -> torch.Tensor:
    (asked, given) = inputs
    with torch.autocast(minilm.device(), torch.bfloat16):
        if one.variant.frozen == one.variant.layers:
            q, p = (normalize(one.project(each).float(), dim=-1) for each in states)
        else:
            q_own, q = one(*asked)  # type: ignore[misc]
            p_own, p = one(*given)  # type: ignore[misc]
        real = own(given[1], given[0])  # type: ignore[index]
        found = scores(q.bfloat16(), share, p.bfloat16(), real).float()
    right = torch.arange(QUESTIONS, device=minilm.device()) * LIST
    lists = found.view(QUESTIONS, QUESTIONS, LIST)[range(QUESTIONS), range(QUESTIONS)]
    loss = one.variant.contrast * cross_entropy(found * one.scale, right)
    loss = loss + kl_div(
        log_softmax(lists / TAU, 1), softmax(wanted / TAU, 1), reduction="batchmean"
    )
    if one.variant.frozen < one.variant.layers:
        for mine, theirs, mask in (
            (q_own, states[0], asked[1]),  # type: ignore[index]
            (p_own, states[1], given[1]),  # type: ignore[index]
        ):
            near = (normalize(mine.float(), dim=-1) * theirs).sum(-1)
            loss = loss + 1.5 * (1 - near[mask.bool()].mean())
    return loss


def measure(
    one: Late | None, teacher: object, folder: Path, weights: torch.Tensor, *, levels: int = 127
) -> dict[str, object]:
    """Gains over the convex base on the development split, by blend; None is MiniLM untrained."""
    result = {}
    for collection in dev.read(folder / "dev.json.xz"):
        texts = minilm.encode(collection.texts)
        asked = minilm.encode([q.text for q in collection.questions])
        near = (minilm.sentences(teacher, asked) @ minilm.sentences(teacher, texts).T).cpu().numpy()  # type: ignore[operator, attr-defined]
        bases = [
            dev.convex(q, row, alpha=0.5) for q, row in zip(collection.questions, near, strict=True)
        ]
        kept = stored(one, teacher, texts, levels)
        opinions = [
            opinion(one, teacher, tokens, [kept[at] for at in order[:FIRST]], weights)
            for tokens, (order, _) in zip(asked, bases, strict=True)
        ]
        result[collection.name] = blends(collection, bases, opinions)
    return result


def blends(
    collection: dev.Collection,
    bases: list[tuple[np.ndarray, np.ndarray]],
    opinions: list[np.ndarray],
) -> dict[str, float]:
    found = {}
    for blend in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0):
        values = []
        for q, (order, score), mine in zip(collection.questions, bases, opinions, strict=True):
            first = order[:FIRST][dev.blended(score[:FIRST], mine, blend=blend)]
            values.append(dev.ndcg(first, q.grades))
        found[f"{blend}"] = round(float(np.mean(values)), 4)
    return found


def stored(
    one: Late | None, teacher: object, texts: list[list[int]], levels: int
) -> list[torch.Tensor]:
    """Each text's token vectors as they would be kept: rounded to `levels`, of length 1."""
    found: list[torch.Tensor] = [torch.empty(0)] * len(texts)
    order = sorted(range(len(texts)), key=lambda at: -len(texts[at]))
    for start in range(0, len(order), 256):
        some = order[start : start + 256]
        ids, mask = minilm.padded([texts[at] for at in some])
        vectors = tokens_of(one, teacher, ids, mask)
        if levels:
            step = vectors.abs().amax(-1, keepdim=True) / levels
            vectors = normalize(torch.round(vectors / step), dim=-1)
        real = own(mask, ids)  # type: ignore[arg-type]
        for row, at in enumerate(some):
            found[at] = vectors[row][real[row]].half()
    return found


def tokens_of(one: Late | None, teacher: object, ids: object, mask: object) -> torch.Tensor:
    with torch.inference_mode(), torch.autocast(minilm.device(), torch.bfloat16):
        if one is None:
            states = teacher(input_ids=ids, attention_mask=mask).last_hidden_state  # type: ignore[operator]
            return normalize(states.float(), dim=-1)
        return one(ids, mask)[1].float()  # type: ignore[no-any-return]


def opinion(
    one: Late | None,
    teacher: object,
    tokens: list[int],
    passages: list[torch.Tensor],
    weights: torch.Tensor,
) -> np.ndarray:
    ids, mask = minilm.padded([tokens])
    question = tokens_of(one, teacher, ids, mask)[0].half()
    share = shares(ids, mask, weights)[0].half()  # type: ignore[arg-type]
    return np.array(
        [float(((question @ p.T).amax(1) * share).sum()) if len(p) else 0.0 for p in passages]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Learn token vectors.")
    parser.add_argument("--folder", type=Path, default=Path("build/train"))
    parser.add_argument("--out", type=Path, default=Path("build/late"))
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--variants", nargs="*", default=[one.name for one in VARIANTS])
    options = parser.parse_args()
    torch.manual_seed(SEED)
    torch.backends.cuda.matmul.allow_tf32 = True
    options.out.mkdir(parents=True, exist_ok=True)
    texts = minilm.read_texts(options.folder / "texts.jsonl.xz")
    teacher = minilm.load(options.folder)
    idf = minilm.idf(texts.passages)
    np.save(options.out / "idf.npy", idf.astype(np.float16))
    weights = torch.from_numpy(idf).to(minilm.device())
    found: dict[str, object] = {
        "untrained": measure(None, teacher, options.folder, weights, levels=0)
    }
    print(json.dumps(found), flush=True)
    basis = token_basis(teacher, texts)
    students = [
        Late(one, options.folder, basis) for one in VARIANTS if one.name in options.variants
    ]
    sampler = Sampler(texts, neighbours(teacher, texts), idf)
    print("sampling", flush=True)
    train(students, teacher, sampler, weights, steps=options.steps)
    for one in students:
        save(one, options.out)
    for one in students:
        one.eval()
        for levels in (7,):
            found[f"{one.variant.name} levels {levels}"] = measure(
                one, teacher, options.folder, weights, levels=levels
            )
            print(json.dumps(found[f"{one.variant.name} levels {levels}"]), one.variant, flush=True)
    (options.out / "measured.json").write_text(json.dumps(found, indent=1), encoding="utf-8")


def save(one: Late, out: Path) -> None:
    """The trained layers and the projection, in 16 bits."""
    trained = [f"encoder.layer.{at}." for at in range(one.variant.frozen, one.variant.layers)]
    state = {
        name: value.detach().cpu().numpy().astype(np.float16)
        for name, value in one.encoder.state_dict().items()
        if any(name.startswith(part) for part in trained)
    }
    state["projection"] = one.project.weight.detach().cpu().numpy().astype(np.float16)
    np.savez(out / f"{one.variant.name}.npz", **state)


if __name__ == "__main__":
    main()
