/* SPDX-License-Identifier: MIT
   A file of raw bytes, written as it comes and published whole. */
#include <stdlib.h>
#include <string.h>

#include "store/store_int.h"

struct kl_raw {
    struct kl_temporary temporary;
    uint64_t size; /* written */
    size_t n;      /* in the buffer */
    unsigned char buffer[1 << 16];
};

int kl_store_raw_open(struct kl_raw **raw, const char *path, struct kl_error *err)
{
    *raw = calloc(1, sizeof **raw);
    if (!*raw) return kl_fail_memory(err, sizeof **raw);
    const int code = kl_store_temporary_open(&(*raw)->temporary, path, err);
    if (!code) return KL_OK;
    free(*raw);
    *raw = NULL;
    return code;
}

static int flush(struct kl_raw *raw, struct kl_error *err)
{
    const struct kl_temporary *t = &raw->temporary;
    const int code = kl_store_pwrite_all(t->fd, raw->buffer, raw->n, raw->size, t->target, err);
    raw->size += raw->n;
    raw->n = 0;
    return code;
}

int kl_store_raw_write(struct kl_raw *raw, const void *data, size_t n, struct kl_error *err)
{
    const unsigned char *from = data;
    int code = KL_OK;
    while (!code && n) {
        const size_t room = sizeof raw->buffer - raw->n, part = n < room ? n : room;
        memcpy(raw->buffer + raw->n, from, part);
        raw->n += part, from += part, n -= part;
        if (raw->n == sizeof raw->buffer) code = flush(raw, err);
    }
    return code;
}

int kl_store_raw_publish(struct kl_raw **raw, struct kl_error *err)
{
    int code = flush(*raw, err);
    if (!code) code = kl_store_temporary_publish(&(*raw)->temporary, err);
    else kl_store_temporary_abort(&(*raw)->temporary);
    free(*raw);
    *raw = NULL;
    return code;
}

void kl_store_raw_abort(struct kl_raw **raw)
{
    if (*raw) kl_store_temporary_abort(&(*raw)->temporary);
    free(*raw);
    *raw = NULL;
}
