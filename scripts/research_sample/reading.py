"""How is a text of the sample read? Its front matter, and its body as a list of parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

TEXTS = Path(__file__).parent / "texts"
ENDINGS = {"pdf": ".pdf", "md": ".md", "html": ".html", "tex": ".tex"}
JOURNAL = "Wendmoor Papers in Statistics"
_ENTRY = re.compile(r"\[\d+\] ")
_ITEM = re.compile(r"(?:-|(\d+)\.) ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a text: heading, paragraph, bullets, numbers, table or reference."""

    kind: str
    text: str = ""
    level: int = 0
    items: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text of the sample: what stands above it, and its parts."""

    slug: str
    key: str
    title: str
    authors: tuple[str, ...]
    year: int
    kind: str
    format: str
    columns: int
    body: str

    @property
    def file(self) -> str:
        """Its name in the sample."""
        return self.slug + ENDINGS[self.format]

    @property
    def byline(self) -> str:
        """Who wrote it, as it stands under the title."""
        return joined(self.authors)

    @property
    def date(self) -> str:
        """A day in its year, the same on every build."""
        seed = sum(map(ord, self.key))
        return f"{self.year}-{1 + seed % 12:02}-{1 + seed % 27:02}"

    @property
    def entry(self) -> str:
        """How other texts refer to it."""
        names = [_turned(name) for name in self.authors]
        people = names[0] if len(names) == 1 else ", ".join(names[:-1]) + ", & " + names[-1]
        return f"{people} ({self.year}). {self.title}. {JOURNAL}, {self.volume}, {self.pages}."

    @property
    def volume(self) -> int:
        """The volume of the journal."""
        return self.year - 2008

    @property
    def first_page(self) -> int:
        """The page of the journal on which it begins."""
        return 1 + sum(map(ord, self.key)) % 40 * 6

    @property
    def pages(self) -> str:
        """The pages of the journal that it fills."""
        return f"{self.first_page}–{self.first_page + (3 if self.columns == 2 else 5)}"

    def parts(self) -> Iterator[Part]:
        """The parts of the body, references with the entries of other texts written out."""
        for block in re.split(r"\n\s*\n", self.body.strip()):
            yield from _parts(block.strip())


def joined(names: tuple[str, ...]) -> str:
    """Names in a row: A, B and C."""
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def _turned(name: str) -> str:
    """`Despina Galanis` as `Galanis, D.`."""
    *given, last = name.split()
    return f"{last}, " + " ".join(f"{one[0]}." for one in given)


@cache
def texts() -> dict[str, Text]:
    """Every text of the sample by its key."""
    found = (_read(path) for path in sorted(TEXTS.glob("*.md")))
    return {one.key: one for one in found}


def _read(path: Path) -> Text:
    _, head, body = path.read_text(encoding="utf-8").split("---\n", 2)
    said = yaml.safe_load(head)
    return Text(
        slug=path.stem,
        key=said["key"],
        title=said["title"],
        authors=tuple(said["authors"]),
        year=said["year"],
        kind=said["kind"],
        format=said["format"],
        columns=2 if said.get("layout") == "two" else 1,
        body=body,
    )


def written_out(entry: str) -> str:
    """A reference; `@key` stands for another text of the sample."""
    return texts()[entry[1:]].entry if entry.startswith("@") else entry


def _parts(block: str) -> Iterator[Part]:
    if block.startswith("#"):
        marks, _, rest = block.partition(" ")
        heading, _, after = rest.partition("\n")
        yield Part(kind="heading", text=heading.strip(), level=len(marks) - 1)
        if after.strip():
            yield from _parts(after.strip())
    elif block.startswith("|"):
        lines = [one.strip().strip("|").split("|") for one in block.splitlines()]
        rows = tuple(tuple(cell.strip() for cell in line) for line in lines)
        yield Part(kind="table", rows=(rows[0], *rows[2:]))
    elif _ENTRY.match(block):
        for one in re.split(r"\n(?=\[\d+\] )", block):
            number, _, text = one.removeprefix("[").partition("] ")
            text = written_out(" ".join(text.split()))
            yield Part(kind="reference", text=text, level=int(number))
    elif _ITEM.match(block):
        pieces = re.split(r"\n(?=(?:-|\d+\.) )", block)
        kind = "bullets" if block.startswith("-") else "numbers"
        items = tuple(" ".join(_ITEM.sub("", one, count=1).split()) for one in pieces)
        yield Part(kind=kind, items=items)
    else:
        yield Part(kind="paragraph", text=block)
