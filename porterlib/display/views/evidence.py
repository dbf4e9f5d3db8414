"""Evidence: each source with its quotes marked in their passages, and the four levels in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from porterlib.contracts.analysis import Candidate
from porterlib.contracts.base import FORCES as ALL_FORCES
from porterlib.contracts.evidence import ClaimEvidenceLink, EvidenceItem, EvidenceSnapshot, SupportLevels
from porterlib.display.blocks import Block, Built, Cell, Facts, Para, Passage, grid
from porterlib.display.parts import optional, part
from porterlib.display.words import FORCES, NO_PROOF, STANCES, spoken
from porterlib.errors import InputError

TABLE_ROWS = 60
Links = Mapping[str, Sequence[ClaimEvidenceLink]]
_LEVELS = (
    ("retrieved", "retrieved"),
    ("verbatim", "verbatim"),
    ("agrees", "agrees"),
    ("lexical", "wording overlaps"),
)


def evidence(
    result: Any,
    *,
    force: str | None = None,
    stance: str | None = None,
    source_class: str | None = None,
    contains: str = "",
    sort: str = "strength",
    start: int = 0,
) -> Built:
    """Return the evidence of a run, cited and strongest sources first.

    Args:
        result: a snapshot, an outcome or the results of a run; quotes need an analysis.
        force: keep what bears on this force.
        stance: keep what has a quote of this stance (`supports`, `contradicts`, `context`).
        source_class: keep this class of source.
        contains: keep passages, titles and publishers with these words, whatever their case.
        sort: `strength`, `published`, `publisher` or `quotes`.
        start: row to begin with, for leafing through.

    Raises:
        InputError: no such force, stance or order, or the result holds no evidence.

    """
    snapshot = part(result, EvidenceSnapshot)
    links = links_by_evidence(optional(result, Candidate))
    kept = chosen(
        snapshot.evidence, links, force=force, stance=stance, source_class=source_class, contains=contains
    )
    items = ordered(kept, links, sort)
    some = len(items) < len(snapshot.evidence)
    counted = f"{len(items)} of {len(snapshot.evidence)} passages" if some else f"{len(items)} passages"
    title = (
        f"Evidence: {counted} from {len({i.publisher_key for i in items})} publishers, "
        f"{snapshot.queries_executed} queries, {snapshot.documents_captured} documents"
    )
    table = grid(
        ("Evidence", "Source", "Bears on", "Quotes", "Passage with its strongest quote marked"),
        items[start:],
        lambda item: _row(item, links),
        limit=TABLE_ROWS,
        narrow=(4,),
    )
    blocks: list[Block] = [
        Facts([("Snapshot", Cell(snapshot.snapshot_id, mono=True)), ("Scores", _SCORES)]),
        table,
        Para(NO_PROOF, small=True),
    ]
    return Built(title, blocks, lambda: _rows(items, links), columns=_COLUMNS)


_SCORES = "order review; they are not probabilities of truth"
_COLUMNS = (
    "evidence_id",
    "publisher",
    "published",
    "source_class",
    "forces",
    "claim_id",
    "stance",
    "quote",
    "passage",
)


def item(entry: EvidenceItem) -> Built:
    """Return one passage with its source."""
    facts: list[tuple[str, object]] = [
        ("Evidence", Cell(entry.id, mono=True)),
        ("Source", source_line(entry)),
        ("Title", entry.title or "—"),
        (
            "Scores",
            f"authority {entry.authority:.2f}, quality {entry.quality:.2f}, freshness {entry.freshness:.2f}, "
            f"applicability {entry.applicability:.2f}; {_SCORES}",
        ),
        ("Text digest", Cell(entry.text_sha256, mono=True)),
    ]
    shown = Passage(entry.passage, 0, 0, source_line(entry))
    return Built("Evidence", [Facts(facts), shown], lambda: [entry.to_dict()])


def links_by_evidence(candidate: Candidate | None) -> dict[str, list[ClaimEvidenceLink]]:
    """Return the links of an analysis by evidence id, in order of place."""
    found: dict[str, list[ClaimEvidenceLink]] = defaultdict(list)
    for link in candidate.links if candidate else ():
        found[link.evidence_id].append(link)
    return {key: sorted(entries, key=lambda e: (e.start, e.id)) for key, entries in found.items()}


def chosen(
    items: Iterable[EvidenceItem],
    links: Links,
    *,
    force: str | None,
    stance: str | None,
    source_class: str | None = None,
    contains: str = "",
) -> list[EvidenceItem]:
    """Return the evidence that meets every condition; refuses unknown names."""
    for value, known, name in ((force, ALL_FORCES, "force"), (stance, tuple(STANCES), "stance")):
        if value is not None and value not in known:
            raise InputError(f"{name}: {value!r} is unknown; write one of {', '.join(known)}", field=name)
    words = contains.casefold().split()

    def meets(entry: EvidenceItem) -> bool:
        text = f"{entry.passage} {entry.title} {entry.publisher} {entry.id}".casefold() if words else ""
        return (
            (force is None or force in entry.forces)
            and (source_class is None or entry.source_class == source_class)
            and (stance is None or any(link.stance == stance for link in links.get(entry.id, ())))
            and all(word in text for word in words)
        )

    return [entry for entry in items if meets(entry)]


def ordered(items: list[EvidenceItem], links: Links, sort: str = "strength") -> list[EvidenceItem]:
    """Return evidence in an order; ids break ties, undated sources come last."""
    orders: dict[str, Callable[[EvidenceItem], Any]] = {
        "strength": lambda e: (not links.get(e.id), -e.authority * e.quality, e.id),
        "published": lambda e: ([-ord(c) for c in e.published or ""], e.id),
        "publisher": lambda e: (e.publisher_key, e.id),
        "quotes": lambda e: (-len(links.get(e.id, ())), e.id),
    }
    if sort not in orders:
        raise InputError(f"sort: {sort!r} is unknown; write one of {', '.join(orders)}", field="sort")
    dated = sorted(items, key=orders[sort])
    return sorted(dated, key=lambda e: e.published is None) if sort == "published" else dated


def source_line(entry: EvidenceItem) -> str:
    """Return publisher, date, class and address on one line."""
    return (
        f"{entry.publisher}, {entry.published or 'undated'}, {spoken(entry.source_class)} ({entry.class_basis}), "
        f"{entry.url}, {entry.id}"
    )


def level_words(levels: SupportLevels) -> str:
    """Return the four levels in words, each said whether passed or not."""
    return " · ".join(f"{word}: {'yes' if getattr(levels, name) else 'no'}" for name, word in _LEVELS)


def quote_passage(link: ClaimEvidenceLink, entry: EvidenceItem) -> Passage:
    """Return the passage of a link with exactly its quote marked."""
    notes = [
        f"{STANCES[link.stance][0]} {link.claim_id}; strength {link.strength:.2f}; {level_words(link.levels)}"
    ]
    notes += [f"does not agree: {reason}" for reason in link.disagreements[:4]]
    return Passage(entry.passage, link.start, link.end, source_line(entry), notes)


def _row(entry: EvidenceItem, links: Links) -> Sequence[Any]:
    own = links.get(entry.id, ())
    counts = [(stance, sum(link.stance == stance for link in own)) for stance in STANCES]
    words = ", ".join(f"{count} {STANCES[stance][0]}" for stance, count in counts if count) or "none"
    source = (f"{entry.published or 'undated'}, {spoken(entry.source_class)} ({entry.class_basis})",)
    return (
        Cell(entry.id, mono=True),
        Cell(entry.publisher, notes=source),
        ", ".join(FORCES[force] for force in entry.forces) or "—",
        words,
        _strongest(entry, own),
    )


def _strongest(entry: EvidenceItem, own: Sequence[ClaimEvidenceLink]) -> Cell:
    if not own:
        return Cell(entry.passage[:260] + ("…" if len(entry.passage) > 260 else ""))
    best = min(own, key=lambda link: (-link.levels.all, -link.strength, link.id))
    notes = (f"{STANCES[best.stance][0]} {best.claim_id}: {level_words(best.levels)}",)
    return Cell(entry.passage, span=(best.start, best.end), notes=notes)


def _rows(items: Iterable[EvidenceItem], links: Links) -> Iterator[dict[str, Any]]:
    """Yield one row a quote, and one for a passage without a quote."""
    for entry in items:
        base = {
            "evidence_id": entry.id,
            "publisher": entry.publisher,
            "published": entry.published,
            "source_class": entry.source_class,
            "url": entry.url,
            "forces": ", ".join(entry.forces),
            "authority": entry.authority,
            "quality": entry.quality,
            "freshness": entry.freshness,
            "applicability": entry.applicability,
        }
        for link in links.get(entry.id) or (None,):
            quote = {
                "claim_id": link.claim_id if link else None,
                "stance": link.stance if link else None,
                "quote": link.quote if link else None,
                "strength": link.strength if link else None,
                **{name: getattr(link.levels, name) if link else None for name, _ in _LEVELS},
            }
            yield {**base, **quote, "passage": entry.passage}
