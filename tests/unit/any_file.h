/* SPDX-License-Identifier: MIT
   A file of any kind, of no stage: what the tests of readers fill. */
#ifndef KL_TEST_ANY_FILE_H
#define KL_TEST_ANY_FILE_H

#include "store/store.h"

#define ANY_HEADER(KIND)                                                          \
    {                                                                             \
        .kind = (KIND), .schema = 1, .tool = "test", .key_parts = "{}",           \
        .key = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff" \
    }

static inline int open_any_file(struct kl_writer **w, const char *path, const char *kind,
                                struct kl_error *err)
{
    const struct kl_header header = ANY_HEADER(kind);
    return kl_store_writer_open(w, path, &header, err);
}

#endif
