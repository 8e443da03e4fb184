/* SPDX-License-Identifier: MIT
   Bits and their statistics, in two passes over the inputs: how many rows there are is known after the
   first. */
#include "qrng/bits/extract.h"

#include <stdlib.h>
#include <string.h>

#include "qrng/bits/words.h"
#include "store/kind.h"

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
    int rc = kl_tallies_begin(&e->tallies, in->n_bits, in->symbol_bits, err);
    while (!rc && !(rc = kl_bits_inputs_next(in, &block, err)) && block->n_rows) {
        rc = kl_tallies_add(&e->tallies, block, err);
        if (!rc) rc = kl_first_rows_take(&e->first, block, err);
        if (!rc) rc = stopped(e, 0, in->n_rows, err);
    }
    if (!rc) kl_tallies_finish(&e->tallies);
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
    kl_row_count(&counts, row, t->n_bits, t->inside, t->work);
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

/* What all stages that read the file look at. */
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
    if (!rc) rc = kl_tallies_save(writer, &e->tallies, e->reference, err);
    if (!rc && !e->only_statistics) rc = write_rows(e, &c, writer, err);
    for (int i = 0; i < N_COLUMNS; i++) free(c.numbers[i]);
    free(c.bytes);
    return rc;
}

void kl_bits_extract_free(struct kl_bits_extract *e)
{
    kl_tallies_free(&e->tallies);
    kl_first_rows_free(&e->first);
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
