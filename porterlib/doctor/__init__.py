"""Measures a model server before a run relies on it: what it enforces, how much it holds, how well it answers.

An address enters; probes run on the pipeline's own forms of question, since servers accept parameters and ignore
them in silence; a table of verdicts leaves, and a capability profile that chooses how questions are asked. A
changed model has no profile and is measured anew. Nothing here decides a run.
"""

from porterlib.doctor.connecting import connect
from porterlib.doctor.diagnosis import diagnose
from porterlib.doctor.qualifying import load_items, qualify

__all__ = ["connect", "diagnose", "load_items", "qualify"]
