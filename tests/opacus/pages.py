"""How-to pages run as they are printed."""

import re
from pathlib import Path
from typing import Any

PAGES = Path(__file__).parents[2] / "docs" / "how-to"


def run_page(name: str, names: dict[str, Any]) -> dict[str, Any]:
    """Run the blocks of a page that are no doctests one after another; return the names they have made."""
    page = (PAGES / name).read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL) if ">>>" not in block]
    assert len(blocks) >= 4
    for block in blocks:
        exec(compile(block, name, "exec"), names)
    return names
