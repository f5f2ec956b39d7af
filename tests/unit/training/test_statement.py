"""The statement of a run: every field, every assumption, nothing wider than it may be, no number that does not hold."""

import re

import pytest

import tightbudget as tb
from tightbudget.training.layout import statement_as_text

RUN = tb.dpsgd(examples=60000, batch=256, epochs=20, noise_multiplier=1.1, delta=1e-5)
TEXT = " ".join(RUN.statement.split())


def test_every_field_is_there() -> None:
    headings = re.findall(r"^(?=[A-Z])(.+)$", RUN.statement, flags=re.MULTILINE)
    assert headings == [
        "Privacy statement of a DP-SGD training run", "Guarantee", "Data", "Unit of privacy", "Neighbouring relation",
        "What is released and protected", "Trust model", "Release cadence", "Mechanism", "Sampling", "Accounting",
        "Assumptions",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "said",
    [
        "at δ = 1e-05", "60000 training examples", "One training example", "add_remove", "every checkpoint and the final model",
        "4688 steps at q = 256/60000 (0.004266666666666667), noise multiplier 1.1 (20 epochs: 20 × 60000 / 256, rounded up)",
        "The value of C does not matter", "Poisson sampling is assumed", "does not hold for them", "20 passes",
        "Batches of a fixed size drawn at random in every step are not covered", f"tightbudget {tb.__version__}",
        "poisson(gaussian(sigma=1.1), q=0.004266666666666667) * 4688", "clipped on its own", "floating point",
        "cryptographically secure", "hyperparameters", "privacy filter", "not by a smaller one for the steps taken",
        "never by the size of the batch", "Microbatches", "several examples of one person are not covered",
    ],
)  # fmt: skip
def test_it_says(said: str) -> None:
    assert said in TEXT


def test_both_ends_are_stated_and_hold_as_printed() -> None:
    most = re.search(r"ε at most (\S+) at δ", TEXT)
    lower, upper = re.search(r"lies in \[(\S+), (\S+)\]", TEXT).groups()
    assert float(most[1]) >= RUN.epsilon.upper
    assert float(upper) >= RUN.epsilon.upper
    assert float(lower) <= RUN.epsilon.lower


def test_bounds_for_other_batches_hold_as_printed() -> None:
    zero_out, replace_one = map(float, re.findall(r"at most (\S+) if", TEXT))
    assert zero_out >= (tb.Gaussian(1.1) * 20).epsilon(1e-5, rtol=1e-9).lower
    assert replace_one >= (tb.Gaussian(1.1, sensitivity=2.0) * 20).epsilon(1e-5, rtol=1e-9).lower
    assert zero_out < 24.93
    assert replace_one < 66.94


@pytest.mark.parametrize("width", [40, 60, 80])
def test_no_line_is_too_wide_and_no_word_is_lost(width: int) -> None:
    text = statement_as_text(RUN.sections, width)
    assert max(map(len, text.splitlines())) <= width
    assert text.split() == RUN.statement.split()
    assert not [line for line in text.splitlines() if line != line.rstrip()]


def test_machines_read_the_same_words() -> None:
    fields = RUN.as_dict()["statement"]
    words = " ".join(text for texts in fields.values() for text in texts).split()
    assert sorted(words) == sorted(
        word for section in RUN.sections for text in section.paragraphs for word in text.split() if word != "-"
    )
    assert len(fields["assumptions"]) == 7
    assert set(fields) >= {"unit_of_privacy", "neighbouring_relation", "release", "sampling", "accounting", "trust_model"}


def test_markdown_has_the_same_words() -> None:
    plain = RUN.markdown.replace("\\", "").replace("#", "")
    assert plain.split() == RUN.statement.split()
    assert RUN.markdown.startswith("# Privacy statement of a DP-SGD training run\n\n## Guarantee\n\n")
    assert max(map(len, RUN.markdown.splitlines())) <= 80
    assert "\n\n\n" not in RUN.markdown
    assert not re.search(r"(?<!\\)[*_]", RUN.markdown)


@pytest.mark.parametrize(("examples", "delta", "warned"), [(100_000, 1e-5, False), (100_001, 1e-5, True), (100, 0.5, True)])
def test_a_large_delta_is_warned_about(examples: int, delta: float, warned: bool) -> None:
    run = tb.dpsgd(examples=examples, batch=10, steps=10, noise_multiplier=2, delta=delta)
    assert (f"Warning: δ is larger than 1/{examples}" in " ".join(run.statement.split())) is warned


def test_a_number_of_examples_that_is_not_known_is_said() -> None:
    run = tb.dpsgd(sample_rate=0.01, steps=10, noise_multiplier=2, delta=1e-5)
    assert "The number of training examples was not stated." in run.statement
    assert "10 steps at q = 0.01, noise multiplier 2." in run.statement


def test_a_wide_bracket_is_said_to_be_wide() -> None:
    run = tb.dpsgd(sample_rate=1, steps=10, noise_multiplier=2, delta=1e-5, rtol=1e-15)
    assert not run.epsilon.converged
    assert "wider than asked" in " ".join(run.statement.split())


def test_many_phases_are_summed_up() -> None:
    phases = [{"steps": 1, "noise_multiplier": 5 + k / 100} for k in range(40)]
    run = tb.dpsgd(sample_rate=0.1, delta=1e-5, phases=phases)
    assert "And 28 more phases." in run.statement
    assert len(run.statement) < 7000
    assert len(run.as_dict()["phases"]) == 40
    assert tb.parse(run.as_dict()["expression"]) == run.composition
