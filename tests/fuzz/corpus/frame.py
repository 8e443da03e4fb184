# SPDX-License-Identifier: MIT
"""What all makers of corpora use: put() writes a file into FOLDER/TARGET/, FOLDER being what make_corpus.py was told."""
import os
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def put(target, name, data):
    folder = os.path.join(sys.argv[1], target)
    os.makedirs(folder, exist_ok=True)
    if isinstance(data, str):
        data = data.encode()
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)
