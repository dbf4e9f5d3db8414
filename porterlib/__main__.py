"""`python -m porterlib`: the same commands as the `porterlib` script."""

import sys

from porterlib.cli import main

sys.exit(main())
