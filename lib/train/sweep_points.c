/* SPDX-License-Identifier: MIT
   Points of a sweep: settings, names, keys. All is settled here, before the sweep has a key: files that
   options name are read once. */
#include "train/sweep.h"
#include "train/inputs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Of a file's name: longer ones are cut, so that with ".h5" and what temporaries add it stays one. */
enum { LONGEST_FILE = 200, KEPT = 160 };

/* "lr=1e-3 layers=2"; fold: "0/5", or NULL. */
static int name_point(struct kl_sweep_point *p, const struct kl_grid *grid, size_t point,
                      const char *fold, struct kl_error *err)
{
    size_t used = 0;
    for (int a = 0; a < grid->n_axes; a++) {
        int n = snprintf(p->name + used, KL_SWEEP_NAME - used, "%s%s=%s", a ? " " : "",
                         grid->axes[a].option->name, kl_grid_value(grid, point, a));
        used += (size_t)n;
        if (used >= KL_SWEEP_NAME - (fold ? KL_SWEEP_FOLD : 0))
            return kl_fail(err, KL_EUSAGE, "--grid: the values of a point take more than %d bytes",
                           KL_SWEEP_NAME - 1 - (fold ? KL_SWEEP_FOLD : 0));
    }
    if (fold) snprintf(p->name + used, KL_SWEEP_NAME - used, " fold=%s", fold);
    return KL_OK;
}

int kl_train_sweep_folder(char **folder, const char *output, const char *of, struct kl_error *err)
{
    size_t n = strlen(output);
    if (n > 3 && strcmp(output + n - 3, ".h5") == 0) n -= 3;
    if (asprintf(folder, "%.*s-%ss", (int)n, output, of) >= 0) return KL_OK;
    *folder = NULL;
    return kl_fail_memory(err, n);
}

int kl_train_sweep_point_path(char **path, const char *folder, const char *name, const char *key,
                              struct kl_error *err)
{
    const bool cut = strlen(name) > LONGEST_FILE;
    if (asprintf(path, "%s/%.*s%s%.*s.h5", folder, cut ? KEPT : LONGEST_FILE, name, cut ? "~" : "",
                 cut ? 16 : 0, key) < 0) {
        *path = NULL;
        return kl_fail_memory(err, strlen(folder) + LONGEST_FILE);
    }
    for (char *c = *path + strlen(folder) + 1; *c; c++) *c = *c == ' ' ? '_' : *c == '/' ? '-' : *c;
    return KL_OK;
}

static int make_point(struct kl_sweep_point *p, const struct kl_sweep_job *job, size_t point,
                      struct kl_error *err)
{
    const struct kl_sweep_stage *stage = job->stage;
    const char *fold = job->folds > 1 ? p->fold : NULL;
    snprintf(p->fold, sizeof p->fold, "%zu/%zu", point % job->folds, job->folds);
    point /= job->folds;
    int code = name_point(p, job->grid, point, fold, err);
    if (code) return code;
    if (!(p->values = malloc(stage->settings_size))) return kl_fail_memory(err, stage->settings_size);
    memcpy(p->values, job->base, stage->settings_size);
    p->common = p->values;
    p->train = (struct kl_train_settings *)((char *)p->values + stage->settings_at);
    code = kl_grid_set(job->grid, point, p->values, err);
    if (fold) stage->fold(p->values, fold);
    if (!code) code = stage->settle(stage, p->values, err);
    if (!code) code = stage->key(p->key, job, p->values, err);
    if (!code) code = kl_train_sweep_point_path(&p->path, job->folder, p->name, p->key, err);
    p->common->output = p->path;
    p->common->progress = "none";
    p->common->print_key = p->common->dry_run = p->common->json = false;
    return code;
}

static int by_path(const void *a, const void *b)
{
    const struct kl_sweep_point *const *x = a, *const *y = b;
    return strcmp((*x)->path, (*y)->path);
}

static int by_key(const void *a, const void *b)
{
    const struct kl_sweep_point *const *x = a, *const *y = b;
    return strcmp((*x)->key, (*y)->key);
}

/* Two points that are the same by `order`, the first in the grid's order as *one; *other NULL: none. */
static int find_twice(const struct kl_sweep_point **one, const struct kl_sweep_point **other,
                      const struct kl_sweep_points *s, int (*order)(const void *, const void *),
                      struct kl_error *err)
{
    const struct kl_sweep_point **sorted = malloc((s->n + 1) * sizeof *sorted);
    *one = *other = NULL;
    if (!sorted) return kl_fail_memory(err, s->n * sizeof *sorted);
    for (size_t i = 0; i < s->n; i++) sorted[i] = &s->points[i];
    qsort(sorted, s->n, sizeof *sorted, order);
    for (size_t i = 1; i < s->n && !*other; i++)
        if (order(&sorted[i - 1], &sorted[i]) == 0) *one = sorted[i - 1], *other = sorted[i];
    free(sorted);
    if (*other && *other < *one) {
        const struct kl_sweep_point *first = *other;
        *other = *one, *one = first;
    }
    return KL_OK;
}

/* No two points of one file, and none twice: the best of n would be of fewer than it says. */
static int check_twice(const struct kl_sweep_points *s, struct kl_error *err)
{
    const struct kl_sweep_point *one, *other;
    int code = find_twice(&one, &other, s, by_path, err);
    if (!code && other)
        code = kl_fail(err, KL_EUSAGE, "--grid: '%.255s' and '%.255s' would both be %.255s", one->name,
                       other->name, one->path);
    if (!code) code = find_twice(&one, &other, s, by_key, err);
    if (!code && other)
        code = kl_fail(err, KL_EUSAGE,
                       "--grid: '%.255s' and '%.255s' are one %s: the same in other words, or files of "
                       "the same content; leave one out",
                       one->name, other->name, s->job->stage->kind->name);
    return code;
}

/* The sweep's own file must be none of the points': by its path, as the folder may not be there yet, and
   by its name in the same folder. */
static int check_output(const struct kl_sweep_points *s, struct kl_error *err)
{
    struct stat ours, theirs;
    const char *output = s->job->output, *slash = strrchr(output, '/'),
               *name = slash ? slash + 1 : output;
    char *folder = slash ? strndup(output, (size_t)(name - output)) : strdup(".");
    if (!folder) return kl_fail_memory(err, strlen(output));
    bool same = stat(folder, &ours) == 0 && stat(s->job->folder, &theirs) == 0 &&
                ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
    free(folder);
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->points[i].path, output) == 0 ||
            (same && strcmp(s->points[i].path + strlen(s->job->folder) + 1, name) == 0))
            return kl_fail(err, KL_EUSAGE, "%s: is the file of a %s; give another name with -o", output,
                           s->job->stage->kind->name);
    return KL_OK;
}

int kl_train_sweep_points_make(struct kl_sweep_points *s, const struct kl_sweep_job *job,
                               struct kl_error *err)
{
    const size_t n = job->grid->n * job->folds;
    *s = (struct kl_sweep_points){ .job = job, .points = calloc(n, sizeof *s->points) };
    int code = s->points ? KL_OK : kl_fail_memory(err, n * sizeof *s->points);
    for (; s->n < n && !code; s->n++) code = make_point(&s->points[s->n], job, s->n, err);
    if (!code) code = check_twice(s, err);
    return code ? code : check_output(s, err);
}

struct kl_stage kl_train_sweep_point_stage(const struct kl_sweep_job *job,
                                           const struct kl_sweep_point *point, const struct kl_log *log)
{
    return (struct kl_stage){ .tool = job->stage->tool,
                              .values = point->values,
                              .common = point->common,
                              .log = log,
                              .argc = job->argc,
                              .argv = job->argv,
                              .inputs = job->inputs->paths,
                              .n_inputs = job->inputs->n,
                              .start = kl_clock() };
}

int kl_train_sweep_points_try(struct kl_sweep_points *s, size_t first, size_t n, struct kl_error *err)
{
    const struct kl_sweep_job *job = s->job;
    int code = KL_OK;
    for (size_t i = first; i < first + n && !code; i++) {
        struct kl_sweep_point *p = &s->points[i];
        code = job->stage->count(&p->parameters, job, p->values, err);
    }
    return code;
}

int kl_train_sweep_points_digest(char hex[65], const struct kl_sweep_points *s, struct kl_error *err)
{
    struct kl_sha256 digest;
    int code = kl_sha256_begin(&digest, err);
    if (code) return code;
    for (size_t i = 0; i < s->n; i++) kl_sha256_add(&digest, s->points[i].key, 64);
    kl_sha256_end(&digest, hex);
    return KL_OK;
}

void kl_train_sweep_points_free(struct kl_sweep_points *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->points[i].path);
        if (s->points[i].values && s->job->stage->release) s->job->stage->release(s->points[i].values);
        free(s->points[i].values);
    }
    free(s->points);
    *s = (struct kl_sweep_points){ 0 };
}

/* ---- The input files of a training: opened, put in the order of their contents, into its key
   ---- */

static int by_content(const void *a, const void *b)
{
    return strcmp(kl_store_file_content(*(struct kl_file *const *)a),
                  kl_store_file_content(*(struct kl_file *const *)b));
}

int kl_train_inputs_open(struct kl_train_inputs *in, const char *const *paths, size_t n,
                         const struct kl_kind *kind, struct kl_error *err)
{
    int code = KL_OK;
    *in = (struct kl_train_inputs){ .files = calloc(n + 1, sizeof *in->files), .paths = paths };
    if (!in->files) return kl_fail_memory(err, n * sizeof *in->files);
    for (; in->n < n && !code; in->n++)
        code = kl_store_file_open_kind(&in->files[in->n], paths[in->n], kind, err);
    if (code) return code;
    qsort(in->files, n, sizeof *in->files, by_content);
    for (size_t i = 1; i < n; i++)
        if (by_content(&in->files[i - 1], &in->files[i]) == 0)
            return kl_fail(err, KL_EUSAGE, "%s has the same content as %s; give it once",
                           kl_store_file_path(in->files[i]), kl_store_file_path(in->files[i - 1]));
    return KL_OK;
}

int kl_train_inputs_key(struct kl_key *key, const struct kl_train_inputs *in, const char *role,
                        struct kl_error *err)
{
    int code = KL_OK;
    for (size_t i = 0; i < in->n && !code; i++)
        code = kl_store_key_input(key, role, kl_store_file_content(in->files[i]), err);
    return code;
}

void kl_train_inputs_close(struct kl_train_inputs *in)
{
    for (size_t i = 0; i < in->n; i++) kl_store_file_close(&in->files[i]);
    free(in->files);
    *in = (struct kl_train_inputs){ 0 };
}
