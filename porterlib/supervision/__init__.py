"""Supervision: runs attempts of any graph until an independent evaluator is satisfied or a limit is reached.

A state enters, frozen; each step runs one fresh attempt, has it judged, and returns the next state. The rules
are pure (`rules`), so a recorded state can be replayed and an altered one is refused. What the loop promises
is that the declared definition of done was enforced, not that the strategy is true.
"""

from porterlib.supervision.judge import Evaluator
from porterlib.supervision.rules import best_of, decide, gap_fingerprint, verify_state
from porterlib.supervision.supervisor import RalphSupervisor

__all__ = ["Evaluator", "RalphSupervisor", "best_of", "decide", "gap_fingerprint", "verify_state"]
