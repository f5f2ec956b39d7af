"""Tests with the real Opacus, Lightning, Keras and JAX Privacy: `make test-opacus` runs them, other runs do not see them."""

import os
from importlib.util import find_spec

os.environ.setdefault("KERAS_BACKEND", "torch")

if any(find_spec(name) is None for name in ("opacus", "lightning", "keras", "jax_privacy")):
    collect_ignore_glob = ["test_*.py"]
