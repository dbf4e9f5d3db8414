"""Checks what a scheduler injected into a notebook, since the tools that inject only warn.

The executed sources of the notebook are read, not only its variables: a parameter nobody asked for is found by its
assignment, whatever it is called.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field, ValidationError

from porterlib.contracts.base import Contract, Text
from porterlib.contracts.supervision import LIMITS
from porterlib.errors import InputError
from porterlib.resources import bundled

_SECRET = re.compile(r"key|token|secret|passw|pwd|credential|bearer|auth|cookie", re.I)
_SECRET_VALUE = re.compile(
    r"\bsk-[\w-]{16,}|\beyJ[\w-]{5,}\.[\w-]{5,}|\bgh[pousr]_\w{20,}|\bhf_\w{20,}|-----BEGIN|://[^/\s]*@"
)
_CHECK = "check_parameters"
_FILES = ("request", "corpus", "economics")
"""Three that describe one decision: the example's may not be mixed with somebody's own."""


class PipelineParameters(Contract):
    """Parameters of the decision pipeline, typed and closed."""

    model_config = ConfigDict(strict=True)

    workspace: Text
    """Decision folder; made when it does not exist."""
    request: Text
    """YAML or JSON file of the request."""
    corpus: Text
    """Folder of documents to search."""
    economics: Text | None
    """Finance inputs, or None to run without."""
    target: Literal["draft", "publishable"]
    """`draft`, or `publishable`, which waits for four approvals."""
    max_attempts: int = Field(ge=LIMITS["max_attempts"][0], le=LIMITS["max_attempts"][1])
    """Attempts, 1 to 10."""
    analyst: Literal["offline", "local"]
    """`offline` answers by rules, `local` through a model server."""
    model_url: Text
    """OpenAI-compatible address; read when the analyst is `local`. Its key comes from `PORTERLIB_MODEL_KEY`."""
    model_name: Text | None
    """Model id; the server's first model if None."""
    summary: Text | None
    """File to write the summary to, besides the run's folder."""


def check_parameters(
    namespace: Mapping[str, Any] | None = None, *, cells: Sequence[str] | None = None
) -> PipelineParameters:
    """Return the parameters of the running notebook, or refuse them by name.

    Args:
        namespace: variables by name; those of the running notebook if absent.
        cells: sources executed so far, oldest first; those of the running notebook if absent.

    Raises:
        InputError: a parameter is unknown, missing, of another type, a secret, or names a file that is not there;
            `data["fields"]` lists `{path, problem}`.

    """
    if namespace is None:
        namespace, cells = _running_notebook()
    declared = PipelineParameters.model_fields
    assigned, injected = assigned_parameters(cells or (), frozenset(declared))
    problems = dict(_unknown(name for name in assigned if name not in declared))
    values = {name: namespace[name] for name in declared if name in namespace}
    values |= _own_files(injected, values)
    problems |= _typed(values) | _secrets(values)
    if not problems:
        values |= _found(values, problems)
    _refuse(problems)
    return PipelineParameters.model_validate(values)


def check_names(names: Sequence[str]) -> None:
    """Refuse parameter names the pipeline does not know, before a notebook that would keep their values exists.

    Raises:
        InputError: a name is unknown, or reads like a secret.

    """
    _refuse(dict(_unknown(name for name in names if name not in PipelineParameters.model_fields)))


def _refuse(problems: Mapping[str, str]) -> None:
    if problems:
        raise InputError(
            "; ".join(f"{name}: {problem}" for name, problem in problems.items()),
            fields=[{"path": name, "problem": problem} for name, problem in problems.items()],
        )


def assigned_parameters(
    cells: Sequence[str], declared: frozenset[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names assigned by the parameters cell and those after it, and the latter alone.

    The parameters cell is the one that assigns most declared names; what follows it up to the cell that checks was
    injected.
    """
    names = [_assigned(source) for source in cells]
    counts = [len(declared.intersection(found)) for found in names]
    if not any(counts):
        return (), ()
    start = max(range(len(counts)), key=lambda index: (counts[index], index))
    after = range(start + 1, len(cells))
    end = next((index for index in after if _CHECK in cells[index]), len(cells))
    injected = [name for found in names[start + 1 : end] for name in found]
    return tuple(dict.fromkeys([*names[start], *injected])), tuple(dict.fromkeys(injected))


def _assigned(source: str) -> list[str]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return []  # a cell that did not compile assigned nothing
    return [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def _running_notebook() -> tuple[Mapping[str, Any], Sequence[str]]:
    from IPython import get_ipython

    shell = get_ipython()
    if shell is None:
        raise InputError("no notebook is running; pass the parameters as namespace=")
    return shell.user_ns, list(shell.history_manager.input_hist_parsed)


def _unknown(names: Iterator[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        if _SECRET.search(name):
            yield (
                name,
                (
                    "looks like a secret, and an executed notebook keeps its parameters: withdraw it, delete that "
                    "notebook, and set PORTERLIB_MODEL_KEY in the environment instead"
                ),
            )
        else:
            yield name, f"is no parameter; there are {', '.join(PipelineParameters.model_fields)}"


def _own_files(injected: Sequence[str], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the example's files as None when a scheduler named files of its own."""
    own = [name for name in _FILES if name in injected]
    return {name: None for name in _FILES if name not in own and name in values} if own else {}


def _secrets(values: Mapping[str, Any]) -> dict[str, str]:
    texts = {name: value for name, value in values.items() if isinstance(value, str)}
    found = {name for name, text in texts.items() if _SECRET_VALUE.search(text)}
    if set("@?#") & set(texts.get("model_url", "")):
        found.add("model_url")
    kept = "holds what looks like a secret, and parameters are kept; set PORTERLIB_MODEL_KEY instead"
    return dict.fromkeys(found, kept)


def _typed(values: Mapping[str, Any]) -> dict[str, str]:
    try:
        PipelineParameters.model_validate(values)
    except ValidationError as error:
        return {str(part["loc"][0]): _problem(part, values) for part in error.errors()}
    return {}


def _problem(part: Any, values: Mapping[str, Any]) -> str:
    name = part["loc"][0]
    value = values.get(name)
    if value is None or value == "":
        return "is missing" + ("; request and corpus are given together" if name in _FILES else "")
    return f"{value!r} is of type {type(value).__name__}: {part['msg'][0].lower()}{part['msg'][1:]}"


def _found(values: Mapping[str, Any], problems: dict[str, str]) -> dict[str, str]:
    """Return the three files as paths that exist; those of the example may lie in the installation."""
    paths: dict[str, str] = {}
    for name in _FILES:
        if values[name] is None:
            continue
        path = Path(values[name]).expanduser()
        if not path.exists() and path.parts[:1] == ("fixtures",):
            path = bundled("fixtures").joinpath(*path.parts[1:])
        if not path.exists():
            problems[name] = f"{values[name]!r} does not exist; paths start from {str(Path.cwd())!r}"
        paths[name] = str(path)
    return paths
