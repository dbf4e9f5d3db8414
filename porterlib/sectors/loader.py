"""Reads a pack's folder of YAML files into a validated `SectorPack`.

Every file but those in `forces/` is a mapping of `SectorPack` fields; `forces/<force>.yaml` holds one force.
Any defect is a `PackError` that names the file and, where the text has one, the line.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from porterlib.contracts.base import FORCES
from porterlib.contracts.sector import SectorPack
from porterlib.errors import PackError
from porterlib.resources import bundled
from porterlib.sectors.reading import cues_of
from porterlib.sectors.yaml_text import line_of, read_mapping


def list_packs(folder: Path | None = None) -> tuple[str, ...]:
    """Return the names of the sector packs in `folder`, by default those that ship with the library."""
    root = folder or bundled("sector_packs")
    return tuple(sorted(path.parent.name for path in root.glob("*/pack.yaml")))


def load_pack(name: str, folder: Path | None = None) -> SectorPack:
    """Return the sector pack called `name`.

    Args:
        name: folder name, such as `bank`.
        folder: folder that holds packs; by default the packs that ship with the library.

    Raises:
        PackError: no such pack (the message lists those there are), or a defect with its file and place.

    """
    root = folder or bundled("sector_packs")
    available = list_packs(root)
    if name not in available:
        raise PackError(
            f"no sector pack {name!r}; choose one of: {', '.join(available) or 'none found'}",
            sector=name,
            available=list(available),
        )
    return _load(root / name, _stamp(root / name))


def _stamp(base: Path) -> tuple[tuple[str, int, int], ...]:
    # Names, times and sizes of the files: an edited pack is read again, an unchanged one is not.
    found = ((path, path.stat()) for path in sorted(base.rglob("*.yaml")))
    return tuple((str(path), stat.st_mtime_ns, stat.st_size) for path, stat in found)


@lru_cache(maxsize=8)
def _load(base: Path, _as_of: tuple[tuple[str, int, int], ...]) -> SectorPack:
    name, pack = base.name, _validated(base)
    if pack.name != name:
        raise PackError(
            f"{name}/pack.yaml: name is {pack.name!r} but the folder is {name!r}; make them equal"
        )
    _check_cues(pack)
    return pack


def _validated(base: Path) -> SectorPack:
    fields, origin = _fields(base)
    fields["forces"] = [read_mapping(base, _force_file(base, force)) for force in FORCES]
    try:
        return SectorPack.model_validate(fields)
    except ValidationError as error:
        raise _located(error, base, origin) from None


def _fields(base: Path) -> tuple[dict[str, Any], dict[str, Path]]:
    fields: dict[str, Any] = {}
    origin: dict[str, Path] = {}
    for path in sorted(base.glob("*.yaml")):
        for field, value in read_mapping(base, path).items():
            if field in origin:
                raise PackError(
                    f"{base.name}/{path.name}: {field!r} stands in {origin[field].name} too; keep one"
                )
            fields[field], origin[field] = value, path
    return fields, origin


def _force_file(base: Path, force: str) -> Path:
    path = base / "forces" / f"{force}.yaml"
    if not path.is_file():
        raise PackError(f"{base.name}: forces/{force}.yaml is missing; all five forces are needed")
    return path


def _located(error: ValidationError, base: Path, origin: dict[str, Path]) -> PackError:
    problems = [_place(item["loc"], base, origin) + f": {item['msg']}" for item in error.errors()]
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return PackError(f"sector pack is not valid: {problems[0]}{more}", problems=problems)


def _place(loc: Sequence[int | str], base: Path, origin: dict[str, Path]) -> str:
    path, inner = origin.get(str(loc[0]) if loc else "", base / "pack.yaml"), list(loc)
    if len(loc) > 1 and loc[0] == "forces":
        path, inner = base / "forces" / f"{FORCES[int(loc[1])]}.yaml", list(loc[2:])
    line = line_of(path, inner)
    dotted = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in inner).lstrip(".")
    return (
        f"{base.name}/{path.relative_to(base)}"
        + (f":{line}" if line else "")
        + (f" {dotted}" if dotted else "")
    )


def _check_cues(pack: SectorPack) -> None:
    try:
        cues_of(pack)
    except PackError as error:
        raise PackError(f"{pack.name}: {error.message}") from None
