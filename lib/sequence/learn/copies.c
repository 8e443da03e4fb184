/* SPDX-License-Identifier: MIT
   Windows that stand in two parts, under whatever names: found by digests of their numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/learn/split.h"
#include "sequence/windows/windows.h"

static const char *const part_names[] = { "training", "validation", "test" };

static bool is_flat(const float *x, size_t channels, size_t steps)
{
    for (size_t c = 0; c < channels; c++, x += steps)
        for (size_t t = 1; t < steps; t++)
            if (x[t] != x[0]) return false;
    return true;
}

int64_t kl_sequence_window_digest(const float *x, size_t channels, size_t steps)
{
    unsigned char bytes[16];
    int64_t digest;
    if (steps > 1 && is_flat(x, channels, steps)) return 0;
    kl_xxh128(bytes, x, channels * steps * sizeof *x);
    memcpy(&digest, bytes, sizeof digest);
    return digest;
}

int kl_sequence_split_digest(struct kl_sequence_split *s, const struct kl_sequence_set *set,
                             struct kl_error *err)
{
    free(s->digests);
    if (!(s->digests = calloc(set->n + 1, sizeof *s->digests)))
        return kl_fail_memory(err, set->n * sizeof *s->digests);
    for (int k = 0; k < KL_SEQUENCE_PARTS; k++)
        for (size_t i = 0; i < s->n[k]; i++) {
            const size_t w = (size_t)s->part[k][i];
            const float *x = kl_sequence_set_window(set, w, err);
            if (!x) return err->code;
            s->digests[w] = kl_sequence_window_digest(x, set->channels, set->steps);
        }
    return KL_OK;
}

struct digest {
    int64_t digest;
    int part;
    size_t window;
};

static int by_digest(const void *a, const void *b)
{
    const struct digest *x = a, *y = b;
    if (x->digest != y->digest) return x->digest < y->digest ? -1 : 1;
    return x->part - y->part;
}

enum { WHERE = 160 };
/* "recording 'S001R04' of 'S001' at 2.5 s" */
static void tell_window(char text[WHERE], const struct kl_sequence_set *set, size_t i)
{
    const int n = snprintf(text, WHERE, "recording '%.50s' of '%.50s'",
                           set->recording_names[set->recording[i]], set->subject_names[set->subject[i]]);
    if (!isnan(set->onset[i])) snprintf(text + n, (size_t)(WHERE - n), " at %g s", set->onset[i]);
}

/* Two windows of one digest, whose numbers decide. */
static int compare_two(const struct digest *a, const struct digest *b, const struct kl_sequence_set *set,
                       struct kl_error *err)
{
    char one[WHERE], other[WHERE];
    const float *x = kl_sequence_set_window(set, a->window, err),
                *y = x ? kl_sequence_set_window(set, b->window, err) : NULL;
    if (!y) return err->code;
    if (memcmp(x, y, set->channels * set->steps * sizeof *x)) return KL_OK;
    tell_window(one, set, a->window), tell_window(other, set, b->window);
    return kl_fail(
        err, KL_EDATA,
        "a window of %s, in the %s part, is that of %s, in the %s part: a copy, and so a leak; "
        "leave one of the two out",
        one, part_names[a->part], other, part_names[b->part]);
}

int kl_sequence_split_check_copies(const struct kl_sequence_split *s, const struct kl_sequence_set *set,
                                   struct kl_error *err)
{
    const size_t n = s->n[0] + s->n[1] + s->n[2];
    struct digest *all = malloc((n + 1) * sizeof *all);
    size_t used = 0;
    int code = KL_OK;
    if (!all) return kl_fail_memory(err, n * sizeof *all);
    for (int k = 0; k < KL_SEQUENCE_PARTS; k++)
        for (size_t i = 0; i < s->n[k]; i++) {
            const size_t w = (size_t)s->part[k][i];
            if (s->digests[w]) all[used++] = (struct digest){ s->digests[w], k, w };
        }
    qsort(all, used, sizeof *all, by_digest);
    for (size_t i = 1; i < used && !code; i++)
        if (all[i].digest == all[i - 1].digest && all[i].part != all[i - 1].part)
            code = compare_two(&all[i - 1], &all[i], set, err);
    free(all);
    return code;
}
