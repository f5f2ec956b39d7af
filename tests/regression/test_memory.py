"""The hardest inputs stay below 300 MB, measured by the system in a process of their own."""

import subprocess
import sys
import textwrap

import pytest

LIMIT = 300 * 1024  # in the kilobytes of ru_maxrss

HARDEST = {
    "large losses": "(tb.Poisson(tb.Gaussian(0.3), 0.5) * 5000).epsilon(1e-6)",
    "a million steps": "(tb.Poisson(tb.Gaussian(0.6), 0.001) * 10**6).epsilon(1e-8)",
    "narrow": "(tb.Poisson(tb.Gaussian(4.0), 0.01) * 65536).epsilon(1e-6, rtol=1e-6)",
    "100 different": "(tb.compose([tb.Poisson(tb.Gaussian(1 + k / 100), 0.01) for k in range(100)]) * 100).epsilon(1e-6)",
    "off any lattice": "(tb.Histograms((5, 3, 2), (1, 7, 2)) * 1000 + tb.Laplace(0.3) * 10).delta(100.0)",
    "deep": "(tb.Laplace(200.0) * 10**5).delta(50.0)",
    "100 lattices": "tb.compose([tb.PureDP(0.5 + k / 1000) for k in range(100)]).epsilon(1e-6, rtol=1e-8)",
    "far apart": "(tb.Poisson(tb.Gaussian(0.055), 1e-5) * 50897 + tb.Laplace(1952.6) * 3).epsilon(4e-4, rtol=1e-6)",
    "farther apart": (
        "(tb.Laplace(1.7e7) * 651 + tb.Poisson(tb.Laplace(5.76), 1.5e-7) * 10620 + tb.PureDP(3.4e-8) * 60530732"
        " + tb.Poisson(tb.Gaussian(14.1), 0.00984)).epsilon(2.5e-26)"
    ),
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux only")
@pytest.mark.parametrize("name", HARDEST)
def test_peak_memory(name: str):
    script = f"""
        import resource
        import tightbudget as tb
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        found = {HARDEST[name]}
        assert 0.0 < found.lower <= found.upper, found
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) < LIMIT
