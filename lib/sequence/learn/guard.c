/* SPDX-License-Identifier: MIT
   What a split promises beside its parts: that no window of one is a copy of another's, and that people
   are people as far as their names say so. */
#include <string.h>

#include "sequence/learn/split.h"
#include "sequence/windows/windows.h"

/* Sessions of one person that pass for people would stand on both sides. */
void kl_sequence_caution_people(const struct kl_sequence_set *set, const struct kl_log *log)
{
    size_t n = 0;
    const char *first = NULL;
    for (size_t i = 0; i < set->n_subjects; i++) {
        if (!set->unsaid[i]) continue;
        if (!n++ || strcmp(set->subject_names[i], first) < 0) first = set->subject_names[i];
    }
    if (n)
        kl_caution(log,
                   "%zu of %zu people %s named by a file alone, as '%.60s', which does not say whose it "
                   "is: two sessions of one person would stand on both sides of the split; --subject of "
                   "qseq windows says it",
                   n, set->n_subjects, n == 1 ? "is" : "are", first);
}

int kl_sequence_split_guard(struct kl_sequence_split *split, const struct kl_sequence_set *set,
                            enum kl_sequence_split_kind kind, const struct kl_log *log,
                            struct kl_error *err)
{
    int code = kl_sequence_split_digest(split, set, err);
    if (kind == KL_SEQUENCE_SPLIT_LEAK) return code;
    if (!code) code = kl_sequence_split_check_copies(split, set, err);
    if (!code) code = kl_sequence_split_check_near(split, set, log, err);
    if (!code && kl_sequence_split_across(kind)) kl_sequence_caution_people(set, log);
    return code;
}
