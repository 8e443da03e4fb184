/* SPDX-License-Identifier: MIT
   Statistics of all devices, and of their pairs, as datasets. */
#include <stdlib.h>

#include "qrng/bits/device_pairs.h"
#include "qrng/bits/extract.h"
#include "qrng/bits/symbols.h"

enum { MOST_PAIRED = 64, REFERENCE_RUNS = 14 };

static int save_counts(struct kl_writer *writer, const char *name, int rank, const size_t *dims,
                       const double *values, size_t n, struct kl_error *err)
{
    int64_t *counts = malloc(n * sizeof *counts);
    if (!counts) return kl_fail_memory(err, n * sizeof *counts);
    for (size_t i = 0; i < n; i++) counts[i] = (int64_t)values[i];
    int rc = kl_store_writer_put(writer, name, KL_TYPE_I64, 0, rank, dims, counts, err);
    free(counts);
    return rc;
}

/* NAME [devices] or [devices, width], and NAME_se. */
static int save_statistic(struct kl_writer *writer, const struct kl_statistic *s,
                          const struct kl_tallies *t, struct kl_error *err)
{
    const size_t width = kl_statistic_width(s, t->n_bits, t->symbol_bits), n = (size_t)t->n_devices;
    const size_t dims[] = { n, width };
    const int rank = s->width == KL_ONE ? 1 : 2;
    char name[64];
    double *values = malloc(2 * n * width * sizeof *values);
    if (!values) return kl_fail_memory(err, 2 * n * width * sizeof *values);
    double *const errors = values + n * width;
    for (size_t d = 0; d < n; d++)
        kl_statistic_values(values + d * width, errors + d * width, s, &t->devices[d]);
    snprintf(name, sizeof name, "%s_se", s->name);
    int rc = s->count ? save_counts(writer, s->name, rank, dims, values, n * width, err)
                      : kl_store_writer_put(writer, s->name, KL_TYPE_F64, 0, rank, dims, values, err);
    if (!rc && s->has_error)
        rc = kl_store_writer_put(writer, name, KL_TYPE_F64, 0, rank, dims, errors, err);
    free(values);
    return rc;
}

/* One number for each pair of devices. */
static int save_pairs(struct kl_writer *writer, const char *name, const struct kl_tallies *t, size_t n,
                      double (*of)(const struct kl_tally *a, const struct kl_tally *b),
                      struct kl_error *err)
{
    size_t i = 0;
    double *values = malloc(n * sizeof *values);
    if (!values) return kl_fail_memory(err, n * sizeof *values);
    for (int a = 0; a < t->n_devices; a++)
        for (int b = a + 1; b < t->n_devices; b++) values[i++] = of(&t->devices[a], &t->devices[b]);
    int rc = kl_store_writer_put(writer, name, KL_TYPE_F64, 0, 1, &n, values, err);
    free(values);
    return rc;
}

static double symbol_divergence(const struct kl_tally *a, const struct kl_tally *b)
{
    return kl_jensen_shannon(NULL, a->symbols, b->symbols, (size_t)1 << a->symbol_bits);
}

static double symbol_divergence_error(const struct kl_tally *a, const struct kl_tally *b)
{
    double error;
    kl_jensen_shannon(&error, a->symbols, b->symbols, (size_t)1 << a->symbol_bits);
    return error;
}

static int save_devices_of_pairs(struct kl_writer *writer, int n_devices, size_t n, struct kl_error *err)
{
    const size_t dims[] = { n, 2 };
    size_t i = 0;
    int32_t *devices = malloc(2 * n * sizeof *devices);
    if (!devices) return kl_fail_memory(err, 2 * n * sizeof *devices);
    for (int a = 0; a < n_devices; a++)
        for (int b = a + 1; b < n_devices; b++) devices[i++] = a, devices[i++] = b;
    int rc = kl_store_writer_put(writer, "pairs/devices", KL_TYPE_I32, 0, 2, dims, devices, err);
    free(devices);
    return rc;
}

/* Of many devices the pairs are the tournament's work. */
static int save_all_pairs(struct kl_writer *writer, const struct kl_tallies *t, bool reference,
                          struct kl_error *err)
{
    const size_t n = (size_t)t->n_devices * (size_t)(t->n_devices - 1) / 2;
    if (n == 0 || t->n_devices > MOST_PAIRED) return KL_OK;
    int rc = save_devices_of_pairs(writer, t->n_devices, n, err);
    if (!rc) rc = save_pairs(writer, "pairs/js_symbol", t, n, symbol_divergence, err);
    if (!rc) rc = save_pairs(writer, "pairs/js_symbol_se", t, n, symbol_divergence_error, err);
    if (rc || !reference) return rc;
    rc = save_pairs(writer, "reference/js_position", t, n, kl_reference_position_divergence, err);
    if (!rc)
        rc = save_pairs(writer, "reference/js_position_normalised_first", t, n, kl_position_divergence,
                        err);
    if (!rc)
        rc = save_pairs(writer, "reference/histogram_kl", t, n, kl_reference_histogram_divergence, err);
    return rc;
}

/* The study reads rows by line number and misses the first one of each device but the first. */
static double cut_rate(const struct kl_tally *t, int device)
{
    double ones = 0;
    for (size_t j = 0; j < t->n_bits; j++) ones += (double)t->ones_at[j];
    if (device == 0) return ones / ((double)t->rows * (double)t->n_bits);
    return (ones - (double)t->first_row_ones) / ((double)(t->rows - 1) * (double)t->n_bits);
}

static int save_reference(struct kl_writer *writer, const struct kl_tallies *t, struct kl_error *err)
{
    const size_t n = (size_t)t->n_devices, dims[] = { n, REFERENCE_RUNS };
    double *values = malloc(n * (REFERENCE_RUNS + 2) * sizeof *values);
    if (!values) return kl_fail_memory(err, n * (REFERENCE_RUNS + 2) * sizeof *values);
    double *last = values + n, *runs = last + n;
    for (size_t d = 0; d < n; d++) {
        values[d] = cut_rate(&t->devices[d], (int)d);
        last[d] = (double)t->devices[d].last_row_ones / (double)t->n_bits;
        for (int i = 0; i < REFERENCE_RUNS; i++)
            runs[d * REFERENCE_RUNS + (size_t)i] = (double)t->devices[d].reference_runs[i];
    }
    int rc = kl_store_writer_put(writer, "reference/rate", KL_TYPE_F64, 0, 1, dims, values, err);
    if (!rc)
        rc = kl_store_writer_put(writer, "reference/last_row_rate", KL_TYPE_F64, 0, 1, dims, last, err);
    if (!rc) rc = save_counts(writer, "reference/run_lengths", 2, dims, runs, n * REFERENCE_RUNS, err);
    free(values);
    return rc;
}

int kl_tallies_save(struct kl_writer *writer, const struct kl_tallies *t, bool reference,
                    struct kl_error *err)
{
    int rc = KL_OK;
    for (const struct kl_statistic *s = kl_statistics; s->name && !rc; s++)
        rc = save_statistic(writer, s, t, err);
    if (!rc) rc = save_all_pairs(writer, t, reference, err);
    return rc || !reference ? rc : save_reference(writer, t, err);
}
