/* SPDX-License-Identifier: MIT
   --device auto of a head's training. */
#include <string.h>

#include "head/gpu.h"
#include "head/run.h"

/* Seconds of one thread for a sample and a parameter, forward and back, and of the H100 for a step: at
   least so much, however few heads it trains, and so much a head, of the default head's 70,000
   parameters (docs/benchmarks.md). */
#define THREAD_SAMPLE 2.1e-11
#define GPU_START 0.5
#define GPU_STEP 70e-6
#define GPU_STEP_HEAD 2e-6
#define DEFAULT_PARAMETERS 70000

static struct kl_device_work work_of(const struct kl_head_run *run, const struct kl_head_model *model,
                                     size_t samples)
{
    const struct kl_train_options *o = &run->v->train.options;
    const double size = (double)model->block.size, epochs = (double)o->epochs,
                 heads = (double)o->replicas, trainings = run->v->no_controls ? 1 : 1 + KL_CONTROLS,
                 steps = epochs * (double)samples / (double)o->batch_size;
    const double step = GPU_STEP_HEAD * heads * size / DEFAULT_PARAMETERS;
    return (struct kl_device_work){
        .thread = trainings * epochs * heads * (double)samples * size * THREAD_SAMPLE,
        .gpu = GPU_START + trainings * steps * (step > GPU_STEP ? step : GPU_STEP)
    };
}

int kl_head_run_device(struct kl_head_run *run, const struct kl_features *features, int threads,
                       struct kl_error *err)
{
    const struct kl_head_settings *v = run->v;
    struct kl_head_model model;
    struct kl_error refused;
    if (strcmp(v->common.device, "auto") != 0) return KL_OK;
    const int code = kl_head_model_make(&model, &v->head, features->d, features->n_classes, err);
    if (code) return code;
    struct kl_device_work work = work_of(run, &model, features->n);
    if (kl_head_gpu_check(&model, &v->train.options, &refused)) work.refused = refused.text;
    kl_device_auto(&run->device, &work, threads, run->log);
    kl_head_model_free(&model);
    return KL_OK;
}
