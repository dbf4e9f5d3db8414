"""The `porterlib` command as a process of its own, also as `python -m porterlib`."""

from __future__ import annotations

import gc
import sys

COLLECT_AFTER = 200_000
"""New objects between two searches for reference cycles; Python's own 700 cost a run a twentieth of its time."""


def main() -> int:
    """Run the command line and return its exit code.

    What a short process builds it keeps to its end. So it looks for garbage seldom, and not at all when it leaves:
    frozen objects are given back to the system with the process.
    """
    gc.set_threshold(COLLECT_AFTER, 20, 20)
    from porterlib.cli import main as command_line

    code = command_line()
    gc.freeze()
    return code


if __name__ == "__main__":
    sys.exit(main())
