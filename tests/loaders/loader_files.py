"""Small real files, built by hand."""

from __future__ import annotations

import io
import random
import zipfile

CONTAINER = """<?xml version="1.0" encoding="UTF-8"?>
<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">
<rootfiles><rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/>
</rootfiles></container>"""


def page(body: str, title: str = "x") -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<html xmlns="http://www.w3.org/1999/xhtml">'
        f"<head><title>{title}</title></head><body>{body}</body></html>"
    )


def package(chapters: list[str], *, extra: str = "", metadata: str = "", toc: str = "") -> str:
    items = "".join(
        f'<item id="c{n}" href="{name}" media-type="application/xhtml+xml"/>'
        for n, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    return (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The Book</dc:title>'
        f"<dc:creator>Ann Author</dc:creator><dc:language>en</dc:language>{metadata}</metadata>"
        f"<manifest>{items}{extra}</manifest><spine{toc}>{spine}</spine></package>"
    )


NAV_ITEM = '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
NCX_ITEM = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'


def nav(entries: str) -> str:
    return page(f'<nav epub:type="toc"><ol>{entries}</ol></nav>')


def epub_bytes(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", CONTAINER)
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def pdf_bytes(
    pages: list[list[str]],
    *,
    info: str = "",
    outline: tuple[tuple[str, int], ...] = (),
    encrypt: str = "",
    sizes: dict[str, int] | None = None,
) -> bytes:
    """A PDF by hand: lines of Helvetica, 14 points apart; an empty line leaves a gap."""
    first = 5
    bodies: dict[int, bytes] = {
        3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        4: f"<< {info} >>".encode("latin-1"),
    }
    kids = []
    for n, lines in enumerate(pages):
        at = first + 2 * n
        kids.append(f"{at} 0 R")
        stream = _stream(lines, sizes or {})
        bodies[at] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {at + 1} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        ).encode()
        bodies[at + 1] = b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream)
    bodies[2] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(pages)} >>".encode()
    start = first + 2 * len(pages)
    bodies[1] = b"<< /Type /Catalog /Pages 2 0 R >>"
    if outline:
        last = start + len(outline)
        bodies[1] = f"<< /Type /Catalog /Pages 2 0 R /Outlines {start} 0 R >>".encode()
        count = len(outline)
        bodies[start] = f"<< /First {start + 1} 0 R /Last {last} 0 R /Count {count} >>".encode()
        for n, (title, number) in enumerate(outline, start=start + 1):
            following = f"/Next {n + 1} 0 R" if n < last else ""
            target = f"[{first + 2 * number} 0 R /XYZ 0 790 0]"
            bodies[n] = (
                f"<< /Title ({title}) /Parent {start} 0 R {following} /Dest {target} >>".encode()
            )
    return _assembled(bodies, encrypt)


def _stream(lines: list[str], sizes: dict[str, int]) -> bytes:
    parts = []
    for n, line in enumerate(lines):
        if line:
            text = line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
            parts.append(f"BT /F1 {sizes.get(line, 10)} Tf 50 {760 - 14 * n} Td ({text}) Tj ET")
    return "\n".join(parts).encode("cp1252")


def _assembled(bodies: dict[int, bytes], encrypt: str) -> bytes:
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    places = {}
    for number in sorted(bodies):
        places[number] = out.tell()
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, bodies[number]))
    table = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1))
    for number in sorted(bodies):
        out.write(b"%010d 00000 n \n" % places[number])
    out.write(
        f"trailer\n<< /Size {len(bodies) + 1} /Root 1 0 R /Info 4 0 R {encrypt} >>\n".encode()
    )
    out.write(b"startxref\n%d\n%%%%EOF\n" % table)
    return out.getvalue()


def mutated(data: bytes, seed: int) -> bytes:
    """The bytes with a few random changes: the same for the same seed."""
    chance = random.Random(seed)
    out = bytearray(data)
    for _ in range(chance.randint(1, 12)):
        at = chance.randrange(len(out) or 1)
        match chance.randrange(4):
            case 0:
                out[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                del out[at : at + chance.randint(1, 30)]
            case 2:
                out[at:at] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 9)))
            case _:
                out[at:at] = out[at : at + chance.randint(1, 40)]
        if not out:
            break
    return bytes(out)
