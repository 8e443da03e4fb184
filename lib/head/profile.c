/* SPDX-License-Identifier: MIT
   qtrain --profile: where the time of a step of training goes. The steps are those of training itself,
   whose parts note when they end; what they train is thrown away. */
#include "head/head_int.h"
#include "head/run.h"

#include <math.h>
#include <string.h>

int kl_head_profile_make(struct kl_head_profile *profile, struct kl_head_run *run,
                         const struct kl_features *features, struct kl_error *err)
{
    const struct kl_log *log = run->log, quiet = { log->tool, log->to, 0, NULL };
    double nothing;
    run->log = &quiet, run->late = true;
    int code = kl_head_run_open(run, features, 1, err);
    run->train.log = NULL, run->log = log;
    if (code) return code;
    const double seconds = kl_store_file_seconds(run->input);
    *profile =
        (struct kl_head_profile){ .batch = kl_head_batch_size(&run->train),
                                  .core = kl_core_names[run->model.options.core],
                                  .extraction = seconds < 0 ? NAN : seconds / (double)features->n };
    run->train.threads[0].work.laps = &profile->laps;
    code = kl_train_estimate(&nothing, &run->train.loop, NULL, err);
    run->train.threads[0].work.laps = NULL;
    return code;
}

static const struct {
    const char *words, *json;
    bool of_probe; /* a head without a core has it */
} phases[KL_HEAD_PHASES] = {
    { "reduction", "reduction", false },
    { "core", "core_forward", false },
    { "classifier and loss", "classifier", true },
    { "back through the classifier", "classifier_back", true },
    { "back through the core", "core_back", false },
    { "back through the reduction", "reduction_back", false },
    { "gradients of the weights", "sums", true },
    { "update", "update", true },
};

static double step_of(const struct kl_head_profile *p)
{
    double sum = 0;
    for (int i = 0; i < KL_HEAD_PHASES; i++) sum += p->laps.seconds[i];
    return sum / (double)p->laps.steps;
}

void kl_head_profile_write(FILE *to, const struct kl_head_profile *p)
{
    const double step = step_of(p);
    fprintf(to, "a step of %zu samples, core %s, one thread: %.1f us, mean of %llu\n", p->batch, p->core,
            step * 1e6, (unsigned long long)p->laps.steps);
    for (int i = 0; i < KL_HEAD_PHASES; i++) {
        const double seconds = p->laps.seconds[i] / (double)p->laps.steps;
        if (phases[i].of_probe || strcmp(p->core, "none") != 0)
            fprintf(to, "  %-28s %10.1f us %5.1f %%\n", phases[i].words, seconds * 1e6,
                    100 * seconds / step);
    }
    if (!isnan(p->extraction))
        fprintf(to, "their features took %.3g ms, once (extract-features)\n",
                p->extraction * 1e3 * (double)p->batch);
}

int kl_head_profile_json(FILE *to, const struct kl_head_profile *p, struct kl_error *err)
{
    struct kl_json_pair pairs[5 + KL_HEAD_PHASES] = {
        { "samples", KL_JSON_COUNT, NULL, (double)p->batch },
        { "steps", KL_JSON_COUNT, NULL, (double)p->laps.steps },
        { "core", KL_JSON_TEXT, p->core, 0 },
        { "extraction_seconds", KL_JSON_NUMBER, NULL, p->extraction * (double)p->batch },
        { "step_seconds", KL_JSON_NUMBER, NULL, step_of(p) },
    };
    for (int i = 0; i < KL_HEAD_PHASES; i++)
        pairs[5 + i] = (struct kl_json_pair){ phases[i].json, KL_JSON_NUMBER, NULL,
                                              p->laps.seconds[i] / (double)p->laps.steps };
    return kl_json_line(to, pairs, sizeof pairs / sizeof *pairs, err);
}
