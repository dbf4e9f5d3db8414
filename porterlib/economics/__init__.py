"""The economics room: a finance owner's ranges enter, figures with formula, basis and owner leave.

Refused are impossible inputs; missing ones become requests. Headline figures are exact decimals and agree to
the last digit on every machine. Simulation is apart and never part of a fingerprint.
"""

from porterlib.contracts.economics import Economics
from porterlib.contracts.economics_estimates import Estimate
from porterlib.contracts.economics_inputs import EconomicsInputs
from porterlib.economics.corners import search_corners
from porterlib.economics.delay import cost_of_delay, delay_order
from porterlib.economics.discounting import (
    declining_factor,
    deflate,
    equivalent_annual_value,
    inflate,
    nper,
    npv,
    profitability_index,
    real_rate,
    terminal_value,
    xnpv,
)
from porterlib.economics.loading import example_inputs, load_inputs
from porterlib.economics.money import format_money
from porterlib.economics.options import RealOption, perpetuity, real_option
from porterlib.economics.recovery import Payback, discounted_payback, payback
from porterlib.economics.report import CALCULATOR_VERSION, calculate, calculate_report
from porterlib.economics.roots import irr, irr_roots, mirr, xirr, xirr_roots
from porterlib.economics.signing import inputs_sha256, moved_inputs, sign
from porterlib.economics.simulation import simulate
from porterlib.economics.since import two_way_table, what_moved
from porterlib.economics.tables import from_csv, from_frame, to_csv, to_frame

__all__ = [
    "CALCULATOR_VERSION",
    "Economics",
    "EconomicsInputs",
    "Estimate",
    "Payback",
    "RealOption",
    "calculate",
    "calculate_report",
    "cost_of_delay",
    "declining_factor",
    "deflate",
    "delay_order",
    "discounted_payback",
    "equivalent_annual_value",
    "example_inputs",
    "format_money",
    "from_csv",
    "from_frame",
    "inflate",
    "inputs_sha256",
    "irr",
    "irr_roots",
    "load_inputs",
    "mirr",
    "moved_inputs",
    "nper",
    "npv",
    "payback",
    "perpetuity",
    "profitability_index",
    "real_option",
    "real_rate",
    "search_corners",
    "sign",
    "simulate",
    "terminal_value",
    "to_csv",
    "to_frame",
    "two_way_table",
    "what_moved",
    "xirr",
    "xirr_roots",
    "xnpv",
]
