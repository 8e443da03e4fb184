# SPDX-License-Identifier: MIT
"""What all makers of corpora use: put() writes a file into tests/fuzz/TARGET/."""
import os

FUZZ = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def put(target, name, data):
    folder = os.path.join(FUZZ, target)
    os.makedirs(folder, exist_ok=True)
    if isinstance(data, str):
        data = data.encode()
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)
