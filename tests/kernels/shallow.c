/* SPDX-License-Identifier: MIT
   Steps of a whole shallow network, every instruction set, against plain definitions in double: losses,
   gradient, noise; the packed form and its padding; a record alone against the same among others, AVX2
   against AVX-512, bit for bit. */
#include "kernels/shallow.h"

#include <float.h>
#include <stdlib.h>

#include "isas.h"
#include "numbers.h"
#include "plain_normal.h"

enum { RECORDS = 150, UNITS = 500, MOST = UNITS * (KL_SHALLOW_INPUTS + 2) + 1, STEPS = 4, EPOCH = 230 };
static float x[RECORDS * KL_SHALLOW_INPUTS];
static int32_t label[RECORDS];
static int64_t rows[EPOCH];
static float flat[MOST], moved[MOST], *packed, *work;
static const struct kl_langevin_stream stream = { 77, KL_RANDOM_LANGEVIN, 4000000000u, 2 };

/* Of one record; the slope by the logit, the units' activations. */
struct seen {
    double z, loss, slope, h[UNITS];
};

static void plain_record(struct seen *to, const struct kl_shallow *net, const double *w, size_t record)
{
    const size_t d = net->inputs, units = net->units;
    const double *b1 = w + units * d, *w2 = b1 + units, e = net->floor;
    to->z = w2[units];
    for (size_t u = 0; u < units; u++) {
        double h = b1[u];
        for (size_t k = 0; k < d; k++) h += w[u * d + k] * (double)x[record * d + k];
        to->h[u] = h > 0 ? h : 0;
        to->z += w2[u] * to->h[u];
    }
    const double y = label[record] ? 1 : -1, v = y * to->z, s = 1 / (1 + exp(-v)), t = 1 / (1 + exp(v));
    if (net->loss == KL_SHALLOW_BCE) {
        to->loss = v > 0 ? log1p(exp(-v)) : -v + log1p(exp(v)), to->slope = -y * t;
    } else {
        const double psi = e + (1 - 2 * e) * s;
        to->loss = v > 0 ? -log1p(-(e + (1 - 2 * e) * t)) : -log(psi),
        to->slope = -y * (1 - 2 * e) * s * t / psi;
    }
}

/* One step on n rows; w is moved. */
static void plain_step(double *w, struct kl_shallow_sums *sums, const struct kl_shallow *net,
                       const int64_t *at, size_t n, const struct kl_langevin_factors *f,
                       const struct kl_langevin_stream *s)
{
    static double g[MOST];
    static struct seen seen;
    const size_t d = net->inputs, units = net->units, size = units * (d + 2) + 1;
    memset(g, 0, sizeof g), memset(sums, 0, sizeof *sums);
    for (size_t r = 0; r < n; r++) {
        const size_t record = (size_t)at[r];
        plain_record(&seen, net, w, record);
        sums->loss += seen.loss, sums->squares += seen.loss * seen.loss;
        sums->wrong += (seen.z > 0) != (label[record] == 1);
        const double slope = seen.slope / (double)n;
        g[size - 1] += slope;
        for (size_t u = 0; u < units; u++) {
            const double back = seen.h[u] > 0 ? slope * w[units * (d + 1) + u] : 0;
            g[units * (d + 1) + u] += slope * seen.h[u], g[units * d + u] += back;
            for (size_t k = 0; k < d; k++) g[u * d + k] += back * (double)x[record * d + k];
        }
    }
    for (size_t j = 0; j < size; j++) {
        long double radius;
        w[j] = f->shrink * w[j] - f->rate * g[j];
        if (f->spread != 0)
            w[j] += f->spread * (double)plain_normal(&radius, s, kl_shallow_element(net, j));
    }
}

static void fill(const struct kl_shallow *net)
{
    const size_t size = net->units * (net->inputs + 2) + 1;
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) x[i] = (float)(4 * uniform());
    for (size_t i = 0; i < RECORDS; i++) label[i] = uniform() > 0;
    for (size_t i = 0; i < EPOCH; i++) rows[i] = (int64_t)((uniform() + 0.5) * RECORDS);
    for (size_t j = 0; j < size; j++) flat[j] = (float)uniform();
    kl_shallow_pack(packed, flat, net);
}

/* Numbers of the packed form that are no parameter are 0. */
static int padding(const char *isa, const struct kl_shallow *net)
{
    static float again[MOST + 16 * (KL_SHALLOW_INPUTS + 3)];
    const size_t n = kl_shallow_packed(net);
    kl_shallow_unpack(moved, packed, net), kl_shallow_pack(again, moved, net);
    if (memcmp(again, packed, n * sizeof *again) == 0) return 0;
    printf("%s: units that there are not have weights\n", isa);
    return 1;
}

static int same_sums(const char *isa, const struct kl_shallow_sums *found,
                     const struct kl_shallow_sums *want, size_t n)
{
    return far(isa, "loss", n, found->loss, want->loss, want->loss + (double)n, 16, FLT_EPSILON) +
           far(isa, "squares", n, found->squares, want->squares, want->squares + (double)n, 32,
               FLT_EPSILON) +
           far(isa, "wrong", n, found->wrong, want->wrong, 1, 0, 0);
}

/* A few steps from the same start as the definition's, each compared. */
static int steps(enum kl_isa k, const struct kl_shallow *net, size_t batch, size_t n_rows, double spread)
{
    static double w[MOST];
    const size_t size = net->units * (net->inputs + 2) + 1, count = (n_rows + batch - 1) / batch;
    struct kl_langevin_factors f[EPOCH];
    struct kl_shallow_sums found[EPOCH], want;
    const struct kl_shallow_records records = { x, label };
    int bad = 0;
    fill(net);
    for (size_t i = 0; i < count; i++)
        f[i] = (struct kl_langevin_factors){ 0.99, 0.1 / (double)(i + 1), spread };
    for (size_t j = 0; j < size; j++) w[j] = (double)flat[j];
    kl_isa_shallow_steps_f32(k)(packed, net, &records, rows, n_rows, batch, f, &stream, found, work);
    struct kl_langevin_stream s = stream;
    for (size_t i = 0; i < count; i++, s.step++) {
        const size_t first = i * batch, n = n_rows - first < batch ? n_rows - first : batch;
        plain_step(w, &want, net, rows + first, n, &f[i], &s);
        bad += same_sums(kl_isa_name(k), &found[i], &want, n);
    }
    bad += padding(kl_isa_name(k), net);
    for (size_t j = 0; j < size; j++)
        bad += far(kl_isa_name(k), "weight", j, moved[j], w[j], 1 + 6 * spread, 16 * (int)count,
                   FLT_EPSILON);
    return bad;
}

/* Each record's loss among others is what it is alone; sums, and rows in another order. */
static int evaluations(enum kl_isa k, const struct kl_shallow *net)
{
    static struct seen seen;
    static double w[MOST], all[RECORDS], chosen[EPOCH], alone;
    const size_t size = net->units * (net->inputs + 2) + 1;
    const struct kl_shallow_records records = { x, label };
    struct kl_shallow_sums sums = { 1, 2, 3 }, plain = { 0 }, unread = { 0 }, two = { 1, 2, 3 };
    int bad = 0;
    fill(net);
    for (size_t j = 0; j < size; j++) w[j] = (double)flat[j];
    kl_isa_shallow_evaluate_f32(k)(&sums, all, packed, net, &records, NULL, RECORDS);
    kl_isa_shallow_evaluate_f32(k)(&two, NULL, packed, net, &records, NULL, RECORDS);
    kl_isa_shallow_evaluate_f32(k)(&unread, chosen, packed, net, &records, rows, EPOCH);
    bad += memcmp(&sums, &two, sizeof sums) != 0;
    for (size_t i = 0; i < RECORDS; i++) {
        plain_record(&seen, net, w, i);
        plain.loss += seen.loss, plain.squares += seen.loss * seen.loss;
        plain.wrong += (seen.z > 0) != (label[i] == 1);
        bad +=
            far(kl_isa_name(k), "record's loss", i, all[i], seen.loss, seen.loss + 1, 16, FLT_EPSILON);
        const int64_t row = (int64_t)i;
        kl_isa_shallow_evaluate_f32(k)(&unread, &alone, packed, net, &records, &row, 1);
        bad += alone != all[i];
    }
    for (size_t i = 0; i < EPOCH; i++) bad += chosen[i] != all[rows[i]];
    sums.loss -= 1, sums.squares -= 2, sums.wrong -= 3;
    return bad + same_sums(kl_isa_name(k), &sums, &plain, RECORDS);
}

/* Losses of logits that b2 alone makes, up to what a float holds; to some units in their own last place.
 */
static int margins(enum kl_isa k, enum kl_shallow_loss loss, double floor)
{
    const struct kl_shallow net = { 1, 3, loss, floor };
    static struct seen seen;
    double w[10] = { 0 };
    int bad = 0;
    fill(&net);
    label[0] = 1, label[1] = 0;
    for (int e = -40; e <= 80; e++) {
        memset(flat, 0, sizeof flat);
        flat[9] = (float)ldexp(e % 2 ? -1.3 : 1.3, e / 3), w[9] = (double)flat[9];
        if (fabs(w[9]) > 80 && floor > 0 && floor < 1e-20) continue;
        kl_shallow_pack(packed, flat, &net);
        const struct kl_shallow_records records = { x, label };
        struct kl_shallow_sums sums = { 0 };
        double each[2];
        kl_isa_shallow_evaluate_f32(k)(&sums, each, packed, &net, &records, NULL, 2);
        for (size_t i = 0; i < 2; i++) {
            plain_record(&seen, &net, w, i);
            /* A loss of less than the least normal number is no matter. */
            bad += far(kl_isa_name(k), "margin's loss", (size_t)(e + 40), each[i], seen.loss,
                       seen.loss + 1e-30, 16, FLT_EPSILON);
        }
    }
    return bad;
}

/* The results of many epochs, over the instruction sets. */
static int bits(enum kl_isa k, size_t inputs, size_t units, size_t batch)
{
    static float avx2[MOST + 16 * (KL_SHALLOW_INPUTS + 3)];
    static struct kl_shallow_sums sums[2][EPOCH];
    const struct kl_shallow net = { inputs, units, KL_SHALLOW_BBCE, exp(-4) };
    const struct kl_shallow_records records = { x, label };
    struct kl_langevin_factors f[EPOCH];
    const size_t count = (EPOCH + batch - 1) / batch, bytes = kl_shallow_packed(&net) * sizeof *avx2;
    for (int table = 1; table < 3; table++) {
        if (!kl_isa_is_here(table)) return 0;
        random_state = 88172645463325252ull;
        fill(&net);
        for (size_t i = 0; i < count; i++) f[i] = (struct kl_langevin_factors){ 0.999, 0.01, 0.02 };
        for (uint32_t epoch = 0; epoch < 5; epoch++) {
            struct kl_langevin_stream s = stream;
            s.step += epoch * (uint32_t)count;
            kl_isa_shallow_steps_f32((enum kl_isa)table)(packed, &net, &records, rows, EPOCH, batch, f,
                                                         &s, sums[table - 1], work);
        }
        if (table == 1) memcpy(avx2, packed, bytes);
    }
    if (memcmp(avx2, packed, bytes) == 0 && memcmp(sums[0], sums[1], count * sizeof **sums) == 0)
        return 0;
    printf("%s: avx2 and avx512 differ, %zu inputs, %zu units, batch %zu\n", kl_isa_name(k), inputs,
           units, batch);
    return 1;
}

static int check(enum kl_isa k)
{
    static const size_t units[] = { 1, 15, 16, 17, 100, UNITS },
                        batches[] = { 1, 4, 10, 13, 50, KL_SHALLOW_BATCH };
    int bad = 0;
    for (size_t d = 1; d <= KL_SHALLOW_INPUTS; d++)
        for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
            const struct kl_shallow net = { d, units[u], (d + u) % 2 ? KL_SHALLOW_BBCE : KL_SHALLOW_BCE,
                                            exp(-4) };
            const size_t batch = batches[(d + u) % 6];
            bad +=
                steps(k, &net, batch, batch * 2 + batch / 2, 0) + steps(k, &net, batch, batch * 2, 0.05);
            bad += evaluations(k, &net) + bits(k, d, units[u], batch);
        }
    const struct kl_shallow synth = { 4, UNITS, KL_SHALLOW_BBCE, exp(-4) };
    for (size_t b = 0; b < 6; b++) bad += steps(k, &synth, batches[b], batches[b] * 3, 0.05);
    return bad + margins(k, KL_SHALLOW_BCE, 0) + margins(k, KL_SHALLOW_BBCE, exp(-4)) +
           margins(k, KL_SHALLOW_BBCE, exp(-2)) + margins(k, KL_SHALLOW_BBCE, 1e-30);
}

int main(int argc, char **argv)
{
    const struct kl_shallow largest = { KL_SHALLOW_INPUTS, UNITS, KL_SHALLOW_BCE, 0 };
    packed = aligned_alloc(64, (kl_shallow_packed(&largest) * sizeof *packed + 63) / 64 * 64);
    work = aligned_alloc(64, kl_shallow_work(&largest, KL_SHALLOW_BATCH) * sizeof *work);
    if (!packed || !work) abort();
    const int status = with_each_isa(argc, argv, check, NULL);
    free(packed), free(work);
    return status;
}
