/* SPDX-License-Identifier: MIT
   A growing list of names, and those in a folder. */
#ifndef KL_NAMES_INT_H
#define KL_NAMES_INT_H

#include "base/base.h"

struct kl_names {
    char **items;
    size_t n, room;
};
/* Takes ownership of item, which may be NULL: KL_ENOMEM. */
int kl_names_add(struct kl_names *names, char *item, struct kl_error *err);
/* What is in a folder, sorted: its sub-folders, or its PNG files. */
int kl_names_list(struct kl_names *names, const char *path, bool folders, struct kl_error *err);
void kl_names_free(struct kl_names *names);
/* "FOLDER/NAME", malloc'ed. */
char *kl_path_join(const char *folder, const char *name);

#endif
