#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The lines of h5py in docs/files.md, five at most for each kind of file, run on a file of that kind and print something. Kinds are
those of the tables in lib/. Status 77: a package is absent."""
import contextlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
try:
    import h5py
    import numpy as np
except ImportError as error:
    print(f"the package {error.name} is not here")
    sys.exit(77)

ROOT = pathlib.Path(os.environ["ROOT"])
SAME_FORM = {"checkpoint", "sequence-fit"}  # as a head, as a sequence-model
WRITTEN = {  # kinds of which there is a file from before
    "features": "features", "head": "head", "report": "report", "sweep": "sweep", "plateau": "plateau", "gan": "gan",
    "tournament": "tournament", "device-bits": "bits", "device-classifier": "devices", "device-report": "judged",
    "windows": "sequence-windows", "sequence-model": "sequence-net", "sequence-report": "sequence-judgement"}
MADE = """qeval --predict head.h5 features.h5 -o predictions.h5
qseq predict sequence-model.h5 windows.h5 -o sequence-predictions.h5
qseq eval fit.h5 windows.h5 -o second.h5
qseq compare sequence-report.h5 second.h5 -o sequence-comparison.h5
qseq bench windows.h5 --grid model=means --seconds 0.01 -o sequence-scaling.h5
tournament --nist bits.txt --permutations 0 -o nist.h5
tournament --synthetic 4 --rows 60 --null 20 --trials 1 -o synthetic.h5
sgld sample -p classic --test-mode -o chains.h5
sgld bounds ladder.csv --scale unit -o bounds.h5
qcontrol train --iterations 10 --hidden-dim 8 --n-segments 5 -o policy.h5
qcontrol regret policy.h5 --tasks 5 --steps 3 --starts 2 --scales 3 -o regret.h5
qcontrol optimize --starts 1 --iterations 5 --segments 8 -o pulse.h5"""


def kinds():
    tables = "".join(path.read_text() for path in (ROOT / "lib").rglob("*.c"))
    return set(re.findall(r"const struct kl_kind kl_\w+_kind = \{\s*\.name = \"([a-z-]+)\"", tables)) - SAME_FORM


def make_files():
    for kind, name in WRITTEN.items():
        shutil.copy(ROOT / "tests" / "written" / f"{name}.h5", f"{kind}.h5")
    shutil.copy(ROOT / "tests" / "written" / "sequence-fit.h5", "fit.h5")
    rng = np.random.default_rng(1)
    pathlib.Path("bits.txt").write_text("".join(
        "".join(map(str, rng.integers(0, 2, 80))) + f" {device}\n" for device in (1, 2) for _ in range(60)))
    rows = (pathlib.Path(os.environ["CORPUS"]) / "sampling_csv" / "several").read_text().splitlines(keepends=True)
    pathlib.Path("ladder.csv").write_text("".join(row for i, row in enumerate(rows) if i == 0 or row.startswith("a,true")))
    for command in MADE.splitlines():
        done = subprocess.run([*command.split(), "-q"], capture_output=True, text=True)
        assert done.returncode == 0, (command, done.stderr)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    make_files()
    shown = {}
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "files.md").read_text(), re.DOTALL):
        (name,) = re.findall(r'^with h5py.File\("([a-z-]+)\.h5"\) as f:', block)
        with h5py.File(f"{name}.h5") as file:
            assert file.attrs["kind"].decode() == name, (name, file.attrs["kind"])
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec("import json, h5py, numpy as np\n" + block, {})
        shown[name] = said.getvalue()
        assert block.count("\n") <= 5 and re.search(r"\d|[a-z]", shown[name]), (name, block)
        print(shown[name], end="")
    assert set(shown) == kinds(), f"not the kinds of lib/: {set(shown) ^ kinds()}"
