/* SPDX-License-Identifier: MIT
   Several inputs as one sequence of rows, each input a device. */
#include <stdlib.h>
#include <string.h>

#include "qrng/bits/bits_int.h"

/* Which options need and exclude each other. */
static int check_how(const struct kl_bits_how *how, struct kl_error *err)
{
    const char *encoding = how->encoding;
    if (how->packed && encoding)
        return kl_fail(err, KL_EUSAGE, "--packed and --encoding %s: bytes are one or the other",
                       encoding);
    if (how->packed && !how->row_bits)
        return kl_fail(err, KL_EUSAGE, "--packed: bytes have no rows; give --bits N, the bits of one");
    if (encoding && strcmp(encoding, "symbols") == 0 && !how->symbol_bits)
        return kl_fail(err, KL_EUSAGE,
                       "--encoding symbols: give --symbol-bits N, the bits that a byte has");
    if (encoding && !how->row_bits)
        return kl_fail(err, KL_EUSAGE, "--encoding %s: has no rows; give --bits N, the bits of one",
                       encoding);
    if (how->row_bits && !how->packed && !encoding)
        return kl_fail(err, KL_EUSAGE,
                       "--bits belongs to --packed and --encoding; other inputs say how long rows are");
    return KL_OK;
}

int kl_bits_inputs_open(struct kl_bits_inputs *in, const char *const *paths, size_t n,
                        const struct kl_bits_how *how, struct kl_error *err)
{
    *in = (struct kl_bits_inputs){ .paths = paths, .n = n };
    if (n == 0) return kl_fail(err, KL_EUSAGE, "no input");
    int rc = check_how(how, err);
    if (rc) return rc;
    in->sources = calloc(n, sizeof *in->sources);
    if (!in->sources) return kl_fail_memory(err, n * sizeof *in->sources);
    for (size_t i = 0; i < n; i++) {
        rc = kl_bits_open(&in->sources[i], paths[i], how, err);
        if (rc) return rc;
        in->expected_rows += in->sources[i]->expected_rows;
        const struct kl_bits *b = &in->sources[i]->block, *first = &in->sources[0]->block;
        if (b->n_bits != first->n_bits || b->symbol_bits != first->symbol_bits)
            return kl_fail(err, KL_EDATA,
                           "%s: rows of %zu bits and symbols of %d, in %s they have %zu and %d",
                           in->sources[i]->path, b->n_bits, b->symbol_bits, in->sources[0]->path,
                           first->n_bits, first->symbol_bits);
    }
    in->n_bits = in->sources[0]->block.n_bits;
    in->symbol_bits = in->sources[0]->block.symbol_bits;
    return KL_OK;
}

static bool is_taken(const struct kl_bits_inputs *in, const char *name)
{
    for (int d = 0; d < in->n_devices; d++)
        if (strcmp(in->names[d], name) == 0) return true;
    return false;
}

/* Files of one name in two folders are two devices, and so is one file that is given twice: the second
   one's name ends in its number, "bits#2". */
static void tell_apart(char name[KL_BITS_NAME], const struct kl_bits_inputs *in)
{
    char own[KL_BITS_NAME], number[16];
    memcpy(own, name, sizeof own);
    for (int i = in->n_devices + 1; is_taken(in, name); i++) {
        const int n = snprintf(number, sizeof number, "#%d", i);
        memset(name, 0, KL_BITS_NAME);
        snprintf(name, KL_BITS_NAME, "%.*s%s", KL_BITS_NAME - 1 - n, own, number);
    }
}

/* The devices of an input that has been read to its end. */
static int take_names(struct kl_bits_inputs *in, const struct kl_bits_source *s, struct kl_error *err)
{
    const struct kl_bits *b = &s->block;
    const size_t n = (size_t)(in->n_devices + b->n_devices);
    if (in->n > 1 && b->n_devices > 1)
        return kl_fail(err, KL_EDATA, "%s: holds %d devices; of several inputs each is one", s->path,
                       b->n_devices);
    char(*names)[KL_BITS_NAME] = realloc(in->names, n * sizeof *names);
    if (!names) return kl_fail_memory(err, n * sizeof *names);
    memcpy(names + in->n_devices, b->names, (size_t)b->n_devices * sizeof *names);
    in->names = names;
    if (in->n > 1) tell_apart(names[in->n_devices], in);
    in->n_devices = (int)n;
    in->n_dropped += b->n_dropped;
    if (b->used_bits && (!in->used_bits || b->used_bits < in->used_bits)) in->used_bits = b->used_bits;
    return KL_OK;
}

int kl_bits_inputs_next(struct kl_bits_inputs *in, const struct kl_bits **block, struct kl_error *err)
{
    for (; in->at < in->n; in->at++) {
        struct kl_bits_source *s = in->sources[in->at];
        int rc = kl_bits_next(s, block, err);
        for (size_t r = 0; r < s->block.n_rows && !rc; r++) s->block.device[r] += in->n_devices;
        in->n_rows += s->block.n_rows;
        if (rc || s->block.n_rows) return rc;
        if ((rc = take_names(in, s, err))) return rc;
    }
    return KL_OK;
}

int kl_bits_inputs_rewind(struct kl_bits_inputs *in, struct kl_error *err)
{
    in->at = in->n_rows = in->n_dropped = 0;
    in->n_devices = in->used_bits = 0;
    for (size_t i = 0; i < in->n; i++) {
        int rc = kl_bits_rewind(in->sources[i], err);
        if (rc) return rc;
    }
    return KL_OK;
}

void kl_bits_inputs_close(struct kl_bits_inputs *in)
{
    for (size_t i = 0; i < in->n && in->sources; i++) kl_bits_close(&in->sources[i]);
    free(in->sources);
    free(in->names);
    *in = (struct kl_bits_inputs){ 0 };
}
