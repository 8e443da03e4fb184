/* SPDX-License-Identifier: MIT
   map: a dataset as mapped memory. What is read is what the caller touches, so that memory does not grow
   with files. */
#ifndef KL_STORE_MAP_H
#define KL_STORE_MAP_H

#include "store/store.h"

struct kl_map {
    struct kl_file *file;
    const struct kl_dataset *dataset;
    const char *rows;        /* the first; NULL: there is none */
    void *base, *copy;       /* (hidden) */
    size_t bytes;            /* (hidden) */
    struct kl_mapped mapped; /* (hidden) */
};
/* The file must outlive it, and the struct stay where it is. KL_EIO, KL_ENOMEM. Close it in any case. */
int kl_store_map_open(struct kl_map *map, struct kl_file *file, const struct kl_dataset *dataset,
                      struct kl_error *err);
/* Rows [row, row + n); each block touched is checked the first time. Thread-safe. NULL with KL_EDATA: a
   block is damaged. */
const void *kl_store_map_rows(const struct kl_map *map, size_t row, size_t n, struct kl_error *err);
/* KL_EIO: the file was written to since it was opened, so rows may be others than were checked. (One
   that is cut ends the tool: kl_signals_map.) To be asked behind the reading, before its result is kept.
 */
int kl_store_map_unchanged(const struct kl_map *map, struct kl_error *err);
void kl_store_map_close(struct kl_map *map);

#endif
