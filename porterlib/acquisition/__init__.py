"""From a request to frozen evidence: framing, planning, search, capture, promotion, snapshot.

A request enters; decision contract, research plan and evidence snapshot leave, each frozen. Refused are
decisions without scope, queries the egress guard rejects, pages capture refuses, and passages that bear on no
driver; each refusal has a rule, is recorded as a gap and costs no other work.
"""

from porterlib.acquisition.framing import answer_questions, fact_id, frame_request, scope_gaps
from porterlib.acquisition.gather import AcquisitionLimits, acquire_evidence, evidence_snapshot_id
from porterlib.acquisition.planning import check_plan, edit_plan, plan_research, plan_sha256
from porterlib.acquisition.promotion import PromotionPolicy
from porterlib.acquisition.search import CorpusSearch, SearchProvider

__all__ = [
    "AcquisitionLimits",
    "CorpusSearch",
    "PromotionPolicy",
    "SearchProvider",
    "acquire_evidence",
    "answer_questions",
    "check_plan",
    "edit_plan",
    "evidence_snapshot_id",
    "fact_id",
    "frame_request",
    "plan_research",
    "plan_sha256",
    "scope_gaps",
]
