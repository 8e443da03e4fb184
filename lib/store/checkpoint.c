/* SPDX-License-Identifier: MIT
   The checkpoint beside a target, .NAME.checkpoint: the state of a stopped run. It bears no tag of a
   process, because the next run looks for this very name. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/kind.h"
#include "store/store_int.h"

int kl_store_checkpoint_path(char **path, const char *target, struct kl_error *err)
{
    char prefix[160];
    *path = NULL;
    if (!target || strcmp(target, "-") == 0) return KL_OK;
    const char *name = kl_store_path_name(target);
    kl_store_name_prefix(prefix, name);
    if (asprintf(path, "%.*s%scheckpoint", (int)(name - target), target, prefix) >= 0) return KL_OK;
    *path = NULL;
    return kl_fail_memory(err, strlen(target));
}

/* The kind is the store's own; what such a file holds is the business of its stage. */
static const struct kl_kind checkpoint = { .name = "checkpoint" };

bool kl_store_checkpoint_is(const char *name)
{
    static const char ending[] = ".checkpoint";
    size_t n = strlen(name), end = sizeof ending - 1;
    return name[0] == '.' && n > end + 1 && strcmp(name + n - end, ending) == 0;
}

bool kl_store_checkpoint_is_ours(const char *path, struct kl_error *err)
{
    struct kl_file *file = NULL;
    bool ours = kl_store_file_open_kind(&file, path, &checkpoint, err) == 0;
    kl_store_file_close(&file);
    return ours;
}

int kl_store_checkpoint_write(const char *path, const struct kl_stage *stage, kl_checkpoint_save_fn save,
                              void *context, struct kl_error *err)
{
    struct kl_writer *writer = NULL;
    struct kl_header header = stage->header;
    if (!path) return KL_OK;
    header.kind = "checkpoint";
    int code = kl_store_writer_open(&writer, path, &header, err);
    if (!code) code = save(context, writer, err);
    if (!code) return kl_store_writer_publish(&writer, NULL, err);
    kl_store_writer_abort(&writer);
    return code;
}

bool kl_store_checkpoint_fits(const char *path, const char *key)
{
    struct kl_file *file = NULL;
    bool fits = kl_store_file_open_kind(&file, path, &checkpoint, NULL) == 0 &&
                strcmp(kl_store_file_key(file), key) == 0 && kl_store_file_verify(file, NULL, NULL) == 0;
    kl_store_file_close(&file);
    return fits;
}

void kl_store_checkpoint_say_forgotten(const char *path, const struct kl_log *log, const char *first)
{
    kl_note(log, 1,
            "%s is of a stopped run with other options or inputs, and is deleted after this one's first "
            "%s; to keep it, stop now and give another -o",
            path, first);
}

int kl_store_checkpoint_resume(struct kl_file **file, bool *older, const char *path,
                               const struct kl_stage *stage, const struct kl_log *log, const char *first,
                               struct kl_error *err)
{
    struct kl_error problem;
    *file = NULL, *older = false;
    if (!path || access(path, F_OK) != 0) return KL_OK;
    int code = kl_store_file_open_kind(file, path, &checkpoint, &problem);
    if (!code && stage->common->force) {
        *older = true;
        kl_note(log, 1, "%s is of a stopped run; with --force this one begins anew", path);
    } else if (!code && strcmp(kl_store_file_key(*file), stage->key) != 0) {
        *older = true;
        kl_store_checkpoint_say_forgotten(path, log, first);
    } else if (!code) code = kl_store_file_verify(*file, NULL, &problem);
    if (code || *older) kl_store_file_close(file);
    if (code == KL_EDATA) {
        *older = true;
        kl_note(log, 1, "%s; this run begins anew", problem.text);
        return KL_OK;
    }
    return code ? kl_fail(err, code, "%s", problem.text) : KL_OK;
}

void kl_store_checkpoint_remove(const char *path, const char *key)
{
    struct kl_file *file = NULL;
    char *folder;
    if (key) {
        bool same = kl_store_file_open_kind(&file, path, &checkpoint, NULL) == 0 &&
                    strcmp(kl_store_file_key(file), key) == 0;
        kl_store_file_close(&file);
        if (!same) return;
    }
    unlink(path);
    /* A run that was killed while it wrote a checkpoint left that one's temporary. */
    if (!(folder = kl_store_path_folder(path))) return;
    kl_store_temporary_sweep(folder, kl_store_path_name(path), false, NULL, NULL);
    free(folder);
}
