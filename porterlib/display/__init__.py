"""Pictures of results: a contract enters, text, escaped HTML or a chart leaves.

`show(result, "heatmap")` returns a `View`, which displays itself, and hands out `.to_pandas()`, `.to_html()`,
`.to_png()`, `.spec` and `.chart()`. Contracts call it for you: `outcome.show("heatmap")`, and the default view
whenever a result is the last line of a cell or is printed. Nothing here reads a ledger or the network, and nothing
raises while a result is being shown. Refused are views and options that do not exist, by a message that lists those
that do. Every text of a source is inert: it is escaped once, in `html.py`, and enters charts as data alone.
"""

from porterlib.display.hook import chart, frame, html, mimebundle, plain, show, views_of
from porterlib.display.lists import model_cost, run_library
from porterlib.display.progress import Progress, progress
from porterlib.display.text import withhold
from porterlib.display.view import View

__all__ = [
    "Progress",
    "View",
    "chart",
    "frame",
    "html",
    "mimebundle",
    "model_cost",
    "plain",
    "progress",
    "run_library",
    "show",
    "views_of",
    "withhold",
]
