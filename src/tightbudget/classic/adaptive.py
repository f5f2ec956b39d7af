"""Adaptive composition: the epsilons add up; delta is the chance 1 - prod (1 - delta_i) that some step fails.

An (epsilon_i, delta_i) promise is kept by randomised response that fails with probability delta_i; if none fails, the
loss is at most the sum of the epsilon_i. Reference: Meiser, Mohammadi 2018, Lemma 3.
"""

from tightbudget.classic.failure_probability import some_step_fails
from tightbudget.classic.naive import summed_epsilons

adaptive = summed_epsilons("adaptive", "Meiser, Mohammadi 2018, Lemma 3", some_step_fails)
