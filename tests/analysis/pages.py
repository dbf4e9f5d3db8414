"""Synthetic pages that tests put beside real documents: contrary ones, decoys, irrelevant ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

LABEL = "This page is synthetic test material; nothing in it describes a real organisation."


def page(folder: Path, pages: Mapping[str, tuple[str, str, str]]) -> Path:
    """Write a corpus of synthetic pages, each given as title, text and source class; return its folder."""
    (folder / "docs").mkdir(parents=True, exist_ok=True)
    rows = []
    for name, (title, text, source_class) in pages.items():
        (folder / "docs" / f"{name}.md").write_text(f"# {title}\n\n{text}\n\n{LABEL}\n", encoding="utf-8")
        rows.append(
            {
                "file": f"docs/{name}.md",
                "url": f"https://{name}.synthetic-pages.example/{name}",
                "title": title,
                "publisher": f"Synthetic {name.replace('_', ' ').title()}",
                "source_class": source_class,
                "published": "2026-02-10",
            }
        )
    (folder / "manifest.json").write_text(json.dumps(rows), encoding="utf-8")
    return folder


IRRELEVANT = (
    "Bees visit more flowers on warm days. The yield of honey rose by 12 per cent in 2025. Keepers moved their "
    "hives to the hills because the summer was dry, and the cost of sugar fell by a third in the same year.",
    "The ferry to the islands was cancelled twice in March. Passengers waited longer than planned, and the "
    "operator switched to a larger vessel. Tickets cost 14 euros and are sold at the harbour office.",
)

DECOYS = {
    "decoy_glossary": (
        "Terms used in customer due diligence with generative AI",
        "The glossary defines generative AI, large language model, KYC investigation and customer due diligence. "
        "It lists forty terms that compliance officers of banks use, with their sources and translations.",
        "regulator",
    ),
    "decoy_conference": (
        "Programme of a conference on generative AI in KYC investigations",
        "Speakers from twenty banks discuss generative AI for KYC investigations in Lisbon. The programme has "
        "sessions on data, staff and tools, and a workshop on prompts for customer due diligence.",
        "industry_research",
    ),
    "decoy_survey": (
        "Interest in generative AI for KYC investigations",
        "Nine of ten banks follow the development of generative AI for KYC investigations. Most respondents "
        "named document reading as the use they would look at first in customer due diligence.",
        "academic",
    ),
    "decoy_guide": (
        "How analysts work with generative AI in KYC investigations",
        "The handbook describes how an analyst opens a KYC file, reads the documents and asks the generative AI "
        "tool for a summary. It explains the roles of reviewer and owner at a bank.",
        "vendor",
    ),
    "decoy_favourable": (
        "Generative AI and the time of KYC investigations",
        "Generative AI reduced the time of KYC investigations by 21 per cent at four banks in 2025. Reviewers "
        "accepted the drafts of the tool in most cases of customer due diligence.",
        "academic",
    ),
    "decoy_other_failure": (
        "A payroll system that was cancelled",
        "A bank cancelled its payroll system in 2025 and wrote off 40 million. The payroll programme overran its "
        "budget by 60 per cent, and staff were paid late in two months.",
        "regulator",
    ),
}
"""Pages on the topic that report no bad outcome of it, and one that reports a bad outcome of something else."""

CONTRARY = {
    "did_not_reduce": (
        "Generative AI in KYC investigations: what was measured",
        "Generative AI did not reduce the time of KYC investigations at any of the 14 banks examined. "
        "Managers had expected a fall by a third within the first year.",
        "academic",
    ),
    "costs_rose": (
        "Cost of customer due diligence after generative AI",
        "Costs of KYC investigations rose by 22 per cent in the two years after banks introduced generative AI. "
        "Licences and reviews made up most of the difference.",
        "official_statistics",
    ),
    "was_withdrawn": (
        "Return to manual review of KYC files",
        "A large bank used generative AI for KYC investigations from 2024. The tool was withdrawn after nine "
        "months, because reviewers rejected most of its drafts.",
        "regulator",
    ),
    "more_errors": (
        "Quality of KYC files drafted by language models",
        "Errors in KYC files doubled at seven banks once generative AI wrote the first draft. Files were "
        "sampled before and after the change.",
        "regulator",
    ),
    "not_recovered": (
        "Return on generative AI in customer due diligence",
        "No bank in the sample recovered its investment in generative AI for KYC investigations within three "
        "years. The sample covers sixteen institutions.",
        "academic",
    ),
    "slower": (
        "Duration of onboarding with generative AI",
        "KYC investigations took 19 per cent longer with generative AI than without it. The study followed "
        "2,400 commercial customers at six banks.",
        "academic",
    ),
    "no_effect": (
        "A controlled trial of generative AI in KYC investigations",
        "The trial found no significant effect of generative AI on the cost of KYC investigations. Both groups "
        "of analysts closed the same number of files.",
        "academic",
    ),
    "fell_short": (
        "Savings from generative AI in KYC: plan and outcome",
        "Savings from generative AI in KYC investigations fell short of plan at 13 of 17 banks. Half of the "
        "programmes were closed.",
        "official_statistics",
    ),
    "fined": (
        "Sanction for customer files drafted by a language model",
        "A bank was fined after KYC narratives drafted by generative AI proved unreliable. It stopped using the "
        "tool in customer due diligence.",
        "regulator",
    ),
    "plain_words": (
        "Two years of generative AI in KYC investigations",
        "Banks bought generative AI for KYC investigations to save time. It was a disappointment: the work took "
        "longer, and staff went back to manual review.",
        "industry_research",
    ),
    "no_evidence": (
        "A panel study of KYC cost",
        "There is no evidence that generative AI lowered KYC cost at any bank in the panel. The panel covers "
        "five years.",
        "academic",
    ),
    "deficiencies": (
        "Supervisory findings on KYC",
        "Supervisors found serious deficiencies in the KYC files of all nine banks that relied on generative AI.",
        "regulator",
    ),
}
"""One page each that reports a bad outcome of the very course, in different words and classes."""
