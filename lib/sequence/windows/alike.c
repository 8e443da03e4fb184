/* SPDX-License-Identifier: MIT
   Windows that hold nothing, or what another one holds: those that never move, and those that are equal
   number by number. */
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
    return 0;
}
