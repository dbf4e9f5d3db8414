"""Untrusted text stays text: in HTML, in plain text and in charts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from porterlib.contracts.base import Contract
from porterlib.contracts.ledger import RunRow, VerifyReport
from porterlib.display import model_cost, run_library, show, views_of
from porterlib.display.view import VEGA
from porterlib.rendering.inert import visible
from porterlib.verbs.loading import RunResults

from .golden import poisoned
from .inert import harm_in, outside_data, text_of

MARKER = "zq7x"
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</td></table><svg onload=alert(1)>",
    "' onmouseover='alert(1)",
    "<style>*{display:none}</style>",
    "javascript:alert(1)//\u202e\u200bexe.gpj",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "${alert(1)} {{7*7}} <%= 7*7 %>",
    "\x1b]8;;http://127.0.0.1/\x07click\x1b]8;;\x07\x1b[2J",
    "]]><!--<a href=//127.0.0.1>",
)


def _options(result: Any, name: str) -> dict[str, Any]:
    return {"force": "suppliers"} if name == "force" and type(result).__name__ != "ForceAssessment" else {}


def _parts(results: RunResults) -> list[Contract]:
    outcome = results.outcome
    assert outcome is not None
    assert outcome.candidate is not None
    assert results.request is not None
    parts = [results, outcome, outcome.candidate, outcome.candidate.forces[0], results.contract, results.plan]
    parts += [
        results.snapshot,
        results.snapshot.evidence[0],
        results.economics,
        results.inputs,
        results.state,
    ]
    parts += [results.review, outcome.report, results.request, results.gaps[0], outcome.candidate.claims[0]]
    return [part for part in parts if part is not None]


def _views(part: Contract) -> list[Any]:
    names = [name for name in views_of(part) or {"": ""} if name != "ladder"]
    return [show(part, name or None, **_options(part, name)) for name in names]


@pytest.mark.parametrize("payload", HOSTILE)
def test_hostile_text_in_every_field_of_every_result_changes_no_markup(
    results: RunResults, payload: str
) -> None:
    for part in _parts(poisoned(results, MARKER + payload)):
        for view in _views(part):
            assert harm_in(view.to_html()) == [], (type(part).__name__, view.title)
        assert harm_in(part._repr_html_()) == []


def test_hostile_text_is_still_shown_as_written(results: RunResults) -> None:
    payload = '<b>bold</b> & "quoted"'
    page = poisoned(results, payload).contract._repr_html_()
    assert "<b>" not in page
    assert payload in text_of(page)


def test_every_entry_of_the_public_attack_lists_is_inert(results: RunResults, shared_dir: Path) -> None:
    lists = shared_dir / "data" / "security" / "xss"
    attacks = [
        line
        for name in ("RSNAKE_XSS.txt", "XSS_Polyglots.txt", "csv-payload.txt")
        for line in (lists / name).read_text(encoding="utf-8", errors="replace").splitlines()
        if line.strip()
    ]
    attacks += [
        entry for entry in json.loads((lists / "blns.json").read_text(encoding="utf-8")) if entry.strip()
    ]
    assert len(attacks) > 500
    assert results.contract is not None
    option = results.contract.options[0]
    for start in range(0, len(attacks), 12):
        some = attacks[start : start + 12]
        options = tuple(option.model_copy(update={"name": text, "description": text}) for text in some)
        page = results.contract.model_copy(update={"options": options, "question": some[0]})._repr_html_()
        assert harm_in(page) == [], some
        for text in some:
            assert " ".join(visible(text).split()) in " ".join(text_of(page).split())


@pytest.mark.parametrize("payload", HOSTILE)
def test_text_enters_charts_as_data_alone(results: RunResults, payload: str) -> None:
    bad = poisoned(results, MARKER + payload)
    for name in ("heatmap", "ranges", "tornado", "cash", "delay"):
        spec = show(bad, name).spec
        strings = list(outside_data(spec))
        said = [place for place, text in strings if MARKER in text and place != ".description"]
        assert said == [], name
        keys = {text for _, text in strings}
        assert not keys & {
            "url",
            "href",
            "expr",
            "signal",
            "calculate",
            "filter",
            "transform",
            "params",
            "image",
        }


def test_plain_text_carries_no_control_or_invisible_character(results: RunResults) -> None:
    for payload in HOSTILE:
        for part in _parts(poisoned(results, payload)):
            text = repr(part) if views_of(part) else part._repr_mimebundle_()[0]["text/plain"]
            assert not [c for c in text if (ord(c) < 32 and c != "\n") or c in "\u202e\u200b\x7f"]


def test_lists_of_runs_and_calls_are_inert(results: RunResults) -> None:
    place = RunRow.model_construct(
        run_id=HOSTILE[0], ordinal=1, status="failed", reason=HOSTILE[1], request_sha256="0" * 64,
        created_at=results.review.approvals[0].at, changed_at=results.review.approvals[0].at, records=1, head="0" * 64,
    )  # fmt: skip
    assert harm_in(run_library([place]).to_html()) == []
    assert harm_in(model_cost([{HOSTILE[0]: HOSTILE[1], "calls": 3}]).to_html()) == []
    report = VerifyReport(ok=False, runs=1, records=1, first_bad=HOSTILE[0], heads={HOSTILE[2]: "0" * 64})
    assert harm_in(report._repr_html_()) == []


def test_a_chart_offers_no_html_so_that_it_is_drawn(results: RunResults) -> None:
    data, metadata = results.show("heatmap")._repr_mimebundle_()
    assert set(data) == {VEGA, "image/png", "text/plain"}
    assert metadata["image/png"]["alt"].startswith("Heatmap of the five forces")
