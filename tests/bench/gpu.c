/* SPDX-License-Identifier: MIT
   What a GPU does: circuits with their gradients in batches of 65,536, beside two threads of this
   machine's CPU; classifiers of devices; GANs; chains on SYNTH; pulses from 1,024 starts and gradients
   of one qubit, beside two threads; logits of the default head and its epochs, alone and 256 at once.
   What takes no second itself is timed once the GPU has run for a while, or has done it before: a GPU
   that has had nothing to do is slow at first. gpu [--quick] [BEGINNING]: less of each; those alone
   whose names begin so. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit.h"
#include "circuit_work.h"
#include "control/pulse/pulse.h"
#include "head/gpu.h"
#include "head_features.h"
#include "kernels/bloch.h"
#include "kernels/device.h"
#include "kernels/langevin.h"
#include "qrng/classify/network.h"
#include "qrng/gan/gan_int.h"
#include "sampling/chain/chain.h"
#include "warm.h"

enum { N = 60000, BATCH = 65536, MANY = 256, GROUPS = 7 };

static struct kl_device device;
static const char *beginning = "";

static bool wanted(const char *name)
{
    return strncmp(name, beginning, strlen(beginning)) == 0;
}

static void groups(double *each, struct kl_cuda_batch *batch, const struct work *k)
{
    struct kl_error err;
    must(device.cuda->batch->run(batch, k->out, k->dx, k->dw, k->x, k->w, k->cot, each, GROUPS, &err),
         &err);
}

static void gpu_circuits(const struct work *k, const char *name)
{
    struct kl_cuda_circuit circuit;
    struct kl_cuda_batch *batch;
    struct kl_error err;
    struct kl_arena memory;
    double each[GROUPS];
    must(kl_arena_init(&memory, 0, &err), &err);
    must(kl_circuit_for_cuda(&circuit, k->c, &memory, &err), &err);
    must(device.cuda->batch->open(&batch, &circuit, k->n, device.number, &err), &err);
    for (const double start = kl_clock(); kl_clock() - start < WARM_SECONDS;) groups(each, batch, k);
    groups(each, batch, k);
    device.cuda->batch->close(&batch);
    kl_arena_free(&memory);
    printf("bench %s/gpu %.6g s\n", name, median(each, GROUPS));
}

static void processor_circuits(struct work *k, const char *name)
{
    struct kl_pool *pool;
    struct kl_error err;
    must(kl_pool_create(&pool, 2, &err), &err);
    printf("bench %s/cpu-2-threads %.6g s\n", name, seconds(k, pool, 1));
    kl_pool_destroy(&pool);
}

static void circuits(const char *ansatz, int qubits, size_t batch)
{
    char name[64];
    snprintf(name, sizeof name, "gpu-%s-%d", ansatz, qubits);
    if (!wanted(name)) return;
    struct work k = begin(ansatz, qubits, 3, batch);
    gpu_circuits(&k, name);
    processor_circuits(&k, name);
    end(&k);
}

/* From host memory to host memory, features to the GPU and validation included. */
static void train(const char *name, struct kl_head_model *model, const struct kl_features *f,
                  int64_t replicas, int64_t epochs)
{
    struct kl_train_options o;
    struct kl_head_train t;
    struct kl_pool *pool;
    struct kl_error err;
    if (!wanted(name)) return;
    kl_train_options_default(&o);
    o.replicas = replicas, o.epochs = epochs;
    must(kl_pool_create(&pool, 0, &err), &err);
    must(kl_head_train_open(&t, model, f, &o, kl_pool_size(pool), &err), &err);
    kl_head_train_on(&t, &device);
    must(kl_train_run(&t.loop, pool, NULL, &err), &err);
    printf("bench %s/gpu %.6g s\n", name, t.loop.seconds);
    printf("%s: val accuracy %.4f, loss %.4f\n", name, kl_head_val_accuracy(&t, 0),
           t.loop.replicas[0].history[KL_TRAIN_LOSS][epochs - 1]);
    kl_head_train_close(&t);
    kl_pool_destroy(&pool);
}

static void judge(struct kl_head_model *model, const struct kl_features *f)
{
    if (!wanted("gpu-logits-60000")) return;
    const struct kl_head head = { .model = *model, .params = calloc(model->block.size, sizeof(float)) };
    float *logits = malloc((size_t)N * CLASSES * sizeof *logits);
    struct kl_error err;
    double best = 1e9;
    if (!head.params || !logits) exit(1);
    for (int i = 0; i < 3; i++) {
        const double start = kl_clock();
        must(kl_head_gpu_logits(logits, &head, f->x, N, &device, &err), &err);
        if (kl_clock() - start < best) best = kl_clock() - start;
    }
    printf("bench gpu-logits-60000/gpu %.6g s\n", best);
    free(head.params), free(logits);
}

/* Classifiers of devices as the study's: 4,800 of 6,000 rows of 100 bits train, 600 judge. Their
   seconds, and how many of n there was room for. */
static double run_networks(size_t *places, size_t n, int64_t epochs, bool on_gpu)
{
    enum { ROWS = 6000, TRAINING = 4800, JUDGING = 600 };
    static uint64_t words[ROWS][2];
    static int32_t labels[ROWS];
    static int64_t rows[ROWS];
    struct kl_network_options o;
    struct kl_network_gpu *gpu;
    struct kl_pool *pool;
    struct kl_error err;
    const struct kl_samples samples = { words, ROWS, sizeof words[0], true, labels };
    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t w[4];
        kl_philox(w, 1, i, 1000, 0, 0);
        memcpy(words[i], w, sizeof w);
        labels[i] = (int32_t)(i % 3), rows[i] = (int64_t)i;
    }
    kl_classify_network_options_default(&o);
    o.epochs = epochs;
    struct kl_network_run *runs = calloc(n, sizeof *runs);
    float *params = calloc(n * kl_classify_network_size(&o.net), sizeof *params);
    double *history = calloc(n * (size_t)(KL_NETWORK_HISTORIES * epochs), sizeof *history);
    if (!runs || !params || !history) exit(1);
    must(kl_pool_create(&pool, 0, &err), &err);
    const double start = kl_clock();
    *places = n;
    if (on_gpu)
        must(kl_classify_network_gpu_open(&gpu, places, &o, &samples, &device, pool, &err), &err);
    for (size_t i = 0; i < *places; i++) {
        runs[i] = (struct kl_network_run){ params + i * kl_classify_network_size(&o.net),
                                           history + i * (size_t)(KL_NETWORK_HISTORIES * epochs), 0, 0 };
        if (on_gpu)
            must(kl_classify_network_gpu_begin(gpu, i, &runs[i], labels, rows, TRAINING, rows + TRAINING,
                                               JUDGING, 1, (uint32_t)i, &err),
                 &err);
        else
            must(kl_classify_network_train(&runs[i], &o, &samples, rows, TRAINING, rows + TRAINING,
                                           JUDGING, 1, (uint32_t)i, NULL, &err),
                 &err);
    }
    for (int64_t e = 0; e < epochs && on_gpu; e++) must(kl_classify_network_gpu_epoch(gpu, &err), &err);
    const double took = kl_clock() - start;
    if (on_gpu) kl_classify_network_gpu_close(&gpu);
    kl_pool_destroy(&pool);
    free(runs), free(params), free(history);
    return took;
}

static void networks(const char *name, size_t n, int64_t epochs, bool on_gpu)
{
    size_t places;
    if (!wanted(name)) return;
    if (on_gpu) run_networks(&places, n, epochs, true);
    const double took = run_networks(&places, n, epochs, on_gpu);
    printf("bench %s/%s %.6g s\n", name, on_gpu ? "gpu" : "cpu-1-thread", took);
    if (places < n) printf("%s: %zu of %zu at once\n", name, places, n);
}

/* GANs of the study's pairs, 100 epochs of each: seconds, and how many there was room for. */
static double run_gans(size_t *n, size_t pairs, bool quantum)
{
    enum { EPOCHS = 100, ANGLES = 120, HIDDEN = 20 };
    const struct kl_cuda_gan shape = {
        quantum, 4, HIDDEN, KL_GAN_SLOPE, quantum ? 0 : KL_GAN_EPSILON, 1
    };
    const struct kl_cuda *cuda = device.cuda;
    struct kl_cuda_gan_factors factors[EPOCHS];
    struct kl_cuda_gans *g;
    struct kl_error err;
    double target[KL_CUDA_CELLS], params[4 * HIDDEN + 1] = { 0 }, angles[ANGLES] = { 0 };
    for (size_t k = 0; k < KL_CUDA_CELLS; k++) target[k] = (double)(k % 64) / (31.5 * KL_CUDA_CELLS);
    for (size_t i = 0; i < ANGLES; i++) angles[i] = 0.01 * (double)i;
    for (size_t i = 0; i < sizeof params / sizeof *params; i++) params[i] = 0.01 * (double)i - 0.3;
    for (size_t e = 0; e < EPOCHS; e++)
        factors[e] = (struct kl_cuda_gan_factors){ 0, 1, 0.7, 0.3, 0.999, 0.001, 0.01, 1, 1e-8 };
    const double start = kl_clock();
    *n = pairs;
    must(cuda->gans->open(&g, n, &shape, device.number, &err), &err);
    double *history = calloc(*n * EPOCHS * KL_CUDA_GAN_COLUMNS, sizeof *history);
    if (!history) exit(1);
    for (size_t i = 0; i < *n; i++)
        must(cuda->gans->put(g, i, (uint32_t)i, target, params, angles, &err), &err);
    must(cuda->gans->epochs(g, *n, 0, EPOCHS, factors, history, &err), &err);
    const double took = kl_clock() - start;
    cuda->gans->close(&g);
    free(history);
    return took;
}

static void gans(const char *name, size_t pairs, bool quantum)
{
    size_t n;
    if (!wanted(name)) return;
    run_gans(&n, pairs, quantum);
    printf("bench %s/gpu %.6g s\n", name, run_gans(&n, pairs, quantum));
    if (n < pairs) printf("%s: %zu of %zu at once\n", name, n, pairs);
}

struct chains {
    const char *net;
    size_t inputs, n, n_test, batch;
    int64_t chains, epochs, every;
    enum kl_sampling_sampler sampler;
    double lr;
};
static void draw_records(struct kl_sampling_records *r, size_t n, size_t inputs, uint64_t key)
{
    const struct kl_langevin_stream stream = { key, 1, 0, 0 };
    *r = (struct kl_sampling_records){ n, inputs, malloc(n * inputs * sizeof(float)),
                                       malloc(n * sizeof(int32_t)) };
    if (!r->x || !r->label) exit(1);
    kl_kernel_langevin_normals_f32()(r->x, 0, n * inputs, &stream);
    for (size_t i = 0; i < n; i++) r->label[i] = r->x[i * inputs] + r->x[i * inputs + 1] > 0;
}

/* Seconds of chains at beta 10 on normal vectors, told by the side of a plane. */
static double run_chains(const struct chains *k, bool on_gpu)
{
    struct kl_sampling_data data = { 0 };
    struct kl_sampling_net net;
    struct kl_sampling_target_f32 target;
    struct kl_sampling_settings s;
    struct kl_sampling_run *run;
    struct kl_sampling_rung rung = { 10, k->lr, 0, k->epochs };
    struct kl_error err;
    draw_records(&data.train, k->n, k->inputs, 1), draw_records(&data.test, k->n_test, k->inputs, 2);
    must(kl_sampling_net_make(&net, k->net, 1, 1, k->inputs, 2, KL_LOSS_BBCE, 4, &err), &err);
    for (int t = 0; t < net.n_tensors; t++)
        net.tensors[t].sigma = 1 / sqrt((double)net.tensors[t].fan_in);
    must(kl_sampling_net_target_f32(&target, &net, &data.train, &data.test, k->batch, 1, &err), &err);
    kl_sampling_settings_default(&s);
    s.rungs = &rung, s.n_rungs = 1, s.chains = k->chains, s.batch = k->batch, s.sampler = k->sampler;
    s.every = s.test_every = k->every;
    const double start = kl_clock();
    must(kl_sampling_run_open(&run, &s, &target, 1, 1, &err), &err);
    if (on_gpu) must(kl_sampling_run_on_gpu(run, &device, &net, &data, 1, NULL, &err), &err);
    must(kl_sampling_run_go(run, NULL, NULL, &err), &err);
    const double took = kl_clock() - start;
    kl_sampling_run_close(&run);
    target.close(target.context);
    kl_sampling_data_free(&data);
    return took;
}

static void chains(const char *name, const struct chains *k, bool on_gpu)
{
    if (!wanted(name)) return;
    if (on_gpu) run_chains(k, true);
    printf("bench %s/%s %.6g s\n", name, on_gpu ? "gpu" : "cpu-1-thread", run_chains(k, on_gpu));
}

/* The sizes of SYNTH, of all records a step; and of half of MNIST's digits, an epoch of 40 steps. */
static void all_chains(bool quick)
{
    const int64_t epochs = quick ? 200 : 20000;
    const struct chains synth = { "fcn1:32", 4, 50, 500, 0, 28, epochs, 10, KL_SAMPLING_MALA, 0.03 },
                        mnist = { "fcn2:1000", 784, 4000, 5000, 100, 8, 1, 1, KL_SAMPLING_SGLD, 0.01 };
    struct chains many = synth, one = mnist;
    many.chains = 1000, one.chains = 1;
    chains("gpu-synth-28-chains", &synth, false);
    chains("gpu-synth-28-chains", &synth, true);
    chains("gpu-synth-1000-chains", &many, true);
    chains("gpu-mnist-epoch", &one, false);
    chains("gpu-mnist-epoch", &one, true);
    chains("gpu-mnist-8-chains-epoch", &mnist, true);
}

/* Starts of 50 iterations each, on the GPU or two threads of the CPU: seconds. */
static double seek(const struct kl_control_problem *problem, int starts, bool on_gpu)
{
    struct kl_control_search search;
    struct kl_pool *pool;
    struct kl_error err;
    kl_control_search_default(&search);
    search.starts = starts, search.iterations = 50, search.method = KL_CONTROL_LBFGS;
    struct kl_control_start *results = calloc((size_t)starts, sizeof *results);
    double *points =
        calloc((size_t)(starts * problem->segments * problem->system->n_controls), sizeof *points);
    if (!results || !points) exit(1);
    must(kl_pool_create(&pool, 2, &err), &err);
    const double start = kl_clock();
    if (on_gpu)
        must(kl_control_optimize_gpu(results, points, NULL, problem, 1, &search, &device, NULL, &err),
             &err);
    else must(kl_control_optimize(results, points, problem, &search, pool, NULL, &err), &err);
    const double took = kl_clock() - start;
    kl_pool_destroy(&pool);
    free(results), free(points);
    return took;
}

static void pulses(const char *name, const char *system, const char *spread, int starts)
{
    struct kl_control_options o;
    struct kl_control_setup setup;
    struct kl_error err;
    if (!wanted(name)) return;
    kl_control_options_default(&o);
    o.system = system, o.spread = spread;
    must(kl_control_setup_make(&setup, &o, &err), &err);
    seek(&setup.problem, starts, true);
    printf("bench %s/gpu %.6g s\n", name, seek(&setup.problem, starts, true));
    printf("bench %s/cpu-2-threads %.6g s\n", name, seek(&setup.problem, starts, false));
    kl_control_setup_free(&setup);
}

/* Gradients of a qubit's gate: on the GPU with its data there, with copies, and by two threads. */
enum { QUBIT_PART = 256, QUBIT_SEGMENTS = 60, QUBIT_ROWS = 2 * QUBIT_SEGMENTS };
static const struct kl_bloch qubit = { .segments = QUBIT_SEGMENTS,
                                       .controls = 2,
                                       .columns = 3,
                                       .substeps = 1,
                                       .dt = 1.0 / QUBIT_SEGMENTS,
                                       .start = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
/* [rows][n] of each part of n tasks; the GPU's are one part. */
struct qubits {
    int single;
    size_t n, parts, size;
    char *u, *params, *weights, *loss, *grad_u, *work;
};
static void *reals(const struct qubits *q, size_t rows, double (*of)(size_t row, size_t task))
{
    const size_t all = rows * q->parts * q->n;
    char *to = aligned_alloc(64, all * q->size);
    if (!to) exit(1);
    for (size_t i = 0; i < all; i++) {
        const size_t t = i / (rows * q->n) * q->n + i % q->n, row = i / q->n % rows;
        if (q->single) ((float *)(void *)to)[i] = (float)of(row, t);
        else ((double *)(void *)to)[i] = of(row, t);
    }
    return to;
}
static double control_of(size_t row, size_t task)
{
    return 3 * sin(0.7 * (double)(row + 1) + 0.013 * (double)task);
}
static double rate_of(size_t row, size_t task)
{
    return 0.02 * (double)(row + 1) + 1e-6 * (double)task;
}
static double weight_of(size_t row, size_t task) /* of the X gate */
{
    (void)task;
    return row % 4 ? 0 : row ? -1.0 / 6 : 1.0 / 6;
}
static double nothing(size_t row, size_t task)
{
    (void)row, (void)task;
    return 0;
}
static struct qubits qubits_make(size_t tasks, size_t n, int single)
{
    struct qubits q = {
        .single = single, .n = n, .parts = tasks / n, .size = single ? sizeof(float) : sizeof(double)
    };
    q.u = reals(&q, QUBIT_ROWS, control_of), q.params = reals(&q, KL_BLOCH_PARAMS, rate_of);
    q.weights = reals(&q, 9, weight_of), q.loss = reals(&q, 1, nothing);
    q.grad_u = reals(&q, QUBIT_ROWS, nothing);
    q.work = aligned_alloc(64, 2 * (kl_bloch_work(&qubit) * q.size + 63) / 64 * 64);
    if (!q.work) exit(1);
    return q;
}
static void qubits_free(struct qubits *q)
{
    free(q->u), free(q->params), free(q->weights), free(q->loss), free(q->grad_u), free(q->work);
}
static void qubits_part(void *context, size_t part, int thread)
{
    const struct qubits *q = context;
    const size_t at = part * q->n * q->size;
    void *loss = q->loss + at, *grad_u = q->grad_u + QUBIT_ROWS * at, *u = q->u + QUBIT_ROWS * at,
         *params = q->params + KL_BLOCH_PARAMS * at, *weights = q->weights + 9 * at,
         *work = q->work + (size_t)thread * ((kl_bloch_work(&qubit) * q->size + 63) / 64 * 64);
    if (q->single)
        kl_kernel_bloch_gradient_f32()(loss, grad_u, NULL, NULL, u, params, weights, &qubit, q->n, work);
    else
        kl_kernel_bloch_gradient_f64()(loss, grad_u, NULL, NULL, u, params, weights, &qubit, q->n, work);
}
static double by_threads(struct qubits *q, double budget)
{
    struct kl_pool *pool;
    struct kl_error err;
    double best = 1e9;
    must(kl_pool_create(&pool, 2, &err), &err);
    for (const double begun = kl_clock(); best > 1e8 || kl_clock() - begun < budget;) {
        const double start = kl_clock();
        kl_pool_for(pool, q->parts, qubits_part, q);
        best = fmin(best, kl_clock() - start);
    }
    kl_pool_destroy(&pool);
    return best;
}
/* alone, with copies */
static void by_gpu(double found[2], struct qubits *q)
{
    struct kl_cuda_bloch *bloch;
    struct kl_error err;
    double each[2][GROUPS];
    struct kl_cuda_bloch_at at = {
        .u = q->u, .params = q->params, .weights = q->weights, .loss = q->loss, .grad_u = q->grad_u
    };
    must(device.cuda->bloch->open(&bloch, &qubit, q->n, q->single, device.number, &err), &err);
    for (const double start = kl_clock(); kl_clock() - start < WARM_SECONDS;)
        must(device.cuda->bloch->at(bloch, &at, &err), &err);
    for (int i = 0; i < GROUPS; i++) {
        const double start = kl_clock();
        at.seconds = NULL;
        must(device.cuda->bloch->at(bloch, &at, &err), &err);
        each[1][i] = kl_clock() - start;
        at.seconds = &each[0][i];
        must(device.cuda->bloch->at(bloch, &at, &err), &err);
    }
    device.cuda->bloch->close(&bloch);
    for (int i = 0; i < 2; i++) found[i] = median(each[i], GROUPS);
}
static void gradients(const char *name, size_t tasks, int single)
{
    if (!wanted(name)) return;
    struct qubits gpu = qubits_make(tasks, tasks, single), cpu = qubits_make(tasks, QUBIT_PART, single);
    double found[2];
    by_gpu(found, &gpu);
    const double threads = by_threads(&cpu, 1);
    for (int i = 0; i < 2; i++) {
        printf("bench %s%s/gpu %.6g s\n", name, i ? "-copies" : "", found[i]);
        printf("bench %s%s/cpu-2-threads %.6g s\n", name, i ? "-copies" : "", threads);
    }
    qubits_free(&gpu), qubits_free(&cpu);
}

int main(int argc, char **argv)
{
    const bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    if (argc > 1 + quick) beginning = argv[1 + quick];
    struct kl_features f;
    struct kl_head_options o;
    struct kl_head_model model;
    struct kl_error err;
    if (kl_device_choose(&device, "cuda", &err)) {
        printf("no GPU (%s)\n", err.text);
        return 77;
    }
    setvbuf(stdout, NULL, _IOLBF, 0); /* each line at once, whoever is stopped */
    printf("card %s\n", device.name);
    const size_t batch = quick ? BATCH / 16 : BATCH;
    circuits("ry-ring", 4, batch);
    circuits("ry-ring", 10, batch);
    circuits("strongly-entangling", 4, batch);
    circuits("strongly-entangling", 10, batch);
    circuits("strongly-entangling", 13, batch / 64);
    circuits("strongly-entangling", 16, batch / 1024);
    networks("gpu-classifier-5-epochs", 1, 5, false);
    networks("gpu-classifier-5-epochs", 1, 5, true);
    networks("gpu-500-classifiers-5-epochs", 500, 5, true);
    gans("gpu-gan-pair", 1, false);
    gans("gpu-100-gan-pairs", 100, false);
    gans("gpu-quantum-gan-pair", 1, true);
    gans("gpu-100-quantum-gan-pairs", 100, true);
    all_chains(quick);
    pulses("gpu-1024-pulses-two-qubits", "two-qubits", NULL, quick ? 64 : 1024);
    pulses("gpu-1024-pulses-ensemble", "qubit", "detuning=0.3", quick ? 64 : 1024);
    gradients("gpu-16384-qubit-gradients-float32", quick ? 512 : 16384, 1);
    gradients("gpu-16384-qubit-gradients-float64", quick ? 512 : 16384, 0);
    make_features(&f, N);
    kl_head_options_default(&o);
    must(kl_head_model_make(&model, &o, D, CLASSES, &err), &err);
    judge(&model, &f);
    train("gpu-head-first-epoch", &model, &f, 1, 1);
    if (!quick) train("gpu-head-50-epochs", &model, &f, 1, 50);
    train("gpu-256-heads-2-epochs", &model, &f, MANY, 2);
    if (!quick) train("gpu-256-heads-50-epochs", &model, &f, MANY, 50);
    kl_head_model_free(&model);
    free(f.x), free(f.labels);
    return 0;
}
