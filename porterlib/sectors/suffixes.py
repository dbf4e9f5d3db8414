"""Registrable domains from a short embedded list of public suffixes.

The list holds the second-level suffixes under which banks, regulators, universities and vendors are found,
and the hosting suffixes under which strangers share a domain. A suffix it lacks makes two owners look like
one, which errs towards fewer independent publishers.
"""

from __future__ import annotations

_SECOND_LEVEL = {
    "uk": "ac co gov ltd me net nhs org plc police sch",
    "au": "asn com edu gov id net org",
    "nz": "ac co govt net org",
    "za": "ac co gov net org",
    "jp": "ac ad co ed go gr lg ne or",
    "kr": "ac co go ne or re",
    "in": "ac co edu gov net nic org res",
    "cn": "ac com edu gov net org",
    "hk": "com edu gov net org",
    "sg": "com edu gov net org per",
    "my": "com edu gov net org",
    "tw": "com edu gov net org",
    "th": "ac co go in or",
    "id": "ac co go or web",
    "ph": "com edu gov net org",
    "br": "com edu gov jus leg net org",
    "mx": "com edu gob net org",
    "ar": "com edu gob net org",
    "co": "com edu gov net org",
    "tr": "com edu gov net org",
    "il": "ac co gov net org",
    "ae": "ac co gov net org",
    "sa": "com edu gov net org",
    "at": "ac co gv or",
    "pl": "com edu gov net org",
    "pt": "com edu gov org",
    "es": "com edu gob nom org",
    "fr": "asso com gouv",
    "it": "edu gov",
    "ca": "gc on qc bc ab",
    "us": "ca ny tx il fl ma pa",
}
_HOSTING = """
    europa.eu github.io gitlab.io readthedocs.io pages.dev web.app firebaseapp.com netlify.app vercel.app
    herokuapp.com azurewebsites.net blob.core.windows.net cloudfront.net amazonaws.com s3.amazonaws.com
    appspot.com blogspot.com wordpress.com substack.com medium.com hashnode.dev uk.com eu.com us.com
"""
_SUFFIXES = frozenset(_HOSTING.split()) | {
    f"{second}.{top}" for top, row in _SECOND_LEVEL.items() for second in row.split()
}


def registrable_domain(host: str) -> str:
    """Return the part of `host` that one owner registers; `host` itself when it is a suffix.

    >>> registrable_domain("www.fca.org.uk"), registrable_domain("eba.europa.eu")
    ('fca.org.uk', 'eba.europa.eu')
    """
    labels = host.casefold().rstrip(".").split(".")
    if len(labels) < 2 or all(label.isdigit() for label in labels):
        return ".".join(labels)
    for size in range(min(4, len(labels)), 1, -1):
        if ".".join(labels[-size:]) in _SUFFIXES:
            return ".".join(labels[-size - 1 :])
    return ".".join(labels[-2:])
