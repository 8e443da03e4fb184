#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Features of torchvision's ResNet-18 on the CPU: features28/torchvision and features224/torchvision, images a second.

Evaluation mode, fc removed, inference_mode, from grey bytes to features in memory. Tried, the best counts: channels-last and plain
layout, batches of 64 and 256 (224 pixels: 16 and 64), batch normalisation folded by torch.jit.freeze or not."""
import sys
import time

try:
    import torch
    import torchvision
except ImportError as error:
    print(f"the package {error.name} is not here")
    sys.exit(77)

QUICK = "--quick" in sys.argv
torch.manual_seed(0)
MEAN, STD = torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1), torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)
net = torchvision.models.resnet18()
net.fc = torch.nn.Identity()
net.eval()


def rate(model, images, batch, layout, seconds):
    """Images a second: the best of the rounds that fit."""
    best, spent = 0.0, 0.0
    with torch.inference_mode():
        while spent < seconds:
            start = time.perf_counter()
            for at in range(0, len(images), batch):
                x = (images[at:at + batch].unsqueeze(1).expand(-1, 3, -1, -1).float() / 255 - MEAN) / STD
                model(x.contiguous(memory_format=layout))
            took = time.perf_counter() - start
            spent += took
            best = max(best, len(images) / took)
    return best


for pixels, batches, count in ((28, (64, 256), 512), (224, (16, 64), 64)):
    images = torch.randint(0, 256, (count, pixels, pixels), dtype=torch.uint8)
    found = 0.0
    for layout in (torch.channels_last, torch.contiguous_format):
        model = net.to(memory_format=layout)
        example = torch.zeros(batches[0], 3, pixels, pixels).contiguous(memory_format=layout)
        with torch.inference_mode():
            frozen = torch.jit.freeze(torch.jit.trace(model, example))
        for what in (model, frozen):
            for batch in batches:
                r = rate(what, images, batch, layout, 0.5 if QUICK else 4)
                print(f"# {pixels} pixels, {layout}, batch {batch}, {'frozen' if what is frozen else 'eager'}: {r:.0f} images/s")
                found = max(found, r)
    print(f"bench features{pixels}/torchvision {found:.1f} images/s")
