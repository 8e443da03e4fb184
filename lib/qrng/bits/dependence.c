/* SPDX-License-Identifier: MIT
   Dependence of symbols that follow each other: of rows in memory, and of rows that come one after
   another. */
#include "qrng/bits/dependence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"

enum { MOST = 1 << KL_BITS_SYMBOL };

struct kl_successive kl_bits_successive_test(const int64_t *table, size_t n)
{
    struct kl_successive t = { .least = INFINITY };
    double first[MOST] = { 0 }, second[MOST] = { 0 }, total = 0;
    int rows = 0, columns = 0;
    for (size_t i = 0; i < n * n; i++) {
        first[i / n] += (double)table[i];
        second[i % n] += (double)table[i];
        total += (double)table[i];
    }
    for (size_t i = 0; i < n; i++) rows += first[i] > 0, columns += second[i] > 0;
    t.df = rows && columns ? (double)(rows - 1) * (columns - 1) : 0;
    for (size_t i = 0; i < n * n; i++) {
        const double expected = first[i / n] * second[i % n] / total;
        if (!(expected > 0)) continue;
        const double off = (double)table[i] - expected;
        t.chi_square += off * off / expected;
        t.least = fmin(t.least, expected);
    }
    t.log10_p = t.df > 0 ? kl_stats_chi_square_log10_p(t.chi_square, t.df) : NAN;
    return t;
}

/* Adds the symbols of a row, n of them, to a table of `symbols` kinds. */
static void add_successive(int64_t *table, size_t symbols, const uint8_t *row, size_t n)
{
    for (size_t k = 1; k < n; k++) table[row[k - 1] * symbols + row[k]]++;
}

int kl_bits_dependence_judge(struct kl_dependence *d, const struct kl_successive *tests,
                             size_t n_devices, struct kl_error *err)
{
    double *p = malloc(2 * n_devices * sizeof *p), least = INFINITY;
    if (!p) return kl_fail_memory(err, 2 * n_devices * sizeof *p);
    double *const adjusted = p + n_devices;
    size_t tested = 0;
    *d = (struct kl_dependence){ .log10_p = NAN };
    for (size_t i = 0; i < n_devices; i++) {
        if (isnan(tests[i].log10_p)) continue;
        p[tested++] = tests[i].log10_p;
        if (tests[i].log10_p < least) least = tests[i].log10_p, d->device = (int)i;
        d->rough |= tests[i].least < 5;
    }
    const int code = tested ? kl_stats_holm(adjusted, p, tested, err) : KL_OK;
    d->tested = tested > 0;
    for (size_t i = 0; i < tested && !code; i++) d->log10_p = fmin(d->log10_p, adjusted[i]);
    free(p);
    return code;
}

/* A table at a time: of 8 bits it takes half a megabyte, and there may be thousands of devices. */
int kl_bits_dependence_find(struct kl_dependence *d, const struct kl_bits *bits, int width,
                            struct kl_error *err)
{
    const size_t symbols = (size_t)1 << width, bytes = symbols * symbols * sizeof(int64_t),
                 n = (size_t)bits->n_devices, per_row = bits->n_bits / (size_t)width;
    int64_t *table = malloc(bytes);
    uint8_t *row = malloc(per_row + 1);
    struct kl_successive *tests = malloc(n * sizeof *tests);
    int code = table && row && tests ? KL_OK : kl_fail_memory(err, bytes + per_row + n * sizeof *tests);
    for (size_t i = 0; i < n && !code; i++) {
        memset(table, 0, bytes);
        for (size_t r = 0; r < bits->n_rows; r++) {
            if (bits->device[r] != (int32_t)i) continue;
            for (size_t k = 0; k < per_row; k++)
                row[k] = (uint8_t)kl_bits_symbol(kl_bits_row(bits, r), k, width);
            add_successive(table, symbols, row, per_row);
        }
        tests[i] = kl_bits_successive_test(table, symbols);
    }
    if (!code) code = kl_bits_dependence_judge(d, tests, n, err);
    free(table), free(row), free(tests);
    return code;
}

bool kl_bits_may_depend(const struct kl_dependence *d)
{
    return d->tested && d->log10_p < log10(0.05);
}

bool kl_bits_depends(const struct kl_dependence *d)
{
    return d->tested && d->log10_p < -2;
}

const char *kl_bits_depend_words(const struct kl_dependence *d)
{
    return kl_bits_depends(d) ? "depend" : "may depend";
}

void kl_bits_dependence_p(char text[KL_DEPENDENCE_TEXT], const struct kl_dependence *d)
{
    if (d->log10_p > -4) snprintf(text, KL_DEPENDENCE_TEXT, "p %.2g after Holm", pow(10, d->log10_p));
    else snprintf(text, KL_DEPENDENCE_TEXT, "p 10^%.1f after Holm", d->log10_p);
}

int kl_bits_dependence_put(struct kl_writer *w, const struct kl_dependence *d,
                           const char (*names)[KL_BITS_NAME], struct kl_error *err)
{
    int code = d->tested ? kl_store_writer_number(w, "", "dependence_log10_p", d->log10_p, err) : KL_OK;
    return code || !kl_bits_may_depend(d)
               ? code
               : kl_store_writer_text(w, "", "dependence_device", names[d->device], err);
}

/* ---- rows that do not stay ---- */
/* Successive symbols of rows that come one after another and do not stay. */

static int take_device(struct kl_dependence_counts *c, size_t device, struct kl_error *err)
{
    const size_t kinds = (size_t)1 << c->symbol_bits;
    if (device >= c->n_devices) {
        struct kl_device_counts *more = realloc(c->devices, (device + 1) * sizeof *more);
        if (!more) return kl_fail_memory(err, (device + 1) * sizeof *more);
        memset(more + c->n_devices, 0, (device + 1 - c->n_devices) * sizeof *more);
        c->devices = more, c->n_devices = device + 1;
    }
    struct kl_device_counts *own = &c->devices[device];
    if (!own->table) own->table = calloc(kinds * kinds, sizeof *own->table);
    return own->table ? KL_OK : kl_fail_memory(err, kinds * kinds * sizeof *own->table);
}

int kl_bits_dependence_count(struct kl_dependence_counts *c, int32_t device, const uint8_t *row,
                             size_t n, struct kl_error *err)
{
    const int code = take_device(c, (size_t)device, err);
    if (code) return code;
    struct kl_device_counts *own = &c->devices[device];
    const size_t left = KL_DEPENDENCE_FIRST - own->counted, taken = n < left ? n : left;
    add_successive(own->table, (size_t)1 << c->symbol_bits, row, taken);
    own->counted += taken;
    return KL_OK;
}

int kl_bits_dependence_counted(struct kl_dependence *d, const struct kl_dependence_counts *c,
                               struct kl_error *err)
{
    struct kl_successive *tests = malloc((c->n_devices + 1) * sizeof *tests);
    if (!tests) return kl_fail_memory(err, (c->n_devices + 1) * sizeof *tests);
    for (size_t i = 0; i < c->n_devices; i++)
        tests[i] = c->devices[i].table
                       ? kl_bits_successive_test(c->devices[i].table, (size_t)1 << c->symbol_bits)
                       : (struct kl_successive){ .log10_p = NAN };
    const int code = kl_bits_dependence_judge(d, tests, c->n_devices, err);
    free(tests);
    return code;
}

void kl_bits_dependence_counts_free(struct kl_dependence_counts *c)
{
    for (size_t i = 0; i < c->n_devices; i++) free(c->devices[i].table);
    free(c->devices);
    *c = (struct kl_dependence_counts){ .symbol_bits = c->symbol_bits };
}
