"""Credentials by their forms, and labels that mark a text as not public."""

from __future__ import annotations

import re

from porterlib.egress.views import View, compacted

_CREDENTIAL = re.compile(
    r"(?:AKIA|ASIA)[A-Z0-9]{16}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|\bglpat-[\w-]{16,}"
    r"|\bxox[abeprs]-[\w-]{8,}"
    r"|\bsk-[\w-]{16,}|\b[srp]k_(?:live|test)_\w{8,}|\bAIza[\w-]{30,}|\bhf_[A-Za-z0-9]{20,}"
    r"|\bnpm_[A-Za-z0-9]{20,}"
    r"|\bSG\.[\w-]{16,}\.[\w-]{16,}|-----BEGIN [A-Z ]*PRIVATE KEY|\bya29\.[\w-]{20,}|\bdop_v1_\w{20,}"
    r"|\bAGE-SECRET-KEY-1\w+"
    r"|\bssh-(?:rsa|ed25519) AAAA|\b[a-z][a-z0-9+.-]*://[^\s/@:]+:[^\s/@]+@",
)
_JWT = re.compile(r"\beyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?")
_ASSIGNED = re.compile(
    r"\b(?:password|passwd|passwort|pwd|passphrase|passcode|pin code|secret|api[ _-]?key|access[ _-]?key"
    r"|auth[ _-]?token|client"
    r"[ _-]?secret|private[ _-]?key|bearer|credentials?)\b\s*(?:is\s|[:=]|\s(?=\S*\d\S*[A-Za-z]"
    r"|\S*[A-Za-z]\S*\d))\s*[\"']?[^\s\"']{4,}",
    re.I,
)
_RANDOM = re.compile(
    r"(?<![\w/+-])(?=[\w+/-]*\d)(?=[\w+/-]*[a-z])(?=[\w+/-]*[A-Z])[\w+/-]{24,}={0,2}(?![\w/+-])"
)
_HEX = re.compile(r"(?<![\w-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{32,}(?![\w-])", re.I)
# Without its underscore a token is known by its length and its mixture of letters and digits.
_GLUED_TOKEN = re.compile(r"gh[pousr](?=(?:[A-Za-z]*\d){5})(?=[a-z\d]*[A-Z])[A-Za-z0-9]{36}")
_LABEL = re.compile(
    r"\b(?:m[\W_]{0,3}n[\W_]{0,3}p[\W_]{0,3}i|material[ -]+non[ -]?public|inside[r]? information"
    r"|(?:strictly|highly|private and|privileged and|company|commercial[- ]in) ?confiden\w+|(?:for"
    r" )?internal (?:use )?only|internal use|not for (?:public )?"
    r"(?:distribution|release"
    r"|circulation)|do not (?:distribute|circulate|forward|share)|strictly private|trade secret|top secret"
    r"|tlp ?: ?(?:red|amber)"
    r"|eyes only|need[- ]to[- ]know|under embargo|restricted[ -]+internal)\b",
    re.I,
)
# "Confidential" alone is a label; in these names of public things it is not.
_CONFIDENTIAL = re.compile(
    r"\bconfidential\b(?![ -]+(?:computing|vms?|containers?|ledgers?|supervisory|transactions?|statistical"
    r"|clients? (?:app|flow)))",
    re.I,
)
_COMPACT_LABEL = re.compile(
    r"confidential(?!computing|vm|container|ledger|supervisory|transaction|statistical|ity)"
    r"|materialnonpublic|internaluseonly"
    r"|notfordistribution|insiderinformation",
    re.I,
)


def find_secret(view: View) -> str | None:
    """Return `credential`, `jwt` or `confidential_label` if a view holds one, or nothing."""
    text = view.text
    if _JWT.search(text):
        return "jwt"
    if _CREDENTIAL.search(text):
        return "credential"
    if view.compact:
        if _GLUED_TOKEN.search(text):
            return "credential"
        return "confidential_label" if _COMPACT_LABEL.search(compacted(text)) else None
    if _ASSIGNED.search(text) or _RANDOM.search(text) or _HEX.search(text):
        return "credential"
    return "confidential_label" if _LABEL.search(text) or _CONFIDENTIAL.search(text) else None
