"""Adapters are there for whoever asks for one; nobody else pays for them."""

import importlib
import subprocess
import sys

import pytest

import tightbudget as tb


@pytest.mark.slow
def test_the_package_itself_loads_no_adapter_and_no_tool() -> None:
    code = "import sys, tightbudget as tb; tb.Gaussian(sigma=1).epsilon(1e-6); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "tightbudget" in loaded
    assert not {"tightbudget.adapters", "dp_accounting", "prv_accountant", "opacus", "torch"} & set(loaded)


@pytest.mark.parametrize("tool", ["opacus", "lightning", "keras"])
def test_an_adapter_without_its_tool_says_what_to_install(tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (tool, f"pytorch_{tool}"):
        monkeypatch.setitem(sys.modules, name, None)  # as if it were not installed
    monkeypatch.delitem(sys.modules, f"tightbudget.adapters.{tool}", raising=False)
    with pytest.raises(tb.MissingExtra, match=rf"pip install {tool} .*'\.\[{tool}\]'"):
        importlib.import_module(f"tightbudget.adapters.{tool}")
