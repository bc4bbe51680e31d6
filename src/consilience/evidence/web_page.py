"""How does a web address become a file? It is fetched once and kept below `web/HOST/`.

The rules of a site for robots (`robots.txt`) and a largest size are respected. A page keeps its
address and date in its head, so that they are fields of its passages; other files are kept as they
are. Adding the address again fetches it again.
"""

from __future__ import annotations

import gzip
import mimetypes
import re
import urllib.error
import urllib.request
import zlib
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from html import escape
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit, urlunsplit
from urllib.robotparser import RobotFileParser

from consilience.errors import LoadError, UsageError

FOLDER = "web"
AGENT = "consilience"
MOST_BYTES = 50_000_000
_MOST_ROBOTS = 500_000
_TIMEOUT_S = 30.0
_UNSAFE = re.compile(r"[^\w.-]+")
_ENDINGS = {"text/html": ".html", "application/xhtml+xml": ".html", "text/plain": ".txt"}


def is_address(text: str) -> bool:
    """Whether a text is a web address and no path."""
    return text.lower().startswith(("http://", "https://"))


def fetch_page(address: str, workspace: Path) -> Path:
    """Fetch an address into a workspace's folder; gives the file."""
    parts = urlsplit(address)
    if not parts.hostname:
        raise UsageError(f"{address!r} names no host; write it as https://HOST/PAGE")
    path = quote(unquote(parts.path), safe="/") or "/"
    address = urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))
    _check_robots(address)
    data, kind, modified = _fetch(address, MOST_BYTES)
    file = workspace / FOLDER / _file_name(address, kind)
    if file.suffix == ".html":
        day = _day(modified)
        data = _head(address, day) + data
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror or error}") from error
    return file


def _head(address: str, day: str) -> bytes:
    lines = (("consilience-address", address), ("consilience-date", day))
    tags = "".join(f'<meta name="{name}" content="{escape(value)}">' for name, value in lines)
    return f"{tags}\n".encode("ascii", "xmlcharrefreplace")


def _day(modified: str) -> str:
    """The day on which a page was changed, or else fetched."""
    try:
        return parsedate_to_datetime(modified).date().isoformat()
    except (ValueError, TypeError):
        return datetime.now(UTC).date().isoformat()


def _check_robots(address: str) -> None:
    """Refuse what a site does not allow robots; a site without rules allows all."""
    parts = urlsplit(address)
    rules = RobotFileParser()
    try:
        text, _, _ = _fetch(f"{parts.scheme}://{parts.netloc}/robots.txt", _MOST_ROBOTS)
    except LoadError:
        return
    rules.parse(text.decode("utf-8", "replace").splitlines())
    if not rules.can_fetch(AGENT, address):
        raise LoadError(
            f"{address} is closed to programs by the site's robots.txt; save the page in a "
            "browser and add the file"
        )


def _fetch(address: str, most: int) -> tuple[bytes, str, str]:
    """The bytes at an address, their media type, and when they were changed."""
    request = urllib.request.Request(  # noqa: S310 - http and https only, see `is_address`
        address, headers={"User-Agent": AGENT, "Accept-Encoding": "gzip"}
    )
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as reply:  # noqa: S310
            data = reply.read(most + 1)
            headers = reply.headers
    except urllib.error.HTTPError as error:
        with error:
            raise LoadError(f"{address} answered {error.code} {error.reason}") from error
    except (OSError, ValueError, EOFError) as error:
        reason = getattr(error, "reason", error)
        raise LoadError(f"{address} cannot be reached: {reason}") from error
    if headers.get("Content-Encoding", "").lower() == "gzip":
        data = _unpack(data, most, address)
    if len(data) > most:
        raise LoadError(f"{address} has more than {most:,} bytes; download what you need of it")
    return data, headers.get_content_type(), headers.get("Last-Modified", "")


def _unpack(data: bytes, most: int, address: str) -> bytes:
    try:
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(data, most + 1)
    except (zlib.error, gzip.BadGzipFile) as error:
        raise LoadError(f"{address} cannot be unpacked: {error}; try again") from error


def _file_name(address: str, kind: str) -> Path:
    """`example.org/guide/page.html`: what a person recognises, and no path out of the folder."""
    parts = urlsplit(address)
    named = [part for part in unquote(parts.path).split("/") if part.strip(". ")]
    last = named.pop() if named and not parts.path.endswith("/") else "index"
    ending = _ENDINGS.get(kind) or Path(last).suffix or mimetypes.guess_extension(kind) or ".html"
    stem = last.removesuffix(ending) + (f"-{parts.query}" if parts.query else "")
    names = [_UNSAFE.sub("-", part).strip("-.")[:100] or "page" for part in (*named, stem)]
    return Path(_UNSAFE.sub("-", parts.netloc), *names[:-1], f"{names[-1]}{ending.lower()}")
