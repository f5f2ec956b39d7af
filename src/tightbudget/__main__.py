"""`python -m tightbudget` is the command `tightbudget`."""

import sys

from tightbudget.interfaces.cli import main

if __name__ == "__main__":
    sys.exit(main())
