"""What the docs say is there: addresses, pictures, links, options."""

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from typer.main import get_command

from consilience.cli.app import app
from consilience.packs.travel.web.routes import router as trip_router
from consilience.service.app import create_app
from consilience.service.service import Service
from consilience.settings import TABLE
from consilience.workspace import init_workspace, open_workspace

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "ARCHITECTURE.md", *(ROOT / "docs").glob("*.md")])
METHODS = "GET|POST|PUT|DELETE"
# Addresses that the description leaves out, and people still go to.
UNDESCRIBED = {
    ("GET", "/login"),
    ("POST", "/login"),
    ("POST", "/logout"),
    ("POST", "/mcp"),
    ("GET", "/openapi.json"),
    ("GET", "/query_pgn"),
}


def name(path):
    return str(path.relative_to(ROOT))


def told_in(text: str) -> set[tuple[str, str]]:
    """Every `METHOD, METHOD /address` that stands between backticks."""
    found = re.findall(rf"`((?:{METHODS})(?:, (?:{METHODS}))*) (/[^`\s?]*)", text)
    return {(method, path) for methods, path in found for method in methods.split(", ")}


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The app over one workspace of each pack, named as in the docs."""
    home = tmp_path_factory.mktemp("documented")
    folders = [init_workspace(home / pack, pack=pack) for pack in ("chess", "general")]
    spaces = [open_workspace(one) for one in folders]
    service = Service(spaces)
    yield create_app(service)
    service.close()
    for one in spaces:
        one.close()


def test_every_address_stands_in_the_docs_and_no_other(served):
    described = {
        (method.upper(), path)
        for path, methods in served.openapi()["paths"].items()
        for method in methods
    }
    told = told_in((ROOT / "docs" / "http.md").read_text(encoding="utf-8"))
    described |= {
        (method, route.path)
        for route in trip_router(served.state.service).routes
        for method in route.methods
    }
    assert len(described) > 30
    assert described <= told, described - told
    assert told <= described | UNDESCRIBED, told - described - UNDESCRIBED


@pytest.mark.parametrize(("method", "path"), sorted(UNDESCRIBED))
def test_the_addresses_that_are_not_described_are_there(served, method, path):
    client = TestClient(served, follow_redirects=False)
    assert client.request(method, path).status_code not in {404, 405}
    assert client.request("PUT", path).status_code == 405


def prose(page: Path) -> str:
    """A page without its blocks of code, in which a bracket is no link."""
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def headings(page: Path) -> set[str]:
    """The anchors of a page's headings, as they are made where Markdown is shown."""
    lines = re.findall(r"^#+ (.+)$", prose(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).strip().replace(" ", "-") for one in lines}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_to_a_file_and_its_heading(page):
    for target in re.findall(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = page.parent / path if path else page
        assert there.exists(), target
        if anchor:
            assert anchor in headings(there), target


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_picture_is_there_and_told_in_words(page):
    for words, target in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", prose(page)):
        assert words.strip(), target
        assert (page.parent / target).is_file(), target


def serve_options() -> set[str]:
    command = get_command(app).commands["serve"]
    return {option for one in command.params for option in one.opts if option.startswith("-")}


@pytest.mark.parametrize("page", ["deployment.md", "http.md", "page.md"])
def test_every_option_of_serve_that_the_docs_name_exists(page):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    commands = re.findall(r"consilience serve ([^\n`#]*)", text)
    said = {one for each in commands for one in re.findall(r"(?<!\S)--?[a-z][a-z-]*", each)}
    spans = re.findall(r"`(--[a-z-]+)(?: [^`]*)?`", text)
    assert said | set(spans) <= serve_options() | {"--json"}, page
    if page == "deployment.md":
        assert spans


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_setting_that_the_docs_name_exists(page):
    rows = {row.name for row in TABLE}
    sections = {one.partition(".")[0] for one in rows if "." in one}
    text = page.read_text(encoding="utf-8")
    for one in re.findall(rf"`((?:{'|'.join(sorted(sections))})\.[a-z_]+)(?: =[^`]*)?`", text):
        module = ROOT / "src" / "consilience" / one.replace(".", "/")
        assert one in rows or module.exists() or module.with_suffix(".py").exists(), one
