/* SPDX-License-Identifier: MIT
   Folded circuits, extrapolations and inverted readout errors against Cirq and Mitiq
   (tests/golden/mitigation.h5, written by make_mitigation.py beside it), to 1e-10. */
#include <math.h>

#include "golden_circuit.h"
#include "head/evaluate.h"

enum { SAMPLES = 2, MOST_OUT = 256 };
static int failures;

/* found against n values of the dataset, from the first-th on. */
static void compare(const char *group, hid_t file, const char *what, const double *found, size_t first,
                    size_t n)
{
    static double expected[GOLDEN_MOST];
    golden_need(golden_values(expected, GOLDEN_MOST, file, what) >= first + n, what);
    for (size_t i = 0; i < n; i++) {
        if (fabs(found[i] - expected[first + i]) <= 1e-10) continue;
        fprintf(stderr, "%s: %s[%zu]: found %.15g, expected %.15g\n", group, what, first + i, found[i],
                expected[first + i]);
        failures++;
        return;
    }
}

static size_t run(double *out, struct kl_circuit **c, hid_t group)
{
    static double x[GOLDEN_MOST], w[GOLDEN_MOST];
    struct kl_arena work;
    struct kl_error err;
    golden_values(x, GOLDEN_MOST, group, "x"), golden_values(w, GOLDEN_MOST, group, "w");
    must(kl_arena_init(&work, 0, &err), &err);
    must(kl_circuit_finish(*c, &err), &err);
    golden_need(SAMPLES * (*c)->n_obs <= MOST_OUT, "room for outputs");
    must(kl_circuit_forward_f64(out, NULL, *c, x, w, SAMPLES, NULL, &work, &err), &err);
    const size_t n = SAMPLES * (*c)->n_obs;
    kl_arena_free(&work);
    kl_circuit_free(c);
    return n;
}

static struct kl_circuit *circuit_of(hid_t group)
{
    static double values[GOLDEN_MOST];
    const size_t n_x = golden_values(values, GOLDEN_MOST, group, "x");
    return golden_circuit(group, n_x / SAMPLES, golden_values(values, GOLDEN_MOST, group, "w"));
}

/* Every scale by itself, then extrapolated. perfect: with readout errors taken back. */
static void check_scales(const char *name, hid_t group, const char *scales, const char *method,
                         bool perfect, const char *each, const char *together)
{
    double out[MOST_OUT], sum[MOST_OUT] = { 0 };
    struct kl_mitigation m;
    struct kl_error err;
    size_t n = 0;
    must(kl_head_mitigation_make(&m, scales, method, perfect, &err), &err);
    for (int s = 0; s < m.n_scales; s++) {
        struct kl_circuit *c = circuit_of(group);
        must(kl_circuit_fold(c, m.scale[s], &err), &err);
        if (perfect) must(kl_circuit_readout_perfect(c, &err), &err);
        n = run(out, &c, group);
        compare(name, group, each, out, (size_t)s * n, n);
        for (size_t i = 0; i < n; i++) sum[i] += m.weight[s] * out[i];
    }
    compare(name, group, together, sum, 0, n);
}

static void check_readout(const char *name, hid_t group)
{
    double p[MOST_OUT];
    struct kl_error err;
    struct kl_circuit *probabilities, *c = circuit_of(group), *own = circuit_of(group);
    must(kl_circuit_finish(c, &err), &err);
    must(kl_circuit_with_probabilities(&probabilities, c, &err), &err);
    const size_t n = run(p, &probabilities, group);
    compare(name, group, "read", p, 0, n);
    for (size_t i = 0; i < SAMPLES; i++) kl_circuit_readout_undo(p + i * n / SAMPLES, own);
    compare(name, group, "restored", p, 0, n);
    kl_circuit_free(&c);
    kl_circuit_free(&own);
}

static herr_t check(hid_t file, const char *name, const H5L_info_t *info, void *context)
{
    char scales[16];
    hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    (void)info;
    golden_text(scales, sizeof scales, file, "scales");
    check_scales(name, group, scales, "richardson", false, "out", "richardson");
    check_scales(name, group, scales, "linear", false, "out", "linear");
    check_scales(name, group, scales, "richardson", true, "undone", "both");
    check_readout(name, group);
    H5Gclose(group);
    ++*(int *)context;
    return 0;
}

int main(void)
{
    const int groups = golden_groups("tests/golden/mitigation.h5", check);
    printf("%d noisy circuits, mitigated\n", groups);
    return failures != 0 || groups < 4;
}
