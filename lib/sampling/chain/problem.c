/* SPDX-License-Identifier: MIT
   What a run samples: records, a network on them, its prior; one for all chains, or one for each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/chain/sample.h"

/* Do chains with records of their own have the same ones, as nothing in them is drawn? */
static bool all_the_same(const struct kl_sampling_values *v)
{
    return !strcmp(v->records, "one") ||
           (strcmp(v->data, "synth") != 0 && !strcmp(v->labels, "true") && !strcmp(v->order, "file"));
}

static int load(struct kl_sampling_data *data, const struct kl_sampling_values *v, size_t i,
                const char *const *paths, size_t n_paths, struct kl_pool *pool, const struct kl_log *log,
                struct kl_error *err)
{
    const bool own = strcmp(v->records, "chain") == 0;
    struct kl_sampling_data_options o = {
        .set = (enum kl_sampling_set)kl_choice(KL_SAMPLING_SETS, v->data),
        .groups = strcmp(v->groups, "all") == 0 ? NULL : v->groups,
        .train_size = v->train_size,
        .test_size = v->test_size,
        .permute = strcmp(v->order, "permuted") == 0,
        .seed = (uint64_t)(v->data_seed + (own ? v->first_chain + (int64_t)i : 0)),
        .pool = pool,
        .log = log,
    };
    const int code = kl_sampling_values_labels(&o.random, v->labels, err);
    if (code) return code;
    if (o.set != KL_SAMPLING_SYNTH && n_paths == 0)
        return kl_fail(err, KL_EUSAGE, "--data %s: no images; give the folder that holds them", v->data);
    return kl_sampling_data_load(data, &o, paths, n_paths, err);
}

static int make_net(struct kl_sampling_net *net, const struct kl_sampling_data *data,
                    const struct kl_sampling_values *v, struct kl_error *err)
{
    char name[64];
    const bool wide = strncmp(v->model, "fcn", 3) == 0;
    snprintf(name, sizeof name, wide ? "%s:%lld" : "%s", v->model, (long long)v->width);
    const int code = kl_sampling_net_make(
        net, name, data->channels, data->height, data->width, data->classes,
        (enum kl_sampling_loss)kl_choice(KL_SAMPLING_LOSSES, v->loss), v->l_max, err);
    if (code) return code;
    const bool layer = strcmp(v->prior, "layer") == 0;
    for (int t = 0; t < net->n_tensors; t++) {
        struct kl_sampling_tensor *tensor = &net->tensors[t];
        tensor->sigma = layer && tensor->fan_in ? v->sigma / sqrt((double)tensor->fan_in) : v->sigma;
    }
    return 0;
}

int kl_sampling_problem_open(struct kl_sampling_problem *p, const struct kl_sampling_values *v,
                             const char *const *paths, size_t n_paths, struct kl_pool *pool,
                             const struct kl_log *log, struct kl_error *err)
{
    *p = (struct kl_sampling_problem){ .n = all_the_same(v) ? 1 : (size_t)v->chains };
    p->data = calloc(p->n, sizeof *p->data), p->nets = calloc(p->n, sizeof *p->nets);
    p->targets = calloc(p->n, sizeof *p->targets);
    if (!p->data || !p->nets || !p->targets) return kl_fail_memory(err, p->n * sizeof *p->nets);
    int code = 0;
    for (size_t i = 0; i < p->n && !code; i++) {
        code = load(&p->data[i], v, i, paths, n_paths, pool, log, err);
        if (!code) code = make_net(&p->nets[i], &p->data[i], v, err);
        if (!code)
            code =
                kl_sampling_net_target_f32(&p->targets[i], &p->nets[i], &p->data[i].train,
                                           &p->data[i].test, (size_t)v->batch, kl_pool_size(pool), err);
    }
    return code;
}

void kl_sampling_problem_close(struct kl_sampling_problem *p)
{
    for (size_t i = 0; i < p->n && p->targets; i++)
        if (p->targets[i].close) p->targets[i].close(p->targets[i].context);
    for (size_t i = 0; i < p->n && p->data; i++) kl_sampling_data_free(&p->data[i]);
    free(p->targets), free(p->data), free(p->nets);
    memset(p, 0, sizeof *p);
}
