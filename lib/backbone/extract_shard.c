/* SPDX-License-Identifier: MIT
   The part of the images that a shard of extract-features takes. */
#include "backbone/extract.h"

int kl_backbone_extract_shard(size_t *first, size_t *n, size_t images, size_t shard, size_t shards,
                              struct kl_error *err)
{
    const size_t blocks = (images + KL_EXTRACT_BLOCK - 1) / KL_EXTRACT_BLOCK;
    if (shards > blocks)
        return kl_fail(err, KL_EUSAGE,
                       "%zu shards of %zu images: at most %zu, each of at least one block of %d", shards,
                       images, blocks, (int)KL_EXTRACT_BLOCK);
    const size_t begin = blocks / shards * shard + (shard < blocks % shards ? shard : blocks % shards);
    const size_t end = begin + blocks / shards + (shard < blocks % shards);
    *first = begin * KL_EXTRACT_BLOCK;
    *n = (end * KL_EXTRACT_BLOCK < images ? end * KL_EXTRACT_BLOCK : images) - *first;
    return 0;
}
