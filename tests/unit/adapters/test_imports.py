"""Adapters are there for whoever asks for one; nobody else pays for them."""

import subprocess
import sys


def test_the_package_itself_loads_no_adapter_and_no_tool() -> None:
    code = "import sys, tightbudget as tb; tb.Gaussian(sigma=1).epsilon(1e-6); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "tightbudget" in loaded
    assert not {"tightbudget.adapters", "dp_accounting", "prv_accountant", "opacus", "torch"} & set(loaded)
