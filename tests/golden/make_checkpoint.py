#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/golden/weights/maml.pt, maml_policy.pt, maml_call.pt: a checkpoint as metaqctrl 1.0.0 saves it with torch.save,
without PyTorch: the classes that its pickle names are stood in for; numbers of the training among them, some NumPy's. Then the
state dictionary alone, and the first with a call in it; trainer.ckpt, as PyTorch Lightning saves one, with its objects and a mask
of bool; several.pt, two state dictionaries by names of nobody. Needs numpy. Tensors: 0.3 sin(i + 1), i over all in the file's
order."""
import argparse
import collections
import datetime
import io
import pathlib
import pickle
import sys
import types
import zipfile

import numpy as np

F, H, S = 3, 16, 6
SHAPES = [(H, F), (H,), (H, H), (H,), (H, H), (H,), (2 * S, H), (2 * S,)]


def tensors():
    count = 0
    for i, shape in enumerate(SHAPES):
        n = int(np.prod(shape))
        yield f"network.{i // 2 * 2}.{'bias' if i % 2 else 'weight'}", \
            (0.3 * np.sin(np.arange(count + 1, count + n + 1))).astype("<f4").reshape(shape)
        count += n


class FloatStorage:
    pass


def rebuild(*args):
    pass


FloatStorage.__module__, FloatStorage.__qualname__ = "torch", "FloatStorage"
rebuild.__module__, rebuild.__qualname__, rebuild.__name__ = "torch._utils", "_rebuild_tensor_v2", "_rebuild_tensor_v2"
torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")
torch.FloatStorage, torch._utils, utils._rebuild_tensor_v2 = FloatStorage, utils, rebuild
sys.modules["torch"], sys.modules["torch._utils"] = torch, utils


class Storage:
    def __init__(self, key, n):
        self.key, self.n = key, n


class Tensor:
    def __init__(self, values, data):
        self.shape = values.shape
        self.storage = Storage(str(len(data)), values.size)
        data.append(values.tobytes())

    def __reduce__(self):
        strides = tuple(int(np.prod(self.shape[i + 1:])) for i in range(len(self.shape)))
        return rebuild, (self.storage, 0, self.shape, strides, False, collections.OrderedDict())


class BoolStorage:
    pass


BoolStorage.__module__, BoolStorage.__qualname__, torch.BoolStorage = "torch", "BoolStorage", BoolStorage


class BoolTensor(Tensor):
    def __init__(self, values, data):
        super().__init__(values, data)
        self.storage.kind = BoolStorage


class Pickler(pickle.Pickler):
    def persistent_id(self, value):
        return ("storage", getattr(value, "kind", FloatStorage), value.key, "cpu", value.n) if isinstance(value, Storage) else None


class AttributeDict(dict):
    pass


class Callback:
    def __init__(self):
        self.best = Tensor(np.zeros(2, "<f4"), [])


fabric = types.ModuleType("lightning_fabric.utilities.data")
for c in AttributeDict, Callback:
    c.__module__, c.__qualname__ = fabric.__name__, c.__name__
    setattr(fabric, c.__name__, c)
sys.modules["lightning_fabric"], sys.modules["lightning_fabric.utilities"] = types.ModuleType("lightning_fabric"), types.ModuleType("utilities")
sys.modules[fabric.__name__] = fabric


class Call:
    def __reduce__(self):
        return __import__("os").system, ("true",)


def write(path, how):
    data = []
    state = collections.OrderedDict((name, Tensor(values, data)) for name, values in tensors())
    moments = {i: {"step": Tensor(np.float32(7), data), "exp_avg": Tensor(v * 0, data)} for i, (_, v) in enumerate(tensors())}
    kept = state if how == "plain" else {
        "epoch": 1999, "policy_state_dict": state,
        "meta_optimizer_state_dict": {"state": moments, "param_groups": [
            {"lr": 0.001, "betas": (0.9, 0.999), "foreach": None, "amsgrad": False, "params": list(range(8))}]},
        "inner_lr": 0.01, "inner_steps": 5, "meta_train_losses": [0.1, 0.05, -1e-300], "meta_val_losses": [],
        "val_loss_post_adapt": np.float64(0.0089), "adaptation_gain": np.float32(2e-6)}
    if how == "call":
        kept["epoch"] = Call()
    if how == "trainer":
        options = AttributeDict(lr=1e-3, layers=[1, 2], root=pathlib.PurePosixPath("/data"))
        options.names = {"a": 1}
        kept = {"epoch": 3, "best_acc1": Tensor(np.float32(71), data), "global_step": 1000, "pytorch-lightning_version": "2.5.0",
                "loops": {"fit_loop": {"state_dict": {}, "epoch_progress": {"total": {"ready": 4}}}},
                "callbacks": {"EarlyStopping{'monitor': 'val_loss'}": {"wait_count": 0, "best_score": Tensor(np.float32(0.5), data)}},
                "optimizer_states": [{"state": moments, "param_groups": [{"lr": 0.001, "params": list(range(8))}]}],
                "lr_schedulers": [{"_last_lr": [0.001], "milestones": collections.Counter({30: 1})}],
                "state_dict": collections.OrderedDict((f"model.{k}", v) for k, v in state.items()) | {"mask": BoolTensor(np.array([True, False, True]), data)},
                "hyper_parameters": options, "args": argparse.Namespace(seed=1, when=datetime.timedelta(1)),
                "by_class": collections.defaultdict(list, {"a": [1]}), "done": {1, 2}}
    if how == "several":
        kept = {"generator": state, "discriminator": {"w": Tensor(np.zeros(3, "<f4"), data)}, "epoch": 3}
    text = io.BytesIO()
    Pickler(text, 2).dump(kept)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo("maml/data.pkl"), text.getvalue())
        archive.writestr(zipfile.ZipInfo("maml/byteorder"), "little")
        for i, values in enumerate(data):
            archive.writestr(zipfile.ZipInfo(f"maml/data/{i}"), values)
        archive.writestr(zipfile.ZipInfo("maml/version"), "3\n")


folder = sys.argv[1] if len(sys.argv) > 1 else "tests/golden/weights"
for name, how in ("maml", ""), ("maml_policy", "plain"), ("maml_call", "call"), ("several", "several"):
    write(f"{folder}/{name}.pt", how)
write(f"{folder}/trainer.ckpt", "trainer")
