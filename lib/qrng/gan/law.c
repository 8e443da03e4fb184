/* SPDX-License-Identifier: MIT
   Laws over words and cells: the study's grid of rates, words of a device's rows, kernel distance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/gan.h"
#include "kernels/inline/gan.h"
#include "qrng/gan/gan.h"
#include "qrng/gan/study.h"

/* ---- The table that the study's generators learn: differences of rates. ---- */
double kl_gan_grid(double g[KL_GRID_CELLS], const double a[KL_GRID_BITS], const double b[KL_GRID_BITS])
{
    double least = INFINITY, sum = 0;
    for (size_t k = 0; k < KL_GRID_CELLS; k++) {
        g[k] = b[k % KL_GRID_BITS] - a[k / KL_GRID_BITS];
        least = fmin(least, g[k]);
    }
    for (size_t k = 0; k < KL_GRID_CELLS; k++) sum += g[k] -= least;
    return sum;
}

/* With R and P the sums of what was clipped: sum r / R ln((r / R) / (p / P)). */
double kl_gan_divergence(const double *target, const double *law, size_t n)
{
    double sums[3] = { 0 };
    const size_t whole = law ? n / KL_GAN_COLUMNS * KL_GAN_COLUMNS : 0;
    if (whole) kl_kernel_gan_divergence_f64()(sums, target, law, whole);
    for (size_t k = whole; k < n; k++) {
        const double r = kl_clipped(target[k]), p = law ? kl_clipped(law[k]) : 1;
        sums[0] += r, sums[1] += p;
        sums[2] += r * log(r / p);
    }
    return sums[2] / sums[0] + log(sums[1] / sums[0]);
}

/* ---- Rows of a device in three parts, and the words in them. ---- */
enum { LEAST_ROWS = 10 /* of a device: two are held out, without which nothing has a spread */ };

int kl_gan_split(struct kl_gan_rows *rows, const struct kl_bits *bits, int32_t device, uint64_t seed,
                 struct kl_error *err)
{
    size_t n = 0;
    int64_t *own = calloc(bits->n_rows + 1, sizeof *own);
    rows->rows = malloc(bits->n_rows * sizeof *rows->rows);
    if (!own || !rows->rows) {
        free(own);
        return kl_fail_memory(err, 2 * bits->n_rows * sizeof *own);
    }
    for (size_t r = 0; r < bits->n_rows; r++)
        if (bits->device[r] == device) own[n++] = (int64_t)r;
    kl_nn_shuffle(rows->rows, own, n, seed, (uint32_t)device);
    free(own);
    rows->from[0] = 0;
    rows->from[1] = n * 7 / 10;
    rows->from[2] = n * 8 / 10;
    rows->from[3] = n;
    if (n >= LEAST_ROWS) return KL_OK;
    return kl_fail(err, KL_EDATA, "device %s: %zu row%s, expected %d or more", bits->names[device], n,
                   kl_s(n), LEAST_ROWS);
}

int kl_gan_note_unequal(const struct kl_log *log, const struct kl_bits *bits, struct kl_error *err)
{
    size_t *rows = malloc((size_t)bits->n_devices * sizeof *rows), least = SIZE_MAX, most = 0;
    if (!rows) return kl_fail_memory(err, (size_t)bits->n_devices * sizeof *rows);
    kl_bits_count_rows(rows, bits);
    for (int d = 0; d < bits->n_devices; d++) {
        if (rows[d] < least) least = rows[d];
        if (rows[d] > most) most = rows[d];
    }
    free(rows);
    if (least < most)
        kl_caution(log,
                   "devices have %zu to %zu rows: KL(b||a) is too large where a has fewer and too small "
                   "where b has; 'difference' is not; for KL give all the same number",
                   least, most);
    return KL_OK;
}

double kl_gan_count(double *counts, const struct kl_bits *bits, const struct kl_gan_rows *rows,
                    enum kl_gan_part part, int m)
{
    const size_t words = bits->n_bits / (size_t)m;
    memset(counts, 0, ((size_t)1 << m) * sizeof *counts);
    for (size_t i = rows->from[part]; i < rows->from[part + 1]; i++)
        for (size_t k = 0; k < words; k++)
            counts[kl_gan_word(kl_bits_row(bits, (size_t)rows->rows[i]), k, m)]++;
    return (double)(words * (rows->from[part + 1] - rows->from[part]));
}

void kl_gan_smooth(double *law, const double *counts, size_t n_cells)
{
    double all = 0;
    for (size_t k = 0; k < n_cells; k++) all += counts[k] + 0.5;
    for (size_t k = 0; k < n_cells; k++) law[k] = (counts[k] + 0.5) / all;
}

void kl_gan_row_means(double *means, const double *table, const struct kl_bits *bits,
                      const struct kl_gan_rows *rows, enum kl_gan_part part, int m)
{
    const size_t words = bits->n_bits / (size_t)m;
    for (size_t i = rows->from[part]; i < rows->from[part + 1]; i++) {
        double sum = 0;
        for (size_t k = 0; k < words; k++)
            sum += table[kl_gan_word(kl_bits_row(bits, (size_t)rows->rows[i]), k, m)];
        *means++ = sum / (double)words;
    }
}

/* ---- Kernel distance of two laws over words of bits: a product over the bits, so that the kernel is
   applied bit after bit, as a Walsh-Hadamard transform is. Gretton et al. 2012, JMLR 13; for Born
   machines Liu & Wang 2018, arXiv:1804.04168. */
enum { SCALES = 3 };

static void apply(double *x, int n_bits, double off)
{
    const size_t n = (size_t)1 << n_bits;
    for (size_t half = 1; half < n; half *= 2)
        for (size_t i = 0; i < n; i++) {
            if (i & half) continue;
            const double a = x[i], b = x[i | half];
            x[i] = a + off * b;
            x[i | half] = b + off * a;
        }
}

double kl_gan_mmd(double *k, const float *p, const float *r, int n_bits, double *scratch)
{
    const size_t n = (size_t)1 << n_bits;
    double *difference = scratch, *x = scratch + n, sum = 0;
    for (size_t i = 0; i < n; i++) difference[i] = (double)p[i] - (double)r[i];
    memset(k, 0, n * sizeof *k);
    for (int s = 0; s < SCALES; s++) {
        const double variance = n_bits * pow(4, s) / 16;
        memcpy(x, difference, n * sizeof *x);
        apply(x, n_bits, exp(-1 / (2 * variance)));
        for (size_t i = 0; i < n; i++) k[i] += x[i] / SCALES;
    }
    for (size_t i = 0; i < n; i++) sum += difference[i] * k[i];
    return sum;
}
