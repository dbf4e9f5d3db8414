"""Reads requests from YAML or JSON, strictly, and says where and how to mend what cannot be used.

Refused are duplicate keys, anchors and aliases (which can unfold without bound), tags that build objects, and
files beyond a size no request needs. A problem names its place as a path such as `request.options[1].kind`;
values are never repeated, since a request may hold confidential text.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from porterlib.contracts.request import DecisionRequest
from porterlib.errors import RequestError

MAX_BYTES = 1_000_000
MAX_DEPTH = 50
"""Levels of nesting; deeper ones are refused before anything recurses into them."""
_Model = TypeVar("_Model", bound=BaseModel)


def load_request(path: str | Path) -> DecisionRequest:
    """Return the request in a YAML or JSON file, under a top-level `request:` key or bare.

    Raises:
        RequestError: the file cannot be read or parsed, or a field is wrong; `data["fields"]` lists
            `{path, problem, write}`.

    """
    return parse_request(read_mapping(path), name=Path(path).name)


def parse_request(document: Mapping[str, Any], *, name: str = "request") -> DecisionRequest:
    """Return the request in a mapping, under a `request` key or bare.

    Raises:
        RequestError: a field is wrong; `data["fields"]` lists `{path, problem, write}`.

    """
    body = document
    if "request" in document:
        if beside := sorted(set(document) - {"request"}):
            rows = [
                _row(key, "stands beside request:", "move it below request: or remove it") for key in beside
            ]
            raise _refusal(name, rows)
        body = document["request"]
        if not isinstance(body, Mapping):
            rows = [_row("request", "is not a mapping of fields", "write the fields indented below request:")]
            raise _refusal(name, rows)
    return validated(DecisionRequest, body, name=name, root="request")


def validated(model: type[_Model], body: Mapping[str, Any], *, name: str, root: str) -> _Model:
    """Return `body` as `model`, or a `RequestError` that explains every wrong field.

    Args:
        model: contract to build.
        body: plain values as parsed.
        name: file the values came from, for the message.
        root: first part of the paths in the message.

    """
    try:
        return model.model_validate(body)
    except ValidationError as error:
        raise _refusal(name, field_problems(error, model, root=root)) from None


def field_problems(error: ValidationError, model: type[BaseModel], *, root: str) -> list[dict[str, str]]:
    """Return one `{path, problem, write}` for each wrong field, in the order of the contract."""
    return [
        _explained(item["type"], item["loc"], item.get("ctx", {}), item["msg"], model, root)
        for item in error.errors()
    ]


def read_mapping(path: str | Path) -> dict[str, Any]:
    """Return the mapping in a YAML or JSON file.

    Raises:
        RequestError: the file is absent, unreadable, too large, not UTF-8, not YAML or JSON, holds a key
            twice, an alias or an object tag, or is no mapping.

    """
    file = Path(path)
    text = _text(file)
    value = _json(text, file.name) if file.suffix.lower() == ".json" else _yaml(text, file.name)
    if not isinstance(value, dict):
        raise RequestError(
            f"{file.name}: holds no fields; write a mapping such as `question: …`", file=file.name
        )
    return value


def _text(file: Path) -> str:
    try:
        if not file.is_file():
            raise RequestError(f"no file {str(file)!r}; give the path of a YAML or JSON file", file=file.name)
        raw = file.read_bytes()
        if len(raw) > MAX_BYTES:
            raise RequestError(
                f"{file.name}: larger than {MAX_BYTES:,} bytes; put long material into the corpus",
                file=file.name,
            )
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise RequestError(
            f"{file.name}: cannot be read ({error.strerror}); check its permissions", file=file.name
        ) from None
    except UnicodeDecodeError as error:
        raise RequestError(
            f"{file.name}: byte {error.start} is not UTF-8; save the file as UTF-8", file=file.name
        ) from None


def _json(text: str, name: str) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        seen = dict(pairs)
        if len(seen) != len(pairs):
            twice = sorted({key for key, _ in pairs if sum(key == other for other, _ in pairs) > 1})
            raise RequestError(f"{name}: {twice[0]!r} is given twice; keep one", file=name)
        return seen

    try:
        return json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise RequestError(
            f"{name}:{error.lineno}: not valid JSON: {error.msg}", file=name, line=error.lineno
        ) from None
    except RecursionError:
        raise RequestError(f"{name}: nested too deeply for a request", file=name) from None


def _yaml(text: str, name: str) -> Any:
    import yaml

    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        _check_events(yaml.parse(text, Loader=loader), name)
        reader = loader(text)
        node = reader.get_single_node()
        _refuse_twins(node, name)
        return None if node is None else reader.construct_document(node)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f":{mark.line + 1}" if mark else ""
        what = getattr(error, "problem", None) or "the text is not YAML"
        line = mark.line + 1 if mark else None
        raise RequestError(f"{name}{where}: not valid YAML: {what}", file=name, line=line) from None
    except ValueError:  # an impossible date such as 2026-02-30
        raise RequestError(f"{name}: a date does not exist; write dates as yyyy-mm-dd", file=name) from None
    except RecursionError:
        raise RequestError(f"{name}: nested too deeply for a request", file=name) from None


def _check_events(events: Iterable[Any], name: str) -> None:
    import yaml

    depth = 0
    for event in events:
        line = event.start_mark.line + 1
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise RequestError(f"{name}:{line}: nested too deeply for a request", file=name, line=line)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise RequestError(
                f"{name}:{line}: anchors and aliases are not read; write the value out", file=name, line=line
            )
        tag = getattr(event, "tag", None)
        if tag and not (tag == "!" or (tag.startswith("tag:yaml.org,2002:") and "python" not in tag)):
            raise RequestError(f"{name}:{line}: tags are not read; write a plain value", file=name, line=line)


def _refuse_twins(node: Any, name: str) -> None:
    import yaml

    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                line = key.start_mark.line + 1
                raise RequestError(f"{name}:{line}: a field name must be plain text", file=name, line=line)
            if key.value in seen:
                line = key.start_mark.line + 1
                raise RequestError(
                    f"{name}:{line}: {key.value!r} is given twice; keep one", file=name, line=line
                )
            seen.add(key.value)
            _refuse_twins(value, name)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _refuse_twins(item, name)


def _refusal(name: str, rows: Sequence[dict[str, str]]) -> RequestError:
    first = rows[0]
    more = f" (and {len(rows) - 1} more)" if len(rows) > 1 else ""
    return RequestError(
        f"{name}: {first['path']} {first['problem']}; {first['write']}{more}", file=name, fields=list(rows)
    )


def _row(path: str, problem: str, write: str) -> dict[str, str]:
    return {"path": path, "problem": problem, "write": write}


def _explained(
    kind: str,
    loc: Sequence[int | str],
    ctx: Mapping[str, Any],
    message: str,
    model: type[BaseModel],
    root: str,
) -> dict[str, str]:
    path = root + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc)
    if kind == "extra_forbidden":
        return _row(path, "is not a field", _nearest(str(loc[-1]), _fields_at(model, loc[:-1])))
    if kind == "missing":
        return _row(path, "is missing", "add it")
    if kind == "literal_error":
        return _row(path, "has a value that is not known", f"write one of {ctx.get('expected', '')}")
    if kind == "value_error":
        return _row(path, "is not valid", str(ctx.get("error", message)))
    return _row(path, *_OTHER.get(kind, ("is not valid", message[0].lower() + message[1:])))


_OTHER: dict[str, tuple[str, str]] = {
    "string_type": ("is not text", "put the value in quotes"),
    "string_too_short": ("is empty", "write it out"),
    "blank": ("is blank", "write it in words or leave it out"),
    "tuple_type": ("is not a list", "write each item on its own line after a dash"),
    "int_parsing": ("is not a whole number", "write digits only, without a unit"),
    "int_type": ("is not a whole number", "write digits only, without a unit"),
    "int_from_float": ("is not a whole number", "write digits only, without a unit"),
    "date_from_datetime_parsing": ("is not a date", "write yyyy-mm-dd"),
    "date_parsing": ("is not a date", "write yyyy-mm-dd"),
    "date_type": ("is not a date", "write yyyy-mm-dd"),
    "model_type": ("is not a mapping of fields", "write its fields as `name: value`"),
    "model_attributes_type": ("is not a mapping of fields", "write its fields as `name: value`"),
}


def _nearest(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}" if known else "remove it"


def _fields_at(model: type[BaseModel], loc: Sequence[int | str]) -> tuple[str, ...]:
    """Return the field names of the contract that stands at `loc` within `model`."""
    for part in loc:
        if isinstance(part, int):
            continue
        field = model.model_fields.get(part)
        inner = _model_in(field.annotation) if field else None
        if inner is None:
            return ()
        model = inner
    return tuple(model.model_fields)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for arg in getattr(annotation, "__args__", ()) if (found := _model_in(arg))), None)
