"""How each force section is worded; five voices, so that no sentence frame recurs across sections."""

from __future__ import annotations

from dataclasses import dataclass

from porterlib.contracts.analysis import Trend
from porterlib.contracts.base import Force


@dataclass(frozen=True)
class Voice:
    """Sentence frames of one force section.

    `{p}` publisher, `{y}` year, `{q}` quoted clause, `{score}`, `{word}`, `{driver}`, `{a}` and `{b}` counts of
    publishers that report more and less pressure, `{n}` all of them, `{k}` public authorities among them.
    """

    verdict: str
    unassessed: str
    lead: str
    second: str
    relief: str
    counts: str
    trend: str
    gap: str


VOICES: dict[Force, Voice] = {
    "new_entrants": Voice(
        verdict="Newcomers put {word} pressure on this market, {score} on the scale to five, above all through "
        "{driver}.",
        unassessed="Entry could not be scored, because no usable source speaks to it.",
        lead="{p} wrote in {y}: “{q}”.",
        second="{p} adds a further point: “{q}”.",
        relief="Entry is also held back; {p} notes: “{q}”.",
        counts="{n} write on entry: {a} report more pressure, {b} report less, and public authorities among them are {k}.",
        trend="As to direction, the threat of entry {t}.",
        gap="No promoted source covers {names}.",
    ),
    "suppliers": Voice(
        verdict="Supplier power scores {score}, which is {word}; {driver} is the heaviest part of it.",
        unassessed="Nothing usable was found on suppliers, so their power carries no score.",
        lead="“{q}”, in the words of {p} ({y}).",
        second="To this {p} brings its own finding: “{q}”.",
        relief="Some relief comes from {p}: “{q}”.",
        counts="Stronger suppliers are seen by {a}, weaker ones by {b}, out of {n} ({k} of them authorities).",
        trend="The hand that suppliers hold {t}.",
        gap="Evidence on {names} is still to be found.",
    ),
    "buyers": Voice(
        verdict="Customers' leverage stands at {score} of five. That is {word}, and {driver} weighs most.",
        unassessed="Customers' leverage is left open: the sources gathered do not bear on it.",
        lead="From {p} comes this account of {y}: “{q}”.",
        second="“{q}”, says {p}.",
        relief="Customers do not hold every card, as {p} shows: “{q}”.",
        counts="Counting each once gives {n}: {a} on the side of more leverage, {b} on the other.",
        trend="Over time this leverage {t}.",
        gap="What remains unknown here is {names}.",
    ),
    "substitutes": Voice(
        verdict="At {score}, the pull of other ways to do the same job is {word}; {driver} explains most of it.",
        unassessed="Whether another way of doing the job draws customers off cannot be told from these sources.",
        lead="The record begins with {p}, {y}: “{q}”.",
        second="A separate text by {p} reads: “{q}”.",
        relief="What slows replacement is told by {p}: “{q}”.",
        counts="Replacement is nearer in the reading of {a} and further off in that of {b}; {n} in all.",
        trend="Looking ahead, that pull {t}.",
        gap="Sources were sought and not found for {names}.",
    ),
    "rivalry": Voice(
        verdict="Rivalry among incumbents rates {score} ({word}), with {driver} as its largest cause.",
        unassessed="How hard incumbents compete is not scored for want of a usable source.",
        lead="{p}, writing in {y}, describes the contest: “{q}”.",
        second="Also on record, from {p}: “{q}”.",
        relief="Rivals are held in check where {p} observes: “{q}”.",
        counts="For sharper competition speak {a}, for milder competition {b}; together they are {n}, {k} official.",
        trend="Between incumbents, the contest {t}.",
        gap="Left without evidence: {names}.",
    ),
}

TREND_WORDS: dict[Trend, str] = {
    "increasing": "is growing",
    "decreasing": "is easing",
    "stable": "holds steady",
    "uncertain": "has no direction that two independent sources agree on",
}
