"""One server, one browser and one executed notebook for all tests; nothing but loopback is reached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import nbformat
import pytest
from display.golden import golden_workspace  # type: ignore[import-not-found]
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect, sync_playwright

from . import board as cells
from .lab import Lab, running_lab

CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)  # fmt: skip
WAIT_MS = 30_000
expect.set_options(timeout=WAIT_MS)


@dataclass
class Watched:
    """Addresses that pages asked for outside this machine."""

    foreign: list[str] = field(default_factory=list)
    seen: int = 0

    def route(self, route: Route) -> None:
        """Let loopback, files and inline data pass, and note and refuse everything else."""
        self.seen += 1
        if _is_local(route.request.url):
            route.continue_()
        else:
            self.foreign.append(route.request.url)
            route.abort()

    def socket(self, url: str) -> None:
        """Note a web socket that does not go to this machine."""
        if not _is_local(url):
            self.foreign.append(url)


def _is_local(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme in {"data", "blob", "about", "file"} or parts.hostname == "127.0.0.1"


class Board:
    """One notebook in the lab, its cells by name."""

    def __init__(self, page: Page, names: list[str]) -> None:
        self.page, self.names = page, names

    def cell(self, name: str) -> Locator:
        """Return a cell's output."""
        place = self.page.locator(".jp-Notebook .jp-Cell").nth(self.names.index(name))
        return place.locator(".jp-Cell-outputArea").first

    def text(self, name: str) -> str:
        """Return what a reader of a cell's output sees, without the number of its execution."""
        return self.cell(name).locator(".jp-OutputArea-output").first.inner_text().strip()

    def command(self, name: str, **arguments: Any) -> None:
        """Execute a command of the lab and wait until it is done."""
        # The answer of a command is an object of the lab, which has no way out of the page.
        self.page.evaluate(
            "([name, given]) => window.jupyterapp.commands.execute(name, given).then(() => null)",
            [name, arguments],
        )

    def kernel(self, source: str) -> str:
        """Run code in the notebook's kernel, beside its cells, and return what it printed."""
        return str(self.page.evaluate(_EXECUTE, source))

    def theme(self, name: str) -> None:
        """Change to `Light` or `Dark`."""
        self.command("apputils:change-theme", theme=f"JupyterLab {name}")
        light = "true" if name == "Light" else "false"
        self.page.wait_for_selector(f"body[data-jp-theme-light={light}]", state="attached")
        self.page.wait_for_timeout(400)

    def arrived(self, *, kernel: bool) -> None:
        """Wait until every cell is there, since they come one after the other, and the kernel if it is wanted."""
        self.page.wait_for_function(
            "count => document.querySelectorAll('.jp-Notebook .jp-Cell').length >= count", arg=len(self.names)
        )
        if kernel:
            self.page.wait_for_function(
                "() => window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
            )

    def run(self, name: str) -> None:
        """Run one cell."""
        self.page.evaluate(
            "at => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = at; }",
            self.names.index(name),
        )
        self.command("notebook:run-cell")
        self._check()

    def start(self, name: str, source: str) -> None:
        """Write a cell's source and run it without waiting."""
        self.page.evaluate(
            """([at, source]) => {
              const {content} = window.jupyterapp.shell.currentWidget;
              content.activeCellIndex = at;
              content.activeCell.model.sharedModel.setSource(source);
              window.jupyterapp.commands.execute('notebook:run-cell');
            }""",
            [self.names.index(name), source],
        )

    def interrupt(self) -> None:
        """Press Stop."""
        self.page.evaluate(
            "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.interrupt()"
        )

    def run_all(self) -> None:
        """Run every cell, and refuse to go on with one that failed."""
        self.command("notebook:run-all-cells")
        self._check()

    def _check(self) -> None:
        failed = self.page.locator("[data-mime-type='application/vnd.jupyter.stderr']")
        assert failed.count() == 0, failed.first.inner_text()[-1500:]


_EXECUTE = """
async source => {
  const panel = window.jupyterapp.shell.currentWidget;
  const future = panel.sessionContext.session.kernel.requestExecute({code: source, store_history: false});
  let said = '';
  future.onIOPub = m => { if (m.content.text) said += m.content.text; if (m.content.evalue) said += m.content.evalue; };
  await future.done;
  return said;
}
"""


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Yield a lab over a folder with one finished run in `ws`."""
    home = tmp_path_factory.mktemp("lab")
    with running_lab(home) as found:
        yield found


@pytest.fixture(scope="session")
def run_id(lab: Lab) -> str:
    """Return the finished run of the lab's workspace."""
    return str(golden_workspace(lab.root / "ws")[1])


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Yield the browser, with an empty profile of its own."""
    with sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=CHROMIUM, headless=True, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def watched() -> Watched:
    """Return what pages asked for outside this machine."""
    return Watched()


@pytest.fixture(scope="session")
def context(chromium: Browser, watched: Watched) -> Iterator[BrowserContext]:
    """Yield a browser context whose every request is looked at."""
    made = chromium.new_context(viewport={"width": 1280, "height": 1000})
    made.set_default_timeout(WAIT_MS)
    made.route("**/*", watched.route)
    made.on("page", lambda page: page.on("websocket", lambda socket: watched.socket(socket.url)))
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _nothing_foreign(watched: Watched) -> Iterator[None]:
    """Refuse a test during which a page asked for anything outside this machine."""
    before = len(watched.foreign)
    yield
    assert watched.foreign[before:] == []


def opened(lab: Lab, context: BrowserContext, name: str, names: list[str], *, kernel: bool = True) -> Board:
    """Return a notebook of the lab, opened in a page of its own."""
    page = context.new_page()
    page.goto(lab.page(name))
    made = Board(page, names)
    made.arrived(kernel=kernel)
    return made


def written(lab: Lab, name: str, sources: dict[str, str], run_id: str) -> list[str]:
    """Write a notebook into the lab's folder and return the names of its cells."""
    nbformat.write(cells.notebook(sources, run_id), lab.root / name)
    return list(sources)


@pytest.fixture(scope="session")
def board(lab: Lab, run_id: str, context: BrowserContext) -> Board:
    """Return the executed notebook with every display and form."""
    names = written(lab, "board.ipynb", cells.CELLS, run_id)
    made = opened(lab, context, "board.ipynb", names)
    made.run_all()
    made.page.wait_for_selector(".widget-tab, .jupyter-widget-tab")
    return made
