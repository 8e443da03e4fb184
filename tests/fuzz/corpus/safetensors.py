# SPDX-License-Identifier: MIT
""".safetensors: a header in JSON and bytes."""
import json, struct
import numpy as np

from corpus.frame import put


def safetensors(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header, separators=(",", ":")).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def tensor(dtype="F32", shape=(2,), begin=0, end=8):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}


def make_safetensors():
    two = np.array([1, -2], np.float32).tobytes()
    put("safetensors", "one", safetensors({"w": tensor()}, two))
    put("safetensors", "types", safetensors(
        {"a": tensor("F16", (1, 2), 0, 4), "b": tensor("BF16", (2,), 4, 8), "c": tensor("F64", (1,), 8, 16),
         "d": tensor("I32", (1,), 16, 20), "e": tensor("I64", (), 20, 28)}, bytes(range(28))))
    put("safetensors", "config", safetensors({"__metadata__": {"config": "{}"}, "w": tensor()}, two))
    put("safetensors", "no-elements", safetensors({"w": tensor(shape=(0, 3), end=0)}))
    put("safetensors", "nan", safetensors({"w": tensor()}, b"\xff" * 8))
    put("safetensors", "spaces",
        safetensors(b'{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}    ', two))
    bad = {
        "empty": b"", "cut": safetensors({"w": tensor()}, two)[:-1],
        "longer": safetensors({"w": tensor()}, two + b"\0"),
        "huge-header": safetensors(b"{}", length=2**63),
        "long-header": safetensors(b"{}", length=100 * 1000 * 1000 + 1),
        "hole": safetensors({"w": tensor(begin=8, end=16)}, two * 2),
        "overlap": safetensors({"a": tensor(), "b": tensor(begin=4, end=12)}, two + two[:4]),
        "same-place": safetensors({"a": tensor(), "b": tensor()}, two),
        "twice": safetensors(b'{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},'
                             b'"w":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}', two),
        "backwards": safetensors({"w": tensor(begin=8, end=0)}, two),
        "beyond": safetensors({"w": tensor(end=16)}, two),
        "overflow": safetensors({"w": tensor(shape=(2**32, 2**32))}, two),
        "overflow-bytes": safetensors({"w": tensor(shape=(2**62 + 2,))}, two),
        "negative": safetensors({"w": tensor(shape=(-2, -1))}, two),
        "fraction": safetensors({"w": tensor(shape=(2.0,))}, two),
        "rank-5": safetensors({"w": tensor(shape=(1, 1, 1, 1, 2))}, two),
        "dtype": safetensors({"w": tensor("F8_E4M3")}, two),
        "member": safetensors({"w": dict(tensor(), more=1)}, two), "list": safetensors(b"[]"),
        "number": safetensors({"w": 1}),
        "not-utf8": safetensors(b'{"\xff":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}', two),
        "nul-name": safetensors(b'{"a\\u0000b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}', two),
        "long-name": safetensors({"w" * 200: tensor()}, two), "deep": safetensors(b"[" * 3000),
        "line-in-name": safetensors({"a\nb": tensor("x")}, two),
    }
    for name, data in bad.items():
        put("safetensors", "bad-" + name, data)
    put("safetensors", "bad-offset-negative", safetensors({"w": tensor(begin=-1)}, b"\0" * 8))
    put("safetensors", "bad-offset-text", safetensors({"w": tensor(end="8")}, b"\0" * 8))
    put("safetensors", "backwards-named", safetensors({"b": tensor(begin=8, end=16), "a": tensor()}, b"\0" * 16))
    put("safetensors", "empty-between", safetensors({"b": tensor(begin=0, end=8), "a": tensor(shape=(0,), end=0)}, bytes(8)))
