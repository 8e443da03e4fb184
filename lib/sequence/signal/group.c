/* SPDX-License-Identifier: MIT
   Channels side by side: padded, laid into lanes and taken out of them; the groups handed to threads,
   each with workspace that is kept. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sequence/signal/signal_int.h"

enum { ROW = KL_SEQUENCE_GROUP };
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
static inline pair firsts(pair a, pair b)
{
    return __builtin_shufflevector(a, b, 0, 2);
}
static inline pair seconds(pair a, pair b)
{
    return __builtin_shufflevector(a, b, 1, 3);
}

/* Points [0, n) of the rows, in order or, with step -1, back from where they begin, each times sign plus
   its base: one point of all rows after another, two by two. */
static inline void lay(double *to, const double *const *rows, size_t n, int step, const double *base,
                       double sign)
{
    const ptrdiff_t back = step > 0 ? 0 : -1;
    size_t j = 0;
    for (; j + 2 <= n; j += 2)
        for (size_t c = 0; c < ROW; c += 2) {
            const ptrdiff_t at = step * (ptrdiff_t)j + back;
            const pair a = *(const pair *)(rows[c] + at), b = *(const pair *)(rows[c + 1] + at);
            const pair bases = *(const pair *)(base + c);
            *(pair *)(to + j * ROW + c) = bases + sign * (step > 0 ? firsts(a, b) : seconds(a, b));
            *(pair *)(to + (j + 1) * ROW + c) = bases + sign * (step > 0 ? seconds(a, b) : firsts(a, b));
        }
    for (; j < n; j++)
        for (size_t c = 0; c < ROW; c++) to[j * ROW + c] = base[c] + sign * rows[c][step * (ptrdiff_t)j];
}

void kl_sequence_group_load(double *to, const double *x, size_t n, struct kl_sequence_group group,
                            size_t before, size_t after)
{
    const size_t left = before < n - 1 ? before : n - 1, right = after < n - 1 ? after : n - 1;
    const double *rows[ROW], *ends[ROW], zeros[ROW] = { 0 };
    double first[ROW], last[ROW];
    for (size_t c = 0; c < ROW; c++) {
        const double *row = x + (group.first + (c < group.channels ? c : 0)) * n;
        rows[c] = row + left, ends[c] = row + n - 2; /* where the reflections begin */
        first[c] = 2 * row[0], last[c] = 2 * row[n - 1];
    }
    memset(to, 0, (before - left) * ROW * sizeof *to), to += (before - left) * ROW;
    lay(to, rows, left, -1, first, -1), to += left * ROW;
    for (size_t c = 0; c < ROW; c++) rows[c] -= left;
    lay(to, rows, n, 1, zeros, 1), to += n * ROW;
    lay(to, ends, right, -1, last, -1), to += right * ROW;
    memset(to, 0, (after - right) * ROW * sizeof *to);
    to -= (before + n + right) * ROW;
    for (size_t j = 0; j < before + n + after && group.channels < ROW; j++)
        for (size_t c = group.channels; c < ROW; c++) to[j * ROW + c] = 0;
}

void kl_sequence_group_store(double *x, const double *from, size_t n, struct kl_sequence_group group,
                             size_t skip)
{
    const size_t even = group.channels / 2 * 2;
    from += skip * ROW, x += group.first * n;
    size_t j = 0;
    for (; j + 2 <= n; j += 2, from += 2 * ROW)
        for (size_t c = 0; c < even; c += 2) {
            const pair a = *(const pair *)(from + c), b = *(const pair *)(from + ROW + c);
            *(pair *)(x + c * n + j) = firsts(a, b);
            *(pair *)(x + (c + 1) * n + j) = seconds(a, b);
        }
    if (j < n)
        for (size_t c = 0; c < even; c++) x[c * n + j] = from[c];
    from -= j * ROW;
    for (j = 0; j < n && even < group.channels; j++) x[even * n + j] = from[j * ROW + even];
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
