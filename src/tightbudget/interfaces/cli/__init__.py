"""The command `tightbudget`: exit codes 0 done, 1 broken, 2 bad input, 3 wider than asked, 4 refused, 5 unavailable.

Belongs here: one file for each command (options in, one call, text out), one `_output` file for what it prints, and
tables, options, terminal and files that commands share.
Elsewhere: pictures and JSON shapes (`interfaces`); the notation for compositions (`notation`).
"""

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; Ctrl-C while it is being loaded is no error either."""
    try:
        from tightbudget.interfaces.cli import app
    except KeyboardInterrupt:
        print("Error: Interrupted; nothing was written.", file=sys.stderr)
        return 130
    return app.main(arguments)
