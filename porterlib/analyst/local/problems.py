"""What can go wrong between here and a model server."""

from __future__ import annotations

from porterlib.errors import InputError, PorterError


class EndpointRefused(InputError):  # noqa: N818 - named like the other refusals
    """A model endpoint may not be used; `rule` names why."""

    code = "ENDPOINT_REFUSED"

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message, rule=rule)
        self.rule = rule


class ModelServerError(PorterError):
    """A model server gave no usable reply; `kind` tells how it failed."""

    code = "MODEL_SERVER"

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message, kind=kind)
        self.kind = kind


class ModelNotQualified(PorterError):  # noqa: N818 - the status it leads to
    """Rules had to answer too many of a model's questions; `reasons` says where and why."""

    code = "MODEL_NOT_QUALIFIED"

    def __init__(self, reasons: tuple[str, ...]) -> None:
        super().__init__(
            "model not qualified: " + "; ".join(reasons) + "; run porterlib doctor, or use a stronger model",
            reasons=list(reasons),
        )
        self.reasons = reasons


class CallsCancelled(PorterError):  # noqa: N818 - it reports what happened, not a fault
    """Model calls were cancelled on request; what was answered before is kept."""

    code = "CANCELLED"
