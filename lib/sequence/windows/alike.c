/* SPDX-License-Identifier: MIT
   Windows that hold nothing, or what another one holds: those that never move, and those that are equal
   number by number. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/windows/windows_int.h"

struct digest {
    unsigned char bytes[16];
    size_t window;
};

static int by_digest(const void *a, const void *b)
{
    const struct digest *x = a, *y = b;
    const int order = memcmp(x->bytes, y->bytes, sizeof x->bytes);
    return order ? order : (x->window > y->window) - (x->window < y->window);
}

static bool is_still(const float *x, size_t steps)
{
    for (size_t t = 1; t < steps; t++)
        if (x[t] != x[0]) return false;
    return steps > 1;
}

/* ---- as they were recorded ---- */
/* Filters and a new rate leave ripples of what is beside it in a signal that stands still, so that it is
   looked for before them. */
void kl_sequence_trial_look(struct kl_sequence_trial *trial, const struct kl_sequence_cut *cut,
                            const double *x, size_t channels, size_t n, double rate, double start)
{
    const double event = (trial->onset - start) * rate,
                 first = fmax(nearbyint(event + cut->from * rate), 0),
                 end = fmin(nearbyint(event + cut->to * rate) + 1, (double)n);
    if (!(end - first > 1)) return;
    trial->still = 0;
    for (size_t i = channels; i-- > 0;) {
        const double *from = x + i * n + (size_t)first;
        size_t t = 1;
        while (t < (size_t)(end - first) && from[t] == from[0]) t++;
        if (t == (size_t)(end - first)) trial->still++, trial->first_still = i;
    }
}

void kl_sequence_trial_count(struct kl_sequence_collection *c, const struct kl_sequence_trial *trial)
{
    if (!trial->still) return;
    if (trial->still == c->channels) c->recorded.flat++;
    else if (!c->recorded.still++) c->recorded.first = trial->first_still;
}

/* ---- as they are ---- */
/* Channels that never move are counted; true: it is all of them. */
static bool look(struct kl_sequence_collection *c, size_t window)
{
    size_t still = 0, first = 0;
    for (size_t i = c->channels; i-- > 0;)
        if (is_still(c->x + (window * c->channels + i) * c->steps, c->steps)) still++, first = i;
    if (still == c->channels) return c->alike.flat++, true;
    if (still && !c->alike.still++) c->alike.first = first;
    return false;
}

/* Of windows of one digest, in order: the first of a run of equal ones, and each other one. */
static void compare(struct kl_sequence_collection *c, const struct digest *first,
                    const struct digest *other)
{
    const size_t each = c->channels * c->steps, a = first->window, b = other->window;
    if (memcmp(first->bytes, other->bytes, sizeof first->bytes) ||
        memcmp(c->x + a * each, c->x + b * each, each * sizeof *c->x))
        return;
    const bool contrary = c->labels[a] != c->labels[b];
    if (contrary ? !c->alike.contrary : !c->alike.equal) c->alike.a = a, c->alike.b = b;
    c->alike.equal++, c->alike.contrary += contrary;
}

int kl_sequence_collect_compare(struct kl_sequence_collection *c, struct kl_error *err)
{
    const size_t each = c->channels * c->steps;
    struct digest *all = malloc((c->n + 1) * sizeof *all);
    size_t n = 0;
    if (!all) return kl_fail_memory(err, c->n * sizeof *all);
    memset(&c->alike, 0, sizeof c->alike);
    for (size_t i = 0; i < c->n; i++) {
        if (look(c, i)) continue;
        kl_xxh128(all[n].bytes, c->x + i * each, each * sizeof *c->x);
        all[n++].window = i;
    }
    qsort(all, n, sizeof *all, by_digest);
    for (size_t i = 1, first = 0; i < n; i++) {
        if (memcmp(all[first].bytes, all[i].bytes, sizeof all->bytes)) first = i;
        else compare(c, &all[first], &all[i]);
    }
    free(all);
    if (c->recorded.still > c->alike.still)
        c->alike.still = c->recorded.still, c->alike.first = c->recorded.first;
    if (c->recorded.flat > c->alike.flat) c->alike.flat = c->recorded.flat;
    return 0;
}
