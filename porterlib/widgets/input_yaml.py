"""Finance inputs as YAML that a person can go on editing and that reads back to the same inputs, digit for digit."""

from __future__ import annotations

import re
from typing import Any

import yaml

from porterlib.contracts.economics_inputs import EconomicsInputs
from porterlib.economics.loading import parse_inputs
from porterlib.errors import EconomicsError

_NUMBERS = frozenset({"low", "base", "high", "factor", "add", "rho", "hours"})
_PLAIN = re.compile(r"-?\d+(\.\d+)?")


class _Figure(str):
    """A number kept as its text, written without quotes."""

    __slots__ = ()


class _Dumper(yaml.SafeDumper):
    """Writes figures as they are, and nothing by reference."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the base class gives it
        return True


def _figure(dumper: yaml.SafeDumper, value: _Figure) -> yaml.Node:
    tag = "tag:yaml.org,2002:float" if "." in value else "tag:yaml.org,2002:int"
    return dumper.represent_scalar(tag, str(value))


_Dumper.add_representer(_Figure, _figure)


def inputs_yaml(inputs: EconomicsInputs) -> str:
    """Return the inputs as YAML under `economics:`; absent values are left out.

    Raises:
        EconomicsError: the text would not read back to the same inputs; nothing should be saved then.

    """
    content = {"economics": _readable(inputs.to_dict(), "")}
    text: str = yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
    if parse_inputs(text) != inputs:
        raise EconomicsError(
            "the inputs do not survive being written as YAML; nothing was saved", field="file"
        )
    return text


def _readable(value: Any, key: str) -> Any:
    if isinstance(value, dict):
        return {k: _readable(v, str(k)) for k, v in value.items() if v not in (None, "", [], {})}
    if isinstance(value, list):
        return [_readable(entry, key) for entry in value]
    return _Figure(value) if key in _NUMBERS and isinstance(value, str) and _PLAIN.fullmatch(value) else value
