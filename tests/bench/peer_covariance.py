#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The works of tests/bench/covariance.c by pyRiemann and scikit-learn, with as many threads as they like. The Riemannian mean takes
most of a minute and is measured on one eighth of the windows ("scaled")."""
import sys
import time
import warnings

warnings.filterwarnings("ignore")
try:
    import numpy as np
    from pyriemann.estimation import Covariances
    from pyriemann.spatialfilters import CSP
    try:
        from pyriemann.geometry.mean import mean_riemann
        from pyriemann.geometry.tangentspace import tangent_space
    except ImportError:
        from pyriemann.utils.mean import mean_riemann
        from pyriemann.utils.tangentspace import tangent_space
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression
except ImportError as error:
    print(f"the package {error.name} is not here")
    sys.exit(77)

N = 200 if "--quick" in sys.argv else 1492
rng = np.random.default_rng(0)
y = np.arange(N) % 2
source = rng.standard_normal((N, 64, 249))
source[y == 1, 5] *= 1.3
x = rng.standard_normal((64, 64)) @ source
del source


def best(name, work, rounds=2, scale=1, how=""):
    seconds = 1e9
    for _ in range(rounds):
        start = time.perf_counter()
        result = work()
        seconds = min(seconds, time.perf_counter() - start)
    print(f"bench sequence-{name}/pyriemann {seconds * scale:.4g} s {how}".rstrip(), flush=True)
    return result


def patterns():
    csp = CSP(8).fit(c, y)
    return LinearDiscriminantAnalysis().fit(csp.transform(c), y)


c = best("covariances", lambda: Covariances("oas").fit_transform(x))
best("csp-lda", patterns)
few = c[: N // 8]
m = best("riemann-mean", lambda: mean_riemann(few), 1, 8, "scaled")
t = best("tangent", lambda: tangent_space(c, m))
best("logistic", lambda: LogisticRegression(max_iter=5000).fit(t, y))
