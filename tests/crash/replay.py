# SPDX-License-Identifier: MIT
"""What a machine that stops leaves of a traced run: python3 replay.py LOG FOLDER BEFORE STATES SEED OUT

FOLDER is what was traced, BEFORE a copy of it as it was. Model: what a file had been written when it was synchronised is there;
so are names when their folder was. Of everything later, any part may be there and any missing: each write by itself, down to
sectors of 512 bytes; names in their order, as far as they got. About STATES states are drawn, each after some act with all, nothing
or some of what was not safe. The target must hold the old bytes or the new ones. Every 50th state is left as a folder
OUT/k for another run of the tool."""
import json
import os
import random
import sys

log, folder, before, states, seed, out = sys.argv[1:]
states, rng = int(states), random.Random(int(seed))
SECTOR = 512


class File:
    """Bytes that are safe, and acts that are not."""

    def __init__(self, data=b""):
        self.safe, self.pending = bytearray(data), []


def apply(data, act, sectors=None):
    kind, at, n, chunk = act
    if kind == "truncate":
        del data[n:]
        data.extend(bytes(n - len(data)))
    elif kind == "reserve":
        data.extend(bytes(max(0, at + n - len(data))))
    else:
        data.extend(bytes(max(0, at + n - len(data))))
        for i in range(0, n, SECTOR):
            if sectors is None or sectors():
                data[at + i : at + min(i + SECTOR, n)] = chunk[i : i + SECTOR]


def content(file, mode):
    data, share = bytearray(file.safe), rng.choice((0, 0.6, 1))
    for act in file.pending:
        if mode == "all":
            apply(data, act)
        elif mode == "some" and rng.random() < share:
            whole = rng.random() < 0.7
            apply(data, act, None if whole else lambda: rng.random() < 0.5)
    return bytes(data)


def read(path):
    with open(path, "rb") as f:
        return f.read()


names = {os.path.join(folder, n): File(read(os.path.join(before, n))) for n in os.listdir(before) if os.path.isfile(os.path.join(before, n))}
safe_names, pending_names = dict(names), []
target = os.path.join(folder, "out.h5")
old, new = (read(os.path.join(before, "out.h5")) if os.path.exists(os.path.join(before, "out.h5")) else None), read(target)
acts = [json.loads(line) for line in open(log)]
data = open(log + ".data", "rb")
per_act = states / max(1, len(acts))
seen, tried, kinds = set(), 0, {"old": 0, "new": 0}


def settle(view, act):
    kind, path, other, file = act
    if kind == "create":
        view[path] = file
    elif kind == "unlink":
        view.pop(path, None)
    else:
        view.pop(path, None)
        view[other] = file


def crash(mode, number):
    """One state: names as far as they got, each file's bytes."""
    global tried
    view = dict(safe_names)
    n = len(pending_names)
    reach = {"all": n, "none": 0}.get(mode, rng.choice((n, rng.randint(0, n), max(0, n - rng.randint(0, 5)))))
    for act in pending_names[:reach]:
        settle(view, act)
    tried += 1
    found = content(view[target], mode) if target in view else None
    if found == new:
        kinds["new"] += 1
    elif found == old:
        kinds["old"] += 1
    else:
        sys.exit(f"after act {number} ({mode}): the target is neither the old file nor the new one: {len(found) if found is not None else 'no'} bytes")
    if tried % 50 == 0:
        place = os.path.join(out, str(tried))
        os.makedirs(place)
        for path, file in view.items():
            with open(os.path.join(place, os.path.relpath(path, folder)), "wb") as f:
                f.write(content(file, mode))


for number, act in enumerate(acts):
    kind, path, other = act["act"], act["path"], act["other"]
    chunk = data.read(act["n"]) if kind == "write" else b""
    if kind == "create":
        names[path] = File()
        pending_names.append((kind, path, other, names[path]))
    elif kind in ("write", "truncate", "reserve"):
        if path in names:
            names[path].pending.append((kind, act["at"], act["n"], chunk))
    elif kind == "sync" and path in names:
        file = names[path]
        for one in file.pending:
            apply(file.safe, one)
        file.pending = []
    elif kind == "sync":  # the folder
        for one in pending_names:
            settle(safe_names, one)
        pending_names = []
    elif path in names:
        pending_names.append((kind, path, other, names[path]))
        settle(names, (kind, path, other, names[path]))
    here = max(per_act, 4) if len(acts) - number < 20 else per_act  # where the target is replaced
    for k in range(int(here) + (rng.random() < here % 1)):
        crash(("all", "none")[k] if k < 2 and per_act > 4 else rng.choice(("all", "none", "some", "some")), number)
print(f"{len(acts)} acts, {tried} states: {kinds['old']} old, {kinds['new']} new")
