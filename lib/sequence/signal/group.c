/* SPDX-License-Identifier: MIT
   Channels side by side: padded, laid into lanes and taken out of them; the groups handed to threads,
   each with workspace that is kept. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sequence/signal/signal_int.h"

enum { ROW = KL_SEQUENCE_GROUP, TILE = 64 };

/* Point i of the padded signal, whose own first point is number 0. */
static inline double padded(const double *x, size_t n, ptrdiff_t i)
{
    const ptrdiff_t last = (ptrdiff_t)n - 1;
    if (i >= 0 && i <= last) return x[i];
    if (i < 0) return -i <= last ? 2 * x[0] - x[-i] : 0;
    return i - last <= last ? 2 * x[last] - x[2 * last - i] : 0;
}

/* A tile of points of all channels lies in the first cache. */
void kl_sequence_group_load(double *to, const double *x, size_t n, struct kl_sequence_group group,
                            size_t before, size_t after)
{
    const size_t all = before + n + after;
    for (size_t first = 0; first < all; first += TILE) {
        const size_t end = first + TILE < all ? first + TILE : all;
        const bool inside = first >= before && end <= before + n;
        for (size_t c = 0; c < ROW; c++) {
            const double *row = x + (group.first + c) * n;
            double *out = to + c;
            if (c >= group.channels)
                for (size_t j = first; j < end; j++) out[j * ROW] = 0;
            else if (inside)
                for (size_t j = first; j < end; j++) out[j * ROW] = row[j - before];
            else
                for (size_t j = first; j < end; j++)
                    out[j * ROW] = padded(row, n, (ptrdiff_t)j - (ptrdiff_t)before);
        }
    }
}

void kl_sequence_group_store(double *x, const double *from, size_t n, struct kl_sequence_group group,
                             size_t skip)
{
    for (size_t first = 0; first < n; first += TILE) {
        const size_t end = first + TILE < n ? first + TILE : n;
        for (size_t c = 0; c < group.channels; c++) {
            double *row = x + (group.first + c) * n;
            for (size_t j = first; j < end; j++) row[j] = from[(skip + j) * ROW + c];
        }
    }
}

/* ---- workspace ---- */
/* On 2 MiB pages where the system has them: a transform goes through megabytes in long steps. */
static void *take(size_t bytes)
{
    enum { HUGE_PAGE = 2 << 20 };
    const size_t align = bytes >= HUGE_PAGE ? HUGE_PAGE : 64;
    void *memory = NULL;
    if (bytes > SIZE_MAX - HUGE_PAGE || posix_memalign(&memory, align, (bytes | (align - 1)) + 1))
        return NULL;
    if (align == HUGE_PAGE) madvise(memory, (bytes | (align - 1)) + 1, MADV_HUGEPAGE); /* advice alone */
    return memory;
}

static int reserve(struct kl_sequence_workspace *w, int threads, size_t bytes, struct kl_error *err)
{
    if (w->threads < threads) {
        void **memory = calloc((size_t)threads, sizeof *memory);
        size_t *each = calloc((size_t)threads, sizeof *each);
        if (!memory || !each) {
            free(memory), free(each);
            return kl_fail_memory(err, (size_t)threads * 16);
        }
        for (int t = 0; t < w->threads; t++) memory[t] = w->memory[t], each[t] = w->bytes[t];
        free(w->memory), free(w->bytes);
        *w = (struct kl_sequence_workspace){ memory, each, threads };
    }
    for (int t = 0; t < threads; t++) {
        if (w->bytes[t] >= bytes) continue;
        free(w->memory[t]);
        w->memory[t] = take(bytes), w->bytes[t] = w->memory[t] ? bytes : 0;
        if (!w->memory[t]) return kl_fail_memory(err, bytes);
    }
    return 0;
}

void kl_sequence_workspace_free(struct kl_sequence_workspace *w)
{
    for (int t = 0; t < w->threads; t++) free(w->memory[t]);
    free(w->memory), free(w->bytes);
    *w = (struct kl_sequence_workspace){ 0 };
}

/* ---- groups to threads ---- */
struct share {
    size_t channels;
    void (*run)(void *context, struct kl_sequence_group group, void *memory);
    void *context;
    void *const *memory;
};
static void one_group(void *context, size_t i, int thread)
{
    const struct share *s = context;
    const size_t first = i * ROW, left = s->channels - first;
    const struct kl_sequence_group group = { first, left < ROW ? left : ROW };
    s->run(s->context, group, s->memory[thread]);
}

int kl_sequence_groups(size_t channels, size_t bytes,
                       void (*run)(void *context, struct kl_sequence_group group, void *memory),
                       void *context, struct kl_sequence_workspace *workspace, struct kl_pool *pool,
                       struct kl_error *err)
{
    const int code = reserve(workspace, pool ? kl_pool_size(pool) : 1, bytes, err);
    if (code) return code;
    struct share share = { channels, run, context, workspace->memory };
    kl_pool_for(pool, (channels + ROW - 1) / ROW, one_group, &share);
    return 0;
}
