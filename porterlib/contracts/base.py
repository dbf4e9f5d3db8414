"""What every contract shares: frozen, closed to unknown fields, versioned, UTC, documented field by field.

A contract also shows itself. How it looks is decided elsewhere (`porterlib.contracts.hooks`); here are only the
methods that a notebook, a plain Python prompt and a reader of results look for.
"""

from __future__ import annotations

import ast
import inspect
import sys
from datetime import UTC, datetime
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from porterlib.contracts import hooks

if TYPE_CHECKING:
    import pandas as pd

Force = Literal["new_entrants", "suppliers", "buyers", "substitutes", "rivalry"]
FORCES: tuple[Force, ...] = ("new_entrants", "suppliers", "buyers", "substitutes", "rivalry")


def _utc(value: datetime) -> datetime:
    if value.tzinfo is None:
        raise ValueError("time has no zone; write it with an offset, e.g. 2026-01-31T09:00:00Z")
    return value.astimezone(UTC)


UtcTime = Annotated[datetime, AfterValidator(_utc)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Text = Annotated[str, Field(min_length=1)]


def _no_truth(value: object) -> object:
    if isinstance(value, bool):
        raise PydanticCustomError("int_type", "Input should be a valid integer")
    return value


Whole = Annotated[int, BeforeValidator(_no_truth)]
"""A whole number a person gives; true and false, which count as 1 and 0 elsewhere, are refused."""

_FILLERS = frozenset("\u115f\u1160\u3164\uffa0")  # letters by name that show nothing


def _told(value: str) -> str:
    if not any(char.isalnum() and char not in _FILLERS for char in value):
        raise PydanticCustomError("blank", "text without a letter or digit")
    return value


def _told_if_given(value: str) -> str:
    return _told(value) if value.strip() else value


Told = Annotated[str, Field(min_length=1), AfterValidator(_told)]
"""Text a person gives: it holds a letter or a digit, so that blanks and invisible characters are no answer."""
ToldIfGiven = Annotated[str, AfterValidator(_told_if_given)]
"""The same where nothing, or space alone, means that nothing was given."""
Score01 = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Contract(BaseModel):
    """Base of all contracts: immutable and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def to_dict(self) -> dict[str, Any]:
        """Return the contract as plain JSON values (Decimals and times as text)."""
        return self.model_dump(mode="json")

    def show(self, view: str | None = None, **options: Any) -> Any:
        """Return a named view of this result, which displays itself; without a name the default one.

        Raises:
            InputError: there is no such view; the message lists those there are.

        """
        return hooks.room("display").show(self, view, **options)

    def chart(self, view: str | None = None, **options: Any) -> Any:
        """Return a view that is a chart as an Altair chart, to be changed further.

        Raises:
            InputError: there is no such view, or it is no chart.

        """
        return hooks.room("display").chart(self, view, **options)

    def to_pandas(self, *args: Any, **options: Any) -> pd.DataFrame:
        """Return a view of this result as a tidy table, one row an observation.

        Args:
            args: name of the view; without one the default view's table.
            options: what that view takes.

        """
        frame: pd.DataFrame = hooks.room("display").frame(self, *args, **options)
        return frame

    def widget(self, view: str | None = None, **options: Any) -> Any:
        """Return an interactive view of this result for a notebook.

        Raises:
            InputError: this result has no such widget.

        """
        return hooks.room("widgets").widget(self, view, **options)

    def edit(self, **callbacks: Any) -> Any:
        """Return a form that makes a changed contract of this one; the contract itself stays as it is.

        Raises:
            InputError: there is no form for this contract.

        """
        return hooks.room("widgets").edit(self, **callbacks)

    def __repr__(self) -> str:
        """Return the plain view of a result; parts of a result keep their one-line form."""
        return hooks.room("display").plain(self) or super().__repr__()

    def __str__(self) -> str:
        """Return the same text, so that `print` and an f-string never spill every field."""
        return repr(self)

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what a notebook shows: plain text and escaped HTML, or a chart; never raises."""
        bundle: tuple[dict[str, Any], dict[str, Any]] = hooks.room("display").mimebundle(self)
        return bundle

    def _repr_html_(self) -> str:
        """Return the escaped HTML alone, for front ends that ask for nothing else."""
        markup: str = hooks.room("display").html(self)
        return markup

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Describe each field by the string below it, read only now: doing so for each class slows imports."""
        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for owner in cls.__mro__:
            for name, text in _field_texts(owner.__module__).get(owner.__qualname__, {}).items():
                if name in properties:
                    properties[name].setdefault("description", text)
        return schema


class Versioned(Contract):
    """A contract that is stored on its own and so names the version of its shape."""

    schema_version: int = Field(1, ge=1, le=1, description="Version of this contract's shape.")


@lru_cache(maxsize=64)
def _field_texts(module: str) -> dict[str, dict[str, str]]:
    """Return the strings that stand below the fields of each class at the top of a module of this library."""
    if module.partition(".")[0] != __name__.partition(".")[0]:
        return {}
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {node.name: _texts_below(node.body) for node in tree.body if isinstance(node, ast.ClassDef)}


def _texts_below(body: list[ast.stmt]) -> dict[str, str]:
    texts = {}
    for field, below in pairwise(body):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
            and isinstance(below.value.value, str)
        ):
            texts[field.target.id] = inspect.cleandoc(below.value.value)
    return texts
