#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A file of kind `chains` opens in ArviZ as InferenceData as it is, by h5netcdf and by netCDF4, without a warning, and ArviZ finds in
it the numbers that `sgld diagnose` says, and the weights that were kept."""
import importlib.util
import json
import math
import os
import subprocess
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")  # of the packages on themselves
try:
    import h5netcdf  # noqa: F401
    import numpy as np
    import arviz as az
except ImportError as error:
    print(f"the package {error.name} is not here")
    sys.exit(77)


def close(found, expected, what, tolerance=1e-10):
    assert abs(found - expected) <= tolerance * max(1, abs(expected)), f"{what}: {found}, ArviZ says {expected}"


def opened(name, engine):
    """All of a file, read; warnings are errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = az.from_netcdf(name, engine=engine)
        for group in data.groups():
            data[group].load()
    return data


def weights(engine):
    subprocess.run("sgld sample -q --betas 0,10 --chains 2 --epochs 200 --warmup 0,50 --keep 5 -o kept.h5 && "
                   "extract-features -q $DATA/digits/test-images-idx3-ubyte --resize 28 --limit 60 -o f.h5 && "
                   "qtrain -q f.h5 --epochs 2 --no-controls -o h.h5 && "
                   "sgld head -q f.h5 --head h.h5 --parameters head --draws 10 --warmup 5 --rungs 2 --chains 2 -o head.h5",
                   shell=True, check=True, capture_output=True)
    data = opened("kept.h5", engine)
    kept = data.kept.weights
    assert kept.dims[:3] == ("chain", "draw", "beta") and list(data.kept.beta.values) == [0, 10], kept.dims
    assert list(data.kept.draw.values) == [50, 100, 150, 200], data.kept.draw
    assert len(az.summary(data.kept, var_names=["weights"])) == 2 * kept.shape[3]
    assert opened("head.h5", engine).params["head.1.weight"].shape == (1, 10, 16)


def structure(data):
    for group in ("posterior", "sample_stats", "log_likelihood"):
        assert group in data.groups(), data.groups()
    assert data.posterior.train_loss.dims == ("chain", "draw", "beta"), data.posterior.train_loss.dims
    assert dict(data.posterior.sizes) == {"chain": 4, "draw": 500, "beta": 4}, data.posterior.sizes
    assert data.sample_stats.acceptance.dims == ("chain", "beta"), data.sample_stats.acceptance.dims
    assert data.log_likelihood.train.dims == ("chain", "draw", "record"), data.log_likelihood.train.dims
    assert list(data.posterior.beta.values) == [0, 10, 100, 1000], data.posterior.beta
    assert list(data.posterior.draw.values[:3]) == [1, 2, 3], data.posterior.draw
    assert float(data.posterior.train_loss.sel(beta=10, chain=3).isel(draw=7)) != 0
    assert data.attrs["kind"] in ("chains", b"chains"), data.attrs


def numbers(data, told):
    assert [row["draws"] for row in told["temperatures"]] == [500, 500, 500, 300]
    for row in told["temperatures"]:
        x = data.posterior.train_loss.sel(beta=row["beta"]).values[:, : row["draws"]].astype(float)
        close(row["mean"], x.mean(), "mean")
        close(row["sd"], x.std(ddof=1), "sd")
        close(row["rhat"], float(az.rhat(x)), "R-hat")
        close(row["ess_bulk"], float(az.ess(x)), "bulk ESS")
        close(row["ess_tail"], float(az.ess(x, method="tail")), "tail ESS")
        close(row["mcse"], float(az.mcse(x)), "MCSE")
        close(row["autocorrelation_time"], x.size / float(az.ess(x, method="mean")), "autocorrelation time")
        close(row["acceptance"], float(data.sample_stats.acceptance.sel(beta=row["beta"]).mean()), "acceptance")
        v = data.sample_stats.virial.sel(beta=row["beta"]).values[:, : row["draws"]].astype(float)
        close(row["virial"], v.mean(), "virial ratio")
        close(row["virial_mcse"], float(az.mcse(v)), "its MCSE")


def predictive(data, told):
    # ArviZ computes in the type that it is given.
    data.log_likelihood["train"] = data.log_likelihood.train.astype("float64")
    total = data.log_likelihood.train.sum("record").values
    close(told["efficiency"], float(az.ess(total, method="mean")) / total.size, "efficiency")
    loo = az.loo(data, reff=told["efficiency"], pointwise=True)
    waic = az.waic(data)
    close(told["loo"], loo.elpd_loo, "leave-one-out")
    close(told["loo_se"], loo.se, "its error")
    close(told["loo_parameters"], loo.p_loo, "its parameters")
    close(told["good_k"], loo.good_k, "good k")
    assert told["large_k"] == int(np.sum(loo.pareto_k > loo.good_k)), told
    close(told["waic"], waic.elpd_waic, "WAIC")
    close(told["waic_se"], waic.se, "its error")
    close(told["waic_parameters"], waic.p_waic, "its parameters")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    subprocess.run([os.path.join(os.environ["BUILD"], "tests/unit/sampling/chains_file"), "chains.h5"], check=True)
    before = open("chains.h5", "rb").read()
    told = json.loads(subprocess.run(["sgld", "diagnose", "chains.h5", "--json"], check=True, stdout=subprocess.PIPE,
                                     stderr=subprocess.DEVNULL).stdout)
    engines = ["h5netcdf"] + (["netcdf4"] if importlib.util.find_spec("netCDF4") else [])
    for engine in engines:
        data = opened("chains.h5", engine)
        structure(data)
        numbers(data, told)
        table = az.summary(data, var_names=["train_loss", "norm"])
        assert len(table) == 8 and math.isclose(table.loc["train_loss[10.0]", "mean"], 0.401, abs_tol=6e-4), table
        predictive(data, told["predictive"])
        data.close() if hasattr(data, "close") else None
        weights(engine)
        for name in "kept.h5", "f.h5", "h.h5", "head.h5":
            os.remove(name)
    assert open("chains.h5", "rb").read() == before, "reading changed the file"
    print("opened by", ", ".join(engines))
