/* SPDX-License-Identifier: MIT
   Outputs of circuits in a weight: 2 degree + 1 values at equal distances say those at all other angles
   (trigonometric interpolation, Dirichlet's kernel), one degree less does not. */
#include "circuit/statistics.h"
#include "circuit/estimate.h"

#include <math.h>

#include "tests/unit/check.h"
#include "tests/worse.h"

static const char text[] =
    "OPENQASM 3.0; include \"stdgates.inc\"; input angle x0; input angle x1; input angle w0; "
    "input angle w1; input angle w2; input angle w3; qubit[2] q; ry(x0) q[0]; ry(x1) q[1]; rx(w0) q[0]; "
    "ry(w0) q[1]; crx(w1) q[0], q[1]; ry(2*w2) q[0]; cry(w2) q[0], q[1]; rx(0.3*w3) q[1]; cx q[1], q[0];"
    "ry(0.6*w3) q[0];";

static double interpolated(const double *values, size_t degree, double angle)
{
    double sum = 0;
    const size_t n = 2 * degree + 1;
    for (size_t p = 0; p < n; p++) {
        double kernel = 1;
        for (size_t d = 1; d <= degree; d++)
            kernel += 2 * cos((double)d * (angle - 2 * M_PI * (double)p / (double)n));
        sum += values[p] * kernel / (double)n;
    }
    return sum;
}

static double output(const struct kl_circuit *c, size_t weight, double w)
{
    struct kl_arena work;
    struct kl_error err;
    const double x[2] = { 0.4, -0.9 };
    double weights[4] = { 0.7, 1.9, -0.6, 2.2 }, out[2] = { 0 };
    weights[weight] = w;
    CHECK(kl_arena_init(&work, 0, &err) == 0);
    CHECK(kl_circuit_forward_f64(out, NULL, c, x, weights, 1, NULL, &work, &err) == 0);
    kl_arena_free(&work);
    return out[0] + 0.5 * out[1];
}

static double worst(const struct kl_circuit *c, size_t weight, double unit, size_t degree)
{
    double values[2 * KL_MOST_DEGREE + 1], most = 0;
    for (size_t p = 0; p < 2 * degree + 1; p++)
        values[p] = output(c, weight, 2 * M_PI * (double)p / (double)(2 * degree + 1) / unit);
    for (double angle = 0.1; angle < 6; angle += 0.37)
        most = worse(most, interpolated(values, degree, angle) - output(c, weight, angle / unit));
    return most;
}

static int refused(const char *qasm, bool metric_too)
{
    struct kl_circuit_options o;
    struct kl_circuit *c;
    struct kl_frequency f[4];
    struct kl_error err = { 0 };
    kl_circuit_options_default(&o);
    o.qasm = qasm;
    CHECK(kl_circuit_build(&c, &o, &err) == 0, "%s", err.text);
    int code = kl_circuit_frequencies(f, c, &err);
    struct kl_metric *metric = NULL;
    if (metric_too) CHECK(kl_circuit_metric_make(&metric, c, &err) == code);
    kl_circuit_metric_free(&metric);
    kl_circuit_free(&c);
    return code;
}

int main(void)
{
    static const struct kl_frequency expected[4] = { { 1, 2 }, { 0.5, 2 }, { 0.5, 6 }, { 0.3, 3 } };
    struct kl_circuit_options o;
    struct kl_circuit *c;
    struct kl_frequency f[4];
    struct kl_error err = { 0 };
    kl_circuit_options_default(&o);
    o.qasm = text;
    CHECK(kl_circuit_build(&c, &o, &err) == 0, "%s", err.text);
    CHECK(kl_circuit_frequencies(f, c, &err) == 0, "%s", err.text);
    for (size_t i = 0; i < 4; i++) {
        CHECK(fabs(f[i].unit - expected[i].unit) < 1e-12 && f[i].degree == expected[i].degree,
              "%zu: %g, %zu", i, f[i].unit, f[i].degree);
        CHECK(worst(c, i, f[i].unit, f[i].degree) < 1e-12, "%zu", i);
        CHECK(worst(c, i, f[i].unit, f[i].degree - 1) > 1e-3, "%zu: a degree less does", i);
    }
    kl_circuit_free(&c);
    CHECK(refused("OPENQASM 3.0; include \"stdgates.inc\"; input angle x0; input angle w0; qubit[1] q; "
                  "ry(x0) q[0]; rx(0.3*w0) q[0]; ry(0.7*w0) q[0];",
                  false) == KL_EUSAGE);
    CHECK(refused("OPENQASM 3.0; include \"stdgates.inc\"; input angle x0; input angle w0; qubit[1] q; "
                  "ry(x0) q[0]; rx(w0) q[0]; ry(40*w0) q[0];",
                  false) == KL_EUSAGE);
    /* a weight that is an angle here and a scale of an input there */
    CHECK(refused("OPENQASM 3.0; include \"stdgates.inc\"; input angle x0; input angle w0; qubit[1] q; "
                  "ry(w0) q[0]; rx(w0*x0) q[0];",
                  true) == KL_EUSAGE);
    return failures != 0;
}
