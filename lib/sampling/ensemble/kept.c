/* SPDX-License-Identifier: MIT
   Kept weights of a file of chains. */
#include <stdlib.h>
#include <string.h>

#include "sampling/ensemble/ensemble.h"
#include "store/store.h"

int kl_sampling_kept_open(struct kl_sampling_kept *kept, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *set;
    *kept = (struct kl_sampling_kept){ .at = -1 };
    if (!kl_store_file_find(file, "kept/weights"))
        return kl_fail(err, KL_EDATA, "%s: found no kept weights, expected some; sample with --keep",
                       kl_store_file_path(file));
    const int code = kl_store_file_expect(&set, file, "kept/weights", KL_TYPE_F32, 4, err);
    if (code) return code;
    kept->chains = (int64_t)set->dims[0], kept->draws = (int64_t)set->dims[1];
    kept->rungs = set->dims[2], kept->size = set->dims[3], kept->weights = set, kept->file = file;
    kept->chain = malloc((set->row_size + 1));
    return kept->chain ? KL_OK : kl_fail_memory(err, set->row_size);
}

void kl_sampling_kept_close(struct kl_sampling_kept *kept)
{
    free(kept->chain);
    kept->chain = NULL;
}

int kl_sampling_kept_read(float *w, struct kl_sampling_kept *kept, size_t rung, int64_t chain,
                          int64_t draw, struct kl_error *err)
{
    int code = KL_OK;
    if (rung >= kept->rungs || chain < 0 || chain >= kept->chains || draw < 0 || draw >= kept->draws)
        return kl_fail(err, KL_EUSAGE,
                       "%s: found %zu temperatures, %lld chains, %lld kept draws, expected temperature "
                       "%zu, chain %lld, draw %lld among them",
                       kl_store_file_path(kept->file), kept->rungs, (long long)kept->chains,
                       (long long)kept->draws, rung, (long long)chain, (long long)draw);
    if (chain != kept->at)
        code = kl_store_file_rows(kept->file, kept->weights, (size_t)chain, 1, kept->chain, err);
    kept->at = code ? -1 : chain;
    if (!code)
        memcpy(w, kept->chain + ((size_t)draw * kept->rungs + rung) * kept->size,
               kept->size * sizeof *w);
    return code;
}
