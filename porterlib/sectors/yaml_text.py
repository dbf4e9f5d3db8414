"""YAML with the strictness a pack needs: no duplicate keys, and errors that give the line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from porterlib.errors import PackError


def read_mapping(base: Path, path: Path) -> dict[str, Any]:
    """Return the mapping in `path`.

    Raises:
        PackError: unreadable file, broken YAML, a key given twice, or something other than a mapping.

    """
    import yaml

    place = f"{base.name}/{path.relative_to(base)}"
    try:
        loader = _loader()(path.read_text(encoding="utf-8"))
        node = loader.get_single_node()
    except (OSError, UnicodeDecodeError) as error:
        raise PackError(f"{place}: cannot be read as UTF-8 text ({type(error).__name__})") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f":{mark.line + 1}" if mark else ""
        raise PackError(f"{place}{where}: not valid YAML: {getattr(error, 'problem', error)}") from None
    if not isinstance(node, yaml.MappingNode):
        raise PackError(f"{place}: must be a mapping of field names")
    _refuse_twins(node, place)
    value = loader.construct_document(node)
    return dict(value)


def line_of(path: Path, place: Sequence[int | str]) -> int | None:
    """Return the line of the nearest node on the way to `place`, or None when the file has no such part."""
    import yaml

    if not path.is_file():
        return None
    node, found = yaml.compose(path.read_text(encoding="utf-8"), Loader=_loader()), None
    for part in place:
        node = _child(node, part)
        if node is None:
            break
        found = node.start_mark.line + 1
    return found


def _loader() -> Any:
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _child(node: Any, part: int | str) -> Any:
    if isinstance(part, int) and isinstance(node.value, list):
        return node.value[part] if part < len(node.value) else None
    if isinstance(node.value, list):
        return next((value for key, value in node.value if getattr(key, "value", None) == str(part)), None)
    return None


def _refuse_twins(node: Any, place: str) -> None:
    import yaml

    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.value in seen:
                raise PackError(f"{place}:{key.start_mark.line + 1}: {key.value!r} is given twice; keep one")
            seen.add(key.value)
            _refuse_twins(value, place)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _refuse_twins(item, place)
