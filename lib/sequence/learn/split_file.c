/* SPDX-License-Identifier: MIT
   The group split/ of files of models and of fits: which windows of which files of whom are in which
   part, and their digests, by which copies of them are known. */
#include "sequence/learn/split_file.h"

#include <stdlib.h>

#include "sequence/windows/names.h"

static int put_list(struct kl_writer *w, const char *name, const int32_t *values, size_t n,
                    struct kl_error *err)
{
    const int code = kl_store_writer_put(w, name, KL_TYPE_I32, 0, 1, &n, values, err);
    return code < 0 ? code : KL_OK;
}
static int put_part(struct kl_writer *w, const struct kl_sequence_split *split, size_t n,
                    struct kl_error *err)
{
    int32_t *const part = malloc((n + 1) * sizeof *part);
    if (!part) return kl_fail_memory(err, n * sizeof *part);
    for (size_t i = 0; i < n; i++) part[i] = -1;
    for (int32_t k = 0; k < KL_SEQUENCE_PARTS; k++)
        for (size_t i = 0; i < split->n[k]; i++) part[split->part[k][i]] = k;
    const int code = put_list(w, "split/part", part, n, err);
    free(part);
    return code;
}
static int put_digests(struct kl_writer *w, const struct kl_sequence_split *split, size_t n,
                       struct kl_error *err)
{
    if (!split->digests) return KL_OK;
    const int code = kl_store_writer_put(w, "split/digest", KL_TYPE_I64, 0, 1, &n, split->digests, err);
    return code < 0 ? code : KL_OK;
}
static int put_counts(struct kl_writer *w, struct kl_file *const *files, size_t n, struct kl_error *err)
{
    int32_t *const counts = malloc((n + 1) * sizeof *counts);
    if (!counts) return kl_fail_memory(err, n * sizeof *counts);
    for (size_t i = 0; i < n; i++) counts[i] = (int32_t)kl_store_file_find(files[i], "x")->rows;
    const int code = put_list(w, "split/file_windows", counts, n, err);
    free(counts);
    return code;
}
static int put_names(struct kl_writer *w, const char *name, char *const *names, size_t n,
                     struct kl_error *err)
{
    return kl_sequence_names_put(w, name, (const char *const *)names, n, err);
}

int kl_sequence_split_put(struct kl_writer *w, const struct kl_sequence_set *set,
                          const struct kl_sequence_split *split, struct kl_file *const *files,
                          size_t n_files, struct kl_error *err)
{
    const char **const contents = malloc((n_files + 1) * sizeof *contents);
    if (!contents) return kl_fail_memory(err, n_files * sizeof *contents);
    for (size_t i = 0; i < n_files; i++) contents[i] = kl_store_file_content(files[i]);
    int code = kl_sequence_names_put(w, "split/files", contents, n_files, err);
    free(contents);
    if (!code) code = put_counts(w, files, n_files, err);
    if (!code) code = put_part(w, split, set->n, err);
    if (!code) code = put_digests(w, split, set->n, err);
    if (!code) code = put_list(w, "split/subject", set->subject, set->n, err);
    if (!code) code = put_list(w, "split/recording", set->recording, set->n, err);
    if (!code) code = put_names(w, "split/subject_names", set->subject_names, set->n_subjects, err);
    return code ? code
                : put_names(w, "split/recording_names", set->recording_names, set->n_recordings, err);
}
