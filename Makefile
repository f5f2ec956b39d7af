# One door to everything. Each target sets up what it needs from a clean clone; only Python 3.11+ and make are assumed.
#   make PYTHON=/path/to/python3.12 test    chooses the Python
.DEFAULT_GOAL := help
SHELL := /bin/sh

# The first Python that is new enough, unless PYTHON says otherwise.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

# Wheels of the oldest libraries exist for the oldest Python; with a newer one pip would build them.
LOWEST_PYTHON ?= $(shell python3.11 -c '' 2>/dev/null && echo python3.11 || echo "$(PYTHON)")

VENV := .venv
READY := $(VENV)/.ready
BIN := $(VENV)/bin
LOWEST_VENV := .venv-lowest
LOWEST_READY := $(LOWEST_VENV)/.ready
BENCH_VENV := .venv-bench
BENCH_READY := $(BENCH_VENV)/.ready
OPACUS_VENV := .venv-opacus
OPACUS_READY := $(OPACUS_VENV)/.ready
# What depends on the versions of libraries: the assumptions on them, and the arithmetic that rests on these.
LOWEST_TESTS := tests/unit/numerics tests/unit/pairs tests/unit/engine \
	tests/unit/divergences/test_conversions.py tests/unit/interfaces/cli/test_bad_input.py tests/unit/interfaces/test_plot.py
# The fast lane: tests of every room, the truths, and what was once wrong; what takes long or stands beside a peer is
# marked slow, and of tests with many cases some are run, always the same.
FAST_TESTS := tests/unit tests/reference tests/regression
FAST_CASES ?= 3
# A file is run by one worker, so that what its tests share is made once; a plugin of tests/e2e takes a second to import.
FAST_LANE := --dist loadfile -p no:schemathesis
# Adapters that import what only `make test-opacus` installs.
OPACUS_MODULES := $(addprefix src/tightbudget/adapters/,opacus.py lightning.py keras.py jax_privacy.py)
# What only Alembic can import.
MIGRATIONS := src/tightbudget/ledger/migrations/env.py
# Processes for the tests; PYTEST_WORKERS=0 runs them in one.
PYTEST_WORKERS ?= auto

export PIP_DISABLE_PIP_VERSION_CHECK := 1

# The test workers are the parallelism; threads inside each would only compete with them.
test test-fast test-faults test-lowest test-opacus check mutants random-runs: export OMP_NUM_THREADS := 1
test test-fast test-faults test-lowest test-opacus check mutants random-runs: export OPENBLAS_NUM_THREADS := 1
# pytest keeps the tests it has compiled; without that, every worker compiles all of them anew (ten seconds each).
# Not for mutants: a file that is changed twice in a second would be taken for the one that was kept.
test test-fast test-faults check: export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo serve test test-fast test-faults test-lowest test-opacus opacus-environment environments check bench bench-ledger bench-service random-runs format map mutants clean python-is-new-enough

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

demo: $(READY)  ## print certified brackets for three compositions and draw build/demo.png
	@$(BIN)/python examples/demo.py

serve: $(READY)  ## start the service and its pages on this machine; its address and the owner's token are printed
	@$(BIN)/tightbudget serve --log-format text

test: $(READY)  ## run all tests
	$(BIN)/python -m pytest -q -n $(PYTEST_WORKERS)

test-fast: $(READY)  ## run a few cases of every test that is not slow, in every room: a minute on two cores
	$(BIN)/python -m pytest -q -n $(PYTEST_WORKERS) $(FAST_LANE) -m "not slow" --cases $(FAST_CASES) $(FAST_TESTS)

test-faults: $(READY)  ## the long fault runs of the ledger: 16 processes, 200 kills of clients and servers on each database (half an hour)
	TIGHTBUDGET_FAULTS=long $(BIN)/python -m pytest -q --durations=0 tests/faults
	TIGHTBUDGET_RANDOM_REQUESTS=100000 $(BIN)/python -m pytest -q tests/e2e/test_service_schema.py -k random

test-lowest: $(LOWEST_READY)  ## measure what is assumed of the libraries, and test the core, in the oldest versions accepted
	$(LOWEST_VENV)/bin/python -m pytest -q -n $(PYTEST_WORKERS) -p no:cacheprovider $(LOWEST_TESTS)

test-opacus: $(OPACUS_READY)  ## test the adapters to Opacus, Lightning, Keras and JAX Privacy with the real ones (over 1 GB to install)
	$(OPACUS_VENV)/bin/python -m pytest -q -p no:cacheprovider tests/opacus

check: $(READY) $(LOWEST_READY)  ## what CI runs: format, lint, types, import layers, all tests, doctests, the oldest libraries
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q -n $(PYTEST_WORKERS)
	$(BIN)/python -m pytest -q -n $(PYTEST_WORKERS) --dist loadfile --doctest-modules --doctest-glob='*.md' $(OPACUS_MODULES:%=--ignore=%) --ignore=$(MIGRATIONS) src README.md docs
	$(LOWEST_VENV)/bin/python -m pytest -q -n $(PYTEST_WORKERS) -p no:cacheprovider $(LOWEST_TESTS)

bench: $(BENCH_READY)  ## measure time, memory and width beside the peers
	$(BENCH_VENV)/bin/python bench/run.py

bench-ledger: $(READY)  ## measure the ledger on both databases beside bare transactions; writes its results beside RESULTS.md (some ten minutes)
	$(BIN)/python bench/ledger.py

bench-service: $(READY)  ## measure the service: questions, 32 clients on PostgreSQL, a killed worker and database, pages (four minutes)
	$(BIN)/python bench/service.py

random-runs: $(READY)  ## draw 600 DP-SGD runs anew and list those that are slow or not converged
	$(BIN)/python bench/random_runs.py

format: $(READY)  ## rewrite the code in house format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

map: $(READY)  ## write docs/map.md from the docstrings
	@$(BIN)/python docs/make_map.py

mutants: $(READY)  ## break the rounding on purpose and see which tests notice
	$(BIN)/python tests/mutants.py

clean:  ## remove environments, caches and built files
	rm -rf $(VENV) $(LOWEST_VENV) $(BENCH_VENV) $(OPACUS_VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests examples -name __pycache__ -type d -prune -exec rm -rf {} +

python-is-new-enough:
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer was found. Install one, or say make PYTHON=/path/to/python3.11." >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is not a working Python 3.11 or newer. Say make PYTHON=/path/to/python3.11." >&2; exit 1; }

# The stamp is written last, so an interrupted installation is done again.
$(READY): pyproject.toml constraints.txt | python-is-new-enough
	"$(PYTHON)" -m venv $(VENV)
	$(BIN)/python -m pip install -q -c constraints.txt -e '.[all,dev]'
	@touch $@

$(LOWEST_READY): pyproject.toml constraints-lowest.txt | python-is-new-enough
	"$(LOWEST_PYTHON)" -m venv $(LOWEST_VENV)
	$(LOWEST_VENV)/bin/python -m pip install -q -c constraints-lowest.txt -e '.[all,test]'
	@touch $@

$(BENCH_READY): pyproject.toml constraints.txt bench/requirements.txt | python-is-new-enough
	"$(PYTHON)" -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip install -q -r bench/requirements.txt -e .
	@touch $@

environments: $(READY) $(LOWEST_READY)  # what `make check` needs, for CI to install side by side

opacus-environment: $(OPACUS_READY)  # what takes long of `make test-opacus`, for CI to give up on

$(OPACUS_READY): pyproject.toml tests/opacus/requirements.txt | python-is-new-enough
	"$(PYTHON)" -m venv $(OPACUS_VENV)
	$(OPACUS_VENV)/bin/python -m pip install -q -r tests/opacus/requirements.txt -e .
	@touch $@
