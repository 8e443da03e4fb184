/* SPDX-License-Identifier: MIT
   Exported weights as the bytes of a file, with what they are. */
#include <stdio.h>
#include <stdlib.h>

#include "head/exchange.h"
#include "store/store.h"

int kl_head_export_bytes(unsigned char **bytes, size_t *n, const struct kl_weights *weights,
                         struct kl_file *head, int64_t replica, enum kl_weights_format format,
                         struct kl_error *err)
{
    const struct kl_dataset *names;
    char which[32] = "all", *config = NULL, *classes = NULL, *features = NULL;
    if (replica >= 0) snprintf(which, sizeof which, "%lld", (long long)replica);
    int code = kl_store_file_text(&config, head, "", "config", err);
    if (!code) code = kl_store_file_expect(&names, head, "class_names", KL_TYPE_STRING, 1, err);
    if (!code) code = kl_store_file_load((void **)&classes, head, names, err);
    if (!code) code = kl_head_origin_text(&features, head, err);
    if (!code) {
        const struct kl_weights_word words[] = { { "created_by", "qconvert " KL_VERSION, 0, 0 },
                                                 { "key", kl_store_file_key(head), 0, 0 },
                                                 { "replica", which, 0, 0 },
                                                 { "config", config, 0, 0 },
                                                 { "features", features, 0, 0 },
                                                 { "class_names", classes, names->dims[0],
                                                   names->item_size } };
        code = kl_weights_make(bytes, n, format, weights, words, sizeof words / sizeof *words, err);
    }
    free(config);
    free(features);
    free(classes);
    return code;
}
