"""Hostile text in everything a run recorded stays text in its brief and in its evidence table."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser
from pathlib import Path

import mistune
import pytest

from porterlib.rendering.brief import BriefInput, render_brief
from porterlib.rendering.inert import visible
from porterlib.rendering.sidecar import evidence_csv
from porterlib.verbs.loading import RunResults

from .golden import poisoned

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "[click](javascript:alert(1)) ![i](http://attacker.example/i.png)",
    "\n\n# Approved\n\n| a | b |\n|---|---|\n<svg onload=alert(1)>",
    "__class__ **bold** `code` http://attacker.example/x <http://attacker.example/y>",
)
MADE_HERE = re.compile(r"[A-Z]+-[\w-]+|[0-9a-f]{64}|-?\d[\d.]*|\d{4}(-\d\d){0,2}")
"""Ids, hashes, figures and dates, which the application makes itself."""


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: set[str] = set()
        self.attributes: set[str] = set()
        self.headings = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.headings += bool(re.fullmatch(r"h\d", tag))
        self.attributes |= {name for name, _ in attrs}
        self.links |= {value or "" for name, value in attrs if name in ("href", "src")}


def read(results: RunResults) -> tuple[str, _Tags]:
    outcome = results.outcome
    assert outcome is not None
    assert outcome.candidate is not None
    brief = BriefInput(
        outcome.candidate, outcome.snapshot, outcome.economics, outcome.report, "Synthetic", "0" * 64
    )
    page = str(mistune.create_markdown(escape=False, plugins=["table", "strikethrough"])(render_brief(brief)))
    tags = _Tags()
    tags.feed(page)
    return page, tags


@pytest.mark.parametrize("payload", HOSTILE)
def test_a_brief_gains_no_markup_from_what_it_quotes(results: RunResults, payload: str) -> None:
    _, plain = read(results)
    hostile = poisoned(results, payload, kept=MADE_HERE)
    outcome = hostile.outcome
    # A provider of the caller's own may date a page as it likes.
    dated = tuple(item.model_copy(update={"published": payload}) for item in outcome.snapshot.evidence)
    snapshot = outcome.snapshot.model_copy(update={"evidence": dated})
    outcome = outcome.model_copy(update={"snapshot": snapshot})
    page, tags = read(hostile.model_copy(update={"outcome": outcome}))
    assert tags.tags <= plain.tags
    assert tags.attributes <= plain.attributes
    assert tags.headings == plain.headings
    assert [link for link in tags.links if not link.startswith(("https://", "http://", "#"))] == []
    assert "attacker.example" not in {link.split("/")[2] for link in tags.links if "//" in link}
    assert "alert(1)" in page or "attacker.example" in page


def test_no_cell_of_the_evidence_table_is_a_formula(results: RunResults, shared_dir: Path) -> None:
    assert results.snapshot is not None
    lines = (shared_dir / "data/security/xss/csv-payload.txt").read_text("utf-8").splitlines()
    attacks = [line for line in lines if line.strip()]
    assert len(attacks) == 6
    for attack in attacks:
        fields = {"title": attack, "publisher": attack, "url": attack}
        rows = tuple(item.model_copy(update=fields) for item in results.snapshot.evidence[:3])
        table = list(
            csv.reader(io.StringIO(evidence_csv(results.snapshot.model_copy(update={"evidence": rows}))))
        )
        assert len(table) == 4
        assert len({len(row) for row in table}) == 1
        cells = [entry for row in table for entry in row]
        assert [entry for entry in cells if entry.startswith(("=", "+", "-", "@", "\t", "\r"))] == []
        assert sum(visible(attack) in entry for entry in cells) >= 9
