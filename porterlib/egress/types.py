"""Types of what may and may not leave: sealed text, a verdict, the one kind of query that is sent."""

from __future__ import annotations

from typing import Final, NoReturn

from porterlib.contracts.base import Contract, Sha256, Text

_MINT: Final = object()


class Sealed:
    """Text that must stay on the machine: the raw question or an internal fact.

    It is no string, cannot be formatted, joined, compared or pickled, and shows itself as a placeholder, so
    that no code path can carry it into a query, a log line or an exception. `egress` alone reads it, to
    compare.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return "Sealed(…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("sealed text cannot be copied out of the process")

    def __format__(self, spec: str) -> str:
        raise TypeError("sealed text cannot be formatted into other text")

    def __str__(self) -> str:
        raise TypeError("sealed text cannot be turned into a string")


def unseal(sealed: Sealed) -> str:
    """Return the text, for comparison inside this package only."""
    return sealed._text


class EgressVerdict(Contract):
    """Whether a query may leave, and by which rule not; never what matched."""

    allowed: bool
    """True when no rule objects."""
    rule: Text
    """`ok`, or the name of the rule that blocks."""
    query_digest: Sha256
    """Keyed digest of the query: the same within a workspace, and useless outside it."""


class PublicQuery:
    """A query that passed the guard; only the guard makes one, and a search provider takes nothing else."""

    __slots__ = ("digest", "text")

    text: str
    """The query as it is sent."""
    digest: str
    """Its keyed digest, as in the verdict."""

    def __init__(self, text: str, digest: str, *, mint: object) -> None:
        if mint is not _MINT:
            raise TypeError("a public query is minted by the egress guard only; call EgressGuard.mint")
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "digest", digest)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a public query cannot be changed, tried {name!r}; mint another")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a public query cannot be copied; mint another")

    def __repr__(self) -> str:
        return f"PublicQuery({self.text!r})"


def mint_public_query(text: str, digest: str) -> PublicQuery:
    """Make a query that passed; called by the guard after its check."""
    return PublicQuery(text, digest, mint=_MINT)
