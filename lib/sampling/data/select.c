/* SPDX-License-Identifier: MIT
   Which records of a labelled set are taken: groups of classes, and the reference's quota of each class.
 */
#include <stdlib.h>
#include <string.h>

#include "sampling/data/data.h"

/* One class; *text moves behind it. single: of one digit. */
static int read_class(int *c, const char **text, bool single, int classes, struct kl_error *err)
{
    const char *start = *text;
    char *end;
    if (*start < '0' || *start > '9')
        return kl_fail(err, KL_EUSAGE,
                       "groups: found '%.40s', expected classes, as 01234/56789 or 0,12/3", start);
    if (single) *c = *start - '0', end = (char *)start + 1;
    else *c = (int)(strtoul(start, &end, 10) % 1000000);
    *text = end;
    if (end - start < 7 && *c < classes) return 0;
    return kl_fail(err, KL_EUSAGE,
                   "groups: found class %.*s, expected 0 to %d; the labels have no other",
                   (int)(end - start), start, classes - 1);
}

int kl_sampling_groups_parse(struct kl_sampling_groups *groups, const char *text, int classes,
                             struct kl_error *err)
{
    if (classes < 2 || classes > KL_SAMPLING_CLASSES)
        return kl_fail(err, KL_EDATA, "the labels: found %d class%s, expected 2 to %d", classes,
                       classes == 1 ? "" : "es", KL_SAMPLING_CLASSES);
    *groups = (struct kl_sampling_groups){ .classes = classes, .n_groups = text && *text ? 1 : classes };
    for (int c = 0; c < classes; c++)
        groups->group_of[c] = text && *text ? -1 : c, groups->members[c] = 1;
    if (!text || !*text) return 0;
    groups->members[0] = 0;
    const bool single = classes <= 10 && !strchr(text, ',');
    for (const char *at = text; *at;) {
        int c = 0, g = groups->n_groups - 1;
        const int code = read_class(&c, &at, single, classes, err);
        if (code) return code;
        if (groups->group_of[c] >= 0)
            return kl_fail(err, KL_EUSAGE, "groups '%.80s': class %d is there twice", text, c);
        groups->group_of[c] = g, groups->members[g]++;
        if (*at == ',') at++;
        else if (*at == '/') {
            if (groups->n_groups == classes || !at[1])
                return kl_fail(err, KL_EUSAGE, "groups '%.80s': a group has no class", text);
            groups->members[groups->n_groups++] = 0, at++;
        }
    }
    if (groups->n_groups > 1) return 0;
    return kl_fail(err, KL_EUSAGE, "groups '%.80s': one group, expected two or more, as 01234/56789",
                   text);
}

size_t kl_sampling_select(int64_t *index, size_t *taken, const int32_t *label, size_t n,
                          const struct kl_sampling_groups *groups, size_t size)
{
    size_t count[KL_SAMPLING_CLASSES] = { 0 }, chosen = 0;
    int open = groups->n_groups;
    for (int g = 0; g < groups->n_groups; g++) taken[g] = 0;
    for (size_t i = 0; i < n && open; i++) {
        const int32_t c = label[i], g = c >= 0 && c < groups->classes ? groups->group_of[c] : -1;
        if (g < 0 || (size && taken[g] == size)) continue;
        const size_t members = (size_t)groups->members[g];
        const size_t quota = size / members ? size / members : 1;
        /* The limit is lifted for the last few, so that the group is filled. */
        if (size && taken[g] + members < size && count[c] >= quota) continue;
        count[c]++, taken[g]++, index[chosen++] = (int64_t)i;
        if (taken[g] == size) open--;
    }
    return chosen;
}
