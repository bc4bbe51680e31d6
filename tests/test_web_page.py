"""A web address becomes a file with its title, address and date; robots and sizes are respected."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from consilience.errors import LoadError, UsageError
from consilience.evidence import web_page
from consilience.evidence.loaders import html
from loaders.loader_files import pdf_bytes

PAGE = (
    b"<html><head><title>Tide tables</title></head><body><nav>Menu</nav><h1>Tides at Sker</h1>"
    b"<p>High water comes at nine.</p></body></html>"
)
PAGES = {
    "/robots.txt": ("text/plain", b"User-agent: *\nDisallow: /private/\n", {}),
    "/guide/tides": (
        "text/html; charset=utf-8",
        PAGE,
        {"Last-Modified": "Tue, 03 Mar 2026 09:15:00 GMT"},
    ),
    "/private/diary": ("text/html", PAGE, {}),
    "/paper.pdf": ("application/pdf", pdf_bytes([["Fetched words."]]), {}),
    "/packed": ("text/html", gzip.compress(PAGE), {"Content-Encoding": "gzip"}),
    "/large": ("text/plain", b"a" * 5000, {}),
    "/%C3%A9/../../up": ("text/plain", b"kept inside", {}),
}


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = PAGES.get(self.path.split("?")[0])
            self.send_response(200 if found else 404)
            kind, body, headers = found or ("text/plain", b"no such page", {})
            for name, value in {"Content-Type": kind, **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_page_keeps_its_title_address_and_date(site, tmp_path):
    file = web_page.fetch_page(f"{site}/guide/tides#high", tmp_path)
    assert file.relative_to(tmp_path / "web").as_posix().endswith("/guide/tides.html")
    document = html.load(file)
    assert document.title == "Tides at Sker"
    assert document.metadata["address"] == f"{site}/guide/tides"
    assert document.metadata["date"] == "2026-03-03"
    assert [block.text for block in document.blocks] == ["High water comes at nine."]


def test_an_address_is_added_and_answers_cite_it(site, run, tmp_path):
    home = tmp_path / "w"
    run("init", home)
    (home / "consilience.toml").write_text('pack = "general"\n[models]\nembed = "fast"\n')
    code, out, _ = run("add", "-w", home, f"{site}/guide/tides", f"{site}/paper.pdf")
    assert (code, "2 files read" in out) == (0, True)
    found = json.loads(run("search", "-w", home, "When does high water come?", "--json")[1])
    assert found["results"][0]["title"] == "Tides at Sker"


def test_robots_are_respected(site, tmp_path):
    with pytest.raises(LoadError, match=r"closed to programs by the site's robots\.txt"):
        web_page.fetch_page(f"{site}/private/diary", tmp_path)
    assert not (tmp_path / "web").exists()


def test_sizes_are_bounded_and_errors_are_said(site, tmp_path, monkeypatch):
    with pytest.raises(LoadError, match="answered 404"):
        web_page.fetch_page(f"{site}/nowhere", tmp_path)
    with pytest.raises(LoadError, match="cannot be reached"):
        web_page.fetch_page("http://127.0.0.1:9/", tmp_path)
    with pytest.raises(UsageError, match="names no host"):
        web_page.fetch_page("https:///page", tmp_path)
    monkeypatch.setattr(web_page, "MOST_BYTES", 1000)
    with pytest.raises(LoadError, match="more than 1,000 bytes"):
        web_page.fetch_page(f"{site}/large", tmp_path)
    assert html.load(web_page.fetch_page(f"{site}/packed", tmp_path)).title == "Tides at Sker"


def test_a_name_never_leads_out_of_the_folder(site, tmp_path):
    file = web_page.fetch_page(f"{site}/é/../../up?q=../../x", tmp_path)
    assert (tmp_path / "web") in file.parents
    assert ".." not in file.parts
