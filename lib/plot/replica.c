/* SPDX-License-Identifier: MIT */
#include "plot/plot.h"
#include "store/store.h"

int kl_which_replica(char which[KL_WHICH], const struct kl_figure_inputs *inputs, size_t n,
                     struct kl_error *err)
{
    *which = '\0';
    if ((size_t)inputs->replica >= n)
        return kl_fail(err, KL_EUSAGE, "--replica %lld: %s has %zu head%s, numbered from 0",
                       (long long)inputs->replica, kl_file_path(inputs->file), n, kl_s(n));
    if (n > 1)
        snprintf(which, KL_WHICH, "replica %lld (of 0 to %zu)", (long long)inputs->replica, n - 1);
    return KL_OK;
}
