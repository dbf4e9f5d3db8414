"""Reads a sentence through a pack: which drivers it is about and which way it points."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from porterlib.contracts.base import Force
from porterlib.contracts.sector import Driver, SectorPack
from porterlib.sectors.cues import CueHit, CueIndex, WordPatterns
from porterlib.sectors.tokens import tokenise

Direction = Literal["raises", "lowers", "mixed", "neutral"]
_Hits = tuple[CueHit, ...]
# A cue that itself speaks of lack, or of a duty, does not turn round when negated: it says nothing then.
_LACKING = re.compile(
    r"(?:^|[ |_])(?:unable|difficult|lack|fail|not|no|without|insufficient|limit|less|few|shall|must)"
)
_REMEMBERED = 16_384  # sentences, some tens of MB at most
_COMPILED = 4  # packs


class DriverReading(NamedTuple):
    """What one sentence says about one driver."""

    force: Force
    """Force the driver belongs to."""
    driver_id: str
    """Driver the sentence is about."""
    topic: _Hits
    """Topic cues met."""
    raises: _Hits
    """Hits that report higher pressure: a raising cue as it stands, or a lowering one negated."""
    lowers: _Hits
    """Hits that report lower pressure: a lowering cue as it stands, or a raising one negated."""

    @property
    def direction(self) -> Direction:
        """`mixed` when the sentence points both ways, `neutral` when it only names the subject."""
        if self.raises:
            return "mixed" if self.lowers else "raises"
        return "lowers" if self.lowers else "neutral"


class PackCues:
    """All cues of one pack, compiled once."""

    def __init__(self, pack: SectorPack) -> None:
        self._drivers: tuple[tuple[Force, str], ...] = tuple(
            (part.force, driver.id) for part in pack.forces for driver in part.drivers
        )
        drivers = tuple(driver for part in pack.forces for driver in part.drivers)
        self._patterns = patterns = WordPatterns()
        self._subjects = CueIndex({driver.id: driver.topic for driver in drivers}, patterns=patterns)
        ways = {name: cues for driver in drivers for name, cues in _groups(driver)}
        self._ways = CueIndex(ways, patterns=patterns)
        self._controls = CueIndex({control.id: control.cues for control in pack.controls}, patterns=patterns)
        self._topics = CueIndex(pack.topics, patterns=patterns)
        # The same sentence is read again: in overlapping passages, in each attempt and after a shortening.
        self._readings: dict[tuple[str, ...], tuple[DriverReading, ...]] = {}

    def read(self, sentence: str | Sequence[str]) -> tuple[DriverReading, ...]:
        """Return a reading for every driver the sentence is about, in the pack's order."""
        tokens = tuple(_tokens(sentence))
        known = self._readings.get(tokens)
        if known is None:
            if len(self._readings) >= _REMEMBERED:
                self._readings.clear()
            known = self._readings[tokens] = self._read(tokens)
        return known

    def _read(self, tokens: tuple[str, ...]) -> tuple[DriverReading, ...]:
        places = self._patterns.places(tokens)
        about = self._subjects.hits_at(places, tokens)
        if not about:
            return ()
        ways = frozenset(f"{way}:{driver}" for driver in about for way in ("raises", "lowers"))
        hits = self._ways.hits_at(places, tokens, within=ways)
        return tuple(
            DriverReading(force, driver, about[driver], *_turned(hits, driver))
            for force, driver in self._drivers
            if driver in about
        )

    def controls(self, sentence: str | Sequence[str]) -> dict[str, _Hits]:
        """Return the control overlays the sentence bears on."""
        return self._controls.hits(_tokens(sentence))

    def topics(self, sentence: str | Sequence[str]) -> dict[str, _Hits]:
        """Return the subjects (such as `generative_ai`) the sentence names."""
        return self._topics.hits(_tokens(sentence))


_compiled: list[tuple[SectorPack, PackCues]] = []


def cues_of(pack: SectorPack) -> PackCues:
    """Return the compiled cues of `pack`; those of a pack used before are not compiled again.

    Raises:
        PackError: a cue is not in the language of cues.

    """
    for known, cues in _compiled:
        if known is pack:
            return cues
    cues = PackCues(pack)
    _compiled[:] = [(pack, cues), *_compiled][:_COMPILED]
    return cues


def _tokens(sentence: str | Sequence[str]) -> Sequence[str]:
    return tokenise(sentence) if isinstance(sentence, str) else sentence


def _groups(driver: Driver) -> Iterator[tuple[str, Iterable[str]]]:
    yield f"raises:{driver.id}", driver.raises
    yield f"lowers:{driver.id}", driver.lowers


def _turned(hits: dict[str, _Hits], driver: str) -> tuple[_Hits, _Hits]:
    up, down = hits.get(f"raises:{driver}", ()), hits.get(f"lowers:{driver}", ())
    return _standing(up) + _turning(down), _standing(down) + _turning(up)


def _standing(hits: _Hits) -> _Hits:
    return tuple(hit for hit in hits if not hit.negated)


def _turning(hits: _Hits) -> _Hits:
    return tuple(hit for hit in hits if hit.negated and not _LACKING.search(hit.cue))
