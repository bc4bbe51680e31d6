"""One small real file of each type, made by a script; each holds a fact of its own to cite."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from email.message import EmailMessage
from pathlib import Path

import docx
import openpyxl
import pptx
from loader_files import NAV_ITEM, epub_bytes, nav, package, page, pdf_bytes
from PIL import Image, ImageDraw, ImageFont

ODF = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"'
)


def locked_zip() -> bytes:
    """A zip whose one file says that it is encrypted."""
    data = bytearray(zipped({"pay.csv": b"name,pay\nann,3\n"}))
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(header) + flags] |= 1
    return bytes(data)


def zipped(files: dict[str, bytes | str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def saved(thing) -> bytes:
    out = io.BytesIO()
    thing.save(out)
    return out.getvalue()


def word() -> bytes:
    document = docx.Document()
    document.add_heading("Harbour handbook", 0)
    document.add_heading("Fog signals", 1)
    document.add_paragraph("The horn at Fennel Point sounds twice every ninety seconds.")
    document.add_paragraph("Check the compressor", style="List Bullet")
    document.add_heading("Keepers", 2)
    table = document.add_table(rows=3, cols=2)
    for row, cells in zip(
        table.rows, (("Keeper", "Years"), ("Ada Brine", "14"), ("Tom Kelp", "3")), strict=True
    ):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    return saved(document)


def slides() -> bytes:
    deck = pptx.Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[0])
    first.shapes.title.text = "Lantern budget"
    second = deck.slides.add_slide(deck.slide_layouts[1])
    second.shapes.title.text = "Costs"
    second.placeholders[1].text = "Mercury for the float costs 4,300 crowns."
    second.notes_slide.notes_text_frame.text = "Ask Ottoline about the invoice."
    return saved(deck)


def workbook() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Wages"
    for row in (("Wages of 1904",), (), ("Name", "Wage"), ("Isa Quill", 61.5), ("Bo Marram", 48)):
        sheet.append(row)
    other = book.create_sheet("Oil")
    for row in (("Month", "Gallons"), ("May", 120), ("June", 95)):
        other.append(row)
    return saved(book)


def open_text() -> bytes:
    body = (
        '<text:h text:outline-level="1">Moorings</text:h><text:p>The north buoy is chained to a '
        "granite sinker.</text:p><text:list><text:list-item><text:p>inspect yearly</text:p>"
        "</text:list-item></text:list>"
    )
    xml = f"<office:document-content {ODF}><office:body>{body}</office:body>"
    return zipped({"content.xml": f"{xml}</office:document-content>"})


def open_sheet() -> bytes:
    rows = "".join(
        "<table:table-row>"
        + "".join(f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>" for cell in row)
        + "</table:table-row>"
        for row in (("Boat", "Length"), ("Petrel", "9"), ("Dunlin", "12"))
    )
    body = f'<table:table table:name="Boats">{rows}</table:table>'
    xml = f"<office:document-content {ODF}><office:body>{body}</office:body>"
    return zipped({"content.xml": f"{xml}</office:document-content>"})


def open_slides() -> bytes:
    body = (
        "<draw:page><draw:frame><text:p>Tides</text:p></draw:frame><draw:frame>"
        "<text:p>Springs follow the new moon by two days.</text:p></draw:frame></draw:page>"
    )
    xml = f"<office:document-content {ODF}><office:body>{body}</office:body>"
    return zipped({"content.xml": f"{xml}</office:document-content>"})


def notebook() -> bytes:
    cells = [
        {"cell_type": "markdown", "source": ["# Swell study\n", "## Method\n", "Waves by radar."]},
        {
            "cell_type": "code",
            "source": "mean_height(waves)",
            "outputs": [{"output_type": "stream", "text": ["mean swell is 2.75 metres"]}],
        },
    ]
    return json.dumps({"cells": cells, "nbformat": 4}).encode()


def message(subject: str, text: str, attachment: bytes = b"") -> bytes:
    mail = EmailMessage()
    mail["From"], mail["To"] = "Wilma Tern <wilma@example.org>", "keepers@example.org"
    mail["Subject"], mail["Date"] = subject, "Tue, 03 Mar 2026 09:15:00 +0000"
    mail.set_content(text)
    if attachment:
        mail.add_attachment(attachment, maintype="text", subtype="csv", filename="stores.csv")
    return bytes(mail)


def picture(text: str, kind: str = "PNG") -> bytes:
    image = Image.new("RGB", (900, 160), "white")
    font = ImageFont.load_default(size=30)
    ImageDraw.Draw(image).text((30, 50), text, font=font, fill="black")
    out = io.BytesIO()
    image.save(out, kind)
    return out.getvalue()


FILES = {
    "notes.txt": (b"Oil log\n\nThe tank at Sker holds 800 gallons.\n\nIt is red.\n", "800 gallons"),
    "notes.rst": (b"Ropes\n=====\n\nManila rope floats poorly.\n", "Manila rope"),
    "notes.md": (b"# Paint\n\n## Primer\n\nRed lead covers nine square metres.\n", "Red lead"),
    "notes.html": (b"<h1>Birds</h1><p>Gannets dive from thirty metres.</p>", "Gannets"),
    "notes.org": (
        (
            b"#+TITLE: Rota\n* Night watch\nThe night watch begins at 22:40.\n"
            b"| Day | Keeper |\n|-----+--------|\n| Mon | Ada |\n"
        ),
        "22:40",
    ),
    "book.epub": (
        epub_bytes(
            {
                "OPS/book.opf": package(["one.xhtml"], extra=NAV_ITEM),
                "OPS/one.xhtml": page("<h1>Wreck</h1><p>The Amity struck in 1811.</p>"),
                "OPS/nav.xhtml": nav('<li><a href="one.xhtml">Wreck</a></li>'),
            }
        ),
        "Amity",
    ),
    "paper.pdf": (pdf_bytes([["Lens grinding", "", "Crown glass has an index of 1.52."]]), "1.52"),
    "handbook.docx": (word(), "ninety seconds"),
    "budget.pptx": (slides(), "4,300 crowns"),
    "wages.xlsx": (workbook(), "Isa Quill"),
    "moorings.odt": (open_text(), "granite sinker"),
    "boats.ods": (open_sheet(), "Dunlin"),
    "tides.odp": (open_slides(), "new moon"),
    "memo.rtf": (rb"{\rtf1\ansi The gate key hangs in the boathouse.\par Second.}", "boathouse"),
    "study.ipynb": (notebook(), "2.75 metres"),
    "mail.eml": (
        message("Stores", "The boat sails on Thursday.", b"Item,Count\nWick,40\nFlag,2\n"),
        "Wick",
    ),
    "inbox.mbox": (
        b"From a@b Tue Mar  3 09:15:00 2026\n" + message("Coal", "Seven tons came.") + b"\n",
        "Seven tons",
    ),
    "stores.csv": (b"Item,Count\nSoap,12\nRope,3\n", "Soap"),
    "stores.tsv": (b"Item\tCount\nNails\t500\n", "Nails"),
    "log.jsonl": (b'{"day": "Mon", "wind": "gale"}\n', "gale"),
    "log.ndjson": (b'{"day": "Tue", "wind": "breeze"}\n', "breeze"),
    "log.jsonl.gz": (gzip.compress(b'{"day": "Wed", "wind": "calm"}\n', mtime=0), "calm"),
    "station.json": (
        b'{"name": "Sker", "keepers": [{"who": "Reid", "since": 1899}, {"who": "Hall"}]}',
        "Reid",
    ),
    "places.geojson": (
        (
            b'{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": '
            b'{"name": "Gull Rock"}, "geometry": {"type": "Point", "coordinates": [1, 2]}}]}'
        ),
        "Gull Rock",
    ),
    "ties.graph.jsonl": (
        b'{"node": "Sker", "text": "A light."}\n{"edge": ["Sker", "LIT_BY", "Reid"]}\n',
        "A light",
    ),
    "tool.py": (b"def trim_wick(lamp):\n    return lamp.height - 3\n", "trim_wick"),
    "tool.js": (b"function windUp() { return 42; }\n", "windUp"),
    "tool.sh": (b"#!/bin/sh\n# resets the foghorn\nhorn --reset\n", "foghorn"),
    "tool.sql": (b"SELECT keeper FROM rota WHERE shift = 'dog watch';\n", "dog watch"),
    "tool.rs": (b"fn dip_tank() -> u32 { 17 }\n", "dip_tank"),
    "setup.yaml": (b"lamp:\n  fuel: colza\n", "colza"),
    "setup.toml": (b'[lamp]\nfuel = "paraffin"\n', "paraffin"),
    "setup.ini": (b"[lamp]\nfuel=acetylene\n", "acetylene"),
    "app.log": (b"2026-03-03 09:15 WARN lamp flickered\n", "flickered"),
    "data.xml": (b"<lamp><fuel>kerosene</fuel></lamp>", "kerosene"),
    "talk.srt": (b"1\n00:00:01,000 --> 00:00:02,000\nMind the ladder.\n", "ladder"),
    "dates.ics": (b"BEGIN:VEVENT\nSUMMARY:Relief of the rock\nEND:VEVENT\n", "Relief"),
    "page.tex": (b"\\section{Oil}\nSperm oil burns cleanly.\n", "Sperm oil"),
    "all.zip": (
        zipped({"a/inner.txt": "The stair has 199 steps.\n", "b.bin": b"\0\1"}),
        "199 steps",
    ),
    "scan.png": (picture("The winch lifts two tons."), "two tons"),
}
"""Each file by its name: its bytes, and words that only it holds."""

QUESTIONS = {
    "notes.txt": "How many gallons does the tank at Sker hold?",
    "notes.rst": "Which rope floats poorly?",
    "notes.md": "How much does red lead cover?",
    "notes.html": "From what height do gannets dive?",
    "notes.org": "When does the night watch begin?",
    "book.epub": "When did the Amity strike?",
    "paper.pdf": "What index does crown glass have?",
    "handbook.docx": "How often does the horn at Fennel Point sound?",
    "budget.pptx": "What does the mercury for the float cost?",
    "wages.xlsx": "What is the wage of Isa Quill?",
    "moorings.odt": "What is the north buoy chained to?",
    "boats.ods": "What is the length of the boat Dunlin?",
    "tides.odp": "When do springs follow the new moon?",
    "memo.rtf": "Where does the gate key hang?",
    "study.ipynb": "What is the mean swell?",
    "mail.eml": "When does the boat sail?",
    "inbox.mbox": "How many tons of coal came?",
    "stores.csv": "What is the count of soap?",
    "stores.tsv": "What is the count of nails?",
    "log.jsonl": "On which day was the wind a gale?",
    "log.ndjson": "On which day was the wind a breeze?",
    "log.jsonl.gz": "On which day was the wind calm?",
    "station.json": "Who of the keepers is there since 1899?",
    "places.geojson": "Where is Gull Rock?",
    "ties.graph.jsonl": "What is Sker?",
    "tool.py": "What does trim_wick return?",
    "tool.js": "What does windUp return?",
    "tool.sh": "What resets the foghorn?",
    "tool.sql": "Which query selects the keeper of the dog watch?",
    "tool.rs": "What is dip_tank?",
    "setup.yaml": "Which lamp setting names colza?",
    "setup.toml": "Which lamp setting names paraffin?",
    "setup.ini": "Which lamp setting names acetylene?",
    "app.log": "When has the lamp flickered?",
    "data.xml": "Where is kerosene named as fuel?",
    "talk.srt": "Who should mind the ladder?",
    "dates.ics": "What event is the relief of the rock?",
    "page.tex": "Which oil burns cleanly?",
    "all.zip": "How many steps does the stair have?",
    "scan.png": "How much does the winch lift?",
}
"""A question that each file answers."""

UNREAD = {
    "song.mp3": b"ID3\x03\x00\x00\x00",
    "film.mp4": b"\x00\x00\x00\x18ftypmp42",
    "old.doc": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500),
    "nothing": b"no ending",
    "broken.docx": word()[:900],
    "broken.pdf": b"%PDF-1.4\nno more",
    "broken.xlsx": b"PK\x03\x04 no zip",
    "broken.zip": b"PK\x03\x04",
    "broken.json": b'{"a": ',
    "broken.ipynb": b"[]",
    "zeros.txt": bytes(64),
    "not-mail.eml": b"just words\n",
    "blank.csv": b"",
    "locked.zip": locked_zip(),
    ".draft.md": b"# Not to be sent",
}
"""Files of which nothing can be read."""


def write_all(folder: Path) -> None:
    """Write every file, good and bad, into a folder."""
    for name, (data, _) in FILES.items():
        (folder / name).write_bytes(data)
    for name, data in UNREAD.items():
        (folder / name).write_bytes(data)
