"""A notebook in a kernel of its own: every answer is shown as a table, a picture as a picture."""

import base64
import os
from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient", reason="needs nbclient and ipykernel, as the test extra has them")
pytest.importorskip("ipykernel", reason="needs nbclient and ipykernel, as the test extra has them")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # those of the notebook's own machinery

SHOWN = {
    "training.epsilon(delta=1e-6)": "true value in",
    "training.delta(epsilon=[0.5, 1.0])": "true value in",
    "training": "poisson(gaussian(sigma=1), q=0.01)",
    "training.curve([0.5, 1.0])": "δ in (add_remove)",
    "tb.compare(training, delta=1e-6)": "tightbudget",
    "tb.risk(training)": "advantage in",
    "tb.calibrate('gaussian(sigma=?)', epsilon=1, delta=1e-5)": "misses it",
    "tb.filters.ZCDPFilter(epsilon=1, delta=1e-6)": "zcdp filter",
    "tb.filters.ZCDPFilter(epsilon=1, delta=1e-6).quote(tb.Gaussian(sigma=50))": "accepted",
    "tb.odometers.BasicOdometer(delta=1e-6)": "basic odometer",
}


def run(cells: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[dict[str, str]]]:
    """Return what each cell shows, by type."""
    import nbformat

    # its own folders: nothing of the person who runs the test is read or written
    for name in ("HOME", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR"):
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setenv("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return [[output.get("data", {}) for output in cell.outputs] for cell in notebook.cells]


def test_a_picture_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (outputs,) = run(["import tightbudget as tb\ntb.Gaussian(sigma=1).curve().plot()"], tmp_path, monkeypatch)
    assert len(outputs) == 1
    assert base64.b64decode(outputs[0]["image/png"]).startswith(b"\x89PNG")


def test_answers_are_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begin = "import tightbudget as tb\ntraining = tb.Poisson(tb.Gaussian(sigma=1), q=0.01) * 1000"
    _, *shown = run([begin, *SHOWN], tmp_path, monkeypatch)
    for (cell, expected), outputs in zip(SHOWN.items(), shown, strict=True):
        assert len(outputs) == 1, cell
        assert outputs[0]["text/html"].startswith("<table>"), cell
        assert expected in outputs[0]["text/html"], cell
        assert "text/plain" in outputs[0], cell
