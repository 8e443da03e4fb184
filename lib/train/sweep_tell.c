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
    char *command;      /* NULL: of a part of a sweep, whose best is not the sweep's, none is told */
    const char *with;   /* what it adds to the point, in words, or "" */
    size_t place, next; /* of its row; of the one that follows it, if others were judged */
    bool others;
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
    size_t *order = malloc((s->n + 1) * sizeof *order);
    if (!order) return kl_fail_memory(err, s->n * sizeof *order);
    kl_train_sweep_order(order, s);
    best->place = s->n ? order[0] : 0, best->next = s->n > 1 ? order[1] : 0;
    best->others = s->n > 1 && !isnan(kl_train_sweep_mean(s, best->next, 0));
    free(order);
    if (!s->n || isnan(kl_train_sweep_mean(s, best->place, 0))) return KL_OK;
    best->row = &s->rows[best->place];
    for (int k = 0; k < s->by.n; k++) best->mean[k] = kl_train_sweep_mean(s, best->place, k);
    if (f->part) return KL_OK;
    return make_command(best, f->job, err);
}

/* Of folds: the best less the next. Of other samples: what they say of the point that validation chose.
 */
static void write_judged(FILE *to, const struct kl_sweep *s, const struct best *best)
{
    const double less = best->mean[0] - kl_train_sweep_mean(s, best->next, 0);
    const struct kl_interval i = kl_train_sweep_difference(s, best->place, best->next, 0);
    if (s->folds > 1 && best->others && kl_has_width(i.low, i.high))
        fprintf(to, "the best less the next: %+.4f (95 %% %+.4f to %+.4f, paired over %zu folds)\n",
                less, i.low, i.high, s->folds);
    else if (s->folds > 1 && best->others)
        fprintf(to, "the best less the next: %+.4f (the same in each of %zu folds: no interval)\n", less,
                s->folds);
    if (!s->samples) return;
    const double test = kl_stats_mean(best->row->tested[0], s->replicas);
    const struct kl_interval w = kl_stats_wilson(test, s->samples, KL_Z95);
    fprintf(to,
            "test, of the one that validation chose: %.4f (95 %% over %zu samples %.4f to %.4f); the "
            "others' "
            "choose nothing\n",
            test, s->samples, w.low, w.high);
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
    const size_t each = s->replicas / s->folds;
    fprintf(to, "%zu point%s of %zu %s%s", s->n, kl_s(s->n), each, of, kl_s(each));
    if (s->folds > 1)
        fprintf(to, " in each of %zu folds of seed %lld", s->folds,
                (long long)((const struct kl_common *)f->job->base)->seed);
    if (f->status == KL_STAGE_COMPUTE)
        fprintf(to, ", %.1f s; %ss in %s", f->seconds, of, f->job->folder);
    fputc('\n', to);
    if (best->row) write_judged(to, s, best);
    if (best->row && s->n > 1 && !s->samples)
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
    struct kl_json_pair pairs[15 + KL_SWEEP_ROWS] = {
        { "output", KL_JSON_TEXT, f->job->output, 0 },
        { "key", KL_JSON_TEXT, f->key, 0 },
        { "status", KL_JSON_TEXT, kl_store_stage_status(f->status), 0 },
        { "points", KL_JSON_COUNT, NULL, (double)f->sweep->n },
        { "replicas", KL_JSON_COUNT, NULL, (double)(f->sweep->replicas / f->sweep->folds) },
    };
    size_t n = 5;
    const bool folds = f->sweep->folds > 1;
    if (folds)
        pairs[n++] = (struct kl_json_pair){ "folds", KL_JSON_COUNT, NULL, (double)f->sweep->folds };
    if (computed) pairs[n++] = (struct kl_json_pair){ "seconds", KL_JSON_NUMBER, NULL, f->seconds };
    if (computed) pairs[n++] = kl_json_cautions(f->job->log);
    if (best->row) {
        pairs[n++] = (struct kl_json_pair){ "best", KL_JSON_TEXT, best->row->name, 0 };
        for (int k = 0; k < f->sweep->by.n; k++)
            pairs[n++] =
                (struct kl_json_pair){ f->sweep->by.row[k].name, KL_JSON_NUMBER, NULL, best->mean[k] };
        if (folds)
            pairs[n++] = (struct kl_json_pair){ "standard_error", KL_JSON_NUMBER, NULL,
                                                kl_train_sweep_error(f->sweep, best->place, 0) };
        if (f->sweep->samples)
            pairs[n++] =
                (struct kl_json_pair){ "test_accuracy", KL_JSON_NUMBER, NULL,
                                       kl_stats_mean(best->row->tested[0], f->sweep->replicas) };
    }
    if (best->command)
        pairs[n++] = (struct kl_json_pair){ "best_command", KL_JSON_TEXT, best->command, 0 };
    return kl_json_line(to, pairs, n, err);
}

int kl_train_sweep_tell_best(FILE *to, const struct kl_sweep_found *found, struct kl_error *err)
{
    const struct kl_sweep *s = found->sweep;
    struct best best = { 0 };
    const int code = find_best(&best, found, err);
    const char *judgement = found->job->stage->judgement, *article_ends = strchr(judgement, ' ');
    fprintf(to, "%s: %zu point%s", found->job->output, s->n, kl_s(s->n));
    if (!code && best.row)
        fprintf(to, "; best: %s, val %s %.4f", best.row->name,
                article_ends ? article_ends + 1 : judgement, best.mean[0]);
    if (!code && best.row && s->samples)
        fprintf(to, ", test %.4f", kl_stats_mean(best.row->tested[0], s->replicas));
    fputc('\n', to);
    free(best.command);
    return code;
}

int kl_train_sweep_tell(FILE *to, const struct kl_sweep_found *found, bool json, struct kl_error *err)
{
    struct best best = { 0 };
    int code = find_best(&best, found, err);
    if (!code) code = (json ? write_json : write_words)(to, found, &best, err);
    free(best.command);
    return code;
}
