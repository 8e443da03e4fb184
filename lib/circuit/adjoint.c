/* SPDX-License-Identifier: MIT
   Batches of samples: groups as wide as a vector, each one program of the kernels; forward and adjoint
   (circuit.h). Compiled in both precisions. */
#include "circuit/circuit_int.h"

#include <math.h>
#include <string.h>

#include "kernels/inline/real.h"
#include "kernels/select.h"

#if KL_F64
#define SQRT sqrt
#else
#define SQRT sqrtf
#endif

enum {
    WORTH_THREADS =
        1 << 20 /* amplitudes times gates of a whole batch below which one thread is faster */
};

struct batch {
    const struct kl_circuit *c;
    const struct kl_circuit_plan *plan;
    const struct KL_NAME(kl_vqc) * kernel;
    const struct KL_NAME(kl_density) * noisy;
    double turn; /* the kernels' cosines are of angle * turn / 2 */
    size_t n, lanes;
    size_t one, state_size;     /* values of one vector a slot; of the amplitudes of a group */
    size_t bra_size, work_size; /* of a group's */
    const kl_real *x, *cot;
    kl_real *angle, *shared_c, *shared_s; /* (n_slots, lanes), of the weights and constants */
    bool *moving;                         /* (n_slots): the angle depends on the sample */
    kl_real *out, *state, *dx;
    kl_real *dangles; /* (groups, n_slots, lanes) */
    kl_real *scratch; /* a thread's part: scratch_size values */
    size_t scratch_size;
};

/* What a group has in memory; forward leaves the first three in the caller's state for adjoint. */
struct group {
    kl_real *cosine, *sine, *state, *bra, *out, *cot, *work;
    size_t first, here; /* its samples */
};

static struct group group_of(const struct batch *b, size_t number, int thread)
{
    kl_real *at = b->scratch + (size_t)thread * b->scratch_size;
    struct group g = { .first = number * b->lanes };
    g.here = b->n - g.first < b->lanes ? b->n - g.first : b->lanes;
    g.bra = at;
    g.out = g.bra + b->bra_size;
    g.cot = g.out + b->c->n_obs * b->lanes;
    g.work = g.cot + b->c->n_obs * b->lanes;
    g.state = b->state ? b->state + number * (b->state_size + 2 * b->one) : g.work + b->work_size;
    g.cosine = g.state + b->state_size;
    g.sine = g.cosine + b->one;
    return g;
}

/* The angles that all samples share. */
static void shared_angles(struct batch *b, const kl_real *w)
{
    const struct kl_circuit_plan *p = b->plan;
    kl_real *c = b->shared_c, *s = b->shared_s;
    for (size_t k = 0; k < p->n_slots; k++) b->angle[k] = 0, b->moving[k] = false;
    for (size_t i = 0; i < p->n_angles; i++) {
        const struct kl_angle *a = &p->angles[i];
        if (a->source == KL_INPUT) b->moving[p->slot[i]] = true;
        else
            b->angle[p->slot[i]] +=
                (kl_real)(a->scale * b->turn) * (a->source == KL_WEIGHT ? w[a->index] : 1);
    }
    for (size_t k = p->n_slots; k % b->lanes; k++) b->angle[k] = 0;
    b->kernel->half_angles(c, s, b->angle, (p->n_slots + b->lanes - 1) / b->lanes * b->lanes);
    for (size_t k = p->n_slots; k-- > 0;) /* one value to `lanes`, last first: none is overwritten */
        for (size_t l = b->lanes; l-- > 0;) c[k * b->lanes + l] = c[k], s[k * b->lanes + l] = s[k];
}

static int prepare(struct batch *b, const struct kl_circuit *c, const kl_real *x, const kl_real *w,
                   size_t n, struct kl_pool *pool, struct kl_arena *work, struct kl_error *err)
{
    *b = (struct batch){ .c = c, .plan = c->plan, .n = n, .x = x };
#if KL_F64
    b->kernel = kl_kernels()->vqc_f64;
    b->noisy = kl_kernels()->density_f64;
#else
    b->kernel = kl_kernels()->vqc_f32;
    b->noisy = kl_kernels()->density_f32;
#endif
    b->lanes = (size_t)b->kernel->lanes;
    b->one = b->plan->n_slots * b->lanes;
    b->turn = c->plan->density ? 2 : 1;
    b->state_size = kl_circuit_state_values(c) * b->lanes;
    b->bra_size = c->plan->density ? b->lanes << c->n_qubits : b->state_size;
    b->work_size = c->plan->density ? 2 * c->plan->density->n_coefficients * b->lanes
                                    : b->lanes << KL_VQC_LOW_BITS(c->n_qubits);
    b->scratch_size = 2 * b->one + 2 * c->n_obs * b->lanes + b->state_size + b->bra_size + b->work_size;
    b->shared_c = kl_arena_take(work, 3 * b->one + 1, sizeof *b->shared_c);
    b->moving = kl_arena_take(work, b->plan->n_slots + 1, sizeof *b->moving);
    b->scratch = kl_arena_take(work, b->scratch_size * (size_t)kl_pool_size(pool), sizeof *b->scratch);
    if (!b->shared_c || !b->moving || !b->scratch)
        return kl_fail_memory(err, b->scratch_size * sizeof *b->scratch);
    b->shared_s = b->shared_c + b->one;
    b->angle = b->shared_s + b->one;
    shared_angles(b, w);
    return KL_OK;
}

/* Adds what the group's inputs put into the angle of one slot. */
static void add_inputs(kl_real *angle, const struct batch *b, const struct group *g,
                       const struct kl_angle *a)
{
    const kl_real *x = b->x + g->first * b->c->n_inputs + a->index,
                  *y = x - a->index + (a->index2 < 0 ? 0 : a->index2);
    for (size_t l = 0; l < g->here; l++) {
        kl_real value = (kl_real)(a->scale * b->turn) * x[l * b->c->n_inputs];
        angle[l] += a->index2 < 0 ? value : value * y[l * b->c->n_inputs];
    }
}

/* Cosines and sines of one group; a group's missing samples repeat the first one. */
static void group_angles(const struct batch *b, const struct group *g)
{
    const struct kl_circuit_plan *p = b->plan;
    size_t lanes = b->lanes;
    memcpy(g->cosine, b->shared_c, b->one * sizeof *g->cosine);
    memcpy(g->sine, b->shared_s, b->one * sizeof *g->sine);
    for (size_t k = 0; k < p->n_slots; k++) /* the angles stand where their cosines will */
        for (size_t l = 0; b->moving[k] && l < lanes; l++) g->cosine[k * lanes + l] = b->angle[k];
    for (size_t i = 0; i < p->n_angles; i++)
        if (p->angles[i].source == KL_INPUT)
            add_inputs(g->cosine + (size_t)p->slot[i] * lanes, b, g, &p->angles[i]);
    for (size_t k = 0, end; k < p->n_slots; k = end + 1) { /* neighbouring slots in one call */
        for (end = k; end < p->n_slots && b->moving[end]; end++)
            for (size_t l = g->here; l < lanes; l++) g->cosine[end * lanes + l] = g->cosine[end * lanes];
        if (end > k)
            b->kernel->half_angles(g->cosine + k * lanes, g->sine + k * lanes, g->cosine + k * lanes,
                                   (end - k) * lanes);
    }
}

static kl_real norm_of(const kl_real *x, size_t n)
{
    kl_real squares = 0;
    for (size_t k = 0; k < n; k++) squares += x[k] * x[k];
    return squares > 0 ? SQRT(squares) : 1;
}

/* The inputs as amplitudes; the group's missing samples stay 0. */
static void given_amplitudes(const struct batch *b, const struct group *g)
{
    const size_t n = b->c->n_inputs;
    memset(g->state, 0, b->state_size * sizeof *g->state);
    for (size_t l = 0; l < g->here; l++) {
        const kl_real *x = b->x + (g->first + l) * n, scale = 1 / norm_of(x, n);
        for (size_t k = 0; k < n; k++) g->state[k * b->lanes + l] = scale * x[k];
    }
}

/* psi = x / |x|: dx = (g - psi (psi . g)) / |x|, g = 2 Re(bra) being the gradient by psi. */
static void amplitude_gradients(const struct batch *b, const struct group *g)
{
    const size_t n = b->c->n_inputs;
    for (size_t l = 0; l < g->here; l++) {
        const kl_real *x = b->x + (g->first + l) * n, scale = 1 / norm_of(x, n);
        kl_real *dx = b->dx + (g->first + l) * n, along = 0;
        for (size_t k = 0; k < n; k++) along += scale * x[k] * 2 * g->bra[k * b->lanes + l];
        for (size_t k = 0; k < n; k++)
            dx[k] = scale * (2 * g->bra[k * b->lanes + l] - scale * x[k] * along);
    }
}

static void run_forward(const struct batch *b, const struct group *g)
{
    group_angles(b, g);
    if (b->c->amplitude_inputs) given_amplitudes(b, g);
    if (b->plan->density)
        b->noisy->forward(g->out, g->state, g->work, b->plan->density, g->cosine, g->sine);
    else if (b->plan->turns.n_layers && b->out && !b->state)
        b->kernel->turns_forward(g->out, g->state, &b->plan->turns, g->cosine, g->sine);
    else if (b->plan->layers.n_layers)
        b->kernel->layers_forward(g->out, g->state, g->work, &b->plan->layers, g->cosine, g->sine);
    else b->kernel->forward(g->out, g->state, &b->plan->program, g->cosine, g->sine);
}

static void forward_group(void *context, size_t number, int thread)
{
    const struct batch *b = context;
    struct group g = group_of(b, number, thread);
    size_t n_obs = b->c->n_obs;
    run_forward(b, &g);
    for (size_t o = 0; o < n_obs; o++)
        for (size_t l = 0; l < g.here; l++) b->out[(g.first + l) * n_obs + o] = g.out[o * b->lanes + l];
}

static void input_gradients(const struct batch *b, const struct group *g, const kl_real *dangle)
{
    size_t n_inputs = b->c->n_inputs;
    const kl_real *x = b->x + g->first * n_inputs;
    kl_real *dx = b->dx + g->first * n_inputs;
    for (size_t i = 0; i < g->here * n_inputs; i++) dx[i] = 0;
    for (size_t i = 0; i < b->plan->n_angles; i++) {
        const struct kl_angle *a = &b->plan->angles[i];
        const kl_real *d = dangle + (size_t)b->plan->slot[i] * b->lanes;
        if (a->source != KL_INPUT) continue;
        for (size_t l = 0; l < g->here; l++) {
            kl_real by_angle = d[l] * (kl_real)a->scale;
            const kl_real *row = x + l * n_inputs;
            dx[l * n_inputs + (size_t)a->index] += a->index2 < 0 ? by_angle : by_angle * row[a->index2];
            if (a->index2 >= 0) dx[l * n_inputs + (size_t)a->index2] += by_angle * row[a->index];
        }
    }
}

static void adjoint_group(void *context, size_t number, int thread)
{
    const struct batch *b = context;
    struct group g = group_of(b, number, thread);
    kl_real *dangle = b->dangles + number * b->one;
    size_t n_obs = b->c->n_obs;
    if (!b->state) run_forward(b, &g);
    for (size_t o = 0; o < n_obs; o++) /* no sample, no gradient */
        for (size_t l = 0; l < b->lanes; l++)
            g.cot[o * b->lanes + l] = l < g.here ? b->cot[(g.first + l) * n_obs + o] : 0;
    if (b->plan->density)
        b->noisy->adjoint(dangle, g.bra, g.state, g.work, b->plan->density, g.cosine, g.sine, g.cot);
    else if (b->plan->layers.n_layers)
        b->kernel->layers_adjoint(dangle, g.state, g.bra, g.work, &b->plan->layers, g.cosine, g.sine,
                                  g.cot);
    else b->kernel->adjoint(dangle, g.state, g.bra, &b->plan->program, g.cosine, g.sine, g.cot);
    if (b->dx && b->c->amplitude_inputs) amplitude_gradients(b, &g);
    else if (b->dx) input_gradients(b, &g, dangle);
}

static void run_groups(struct batch *b, struct kl_pool *pool, void (*fn)(void *, size_t, int))
{
    const struct kl_density_program *d = b->plan->density;
    const size_t size = d ? d->n_coefficients : (size_t)1 << b->c->n_qubits,
                 ops = d ? d->n_ops : b->plan->program.n_ops;
    double amplitudes = (double)b->n * (double)size * (double)ops;
    kl_pool_for(amplitudes < WORTH_THREADS ? NULL : pool, (b->n + b->lanes - 1) / b->lanes, fn, b);
}

int KL_NAME(kl_circuit_forward)(kl_real *out, kl_real *state, const struct kl_circuit *c,
                                const kl_real *x, const kl_real *w, size_t n, struct kl_pool *pool,
                                struct kl_arena *work, struct kl_error *err)
{
    struct batch b;
    int code = prepare(&b, c, x, w, n, pool, work, err);
    if (code) return code;
    b.out = out;
    b.state = kl_circuit_kept_values(c) ? state : NULL;
    run_groups(&b, pool, forward_group);
    return KL_OK;
}

int KL_NAME(kl_circuit_samples)(kl_real *dx, kl_real *dangles, kl_real *state,
                                const struct kl_circuit *c, const kl_real *x, const kl_real *w,
                                const kl_real *cot, size_t n, struct kl_pool *pool,
                                struct kl_arena *work, struct kl_error *err)
{
    struct batch b;
    int code = prepare(&b, c, x, w, n, pool, work, err);
    if (code) return code;
    b.dangles = dangles;
    b.cot = cot;
    b.dx = dx;
    b.state = kl_circuit_kept_values(c) ? state : NULL;
    run_groups(&b, pool, adjoint_group);
    return KL_OK;
}

/* Groups in rising order, then lanes by halves, whatever the threads did. */
void KL_NAME(kl_circuit_weights)(kl_real *dw, kl_real *dangles, const struct kl_circuit *c, size_t n)
{
#if KL_F64
    const size_t lanes = (size_t)kl_kernels()->vqc_f64->lanes;
#else
    const size_t lanes = (size_t)kl_kernels()->vqc_f32->lanes;
#endif
    const struct kl_circuit_plan *p = c->plan;
    const size_t one = p->n_slots * lanes, groups = (n + lanes - 1) / lanes;
    for (size_t i = 1; i < groups; i++)
        for (size_t j = 0; j < one; j++) dangles[j] += dangles[i * one + j];
    for (size_t i = 0; groups && i < p->n_angles; i++) {
        const struct kl_angle *a = &p->angles[i];
        const kl_real *d = dangles + (size_t)p->slot[i] * lanes;
        kl_real sum[KL_WIDEST];
        if (a->source != KL_WEIGHT) continue;
        for (size_t l = 0; l < lanes; l++) sum[l] = d[l];
        for (size_t half = lanes / 2; half; half /= 2)
            for (size_t l = 0; l < half; l++) sum[l] += sum[l + half];
        dw[a->index] += (kl_real)a->scale * sum[0];
    }
}

int KL_NAME(kl_circuit_adjoint)(kl_real *dx, kl_real *dw, kl_real *state, const struct kl_circuit *c,
                                const kl_real *x, const kl_real *w, const kl_real *cot, size_t n,
                                struct kl_pool *pool, struct kl_arena *work, struct kl_error *err)
{
    size_t size = kl_circuit_angles_size(c, n);
    kl_real *dangles = kl_arena_take(work, size + 1, sizeof *dangles);
    if (!dangles) return kl_fail_memory(err, size * sizeof *dangles);
    int code = KL_NAME(kl_circuit_samples)(dx, dangles, state, c, x, w, cot, n, pool, work, err);
    if (!code && dw) KL_NAME(kl_circuit_weights)(dw, dangles, c, n);
    return code;
}
