"""What changed between two runs: question, figures, evidence, forces, options and what is recommended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from porterlib.contracts.analysis import Candidate
from porterlib.contracts.economics import Economics
from porterlib.display import View
from porterlib.display.blocks import Built, Facts, grid
from porterlib.rendering.redact import redactor
from porterlib.verbs.loading import RunResults

_CONFIDENTIAL = ("internal_facts", "restricted_terms")
_SHOWN = 60
_COLUMNS = ("part", "what", "before", "after")
Change = dict[str, Any]


def what_changed(before: RunResults, after: RunResults) -> View:
    """Return the differences between two runs as a table; equal runs give an empty one.

    Args:
        before: the earlier run, from `workspace.run(run_id)`; it may lie in another workspace.
        after: the later run.

    What came out stands first and what went in below it, so that a reader goes from the change to its cause. Internal
    facts and restricted terms are compared and never shown.

    """
    rows = [
        *_result(before, after),
        *_figures(before, after),
        *_evidence(before, after),
        *_request(before, after),
    ]
    counts = {
        part: sum(row["part"] == part for row in rows) for part in dict.fromkeys(r["part"] for r in rows)
    }
    summary = ", ".join(f"{part} {count}" for part, count in counts.items()) or "nothing"
    built = Built(
        f"From {before.run_id} to {after.run_id}: {len(rows)} differences",
        [
            Facts([("Changed", summary), ("Same text", "no" if _text(before) != _text(after) else "yes")]),
            grid(
                ("Part", "What", "Before", "After"),
                rows,
                lambda row: [row["part"], row["what"], _shown(row["before"]), _shown(row["after"])],
                limit=_SHOWN,
            ),
        ],
        lambda: rows,
        columns=_COLUMNS,
    )
    requests = [run.request for run in (before, after) if run.request is not None]
    terms = [term for request in requests for term in request.restricted_terms]
    return View(
        built, redactor(terms, (fact.text for request in requests for fact in request.internal_facts))
    )


def _request(before: RunResults, after: RunResults) -> Iterator[Change]:
    old, new = (run.request.to_dict() if run.request else {} for run in (before, after))
    for change in _differences("request", old, new):
        if change["what"] in _CONFIDENTIAL:
            yield {**change, "before": "(confidential)", "after": "(confidential)"}
        else:
            yield change


def _figures(before: RunResults, after: RunResults) -> Iterator[Change]:
    yield from _differences("economics", _ranges(before.economics), _ranges(after.economics))
    if (before.inputs is None) != (after.inputs is None):
        old, new = ({"all": run.inputs.title if run.inputs else None} for run in (before, after))
        yield from _differences("finance inputs", old, new)
    else:
        yield from _differences("finance inputs", _inputs(before), _inputs(after))


def _evidence(before: RunResults, after: RunResults) -> Iterator[Change]:
    old, new = (_pages(run) for run in (before, after))
    yield from _differences("evidence", old, new)


def _result(before: RunResults, after: RunResults) -> Iterator[Change]:
    old, new = ({"status": run.status, "reason": run.reason or None} for run in (before, after))
    yield from _differences("recommendation", _advice(_candidate(before)), _advice(_candidate(after)))
    yield from _differences("run", old, new)
    yield from _differences("forces", _forces(_candidate(before)), _forces(_candidate(after)))
    yield from _differences("options", _lenses(_candidate(before)), _lenses(_candidate(after)))
    yield from _differences("versions", _versions(before), _versions(after))


def _differences(part: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    for name in dict.fromkeys([*old, *new]):
        if old.get(name) != new.get(name):
            yield {"part": part, "what": name, "before": old.get(name), "after": new.get(name)}


def _inputs(run: RunResults) -> dict[str, Any]:
    return {} if run.inputs is None else dict(_leaves(run.inputs.to_dict()))


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value of nested inputs by its path; parts with a name are found by it, not by their place."""
    if isinstance(value, dict):
        for name, entry in value.items():
            yield from _leaves(entry, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and any(isinstance(entry, dict) for entry in value):
        for number, entry in enumerate(value):
            named = entry.get("id") or entry.get("name") if isinstance(entry, dict) else None
            yield from _leaves(entry, f"{path}[{named or number}]")
    else:
        yield path, value


def _ranges(economics: Economics | None) -> dict[str, str]:
    found = {}
    for entry in economics.scenarios if economics else ():
        spread = entry.npv
        found[f"net present value, {entry.name}"] = (
            "not calculated"
            if spread is None or economics is None
            else f"{economics.currency} {spread.worst:,.0f} … {spread.base:,.0f} … {spread.best:,.0f}"
        )
    return found


def _pages(run: RunResults) -> dict[str, str]:
    """Return how many passages each page gave, by address."""
    found: dict[str, list[str]] = {}
    for item in run.snapshot.evidence if run.snapshot else ():
        found.setdefault(item.url, []).append(item.text_sha256)
    return {url: f"{len(texts)} passages of text {min(texts)[:8]}" for url, texts in sorted(found.items())}


def _candidate(run: RunResults) -> Candidate | None:
    return run.outcome.candidate if run.outcome else None


def _forces(candidate: Candidate | None) -> dict[str, str]:
    return {
        force.force.replace("_", " "): (
            f"{'not assessed' if force.score is None else f'pressure {force.score}'}, {force.trend}, "
            f"confidence {force.confidence:.2f}"
        )
        for force in (candidate.forces if candidate else ())
    }


def _lenses(candidate: Candidate | None) -> dict[str, str]:
    return {
        f"{option.name}: {rating.lens.replace('_', ' ')}": f"{rating.rating or 'not assessed'} ({rating.rule})"
        for option in (candidate.options if candidate else ())
        for rating in option.ratings
    }


def _advice(candidate: Candidate | None) -> dict[str, Any]:
    if candidate is None:
        return {}
    advice, brief = candidate.recommendation, candidate.brief
    return {
        "kind": advice.kind.replace("_", " "),
        "sentence": advice.sentence.text,
        "rule": advice.rule,
        "confidence": f"{brief.confidence:.2f}",
        "smallest commitment": brief.smallest_commitment.text,
        "largest uncertainty": brief.largest_uncertainty.text,
    }


def _versions(run: RunResults) -> dict[str, Any]:
    return run.outcome.versions.to_dict() if run.outcome else {}


def _text(run: RunResults) -> str | None:
    return run.outcome.fingerprint if run.outcome else None


def _shown(value: Any) -> str:
    if value is None or value == [] or value == "":
        return "—"
    return "; ".join(map(str, value)) if isinstance(value, list) else str(value)
