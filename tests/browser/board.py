"""The notebook that is looked at: every display and form of one finished run, a named cell each."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat

TESTS = Path(__file__).resolve().parents[1]
FIXTURES = TESTS.parent / "fixtures"
PAYLOAD = (
    '"\'><img src=x onerror="window.harmed=1"><script>window.harmed=1</script>'
    '<svg onload="window.harmed=1"></svg>[open](javascript:window.harmed=1)$\\href{javascript:window.harmed=1}{x}$'
)
CHARTS = ("heatmap", "ranges", "tornado", "cash", "delay", "histogram")
TABLES = (
    "run", "outcome", "force", "mode", "mechanisms", "options", "challenge", "claims", "evidence", "timeline", "trace",
    "approvals", "library", "economics", "plan", "contract", "missing", "item",
)  # fmt: skip
FORMS = ("room", "ranges_form", "request_form", "questions", "plan_form", "approval")
_START = f"""
import sys
sys.path[:0] = [{str(TESTS.parent)!r}, {str(TESTS)!r}]
import porterlib as pl
from porterlib import widgets
folder = pl.open_workspace("ws")
run = folder.run("RUN")
"""
CELLS: dict[str, str] = {
    "start": _START,
    "heatmap": "run.show('heatmap')",
    "ranges": "run.show('ranges')",
    "tornado": "run.show('tornado')",
    "cash": "run.show('cash')",
    "delay": "run.show('delay')",
    "histogram": "from porterlib import economics as eco\neco.simulate(run.inputs, draws=5000).show('histogram')",
    "run": "run",
    "outcome": "run.outcome",
    "force": "run.show('force', force='suppliers')",
    "mode": "run.show('mode')",
    "mechanisms": "run.show('mechanisms')",
    "options": "run.show('options')",
    "challenge": "run.show('challenge')",
    "claims": "run.show('claims')",
    "evidence": "run.show('evidence')",
    "item": "run.snapshot.evidence[0]",
    "timeline": "run.show('timeline')",
    "trace": "run.show('trace')",
    "approvals": "run.review",
    "library": "from porterlib.display import run_library\nrun_library(folder.runs())",
    "economics": "run.economics",
    "missing": "run.show('missing')",
    "plan": "run.plan",
    "contract": "run.contract",
    "room": "room = widgets.decision_room(run)\nroom",
    "ranges_form": "money = run.inputs.edit(path='saved.yaml')\nmoney",
    "request_form": "asked = []\nrequest = run.request.edit(on_submit=asked.append)\nrequest",
    "questions": "\n".join(
        (
            "refusal = pl.DecisionScopeError('cannot be framed', missing=('market_boundary',),"
            " questions=('Which product, for which customers?',))",
            "answers = []",
            "widgets.request_form(refusal, on_submit=answers.append)",
        )
    ),
    "plan_form": "decided = []\nplan = run.plan.edit(on_decide=decided.append)\nplan",
    "approval": "from porterlib.verbs import forms\nforms.review_panel(run.run_id)",
    "work": "None",
}
WORK = f"""
from pathlib import Path
from porterlib.display import progress
here = pl.open_workspace("stopped", corpus={str(FIXTURES / "corpora" / "bank_kyc")!r})
pl.run(
    {str(FIXTURES / "requests" / "bank_kyc.yaml")!r}, workspace=here, progress=progress(),
    corpus={str(FIXTURES / "corpora" / "bank_kyc")!r},
)
"""
HOSTILE: dict[str, str] = {
    "start": _START + f"\nfrom display.golden import poisoned\nbad = poisoned(run, {PAYLOAD!r})",
    "control": "from IPython.display import HTML\nHTML('<img src=x onerror=\"window.control=1\">')",
    **{
        name: re.sub(r"\brun\b(?!_)", "bad", source)
        for name, source in CELLS.items()
        if name not in ("start", "library", "histogram", "approval", "request_form", "questions", "work")
    },
}


def notebook(cells: dict[str, str], run_id: str) -> Any:
    """Return a notebook of these cells; the id of a cell is its name."""
    made = nbformat.v4.new_notebook(
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    )
    made.cells = [
        nbformat.v4.new_code_cell(source.strip().replace('"RUN"', repr(run_id)), id=name.replace("_", "-"))
        for name, source in cells.items()
    ]
    return made
