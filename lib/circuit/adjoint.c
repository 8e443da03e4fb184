/* SPDX-License-Identifier: MIT
   Batches of samples: groups as wide as a vector, each one program of the kernels; forward and adjoint (circuit.h). Compiled in
   both precisions. */
#include "circuit/circuit_int.h"
#include "kernels/inline/real.h"
#include "kernels/select.h"

enum {
    WORTH_THREADS = 1 << 20 /* amplitudes times gates of a whole batch below which one thread is faster */
};

struct batch {
    const struct kl_circuit *c;
    struct kl_vqc_program program;
    const struct kl_angle *angles;
    const struct KL_NAME(kl_vqc) *kernel;
    size_t n, lanes, state_size; /* state_size: values of a group's state */
    const kl_real *x, *cot;
    const kl_real *shared_c, *shared_s; /* (n_slots, lanes) of the weights and constants */
    kl_real *out, *state, *dx;
    kl_real *dangles;  /* (groups, n_slots, lanes) */
    kl_real *scratch;  /* a thread's part: scratch_size values */
    size_t scratch_size;
};

static kl_real angle_value(const struct kl_angle *a, const kl_real *x, const kl_real *w)
{
    if (a->source == KL_CONSTANT) return (kl_real)a->scale;
    if (a->source == KL_WEIGHT) return (kl_real)a->scale * w[a->index];
    kl_real value = (kl_real)a->scale * x[a->index];
    return a->index2 >= 0 ? value * x[a->index2] : value;
}

static int prepare(struct batch *b, const struct kl_circuit *c, const kl_real *x, const kl_real *w, size_t n,
                   struct kl_pool *pool, struct kl_arena *work, struct kl_error *err)
{
    *b = (struct batch){ .c = c, .n = n, .x = x };
#if KL_F64
    b->kernel = kl_kernels()->vqc_f64;
#else
    b->kernel = kl_kernels()->vqc_f32;
#endif
    b->lanes = (size_t)b->kernel->lanes;
    int code = kl_circuit_lower(&b->program, &b->angles, c, work, err);
    if (code) return code;
    size_t slots = b->program.n_slots, one = (slots + 1) * b->lanes;
    b->state_size = ((size_t)(c->real ? 1 : 2) << c->n_qubits) * b->lanes;
    b->scratch_size = 2 * one + 2 * c->n_obs * b->lanes + 2 * b->state_size;
    kl_real *angle = kl_arena_take(work, 3 * one, sizeof *angle);
    b->scratch = kl_arena_take(work, b->scratch_size * (size_t)kl_pool_size(pool), sizeof *b->scratch);
    if (!angle || !b->scratch) return kl_fail_memory(err, b->scratch_size * sizeof *b->scratch);
    for (size_t s = 0; s < slots; s++)
        for (size_t l = 0; l < b->lanes; l++)
            angle[s * b->lanes + l] = b->angles[s].source == KL_INPUT ? 0 : angle_value(&b->angles[s], NULL, w);
    b->kernel->half_angles(angle + one, angle + 2 * one, angle, slots * b->lanes);
    b->shared_c = angle + one;
    b->shared_s = angle + 2 * one;
    return KL_OK;
}

/* Cosines and sines of one group; a group's missing samples repeat the first one. */
static void group_angles(const struct batch *b, size_t group, kl_real *cosine, kl_real *sine)
{
    size_t lanes = b->lanes;
    kl_real angle[KL_WIDEST];
    for (size_t s = 0; s < b->program.n_slots; s++) {
        if (b->angles[s].source != KL_INPUT) {
            for (size_t l = 0; l < lanes; l++) cosine[s * lanes + l] = b->shared_c[s * lanes + l];
            for (size_t l = 0; l < lanes; l++) sine[s * lanes + l] = b->shared_s[s * lanes + l];
            continue;
        }
        for (size_t l = 0; l < lanes; l++) {
            size_t i = group * lanes + l < b->n ? group * lanes + l : group * lanes;
            angle[l] = angle_value(&b->angles[s], b->x + i * b->c->n_inputs, NULL);
        }
        b->kernel->half_angles(cosine + s * lanes, sine + s * lanes, angle, lanes);
    }
}

struct group_scratch {
    kl_real *cosine, *sine, *out, *cot, *state, *bra;
};

static struct group_scratch scratch_of(const struct batch *b, int thread)
{
    kl_real *at = b->scratch + (size_t)thread * b->scratch_size;
    size_t one = (b->program.n_slots + 1) * b->lanes, obs = b->c->n_obs * b->lanes;
    return (struct group_scratch){ at, at + one, at + 2 * one, at + 2 * one + obs, at + 2 * one + 2 * obs,
                                   at + 2 * one + 2 * obs + b->state_size };
}

static size_t samples_of(const struct batch *b, size_t group)
{
    size_t left = b->n - group * b->lanes;
    return left < b->lanes ? left : b->lanes;
}

static void forward_group(void *context, size_t group, int thread)
{
    const struct batch *b = context;
    struct group_scratch s = scratch_of(b, thread);
    kl_real *state = b->state ? b->state + group * b->state_size : s.state;
    size_t n_obs = b->c->n_obs;
    group_angles(b, group, s.cosine, s.sine);
    b->kernel->forward(s.out, state, &b->program, s.cosine, s.sine);
    for (size_t l = 0; l < samples_of(b, group); l++)
        for (size_t o = 0; o < n_obs; o++) b->out[(group * b->lanes + l) * n_obs + o] = s.out[o * b->lanes + l];
}

static void input_gradients(const struct batch *b, const kl_real *dangle, size_t lane, size_t sample)
{
    size_t n_inputs = b->c->n_inputs;
    const kl_real *x = b->x + sample * n_inputs;
    kl_real *dx = b->dx + sample * n_inputs;
    for (size_t i = 0; i < n_inputs; i++) dx[i] = 0;
    for (size_t s = 0; s < b->program.n_slots; s++) {
        const struct kl_angle *a = &b->angles[s];
        if (a->source != KL_INPUT) continue;
        kl_real g = dangle[s * b->lanes + lane] * (kl_real)a->scale;
        if (a->index2 < 0) {
            dx[a->index] += g;
        } else {
            dx[a->index] += g * x[a->index2];
            dx[a->index2] += g * x[a->index];
        }
    }
}

static void adjoint_group(void *context, size_t group, int thread)
{
    const struct batch *b = context;
    struct group_scratch s = scratch_of(b, thread);
    kl_real *state = b->state ? b->state + group * b->state_size : s.state;
    kl_real *dangle = b->dangles + group * b->program.n_slots * b->lanes;
    size_t n_obs = b->c->n_obs, here = samples_of(b, group);
    group_angles(b, group, s.cosine, s.sine);
    if (!b->state) b->kernel->forward(s.out, state, &b->program, s.cosine, s.sine);
    for (size_t l = 0; l < b->lanes; l++)
        for (size_t o = 0; o < n_obs; o++)
            s.cot[o * b->lanes + l] = l < here ? b->cot[(group * b->lanes + l) * n_obs + o] : 0;
    b->kernel->adjoint(dangle, state, s.bra, &b->program, s.cosine, s.sine, s.cot);
    for (size_t l = 0; b->dx && l < here; l++) input_gradients(b, dangle, l, group * b->lanes + l);
}

static void run_groups(struct batch *b, struct kl_pool *pool, void (*fn)(void *, size_t, int))
{
    double amplitudes = (double)b->n * (double)((size_t)1 << b->c->n_qubits) * (double)b->program.n_ops;
    kl_pool_for(amplitudes < WORTH_THREADS ? NULL : pool, (b->n + b->lanes - 1) / b->lanes, fn, b);
}

int KL_NAME(kl_circuit_forward)(kl_real *out, kl_real *state, const struct kl_circuit *c, const kl_real *x,
                                const kl_real *w, size_t n, struct kl_pool *pool, struct kl_arena *work,
                                struct kl_error *err)
{
    struct batch b;
    int code = prepare(&b, c, x, w, n, pool, work, err);
    if (code) return code;
    b.out = out;
    b.state = c->n_qubits <= KL_MOST_KEPT_QUBITS ? state : NULL;
    run_groups(&b, pool, forward_group);
    return KL_OK;
}

int KL_NAME(kl_circuit_adjoint)(kl_real *dx, kl_real *dw, kl_real *state, const struct kl_circuit *c, const kl_real *x,
                                const kl_real *w, const kl_real *cot, size_t n, struct kl_pool *pool,
                                struct kl_arena *work, struct kl_error *err)
{
    struct batch b;
    int code = prepare(&b, c, x, w, n, pool, work, err);
    if (code) return code;
    size_t groups = (n + b.lanes - 1) / b.lanes, all = groups * b.program.n_slots * b.lanes;
    b.dangles = kl_arena_take(work, all ? all : 1, sizeof *b.dangles);
    if (!b.dangles) return kl_fail_memory(err, all * sizeof *b.dangles);
    b.cot = cot;
    b.dx = dx;
    b.state = c->n_qubits <= KL_MOST_KEPT_QUBITS ? state : NULL;
    run_groups(&b, pool, adjoint_group);
    for (size_t s = 0; dw && s < b.program.n_slots; s++) { /* in the order of the samples, whatever the threads did */
        if (b.angles[s].source != KL_WEIGHT) continue;
        kl_real sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += b.dangles[(i / b.lanes * b.program.n_slots + s) * b.lanes + i % b.lanes];
        dw[b.angles[s].index] += (kl_real)b.angles[s].scale * sum;
    }
    return KL_OK;
}
