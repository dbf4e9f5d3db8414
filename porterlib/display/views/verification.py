"""What a verification of ledger or bundle found, and what it cannot show."""

from __future__ import annotations

from typing import Any

from porterlib.display.blocks import Block, Built, Cell, Facts, Listed, grid


def verification(report: Any) -> Built:
    """Return whether it verifies, every finding, the heads worth keeping elsewhere, and the limit of it all."""
    findings = list(report.findings)
    facts: list[tuple[str, object]] = [("Verifies", Cell("yes", "good") if report.ok else Cell("no", "bad"))]
    for name in ("runs", "records", "blobs", "first_bad", "run_id", "fingerprint", "label"):
        value = getattr(report, name, None)
        if value not in (None, ""):
            facts.append((name.replace("_", " "), str(value)))
    heads = getattr(report, "heads", None) or {}
    blocks: list[Block] = [Facts(facts)]
    if findings:
        blocks.append(
            grid(
                ("Finding", "Severity", "Place", "What was found"),
                findings,
                lambda f: (
                    Cell(f.code, mono=True),
                    Cell(
                        getattr(f, "severity", "error"),
                        "warn" if getattr(f, "severity", "") == "warning" else "bad",
                    ),
                    f.place,
                    f.message,
                ),
            )
        )
    if heads:
        blocks.append(
            grid(
                ("Run", "Head to keep elsewhere"),
                list(heads.items()),
                lambda entry: (entry[0], Cell(entry[1], mono=True)),
            )
        )
    blocks.append(Listed("Confirmed", getattr(report, "checked", ())))
    blocks.append(Listed("Not confirmed, because the text is withheld", getattr(report, "not_checked", ())))
    limits = getattr(report, "limits", None) or [getattr(report, "limit", "")]
    blocks.append(Listed("What this cannot show", [limit for limit in limits if limit]))
    return Built(
        "Verification", blocks, lambda: (f.to_dict() for f in findings), columns=("code", "place", "message")
    )
