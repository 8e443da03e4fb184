#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What PyTorch does on the same GPU: torchvision's ResNet-18, eager and compiled; steps of the default head (ry-ring as real amplitudes,
by hand, the best form of it that is known to us), eager and as one captured graph, scaled to 50 epochs; and the ry-ring circuit with its
gradients in a batch of 65,536. What says most comes first and what takes longest last, since the time may end: mode max-autotune
compiles for minutes."""
import sys
import time

try:
    import torch
except ImportError:
    print("the package torch is not here")
    sys.exit(77)
if not torch.cuda.is_available():
    print("torch finds no GPU")
    sys.exit(77)

N, D, CLASSES, BATCH, LAYERS, MANY = 54000, 512, 10, 64, 3, 65536
WARM_SECONDS = 0.3  # of work before what is timed, as in warm.h
STEPS = (N + BATCH - 1) // BATCH
device = torch.device("cuda")
torch.backends.cuda.matmul.allow_tf32 = True


class Circuit(torch.nn.Module):
    """ry-ring on [batch, 2^qubits] real amplitudes; the ring of CNOTs is one permutation, a layer of RY is a turn of each qubit."""

    def __init__(self, qubits):
        super().__init__()
        self.qubits = qubits
        self.weight = torch.nn.Parameter(0.01 * torch.randn(LAYERS * qubits))
        order = list(range(2**qubits))
        for q in range(qubits):
            control, target = qubits - 1 - q, qubits - 1 - (q + 1) % qubits
            order = [order[i ^ (1 << target)] if i >> control & 1 else order[i] for i in range(2**qubits)]
        self.register_buffer("ring", torch.tensor(order))
        signs = [[1 - 2 * (i >> (qubits - 1 - q) & 1) for q in range(qubits)] for i in range(2**qubits)]
        self.register_buffer("signs", torch.tensor(signs, dtype=torch.float32))

    def turn(self, state, q, half):
        view = state.view(-1, 2**q, 2, 2**(self.qubits - 1 - q))
        a, b = view[:, :, 0], view[:, :, 1]
        c, s = half.cos(), half.sin()
        return torch.stack([c * a - s * b, s * a + c * b], 2).reshape(state.shape)

    def forward(self, x):
        pairs = torch.stack([(x / 2).cos(), (x / 2).sin()], -1)
        state = pairs[:, 0]
        for q in range(1, self.qubits):
            state = (state.unsqueeze(2) * pairs[:, q].unsqueeze(1)).flatten(1)
        for layer in range(LAYERS):
            for q in range(self.qubits):
                state = self.turn(state, q, self.weight[layer * self.qubits + q] / 2)
            state = state[:, self.ring]
        return (state * state) @ self.signs


def head():
    nn = torch.nn
    return nn.Sequential(nn.Linear(D, 128), nn.ReLU(), nn.Dropout(0.2), nn.Linear(128, 32), nn.ReLU(), nn.Dropout(0.2),
                         nn.Linear(32, 4), nn.Tanh(), Circuit(4), nn.Linear(4, 16), nn.ReLU(), nn.Dropout(0.2),
                         nn.Linear(16, CLASSES)).to(device)


def timed(step, count):
    for _ in range(3):
        step()
    torch.cuda.synchronize()
    start = time.perf_counter()
    while time.perf_counter() - start < WARM_SECONDS:
        step()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(count):
        step()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / count


def head_steps(graph):
    model = head()
    adam = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True, capturable=True)
    features, labels = torch.rand(N, D, device=device), torch.randint(CLASSES, (N,), device=device)
    rows = torch.randperm(N, device=device)[:BATCH].clone()

    def step():
        loss = torch.nn.functional.cross_entropy(model(features[rows]), labels[rows])
        adam.zero_grad(set_to_none=False)
        loss.backward()
        adam.step()

    if not graph:
        return timed(step, 300)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())  # which makes what the steps read
    with torch.cuda.stream(side):
        for _ in range(5):
            step()
    torch.cuda.current_stream().wait_stream(side)
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        step()
    return timed(captured.replay, 1000)


def circuit_batch(qubits):
    circuit = Circuit(qubits).to(device)
    x = torch.rand(MANY, qubits, device=device, requires_grad=True)

    def step():
        circuit.weight.grad = x.grad = None
        circuit(x).sum().backward()

    return timed(step, 10)


def resnet(mode):
    """Seconds of a batch of 256 images at 224x224, half precision, channels last; on the GPU from the
    beginning. The images are noise, as ours are (gpu_features.c). mode: of torch.compile, None: eager."""
    import torchvision
    model = torchvision.models.resnet18(weights=None)
    model.fc = torch.nn.Identity()
    model = model.eval().half().to(device, memory_format=torch.channels_last)
    torch.backends.cudnn.benchmark = True
    images = torch.rand(256, 3, 224, 224, device=device).half().contiguous(memory_format=torch.channels_last)
    if mode:  # frozen: normalisation is folded into the weights, as ours is
        from torch._inductor import config
        config.freezing = True
        torch.compiler.reset()
        model = torch.compile(model, mode=mode)
    with torch.inference_mode():
        return timed(lambda: model(images), 30)


def line(name, who, measure, factor=1):
    try:
        print(f"bench {name}/{who} {measure() * factor:.6g} s" + (" scaled" if factor != 1 else ""))
    except Exception as error:  # named, not fatal
        print(f"{name}/{who} does not run here: {type(error).__name__}: {str(error)[:200]}")


def features(who, mode):
    line("gpu-features-60000-224x224-fp16", who, lambda: resnet(mode), 60000 / 256)


print(f"card cuda: {torch.cuda.get_device_name():.48}")  # as kernels/device.c names it
features("torchvision", None)
features("torchvision-reduce-overhead", "reduce-overhead")
line("gpu-head-50-epochs", "torch", lambda: head_steps(False), 50 * STEPS)
line("gpu-head-50-epochs", "torch-graph", lambda: head_steps(True), 50 * STEPS)
for n in (4, 10):
    line(f"gpu-ry-ring-{n}", "torch", lambda: circuit_batch(n))
features("torchvision-max-autotune", "max-autotune")
