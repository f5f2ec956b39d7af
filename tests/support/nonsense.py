"""Requests that make some sense or none: made from the document of the service, then broken at random."""

import json
import random
from typing import Any, NamedTuple

EXPRESSIONS = [
    "gaussian(sigma=2)", "gaussian(sigma=?)", "laplace(1) * ?", "poisson(gaussian(1), q=0.1) * 9", "nothing", "", "gaussian(",
    "pure_dp(0.1) + gaussian(3)", "randomized_response(0.6)", "histograms([1, 2], [2, 1])", 'histograms("/etc/passwd")',
    "gaussian(sigma=1e-300)", "gaussian(sigma=1e308) * 9007199254740993", "__import__('os').system('true')", "[].append(1)",
    "lambda: 1", "gaussian(sigma=2)" * 50, "\u0000", "💥", "ｈistograms('/etc/passwd')", "gaussian(sigma=1/0)", "2**2**2**99",
    "zcdp(rho=0.1)", "rdp(alpha=2, epsilon=1)", "skellam(mu=9)", "discrete_gaussian(sigma=3)", "exponential(epsilon=0.3)",
]  # fmt: skip
NUMBERS = [
    0, 1, -1, 0.5, 1e-6, 1e-300, 5e-324, 1.7e308, -0.0, 2**53 + 1, 10**30, 10**400, "inf", "-inf", "nan", "", None,
    True, [], {}, "1", 0.1 + 0.2, 3, 100, 1e6,
]  # fmt: skip
WORDS = ["add_remove", "replace_one", "zero_out", "remove", "add", "person", "owner", "auditor", "x" * 300, " ", "\n", "é"]
TYPES = ["application/json", "text/plain", "", "application/json; charset=latin-1", "multipart/form-data", "a/b;" * 99, "json"]
RAW = [b"", b"{", b"null", b"[]", b"NaN", b"\xff\xfe", b'{"a":1e999}', b"[" * 5000, b'"\\ud800"', b"0" * 5000, b"x" * 300_000]
AUTHORIZATIONS = ["Bearer", "Bearer x", "Basic eA==", "Bearer " + "x" * 5000, "é", "tb_0_0"]
PATHS = [
    "/",
    "/v1",
    "/v1/nothing",
    "/v1/tokens/x",
    "/v1/tokens/" + "x" * 99,
    "/%2e%2e/etc/passwd",
    "/health/",
    "/v1/epsilon?x=%00",
]


class Nonsense(NamedTuple):
    method: str
    path: str
    body: bytes | None
    headers: dict[str, Any]


def nonsense(rng: random.Random, document: dict[str, Any], token: str) -> Nonsense:
    """Return a request; most have a route of the document and some of the fields it asks for."""
    routes = [(path, method) for path, methods in document["paths"].items() for method in methods]
    path, method = rng.choice(routes)
    body = json.dumps(_body(rng, _fields(document, path, method))).encode()
    headers: dict[str, Any] = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    if path == "/login":
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        body = rng.choice([b"token=x", b"", b"token=" + token.encode(), b"=&=&=", b"then=//x&token=%00"])
    if rng.random() < 0.05:
        path = rng.choice(PATHS)
    if rng.random() < 0.05:
        method = rng.choice(["get", "put", "delete", "options", "head", "patch", "trace"])
    if rng.random() < 0.1:
        body = rng.choice([*RAW, rng.randbytes(50), body[: rng.randrange(len(body) + 1)]])
    if rng.random() < 0.1:
        headers["Content-Type"] = rng.choice(TYPES)
    if rng.random() < 0.2:
        headers["Authorization"] = rng.choice(AUTHORIZATIONS).encode()
    if rng.random() < 0.2:
        del headers["Authorization"]
    if rng.random() < 0.1:
        name = rng.choice(["Cookie", "Origin", "X-CSRF-Token", "If-None-Match", "Idempotency-Key", "Accept", "X-Forwarded-For"])
        headers[name] = rng.choice(["", "x", "tightbudget=x", '"x"', "*", "null", "é" * 50]).encode()
    return Nonsense(
        method.upper(),
        path.replace("{token_id}", "0" * 16).replace("{name}", rng.choice(["census", "census", "none", "a%00", "%C3%A9"])),
        body,
        headers,
    )


def _fields(document: dict[str, Any], path: str, method: str) -> list[str]:
    content = document["paths"][path][method].get("requestBody", {}).get("content", {})
    reference = content.get("application/json", {}).get("schema", {}).get("$ref", "")
    return list(document["components"]["schemas"].get(reference.rpartition("/")[2], {}).get("properties", {}))


def _body(rng: random.Random, fields: list[str]) -> Any:
    if rng.random() < 0.03:
        return rng.choice([*NUMBERS, *WORDS])
    chosen = {
        name: _value(rng, name)
        for name in fields
        if rng.random() < (0.9 if name in ("expression", "delta", "increment", "key", "name", "epsilon") else 0.25)
    }
    return {**chosen, **({rng.choice(WORDS): 1} if rng.random() < 0.03 else {})}


def _value(rng: random.Random, name: str) -> Any:
    if rng.random() < 0.05:
        return rng.choice([*NUMBERS, *WORDS, *EXPRESSIONS])
    if name in ("key", "actor", "purpose", "reason", "description"):
        return rng.choice(["a", "b", "c", *WORDS])
    if name in ("metadata", "settings"):
        return rng.choice([{}, {"orders": [2, 3]}, {"name": 1}, {"a": [1e308, None]}, {"": {}}, [], None])
    if name == "filter":
        return rng.choice(["zcdp", "basic", "rdp", "residual", "slots", "none"])
    if name == "odometers":
        return rng.choice([[], ["mixture"], ["none"], [1]])
    if name in ("expression", "increment"):
        return rng.choice(EXPRESSIONS)
    if name in ("relation", "direction", "unit", "name", "role"):
        return rng.choice(WORDS)
    if name in ("epsilons", "fprs"):
        return [rng.choice(NUMBERS) for _ in range(rng.randrange(4))]
    if name == "phases":
        return [{"epochs": rng.choice(NUMBERS), "batch": rng.choice(NUMBERS)} for _ in range(rng.randrange(3))]
    return rng.choice([True, False]) if name == "mix_relations" else rng.choice(NUMBERS)
