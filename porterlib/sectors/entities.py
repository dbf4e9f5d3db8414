"""Which of the pack's entities a text names; one entity may hold several roles (rule 19.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from porterlib.contracts.sector import EntityRole, SectorPack


class EntityIndex:
    """Finds entities by the names under which texts mention them."""

    def __init__(self, pack: SectorPack) -> None:
        self._rows = [(entity, _pattern(entity.names)) for entity in pack.entities if entity.names]

    def named(self, text: str) -> tuple[EntityRole, ...]:
        """Return the entities that `text` names, in the order of the pack."""
        return tuple(entity for entity, pattern in self._rows if pattern.search(text))


def _pattern(names: Iterable[str]) -> re.Pattern[str]:
    # A name with a capital is a name only as written: RTP is no word of a sentence, and visa is no network.
    proper = [re.escape(name) for name in names if name != name.lower()]
    common = [re.escape(name) for name in names if name == name.lower()]
    parts = ["|".join(proper), f"(?i:{'|'.join(common)})" if common else ""]
    return re.compile(rf"(?<!\w)(?:{'|'.join(part for part in parts if part)})(?!\w)")
