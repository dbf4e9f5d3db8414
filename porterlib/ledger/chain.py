"""The hash chain: how a record is sealed, read back and checked, in a ledger or in an exported bundle.

A record's hash covers its identity, time, key, the digest of its canonical payload, the digests of the
contents it refers to, and the hash before it. Because the payload enters by digest, a chain still verifies
where an export withholds a payload.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from porterlib.contracts.ledger import ChainLink, LedgerFinding, Record, RecordKind
from porterlib.errors import IntegrityError, LedgerError
from porterlib.hashing import canonical_json, digest, sha256_hex

_SAFE_INT = 2**53
_SAFE_DIGITS = 16


def genesis(run_id: str) -> str:
    """Return the `prev_hash` of a run's first record, so that no chain can be passed off as another run's."""
    return digest("run", {"run_id": run_id})


def encode_payload(payload: Mapping[str, Any], place: str) -> str:
    """Return the canonical JSON text of a payload.

    Raises:
        LedgerError: A value has no canonical form (Decimal, bytes, NaN, integer from 2^53, text that is not
            Unicode).

    """
    try:
        return canonical_json(dict(payload)).decode()
    except (ValueError, TypeError, RecursionError) as error:
        raise LedgerError(
            f"payload of {place} has no canonical JSON: {error or type(error).__name__}; write decimals, "
            "large integers and times as text and keep bytes as a blob"
        ) from error


def decode_payload(text: str) -> dict[str, Any]:
    """Return the payload of a canonical text; whole numbers from 2^53 come back as the floats they were.

    Raises:
        ValueError: The text is not JSON, not an object, or nested beyond what can be read.

    """
    try:
        value = json.loads(text, parse_int=_number)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004 - callers treat all malformed text alike
    return value


def _number(text: str) -> int | float:
    if len(text) <= _SAFE_DIGITS + 1:
        value = int(text)
        if abs(value) < _SAFE_INT:
            return value
    return float(text)


def payload_digest(text: str) -> str:
    """Return the digest of a payload from its canonical text (equals `digest("payload", payload)`)."""
    return sha256_hex(b"porterlib:payload:" + text.encode())


def time_text(moment: datetime) -> str:
    """Return the one spelling of a time that is hashed: UTC to the microsecond."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def link_hash(link: ChainLink) -> str:
    """Recompute a record's hash from its other fields."""
    return digest(
        "record",
        {
            "run_id": link.run_id,
            "seq": link.seq,
            "kind": link.kind,
            "key": link.key,
            "recorded_at": time_text(link.recorded_at),
            "payload_sha256": link.payload_sha256,
            "blobs": link.blobs,
            "prev": link.prev_hash,
        },
    )


class Draft(NamedTuple):
    """A record before it has a place in a chain."""

    kind: RecordKind
    key: str | None
    text: str
    """Canonical payload."""
    sha256: str
    """Digest of the payload."""
    blobs: tuple[str, ...]
    """Digests the caller names as references."""


def seal(
    draft: Draft, *, run_id: str, seq: int, prev: str, recorded_at: datetime, blobs: dict[str, str]
) -> Record:
    """Return the record that `draft` becomes at position `seq` after the record of hash `prev`."""
    record = Record(
        run_id=run_id,
        seq=seq,
        kind=draft.kind,
        key=draft.key,
        recorded_at=recorded_at,
        payload_sha256=draft.sha256,
        blobs=blobs,
        prev_hash=prev,
        hash="0" * 64,
        payload=decode_payload(draft.text),
    )
    return record.model_copy(update={"hash": link_hash(record)})


SELECT_RECORDS = "SELECT run_id, seq, kind, key, recorded_at, payload, blobs, prev_hash, hash FROM records "
INSERT_RECORD = (
    "INSERT INTO records (run_id, seq, kind, key, recorded_at, payload, blobs, prev_hash, hash) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def row_of(record: Record, text: str) -> tuple[str | int | None, ...]:
    """Return the database row of a sealed record, in the order of `INSERT_RECORD`."""
    return (
        record.run_id,
        record.seq,
        record.kind,
        record.key,
        time_text(record.recorded_at),
        text,
        canonical_json(record.blobs).decode(),
        record.prev_hash,
        record.hash,
    )


def parse_row(row: tuple[Any, ...]) -> Record:
    """Return the record stored in a row, without judging its hash.

    Raises:
        ValueError: A column does not hold what it must, or not in its one canonical spelling.

    """
    run_id, seq, kind, key, recorded_at, text, blobs, prev_hash, hash_ = row
    if not (isinstance(recorded_at, str) and isinstance(text, str) and isinstance(blobs, str)):
        raise ValueError("a column holds a value of the wrong type")  # noqa: TRY004
    payload, references = decode_payload(text), decode_payload(blobs)
    try:
        canonical = canonical_json(payload).decode() == text and canonical_json(references).decode() == blobs
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if (
        not canonical
        or not recorded_at.endswith("Z")
        or time_text(datetime.fromisoformat(recorded_at)) != recorded_at
    ):
        raise ValueError("payload, references or time are not in canonical form")
    return Record(
        run_id=run_id,
        seq=seq,
        kind=kind,
        key=key,
        recorded_at=datetime.fromisoformat(recorded_at),
        payload_sha256=payload_digest(text),
        blobs=references,
        prev_hash=prev_hash,
        hash=hash_,
        payload=payload,
    )


def read_row(row: tuple[Any, ...]) -> Record:
    """Return the record stored in a row once its hash is confirmed.

    Raises:
        IntegrityError: The row is malformed or was changed; the message names it.

    """
    place = f"{row[0]}/{row[1]}/{row[2]}"
    try:
        record = parse_row(row)
    except ValueError as error:
        raise IntegrityError(f"record {place} cannot be read; run `porterlib verify`", place=place) from error
    if link_hash(record) != record.hash:
        raise IntegrityError(f"record {place} does not match its hash; run `porterlib verify`", place=place)
    return record


class Seen(NamedTuple):
    """The little a check keeps of each record."""

    place: str
    seq: int
    prev: str
    hash: str
    intact: bool


def observe(link: ChainLink) -> Seen:
    """Re-hash a record or a link; a record's payload is hashed too, a withheld one is taken by its digest."""
    intact = link_hash(link) == link.hash
    if isinstance(link, Record):
        intact = intact and digest("payload", link.payload) == link.payload_sha256
    return Seen(link.place, link.seq, link.prev_hash, link.hash, intact)


def check_chain(
    run_id: str, seen: Iterable[Seen], *, head: tuple[int, str] | None = None
) -> list[LedgerFinding]:
    """Check one run's chain, given in order of position.

    Args:
        run_id: Whose chain it is.
        seen: What `observe` returned for each record.
        head: Number of records and hash of the last one, as stored beside the chain; `None` if not stored.

    Returns:
        A finding for each record that is changed, missing or out of its place; empty if the chain is whole.

    """
    links = list(seen)
    findings: list[LedgerFinding] = []
    before: Seen | None = None
    for index, link in enumerate(links):
        expected = before.seq + 1 if before else 1
        if link.seq != expected:
            findings.append(_missing(run_id, expected, link.seq - 1))
        elif link.prev != (before.hash if before else genesis(run_id)):
            findings.append(_broken(links, index, head))
        if not link.intact:
            findings.append(_finding("RECORD_CHANGED", link.place, "record does not match its hash"))
        before = link
    findings.extend(_check_head(run_id, links[-1] if links else None, head))
    return list({(finding.code, finding.place): finding for finding in reversed(findings)}.values())[::-1]


def _check_head(run_id: str, last: Seen | None, head: tuple[int, str] | None) -> list[LedgerFinding]:
    if head is None or (last and (last.seq, last.hash) == head):
        return []
    count = last.seq if last else 0
    if count < head[0]:
        return [_missing(run_id, count + 1, head[0])]
    place = last.place if last else f"{run_id}/1/missing"
    if count == head[0]:
        return [_finding("RECORD_CHANGED", place, "last record is not the one the stored head names")]
    return [_finding("HEAD_WRONG", place, f"chain has {count} records, its stored head says {head[0]}")]


def _broken(links: list[Seen], index: int, head: tuple[int, str] | None) -> LedgerFinding:
    """Blame the record before a broken link if the one after is vouched for by its successor or the head."""
    link = links[index]
    successor = links[index + 1].prev if index + 1 < len(links) else (head[1] if head else None)
    if index and link.intact and successor == link.hash:
        return _finding(
            "RECORD_CHANGED", links[index - 1].place, f"record is not the one that {link.place} follows"
        )
    return _finding("LINK_BROKEN", link.place, "record does not follow the one before it")


def _missing(run_id: str, first: int, last: int) -> LedgerFinding:
    what = f"record {first} is" if first >= last else f"records {first} to {last} are"
    return _finding("RECORD_MISSING", f"{run_id}/{first}/missing", f"{what} missing")


def _finding(code: Any, place: str, message: str) -> LedgerFinding:
    return LedgerFinding(code=code, place=place, message=message)
