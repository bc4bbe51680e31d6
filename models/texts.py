"""Which text do our models learn from? Openly licensed passages and short texts, listed here.

    python models/texts.py --data ../shared/data --wordnet /usr/share/wordnet --out build/train

Writes texts.jsonl.xz, one {source, title, text} a line. A text without a title is short: a
question, a title, a definition. `CAPS` keeps one kind of text from crowding out the others; what
is left out is left out by a hash of the id, so the same data gives the same file.

No question and no judgement of a collection that we report on is among the texts. The passages of
SciFact and of SQuAD (which are XQuAD's too) are, as plain text; so are the questions of TAT-QA. The
cards say so beside the numbers.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import json
import lzma
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

Text = tuple[str, str, str]  # source, title, text

CAPS = {"pmlr": 70_000, "acl": 30_000, "mdn": 18_000, "dotnet": 14_000, "airports": 2_500}
SCALE = 100_000  # hashes are read as a number below this
LICENCES = {
    "pmlr, pmlr_abstract": "Proceedings of Machine Learning Research, CC BY 4.0",
    "acl": "ACL Anthology, CC BY 4.0",
    "mdn": "MDN Web Docs by Mozilla contributors, CC BY-SA 2.5",
    "dotnet": ".NET documentation by Microsoft, CC BY 4.0",
    "factbook": "The World Factbook, CC0",
    "ir_scifact": "SciFact abstracts (Allen Institute for AI), ODC-By",
    "ir_squad11_dev": "SQuAD 1.1 paragraphs (Wikipedia, Stanford), CC BY-SA 4.0",
    "gutenberg_chess, gutenberg_travel": "Project Gutenberg, public domain in the US",
    "openintro": "OpenIntro textbooks, CC BY-SA 3.0",
    "causal_libs": "documentation of causal-inference libraries, MIT, Apache-2.0, BSD-3",
    "causal_handbook": "Causal Inference for the Brave and True, MIT",
    "d2l": "Dive into Deep Learning, CC BY-SA 4.0",
    "sklearn": "scikit-learn documentation, BSD-3",
    "wikibooks": "Wikibooks Chess Opening Theory, CC BY-SA 4.0",
    "tatqa": "TAT-QA dev and test: paragraphs, tables, questions, CC BY 4.0",
    "finqa": "FinQA filings, MIT",
    "wikitables": "WikiTableQuestions: tables and questions, CC BY-SA 4.0",
    "airports": "OpenFlights airports, ODbL",
    "wordnet": "WordNet 3.0, Copyright 2006 by Princeton University",
}


def chunks(data: Path) -> Iterator[Text]:
    """Passages of papers, manuals, books and encyclopedias: see SOURCE.md beside them."""
    with gzip.open(data / "scale_chunks" / "chunks.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            one = json.loads(line)
            if kept(one["source"], one["id"], total=TOTALS.get(one["source"], 0)):
                yield one["source"], title_of(one["title"] or ""), one["text"]


TOTALS = {"pmlr": 221_826, "acl": 46_047, "mdn": 31_373, "dotnet": 27_703, "airports": 7_698}


def kept(source: str, key: str, *, total: int) -> bool:
    if source not in CAPS:
        return True
    place = int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big") % SCALE
    return place < SCALE * CAPS[source] / total


def title_of(text: str) -> str:
    """A title that a person would write; file names lose their dress."""
    plain = re.sub(r"\.(md|qmd|rst|epub|txt|nb|html)\b", "", text.rsplit("/", 1)[-1])
    return re.sub(r"[_\W]+", " ", plain).strip() if "_" in plain else plain.strip()


def tatqa(data: Path) -> Iterator[Text]:
    """Paragraphs and table rows of annual reports, and the questions asked of them."""
    for name in ("tatqa_dataset_dev.json", "tatqa_dataset_test.json"):
        for one in json.loads((data / "finance_tatqa" / name).read_text(encoding="utf-8")):
            for paragraph in one["paragraphs"]:
                yield "tatqa", "Annual report", paragraph["text"]
            yield from rows("tatqa", "Annual report", one["table"]["table"])
            for question in one["questions"]:
                yield "tatqa", "", question["question"]


def finqa(data: Path) -> Iterator[Text]:
    """Pages of filings, cut to pieces of about 100 words."""
    for one in json.loads((data / "finance_finqa" / "finqa_train_100.json").read_text("utf-8")):
        words = " ".join([*one["pre_text"], *one["post_text"]]).split()
        for start in range(0, len(words), 100):
            yield "finqa", "Filing", " ".join(words[start : start + 100])


def wikitables(data: Path) -> Iterator[Text]:
    """Rows of encyclopedia tables, and questions asked of them."""
    home = data / "tables_wikitablequestions"
    for path in sorted((home / "csv").rglob("*.csv")):
        with path.open(encoding="utf-8") as stream:
            table = list(csv.reader(stream, escapechar="\\"))
        yield from list(rows("wikitables", "Table", table))[::4]
    with (home / "data" / "random-split-1-train.tsv").open(encoding="utf-8") as stream:
        for line in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield "wikitables", "", line["utterance"]


def rows(source: str, title: str, table: list[list[str]]) -> Iterator[Text]:
    """Rows as `header: cell` lines, the way tables are indexed."""
    if len(table) < 2:
        return
    header = table[0]
    for row in table[1:]:
        cells = [f"{name}: {cell}" for name, cell in zip(header, row, strict=False) if cell]
        if len(cells) > 1:
            yield source, title, ". ".join(cells)


def airports(data: Path) -> Iterator[Text]:
    path = data / "travel_openflights" / "airports.dat"
    with path.open(encoding="utf-8") as stream:
        for row in csv.reader(stream, escapechar="\\"):
            if kept("airports", row[0], total=TOTALS["airports"]):
                yield "airports", "", f"{row[1]}, {row[2]}, {row[3]} ({row[4]})"


def wordnet(folder: Path) -> Iterator[Text]:
    """Words with their definitions: no subject is without its vocabulary."""
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text(encoding="utf-8").splitlines():
            if line.startswith("  "):
                continue  # the licence
            head, _, gloss = line.partition(" | ")
            fields = head.split()
            count = int(fields[3], 16)
            names = [fields[4 + 2 * at].replace("_", " ") for at in range(count)]
            names = [re.sub(r"\((a|p|ip)\)$", "", name) for name in names]
            yield "wordnet", "", f"{', '.join(names)}: {gloss.strip()}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Collect the text that models learn from.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    parser.add_argument("--out", type=Path, default=Path("build/train"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    found: Counter[str] = Counter()
    with lzma.open(options.out / "texts.jsonl.xz", "wt", encoding="utf-8", preset=6) as out:
        for reader in (chunks, tatqa, finqa, wikitables, airports):
            write(reader(options.data), found, out)
        write(wordnet(options.wordnet), found, out)
    for source, count in found.most_common():
        print(f"{source:20} {count:>8,}")


def write(texts: Iterator[Text], found: Counter[str], out: object) -> None:
    for source, title, text in texts:
        if len(text.split()) >= 3:
            found[source] += 1
            line = {"source": source, "title": title, "text": text}
            out.write(json.dumps(line, ensure_ascii=False) + "\n")  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
