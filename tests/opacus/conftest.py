"""Tests with the real Opacus, Lightning, Keras and JAX Privacy, which only `make test-opacus` runs."""

import os
from importlib.util import find_spec

os.environ.setdefault("KERAS_BACKEND", "torch")

if any(find_spec(name) is None for name in ("opacus", "lightning", "keras", "jax_privacy")):
    collect_ignore_glob = ["test_*.py"]
