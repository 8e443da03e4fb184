/* SPDX-License-Identifier: MIT
   What a sweep found, in words or as JSON. */
#include <math.h>
#include <stdlib.h>

#include "head/sweep_run.h"

/* The best row, and the command that trains its head again. */
struct best {
    const struct kl_sweep_row *row; /* NULL: no point has an accuracy */
    struct kl_judgement mean;
    char *command; /* NULL: of a part of a sweep, whose best is not the sweep's, none is told */
    bool controls; /* it trains */
};

static int find_best(struct best *best, const struct kl_sweep_found *f, struct kl_error *err)
{
    const struct kl_sweep *s = f->sweep;
    size_t *order = malloc((s->n + 1) * sizeof *order);
    if (!order) return kl_fail_memory(err, s->n * sizeof *order);
    kl_sweep_order(order, s);
    if (s->n) best->mean = kl_sweep_judge(s, order[0]);
    if (s->n && !isnan(best->mean.accuracy)) best->row = &s->rows[order[0]];
    free(order);
    if (!best->row || f->part) return KL_OK;
    return kl_sweep_command(&best->command, &best->controls, f->job, best->row->point,
                            f->job->input_path, err);
}

/* The best point is the best of many on one validation set: its accuracy is flattered, which is said. */
static int write_words(FILE *to, const struct kl_sweep_found *f, const struct best *best,
                       struct kl_error *err)
{
    enum { MOST_ROWS = 40 };
    const struct kl_sweep *s = f->sweep;
    const int code = kl_sweep_write(to, s, MOST_ROWS, err);
    if (code) return code;
    fprintf(to, "%s: ", f->job->output);
    if (f->status != KL_STAGE_COMPUTE) fprintf(to, "%s; ", kl_store_stage_status(f->status));
    fprintf(to, "%zu point%s of %zu head%s", s->n, kl_s(s->n), s->replicas, kl_s(s->replicas));
    if (f->status == KL_STAGE_COMPUTE) fprintf(to, ", %.1f s; heads in %s", f->seconds, f->job->folder);
    fputc('\n', to);
    if (best->row && s->n > 1)
        fprintf(to, "the best of %zu is flattered by the choice: judge it with qeval on other samples\n",
                s->n);
    else if (!best->row) fprintf(to, "no point has an accuracy on validation samples\n");
    if (best->command)
        fprintf(to, "the best again%s: %s\n", best->controls ? ", with its controls" : "",
                best->command);
    return KL_OK;
}

/* What is not there is not said: no best point, no command. */
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
        const struct kl_judgement m = best->mean;
        pairs[n++] = (struct kl_json_pair){ "best", KL_JSON_TEXT, best->row->name, 0 };
        pairs[n++] = (struct kl_json_pair){ "val_accuracy", KL_JSON_NUMBER, NULL, m.accuracy };
        pairs[n++] = (struct kl_json_pair){ "val_loss", KL_JSON_NUMBER, NULL, m.loss };
    }
    if (best->command)
        pairs[n++] = (struct kl_json_pair){ "best_command", KL_JSON_TEXT, best->command, 0 };
    return kl_json_line(to, pairs, n, err);
}

int kl_sweep_tell(FILE *to, const struct kl_sweep_found *found, bool json, struct kl_error *err)
{
    struct best best = { 0 };
    int code = find_best(&best, found, err);
    if (!code) code = (json ? write_json : write_words)(to, found, &best, err);
    free(best.command);
    return code;
}
