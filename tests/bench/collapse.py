#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often the default head collapses when PyTorch trains it: tests/bench/collapse.py TRAIN.h5 [--seeds 60] [--epochs 15].

TRAIN.h5 is what extract-features writes. The head, its first values, Adam, dropout and the stratified split are those of
docs/head.md; nothing of ketline computes here. All seeds of a group lie side by side in the first dimension of every tensor,
each with its own first values, order of batches and dropout; the loss is the sum of theirs, so that none sees another.
--check trains one of them as a plain torch.nn.Sequential too, gate by gate, and compares. make bench does not run this: it
takes a second for each epoch of a seed."""
import argparse
import json
import sys
import time

try:
    import h5py
    import torch
except ImportError as error:
    print(f"the package {error.name} is not here")
    sys.exit(77)

QUBITS, LAYERS, RATE = 4, 3, 1e-3
STATES = 2**QUBITS
HIDDEN = (128, 32, 16)  # what dropout follows: two layers before the circuit, one after it
functional = torch.nn.functional


def ring():
    """Where each amplitude comes from after CNOT q -> q + 1 for q = 0, 1, ...; wire 0 is the most significant bit."""
    order = list(range(STATES))
    for q in range(QUBITS):
        control, target = QUBITS - 1 - q, QUBITS - 1 - (q + 1) % QUBITS
        order = [order[i ^ (1 << target)] if i >> control & 1 else order[i] for i in range(STATES)]
    return order


RING = torch.tensor(ring())
SIGNS = torch.tensor([[1.0 - 2 * (i >> (QUBITS - 1 - q) & 1) for q in range(QUBITS)] for i in range(STATES)])


def circuit(angles, weight):
    """[seeds, rows, 4] angles and [seeds, 12] weights: <Z> of the qubits. The layers are one 16 x 16 matrix for each seed."""
    half = angles / 2
    pairs = torch.stack([half.cos(), half.sin()], -1)
    state = pairs[:, :, 0]
    for q in range(1, QUBITS):
        state = (state.unsqueeze(3) * pairs[:, :, q].unsqueeze(2)).flatten(2)
    half = (weight / 2).unflatten(1, (LAYERS, QUBITS))
    c, s = half.cos(), half.sin()
    gates = torch.stack([torch.stack([c, -s], -1), torch.stack([s, c], -1)], -2)
    kron = gates[:, :, 0]  # [seeds, layers, rows, columns]: all layers of all seeds in one product
    for q in range(1, QUBITS):
        kron = (kron[:, :, :, None, :, None] * gates[:, :, q, None, :, None, :]).flatten(4, 5).flatten(2, 3)
    kron = kron[:, :, RING]
    whole = kron[:, 0]
    for layer in range(1, LAYERS):
        whole = kron[:, layer] @ whole
    state = state @ whole.transpose(1, 2)
    return (state * state) @ SIGNS.to(state.dtype)


def first_values(seed, features, classes):
    """One head's: reduction uniform within 1 / sqrt(inputs), circuit 0.01 N(0, 1), classifier Xavier uniform, no bias."""
    draw = torch.Generator().manual_seed(seed)
    values = {}
    for i, (rows, columns) in enumerate(((128, features), (32, 128), (QUBITS, 32))):
        for name, shape in (("weight", (rows, columns)), ("bias", (rows,))):
            values[f"reduce.{i}.{name}"] = (2 * torch.rand(shape, generator=draw) - 1) / columns**0.5
    values["vqc.weight"] = 0.01 * torch.randn(LAYERS * QUBITS, generator=draw)
    for i, (rows, columns) in enumerate(((16, QUBITS), (classes, 16))):
        values[f"head.{i}.weight"] = (2 * torch.rand((rows, columns), generator=draw) - 1) * (6 / (rows + columns)) ** 0.5
        values[f"head.{i}.bias"] = torch.zeros(rows)
    return values


def forward(values, x, masks):
    """[seeds, rows, features] to [seeds, rows, classes] logits; masks: three, or None outside training."""
    def linear(h, name):
        return torch.baddbmm(values[f"{name}.bias"].unsqueeze(1), h, values[f"{name}.weight"].transpose(1, 2))

    def hidden(h, name, i):
        h = linear(h, name).relu()
        return h if masks is None else h * masks[i]
    h = hidden(hidden(x, "reduce.0", 0), "reduce.1", 1)
    z = circuit(linear(h, "reduce.2").tanh(), values["vqc.weight"])
    return linear(hidden(z, "head.0", 2), "head.1")


def draw_masks(draws, rows, rate, dtype):
    if rate == 0:
        return None
    return [torch.stack([(torch.rand(rows, width, generator=g) >= rate).to(dtype) for g in draws]) / (1 - rate)
            for width in HIDDEN]


def losses(logits, labels):
    """The mean cross-entropy of each seed; labels [seeds, rows]."""
    return functional.cross_entropy(logits.transpose(1, 2), labels, reduction="none").mean(1)


def split(labels, classes):
    """A tenth of each class to validate on, as `val-fraction` 0.1; the same for all seeds."""
    draw = torch.Generator().manual_seed(12345)
    training, validation = [], []
    for c in range(classes):
        rows = (labels == c).nonzero()[:, 0]
        rows = rows[torch.randperm(len(rows), generator=draw)]
        tenth = round(0.1 * len(rows))
        validation.append(rows[:tenth])
        training.append(rows[tenth:])
    return torch.cat(training), torch.cat(validation)


def validate(values, x, y, rows, classes):
    """Accuracy, loss, share of the predictions and recall of each class, for every seed."""
    seeds = len(values["vqc.weight"])
    right, loss = torch.zeros(seeds), torch.zeros(seeds)
    told, found = torch.zeros(seeds, classes), torch.zeros(seeds, classes)
    with torch.no_grad():
        for part in rows.split(500):
            logits = forward(values, x[part].unsqueeze(0).expand(seeds, -1, -1), None)
            truth = y[part].unsqueeze(0).expand(seeds, -1)
            loss += losses(logits, truth) * len(part)
            guess = logits.argmax(2)
            right += (guess == truth).sum(1)
            told += functional.one_hot(guess, classes).sum(1)
            found += (functional.one_hot(guess, classes) * (guess == truth).unsqueeze(2)).sum(1)
    n = len(rows)
    return right / n, loss / n, told / n, found / torch.bincount(y[rows], minlength=classes)


def train(x, y, training, validation, seeds, args, classes):
    """The seeds side by side; one record a seed: lists over epochs."""
    each = [first_values(s, x.shape[1], classes) for s in seeds]
    values = {name: torch.stack([e[name] for e in each]).requires_grad_() for name in each[0]}
    adam = torch.optim.Adam(values.values(), lr=RATE, fused=True)
    draws = [torch.Generator().manual_seed(1000003 * (s + 1)) for s in seeds]
    records = [{"seed": s, "train_loss": [], "val_accuracy": [], "val_loss": [], "told": [], "recall": []} for s in seeds]
    for epoch in range(args.epochs):
        order = torch.stack([training[torch.randperm(len(training), generator=g)] for g in draws])
        total = torch.zeros(len(seeds))
        for rows in order.split(args.batch, 1):
            loss = losses(forward(values, x[rows], draw_masks(draws, rows.shape[1], args.dropout, x.dtype)), y[rows])
            adam.zero_grad()
            loss.sum().backward()
            adam.step()
            total += loss.detach() * rows.shape[1]
        accuracy, loss, told, found = validate(values, x, y, validation, classes)
        for i, record in enumerate(records):
            for name, value in (("train_loss", total / len(training)), ("val_accuracy", accuracy), ("val_loss", loss)):
                record[name].append(round(value[i].item(), 5))
            record["told"].append([round(v, 4) for v in told[i].tolist()])
            record["recall"].append([round(v, 4) for v in found[i].tolist()])
    return records


class PlainCircuit(torch.nn.Module):
    """The circuit of docs/head.md gate by gate, for --check."""

    def __init__(self, weight):
        super().__init__()
        self.weight = torch.nn.Parameter(weight.clone())

    @staticmethod
    def turn(state, angle, q):
        zero, one = state.unbind(q + 1)
        shape = (-1,) + (1,) * (QUBITS - 1)
        c, s = (angle / 2).cos().reshape(shape), (angle / 2).sin().reshape(shape)
        return torch.stack([c * zero - s * one, s * zero + c * one], q + 1)

    def forward(self, angles):
        state = torch.zeros(len(angles), STATES, dtype=angles.dtype)
        state[:, 0] = 1
        state = state.reshape((-1,) + (2,) * QUBITS)
        for q in range(QUBITS):
            state = self.turn(state, angles[:, q], q)
        for layer in range(LAYERS):
            for q in range(QUBITS):
                state = self.turn(state, self.weight[layer * QUBITS + q], q)
            for q in range(QUBITS):
                control, target = q + 1, (q + 1) % QUBITS + 1
                off, on = state.unbind(control)
                on = on.flip(target - (1 if target > control else 0))
                state = torch.stack([off, on], control)
        chance = state * state
        axes = range(1, QUBITS + 1)
        marginals = [chance.sum([a for a in axes if a != q + 1]) for q in range(QUBITS)]
        return torch.stack([m[:, 0] - m[:, 1] for m in marginals], 1)


class Mask(torch.nn.Module):
    mask = 1

    def forward(self, h):
        return h * self.mask


def plain_head(values):
    nn, masks = torch.nn, [Mask() for _ in HIDDEN]

    def linear(name):
        layer = nn.Linear(values[f"{name}.weight"].shape[1], values[f"{name}.weight"].shape[0])
        layer.weight.data, layer.bias.data = values[f"{name}.weight"].clone(), values[f"{name}.bias"].clone()
        return layer
    return nn.Sequential(linear("reduce.0"), nn.ReLU(), masks[0], linear("reduce.1"), nn.ReLU(), masks[1], linear("reduce.2"),
                         nn.Tanh(), PlainCircuit(values["vqc.weight"]), linear("head.0"), nn.ReLU(), masks[2],
                         linear("head.1")), masks


def check(x, y, classes, batch, steps=200):
    """Three heads side by side and the second of them alone, in double: the same masks and batches, so the same losses."""
    x, seeds = x.double(), (5, 6, 7)
    each = [{name: v.double() for name, v in first_values(s, x.shape[1], classes).items()} for s in seeds]
    values = {name: torch.stack([e[name] for e in each]).requires_grad_() for name in each[0]}
    model, places = plain_head(each[1])
    both = torch.optim.Adam(values.values(), lr=RATE), torch.optim.Adam(model.parameters(), lr=RATE)
    draws = [torch.Generator().manual_seed(s) for s in seeds]
    worst = 0
    for _ in range(steps):
        rows = torch.stack([torch.randint(len(x), (batch,), generator=g) for g in draws])
        masks = draw_masks(draws, batch, 0.2, x.dtype)
        for place, mask in zip(places, masks):
            place.mask = mask[1]
        group = losses(forward(values, x[rows], masks), y[rows])
        alone = functional.cross_entropy(model(x[rows[1]]), y[rows[1]])
        worst = max(worst, abs(group[1].item() - alone.item()))
        for adam, loss in zip(both, (group.sum(), alone)):
            adam.zero_grad()
            loss.backward()
            adam.step()
    print(f"side by side and alone, {steps} steps: losses apart by {worst:.2g} at most, the last one {alone.item():.4f}")
    return worst < 1e-5


def wilson(hits, n, z=1.959964):
    middle, wide = (hits + z * z / 2) / (n + z * z), z / (n + z * z) * (hits * (n - hits) / n + z * z / 4) ** 0.5
    return middle - wide, middle + wide


def tell(name, hits, n):
    low, high = wilson(hits, n)
    print(f"{name}: {hits} of {n}, {hits / n:.4f} ({low:.4f} to {high:.4f}, Wilson 95 %)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("features")
    parser.add_argument("--seeds", type=int, default=60)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--group", type=int, default=10, help="seeds side by side")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--below", type=float, default=0.97, help="a validation accuracy that only a collapsed head has")
    parser.add_argument("--json", metavar="FILE", help="a line a seed: accuracy, losses, predictions and recall by epoch")
    parser.add_argument("--check", action="store_true", help="compare with a head trained alone; train nothing else")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    with h5py.File(args.features) as file:
        x, y = torch.from_numpy(file["features"][:]).float(), torch.from_numpy(file["labels"][:]).long()
    classes = int(y.max()) + 1
    if args.check:
        sys.exit(0 if check(x, y, classes, args.batch) else 1)
    training, validation = split(y, classes)
    records = []
    for first in range(args.first, args.first + args.seeds, args.group):
        start = time.perf_counter()
        seeds = range(first, min(first + args.group, args.first + args.seeds))
        group = train(x, y, training, validation, seeds, args, classes)
        records += group
        print(f"seeds {seeds[0]} to {seeds[-1]}, {time.perf_counter() - start:.0f} s:",
              " ".join(f"{r['val_accuracy'][-1]:.4f}" for r in group), flush=True)
        if args.json:
            with open(args.json, "a") as file:
                file.writelines(json.dumps(r) + "\n" for r in group)
    last = [r["val_accuracy"][-1] for r in records]
    good = [a for a in last if a >= args.below]
    tell(f"validation accuracy below {args.below}", len(last) - len(good), len(last))
    tell("a class that is never predicted", sum(min(r["told"][-1]) == 0 for r in records), len(last))
    tell("a class found less than every second time", sum(min(r["recall"][-1]) < 0.5 for r in records), len(last))
    if good:
        print(f"mean accuracy of the others: {sum(good) / len(good):.4f}")


main()
