"""What the later steps of an attempt share: frozen inputs, the claim book, and a register of assumptions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from porterlib.analysis.claims import ClaimBook
from porterlib.analyst import Analyst
from porterlib.contracts.analysis import AnalysisInput
from porterlib.contracts.assessment import ForceAssessment, RuleFiring
from porterlib.contracts.economics import Calculation, Economics, ScenarioEconomics
from porterlib.contracts.options import Lens, OptionAssessment, Recommendation
from porterlib.contracts.request import ACTION_KINDS, Assumption, DecisionContract, Option, OptionKind
from porterlib.contracts.sector import OptionTemplate, SectorPack
from porterlib.hashing import short_id

_SCENARIO_OPTION = {"maintain": "no_action", "wait": "wait", "targeted": "targeted", "scaled": "scaled"}
_MAIN_SCENARIO = {"no_action": "no_action", "wait": "delayed", "targeted": "targeted", "scaled": "scaled"}


@dataclass
class Workings:
    """State of one attempt between its steps."""

    inputs: AnalysisInput
    pack: SectorPack
    analyst: Analyst
    book: ClaimBook
    forces: tuple[ForceAssessment, ...] = ()
    options: tuple[OptionAssessment, ...] = ()
    recommendation: Recommendation | None = None
    contrary: tuple[str, ...] = ()
    rules: list[RuleFiring] = field(default_factory=list)
    assumptions: dict[str, Assumption] = field(default_factory=dict)

    @property
    def contract(self) -> DecisionContract:
        """Return the decision."""
        return self.inputs.contract

    @property
    def economics(self) -> Economics | None:
        """Return the calculations, if inputs were given."""
        return self.inputs.economics

    def assume(self, text: str, *, owner: str = "", material: bool = False) -> str:
        """Register an assumption and return its id."""
        assumption_id = short_id("A", "assumption", text)
        held = self.assumptions.get(assumption_id)
        if held is None or (material and not held.material):
            self.assumptions[assumption_id] = Assumption(
                id=assumption_id, text=text, owner=owner or self.contract.decision_owner, material=material
            )
        return assumption_id

    def template(self, kind: OptionKind) -> OptionTemplate:
        """Return the pack's template of a course; the nearest standard one where the pack has none."""
        by_kind = {template.kind: template for template in self.pack.options}
        return by_kind.get(kind) or by_kind["targeted" if kind in ACTION_KINDS else "maintain"]

    def scenario(self, option: Option) -> ScenarioEconomics | None:
        """Return the scenario that values an option, if its net present value is known."""
        if self.economics is None:
            return None
        wanted = _SCENARIO_OPTION.get(option.kind, "other")
        found = [s for s in self.economics.for_option(wanted) if s.npv is not None]  # type: ignore[arg-type]
        main = [s for s in found if s.kind == _MAIN_SCENARIO.get(wanted)]
        return (main or found or [None])[0]  # type: ignore[list-item]

    def figure(self, name: str, scenario: str | None) -> Calculation | None:
        """Return a citable figure, or None when the calculator has none of that name."""
        if self.economics is None:
            return None
        return next(
            (c for c in self.economics.calculations if c.name == name and c.scenario == scenario), None
        )

    def option_of(self, kinds: Iterable[OptionKind]) -> Option | None:
        """Return the first option of the contract whose kind is among `kinds`."""
        wanted = tuple(kinds)
        return next((option for option in self.contract.options if option.kind in wanted), None)

    def rating(self, option_id: str, lens: Lens) -> int | None:
        """Return an option's rating under a lens."""
        return next(o for o in self.options if o.option_id == option_id).lens(lens).rating

    @property
    def actions(self) -> tuple[Option, ...]:
        """Return the options that change the current course."""
        return tuple(option for option in self.contract.options if option.kind in ACTION_KINDS)
