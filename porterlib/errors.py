"""Every error the library raises, as one tree.

    PorterError                      code, exit_code, what to do next
    ├── InputError                   a request, file or option cannot be used      exit 2
    │   ├── RequestError             a field of a request or inputs file is wrong
    │   ├── DecisionScopeError       the decision cannot be framed; carries questions
    │   ├── PackError                a sector pack does not validate
    │   ├── CorpusError              a corpus folder cannot be used
    │   ├── EconomicsError           finance inputs are wrong
    │   ├── WorkspaceError           a folder is not a workspace, or none is open
    │   ├── UnknownRunError          no such run
    │   └── FingerprintError         an approval names another text than the current one
    ├── LedgerError                  the system of record refuses
    │   ├── LeaseError               another writer holds the workspace            exit 1
    │   ├── IntegrityError           a record, blob or projection does not verify  exit 1
    │   ├── SchemaVersionError       the ledger was written by a newer version     exit 2
    │   └── TransitionError          a status change that the rules do not allow   exit 1
    ├── EgressViolation              a query may not leave the machine             exit 1
    ├── CaptureRefused               a page may not be fetched or kept             exit 1
    ├── SearchUnavailableError       the provider did not answer usably            exit 1
    ├── ModelContractError           a model answer has no valid form              exit 1
    └── SupervisionError             an evaluator or state breaks its contract     exit 1

A message says what was refused and what to do next. Confidential values are never part of a message.
"""

from __future__ import annotations

from typing import Any, ClassVar


class PorterError(Exception):
    """Base of every error; `code` is stable across releases, `exit_code` is what the CLI returns."""

    code: ClassVar[str] = "PORTER_ERROR"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, **data: Any) -> None:
        super().__init__(message)
        self.message = message
        self.data = data

    def to_dict(self) -> dict[str, Any]:
        """Return `{code, message, **data}` for `--json` output."""
        return {"code": self.code, "message": self.message, **self.data}


class InputError(PorterError):
    """Something the user supplied cannot be used."""

    code = "INPUT_INVALID"
    exit_code = 2


class RequestError(InputError):
    """A field of a request is wrong; `data["fields"]` lists `{path, problem}`."""

    code = "REQUEST_INVALID"


class DecisionScopeError(InputError):
    """The decision cannot be framed; `missing` names the gaps, `questions` what to answer."""

    code = "DECISION_SCOPE"

    def __init__(self, message: str, *, missing: tuple[str, ...], questions: tuple[str, ...]) -> None:
        super().__init__(message, missing=list(missing), questions=list(questions))
        self.missing = missing
        self.questions = questions


class PackError(InputError):
    """A sector pack is absent or does not validate; the message names file and place."""

    code = "PACK_INVALID"


class CorpusError(InputError):
    """A corpus folder is empty, unreadable or has a broken manifest."""

    code = "CORPUS_INVALID"


class EconomicsError(InputError):
    """A finance input is wrong; `data["field"]` names it."""

    code = "ECONOMICS_INVALID"


class WorkspaceError(InputError):
    """A folder is not a workspace, or no workspace is open."""

    code = "WORKSPACE_INVALID"


class UnknownRunError(InputError):
    """The ledger holds no run of that id."""

    code = "RUN_UNKNOWN"


class FingerprintError(InputError):
    """An approval names another fingerprint than the current text has."""

    code = "FINGERPRINT_MISMATCH"


class LedgerError(PorterError):
    """The system of record refuses an operation."""

    code = "LEDGER_ERROR"


class LeaseError(LedgerError):
    """Another writer holds the workspace; `data` says who and since when."""

    code = "WRITER_BUSY"


class IntegrityError(LedgerError):
    """A record, blob or projection does not match its hash."""

    code = "INTEGRITY"


class SchemaVersionError(LedgerError):
    """The ledger was written by a newer version of the library."""

    code = "SCHEMA_TOO_NEW"
    exit_code = 2


class TransitionError(LedgerError):
    """A status change that the rules do not allow."""

    code = "TRANSITION_REFUSED"


class EgressViolation(PorterError):  # noqa: N818 - the specification names it
    """A query may not leave the machine; `rule` names why, the matched value is never kept."""

    code = "EGRESS_VIOLATION"

    def __init__(self, rule: str) -> None:
        super().__init__(
            f"query refused by egress rule {rule}; rephrase it from public vocabulary", rule=rule
        )
        self.rule = rule


class CaptureRefused(PorterError):  # noqa: N818
    """A page may not be fetched or kept; `rule` names why."""

    code = "CAPTURE_REFUSED"

    def __init__(self, rule: str, detail: str = "") -> None:
        super().__init__(
            f"page refused by capture rule {rule}" + (f": {detail}" if detail else ""), rule=rule
        )
        self.rule = rule


class SearchUnavailableError(PorterError):
    """A search provider gave no usable answer; `kind` is throttled, blocked, broken or timeout."""

    code = "SEARCH_UNAVAILABLE"

    def __init__(self, kind: str, provider: str, detail: str = "") -> None:
        super().__init__(
            f"search provider {provider!r} is unavailable ({kind})" + (f": {detail}" if detail else ""),
            kind=kind,
            provider=provider,
        )
        self.kind = kind


class ModelContractError(PorterError):
    """A model answer has no valid form and no rule-based answer can stand in."""

    code = "MODEL_CONTRACT"


class RunNotAchieved(PorterError):  # noqa: N818 - the status it reports
    """A scheduled run ended without a valid draft; `data` carries run id, status and reason."""

    code = "RUN_NOT_ACHIEVED"


class SupervisionError(PorterError):
    """An evaluator, graph or state breaks the supervision contract."""

    code = "SUPERVISION_INVALID"
