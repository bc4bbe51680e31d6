"""A real browser on a real server: Debian's Chromium, and `consilience serve` over samples.

Whatever a test does, no page may log an error, break the content policy, open a dialog of the
browser or ask anybody but the server; every page that a test opens is watched for that.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from consilience.workspace import copy_sample, init_workspace, open_workspace

DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
IMAGES = Path(__file__).parent.parent.parent / "docs" / "images"
READ, WRITE = "read-key-for-the-tests", "write-key-for-the-tests"
BAD = "<img src=x onerror=alert(1)>"
HOSTILE = f"""# Tides {BAD}</title><script>alert(2)</script>

The tide of {BAD} turns twice a day. "'><svg onload=alert(3)> A tide clock loses [1] fifty minutes.

See [the almanac](javascript:alert(4)) for {{{{ 7 * 7 }}}} and {{% raw %}}.
"""
ROWS = f'port,height_m,note\nDover,6.7,{BAD}\n<b>Brest</b>,7.2,"javascript:alert(5)"\n'
_WATCH = """
  window.violations = [];
  document.addEventListener('securitypolicyviolation', (event) =>
    window.violations.push(`${event.violatedDirective}: ${event.blockedURI}`));
"""


def browser_path() -> str | None:
    return (
        os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    )


# --- what is served ---------------------------------------------------------------------


def workspace(folder: Path, pack: str, extra: str = "") -> Path:
    init_workspace(folder, pack=pack)
    text = f'pack = "{pack}"\n[models]\nembed = "fast"\n{extra}'
    (folder / "consilience.toml").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def spaces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The samples of the packs, and a workspace whose files mean harm."""
    home = tmp_path_factory.mktemp("served")
    general = workspace(home / "general", "general")
    for folder in (general, workspace(home / "chess", "chess")):
        with open_workspace(folder) as space:
            space.add([copy_sample(folder, folder.name)])
    evaluate = [sys.executable, "-m", "consilience", "evaluate", "-w", general, "--sample", "12"]
    found = subprocess.run(evaluate, check=False, capture_output=True, text=True)
    assert found.returncode in {0, 1}, found.stderr  # 1: a control is red
    files = home / "hostile" / "files"
    workspace(home / "hostile", "general")
    files.mkdir()
    (files / f"{BAD.replace('/', '')}.md").write_text(HOSTILE, encoding="utf-8")
    (files / "clock.txt").write_text(HOSTILE.replace("# Tides", "Clocks"), encoding="utf-8")
    (files / "ports.csv").write_text(ROWS, encoding="utf-8")
    with open_workspace(home / "hostile") as space:
        space.add([files])
    return home


@contextmanager
def serving(*arguments: str | Path) -> Iterator[str]:
    """`consilience serve` as a process of its own, stopped in the end; gives its address."""
    command = [sys.executable, "-m", "consilience", "serve", "--json", "--port", "0", *arguments]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = server.stdout.readline()
        assert line, server.stderr.read()
        yield json.loads(line)["address"]
    finally:
        server.terminate()
        told = server.communicate(timeout=30)[1]
    assert "Traceback" not in told, told


@pytest.fixture(scope="session")
def site(spaces: Path) -> Iterator[str]:
    """The address of a server that is open to everybody on this machine."""
    with serving(spaces) as address:
        yield address


@pytest.fixture(scope="session")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that opens with a key."""
    home = tmp_path_factory.mktemp("locked")
    keys = home / "keys"
    keys.write_text(f"read {READ}\nwrite {WRITE}\n", encoding="utf-8")
    keys.chmod(0o600)
    folder = workspace(home / "library", "general")
    (folder / "tides.md").write_text("# Tides\n\nThe tide turns twice a day.\n", encoding="utf-8")
    with open_workspace(folder) as space:
        space.add([folder / "tides.md"])
    with serving("--keys", keys, folder) as address:
        yield address


# --- who looks --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser(site: str) -> Iterator[Browser]:
    """The browser, for a module: Playwright's loop must not run while other tests do."""
    del site  # served before there is a loop
    path = browser_path()
    if path is None:
        told = "no browser: install `chromium`, or name one in the variable CHROMIUM"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(told)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        yield browser
        browser.close()


@dataclass
class Watched:
    """A browser's window, and all that must not happen in it."""

    context: BrowserContext
    trouble: list[str] = field(default_factory=list)
    allowed: tuple[str, ...] = ()

    def page(self) -> Page:
        """A new page that is watched."""
        page = self.context.new_page()
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.trouble.append(f"error: {error}"))
        page.on("dialog", self._dialog)
        page.on("request", self._request)
        return page

    def close(self) -> None:
        """Close it, and see whether all was well."""
        for page in self.context.pages:
            if page.url.startswith("http"):
                self.trouble += page.evaluate("window.violations ?? []")
        self.context.close()
        wrong = [one for one in self.trouble if not any(each in one for each in self.allowed)]
        assert not wrong, wrong

    def _console(self, message: Any) -> None:
        if message.type in {"error", "warning"}:
            self.trouble.append(f"{message.type}: {message.text}")

    def _dialog(self, dialog: Any) -> None:
        self.trouble.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Any) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in {"data", "blob"} and parts.hostname != "127.0.0.1":
            self.trouble.append(f"asked elsewhere: {request.url}")


Window = Callable[..., Page]


@pytest.fixture
def window(browser: Browser, site: str) -> Iterator[Window]:
    """Open a watched page: `window(PHONE, dark=True)`; `allowed` are troubles that are meant."""
    opened: list[Watched] = []

    def open_page(
        size: dict[str, int] = DESKTOP,
        *,
        dark: bool = False,
        scripts: bool = True,
        address: str = site,
        allowed: tuple[str, ...] = (),
    ) -> Page:
        context = browser.new_context(
            base_url=address,
            viewport=size,
            color_scheme="dark" if dark else "light",
            java_script_enabled=scripts,
            has_touch=size is PHONE,
            reduced_motion="reduce",
            locale="en-GB",
        )
        context.set_default_timeout(15_000)
        context.add_init_script(_WATCH)
        opened.append(Watched(context, allowed=allowed))
        return opened[-1].page()

    yield open_page
    for one in opened:
        one.close()


@pytest.fixture
def page(window: Window) -> Page:
    """A watched page at desktop width, in light colours."""
    return window()


@pytest.fixture(params=["desktop", "phone"])
def sized(request: pytest.FixtureRequest, window: Window) -> Page:
    """A watched page at desktop width in light colours, then at phone width in dark ones."""
    phone = request.param == "phone"
    return window(PHONE if phone else DESKTOP, dark=phone)


@pytest.fixture
def shot() -> Callable[..., None]:
    """Keep a picture for the docs, where `make screenshots` asks for it."""

    def take(page: Page, name: str, *, whole: bool = False) -> None:
        if not os.environ.get("SCREENSHOTS"):
            return
        page.evaluate("document.fonts.ready")
        for folder in page.locator(".folder code").all():  # where it lies is of no interest
            folder.evaluate("one => { one.textContent = '/srv/library' }")
        for one in page.locator(".space", has_text="hostile").all():  # pictures show the samples
            one.evaluate("one => one.remove()")
        page.mouse.move(0, 0)
        narrow = "-phone" if page.viewport_size["width"] < 500 else ""
        path = IMAGES / f"{name}{narrow}.png"
        page.screenshot(path=path, full_page=whole, animations="disabled", caret="hide")
        with Image.open(path) as picture:  # 256 colours are enough, and a third of the bytes
            picture.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)

    return take
