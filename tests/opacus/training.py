"""A small private training run with the real Opacus, on made-up data."""

import warnings
from typing import Any, NamedTuple

import torch
from opacus import PrivacyEngine
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

EXAMPLES, BATCH, NOISE = 640, 64, 1.1
RATE, STEPS_AN_EPOCH = 0.1, 10


class Run(NamedTuple):
    engine: PrivacyEngine
    model: nn.Module
    optimizer: Any
    loader: Any

    def epoch(self) -> None:
        for features, labels in self.loader:
            self.step(features, labels)

    def step(self, features: torch.Tensor, labels: torch.Tensor) -> None:
        self.optimizer.zero_grad()
        nn.functional.cross_entropy(self.model(features), labels).backward()
        self.optimizer.step()

    def weights(self) -> list[float]:
        return [weight for parameter in self.model.parameters() for weight in parameter.detach().flatten().tolist()]


def examples() -> TensorDataset:
    features = torch.randn(EXAMPLES, 5, generator=torch.Generator().manual_seed(0))
    return TensorDataset(features, (features.sum(dim=1) > 0).long())


def private_run(accountant: str = "tightbudget", noise: float = NOISE, **settings: Any) -> Run:
    torch.manual_seed(1)
    model, loader = nn.Linear(5, 2), DataLoader(examples(), batch_size=BATCH)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Opacus on its random numbers, and on GDP
        engine = PrivacyEngine(accountant=accountant)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        made = engine.make_private(
            module=model, optimizer=optimizer, data_loader=loader, noise_multiplier=noise, max_grad_norm=1.0, **settings
        )
    return Run(engine, *made)
