/* SPDX-License-Identifier: MIT
   means: a toy stage that trains nothing (docs/adding-a-stage.md): each class's mean feature vector. */
#include <math.h>
#include <stdlib.h>

#include "backbone/extract.h"
#include "head/features.h"
#include "store/kind.h"
#include "store/mode.h"

struct values {
    struct kl_common common;
    double power;
};
static const struct kl_option options[] = {
    { "power", 0, KL_OPT_FLOAT, offsetof(struct values, power), "P", -10, 10, true,
      "of each feature before it is added up", "Means", NULL },
};
static const struct kl_tool tool = {
    .name = "means",
    .summary = "Means of features, class by class",
    .arguments = "FEATURES.h5 -o MEANS.h5",
    .example = "means train.h5 -o means.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "seed device",
};

struct work {
    struct kl_file *file;
    struct kl_features f;
    double *means, *count; /* (classes, features); of each class */
};

static void defaults(void *values)
{
    ((struct values *)values)->power = 1;
}

static int open_features(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    const int code = kl_store_file_open_kind(&w->file, *run->stage.inputs, &kl_features_kind, err);
    run->few[run->n_parents++] = w->file;
    return code;
}

static int key(struct kl_mode_run *run, struct kl_key *key, struct kl_error *err)
{
    return kl_store_key_input(key, "features", kl_store_file_content(((struct work *)run->state)->file),
                              err);
}

static int compute(struct kl_mode_run *run, struct kl_error *err)
{
    const struct values *v = run->values;
    struct work *w = run->state;
    const struct kl_features *f = &w->f;
    const int code = kl_head_features_load(&w->f, w->file, err);
    if (code) return code;
    w->means = calloc(f->n_classes * f->d, sizeof *w->means);
    w->count = calloc(f->n_classes, sizeof *w->count);
    if (!w->means || !w->count) return kl_fail_memory(err, f->n_classes * f->d * sizeof *w->means);
    for (size_t i = 0; i < f->n; i++) {
        double *mean = w->means + (size_t)f->labels[i] * f->d;
        w->count[f->labels[i]]++;
        for (size_t j = 0; j < f->d; j++) mean[j] += pow(f->x[i * f->d + j], v->power);
        if (kl_watch_step(run->watch, i + 1, f->n, NULL)) return kl_fail(err, KL_ESIGNAL, "stopped");
    }
    for (size_t k = 0; k < f->n_classes * f->d; k++) w->means[k] /= w->count[k / f->d];
    return KL_OK;
}

static int save(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err)
{
    const struct work *w = run->state;
    const size_t dims[] = { w->f.n_classes, w->f.d };
    return kl_store_writer_put(writer, "means", KL_TYPE_F64, 0, 2, dims, w->means, err);
}

static int remark(struct kl_mode_run *run, struct kl_error *err)
{
    const struct work *w = run->state;
    (void)err;
    for (size_t k = 0; k < w->f.n_classes; k++)
        if (!w->count[k]) kl_caution(run->stage.log, "class %zu has no rows, and no mean", k);
    return KL_OK;
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    const struct work *w = run->state;
    const struct kl_json_pair pairs[] = { { "classes", KL_JSON_COUNT, NULL, (double)w->f.n_classes } };
    return kl_store_mode_json(run, to, pairs, 1, err);
}

static void words(struct kl_mode_run *run, FILE *to)
{
    fprintf(to, "%s: means of %zu classes\n", run->stage.common->output,
            ((struct work *)run->state)->f.n_classes);
}

static void close_features(struct kl_mode_run *run)
{
    struct work *w = run->state;
    kl_head_features_free(&w->f);
    kl_store_file_close(&w->file);
    free(w->means), free(w->count);
}

int main(int argc, char **argv)
{
    static const struct kl_kind kind = { .name = "means", .maker = "means" };
    static const struct kl_file_stage stage = { .kind = &kind,
                                                .schema = 1,
                                                .version = 1,
                                                .state_size = sizeof(struct work),
                                                .progress = "rows",
                                                .open = open_features,
                                                .key = key,
                                                .compute = compute,
                                                .save = save,
                                                .remark = remark,
                                                .json = json,
                                                .words = words,
                                                .close = close_features };
    static const struct kl_mode mode = { .tool = &tool, .defaults = defaults, .stage = &stage };
    return kl_store_mode_main(&mode, argc, argv, stdout, stderr);
}
