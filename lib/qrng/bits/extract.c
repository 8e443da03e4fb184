/* SPDX-License-Identifier: MIT
   Bits and their statistics as a file of kind device-bits, in two passes over the inputs: how many
   rows there are is known after the first. */
#include "qrng/bits/bits_int.h"

#include <stdlib.h>
#include <string.h>

#include "qrng/bits/bits.h"
#include "store/kind.h"

/* ---- statistics as datasets ---- */
/* Those of all devices, and of their pairs. */

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
    const size_t width = kl_bits_statistic_width(s, t->n_bits, t->symbol_bits), n = (size_t)t->n_devices;
    const size_t dims[] = { n, width };
    const int rank = s->width == KL_ONE ? 1 : 2;
    char name[64];
    double *values = malloc(2 * n * width * sizeof *values);
    if (!values) return kl_fail_memory(err, 2 * n * width * sizeof *values);
    double *const errors = values + n * width;
    for (size_t d = 0; d < n; d++)
        kl_bits_statistic_values(values + d * width, errors + d * width, s, &t->devices[d]);
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
    return kl_bits_jensen_shannon(NULL, a->symbols, b->symbols, (size_t)1 << a->symbol_bits);
}

static double symbol_divergence_error(const struct kl_tally *a, const struct kl_tally *b)
{
    double error;
    kl_bits_jensen_shannon(&error, a->symbols, b->symbols, (size_t)1 << a->symbol_bits);
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
    rc = save_pairs(writer, "reference/js_position", t, n, kl_bits_reference_position_divergence, err);
    if (!rc)
        rc = save_pairs(writer, "reference/js_position_normalised_first", t, n,
                        kl_bits_position_divergence, err);
    if (!rc)
        rc = save_pairs(writer, "reference/histogram_kl", t, n, kl_bits_reference_histogram_divergence,
                        err);
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

static int save_tallies(struct kl_writer *writer, const struct kl_tallies *t, bool reference,
                        struct kl_error *err)
{
    int rc = KL_OK;
    for (const struct kl_statistic *s = kl_statistics; s->name && !rc; s++)
        rc = save_statistic(writer, s, t, err);
    if (!rc) rc = save_all_pairs(writer, t, reference, err);
    return rc || !reference ? rc : save_reference(writer, t, err);
}

/* ---- two passes ---- */

/* One dataset of rows, and a block of it. */
enum { BITS, LABELS, SYMBOLS, ONES, TRANSITIONS, RUNS, N_COLUMNS };
static const char *const names[] = {
    "bits", "labels", "features/symbol_counts", "features/ones", "features/transitions", "features/runs"
};
struct columns {
    int dataset[N_COLUMNS];
    size_t width[N_COLUMNS];
    uint8_t *bytes;
    int32_t *numbers[N_COLUMNS]; /* all but BITS */
    size_t rows;                 /* room for so many */
};

/* The second pass reads all rows again. */
static int stopped(const struct kl_bits_extract *e, size_t pass, size_t done, struct kl_error *err)
{
    const size_t rows = pass == 0 ? e->inputs.expected_rows : e->n_rows;
    const size_t total = e->only_statistics ? rows : 2 * rows;
    if (kl_watch_step(e->watch, pass * rows + done, total, "") == 0) return KL_OK;
    return kl_fail(err, KL_ESIGNAL, "stopped; nothing is kept");
}

int kl_bits_extract_count(struct kl_bits_extract *e, struct kl_error *err)
{
    const struct kl_bits *block;
    struct kl_bits_inputs *in = &e->inputs;
    int rc = kl_bits_tallies_begin(&e->tallies, in->n_bits, in->symbol_bits, err);
    while (!rc && !(rc = kl_bits_inputs_next(in, &block, err)) && block->n_rows) {
        rc = kl_bits_tallies_add(&e->tallies, block, err);
        if (!rc) rc = kl_bits_first_rows_take(&e->first, block, err);
        if (!rc) rc = stopped(e, 0, in->n_rows, err);
    }
    if (!rc) kl_bits_tallies_finish(&e->tallies);
    e->n_rows = in->n_rows;
    return rc;
}

static int declare(struct columns *c, struct kl_writer *writer, size_t rows, struct kl_error *err)
{
    for (int i = 0; i < N_COLUMNS; i++) {
        const size_t dims[] = { rows, c->width[i] };
        const int rank = i == BITS || i == SYMBOLS || i == TRANSITIONS ? 2 : 1;
        c->dataset[i] = kl_store_writer_dataset(writer, names[i], i == BITS ? KL_TYPE_U8 : KL_TYPE_I32,
                                                0, rank, dims, err);
        if (c->dataset[i] < 0) return c->dataset[i];
    }
    return KL_OK;
}

static int make_room(struct columns *c, size_t rows, struct kl_error *err)
{
    if (rows <= c->rows) return KL_OK;
    for (int i = 0; i < N_COLUMNS; i++) {
        const size_t size = rows * c->width[i] * (i == BITS ? 1 : sizeof **c->numbers);
        void *more = realloc(i == BITS ? (void *)c->bytes : c->numbers[i], size);
        if (!more) return kl_fail_memory(err, size);
        if (i == BITS) c->bytes = more;
        else c->numbers[i] = more;
    }
    c->rows = rows;
    return KL_OK;
}

static void fill_row(struct columns *c, size_t r, const uint64_t *row, const struct kl_tallies *t)
{
    struct kl_row_counts counts;
    int32_t *symbols = c->numbers[SYMBOLS] + r * c->width[SYMBOLS];
    kl_bits_pack(c->bytes + r * c->width[BITS], row, t->n_bits);
    memset(symbols, 0, c->width[SYMBOLS] * sizeof *symbols);
    for (size_t k = 0; k < t->n_bits / (size_t)t->symbol_bits; k++)
        symbols[kl_bits_symbol(row, k, t->symbol_bits)]++;
    kl_bits_row_counts(&counts, row, t->n_bits, t->inside, t->work);
    c->numbers[ONES][r] = (int32_t)counts.ones;
    for (int i = 0; i < 4; i++) c->numbers[TRANSITIONS][4 * r + i] = (int32_t)counts.transitions[i];
    c->numbers[RUNS][r] = (int32_t)(counts.transitions[1] + counts.transitions[2]) + 1;
}

static int write_block(struct columns *c, struct kl_writer *writer, size_t row,
                       const struct kl_bits *block, const struct kl_tallies *t, struct kl_error *err)
{
    int rc = make_room(c, block->n_rows, err);
    if (rc) return rc;
    for (size_t r = 0; r < block->n_rows; r++) {
        fill_row(c, r, kl_bits_row(block, r), t);
        c->numbers[LABELS][r] = block->device[r];
    }
    for (int i = 0; i < N_COLUMNS && !rc; i++)
        rc = kl_store_writer_rows(writer, c->dataset[i], row, block->n_rows,
                                  i == BITS ? (void *)c->bytes : c->numbers[i], err);
    return rc;
}

static int write_rows(struct kl_bits_extract *e, struct columns *c, struct kl_writer *writer,
                      struct kl_error *err)
{
    const struct kl_bits *block;
    const size_t total = e->n_rows;
    size_t row = 0;
    int rc = kl_bits_inputs_rewind(&e->inputs, err);
    while (!rc && !(rc = kl_bits_inputs_next(&e->inputs, &block, err)) && block->n_rows) {
        if (row + block->n_rows > total) break;
        rc = write_block(c, writer, row, block, &e->tallies, err);
        row += block->n_rows;
        if (!rc) rc = stopped(e, 1, row, err);
    }
    if (!rc && row != total)
        rc = kl_fail(err, KL_EIO, "%s: an input changed while it was read", e->inputs.paths[0]);
    return rc;
}

/* Write the part that all stages which read the file look at. */
static int write_head(const struct kl_bits_extract *e, struct kl_writer *writer, struct kl_error *err)
{
    const size_t n = (size_t)e->inputs.n_devices;
    int rc = kl_store_writer_put(writer, "class_names", KL_TYPE_STRING, KL_BITS_NAME, 1, &n,
                                 e->inputs.names, err);
    if (!rc) rc = kl_store_writer_integer(writer, "", "n_bits", (int64_t)e->inputs.n_bits, err);
    if (!rc) rc = kl_store_writer_integer(writer, "", "n_rows", (int64_t)e->n_rows, err);
    if (!rc) rc = kl_store_writer_integer(writer, "", "symbol_bits", e->inputs.symbol_bits, err);
    return rc;
}

int kl_bits_extract_save(struct kl_bits_extract *e, struct kl_writer *writer, struct kl_error *err)
{
    struct columns c = { .width = { (e->inputs.n_bits + 7) / 8, 1, (size_t)1 << e->inputs.symbol_bits, 1,
                                    4, 1 } };
    int rc = e->only_statistics ? KL_OK : declare(&c, writer, e->n_rows, err);
    if (!rc) rc = write_head(e, writer, err);
    if (!rc) rc = save_tallies(writer, &e->tallies, e->reference, err);
    if (!rc && !e->only_statistics) rc = write_rows(e, &c, writer, err);
    for (int i = 0; i < N_COLUMNS; i++) free(c.numbers[i]);
    free(c.bytes);
    return rc;
}

void kl_bits_extract_free(struct kl_bits_extract *e)
{
    kl_bits_tallies_free(&e->tallies);
    kl_bits_first_rows_free(&e->first);
    kl_bits_inputs_close(&e->inputs);
}

static const struct kl_kind_table tables[] = {
    { .name = "devices",
      .axes = { { "device", "class_names" } },
      .columns = { KL_KIND_COLUMN("rows", "device_stats/rows", "rows", "%.0f"),
                   KL_KIND_COLUMN("rate", "device_stats/rate", "rate of 1", "%.4f"),
                   KL_KIND_COLUMN("symbol_entropy", "device_stats/symbol_entropy", "bits a symbol",
                                  "%.4f"),
                   KL_KIND_COLUMN("successive_log10_p", "device_tests/successive_log10_p",
                                  "log10 p, successive symbols", "%.1f") } },
    { .name = NULL }
};
const struct kl_kind kl_bits_kind = {
    .name = "device-bits", .maker = "extract-features --qrng", .classes = "class_names", .tables = tables
};
