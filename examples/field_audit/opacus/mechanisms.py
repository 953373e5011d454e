"""Opacus: one step of DP-SGD on all records."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import warnings

import torch
from declared import audit, audits, run  # noqa: F401 - called from outside
from opacus import PrivacyEngine
from opacus.accountants import RDPAccountant
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.simplefilter("ignore")
torch.set_num_threads(1)
NOISE, DELTA = 5.0, 1e-3
accountant = RDPAccountant()
accountant.step(noise_multiplier=NOISE, sample_rate=1.0)
CLAIM = accountant.get_epsilon(delta=DELTA)


def step(xs):
    """Return the weight after one step from 0, of a model x -> w x with the labels 0."""
    data = TensorDataset(torch.tensor(xs).reshape(-1, 1), torch.zeros(len(xs), 1))
    model = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(model.weight)
    model, optimizer, loader = PrivacyEngine().make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=1.0),
        data_loader=DataLoader(data, batch_size=len(xs)),
        noise_multiplier=NOISE,
        max_grad_norm=1.0,
        poisson_sampling=False,
    )
    for x, y in loader:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    return float(next(model.parameters()))


@audit(
    "DP-SGD, one record more",
    claim=CLAIM,
    delta=DELTA,
    trials=3_000,
    known="https://github.com/meta-pytorch/opacus/issues/571",
)
def more(side):
    """One record; two."""
    return step([0.0] * (1 + side))


@audit("DP-SGD, one record replaced", claim=CLAIM, delta=DELTA, trials=3_000, control=True)
def replaced(side):
    """Two records without a gradient; one of them with any. The label of the last one is 0."""
    return step([0.0, float(side)])
