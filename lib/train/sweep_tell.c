/* SPDX-License-Identifier: MIT
   What a sweep found, in words or as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "train/sweep.h"

/* The best row, and the command that trains it again. */
struct best {
    const struct kl_sweep_row *row; /* NULL: no point was judged */
    double mean[KL_SWEEP_ROWS];
    char *command;    /* NULL: of a part of a sweep, whose best is not the sweep's, none is told */
    const char *with; /* what it adds to the point, in words, or "" */
};

/* DIR/NAME.h5: DIR/NAME-best.h5 */
static int name_output(char **output, const char *sweep, struct kl_error *err)
{
    size_t n = strlen(sweep);
    if (n > 3 && strcmp(sweep + n - 3, ".h5") == 0) n -= 3;
    if (asprintf(output, "%.*s-best.h5", (int)n, sweep) >= 0) return KL_OK;
    *output = NULL;
    return kl_fail_memory(err, n);
}

/* The line of the stage's tool that trains a point again into NAME-best.h5; malloc'ed. */
static int make_command(struct best *best, const struct kl_sweep_job *job, struct kl_error *err)
{
    const struct kl_sweep_stage *stage = job->stage;
    char *output = NULL, *values = malloc(stage->settings_size),
         *usual = calloc(1, stage->settings_size);
    size_t size;
    int code = values && usual ? KL_OK : kl_fail_memory(err, stage->settings_size);
    if (!code) memcpy(values, job->base, stage->settings_size);
    if (!code && stage->defaults) stage->defaults(usual);
    if (!code) code = kl_grid_set(job->grid, best->row->point, values, err);
    if (!code) best->with = stage->again ? stage->again(values) : "";
    const struct kl_common *common = (struct kl_common *)values, *plain = (struct kl_common *)usual;
    if (!code) code = name_output(&output, common->output, err);
    FILE *to = code ? NULL : open_memstream(&best->command, &size);
    if (to) {
        kl_options_command(to, stage->tool, values, usual, job->inputs->paths, job->inputs->n, output);
        if (common->device && plain->device && strcmp(common->device, plain->device) != 0)
            fprintf(to, " --device %s", common->device); /* the bytes are those of its kind */
        const bool failed = ferror(to);
        if (fclose(to) || failed) code = kl_fail_memory(err, 256);
    } else if (!code) code = kl_fail_memory(err, 256);
    free(output);
    free(values);
    free(usual);
    return code;
}

static int find_best(struct best *best, const struct kl_sweep_found *f, struct kl_error *err)
{
    const struct kl_sweep *s = f->sweep;
    const int code = kl_train_sweep_best(&best->row, s, err);
    if (code || !best->row) return code;
    for (int k = 0; k < s->by.n; k++)
        best->mean[k] = kl_train_sweep_mean(s, (size_t)(best->row - s->rows), k);
    if (f->part) return KL_OK;
    return make_command(best, f->job, err);
}

/* The best point is the best of many on one validation set: its accuracy is flattered, which is said. */
static int write_words(FILE *to, const struct kl_sweep_found *f, const struct best *best,
                       struct kl_error *err)
{
    enum { MOST_ROWS = 40 };
    const struct kl_sweep *s = f->sweep;
    const struct kl_sweep_stage *stage = f->job->stage;
    const char *kind = stage->kind->name, *of = strrchr(kind, '-') ? strrchr(kind, '-') + 1 : kind;
    const int code = kl_train_sweep_write(to, s, MOST_ROWS, err);
    if (code) return code;
    fprintf(to, "%s: ", f->job->output);
    if (f->status != KL_STAGE_COMPUTE) fprintf(to, "%s; ", kl_store_stage_status(f->status));
    fprintf(to, "%zu point%s of %zu %s%s", s->n, kl_s(s->n), s->replicas, of, kl_s(s->replicas));
    if (f->status == KL_STAGE_COMPUTE)
        fprintf(to, ", %.1f s; %ss in %s", f->seconds, of, f->job->folder);
    fputc('\n', to);
    if (best->row && s->n > 1)
        fprintf(to, "the best of %zu is flattered by the choice: judge it%s%s on other samples\n", s->n,
                stage->judge_tool ? " with " : "", stage->judge_tool ? stage->judge_tool : "");
    else if (!best->row) fprintf(to, "no point has %s on validation samples\n", stage->judgement);
    if (best->command) fprintf(to, "the best again%s: %s\n", best->with, best->command);
    return KL_OK;
}

/* If there is no best point or no command, it is left out. */
static int write_json(FILE *to, const struct kl_sweep_found *f, const struct best *best,
                      struct kl_error *err)
{
    const bool computed = f->status == KL_STAGE_COMPUTE;
    struct kl_json_pair pairs[11] = {
        { "output", KL_JSON_TEXT, f->job->output, 0 },
        { "key", KL_JSON_TEXT, f->key, 0 },
        { "status", KL_JSON_TEXT, kl_store_stage_status(f->status), 0 },
        { "points", KL_JSON_COUNT, NULL, (double)f->sweep->n },
        { "replicas", KL_JSON_COUNT, NULL, (double)f->sweep->replicas },
    };
    size_t n = 5;
    if (computed) pairs[n++] = (struct kl_json_pair){ "seconds", KL_JSON_NUMBER, NULL, f->seconds };
    if (computed) pairs[n++] = kl_json_cautions(f->job->log);
    if (best->row) {
        pairs[n++] = (struct kl_json_pair){ "best", KL_JSON_TEXT, best->row->name, 0 };
        for (int k = 0; k < f->sweep->by.n; k++)
            pairs[n++] =
                (struct kl_json_pair){ f->sweep->by.row[k].name, KL_JSON_NUMBER, NULL, best->mean[k] };
    }
    if (best->command)
        pairs[n++] = (struct kl_json_pair){ "best_command", KL_JSON_TEXT, best->command, 0 };
    return kl_json_line(to, pairs, n, err);
}

int kl_train_sweep_tell(FILE *to, const struct kl_sweep_found *found, bool json, struct kl_error *err)
{
    struct best best = { 0 };
    int code = find_best(&best, found, err);
    if (!code) code = (json ? write_json : write_words)(to, found, &best, err);
    free(best.command);
    return code;
}
