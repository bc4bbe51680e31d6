"""Which files does the sample have? The monthly and annual reports of both groups."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from finance_sample import annual, monthly, sheets, statements, years
from finance_sample.figures import Group
from finance_sample.grids import Sheet, Style, marked
from finance_sample.monthly import Frame
from finance_sample.pages import Setting, printed
from finance_sample.telling import Told, told
from finance_sample.words import Words

HERE = Path(__file__).parent
STYLES = {
    "veldmark": Style(),
    "tessenhof": Style(point=",", thousands=".", parentheses=False, minus="−", nil="–", plus=True),
    "deutsch": Style(point=",", thousands=".", parentheses=False, minus="-", nil="-", plus=True),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A file of the sample, and the tables in it."""

    name: str
    content: bytes
    sheets: list[Sheet]
    told: Told = field(default_factory=list)


@cache
def group(slug: str) -> Group:
    """One of the two groups by its name in file names."""
    return Group(HERE / f"{slug}.toml")


def reports() -> Iterator[Made]:
    """Every PDF of the sample."""
    for slug in ("veldmark", "tessenhof"):
        for month in group(slug).about["months"]:
            yield monthly_report(slug, 2025, month)
        yield annual_report(slug, 2024)


def others() -> Iterator[Made]:
    """The spreadsheet and the CSV file."""
    content = sheets.budget(group("veldmark"), 2025)
    yield Made(name="veldmark-budget-2025.xlsx", content=content, sheets=[])
    content = sheets.employees(group("tessenhof"), 2025, 9, STYLES["tessenhof"])
    yield Made(name="tessenhof-employees-2025.csv", content=content, sheets=[])


def frame_of(slug: str, year: int, month: int) -> Frame:
    """What the report of a month is made with."""
    kind = "deutsch" if (slug, month) == ("tessenhof", 9) else slug
    return Frame(group=group(slug), year=year, month=month, words=Words(kind), style=STYLES[kind])


def monthly_report(slug: str, year: int, month: int) -> Made:
    """The report of one month."""
    frame = frame_of(slug, year, month)
    german = frame.words.kind == "deutsch"
    when = frame.words.month(frame.period)
    about = frame.group.about
    setting = Setting(
        slug=slug,
        title=f"{about['name']} – {'Monatsbericht' if german else 'Monthly report'}",
        subtitle=when,
        legal=about["legal"],
        outline=month % 2 == 0,
        language="de" if german else "en",
    )
    folder = HERE / slug
    text = (folder / ("monthly-de.md" if german else "monthly.md")).read_text(encoding="utf-8")
    said = folder / f"{frame.period}.md"
    text = _joined(text, said.read_text(encoding="utf-8") if said.exists() else "")
    text, noted = told(text.replace("MONTH", when).replace("YEAR", str(year)), frame)
    content = printed(setting, text, lambda name: _monthly_table(frame, name))
    kind = "monatsbericht" if german else "monthly"
    name = f"{slug}-{frame.period}-{kind}.pdf"
    return Made(name=name, content=content, sheets=setting.sheets, told=noted)


def annual_report(slug: str, year: int) -> Made:
    """The report of one year; it is set twice, since its contents name pages."""
    frame = replace(frame_of(slug, year, 12), annual=True)
    about = frame.group.about
    text = (HERE / slug / "annual.md").read_text(encoding="utf-8")
    text, noted = told(text, frame)
    contents = "(contents)"
    for _ in range(2):
        setting = Setting(
            slug=slug,
            title=f"{about['name']} – Annual Report {year}",
            subtitle=f"Year ended 31 December {year}",
            legal=about["legal"],
            outline=frame.dollars,
            serif=frame.dollars,
        )
        content = printed(
            setting,
            text.replace("CONTENTS", contents),
            lambda name: annual.TABLES[name](years.Year(frame=frame)),
        )
        contents = "\n\n".join(
            f"~ {page} {heading}" for level, heading, page in setting.contents[1:] if level == 0
        )
    name = f"{slug}-{year}-annual.pdf"
    return Made(name=name, content=content, sheets=setting.sheets, told=noted)


def _joined(text: str, said: str) -> str:
    """The frame of a report with what was written for its month, part by part."""
    parts = dict(re.findall(r"^=== (\S+)\n(.*?)(?=^=== |\Z)", said, re.MULTILINE | re.DOTALL))
    return re.sub(r"^<(\S+)>$", lambda found: parts.get(found[1], "").strip(), text, flags=re.M)


def _footnoted(frame: Frame, sheet: Sheet) -> Sheet:
    """The table of earnings with the notes that some months need."""
    if (frame.dollars, frame.period) == (False, "2025-07"):
        note = "* After the deductible of € 500,0 thousand for the fire at Zuidhaven."
        return marked(sheet, "Netherlands › Frozen", 0, "*", note)
    if (frame.dollars, frame.period) == (True, "2025-08"):
        note = "¹ Before any payment of the insurers for Hurricane Odile."
        return marked(sheet, "United States › Total United States", 0, "¹", note)
    return sheet


def _monthly_table(frame: Frame, name: str) -> Sheet:
    number = ["overview", "revenue", "earnings", "volumes", "income", "balance", "cash", "trend",
              "people"].index(name) + 1  # fmt: skip
    if name == "overview":
        return monthly.overview(frame)
    if name == "revenue":
        return monthly.by_place(frame, number, "Revenue")
    if name == "earnings":
        return _footnoted(frame, monthly.earnings(frame, number))
    if name == "volumes":
        return monthly.volumes(frame, number)
    made: Sheet = getattr(statements, name)(frame, number)
    return made
