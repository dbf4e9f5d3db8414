"""Every result shows itself, within bounds, in any process, without a ledger, and never fails."""

from __future__ import annotations

import pickle
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import porterlib
from porterlib.contracts.catalogue import contract_names
from porterlib.contracts.evidence import EvidenceItem
from porterlib.contracts.ledger import RunRow
from porterlib.display import html, mimebundle, model_cost, plain, run_library, views_of, withhold
from porterlib.display.catalogue import VIEWS
from porterlib.display.hook import frame
from porterlib.errors import InputError
from porterlib.hashing import sha256_hex
from porterlib.verbs.loading import RunResults

from .test_inert import _parts, _views


def _contracts() -> list[type]:
    from porterlib.contracts import catalogue

    return list(catalogue._contracts().values())


def test_a_decision_reads_well_as_plain_text(results: RunResults) -> None:
    text = repr(results.outcome)
    assert text.startswith("Outcome: people must decide")
    assert "Take a smaller reversible step" in text
    assert "-124.6 … 10.9 … 176.3" in text  # worst, base and best of the published case
    assert str(results.outcome) == text


def test_plain_text_stays_within_forty_lines_of_a_readable_width(results: RunResults) -> None:
    for part in _parts(results):
        for view in _views(part):
            lines = str(view).splitlines()
            assert len(lines) <= 40, view.title
            assert max(map(len, lines)) <= 111, view.title


def test_the_repr_of_a_run_holds_no_text_of_its_parts(results: RunResults) -> None:
    assert results.contract is not None
    assert results.contract.question[:40] not in repr(results)
    assert results.request is not None
    for term in results.request.restricted_terms:
        assert term not in repr(results) + repr(results.request) + results.request._repr_html_()
    for fact in results.request.internal_facts:
        assert fact.text not in repr(results.request) + results.request._repr_html_()


def test_what_is_withheld_for_a_run_appears_in_none_of_its_views(results: RunResults) -> None:
    assert results.outcome is not None
    withhold(results.run_id, terms=["correspondent banking", "Union Prudential Authority"])
    try:
        for view in _views(results.outcome):
            shown = view.to_html() + str(view) + str(view.spec if view.is_chart else "")
            assert "correspondent banking" not in shown
            assert "Union Prudential Authority" not in shown
        assert "[withheld]" in repr(results.contract)
    finally:
        withhold(results.run_id)
    assert "[withheld]" not in repr(results.contract)


def test_every_contract_has_text_and_html_even_when_its_fields_are_missing_or_wrong() -> None:
    for kind in _contracts():
        for broken in (kind.model_construct(), kind.model_construct(**dict.fromkeys(kind.model_fields, "?"))):
            data, _ = mimebundle(broken)
            assert data["text/plain"]
            assert data["text/html"]
            assert html(broken)
            if views_of(broken):
                assert plain(broken)


def test_a_view_that_cannot_be_made_says_why_in_its_place() -> None:
    from porterlib.contracts.publication import Outcome

    broken = Outcome.model_construct(status="blocked")
    assert "could not be shown (AttributeError)" in repr(broken)
    assert ".to_dict()" in broken._repr_html_()


def test_showing_opens_no_database(results: RunResults, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a display opened the ledger")

    monkeypatch.setattr(sqlite3, "connect", refuse)
    for part in _parts(results):
        assert repr(part)
        for view in _views(part):
            assert view.bundle()[0]["text/plain"]


def test_every_view_has_a_tidy_table(results: RunResults) -> None:
    for part in _parts(results):
        for view in _views(part):
            table = view.to_pandas()
            assert len(table.columns) > 0, view.title
            assert table.index.is_unique


def test_tables_hold_the_figures_of_the_results(results: RunResults) -> None:
    assert results.outcome is not None
    assert results.outcome.candidate is not None
    assert results.economics is not None
    forces = results.to_pandas("forces")
    assert set(forces["score"]) == {float(f.score) for f in results.outcome.candidate.forces if f.score}
    npv = results.economics.to_pandas("scenarios").set_index("scenario")["npv_base"]["targeted"]
    assert str(npv).startswith("10888429.752066115")
    rows = results.to_pandas("ranges")
    targeted = rows[(rows["scenario"] == "targeted") & (rows["end"] == "base")]["value"].item()
    assert targeted == npv
    quotes = results.to_pandas("claims").dropna(subset=["quote"])
    assert len(quotes) == len(results.outcome.candidate.links)


def test_a_result_loaded_in_a_new_process_shows_itself(results: RunResults, tmp_path: Path) -> None:
    stored = tmp_path / "results.pickle"
    stored.write_bytes(pickle.dumps(results))
    code = (
        "import pickle, pathlib, sys\n"
        f"r = pickle.loads(pathlib.Path({str(stored)!r}).read_bytes())\n"
        "print(repr(r)); print(len(r.outcome._repr_html_()))\n"
        "heavy = {'pandas', 'altair', 'numpy', 'ipywidgets', 'vl_convert', 'IPython'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"Run {results.run_id}: people must decide")


def test_importing_the_library_loads_no_display() -> None:
    code = "import porterlib, sys; assert not {'porterlib.display', 'porterlib.widgets', 'pydantic'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def _many_items(item: EvidenceItem, count: int) -> tuple[EvidenceItem, ...]:
    return tuple(item.model_copy(update={"id": f"E-{n:012x}", "title": f"Page {n}"}) for n in range(count))


def test_five_thousand_passages_and_two_hundred_runs_show_within_two_seconds(results: RunResults) -> None:
    assert results.snapshot is not None
    items = _many_items(results.snapshot.evidence[0], 5000)
    snapshot = results.snapshot.model_copy(update={"evidence": items})
    rows = [
        RunRow(run_id=f"run-{n}", ordinal=n + 1, status="blocked", reason="stalled", request_sha256="0" * 64,
               created_at=items[0].retrieved_at, changed_at=items[0].retrieved_at, records=9, head="0" * 64)
        for n in range(200)
    ]  # fmt: skip
    started = time.process_time()
    page = snapshot._repr_mimebundle_()[0]
    runs = run_library(rows)._repr_mimebundle_()[0]
    assert time.process_time() - started < 2
    assert "Shown are 60 of 5,000 rows; .to_pandas() holds all of them." in page["text/html"]
    assert "of 5,000 rows" in page["text/plain"]
    assert "Shown are 50 of 200 rows" in runs["text/html"]
    assert len(page["text/html"]) < 300_000
    assert len(snapshot.to_pandas()) == 5000


def test_a_passage_of_megabytes_does_not_make_a_page_of_megabytes(results: RunResults) -> None:
    assert results.snapshot is not None
    text = "word " * 400_000
    item = results.snapshot.evidence[0].model_copy(update={"passage": text, "end": len(text), "start": 0})
    snapshot = results.snapshot.model_copy(update={"evidence": (item,)})
    assert len(snapshot._repr_html_()) < 20_000


def test_an_unknown_view_names_those_there_are(results: RunResults) -> None:
    with pytest.raises(InputError, match=r"has no view 'heat'; it has 'run', 'heatmap'"):
        results.show("heat")
    with pytest.raises(InputError, match="force: 'supplier' is unknown"):
        results.show("force", force="supplier")
    unfinished = results.model_copy(update={"outcome": None})
    with pytest.raises(InputError, match="holds no analysis yet"):
        unfinished.show("heatmap")


def test_a_part_keeps_its_one_line_repr_and_still_shows_itself_in_a_cell(results: RunResults) -> None:
    assert results.outcome is not None
    assert results.outcome.candidate is not None
    claim = results.outcome.candidate.claims[0]
    assert repr(claim).startswith("Claim(id=")
    assert claim._repr_mimebundle_()[0]["text/plain"].startswith("Claim\n")


def test_every_catalogued_contract_exists_and_every_view_can_be_imported() -> None:
    known = {*contract_names(), "Explanation", "Simulation", "RunResults", "BundleReport"}
    assert set(VIEWS) <= known
    from importlib import import_module

    for views in VIEWS.values():
        for place in views.values():
            module, function = place.split(":")
            assert callable(getattr(import_module(f"porterlib.display.{module}"), function))


def test_evidence_marks_exactly_the_quote_in_its_passage(results: RunResults) -> None:
    assert results.outcome is not None
    assert results.outcome.candidate is not None
    link = next(e for e in results.outcome.candidate.links if e.levels.all)
    page = results.show("claims", claim=link.claim_id).to_html()
    from porterlib.rendering.inert import markup

    assert f">{markup(link.quote)}</mark>" in page
    assert "retrieved: yes · verbatim: yes · agrees: yes · wording overlaps: yes" in page
    assert "does not prove a statement true" in page
    back = results.show("claims", evidence=link.evidence_id).to_html()
    assert link.claim_id in back
    assert markup(link.quote) in back


def test_model_cost_sums_what_can_be_summed() -> None:
    calls = [
        {"stage": "forces", "calls": 12, "prompt_tokens": 9000, "seconds": 14.5},
        {"stage": "brief", "calls": 3, "prompt_tokens": 1500, "seconds": 4.0},
    ]
    text = str(model_cost(calls))
    assert "Total calls          15" in text
    assert "Total prompt tokens  10,500" in text
    assert "Total seconds        18.5" in text
    assert frame is not None
    assert "none" in str(model_cost([]))


def test_digests_are_shown_whole(results: RunResults) -> None:
    assert results.snapshot is not None
    assert results.snapshot.snapshot_id in repr(results.snapshot)
    assert porterlib.EvidenceSnapshot is type(results.snapshot)
    assert sha256_hex(b"") not in repr(results.snapshot)


def test_what_a_model_cost_and_how_well_it_answered_is_shown_by_stage() -> None:
    from datetime import UTC, datetime

    from porterlib.contracts.model import (
        Agreement,
        CapabilityProfile,
        DoctorReport,
        ModelCost,
        Probe,
        Qualification,
        StageCost,
    )

    stage = StageCost(stage="forces", questions=12, by_model=9, stood_in=3, prompt_tokens=12345, seconds=14.5)
    cost = ModelCost(model="small", stages=(stage,), total=stage.model_copy(update={"stage": "all"}))
    assert "3 (25%)" in repr(cost)
    assert "12,345" in repr(cost)
    assert "No model was asked" in repr(ModelCost())
    seen = Agreement(
        kind="choose",
        items=30,
        valid_first=28,
        valid_after_repair=30,
        right=9,
        chance=0.33,
        low=0.16,
        high=0.5,
    )
    known = Qualification(
        model="small", prompts_version="1", set_sha256="0" * 64, by_kind=(seen,), total=seen
    )
    now = datetime(2026, 7, 1, tzinfo=UTC)
    profile = CapabilityProfile(
        model="small", origin="http://127.0.0.1:8000", measured_at=now, qualification=known
    )
    assert "not shown" in repr(profile)
    probes = (Probe(name="reachable", verdict="bad", advice="start the server"),)
    report = DoctorReport(url="http://127.0.0.1:8000/v1", at=now, probes=probes, profile=None)
    assert "start the server" in repr(report)
    assert "Runs can use it  no" in repr(report)
