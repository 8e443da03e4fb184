/* SPDX-License-Identifier: MIT
   The checkpoint beside a target, .NAME.checkpoint: the state of a stopped run. It bears no tag of a
   process, because the next run looks for this very name. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/store_int.h"

int kl_checkpoint_path(char **path, const char *target, struct kl_error *err)
{
    char prefix[160];
    const char *name = kl_path_name(target);
    kl_name_prefix(prefix, name);
    if (asprintf(path, "%.*s%scheckpoint", (int)(name - target), target, prefix) >= 0) return KL_OK;
    *path = NULL;
    return kl_fail_memory(err, strlen(target));
}

bool kl_checkpoint_is(const char *name)
{
    static const char ending[] = ".checkpoint";
    size_t n = strlen(name), end = sizeof ending - 1;
    return name[0] == '.' && n > end + 1 && strcmp(name + n - end, ending) == 0;
}

bool kl_checkpoint_is_ours(const char *path, struct kl_error *err)
{
    struct kl_file *file = NULL;
    bool ours = kl_file_open_kind(&file, path, "checkpoint", err) == 0;
    kl_file_close(&file);
    return ours;
}

bool kl_checkpoint_fits(const char *path, const char *key)
{
    struct kl_file *file = NULL;
    bool fits = kl_file_open_kind(&file, path, "checkpoint", NULL) == 0 &&
                strcmp(kl_file_key(file), key) == 0 && kl_file_verify(file, NULL, NULL) == 0;
    kl_file_close(&file);
    return fits;
}

void kl_checkpoint_remove(const char *path, const char *key)
{
    struct kl_file *file = NULL;
    char *folder;
    if (key) {
        bool same = kl_file_open_kind(&file, path, "checkpoint", NULL) == 0 &&
                    strcmp(kl_file_key(file), key) == 0;
        kl_file_close(&file);
        if (!same) return;
    }
    unlink(path);
    /* A run that was killed while it wrote a checkpoint left that one's temporary. */
    if (!(folder = kl_path_folder(path))) return;
    kl_temporary_sweep(folder, kl_path_name(path), false, NULL, NULL);
    free(folder);
}
