/* SPDX-License-Identifier: MIT
   Rows of a device in three parts, and the words in them. */
#include <stdlib.h>
#include <string.h>

#include "qrng/gan/study.h"

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
