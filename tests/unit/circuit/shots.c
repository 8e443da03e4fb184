/* SPDX-License-Identifier: MIT
   Shots: outputs that belong together come from the same measurements; errors fall as 1 / sqrt(shots)
   and are as large as the binomial distribution says; the numbers of a row are its own. */
#include "circuit/estimate.h"
#include "circuit/noise.h"

#include <math.h>
#include <string.h>

#include "../check.h"

enum { ROWS = 2000, OBS = 4 };

/* Two qubits; Z0, Z1, Z0 Z1 and X0 X1. */
static struct kl_circuit *make(void)
{
    static const struct kl_pauli obs[OBS] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 3, 0 } };
    struct kl_circuit *c = NULL;
    struct kl_error err;
    CHECK(kl_circuit_begin(&c, 2, 0, 0, &err) == 0);
    for (int o = 0; o < OBS; o++) CHECK(kl_circuit_observe(c, obs[o], &err) == 0);
    CHECK(kl_circuit_finish(c, &err) == 0);
    return c;
}

static float out[ROWS * OBS], p[ROWS * 4];
static int64_t rows[ROWS];

static void sample(const struct kl_circuit *c, const float p_row[4], float xx, size_t first, size_t n,
                   size_t shots, uint64_t seed)
{
    double scratch[3 << 2];
    const struct kl_shots s = { .n = shots, .seed = seed, .rows = rows };
    for (size_t i = 0; i < n; i++) {
        memcpy(p + 4 * i, p_row, 4 * sizeof *p);
        out[i * OBS + 3] = xx;
    }
    CHECK(sizeof scratch / sizeof *scratch == kl_circuit_shots_scratch(c));
    kl_circuit_shots_sample_f32(out, scratch, c, p, first, n, 0, &s);
}

/* Standard deviation of output o from the exact value, in units of what one shot's is, over sqrt(shots).
 */
static double spread(int o, double exact, size_t shots)
{
    double squares = 0;
    for (size_t i = 0; i < ROWS; i++) squares += pow(out[i * OBS + (size_t)o] - exact, 2);
    return sqrt(squares / ROWS / (1 - exact * exact) * (double)shots);
}

static void check_spread(const struct kl_circuit *c)
{
    static const float biased[4] = { 0.1f, 0.2f, 0.3f, 0.4f };
    /* 00, 01, 10, 11: wire 0 is the first digit */
    static const double exact[OBS] = { -0.4, -0.2, 0, 0.5 };
    for (size_t shots = 10; shots <= 10000; shots *= 10) {
        sample(c, biased, 0.5f, 0, ROWS, shots, 1);
        for (int o = 0; o < OBS; o++) {
            double mean = 0;
            for (size_t i = 0; i < ROWS; i++) mean += out[i * OBS + (size_t)o] / (double)ROWS;
            CHECK(fabs(spread(o, exact[o], shots) - 1) < 0.07, "output %d, %zu shots: %g", o, shots,
                  spread(o, exact[o], shots));
            CHECK(fabs(mean - exact[o]) < 5 / sqrt((double)(ROWS * shots)), "output %d, %zu shots: %g",
                  o, shots, mean);
        }
    }
}

static void check_together(const struct kl_circuit *c)
{
    static const float bell[4] = { 0.5f, 0, 0, 0.5f };
    sample(c, bell, 1, 0, ROWS, 7, 1);
    for (size_t i = 0; i < ROWS; i++) {
        const float *row = out + i * OBS;
        CHECK(row[0] == row[1] && row[2] == 1 && row[3] == 1, "row %zu", i);
        if (failures) return;
    }
}

static void check_rows(const struct kl_circuit *c)
{
    static const float even[4] = { 0.25f, 0.25f, 0.25f, 0.25f };
    static float all[ROWS * OBS];
    sample(c, even, 0, 0, ROWS, 50, 1);
    memcpy(all, out, sizeof all);
    sample(c, even, 0, 100, 20, 50, 1);
    CHECK(memcmp(all + 100 * OBS, out, 20 * OBS * sizeof *out) == 0);
    sample(c, even, 0, 100, 20, 50, 2);
    CHECK(memcmp(all + 100 * OBS, out, 20 * OBS * sizeof *out) != 0);
}

/* Readout errors that differ between states and qubits, taken back from measurements: means are those
   without them. Output 3 has one letter, as readout errors that differ demand. */
static void check_undone(void)
{
    static const struct kl_pauli obs[OBS] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 0 } };
    static const float true_p[4] = { 0.1f, 0.2f, 0.3f, 0.4f };
    /* <Z0>, <Z1>, <Z0 Z1> of true_p, and a made-up <X0> */
    static const double exact[OBS] = { -0.4, -0.2, 0, 0.5 };
    const double c0[2][2] = { { 0.9, 0.3 }, { 0.1, 0.7 } }, c1[2][2] = { { 0.98, 0.2 }, { 0.02, 0.8 } };
    const struct kl_shots s = { .n = 500, .seed = 5, .rows = rows, .undo_readout = true };
    struct kl_circuit *c = NULL;
    struct kl_error err;
    double scratch[3 << 2];
    float read[4] = { 0 };
    for (int k = 0; k < 16; k++) /* read >> 2 in state k & 3 */
        read[k >> 2] += (float)(c0[k >> 3][k >> 1 & 1] * c1[k >> 2 & 1][k & 1]) * true_p[k & 3];
    CHECK(kl_circuit_begin(&c, 2, 0, 0, &err) == 0);
    for (int o = 0; o < OBS; o++) CHECK(kl_circuit_observe(c, obs[o], &err) == 0);
    CHECK(kl_circuit_add_noise(c,
                               "{\"qubits\": [{\"readout-0\": 0.1, \"readout-1\": 0.3}, "
                               "{\"readout-0\": 0.02, \"readout-1\": 0.2}]}",
                               &err) == 0);
    CHECK(kl_circuit_finish(c, &err) == 0);
    for (size_t i = 0; i < ROWS; i++) {
        memcpy(p + 4 * i, read, sizeof read);
        out[i * OBS + 3] = (float)(0.3 - 0.1 + 0.6 * exact[3]);
    }
    kl_circuit_shots_sample_f32(out, scratch, c, p, 0, ROWS, 0, &s);
    for (int o = 0; o < OBS; o++) {
        double mean = 0;
        for (size_t i = 0; i < ROWS; i++) mean += out[i * OBS + (size_t)o] / (double)ROWS;
        /* one shot is at most 1 / (0.6 * 0.78) from 0 */
        CHECK(fabs(mean - exact[o]) < 4 * 2.2 / sqrt((double)ROWS * 500), "output %d: %g", o, mean);
    }
    kl_circuit_free(&c);
}

int main(void)
{
    struct kl_circuit *c = make();
    for (size_t i = 0; i < ROWS; i++) rows[i] = (int64_t)(3 * i);
    check_spread(c);
    check_together(c);
    check_rows(c);
    check_undone();
    kl_circuit_free(&c);
    return failures != 0;
}
