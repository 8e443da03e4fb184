/* SPDX-License-Identifier: MIT
   Metric tensors against PennyLane's (tests/golden/metric.h5, written by make_metric.py beside it), to
   1e-10 in double, for batches of many sizes: the sums are those of the samples; and the solution of a
   step. */
#include "circuit/estimate.h"

#include <math.h>

#include "golden.h"

enum { MOST = 4096, SAMPLES = 3, LARGEST = 40 };
static int failures;

static double entry(const double *a, const struct kl_nn_skyline *e, size_t i, size_t j)
{
    return j < e->first[i] ? 0 : a[e->start[i] + j - e->first[i]];
}

/* Sample k of the batch is sample k mod SAMPLES of the file. */
static void batch_of(const char *name, const struct kl_metric *m, const double *x, const double *w,
                     const double *expected, size_t n)
{
    static double many[LARGEST * 8], sums[(LARGEST / KL_CIRCUIT_GROUP + 1) * MOST];
    const size_t n_x = m->circuit->n_inputs, n_w = m->circuit->n_weights;
    struct kl_arena work;
    struct kl_error err;
    for (size_t k = 0; k < n * n_x; k++) many[k] = x[k % (SAMPLES * n_x)];
    must(kl_arena_init(&work, 0, &err), &err);
    must(kl_circuit_metric_sums_f64(sums, m, many, w, n, &work, &err), &err);
    for (size_t g = 0; g * KL_CIRCUIT_GROUP < n; g++)
        for (size_t i = 0; i < n_w; i++)
            for (size_t j = 0; j <= i; j++) {
                double sum = 0, found = entry(sums + g * m->shape.size, &m->shape, i, j);
                for (size_t k = g * KL_CIRCUIT_GROUP; k < n && k < (g + 1) * KL_CIRCUIT_GROUP; k++)
                    sum += expected[(k % SAMPLES * n_w + i) * n_w + j];
                if (fabs(found - sum) <= 1e-10) continue;
                fprintf(stderr, "%s, batch of %zu: entry %zu, %zu: found %.15g, expected %.15g\n", name,
                        n, i, j, found, sum);
                failures++;
                i = j = n_w;
            }
    kl_arena_free(&work);
}

/* In float the same to its rounding. */
static void in_float(const char *name, const struct kl_metric *m, const double *x, const double *w,
                     const double *expected)
{
    float x32[MOST], w32[MOST];
    static double sums[MOST];
    struct kl_arena work;
    struct kl_error err;
    const size_t n_x = m->circuit->n_inputs, n_w = m->circuit->n_weights;
    for (size_t k = 0; k < n_x; k++) x32[k] = (float)x[k];
    for (size_t k = 0; k < n_w; k++) w32[k] = (float)w[k];
    must(kl_arena_init(&work, 0, &err), &err);
    must(kl_circuit_metric_sums_f32(sums, m, x32, w32, 1, &work, &err), &err);
    for (size_t i = 0; i < n_w; i++)
        for (size_t j = 0; j <= i; j++)
            if (!(fabs(entry(sums, &m->shape, i, j) - expected[i * n_w + j]) <= 4e-6)) {
                fprintf(stderr, "%s, float: entry %zu, %zu\n", name, i, j);
                failures++;
            }
    kl_arena_free(&work);
}

/* (mean + lambda)^-1 gradient. */
static void solution(const char *name, const struct kl_metric *m, const double *x, const double *w,
                     hid_t group)
{
    static double sums[MOST], step[MOST], expected[MOST];
    struct kl_arena work;
    struct kl_error err;
    const size_t n = golden_values(step, MOST, group, "gradient");
    must(kl_arena_init(&work, 0, &err), &err);
    must(kl_circuit_metric_sums_f64(sums, m, x, w, SAMPLES, &work, &err), &err);
    for (size_t k = 0; k < m->shape.size; k++) sums[k] /= SAMPLES;
    kl_nn_skyline_solve(step, sums, &m->shape, 1e-3);
    golden_values(expected, MOST, group, "step");
    for (size_t i = 0; i < n; i++)
        if (!(fabs(step[i] - expected[i]) <= 1e-10 * fmax(1, fabs(expected[i])))) {
            fprintf(stderr, "%s: step %zu: found %.15g, expected %.15g\n", name, i, step[i],
                    expected[i]);
            failures++;
        }
    kl_arena_free(&work);
}

static void check(const char *name, hid_t group, const struct kl_circuit *c)
{
    static double x[MOST], w[MOST], expected[MOST];
    struct kl_metric *m;
    struct kl_error err;
    const size_t n_x = golden_values(x, MOST, group, "x"), n_w = golden_values(w, MOST, group, "w"),
                 n = golden_values(expected, MOST, group, "metric");
    if (n_w != c->n_weights || n_x != SAMPLES * c->n_inputs || n != SAMPLES * n_w * n_w) {
        fprintf(stderr, "%s: %zu inputs and %zu weights, expected %zu and %zu\n", name, c->n_inputs,
                c->n_weights, n_x / SAMPLES, n_w);
        failures++;
        return;
    }
    must(kl_circuit_metric_make(&m, c, &err), &err);
    for (size_t k = 1; k <= LARGEST; k += 3) batch_of(name, m, x, w, expected, k);
    in_float(name, m, x, w, expected);
    solution(name, m, x, w, group);
    kl_circuit_metric_free(&m);
}

static herr_t visit(hid_t file, const char *name, const H5L_info_t *info, void *context)
{
    char ansatz[32], entanglement[32], qasm[1024];
    struct kl_circuit_options o;
    struct kl_circuit *c;
    struct kl_error err;
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    (void)info;
    kl_circuit_options_default(&o);
    if (H5Aexists(group, "qasm") > 0) {
        golden_text(qasm, sizeof qasm, group, "qasm");
        o.qasm = qasm;
    } else {
        golden_text(ansatz, sizeof ansatz, group, "ansatz");
        golden_text(entanglement, sizeof entanglement, group, "entanglement");
        o.n_qubits = (int64_t)golden_number(group, "n_qubits");
        o.n_layers = (int64_t)golden_number(group, "n_layers");
        o.ansatz = ansatz;
        o.entanglement = entanglement;
    }
    must(kl_circuit_build(&c, &o, &err), &err);
    check(name, group, c);
    kl_circuit_free(&c);
    H5Gclose(group);
    ++*(int *)context;
    return 0;
}

int main(void)
{
    const int groups = golden_groups("tests/golden/metric.h5", visit);
    if (groups != 9) failures++;
    printf("%d circuits\n", groups);
    return failures != 0;
}
