"""Tells one force: verdict, quoted evidence, relief, counts, mechanism, gaps; every point with its basis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from porterlib.analysis.claims import ClaimBook
from porterlib.analysis.reading import Clause
from porterlib.analysis.voices import VOICES, Voice
from porterlib.analysis.wording import listed, lower_first
from porterlib.analyst import Analyst, ChooseQuestion, Offer, WriteQuestion
from porterlib.analyst.policy import pressure_word
from porterlib.contracts.assessment import DriverRating, Point, Trend
from porterlib.contracts.evidence import Claim
from porterlib.contracts.sector import Driver, ForcePack

_NUMBERS = [
    "none",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
AUTHORITIES = ("regulator", "legislation", "official_statistics")
OFFERED = 5
"""Claims offered when a lead is chosen."""


class View(Protocol):
    """What the narrative needs of a rated driver."""

    @property
    def driver(self) -> Driver: ...  # noqa: D102
    @property
    def raising(self) -> tuple[Claim, ...]: ...  # noqa: D102
    @property
    def lowering(self) -> tuple[Claim, ...]: ...  # noqa: D102
    @property
    def rating(self) -> DriverRating: ...  # noqa: D102
    @property
    def claims(self) -> tuple[str, ...]: ...  # noqa: D102


@dataclass(frozen=True)
class ForceText:
    """The words of one force section."""

    points: tuple[Point, ...]
    exposure: Point | None
    implication: Point | None
    gaps: tuple[str, ...]


def quoted(clause: Clause) -> str:
    """Return the clause as it stands between quotation marks: its own full stop and outer marks drop."""
    return clause.text.rstrip(" .;,").replace("“", "‘").replace("”", "’")


def year_of(clause: Clause) -> str:
    """Return the year of publication, or words that say there is none."""
    return (clause.item.published or "")[:4] or "an undated page"


def tell_force(
    part: ForcePack,
    views: Sequence[View],
    score: Decimal | None,
    trend: Trend,
    book: ClaimBook,
    analyst: Analyst,
) -> ForceText:
    """Return the section's text; without a score it says why and names what to get."""
    voice = VOICES[part.force]
    assessed = [view for view in views if view.rating.rating is not None]
    gaps = _gaps(voice, views)
    if score is None or not assessed:
        return ForceText((), None, None, (voice.unassessed, *gaps))
    top = sorted(assessed, key=lambda v: (-v.rating.weight * float(v.rating.rating or 0), v.driver.id))
    lead = top[0]
    points = [_verdict(voice, lead, score)]
    points += _evidence(part, voice, top, book, analyst)
    points.append(_counts(part, voice, assessed, book))
    points.append(Point(text=lead.driver.mechanism, basis=lead.claims[:3]))
    points.append(Point(text=voice.trend[trend], basis=_moving(assessed, book) or lead.claims[:2]))
    high = lead.rating.rating is not None and lead.rating.rating >= 3
    implication = Point(text=lead.driver.implication if high else lead.driver.relief, basis=lead.claims[:2])
    exposed = next((view for view in top[1:] if view.driver.mechanism_id != lead.driver.mechanism_id), lead)
    strong = (exposed.rating.rating or 0) >= 3
    exposure = Point(
        text=exposed.driver.implication if strong else exposed.driver.relief, basis=exposed.claims[:2]
    )
    return ForceText(tuple(points), exposure if exposed is not lead else None, implication, gaps)


def _verdict(voice: Voice, lead: View, score: Decimal) -> Point:
    text = voice.verdict.format(
        score=score, word=pressure_word(float(score)), driver=lower_first(lead.driver.name)
    )
    return Point(text=text, basis=lead.claims)


def _evidence(
    part: ForcePack, voice: Voice, top: Sequence[View], book: ClaimBook, analyst: Analyst
) -> list[Point]:
    """Return quoted points: the best report of pressure, one by another publisher, the best relief.

    A section whose evidence holds a figure quotes one: the second quotation makes up for a lead without.
    """
    raising = _quotable({c.id: c for v in top for c in v.raising}, book)
    lowering = _quotable({c.id: c for v in top for c in v.lowering}, book)
    chosen: list[tuple[str, Claim]] = []
    first = _lead(part, "pressure", raising, book, analyst)
    if first:
        chosen.append((voice.lead, first))
        rest = [c for c in raising if book.publisher(c) != book.publisher(first) and c.text != first.text]
        if not book.clauses[first.id].has_figure:
            own = [c for c in raising if c.text != first.text]
            rest = _with_figure(rest, book) or _with_figure(own, book) or rest
        if second := _lead(part, "further pressure", rest, book, analyst):
            chosen.append((voice.second, second))
    said = {claim.text for _, claim in chosen}
    rest = [c for c in lowering if c.text not in said]
    if not any(book.clauses[claim.id].has_figure for _, claim in chosen):
        rest = _with_figure(rest, book) or rest
    if relief := _lead(part, "relief", rest, book, analyst):
        chosen.append((voice.relief, relief))
    return [_quote(frame, claim, book, analyst) for frame, claim in chosen]


def _quotable(claims: Mapping[str, Claim], book: ClaimBook) -> list[Claim]:
    """Return the claims short and whole enough to quote, best lead first."""
    return sorted((c for c in claims.values() if book.clauses[c.id].quotable), key=book.order)


def _with_figure(claims: Sequence[Claim], book: ClaimBook) -> list[Claim]:
    return [claim for claim in claims if book.clauses[claim.id].has_figure]


def _lead(
    part: ForcePack, what: str, claims: Sequence[Claim], book: ClaimBook, analyst: Analyst
) -> Claim | None:
    if not claims:
        return None
    offers = tuple(Offer(c.id, c.text, {"rank": book.clauses[c.id].rank}) for c in claims[:OFFERED])
    question = ChooseQuestion(
        purpose="lead_claim",
        subject=f"{part.force}:{what}",
        text=f"Which statement tells a director most about {what} from {part.force.replace('_', ' ')}?",
        offers=offers,
    )
    ids = analyst.choose(question).ids
    return book.claims[ids[0]] if ids else None


def _quote(frame: str, claim: Claim, book: ClaimBook, analyst: Analyst) -> Point:
    clause = book.clauses[claim.id]
    draft = frame.format(p=clause.item.publisher, y=year_of(clause), q=quoted(clause))
    sentence = analyst.write(
        WriteQuestion(
            purpose="quoted_evidence",
            subject=claim.id,
            text="Introduce this quotation with its publisher.",
            parts=(Offer(claim.id, claim.text),),
            draft=draft,
        )
    )
    return Point(text=sentence.text, basis=(claim.id,))


def _counts(part: ForcePack, voice: Voice, assessed: Sequence[View], book: ClaimBook) -> Point:
    raising = {book.publisher(c) for v in assessed for c in v.raising}
    lowering = {book.publisher(c) for v in assessed for c in v.lowering}
    claims = [c for v in assessed for c in v.raising + v.lowering]
    official = {book.publisher(c) for c in claims if book.clauses[c.id].item.source_class in AUTHORITIES}
    text = voice.counts.format(
        a=_number(len(raising)),
        b=_number(len(lowering)),
        n=_publishers(len(raising | lowering)),
        k=_number(len(official)),
    )
    text = text[0].upper() + text[1:]
    basis = tuple(sorted({claim.id for claim in claims}))
    inference = book.add_inference(text, basis, rule="inference.count_publishers", force=part.force)
    return Point(text=text, basis=(inference.id,))


def _number(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)


def _publishers(count: int) -> str:
    return f"{_number(count)} independent publisher{'' if count == 1 else 's'}"


def _moving(assessed: Sequence[View], book: ClaimBook) -> tuple[str, ...]:
    claims = [c for v in assessed for c in v.raising + v.lowering]
    return tuple(c.id for c in claims if book.clauses[c.id].grows or book.clauses[c.id].eases)[:4]


def _gaps(voice: Voice, views: Sequence[View]) -> tuple[str, ...]:
    names = [lower_first(view.driver.name) for view in views if view.rating.rating is None]
    if not names:
        return ()
    return (voice.gap.format(names=listed(names)),)
