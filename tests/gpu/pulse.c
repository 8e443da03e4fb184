/* SPDX-License-Identifier: MIT
   Pulses on the GPU against the CPU: one qubit's tasks, a thread each, with tangents and derivatives by
   parameters; losses and gradients of systems from a state of one qubit to six levels, of all aggregates
   and waveforms; whole searches from several starts, by each method; those of several tasks at once; a
   start's bits beside others and in blocks of less memory; gradients of policies. What is on the CPU
   alone is refused. */
#include <math.h>

#include "control/meta/meta_train.h"
#include "control/pulse/pulse.h"
#include "gpu.h"
#include "kernels/inline/philox.h"
#include "tests/unit/check.h"

enum { LANES = KL_CONTROL_LANES, STARTS = 5, NUMBERS = 64 };
static struct kl_error err;

static void must(int code)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err.text);
    exit(1);
}

struct found {
    struct kl_control_start starts[STARTS];
    double points[STARTS * NUMBERS], gradients[STARTS * NUMBERS];
};

static struct kl_control_options options_of(const char *system, const char *set, int64_t segments)
{
    struct kl_control_options o;
    kl_control_options_default(&o);
    o.system = system, o.set = set, o.segments = racecheck ? 1 : segments;
    o.sharpness = 20, o.tail = 0.4;
    return o;
}

static struct kl_control_search search_of(int starts, int iterations, double size)
{
    struct kl_control_search s;
    kl_control_search_default(&s);
    s.target = 1e-9;
    s.method = KL_CONTROL_LBFGS, s.starts = starts, s.iterations = iterations, s.size = size, s.seed = 3;
    return s;
}

static void run(struct found *to, const struct kl_control_options *o, const struct kl_control_search *s,
                bool gpu)
{
    struct kl_control_setup setup;
    memset(to, 0, sizeof *to);
    must(kl_control_setup_make(&setup, o, &err));
    if (gpu)
        must(kl_control_optimize_gpu(to->starts, to->points, to->gradients, &setup.problem, 1, s,
                                     &device, NULL, &err));
    else must(kl_control_optimize(to->starts, to->points, &setup.problem, s, NULL, NULL, &err));
    kl_control_setup_free(&setup);
}

static void digest_starts(const struct kl_control_start *starts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const int numbers[] = { starts[i].iterations, starts[i].evaluations, (int)starts[i].stop };
        digest_of(&starts[i].loss, sizeof starts[i].loss), digest_of(numbers, sizeof numbers);
    }
}

static double largest(const double *v, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
    return most;
}

/* A search that stops at its first points, where loss and gradient are those of the CPU. */
static void check_gradient(const char *name, const struct kl_control_options *o, double size)
{
    const struct kl_control_search search = search_of(2, 0, size);
    const bool wanted[LANES] = { true, true };
    struct kl_control_setup setup;
    struct kl_control_evaluator *e;
    struct found gpu;
    double f[LANES];
    run(&gpu, o, &search, true);
    must(kl_control_setup_make(&setup, o, &err));
    must(kl_control_evaluator_open(&e, &setup.problem, &err));
    const size_t n = (size_t)kl_control_evaluator_size(e);
    double *x = calloc(2 * n * LANES, sizeof *x), *g = x + n * LANES, worst = 0, loss = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < 2; l++) x[i * LANES + l] = gpu.points[l * n + i];
    kl_control_evaluate(e, f, g, x, wanted);
    for (size_t l = 0; l < 2; l++) {
        loss = worse(loss, f[l] - gpu.starts[l].loss);
        for (size_t i = 0; i < n; i++) worst = worse(worst, g[i * LANES + l] - gpu.gradients[l * n + i]);
    }
    const double most = largest(gpu.gradients, 2 * n);
    CHECK(loss < 1e-12, "%s: losses differ by %.3g", name, loss);
    CHECK(most > 1e-4 && worst < 1e-11 * fmax(most, 1), "%s: gradients differ by %.3g of %.3g", name,
          worst, most);
    CHECK(gpu.starts[0].stop == KL_CONTROL_ITERATIONS && gpu.starts[0].evaluations == 1, "%s: stops",
          name);
    digest_starts(gpu.starts, 2), digest_of(gpu.gradients, sizeof gpu.gradients);
    free(x);
    kl_control_evaluator_close(&e);
    kl_control_setup_free(&setup);
}

static void check_waveforms(void)
{
    static const char *const functions[] = { "piecewise", "splines", "fourier" };
    for (int i = racecheck ? 2 : 0; i < 3; i++) {
        struct kl_control_options o = options_of("qubit", NULL, 5);
        o.functions = functions[i], o.count = 4, o.segments = 5;
        o.tau.value = 0.2, o.oversample = 2, o.slew.value = 0.5, o.energy = 0.1,
        o.spread = "detuning=0.3", o.members = 3, o.ensemble = "cvar";
        o.limit = "x=0:3 y=-1:2", o.constant = "y";
        check_gradient(functions[i], &o, 0.6);
        o.constant = NULL, o.zero_ends = true, o.count = 3, o.limit = "x+iy=2", o.ensemble = "mean";
        check_gradient("a disc", &o, 0.6);
    }
}

static void check_gradients(void)
{
    static const char *const aggregates[] = { "mean", "worst", "cvar" };
    struct kl_control_options o = options_of("qubit", "detuning=0.3 gamma_up=0.02", 3);
    check_gradient("a gate", &o, 0.5);
    o.fidelity = "state", o.controls = 3, o.limit = "200";
    if (!racecheck) check_gradient("a state, many substeps", &o, 0.5);
    for (int i = racecheck ? 2 : 0; i < 3; i++) {
        o = options_of("qubit", NULL, 3);
        o.spread = "detuning=0.4 amplitude=0.1", o.members = 3;
        o.ensemble = aggregates[i], o.energy = 0.2;
        check_gradient(aggregates[i], &o, 0.5);
    }
    if (racecheck) return;
    o = options_of("two-qubits", "gup2=0.01", 2);
    check_gradient("two qubits", &o, 0.5);
    o.spread = "J=0.2", o.members = smallest ? 2 : 5, o.limit = "x1=0:3 y2=-1:2";
    check_gradient("an ensemble of two qubits", &o, 0.5);
    o = options_of("transmon", "detuning=0.01", 2), o.duration.value = 3;
    check_gradient("a transmon", &o, 0.5);
    o.levels = "6", o.fidelity = "leakage";
    check_gradient("six levels", &o, 1);
}

/* ---- one qubit's tasks, a thread each ---- */
enum { QUBITS = 69, PADDED = 80, ALONE = 33 }; /* tasks; as the CPU has them; one of another block */

/* Of (-1, 1). */
static float drawn(size_t i)
{
    uint32_t words[4];
    kl_philox(words, 5, (uint32_t)i, 1000, 0, 0);
    return (float)(2 * kl_philox_unit(words[0]) - 1);
}

/* The same arrays for the CPU in double, and for the GPU in its precision. */
struct qubits {
    struct kl_bloch b;
    int single;
    size_t rows;
    double *u, *du, *params, *weights; /* of the CPU: [..][PADDED] */
    double *loss, *grad_u, *grad_params, *dgrad_u;
};

static double *of_qubits(size_t rows, double size, double middle, size_t *at)
{
    double *to = aligned_alloc(64, rows * PADDED * sizeof *to);
    for (size_t i = 0; i < rows * PADDED; i++) to[i] = (float)(middle + size * drawn((*at)++));
    return to;
}

static void draw_qubits(struct qubits *q, int gate, int controls, int segments, double size)
{
    size_t at = 0;
    q->b = (struct kl_bloch){ .segments = segments,
                              .controls = controls,
                              .columns = gate ? 3 : 1,
                              .affine = !gate,
                              .dt = 1.0 / segments,
                              .start = { { 0.6, -0.3, 0.7 }, { 0.1, 0.8, 0 }, { 0, 0.2, -0.9 } } };
    q->b.substeps = kl_bloch_substeps((2 * sqrt(3) * size + 8) * q->b.dt);
    q->rows = (size_t)(segments * controls);
    q->u = of_qubits(q->rows, size, 0, &at), q->du = of_qubits(q->rows, 1, 0, &at);
    q->params = of_qubits(KL_BLOCH_PARAMS, 0.5, 0.6, &at), q->weights = of_qubits(9, 1, 0, &at);
    q->loss = of_qubits(2, 1, 0, &at), q->grad_u = of_qubits(q->rows, 1, 0, &at);
    q->grad_params = of_qubits(KL_BLOCH_PARAMS, 1, 0, &at), q->dgrad_u = of_qubits(q->rows, 1, 0, &at);
}

static void on_processor(struct qubits *q)
{
    double *work = aligned_alloc(64, (kl_bloch_work(&q->b) * sizeof *work + 63) / 64 * 64);
    kl_kernel_bloch_gradient_f64()(q->loss, q->grad_u, q->grad_params, NULL, q->u, q->params, q->weights,
                                   &q->b, PADDED, work);
    kl_kernel_bloch_tangent_f64()(q->loss + PADDED, q->dgrad_u, NULL, NULL, NULL, q->u, q->du, q->params,
                                  NULL, q->weights, &q->b, PADDED, work);
    free(work);
}

/* Tasks [first, first + n) in the GPU's precision, and back into doubles. */
static void *sent(const struct qubits *q, const double *from, size_t rows, size_t first, size_t n)
{
    void *to = calloc(rows * n, sizeof(double));
    for (size_t i = 0; i < rows * n; i++) {
        const double x = from ? from[i / n * PADDED + first + i % n] : NAN;
        if (q->single) ((float *)to)[i] = (float)x;
        else ((double *)to)[i] = x;
    }
    return to;
}
static double got(const struct qubits *q, const void *v, size_t i)
{
    return q->single ? (double)((const float *)v)[i] : ((const double *)v)[i];
}

struct qubits_found {
    void *loss, *grad_u, *grad_params, *dgrad_u;
};
static void on_gpu(struct qubits_found *to, const struct qubits *q, size_t first, size_t n)
{
    const struct kl_cuda_bloch_calls *calls = device.cuda->bloch;
    struct kl_cuda_bloch *bloch;
    void *u = sent(q, q->u, q->rows, first, n), *du = sent(q, q->du, q->rows, first, n),
         *params = sent(q, q->params, KL_BLOCH_PARAMS, first, n),
         *weights = sent(q, q->weights, 3 * (size_t)q->b.columns, first, n),
         *grad_alone = sent(q, NULL, q->rows, first, n);
    double seconds = -1;
    *to = (struct qubits_found){ sent(q, NULL, 1, 0, n), sent(q, NULL, q->rows, 0, n),
                                 sent(q, NULL, KL_BLOCH_PARAMS, 0, n), sent(q, NULL, q->rows, 0, n) };
    struct kl_cuda_bloch_at at = { .u = u,
                                   .params = params,
                                   .weights = weights,
                                   .loss = to->loss,
                                   .grad_u = grad_alone,
                                   .seconds = racecheck ? NULL : &seconds };
    must(calls->open(&bloch, &q->b, n, q->single, device.number, &err));
    must(calls->at(bloch, &at, &err));
    at.seconds = NULL, at.grad_u = to->grad_u, at.grad_params = to->grad_params;
    must(calls->at(bloch, &at, &err));
    CHECK(memcmp(grad_alone, to->grad_u, q->rows * n * (q->single ? sizeof(float) : sizeof(double))) ==
              0,
          "a qubit: another gradient beside derivatives by parameters");
    CHECK(racecheck || (seconds >= 0 && seconds < 60), "a qubit: %g seconds", seconds);
    at.du = du, at.dgrad_u = to->dgrad_u;
    must(calls->at(bloch, &at, &err));
    /* A loss alone. */
    void *loss = sent(q, NULL, 1, 0, n);
    at = (struct kl_cuda_bloch_at){ .u = u, .params = params, .weights = weights, .loss = loss };
    must(calls->at(bloch, &at, &err));
    CHECK(memcmp(loss, to->loss, n * (q->single ? sizeof(float) : sizeof(double))) == 0,
          "a qubit: another loss without gradients");
    calls->close(&bloch);
    free(u), free(du), free(params), free(weights), free(grad_alone), free(loss);
}

/* The largest difference from the CPU, of the largest number there; NaN where one alone is NaN. */
static double apart(const struct qubits *q, const void *gpu, const double *cpu, size_t rows)
{
    double worst = 0, most = 1;
    for (size_t i = 0; i < rows * QUBITS; i++) {
        const double x = cpu[i / QUBITS * PADDED + i % QUBITS], y = got(q, gpu, i);
        if (isnan(x) && isnan(y)) continue;
        worst = worse(worst, x - y), most = fmax(most, fabs(x));
    }
    return worst / most;
}

static void check_qubit(int gate, int controls, int segments, double size, int single)
{
    struct qubits q = { .single = single };
    struct qubits_found all, one;
    draw_qubits(&q, gate, controls, segments, size);
    q.u[3] = 1e6; /* beyond what the substeps are enough for: no number */
    on_processor(&q), on_gpu(&all, &q, 0, QUBITS), on_gpu(&one, &q, ALONE, 1);
    const double off[] = { apart(&q, all.loss, q.loss, 1), apart(&q, all.grad_u, q.grad_u, q.rows),
                           apart(&q, all.grad_params, q.grad_params, KL_BLOCH_PARAMS),
                           apart(&q, all.dgrad_u, q.dgrad_u, q.rows) };
    const double bound = single ? 4e-6 : 1e-13 * fmax(1, size);
    for (int i = 0; i < 4; i++)
        CHECK(off[i] < bound, "a qubit, %s, %d controls, %d segments, %d substeps, %s: %s off by %.3g",
              gate ? "gate" : "state", controls, segments, q.b.substeps, single ? "single" : "double",
              (const char *[]){ "losses", "gradients", "derivatives by parameters", "tangents" }[i],
              off[i]);
    CHECK(isnan(got(&q, all.loss, 3)) && !isnan(got(&q, all.loss, 4)), "a qubit: its norm is %g, %g",
          got(&q, all.loss, 3), got(&q, all.loss, 4));
    for (size_t i = 0; i < q.rows; i++)
        CHECK(got(&q, one.grad_u, i) == got(&q, all.grad_u, i * QUBITS + ALONE) &&
                  got(&q, one.dgrad_u, i) == got(&q, all.dgrad_u, i * QUBITS + ALONE),
              "a qubit: other bits alone, in row %zu", i);
    const size_t bytes = single ? sizeof(float) : sizeof(double);
    digest_of(all.loss, QUBITS * bytes), digest_of(all.grad_u, q.rows * QUBITS * bytes);
    digest_of(all.dgrad_u, q.rows * QUBITS * bytes);
    free(q.u), free(q.du), free(q.params), free(q.weights), free(q.loss), free(q.grad_u);
    free(q.grad_params), free(q.dgrad_u);
    free(all.loss), free(all.grad_u), free(all.grad_params), free(all.dgrad_u);
    free(one.loss), free(one.grad_u), free(one.grad_params), free(one.dgrad_u);
}

static void check_qubits(void)
{
    struct kl_cuda_bloch *bloch;
    const struct kl_bloch two = { .segments = 1, .controls = 2, .columns = 2, .substeps = 1, .dt = 1 };
    for (int single = 0; single < 2; single++)
        for (int gate = 0; gate < 2; gate++) {
            check_qubit(gate, 3, racecheck ? 2 : 6, 20, single); /* several substeps */
            if (racecheck) continue;
            check_qubit(gate, 2, small ? 7 : 60, 3, single);
            check_qubit(gate, 2, 1, 0.1, single);
        }
    CHECK(device.cuda->bloch->open(&bloch, &two, 4, 0, device.number, &err) == KL_EUSAGE &&
              strstr(err.text, "2 columns"),
          "two columns: %s", err.text);
    device.cuda->bloch->close(&bloch);
}

static size_t best_of(const struct found *f, size_t starts)
{
    size_t best = 0;
    for (size_t i = 1; i < starts; i++)
        if (f->starts[i].loss < f->starts[best].loss - 1e-9) best = i;
    return best;
}

static bool same(const struct found *a, const struct found *b, size_t starts, size_t n)
{
    for (size_t i = 0; i < starts; i++)
        if (a->starts[i].loss != b->starts[i].loss ||
            a->starts[i].evaluations != b->starts[i].evaluations)
            return false;
    return memcmp(a->points, b->points, starts * n * sizeof *a->points) == 0;
}

/* Searches that the limit ends, as long as rounding has not grown, or that end by themselves. More
   starts than blocks of the emulated GPU; two of them alone; a GPU whose blocks hold fewer warps. */
static void check_search(const char *name, const struct kl_control_options *o,
                         enum kl_control_method method, size_t n, int iterations, const char *shared)
{
    struct kl_control_search s = search_of(racecheck ? 2 : STARTS, racecheck ? 2 : iterations, 0.2);
    s.method = method;
    struct found cpu, gpu, other;
    const size_t starts = (size_t)s.starts;
    run(&cpu, o, &s, false), run(&gpu, o, &s, true);
    for (size_t i = 0; i < starts; i++) {
        const double a = cpu.starts[i].loss, b = gpu.starts[i].loss;
        const bool limited = cpu.starts[i].stop == KL_CONTROL_ITERATIONS;
        CHECK(fabs(a - b) < (limited ? 1e-8 : 1e-7), "%s: start %zu: %.12g, on the CPU %.12g", name, i,
              b, a);
        CHECK(gpu.starts[i].stop == cpu.starts[i].stop, "%s: start %zu stops for %d", name, i,
              gpu.starts[i].stop);
        CHECK(!limited || gpu.starts[i].evaluations == cpu.starts[i].evaluations,
              "%s: start %zu: %d evaluations", name, i, gpu.starts[i].evaluations);
    }
    CHECK(best_of(&cpu, starts) == best_of(&gpu, starts), "%s: another start is best", name);
    digest_starts(gpu.starts, starts), digest_of(gpu.points, sizeof gpu.points);
    s.starts = 2;
    run(&other, o, &s, true);
    CHECK(same(&gpu, &other, 2, n), "%s: other bits beside fewer starts", name);
    if (!emulated || racecheck) return;
    setenv("KETLINE_EMULATED_SHARED", shared, 1);
    run(&other, o, &s, true);
    unsetenv("KETLINE_EMULATED_SHARED");
    CHECK(same(&gpu, &other, 2, n), "%s: other bits in blocks of less memory", name);
}

/* Searches for three qubits at once, each with parameters and a target of its own, are those that each
   has alone on the CPU. */
static void check_tasks(const char *fidelity)
{
    enum { TASKS = 3, OF_TASK = 2 };
    struct kl_control_options o = options_of("qubit", NULL, 3);
    struct kl_control_search s = search_of(OF_TASK, 3, 0.2);
    struct kl_control_task tasks[TASKS];
    struct kl_control_setup setup;
    struct kl_control_start found[TASKS * OF_TASK], alone[OF_TASK];
    double targets[TASKS][9] = { 0 }, points[TASKS * OF_TASK * NUMBERS];
    o.fidelity = fidelity, s.method = KL_CONTROL_NEWTON;
    must(kl_control_setup_make(&setup, &o, &err));
    const struct kl_control_objective *goal = &setup.objective;
    const int columns = goal->columns, first = columns > 1;
    for (int t = 0; t < TASKS; t++) {
        kl_control_task_default(&tasks[t], &setup.system);
        tasks[t].params[kl_control_system_param(&setup.system, "detuning")] = 0.2 * t;
        tasks[t].amplitude = 1 + 0.1 * t;
        for (int c = first; c < columns; c++)
            for (int i = 0; i < 3; i++)
                targets[t][(c - first) * 3 + i] = goal->weights[(i + 1) * columns + c] * (1 - 0.1 * t);
    }
    struct kl_control_problem problem = setup.problem;
    problem.members = tasks, problem.n_members = TASKS, problem.weights = NULL;
    problem.targets = (const double(*)[9])targets;
    must(kl_control_optimize_gpu(found, points, NULL, &problem, TASKS, &s, &device, NULL, &err));
    digest_starts(found, TASKS * OF_TASK);
    problem.n_members = 1;
    for (int t = 0; t < TASKS; t++) {
        problem.members = &tasks[t], problem.targets = (const double(*)[9])targets[t];
        must(kl_control_optimize(alone, points, &problem, &s, NULL, NULL, &err));
        for (int i = 0; i < OF_TASK; i++) {
            const struct kl_control_start *it = &found[t * OF_TASK + i];
            CHECK(fabs(it->loss - alone[i].loss) < 1e-8 && it->evaluations == alone[i].evaluations,
                  "%s: task %d, start %d: %.12g, alone %.12g", fidelity, t, i, it->loss, alone[i].loss);
        }
    }
    kl_control_setup_free(&setup);
}

/* ---- policies ---- */
enum { TASKS_OF_BATCH = KL_POLICY_LANES, SHOWN = TASKS_OF_BATCH - 3 };
struct policy {
    const char *name, *method, *gate, *fidelity, *detuning, *amplitude;
    int64_t qubits, controls, segments;
};

static void settle(struct kl_control_meta_values *v, const struct policy *p, int64_t segments)
{
    kl_control_meta_defaults(v);
    v->method = p->method, v->gate = p->gate, v->fidelity = p->fidelity, v->detuning = p->detuning;
    v->controls_range = p->amplitude, v->qubits = p->qubits, v->controls = p->controls;
    v->segments = racecheck ? 1 : segments, v->inner_steps = racecheck ? 1 : 2, v->hidden = 6;
    v->inner_lr = 0.3, v->limit.value = 3;
    must(kl_control_meta_settle(v, &err));
}

static void policy_gradient(double *grad, double losses[3 * TASKS_OF_BATCH], double sums[2],
                            const struct kl_control_meta_values *v, const struct kl_control_net *net,
                            const double *params, const struct kl_device *where)
{
    struct kl_arena memory;
    struct kl_control_batch_f64 b;
    const struct kl_control_task_id id = { 7, KL_CONTROL_TRAINING, 0, 0 };
    must(kl_arena_init(&memory, 0, &err));
    must(kl_control_batch_make_f64(&b, net, &v->inner, &v->family, v->limit.value, TASKS_OF_BATCH, where,
                                   &memory, &err));
    kl_control_batch_fill_f64(&b, id, SHOWN, 1.0 / SHOWN);
    must(kl_control_batch_gradient_f64(grad, sums, &b, params, SHOWN, &err));
    memcpy(losses, b.adapt.loss, 3 * TASKS_OF_BATCH * sizeof *losses);
    kl_control_batch_close_f64(&b), kl_arena_free(&memory);
}

/* The losses of all tasks of a batch at each step of their adaptation, and the gradient by the network's
   parameters. */
static void check_policy(const struct policy *p)
{
    struct kl_control_meta_values v = { 0 };
    struct kl_control_net net;
    double sums[2][2], losses[2][3 * TASKS_OF_BATCH], worst = 0, loss = 0;
    settle(&v, p, p->segments);
    must(kl_control_net_make(&net, &v.shape, &err));
    const size_t size = net.block.size, steps = (size_t)v.inner_steps;
    double *params = calloc(3 * size + kl_control_net_scratch(&net), sizeof *params),
           *grad[2] = { params + size, params + 2 * size };
    kl_control_net_init(params, &net, 1, 0, params + 3 * size);
    kl_control_net_start(params, &net, (double[6]){ 1.2, 0.4, -0.3, 0.6, 0.2, 0.1 });
    for (int i = 0; i < 2; i++)
        policy_gradient(grad[i], losses[i], sums[i], &v, &net, params, i ? &device : NULL);
    for (size_t k = 0; k <= steps; k++)
        for (size_t l = 0; l < SHOWN; l++) {
            const size_t at = k * TASKS_OF_BATCH + l;
            loss = worse(loss, losses[0][at] - losses[1][at]);
        }
    for (size_t i = 0; i < size; i++) worst = worse(worst, grad[0][i] - grad[1][i]);
    const double most = largest(grad[0], size), gain = sums[0][0] - sums[0][1];
    CHECK(loss < 1e-12, "%s: losses differ by %.3g", p->name, loss);
    CHECK(fabs(gain) > 1e-3, "%s: adapting gains %.3g", p->name, gain);
    CHECK(most > 1e-3 && worst < 1e-12 * fmax(most, 1), "%s: gradients differ by %.3g of %.3g", p->name,
          worst, most);
    digest_of(grad[1], size * sizeof *params), digest_of(losses[1], SHOWN * sizeof(double));
    free(params), kl_control_net_free(&net);
}

/* Pulses drawn at random for tasks drawn at random: losses, gradients and Hessian products in float are
   those of the CPU in double. */
static void check_single(const struct policy *p, int64_t segments)
{
    struct kl_control_meta_values v = { 0 };
    struct kl_control_net net;
    struct kl_arena memory;
    struct kl_control_batch_f64 wide;
    struct kl_control_batch_f32 b;
    const struct kl_control_task_id id = { 8, KL_CONTROL_TRAINING, 0, 0 };
    settle(&v, p, segments);
    must(kl_control_net_make(&net, &v.shape, &err)), must(kl_arena_init(&memory, 0, &err));
    must(kl_control_batch_make_f64(&wide, &net, &v.inner, &v.family, v.limit.value, TASKS_OF_BATCH, NULL,
                                   &memory, &err));
    must(kl_control_batch_make_f32(&b, &net, &v.inner, &v.family, v.limit.value, TASKS_OF_BATCH, &device,
                                   &memory, &err));
    kl_control_batch_fill_f64(&wide, id, TASKS_OF_BATCH, 1);
    kl_control_batch_fill_f32(&b, id, TASKS_OF_BATCH, 1);
    const size_t n = (size_t)(v.segments * v.controls) * TASKS_OF_BATCH;
    const bool second = wide.plant.tangent != NULL;
    double *u = calloc(4 * n, sizeof *u), *du = u + n, *g = u + 2 * n, *hd = u + 3 * n;
    float *u_f32 = calloc(4 * n, sizeof *u_f32), *du_f32 = u_f32 + n, *g_f32 = u_f32 + 2 * n,
          *hd_f32 = u_f32 + 3 * n, loss_f32[TASKS_OF_BATCH];
    double loss[TASKS_OF_BATCH], off[3] = { 0 };
    for (size_t i = 0; i < n; i++) {
        u[i] = u_f32[i] = (float)v.limit.value * drawn(i);
        du[i] = du_f32[i] = drawn(n + i);
    }
    wide.plant.gradient(&wide.plant, loss, g, u), b.plant.gradient(&b.plant, loss_f32, g_f32, u_f32);
    if (second)
        wide.plant.tangent(&wide.plant, hd, u, du), b.plant.tangent(&b.plant, hd_f32, u_f32, du_f32);
    must(kl_control_plant_gpu_code_f32(&b.plant, &err));
    for (size_t l = 0; l < TASKS_OF_BATCH; l++) off[0] = worse(off[0], loss[l] - loss_f32[l]);
    for (size_t i = 0; i < n; i++) {
        off[1] = worse(off[1], g[i] - g_f32[i]), off[2] = worse(off[2], hd[i] - hd_f32[i]);
    }
    const double most[] = { largest(g, n), largest(hd, n) };
    CHECK(off[0] < 1e-6, "%s, single: losses differ by %.3g", p->name, off[0]);
    CHECK(most[0] > 1e-3 && off[1] < 1e-5 * most[0], "%s, single: gradients differ by %.3g of %.3g",
          p->name, off[1], most[0]);
    CHECK(!second || (most[1] > 1e-3 && off[2] < 1e-4 * most[1]),
          "%s, single: products differ by %.3g of %.3g", p->name, off[2], most[1]);
    digest_of(loss_f32, sizeof loss_f32), digest_of(g_f32, 2 * n * sizeof *g_f32);
    free(u), free(u_f32);
    kl_control_batch_close_f64(&wide), kl_control_batch_close_f32(&b);
    kl_arena_free(&memory), kl_control_net_free(&net);
}

static void check_policies(void)
{
    static const struct policy policies[] = {
        { "second order", "maml", "rotation", "average", "-0.5,0.5", "0.9,1.1", 1, 2, 3 },
        { "a state, Reptile", "reptile", "hadamard", "state", "0,0", "1,1", 1, 2, 5 },
        { "two qubits", "fomaml", "cz", "average", "-0.1,0.1", "0.9,1.1", 2, 6, 2 },
    };
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        if (i == 0 || !racecheck) {
            check_policy(&policies[i]);
            check_single(&policies[i], i == 0 && !smallest ? 60 : 4);
        }
}

static void check_refused(const char *words, const struct kl_control_options *o,
                          enum kl_control_method method)
{
    struct kl_control_search s = search_of(1, 1, 0.1);
    struct kl_control_setup setup;
    struct found to;
    s.method = method;
    must(kl_control_setup_make(&setup, o, &err));
    CHECK(kl_control_optimize_gpu(to.starts, to.points, NULL, &setup.problem, 1, &s, &device, NULL,
                                  &err) == KL_EUSAGE &&
              strstr(err.text, words) && strstr(err.text, "--device cpu"),
          "%s: %s", words, err.text);
    kl_control_setup_free(&setup);
}

static void check_refusals(void)
{
    struct kl_control_options o = options_of("qubit", NULL, 6);
    check_refused("--method krotov", &o, KL_CONTROL_KROTOV);
    if (!emulated) return;
    o = options_of("two-qubits", NULL, 6);
    setenv("KETLINE_EMULATED_SHARED", "4096", 1);
    check_refused("a block of this GPU has 4096", &o, KL_CONTROL_LBFGS);
    unsetenv("KETLINE_EMULATED_SHARED");
}

int main(void)
{
    open_gpu();
    check_qubits();
    check_gradients();
    check_waveforms();
    check_tasks("average");
    if (!racecheck) check_tasks("state");
    struct kl_control_options o = options_of("qubit", "gamma_phi=0 gamma_down=0", 6);
    o.spread = "detuning=0.1", o.members = 3;
    check_search("a qubit", &o, KL_CONTROL_LBFGS, 12, 15, "12000");
    o.spread = "detuning=0.2", o.members = 3, o.energy = 0.1;
    check_search("a qubit by Newton", &o, KL_CONTROL_NEWTON, 12, 4, "30000");
    o.constant = "x", o.functions = "fourier", o.count = 2, o.segments = 4;
    check_search("a qubit by Adam", &o, KL_CONTROL_ADAM, 3, 15, "12000");
    if (!smallest) {
        o = options_of("two-qubits", NULL, 4);
        check_search("two qubits", &o, KL_CONTROL_AUTO, 24, 200, "20000");
        o = options_of("qubit", "gamma_phi=0 gamma_down=0", 4), o.controls = 3;
        check_search("one task", &o, KL_CONTROL_AUTO, 12, 100, "20000");
    }
    check_policies();
    check_refusals();
    print_digest();
    return failures != 0;
}
