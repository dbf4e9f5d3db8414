"""What the bank pack's cues read out of real-style and real sentences.

The table holds short sentences written for this test and US Treasury sentences (public domain) that are read
from the shared corpus, where they must stand word for word. The report test counts what the whole corpus yields.
"""

from __future__ import annotations

import json
import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from porterlib.contracts.base import FORCES
from porterlib.sectors import PackCues, load_pack

CUES = PackCues(load_pack("bank"))

WRITTEN = [
    # suppliers
    (
        "suppliers.cloud_concentration",
        "raises",
        "Three cloud providers host most of the workloads of these banks.",
    ),
    (
        "suppliers.cloud_concentration",
        "raises",
        "The cloud services market is concentrated among a handful of firms.",
    ),
    (
        "suppliers.cloud_concentration",
        "lowers",
        "The bank runs a multi-cloud design for its payment workloads.",
    ),
    ("suppliers.model_concentration", "raises", "A small number of model providers serve the whole sector."),
    (
        "suppliers.model_concentration",
        "raises",
        "The tool is tightly coupled to one proprietary model provider.",
    ),
    (
        "suppliers.model_concentration",
        "lowers",
        "Open-weight models matched the proprietary model on this task.",
    ),
    ("suppliers.model_concentration", "lowers", "Model prices fell by half within a year."),
    ("suppliers.switching_cost", "raises", "Switching to another cloud provider is costly and complex."),
    ("suppliers.switching_cost", "raises", "The exit plan was untested at most institutions."),
    (
        "suppliers.switching_cost",
        "lowers",
        "The provider shall not impose switching charges on the customer.",
    ),
    ("suppliers.switching_cost", "lowers", "Exit strategies shall be tested every year."),
    ("suppliers.contract_terms", "raises", "Cloud vendors limit their liability to a year of fees."),
    ("suppliers.contract_terms", "raises", "Banks struggle to negotiate contract terms with the provider."),
    (
        "suppliers.contract_terms",
        "lowers",
        "The contract grants full rights of audit and access over the ICT provider.",
    ),
    ("suppliers.compute_capacity", "raises", "A shortage of GPUs limits capacity in the region."),
    ("suppliers.compute_capacity", "lowers", "The operator expanded compute capacity in two regions."),
    ("suppliers.operational_dependency", "raises", "Failure of a vendor disrupted card payments for a day."),
    (
        "suppliers.operational_dependency",
        "lowers",
        "A tested fallback to a second provider kept the service running.",
    ),
    ("suppliers.talent", "raises", "A shortage of staff with AI skills delays deployments."),
    ("suppliers.talent", "lowers", "The bank trained employees in AI skills for two years."),
    # new entrants
    ("entrants.nonbank_growth", "raises", "Nonbank lenders grew rapidly and gained share from banks."),
    ("entrants.nonbank_growth", "lowers", "Three fintech lenders failed last year."),
    ("entrants.bigtech_platforms", "raises", "Big Tech firms enter payments with their user data."),
    ("entrants.licensing_barrier", "raises", "Some e-money issuers stand outside the regulatory perimeter."),
    ("entrants.licensing_barrier", "lowers", "Nonbank lenders must be licensed in each state to operate."),
    (
        "entrants.technology_cost",
        "raises",
        "Cloud services enable small entrants to compete with large banks.",
    ),
    ("entrants.technology_cost", "lowers", "Small institutions are disadvantaged in access to data for AI."),
    (
        "entrants.partnership_entry",
        "raises",
        "Embedded finance is growing through banking-as-a-service volumes.",
    ),
    ("entrants.partnership_entry", "lowers", "Supervisors enhanced oversight of bank-fintech partnerships."),
    ("entrants.rail_access", "raises", "E-money issuers could get direct access to payment rails."),
    ("entrants.rail_access", "lowers", "Nonbank firms do not have direct access to federal payment rails."),
    (
        "entrants.compliance_entry",
        "raises",
        "The neobank onboards customers within minutes by automated checks.",
    ),
    # buyers
    (
        "buyers.data_portability",
        "raises",
        "Open banking expands access to account data and increases choice.",
    ),
    ("buyers.data_portability", "lowers", "Adoption of open banking remains limited among older customers."),
    ("buyers.switching", "raises", "Customers easily switch to another bank with a mobile service."),
    ("buyers.switching", "lowers", "Customers rarely switch their main bank account."),
    ("buyers.corporate_leverage", "raises", "Large merchants negotiate concessions on acceptance fees."),
    ("buyers.service_expectation", "raises", "Customers expect faster digital onboarding than banks offer."),
    (
        "buyers.service_expectation",
        "lowers",
        "Customers prefer human service in a branch for complex matters.",
    ),
    ("buyers.consumer_rights", "raises", "The opacity of AI models troubles consumer protection agencies."),
    ("buyers.consumer_rights", "lowers", "Effective human oversight reduces bias in AI credit decisions."),
    ("buyers.price_regulation", "raises", "The agency proposed a rule to cap late fees on cards."),
    # substitutes
    ("substitutes.payment_apps", "raises", "Use of payment apps grew from a tenth to half of adults."),
    (
        "substitutes.payment_apps",
        "lowers",
        "The payment app is linked to bank accounts and cards of partner banks.",
    ),
    ("substitutes.stablecoins", "raises", "Stablecoins are more widely used as a means of payment."),
    ("substitutes.stablecoins", "lowers", "Stablecoins are mostly used for trading crypto-assets."),
    ("substitutes.instant_a2a", "raises", "Instant payments increased to a third of transfers."),
    ("substitutes.instant_a2a", "lowers", "Use of FedNow is still limited."),
    ("substitutes.cbdc", "raises", "A central bank digital currency could compete with deposits as money."),
    (
        "substitutes.cbdc",
        "lowers",
        "The digital euro would carry a holding limit and use banks for distribution.",
    ),
    (
        "substitutes.alternative_credit",
        "raises",
        "Crowdfunding is an established alternative form of finance for SMEs.",
    ),
    (
        "substitutes.shared_utilities",
        "raises",
        "Obliged entities may rely on other obliged entities for due diligence.",
    ),
    ("substitutes.shared_utilities", "lowers", "Two KYC utilities closed after members left."),
    ("substitutes.deposit_alternatives", "raises", "Treasurers moved deposits to money market funds."),
    # rivalry
    ("rivalry.ai_adoption", "raises", "Competitors use AI in production for alert review."),
    ("rivalry.ai_adoption", "lowers", "Banks proceed cautiously with generative AI."),
    ("rivalry.scale_advantage", "raises", "Large banks spend significantly more on AI technology."),
    (
        "rivalry.scale_advantage",
        "lowers",
        "Common tools level the playing field between small and large institutions.",
    ),
    ("rivalry.price_competition", "raises", "Intense competition lowered lending margins."),
    ("rivalry.concentration", "lowers", "The banking industry has become more concentrated."),
    ("rivalry.cost_efficiency", "raises", "AI reduced the cost of a case review by a fifth."),
    ("rivalry.cost_efficiency", "lowers", "The expected savings from AI did not materialise at most banks."),
    ("rivalry.financial_crime_burden", "raises", "Alert volumes rose and sanctions screening backlogs grew."),
    ("rivalry.financial_crime_burden", "lowers", "False positives in AML monitoring fell by a third."),
    ("rivalry.adoption_friction", "lowers", "Fragmented supervision raises costs of cloud adoption."),
    ("rivalry.adoption_friction", "raises", "Regulators encourage responsible adoption of AI in banking."),
]

TREASURY = [
    (
        "suppliers.cloud_concentration",
        "raises",
        "The current market is concentrated around a small number of CSPs",
    ),
    (
        "suppliers.contract_terms",
        "raises",
        "The limited number of CSPs may give CSPs outsized bargaining power",
    ),
    ("suppliers.switching_cost", "raises", "migrating their operations to another provider"),
    ("suppliers.talent", "raises", "well below demand"),
    (
        "suppliers.model_concentration",
        "raises",
        "There is likely less visibility into the AI tools developed by vendors",
    ),
    (
        "suppliers.compute_capacity",
        "lowers",
        "While some operational costs have fallen and computing capacity has expanded",
    ),
    (
        "entrants.nonbank_growth",
        "raises",
        "New entrants are taking advantage of this opportunity by diversifying",
    ),
    ("entrants.licensing_barrier", "lowers", "E-money issuers must navigate dozens of state-level licenses"),
    ("entrants.bigtech_platforms", "raises", "AI may also bring new entrants into financial services"),
    ("buyers.data_portability", "raises", "consumer-permissioned data sharing, which can expand access"),
    ("substitutes.payment_apps", "raises", "now rivals adoption of credit cards"),
    (
        "substitutes.stablecoins",
        "mixed",
        "stablecoins could be more widely used in the future as a means of payment",
    ),
    ("substitutes.instant_a2a", "mixed", "though still relatively limited"),
    (
        "substitutes.cbdc",
        "raises",
        "A retail CBDC could contribute to a more competitive and innovative payment system",
    ),
    ("rivalry.ai_adoption", "raises", "there could be costs of falling behind competitors who use AI"),
    ("rivalry.scale_advantage", "raises", "Small institutions with less access to data may be disadvantaged"),
    ("rivalry.concentration", "lowers", "the banking industry has grown more concentrated over time"),
    ("rivalry.cost_efficiency", "raises", "reducing costs and improving efficiencies"),
    ("rivalry.adoption_friction", "lowers", "The patchwork of global regulatory and supervisory approaches"),
]

SILENT = [
    "The museum opens a new tram hall in spring.",
    "The team walked along the river before the rain.",
    "Our cookies remember your language setting.",
    "The committee thanked the speakers and adjourned.",
    "Over the past few years, LLMs have made significant advances in language processing.",
    "The chapter was translated from the original by two editors.",
]


def _direction(sentence: str, driver: str) -> str | None:
    return next((reading.direction for reading in CUES.read(sentence) if reading.driver_id == driver), None)


@pytest.mark.parametrize(("driver", "direction", "sentence"), WRITTEN)
def test_a_written_sentence_is_read_as_a_director_would(driver: str, direction: str, sentence: str) -> None:
    assert _direction(sentence, driver) == direction


@pytest.mark.parametrize("sentence", SILENT)
def test_a_sentence_of_another_subject_points_nowhere(sentence: str) -> None:
    assert [(r.driver_id, r.direction) for r in CUES.read(sentence) if r.direction != "neutral"] == []


@pytest.mark.parametrize(
    ("driver", "sentence"),
    [
        ("suppliers.switching_cost", "There is no lock-in to the cloud provider."),
        ("rivalry.price_competition", "There is no evidence of intense competition in lending."),
        ("substitutes.payment_apps", "The survey found no growth of payment apps."),
    ],
)
def test_a_negated_rise_counts_as_relief(driver: str, sentence: str) -> None:
    assert _direction(sentence, driver) == "lowers"


def _text(path: Path) -> str:
    raw = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix != ".html":
        return raw
    from bs4 import BeautifulSoup

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one official page mixes XML into HTML
        return BeautifulSoup(raw, "lxml").get_text("\n")


def _sentences(text: str) -> Iterator[str]:
    for block in re.split(r"\n\s*\n|\n(?=[-*#|•])", re.sub(r"[ \t\xa0]+", " ", text)):
        yield from re.split(
            r"(?<=[.!?;])[\"”)]?(?:\[\[\w+\]\]\(\S+\))?\s+(?=[“\"(A-Z0-9])", " ".join(block.split())
        )


@pytest.fixture(scope="module")
def corpus(shared_dir: Path) -> list[tuple[str, str]]:
    """Return `(publisher, sentence)` of the shared bank corpus."""
    folder = shared_dir / "corpus" / "bank"
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return [
        (entry["publisher"], sentence)
        for entry in manifest
        for sentence in _sentences(_text(folder / entry["file"]))
        if 5 <= len(sentence.split()) <= 90
    ]


@pytest.mark.parametrize(("driver", "direction", "fragment"), TREASURY)
def test_a_treasury_sentence_is_read_as_a_director_would(
    corpus: list[tuple[str, str]], driver: str, direction: str, fragment: str
) -> None:
    sentence = next(text for publisher, text in corpus if "Treasury" in publisher and fragment in text)
    assert _direction(sentence, driver) == direction


def test_every_force_is_supported_and_contradicted_by_several_publishers(
    corpus: list[tuple[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    drivers: dict[str, Counter[str]] = defaultdict(Counter)
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    publishers: dict[tuple[str, str], set[str]] = defaultdict(set)
    for publisher, sentence in corpus:
        for reading in CUES.read(sentence):
            drivers[reading.driver_id][reading.direction] += 1
            found[reading.force, reading.direction].add(sentence)
            publishers[reading.force, reading.direction].add(publisher)
    with capsys.disabled():
        for name, counts in sorted(drivers.items()):
            print(f"\n  {name:36} " + "  ".join(f"{way} {n}" for way, n in sorted(counts.items())), end="")
    for force in FORCES:
        assert len(found[force, "raises"]) >= 10, force
        assert len(found[force, "lowers"]) >= 3, force
        assert len(publishers[force, "raises"]) >= 3, force
        assert len(publishers[force, "lowers"]) >= 3, force
    pointing = {
        name for name, counts in drivers.items() if counts["raises"] + counts["lowers"] + counts["mixed"]
    }
    assert len(pointing) >= 33, "nearly every driver has at least one sentence of its own"


def test_the_reference_quotes_of_the_corpus_concern_their_force(shared_dir: Path) -> None:
    queries = json.loads((shared_dir / "corpus" / "bank" / "queries.json").read_text(encoding="utf-8"))
    quotes = [(query["force"], item["quote"]) for query in queries for item in query["evidence"]]
    seen = [force in {reading.force for reading in CUES.read(quote)} for force, quote in quotes]
    assert sum(seen) / len(seen) >= 0.85
