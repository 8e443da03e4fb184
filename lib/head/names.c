/* SPDX-License-Identifier: MIT
   Names of a head's tensors in other programs: a list of OURS=THEIRS. */
#include <string.h>

#include "head/exchange.h"

struct entry {
    const char *ours, *theirs;
    size_t n_ours, n_theirs;
};

/* The entry that begins at *at, which moves behind it; false: there is none, or it has no '='. */
static bool next_entry(struct entry *e, const char **at)
{
    const size_t n = strcspn(*at, ",");
    const char *equals = memchr(*at, '=', n);
    if (!equals) return false;
    *e = (struct entry){ *at, equals + 1, (size_t)(equals - *at), (size_t)(*at + n - equals - 1) };
    *at += n + ((*at)[n] == ',');
    return e->n_ours > 0 && e->n_theirs > 0;
}

/* What the tensor's name has behind the entry's: "" for the tensor itself, ".weight" or ".bias" for its
   layer; NULL: another tensor. */
static const char *rest_of(const char *name, const struct entry *e)
{
    if (strncmp(name, e->ours, e->n_ours) != 0) return NULL;
    const char *rest = name + e->n_ours;
    return !*rest || strcmp(rest, ".weight") == 0 || strcmp(rest, ".bias") == 0 ? rest : NULL;
}

int kl_head_their_name(char theirs[KL_THEIR_NAME], const char *name, const char *map,
                       struct kl_error *err)
{
    struct entry e, found = { .theirs = name, .n_theirs = strlen(name) };
    const char *rest = "", *fits;
    while (*map && next_entry(&e, &map))
        if ((fits = rest_of(name, &e)) && e.n_ours > found.n_ours) found = e, rest = fits;
    const int n = snprintf(theirs, KL_THEIR_NAME, "%.*s%s", (int)found.n_theirs, found.theirs, rest);
    if (n < KL_THEIR_NAME) return 0;
    return kl_fail(err, KL_EUSAGE, "--map: %s: the name in the file is too long", name);
}

int kl_head_check_map(const char *map, const struct kl_block *block, struct kl_error *err)
{
    struct entry e;
    while (*map) {
        const char *begin = map;
        bool known = false;
        if (!next_entry(&e, &map))
            return kl_fail(err, KL_EUSAGE, "--map: found '%.60s', expected OURS=THEIRS,...", begin);
        for (int t = 0; t < block->n && !known; t++) known = rest_of(block->tensors[t].name, &e);
        if (!known)
            return kl_fail(err, KL_EUSAGE,
                           "--map: %.*s: no tensor or layer of this head, which has %s to %s",
                           (int)(e.n_ours < 60 ? e.n_ours : 60), e.ours, block->tensors[0].name,
                           block->tensors[block->n - 1].name);
    }
    return 0;
}
