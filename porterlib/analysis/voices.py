"""How each force section is worded; five voices, so that no sentence frame recurs across sections."""

from __future__ import annotations

from dataclasses import dataclass

from porterlib.contracts.assessment import Trend
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
    trend: dict[Trend, str]
    gap: str


VOICES: dict[Force, Voice] = {
    "new_entrants": Voice(
        verdict="Newcomers put {word} pressure on this market, {score} on the scale to five, above all through "
        "{driver}.",
        unassessed="Entry could not be scored, because no usable source speaks to it.",
        lead="{p} wrote in {y}: “{q}”.",
        second="{p} adds a further point: “{q}”.",
        relief="Entry is also held back; {p} notes: “{q}”.",
        counts="Sources on entry: {n}; more pressure {a}, less {b}, official {k}.",
        trend={
            "increasing": "At least two publishers see more entry than before.",
            "decreasing": "At least two publishers see entry slowing down.",
            "stable": "The pace of entry is described as unchanged.",
            "uncertain": "Whether entry is speeding up, the sources do not settle.",
        },
        gap="No promoted source covers {names}.",
    ),
    "suppliers": Voice(
        verdict="Supplier power scores {score}, which is {word}; {driver} is the heaviest part of it.",
        unassessed="Nothing usable was found on suppliers, so their power carries no score.",
        lead="“{q}”, in the words of {p} ({y}).",
        second="To this {p} brings its own finding: “{q}”.",
        relief="Some relief comes from {p}: “{q}”.",
        counts="Stronger suppliers are seen by {a}, weaker ones by {b}, out of {n} ({k} official).",
        trend={
            "increasing": "Independent reports agree that the suppliers' hand is getting stronger.",
            "decreasing": "Independent reports agree that the suppliers' hand is getting weaker.",
            "stable": "Their hand is said to be as strong as it was.",
            "uncertain": "No common direction emerges from what is said about them.",
        },
        gap="Evidence on {names} is still to be found.",
    ),
    "buyers": Voice(
        verdict="Customers' leverage stands at {score} of five. That is {word}, and {driver} weighs most.",
        unassessed="Customers' leverage is left open: the sources gathered do not bear on it.",
        lead="From {p} comes this account of {y}: “{q}”.",
        second="“{q}”, says {p}.",
        relief="Customers do not hold every card, as {p} shows: “{q}”.",
        counts="Counting each once gives {n}: {a} on the side of more leverage, {b} on the other.",
        trend={
            "increasing": "This leverage grows, by the account of more than one source.",
            "decreasing": "This leverage shrinks, by the account of more than one source.",
            "stable": "This leverage has not moved, by the sources' account.",
            "uncertain": "Its direction is open: one source alone, or sources at odds, report a change.",
        },
        gap="What remains unknown here is {names}.",
    ),
    "substitutes": Voice(
        verdict="At {score}, the pull of other ways to do the same job is {word}; {driver} explains most of it.",
        unassessed="Whether another way of doing the job draws customers off cannot be told from these sources.",
        lead="The record begins with {p}, {y}: “{q}”.",
        second="A separate text by {p} reads: “{q}”.",
        relief="What slows replacement is told by {p}: “{q}”.",
        counts="Replacement is nearer in the reading of {a} and further off in that of {b}; {n} in all.",
        trend={
            "increasing": "Two or more of them describe replacement gathering pace.",
            "decreasing": "Two or more of them describe replacement losing pace.",
            "stable": "Replacement goes on at an even pace, as they describe it.",
            "uncertain": "How fast replacement comes, they leave undecided.",
        },
        gap="Sources were sought and not found for {names}.",
    ),
    "rivalry": Voice(
        verdict="Rivalry among incumbents rates {score} ({word}), with {driver} as its largest cause.",
        unassessed="How hard incumbents compete is not scored for want of a usable source.",
        lead="{p}, writing in {y}, describes the contest: “{q}”.",
        second="Also on record, from {p}: “{q}”.",
        relief="Rivals are held in check where {p} observes: “{q}”.",
        counts="Sharper competition is reported by {a}, milder competition by {b}, from {n}.",
        trend={
            "increasing": "The contest sharpens, which two independent voices confirm.",
            "decreasing": "The contest calms, which two independent voices confirm.",
            "stable": "The contest continues as before, so far as anyone reports.",
            "uncertain": "No two independent voices agree on where the contest is heading.",
        },
        gap="Left without evidence: {names}.",
    ),
}
