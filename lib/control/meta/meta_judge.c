/* SPDX-License-Identifier: MIT
   How a policy does on tasks that it was not trained on, before and after adaptation, in double. */
#include <math.h>
#include <stdlib.h>

#include "control/meta/meta_train.h"

struct kl_control_judge {
    struct kl_arena memory;
    struct kl_control_batch_f64 batch;
    size_t tasks;
    enum kl_control_task_set set;
    uint64_t seed;
};

int kl_control_meta_tables(struct kl_control_family *family, const struct kl_control_meta_values *v,
                           struct kl_error *err)
{
    struct kl_control_noise noise;
    kl_control_noise_default(&noise);
    noise.mapping = (enum kl_control_mapping)kl_choice(KL_CONTROL_MAPPING_CHOICES, v->mapping);
    noise.duration = v->duration, noise.omega0 = v->omega0, noise.gamma_h = v->gamma_h;
    noise.line_width = v->line_width, noise.temperature = v->temperature;
    noise.segments = (int)v->segments;
    const int code = kl_control_sequence(&noise.pulses, v->sequence, err);
    return code || !family->psd ? code : kl_control_psd_tables(family, &noise, err);
}

int kl_control_judge_open(struct kl_control_judge **judge, const struct kl_control_meta_values *v,
                          const struct kl_control_family *family, const struct kl_control_net *net,
                          enum kl_control_task_set set, size_t tasks, struct kl_error *err)
{
    struct kl_control_judge *j = *judge = calloc(1, sizeof *j);
    if (!j) return kl_fail_memory(err, sizeof *j);
    j->tasks = tasks, j->set = set, j->seed = v->train.options.seed;
    int code = kl_arena_init(&j->memory, 0, err);
    if (!code)
        code = kl_control_batch_make_f64(&j->batch, net, &v->inner, family, v->limit, KL_POLICY_LANES,
                                         &j->memory, err);
    return code;
}

void kl_control_judge_run(double *before, double *after, double *std, struct kl_control_judge *j,
                          const double *params)
{
    struct kl_control_batch_f64 *b = &j->batch;
    const size_t steps = (size_t)b->adapt.inner.steps;
    double squares = 0;
    *before = *after = 0;
    for (size_t first = 0; first < j->tasks; first += KL_POLICY_LANES) {
        const size_t count = j->tasks - first < KL_POLICY_LANES ? j->tasks - first : KL_POLICY_LANES;
        const struct kl_control_task_id id = { j->seed, j->set, (uint32_t)first, 0 };
        kl_control_batch_fill_f64(b, id, count, 0);
        kl_control_adapt_run_f64(&b->adapt, params, &b->plant, false);
        for (size_t l = 0; l < count; l++) {
            const double adapted = b->adapt.loss[steps * b->adapt.n + l];
            *before += b->adapt.loss[l], *after += adapted, squares += adapted * adapted;
        }
    }
    const double n = (double)j->tasks;
    *before /= n, *after /= n;
    *std = sqrt(fmax(0, squares / n - *after * *after));
}

void kl_control_judge_close(struct kl_control_judge **judge)
{
    if (!*judge) return;
    kl_control_batch_close_f64(&(*judge)->batch);
    kl_arena_free(&(*judge)->memory);
    free(*judge);
    *judge = NULL;
}
