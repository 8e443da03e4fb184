/* SPDX-License-Identifier: MIT
   Successive symbols of rows that come one after another and do not stay. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/bits/dependence.h"

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

int kl_dependence_count(struct kl_dependence_counts *c, int32_t device, const uint8_t *row, size_t n,
                        struct kl_error *err)
{
    const int code = take_device(c, (size_t)device, err);
    if (code) return code;
    struct kl_device_counts *own = &c->devices[device];
    const size_t left = KL_DEPENDENCE_FIRST - own->counted, taken = n < left ? n : left;
    kl_successive_add(own->table, (size_t)1 << c->symbol_bits, row, taken);
    own->counted += taken;
    return KL_OK;
}

int kl_dependence_counted(struct kl_dependence *d, const struct kl_dependence_counts *c,
                          struct kl_error *err)
{
    struct kl_successive *tests = malloc((c->n_devices + 1) * sizeof *tests);
    if (!tests) return kl_fail_memory(err, (c->n_devices + 1) * sizeof *tests);
    for (size_t i = 0; i < c->n_devices; i++)
        tests[i] = c->devices[i].table
                       ? kl_successive_test(c->devices[i].table, (size_t)1 << c->symbol_bits)
                       : (struct kl_successive){ .log10_p = NAN };
    const int code = kl_dependence_judge(d, tests, c->n_devices, err);
    free(tests);
    return code;
}

void kl_dependence_counts_free(struct kl_dependence_counts *c)
{
    for (size_t i = 0; i < c->n_devices; i++) free(c->devices[i].table);
    free(c->devices);
    *c = (struct kl_dependence_counts){ .symbol_bits = c->symbol_bits };
}
