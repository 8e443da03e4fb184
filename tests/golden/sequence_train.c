/* SPDX-License-Identifier: MIT
   Five steps of Adam with clipping, of nets on windows, by the loop of lib/train in double: losses,
   norms of gradients and parameters against PyTorch's (group train of hydra/golden.h5; without dropout).
   The batch is in two parts, added as a tree; complex parameters count as two reals. */
#define KL_F64 1
#define BOUND 1e-12
#include "golden_sequence.h"

#include "train/train.h"

enum { STEPS = 5, PARTS = 2 };
static const struct kl_train_row rows[] = { { "train_loss", "loss" }, { "gradient_size", NULL } };
static const struct kl_train_sum sums[] = { { "loss", false }, { "norm", false } };

struct trained {
    struct kl_sequence_net net;
    hid_t group;
    size_t n, stride;
    double *x, *logits, *first;
    int32_t labels[16];
    void *work;
};

static void init(void *context, void *params, int64_t replica)
{
    const struct trained *g = context;
    (void)replica;
    memcpy(params, g->first, g->net.block.size * sizeof *g->first);
}

static int gradient(const struct kl_crew *crew, const struct kl_train_step *step, size_t part,
                    void *grad, double *sum, int thread, struct kl_error *err)
{
    struct trained *g = kl_train_crew_learner(crew);
    const size_t from = g->n * part / PARTS, n = g->n * (part + 1) / PARTS - from,
                 each = g->net.shape.channels * g->stride;
    (void)step, (void)thread, (void)err;
    /* Rows of a batch are aligned, whichever come first. */
    double *x = golden_memory(n * each, sizeof *x);
    memcpy(x, g->x + from * each, n * each * sizeof *x);
    const struct kl_sequence_batch_f64 batch = {
        .x = x, .labels = g->labels + from, .scale = 1 / (double)g->n, .n = n, .training = true
    };
    struct kl_sequence_result_f64 result = { .logits = g->logits, .grad = grad };
    g->net.model->run_f64(&result, &g->net, crew->replica->params, &batch, g->work);
    sum[0] += result.loss / (double)g->n;
    free(x);
    return 0;
}

/* An epoch is a step, so its rows are the step's. */
static int end_epoch(const struct kl_crew *crew, struct kl_error *err)
{
    (void)err;
    for (int k = 0; k < 2; k++) crew->replica->history[k][crew->train->epoch] = crew->replica->sums[k];
    return 0;
}

static double *take(const struct trained *g, const char *name, size_t *n)
{
    const struct golden_net at = { .group = g->group };
    return golden_read(&at, name, n);
}

static void open_net(struct trained *g, hid_t file, const char *name,
                     const struct kl_sequence_model_options *o)
{
    struct kl_error err;
    struct kl_sequence_shape shape = { .channels = 4, .steps = 8, .classes = 2 };
    char full[80];
    size_t n;
    memset(g, 0, sizeof *g);
    snprintf(full, sizeof full, "train/%s", name);
    g->group = H5Gopen2(file, full, H5P_DEFAULT);
    golden_need(g->group >= 0, full);
    must(kl_sequence_net_open(&g->net, o, &shape, &err), &err);
    double *y = take(g, "y", &g->n), *x = take(g, "x", &n);
    golden_need(g->n <= 16 && n == g->n * 32, "x");
    for (size_t i = 0; i < g->n; i++) g->labels[i] = (int32_t)y[i];
    g->stride = kl_sequence_stride(8);
    g->x = golden_memory(g->n * 4 * g->stride, sizeof *g->x);
    for (size_t r = 0; r < g->n * 4; r++) memcpy(g->x + r * g->stride, x + r * 8, 8 * sizeof *x);
    g->logits = golden_memory(g->n * 2, sizeof *g->logits);
    g->first = golden_memory(g->net.block.size, sizeof *g->first);
    g->work = golden_memory(g->net.model->work_f64(&g->net, g->n), 1);
    for (int t = 0; t < g->net.block.n; t++) {
        snprintf(full, sizeof full, "params_before/%s", g->net.block.tensors[t].name);
        double *values = take(g, full, &n);
        golden_need(n == g->net.block.tensors[t].size, full);
        kl_nn_tensor_from_file_f64(g->first, &g->net.block.tensors[t], values);
        free(values);
    }
    free(x), free(y);
}

static void compare(const struct trained *g, const char *name, const struct kl_replica *r)
{
    static const char *const steps[] = { "loss", "grad_norm" };
    size_t n;
    char full[80];
    for (int k = 0; k < 2; k++) {
        double *expected = take(g, steps[k], &n);
        golden_need(n == STEPS, steps[k]);
        golden_compare(name, steps[k], r->history[k], expected, n, BOUND);
        free(expected);
    }
    for (int t = 0; t < g->net.block.n; t++) {
        snprintf(full, sizeof full, "params_after/%s", g->net.block.tensors[t].name);
        double *expected = take(g, full, &n), *found = golden_memory(n, sizeof *found);
        kl_nn_tensor_to_file_f64(found, &g->net.block.tensors[t], r->params);
        golden_compare(name, full, found, expected, n, BOUND);
        free(expected), free(found);
    }
}

static void check(hid_t file, const char *name, const struct kl_sequence_model_options *o)
{
    struct trained g;
    struct kl_train train;
    struct kl_train_options options;
    struct kl_error err;
    open_net(&g, file, name, o);
    const struct kl_learner l = { .context = &g,
                                  .block = &g.net.block,
                                  .wide = true,
                                  .rows = rows,
                                  .n_rows = 2,
                                  .loss = 0,
                                  .sums = sums,
                                  .n_named = 2,
                                  .n_sums = 2,
                                  .norms = true,
                                  .steps_per_epoch = 1,
                                  .parts = PARTS,
                                  .tree = true,
                                  .init = init,
                                  .gradient = gradient,
                                  .end_epoch = end_epoch };
    kl_train_options_default(&options);
    options.epochs = STEPS, options.schedule.lr = golden_number(g.group, "lr");
    options.optimizer.beta1 = golden_number(g.group, "beta1");
    options.optimizer.beta2 = golden_number(g.group, "beta2");
    options.optimizer.epsilon = golden_number(g.group, "eps");
    options.optimizer.clip = golden_number(g.group, "clip"), options.optimizer.clip_epsilon = 1e-6;
    must(kl_train_open(&train, &l, &options, 1, &err), &err);
    must(kl_train_run(&train, NULL, NULL, &err), &err);
    golden_worst = 0;
    compare(&g, name, &train.replicas[0]);
    printf("%s: within %.1e\n", name, golden_worst);
    kl_train_close(&train);
    kl_sequence_net_close(&g.net);
    free(g.x), free(g.logits), free(g.first), free(g.work);
    H5Gclose(g.group);
}

static bool stands(const char *model)
{
    for (size_t i = 0; i < kl_sequence_n_models; i++)
        if (strcmp(kl_sequence_models[i]->name, model) == 0) return true;
    fprintf(stderr, "no model %s in the list\n", model);
    golden_failures++;
    return false;
}

int main(void)
{
    static const struct {
        const char *group, *model;
        char revision;
        int width, state;
    } nets[] = {
        { "quantum_hydra_n3", "hydra", 'b', 128, 16 },
        { "quantum_hydra_hybrid_n3", "hydra-hybrid", 'b', 128, 16 },
        { "quantum_mamba_n3", "mamba", 'a', 128, 16 },
        { "quantum_mamba_hybrid_n3", "mamba-hybrid", 'b', 128, 16 },
        { "classical_mamba", "classical-mamba", 'b', 8, 4 },
    };
    const hid_t file = golden_shared("hydra/golden.h5");
    if (file < 0) return 77;
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++) {
        struct kl_sequence_model_options o;
        kl_sequence_model_options_default(&o);
        o.model = nets[i].model, o.revision = nets[i].revision, o.qubits = 3;
        o.width = nets[i].width, o.state = nets[i].state;
        if (stands(o.model)) check(file, nets[i].group, &o);
    }
    H5Fclose(file);
    return golden_failures != 0;
}
