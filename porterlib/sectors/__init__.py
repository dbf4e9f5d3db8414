"""Sector packs: knowledge as data, and the small machinery that reads it.

A folder of YAML enters and a validated `SectorPack` leaves, or a `PackError` with file and place. The
source policy turns an address into class and publisher; cues turn a sentence into the drivers it is about and
the direction it points. Nothing here rates a force or chooses an option.
"""

from porterlib.sectors.cues import CueHit, CueIndex, CueSet
from porterlib.sectors.entities import EntityIndex
from porterlib.sectors.loader import list_packs, load_pack
from porterlib.sectors.reading import Direction, DriverReading, PackCues, cues_of
from porterlib.sectors.scoring import applicability, freshness, jurisdictions_of, middle_of
from porterlib.sectors.sources import UNNAMED, SourceVerdict, authority, classify, quality
from porterlib.sectors.suffixes import registrable_domain
from porterlib.sectors.tokens import negated, negators, tokenise

__all__ = [
    "UNNAMED",
    "CueHit",
    "CueIndex",
    "CueSet",
    "Direction",
    "DriverReading",
    "EntityIndex",
    "PackCues",
    "SourceVerdict",
    "applicability",
    "authority",
    "classify",
    "cues_of",
    "freshness",
    "jurisdictions_of",
    "list_packs",
    "load_pack",
    "middle_of",
    "negated",
    "negators",
    "quality",
    "registrable_domain",
    "tokenise",
]
