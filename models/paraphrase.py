"""How are true statements put into other words? By a small language model on an accelerator.

    python models/paraphrase.py --model FOLDER --file NAME.gguf --data build/support --out OUT

Writes paraphrases.jsonl: {source, text, sentence, paraphrase} for sentences of passages, and
{source: "squad", text, question, answer, others, statement} for questions with their answers.
Only whole, short sentences are put into other words. What repeats its input is dropped.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import time
from pathlib import Path

from support_pairs import is_plain, split_sentences

REWRITE = (
    "Rewrite this sentence in different words. Keep every fact, name, number and negation, and "
    "keep the meaning exactly. Write only the new sentence.\n\nSentence: {}"
)
SHORTEN = (
    "Say this in one short simple sentence, in your own words, true to the original. Keep names, "
    "numbers and negations. Write only the sentence.\n\nText: {}"
)
STATE = (
    "Turn the question and its answer into one full sentence that states the answer. Use the "
    "answer's exact words. Write only the sentence.\n\nQuestion: {}\nAnswer: {}"
)


def main() -> None:
    parser = argparse.ArgumentParser(description="Put true statements into other words.")
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--file", required=True)
    parser.add_argument("--data", type=Path, default=Path("build/support"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--batch", type=int, default=768)
    options = parser.parse_args()
    tasks = list(read_tasks(options.data))
    print(len(tasks), "tasks", flush=True)
    random.Random(5).shuffle(tasks)
    write = writer(options.model, options.file)
    began = time.time()
    with options.out.open("w", encoding="utf-8") as out:
        for start in range(0, len(tasks), options.batch):
            batch = sorted(tasks[start : start + options.batch], key=lambda task: len(task[0]))
            for (_, record, key), text in zip(batch, write([t[0] for t in batch]), strict=True):
                text = text.strip().split("\n")[0].strip().strip('"')
                if 3 <= len(text.split()) <= 60 and text != record.get("sentence"):
                    out.write(json.dumps({**record, key: text}, ensure_ascii=False) + "\n")
            out.flush()
            done = start + len(batch)
            print(done, round(time.time() - began), flush=True)
            if time.time() - began > options.seconds:
                return


def read_tasks(data: Path) -> list[tuple[str, dict[str, object], str]]:
    rng = random.Random(3)
    tasks: list[tuple[str, dict[str, object], str]] = []
    with lzma.open(data / "passages.jsonl.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            plain = [s for s in split_sentences(record["text"]) if is_plain(s)]
            if plain:
                sentence = rng.choice(plain)
                prompt = rng.choice((REWRITE, REWRITE, SHORTEN)).format(sentence)
                tasks.append((prompt, {**record, "sentence": sentence}, "paraphrase"))
    with lzma.open(data / "questions.jsonl.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            record = {"source": "squad", **json.loads(line)}
            prompt = STATE.format(record["question"], record["answer"])
            tasks.append((prompt, record, "statement"))
    return tasks


def writer(folder: Path, file: str):  # noqa: ANN201 - of transformers, which is not typed
    import torch  # noqa: PLC0415
    from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: PLC0415

    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=file)
    model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, torch_dtype=torch.bfloat16)
    model = model.to("cuda").eval()
    tokenizer.padding_side = "left"
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")

    @torch.inference_mode()
    def write(prompts: list[str]) -> list[str]:
        texts = [
            "<|im_start|>system\nYou are a careful editor.<|im_end|>\n<|im_start|>user\n"
            f"{prompt}<|im_end|>\n<|im_start|>assistant\n"
            for prompt in prompts
        ]
        inputs = tokenizer(texts, return_tensors="pt", padding=True).to("cuda")
        output = model.generate(
            **inputs,
            max_new_tokens=72,
            do_sample=True,
            temperature=0.7,
            top_p=0.9,
            eos_token_id=[end, tokenizer.eos_token_id],
            pad_token_id=tokenizer.pad_token_id,
        )
        return tokenizer.batch_decode(
            output[:, inputs.input_ids.shape[1] :], skip_special_tokens=True
        )

    return write


if __name__ == "__main__":
    main()
