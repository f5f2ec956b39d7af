"""Public names of the games of adaptive composition; the code is in `research/games`."""

import sys

from tightbudget.research.games import *  # noqa: F403
from tightbudget.research.games import __all__ as __all__
from tightbudget.research.games import naive, walk

sys.modules.update({f"{__name__}.naive": naive, f"{__name__}.walk": walk})

if __name__ == "__main__":
    from tightbudget.research.games.__main__ import main

    main()
