"""A run loads again from its ledger: after a restart, in every status, and never with a changed record."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from porterlib.contracts.analysis import InsufficientEvidence
from porterlib.errors import InputError, IntegrityError, UnknownRunError
from porterlib.verbs.approving import review
from porterlib.verbs.framing import frame
from porterlib.verbs.gathering import acquire
from porterlib.verbs.loading import load_outcome, load_run
from porterlib.verbs.supervising import supervise
from porterlib.workspace import open_workspace

from .golden import FIXTURES, Finished


def test_an_outcome_loads_as_it_was_returned(run: Finished) -> None:
    loaded = load_outcome(open_workspace(run.place.path, "read"), run.run_id)
    transient = {"elapsed_s", "artifacts"}
    assert loaded.model_dump(exclude=transient) == run.outcome.model_dump(exclude=transient)
    assert set(loaded.artifacts) == set(run.outcome.artifacts)


def test_every_result_of_a_run_loads(run: Finished) -> None:
    results = load_run(run.place, run.run_id)
    assert results.status == "achieved_draft"
    assert results.contract == run.outcome.candidate.contract  # type: ignore[union-attr]
    assert results.snapshot == run.outcome.snapshot
    assert results.economics == run.outcome.economics
    assert results.state == run.outcome.state
    assert results.attempts == run.outcome.state.attempts  # type: ignore[union-attr]
    assert results.review == review(run.run_id, workspace=run.place)
    assert results.inputs is not None
    assert results.plan is not None
    assert results.gaps == tuple(sorted(run.outcome.snapshot.gaps, key=results.gaps.index))
    executed = [query for query in results.queries if query.status == "executed"]
    assert len(executed) == run.outcome.snapshot.queries_executed
    assert any(query.contrary for query in executed)
    row = run.place.runs()[0]
    assert (results.head, results.records) == (row.head, row.records)


def test_an_approved_run_loads_as_publishable(approved: Finished) -> None:
    loaded = load_outcome(approved.place, approved.run_id)
    assert (loaded.status, loaded.reason) == ("publishable", "")
    assert loaded.report is not None
    assert {entry.criterion_id: entry.outcome for entry in loaded.report.evaluations}["G-approval"] == "pass"
    assert loaded.fingerprint == approved.outcome.fingerprint


def test_a_rejected_run_loads_as_blocked(run: Finished) -> None:
    run.approve("risk", decision="reject")
    loaded = load_outcome(run.place, run.run_id)
    assert (loaded.status, loaded.reason) == ("blocked", "rejected")
    assert "blocked-report.md" in loaded.artifacts


def test_a_run_that_failed_its_checks_loads_as_blocked(run: Finished) -> None:
    with run.place.writing() as ledger:
        ledger.set_status(run.run_id, "blocked", "attempts")
    loaded = load_outcome(run.place, run.run_id)
    assert (loaded.status, loaded.reason) == ("blocked", "attempts")
    assert loaded.candidate == run.outcome.candidate


def test_a_run_without_economics_loads_without_them(run: Finished) -> None:
    """Calculations that the analysis never read are no part of its text."""
    place = run.place
    contract = frame(FIXTURES / "requests" / "bank_kyc.yaml", workspace=place)
    corpus = open_workspace(place.path, corpus=FIXTURES / "corpora" / "bank_kyc")
    snapshot = acquire(contract, workspace=corpus)
    from porterlib.verbs.gathering import calculate

    calculate(contract, FIXTURES / "economics" / "kyc_mixed.yaml", workspace=place)
    outcome = supervise(contract, snapshot, None, workspace=place)
    results = load_run(place, contract.run_id)
    assert results.economics is not None
    assert results.outcome is not None
    assert results.outcome.economics is None
    assert results.outcome.fingerprint == outcome.fingerprint


def test_a_run_that_lacked_evidence_loads_with_its_report(tmp_path: Path) -> None:
    place = open_workspace(tmp_path / "thin", corpus=FIXTURES / "corpora" / "bank_kyc_thin")
    contract = frame(FIXTURES / "requests" / "bank_kyc.yaml", workspace=place)
    report = acquire(contract, workspace=place)
    assert isinstance(report, InsufficientEvidence)
    supervise(contract, report, workspace=place)
    loaded = load_outcome(place, contract.run_id)
    assert (loaded.status, loaded.reason) == ("insufficient_evidence", "forces_without_evidence")
    assert loaded.insufficient == report
    assert loaded.fingerprint is None
    assert loaded.snapshot.gaps == report.gaps
    assert any(name.endswith(".md") for name in loaded.artifacts)
    results = load_run(place, contract.run_id)
    assert (results.review, results.insufficient) == (None, report)
    with pytest.raises(InputError, match="only a finished draft"):
        review(contract.run_id, workspace=place)


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_a_run_that_ended_without_an_outcome_still_shows_what_it_holds(run: Finished, status: str) -> None:
    contract = frame(FIXTURES / "requests" / "bank_kyc.yaml", workspace=run.place)
    with run.place.writing() as ledger:
        ledger.set_status(contract.run_id, status, "interrupted")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="resume it") as refused:
        load_outcome(run.place, contract.run_id)
    assert refused.value.data["status"] == status
    results = load_run(run.place, contract.run_id)
    assert (results.status, results.reason) == (status, "interrupted")
    assert results.contract == contract
    assert (results.outcome, results.review, results.attempts) == (None, None, ())


def test_an_unknown_run_is_refused(run: Finished) -> None:
    with pytest.raises(UnknownRunError, match="porterlib runs"):
        load_run(run.place, "run-none")


def test_no_repr_shows_a_restricted_term_or_an_internal_fact(
    built_restricted: Finished, copy: Callable[[Finished], Finished]
) -> None:
    run = copy(built_restricted)
    results = load_run(run.place, run.run_id)
    assert results.request is not None
    shown = repr(results) + str(results) + repr(results.request) + str(results.request)
    for secret in (*results.request.restricted_terms, *(f.text for f in results.request.internal_facts)):
        assert secret.casefold() not in shown.casefold()
    assert "request" not in results.to_dict()
    assert len(results.request.restricted_terms) == 8


@pytest.mark.parametrize("kind", ["contract", "evidence", "attempt_finished", "economics"])
def test_a_changed_record_is_refused_and_named(run: Finished, kind: str) -> None:
    connection = sqlite3.connect(run.place.path / "ledger.db")
    with connection:
        triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (name,) in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE records SET payload = replace(payload, 'e', 'a') WHERE kind = ?", (kind,))
    connection.close()
    with pytest.raises(IntegrityError, match=kind):
        load_run(run.place, run.run_id)
