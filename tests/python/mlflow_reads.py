#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `qtrain --mlflow DIR` writes is read by the package mlflow itself, and says what the head file says."""
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import h5py
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"  # newer versions ask for this before they read a file store
    from mlflow.tracking import MlflowClient
except ImportError as error:
    print(f"the package {error.name} is not here")
    sys.exit(77)

digits = pathlib.Path(os.environ["DATA"]) / "digits" / "train-images-idx3-ubyte"
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    subprocess.run(["extract-features", "-q", digits, "--resize", "28", "--limit", "200", "-o", "f.h5"], check=True)
    subprocess.run(["qtrain", "-q", "f.h5", "--epochs", "3", "--replicas", "2", "--replica", "5", "--seed", "7",
                    "--lr", "0.002", "--mlflow", "runs",
                    "-o", "head.h5"], check=True)
    client = MlflowClient(pathlib.Path("runs").resolve().as_uri())
    experiment = client.get_experiment_by_name("ketline")
    assert experiment is not None, "no experiment ketline"
    runs = client.search_runs([experiment.experiment_id])
    assert len(runs) == 2, f"{len(runs)} runs, expected one for each of 2 replicas"
    with h5py.File("head.h5") as head:
        names = [name for name in head["history"] if not name.startswith("gradient_")]
        assert "val_accuracy" in names
        provenance = head["provenance"][()]
        wanted = {name: head["history"][name][...] for name in names}
        groups = [g.decode() for g in head["history/gradient_group"]]
        assert groups[0] == "reduce.0" and "circuit.2" in groups, groups
        for i, group in enumerate(groups):
            names.append(f"gradient_norm.{group}")
            wanted[names[-1]] = head["history/gradient_norm"][:, :, i]
            assert (wanted[names[-1]] > 0).all(), names[-1]
    seen = set()
    for run in runs:
        assert run.info.status == "FINISHED", run.info.status
        assert float(run.data.params["lr"]) == 0.002, run.data.params
        assert run.data.params["seed"] == "7", run.data.params
        made = json.loads(provenance)[-1]
        end = datetime.datetime.fromisoformat(made["time"].replace("Z", "+00:00")).timestamp() * 1000
        assert run.info.end_time == end, (run.info.end_time, made)
        assert abs(end - run.info.start_time - made["seconds"] * 1000) <= 1, (run.info.start_time, made)
        history = {name: [m.value for m in client.get_metric_history(run.info.run_id, name)] for name in names}
        match = [r for r in range(2) if all(abs(history[n][e] - wanted[n][r][e]) <= 1e-6 * abs(wanted[n][r][e])
                                            for n in names for e in range(3))]
        assert match, f"run {run.info.run_id} has the history of no replica: {history}"
        assert int(run.data.params["replica"]) == 5 + match[0], run.data.params
        seen.add(match[0])
    assert seen == {0, 1}, seen
