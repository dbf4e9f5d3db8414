"""What must hold of a notebook that was received, restarted or exported: all of it is seen, none of it acts."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import BrowserContext

from porterlib.verbs.executing import record_report

from .board import CELLS, CHARTS, FORMS, HOSTILE, TABLES
from .conftest import Board, Lab, Watched, opened, written
from .looking import ACTING, DRAWN

pytestmark = pytest.mark.browser


def test_hostile_text_is_shown_and_executes_nothing(lab: Lab, context: BrowserContext, run_id: str) -> None:
    names = written(lab, "hostile.ipynb", HOSTILE, run_id)
    made = opened(lab, context, "hostile.ipynb", names)
    made.run_all()
    page = made.page
    page.wait_for_function("() => window.control === 1")
    for tab in page.get_by_role("tab").all():
        if tab.is_visible():
            tab.click()
    for canvas in page.locator(".vega-embed canvas, .vega-embed svg").all():
        if canvas.is_visible():
            canvas.hover(position={"x": 300, "y": 130}, force=True)
    page.wait_for_timeout(500)
    for name in names[2:]:
        assert made.cell(name).evaluate(ACTING) == [], name
    assert "<img src=x onerror=" in made.cell("run").inner_text()
    assert "<img src=x onerror=" in made.cell("evidence").inner_text()
    assert page.evaluate("() => window.harmed") is None
    page.close()


def test_an_unsigned_notebook_shows_every_display_without_a_kernel(
    lab: Lab, context: BrowserContext, board: Board
) -> None:
    board.command("docmanager:save")
    received = nbformat.read(lab.root / "board.ipynb", as_version=4)
    # One added word gives it a digest that this server never signed.
    received.cells[0].source += "\n# received"
    nbformat.write(received, lab.root / "received.ipynb")
    made = opened(lab, context, "received.ipynb", list(CELLS), kernel=False)
    trusted = made.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.widgets.map(c => c.model.trusted)"
    )
    assert not any(trusted[list(CELLS).index(name)] for name in (*CHARTS, *TABLES))
    for name in CHARTS:
        made.cell(name).locator("canvas").first.wait_for()
        assert made.cell(name).locator("canvas").first.evaluate(DRAWN)["marked"] > 0.02
    for name in TABLES:
        assert made.text(name) == board.text(name)
    for name in FORMS:
        assert "run the cell again to use it" in made.cell(name).inner_text()
    made.page.close()


def test_an_exported_page_opened_from_a_file_loads_nothing(
    lab: Lab, context: BrowserContext, board: Board, watched: Watched, tmp_path: Path
) -> None:
    board.command("docmanager:save")
    report = Path(record_report(lab.root / "board.ipynb", tmp_path)["report"])
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(report.as_uri())
    assert [url for url in asked if not url.startswith("data:")] == [report.as_uri()]
    pictures = page.locator("img")
    assert pictures.count() >= len(CHARTS)
    sizes = pictures.evaluate_all("all => all.map(i => [i.complete, i.naturalWidth, i.alt.length])")
    assert all(done and width > 400 and alt > 20 for done, width, alt in sizes)
    text = page.locator("body").inner_text()
    for name in ("options", "claims", "approvals"):
        assert board.text(name).splitlines()[0] in text
    assert page.evaluate("() => document.querySelectorAll('script').length") == 0
    page.close()


def test_after_a_restart_and_a_reload_the_ledger_gives_the_same_again(board: Board) -> None:
    before = {name: board.text(name) for name in TABLES}
    board.command("docmanager:save")
    board.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    board.page.reload()
    board.arrived(kernel=True)
    for name in CHARTS:
        board.cell(name).locator("canvas").first.wait_for()
        assert board.cell(name).locator("canvas").first.evaluate(DRAWN)["marked"] > 0.02
    assert {name: board.text(name) for name in TABLES} == before
    assert board.kernel("print('folder' in globals())").strip() == "False"
    for name in ("start", "options", "claims", "plan_form"):
        board.run(name)
    assert board.text("options") == before["options"]
    assert board.text("claims") == before["claims"]
    board.cell("plan_form").locator("input").first.wait_for()
