"""How is the support model learned? A cross-encoder over a passage and a statement, three classes.

    python models/train_support.py --data build/support --out build/support [--without KIND ...]

Starts from MiniLM (build/train/teacher.npz and the shipped word table, which stays as it is), reads
passages and paraphrases, makes pairs by `support_pairs`, learns, and measures on sources that it
has not seen, kind by kind. `--without` leaves kinds of falsification out of learning, so that what
is reported of them is of kinds not seen.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from minilm import CLS, SEP, WIDTH, device, encode, load
from support_pairs import (
    CONTRADICT,
    SILENT,
    SUPPORT,
    is_plain,
    read_lexicon,
    restate_numbers,
    split_sentences,
    twins,
)
from support_texts import HELD_OUT

LIMIT = 256
STATEMENT = 64  # tokens of a statement
UNFAITHFUL = 0.1
Pair = tuple[str, str, int, str, str]  # passage, statement, label, kind, source


def pairs_of(record: dict[str, object], seed: int, lexicon: object) -> Iterator[Pair]:
    """All pairs that one record gives."""
    rng = random.Random(seed)
    text, source = str(record["text"]), str(record["source"])
    if source == "squad":
        yield from pairs_of_question(record, rng, lexicon)
        return
    sentences = split_sentences(text)
    plain = [s for s in sentences if is_plain(s)]
    paraphrase = str(record.get("paraphrase") or "")
    chosen = [str(record["sentence"])] if paraphrase else []
    others = [s for s in plain if s not in chosen]
    chosen += rng.sample(others, min(2, len(others)))
    for sentence in chosen:
        restated = paraphrase if paraphrase and sentence == record["sentence"] else ""
        yield from pairs_of_sentence(sentence, restated, sentences, source, rng, lexicon)


def pairs_of_sentence(
    sentence: str,
    paraphrase: str,
    sentences: list[str],
    source: str,
    rng: random.Random,
    lexicon: object,
) -> Iterator[Pair]:
    text = " ".join(sentences)
    statement = paraphrase or sentence
    yield text, statement, SUPPORT, "paraphrase" if paraphrase else "verbatim", source
    if paraphrase and rng.random() < 0.3:
        yield text, sentence, SUPPORT, "verbatim", source
    if restated := restate_numbers(statement, rng):
        yield text, restated, SUPPORT, "number restated", source
    made = list(twins(statement, sentences, rng, lexicon, most=4))  # type: ignore[arg-type]
    for kind, twin, label in made:
        yield text, twin, label, kind, source
    turned = list(twins(sentence, sentences, rng, lexicon, most=2))  # type: ignore[arg-type]
    for kind, twin, label in turned:
        if label != CONTRADICT:
            continue
        false_text = text.replace(sentence, twin, 1)
        yield false_text, statement, CONTRADICT, kind, source
        yield false_text, twin, SUPPORT, "verbatim", source
    rest = [s for s in sentences if s != sentence]
    if len(rest) > 1 and rng.random() < 0.6:
        yield " ".join(rest), statement, SILENT, "not said", source


def pairs_of_question(
    record: dict[str, object], rng: random.Random, lexicon: object
) -> Iterator[Pair]:
    text, statement, answer = str(record["text"]), str(record["statement"]), str(record["answer"])
    if answer not in statement:
        return
    yield text, statement, SUPPORT, "paraphrase", "squad"
    shape = kind_of_answer(answer)
    others = [
        other
        for other in record["others"]  # type: ignore[attr-defined]
        if kind_of_answer(other) == shape and other not in answer and answer not in other
    ]
    for other in rng.sample(others, min(2, len(others))):
        yield text, statement.replace(answer, other, 1), CONTRADICT, "wrong answer", "squad"
    for kind, twin, label in twins(statement, split_sentences(text), rng, lexicon, most=2):  # type: ignore[arg-type]
        yield text, twin, label, kind, "squad"
    rest = [s for s in split_sentences(text) if answer not in s]
    if len(rest) > 1:
        yield " ".join(rest), statement, SILENT, "not said", "squad"


def kind_of_answer(answer: str) -> str:
    if any(c.isdigit() for c in answer):
        return "number"
    return "name" if answer[:1].isupper() else "phrase"


def _pairs(job: tuple[list[dict[str, object]], int, str]) -> list[Pair]:
    records, seed, wordnet = job
    lexicon = read_lexicon(Path(wordnet))
    return [
        pair for at, record in enumerate(records) for pair in pairs_of(record, seed + at, lexicon)
    ]


def read_records(data: Path) -> list[dict[str, object]]:
    with (data / "paraphrases.jsonl").open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    known = {record["text"] for record in records}
    with lzma.open(data / "passages.jsonl.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            if record["text"] not in known:
                records.append(record)
    return records


def build_pairs(data: Path, wordnet: Path) -> list[Pair]:
    records = read_records(data)
    jobs = [
        (records[start : start + 500], start, str(wordnet)) for start in range(0, len(records), 500)
    ]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        return [pair for some in pool.map(_pairs, jobs) for pair in some]


def encode_pairs(pairs: list[Pair]) -> list[tuple[list[int], list[int]]]:
    passages = encode([pair[0] for pair in pairs])
    statements = encode([pair[1] for pair in pairs], limit=STATEMENT)
    return list(zip(statements, passages, strict=True))


def batch_of(rows: list[tuple[list[int], list[int]]]):  # noqa: ANN201
    import torch  # noqa: PLC0415

    sizes = [min(LIMIT, len(a) + len(b) + 3) for a, b in rows]
    ids = np.zeros((len(rows), max(sizes)), dtype=np.int64)
    types, mask = np.zeros_like(ids), np.zeros_like(ids)
    for row, (a, b) in enumerate(rows):
        tokens = [CLS, *a, SEP, *b][: LIMIT - 1] + [SEP]
        ids[row, : len(tokens)] = tokens
        types[row, len(a) + 2 : len(tokens)] = 1
        mask[row, : len(tokens)] = 1
    return tuple(torch.from_numpy(x).to(device()) for x in (ids, types, mask))


def model_of(folder: Path):  # noqa: ANN201
    import torch  # noqa: PLC0415

    class Support(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bert = load(folder)
            self.bert.embeddings.word_embeddings.weight.requires_grad_(False)
            self.hidden = torch.nn.Linear(2 * WIDTH, WIDTH)
            self.head = torch.nn.Linear(WIDTH, 3)
            self.drop = torch.nn.Dropout(0.1)

        def forward(self, ids, types, mask):  # noqa: ANN001, ANN202
            states = self.bert(
                input_ids=ids, token_type_ids=types, attention_mask=mask
            ).last_hidden_state
            own = ((types == 0) & (mask == 1)).unsqueeze(-1)
            mean = (states * own).sum(1) / own.sum(1)
            both = torch.cat([states[:, 0], mean], dim=-1)
            return self.head(self.drop(torch.tanh(self.hidden(self.drop(both)))))

    return Support().to(device())


def learn(pairs, rows, *, teacher, epochs, batch, rate):  # noqa: ANN001, ANN201
    import torch  # noqa: PLC0415

    torch.manual_seed(7)
    rng = random.Random(7)
    model = model_of(teacher).train()
    labels = np.array([pair[2] for pair in pairs])
    steps = epochs * (len(rows) // batch)
    optimiser = torch.optim.AdamW(
        [p for p in model.parameters() if p.requires_grad], lr=rate, weight_decay=0.01
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / (0.06 * steps), max(0.02, 1 - step / steps))
    )
    step, began = 0, time.time()
    for _ in range(epochs):
        order = list(range(len(rows)))
        rng.shuffle(order)
        # Batches of like lengths, in random order.
        blocks = [
            sorted(order[at : at + 64 * batch], key=lambda i: len(rows[i][1]) + len(rows[i][0]))
            for at in range(0, len(order), 64 * batch)
        ]
        batches = [
            block[at : at + batch]
            for block in blocks
            for at in range(0, len(block) - batch + 1, batch)
        ]
        rng.shuffle(batches)
        for chosen in batches:
            inputs = batch_of([rows[i] for i in chosen])
            target = torch.from_numpy(labels[chosen]).to(device())
            with torch.autocast(device(), torch.bfloat16):
                scores = model(*inputs)
            loss = torch.nn.functional.cross_entropy(scores.float(), target, label_smoothing=0.03)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            step += 1
            if step % 200 == 0:
                print(step, steps, round(float(loss), 3), round(time.time() - began), flush=True)
    return model.eval()


def predict(model, rows, batch: int = 1024):  # noqa: ANN001, ANN201
    import torch  # noqa: PLC0415

    out = np.zeros((len(rows), 3), dtype=np.float32)
    order = sorted(range(len(rows)), key=lambda i: len(rows[i][0]) + len(rows[i][1]))
    with torch.inference_mode(), torch.autocast(device(), torch.bfloat16):
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            scores = model(*batch_of([rows[i] for i in chosen])).float().softmax(-1)
            out[chosen] = scores.cpu().numpy()
    return out


def measure(pairs: list[Pair], chances: np.ndarray, rejected: float = 0.08) -> dict[str, object]:
    """By kind: false ones caught, where `rejected` of the paraphrases fall below the threshold."""
    support = chances[:, SUPPORT]
    true = np.array([pair[2] == SUPPORT for pair in pairs])
    restated = np.array([pair[3] == "paraphrase" for pair in pairs])
    threshold = float(np.quantile(support[restated], rejected))
    kinds: dict[str, list[bool]] = defaultdict(list)
    sources: dict[str, list[bool]] = defaultdict(list)
    for pair, chance in zip(pairs, support, strict=True):
        kinds[pair[3]].append(bool(chance < threshold))
        if pair[2] != SUPPORT:
            sources[pair[4]].append(bool(chance < threshold))
    return {
        "threshold": threshold,
        "false caught": float(np.mean(support[~true] < threshold)),
        "at one half": {
            "false caught": float(np.mean(support[~true] < 0.5)),
            "true rejected": float(np.mean(support[true] < 0.5)),
        },
        "kinds": {k: [round(float(np.mean(v)), 3), len(v)] for k, v in sorted(kinds.items())},
        "sources": {k: [round(float(np.mean(v)), 3), len(v)] for k, v in sorted(sources.items())},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Learn the support model.")
    parser.add_argument("--data", type=Path, default=Path("build/support"))
    parser.add_argument("--teacher", type=Path, default=Path("build/train"))
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--without", nargs="*", default=[])
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--rate", type=float, default=1.5e-4)
    parser.add_argument("--name", default="support")
    parser.add_argument("--save", action="store_true")
    parser.add_argument(
        "--filter", type=Path, help="an earlier model: drops unfaithful paraphrases"
    )
    options = parser.parse_args()
    began = time.time()
    pairs = build_pairs(options.data, options.wordnet)
    learned = [p for p in pairs if p[4] not in HELD_OUT]
    unseen = [p for p in pairs if p[4] in HELD_OUT]
    random.Random(1).shuffle(learned)
    development, learned = learned[:6000], learned[6000:]
    learned = [p for p in learned if p[3] not in options.without]
    if options.filter:
        learned = drop_unfaithful(learned, options.filter, options.teacher)
    print(len(learned), len(unseen), round(time.time() - began), "s of pairs", flush=True)
    rows = encode_pairs(learned)
    print(round(time.time() - began), "s with tokens", flush=True)
    model = learn(
        learned,
        rows,
        teacher=options.teacher,
        epochs=options.epochs,
        batch=options.batch,
        rate=options.rate,
    )
    report = {
        "without": options.without,
        "pairs": len(learned),
        "development": measure(development, predict(model, encode_pairs(development))),
        "unseen sources": measure(unseen, predict(model, encode_pairs(unseen))),
    }
    print(json.dumps(report, indent=1), flush=True)
    (options.out / f"{options.name}.json").write_text(
        json.dumps(report, indent=1), encoding="utf-8"
    )
    if options.save:
        save(model, options.out, options.name)


def drop_unfaithful(pairs: list[Pair], weights: Path, teacher: Path) -> list[Pair]:
    """Without paraphrases that an earlier model is sure are not supported: the writer's mistakes."""
    import torch  # noqa: PLC0415

    model = model_of(teacher)
    state = {
        key: torch.from_numpy(value.astype(np.float32))
        for path in sorted(weights.glob("support-*.npz"))
        for key, value in np.load(path).items()
    }
    model.load_state_dict(state, strict=False)
    model.eval()
    chosen = [at for at, pair in enumerate(pairs) if pair[3] == "paraphrase"]
    chances = predict(model, encode_pairs([pairs[at] for at in chosen]))[:, SUPPORT]
    dropped = {at for at, chance in zip(chosen, chances, strict=True) if chance < UNFAITHFUL}
    return [pair for at, pair in enumerate(pairs) if at not in dropped]


def save(model, out: Path, name: str) -> None:  # noqa: ANN001
    """Weights without the word table, in 16 bits, in files of at most 15 MB."""
    state = {
        key: value.detach().float().cpu().numpy().astype(np.float16)
        for key, value in model.state_dict().items()
        if "word_embeddings" not in key and "position_ids" not in key
    }
    part: dict[str, np.ndarray] = {}
    size = number = 0
    for key, value in state.items():
        if size + value.nbytes > 14_000_000:
            np.savez(out / f"{name}-{number}.npz", **part)
            part, size, number = {}, 0, number + 1
        part[key] = value
        size += value.nbytes
    np.savez(out / f"{name}-{number}.npz", **part)


if __name__ == "__main__":
    main()
