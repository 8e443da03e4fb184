/* SPDX-License-Identifier: MIT
   What the targets of weights share. */
#ifndef KL_FUZZ_TENSORS_H
#define KL_FUZZ_TENSORS_H

#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/frame/fuzz.h"
#include "weights/weights_int.h"

typedef int parser(struct kl_weights *weights, const struct kl_bytes *file, struct kl_error *err);

static inline void need_same(const struct kl_weights *a, const struct kl_weights *b)
{
    need(a->n == b->n, "another number of tensors when read again", "");
    for (size_t i = 0; i < a->n; i++) {
        const struct kl_weight *x = &a->tensors[i], *y = kl_weights_find(b, x->name);
        size_t n = 1;
        for (int d = 0; d < x->rank; d++) n *= x->dims[d];
        need(n == x->n, "another number of elements than the shape says", x->name);
        need(y && y->rank == x->rank && memcmp(x->dims, y->dims, (size_t)x->rank * sizeof *x->dims) == 0,
             "another shape when read again", x->name);
        need(x->n == 0 || memcmp(x->data, y->data, x->n * sizeof *x->data) == 0,
             "other values when read again", x->name);
    }
}

/* Names as those of layers, which every format can hold. */
static inline bool has_plain_names(const struct kl_weights *w)
{
    for (size_t i = 0; i < w->n; i++) {
        const char *name = w->tensors[i].name;
        for (const char *c = name; *c; c++)
            if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._", *c))
                return false;
        if (!*name || *name == '.' || name[strlen(name) - 1] == '.' || strstr(name, "..") ||
            strcmp(name, "created_by") == 0 || strncmp(name, "__", 2) == 0)
            return false;
    }
    return true;
}

/* Written in a format, read again, the same. */
static inline void need_again(const struct kl_weights *w, enum kl_weights_format format, parser *parser)
{
    const struct kl_weights_word word = { .name = "created_by", .text = "fuzz" };
    struct kl_error err = { 0 };
    struct kl_weights *again = calloc(1, sizeof *again);
    struct kl_bytes file = { .path = "again" };
    unsigned char *bytes = NULL;
    int code = kl_weights_make(&bytes, &file.n, format, w, &word, 1, &err);
    file.data = bytes;
    need(code == 0, "cannot be written", err.text);
    code = parser(again, &file, &err);
    need(code == 0, "cannot be read again", err.text);
    need_same(w, again);
    kl_weights_free(&again);
    free(bytes);
}

/* True: it was read. */
static inline bool check_weights(parser *parser, const unsigned char *data, size_t n)
{
    struct kl_error err = { 0 };
    struct kl_bytes file = { data, n, "x" };
    struct kl_weights *w = calloc(1, sizeof *w);
    const int code = parser(w, &file, &err);
    if (code) need_refusal(code, KL_EDATA, KL_EDATA, &err);
    if (!code && has_plain_names(w)) {
        need_again(w, KL_SAFETENSORS, kl_weights_safetensors_parse);
        need_again(w, KL_NPZ, kl_weights_npz_parse);
    }
    kl_weights_free(&w);
    return code == 0;
}

#endif
