/* SPDX-License-Identifier: MIT
   Batches of samples: groups as wide as a vector, each one program of the kernels: memory, angles, given
   amplitudes; forward and adjoint. Compiled in both precisions. */
#include "circuit/batch_int.h"

#include <math.h>
#include <string.h>

#include "kernels/density.h"
#include "kernels/vqc.h"
#include "kernels/inline/real.h"

#if KL_F64
#define SQRT sqrt
#else
#define SQRT sqrtf
#endif

enum {
    WORTH_SHARING = 16, /* qubits from which threads share each state in place of the batch */
    TOGETHER = 1 << 14  /* amplitudes of states that go through the layers side by side, for the cache */
};

struct group kl_circuit_batch_group(const struct batch *b, size_t number, int thread)
{
    kl_real *at = b->scratch + (size_t)thread * b->scratch_size;
    struct group g = { .first = number * b->lanes };
    g.here = b->n - g.first < b->lanes ? b->n - g.first : b->lanes;
    g.bra = at;
    g.out = g.bra + b->bra_size;
    g.cot = g.out + b->n_read * b->lanes;
    g.work = g.cot + b->n_read * b->lanes;
    g.frames = g.work + b->work_size;
    const size_t kept = (b->state_size + 2 * b->one) * (b->c->trajectories ? b->c->trajectories : 1);
    g.state = b->state ? b->state + number * kept : g.frames + b->frames_size;
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

int kl_circuit_batch_prepare(struct batch *b, const struct kl_circuit *c, const kl_real *x,
                             const kl_real *w, size_t n, struct kl_pool *pool, struct kl_arena *work,
                             struct kl_error *err)
{
    *b = (struct batch){ .c = c, .plan = c->plan, .n = n, .x = x, .w = w };
#if KL_F64
    b->kernel = kl_kernel_vqc_f64();
    b->noisy = kl_kernel_density_f64();
#else
    b->kernel = kl_kernel_vqc_f32();
    b->noisy = kl_kernel_density_f32();
#endif
    b->lanes = (size_t)b->kernel->lanes;
    b->one = b->plan->n_slots * b->lanes;
    b->turn = c->plan->density ? 2 : 1;
    b->pool = c->plan->wide && c->n_qubits >= WORTH_SHARING ? pool : NULL;
    b->n_read = c->plan->trajectory ? c->plan->program.n_obs : c->plan->n_readings;
    /* kept states lie in memory as those of a full group, whatever part of a batch comes back to them */
    const bool kept = kl_circuit_kept_values(c) > 0;
    const size_t together = c->plan->wide && !kept && n < b->lanes ? n : b->lanes;
    b->state_size = kl_circuit_state_values(c) * together;
    b->bra_size = c->plan->density ? b->lanes << c->n_qubits : b->state_size;
    b->work_size = c->plan->density ? 2 * c->plan->density->n_coefficients * b->lanes
                   : c->plan->wide  ? KL_VQC_WIDE_WORK(c->n_qubits, b->n_read) * b->lanes
                                    : b->lanes << KL_VQC_LOW_BITS(c->n_qubits);
    b->frames_size = c->plan->trajectory ? kl_circuit_trajectories_scratch(c, b->lanes) : 0;
    b->scratch_size = 2 * b->one + 2 * b->n_read * b->lanes + b->state_size + b->bra_size +
                      b->work_size + b->frames_size;
    b->shared_c = kl_arena_take(work, 3 * b->one + 1, sizeof *b->shared_c);
    b->moving = kl_arena_take(work, b->plan->n_slots + 1, sizeof *b->moving);
    b->scratch = kl_arena_take(work, b->scratch_size * (size_t)kl_pool_size(b->pool ? NULL : pool),
                               sizeof *b->scratch);
    if (!b->shared_c || !b->moving || !b->scratch)
        return kl_fail_memory(err, b->scratch_size * sizeof *b->scratch);
    b->shared_s = b->shared_c + b->one;
    b->angle = b->shared_s + b->one;
    shared_angles(b, w);
    return KL_OK;
}

/* Adds what the group's inputs put into the angle of one slot. */
void kl_circuit_batch_add_inputs(kl_real *angle, const struct batch *b, const struct group *g,
                                 const struct kl_angle *a, const kl_real *factor)
{
    const kl_real *x = b->x + g->first * b->c->n_inputs + a->index,
                  *y = x - a->index + (a->index2 < 0 ? 0 : a->index2);
    const kl_real scale = (kl_real)(a->scale * b->turn) * (a->scaled ? b->w[a->scaled - 1] : 1);
    const size_t here = g->here, n = b->c->n_inputs;
    if (!factor && a->index2 < 0) { /* most are of one input */
        for (size_t l = 0; l < here; l++) angle[l] += scale * x[l * n];
        return;
    }
    for (size_t l = 0; l < here; l++) {
        kl_real value = scale * x[l * n];
        if (factor) value *= factor[l];
        angle[l] += a->index2 < 0 ? value : value * y[l * n];
    }
}

/* Cosines and sines of one group; a group's missing samples repeat the first one. */
static void group_angles(const struct batch *b, const struct group *g)
{
    const struct kl_circuit_plan *p = b->plan;
    size_t lanes = b->lanes;
    memcpy(g->cosine, b->shared_c, b->one * sizeof *g->cosine);
    memcpy(g->sine, b->shared_s, b->one * sizeof *g->sine);
    for (size_t k = 0; k < p->n_slots; k++) { /* the angles stand where their cosines will */
        if (!b->moving[k]) continue;
        for (size_t l = 0; l < lanes; l++) g->cosine[k * lanes + l] = b->angle[k];
    }
    for (size_t i = 0; i < p->n_angles; i++)
        if (p->angles[i].source == KL_INPUT)
            kl_circuit_batch_add_inputs(g->cosine + (size_t)p->slot[i] * lanes, b, g, &p->angles[i],
                                        NULL);
    for (size_t k = 0, end; k < p->n_slots; k = end + 1) { /* neighbouring slots in one call */
        for (end = k; end < p->n_slots && b->moving[end]; end++)
            for (size_t l = g->here; l < lanes; l++) g->cosine[end * lanes + l] = g->cosine[end * lanes];
        if (end > k)
            b->kernel->half_angles(g->cosine + k * lanes, g->sine + k * lanes, g->cosine + k * lanes,
                                   (end - k) * lanes);
    }
}

/* Cosines and sines of angles moved by the same amount, up or down, are turned by it. */
static void move_angles(const struct batch *b, const struct group *g)
{
    const size_t lanes = b->lanes;
    const kl_real c = (kl_real)cos(b->move->by * b->turn / 2),
                  s = (kl_real)sin(b->move->by * b->turn / 2);
    for (size_t k = 0; k < b->plan->n_slots; k++)
        for (size_t l = 0; l < g->here; l++) {
            const int sign = kl_circuit_batch_moved(b, k, g->first + l);
            const kl_real was = g->cosine[k * lanes + l], here = g->sine[k * lanes + l];
            if (!sign) continue;
            g->cosine[k * lanes + l] = c * was - (kl_real)sign * s * here;
            g->sine[k * lanes + l] = c * here + (kl_real)sign * s * was;
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

/* psi = x / |x|: dx += (g - psi (psi . g)) / |x|, g = 2 Re(bra) being the gradient by psi. */
void kl_circuit_batch_amplitude_gradients(const struct batch *b, const struct group *g)
{
    const size_t n = b->c->n_inputs;
    for (size_t l = 0; l < g->here; l++) {
        const kl_real *x = b->x + (g->first + l) * n, scale = 1 / norm_of(x, n);
        kl_real *dx = b->dx + (g->first + l) * n, along = 0;
        for (size_t k = 0; k < n; k++) along += scale * x[k] * 2 * g->bra[k * b->lanes + l];
        for (size_t k = 0; k < n; k++)
            dx[k] += scale * (2 * g->bra[k * b->lanes + l] - scale * x[k] * along);
    }
}

/* The kernels' forward sweep, angles included. */
static void batch_run(const struct batch *b, const struct group *g)
{
    group_angles(b, g);
    if (b->move) move_angles(b, g);
    kl_circuit_batch_sweep(b, g);
}

/* One state after another: into g->out or, with dangle, back from g->cot. */
static void sweep_wide(const struct batch *b, const struct group *g, kl_real *dangle)
{
    const struct kl_vqc_rotations *turns = &b->plan->turns;
    const size_t size = kl_circuit_state_values(b->c), most = TOGETHER >> b->c->n_qubits;
    if (dangle) memset(dangle, 0, b->one * sizeof *dangle); /* lanes without a sample */
    for (size_t first = 0, count; first < g->here && !kl_circuit_stopped(b->c); first += count) {
        count = g->here - first < most ? g->here - first : most ? most : 1;
        kl_real *state = g->state + first * size, *bra = g->bra + first * size;
        if (dangle)
            b->kernel->wide_adjoint(dangle, state, bra, g->work, turns, g->cosine, g->sine, g->cot,
                                    first, count, b->pool);
        else
            b->kernel->wide_forward(g->out, state, g->work, turns, g->cosine, g->sine, first, count,
                                    b->pool);
    }
}

void kl_circuit_batch_sweep(const struct batch *b, const struct group *g)
{
    if (b->c->amplitude_inputs) given_amplitudes(b, g);
    if (b->plan->density)
        b->noisy->forward(g->out, g->state, g->work, b->plan->density, g->cosine, g->sine);
    else if (b->plan->wide) sweep_wide(b, g, NULL);
    else if (b->plan->turns.n_layers)
        b->kernel->turns_forward(g->out, g->state, &b->plan->turns, g->cosine, g->sine);
    else if (b->plan->layers.n_layers)
        b->kernel->layers_forward(g->out, g->state, g->work, &b->plan->layers, g->cosine, g->sine);
    else b->kernel->forward(g->out, g->state, &b->plan->program, g->cosine, g->sine);
}

/* Outputs that are sums of what the kernels leave, for sample l of the group. */
static void sum_readings(kl_real *out, const struct batch *b, const struct group *g, size_t l)
{
    const struct kl_circuit *c = b->c;
    for (size_t o = 0, t = 0; o < c->n_obs; o++) {
        out[o] = 0;
        for (; t < c->end[o]; t++)
            out[o] += (kl_real)c->terms[t].weight *
                      g->out[kl_circuit_term_reading(c, &c->terms[t]) * b->lanes + l];
    }
}

void kl_circuit_batch_forward(void *batch, size_t number, int thread)
{
    const struct batch *b = batch;
    if (kl_circuit_stopped(b->c)) return;
    if (b->plan->trajectory) {
        kl_circuit_trajectories_forward(batch, number, thread);
        return;
    }
    struct group g = kl_circuit_batch_group(b, number, thread);
    const size_t n_obs = b->c->n_obs;
    batch_run(b, &g);
    for (size_t l = 0; !b->plan->plain && l < g.here; l++)
        sum_readings(b->out + (g.first + l) * n_obs, b, &g, l);
    for (size_t o = 0; b->plan->plain && o < n_obs; o++)
        for (size_t l = 0; l < g.here; l++) b->out[(g.first + l) * n_obs + o] = g.out[o * b->lanes + l];
}

void kl_circuit_batch_sweep_back(const struct batch *b, const struct group *g, kl_real *dangle)
{
    if (b->plan->density)
        b->noisy->adjoint(dangle, g->bra, g->state, g->work, b->plan->density, g->cosine, g->sine,
                          g->cot);
    else if (b->plan->wide) sweep_wide(b, g, dangle);
    else if (b->plan->turns.n_layers)
        b->kernel->turns_adjoint(dangle, g->state, g->bra, &b->plan->turns, g->cosine, g->sine, g->cot);
    else if (b->plan->layers.n_layers)
        b->kernel->layers_adjoint(dangle, g->state, g->bra, g->work, &b->plan->layers, g->cosine,
                                  g->sine, g->cot);
    else b->kernel->adjoint(dangle, g->state, g->bra, &b->plan->program, g->cosine, g->sine, g->cot);
}

void kl_circuit_batch_input_gradients(const struct batch *b, const struct group *g,
                                      const kl_real *dangle)
{
    size_t n_inputs = b->c->n_inputs;
    const kl_real *x = b->x + g->first * n_inputs;
    kl_real *dx = b->dx + g->first * n_inputs;
    for (size_t i = 0; i < b->plan->n_angles; i++) {
        const struct kl_angle *a = &b->plan->angles[i];
        const kl_real *d = dangle + kl_circuit_plan_row(b->plan, i) * b->lanes;
        if (a->source != KL_INPUT) continue;
        const kl_real scale = (kl_real)a->scale * (a->scaled ? b->w[a->scaled - 1] : 1);
        const size_t here = g->here;
        for (size_t l = 0; a->index2 < 0 && l < here; l++)
            dx[l * n_inputs + (size_t)a->index] += d[l] * scale;
        for (size_t l = 0; a->index2 >= 0 && l < here; l++) {
            const kl_real by_angle = d[l] * scale;
            const kl_real *at = x + l * n_inputs;
            dx[l * n_inputs + (size_t)a->index] += by_angle * at[a->index2];
            dx[l * n_inputs + (size_t)a->index2] += by_angle * at[a->index];
        }
    }
}

void kl_circuit_batch_scale_gradients(const struct batch *b, const struct group *g, kl_real *dangle)
{
    const size_t n_inputs = b->c->n_inputs, lanes = b->lanes;
    kl_real *to = dangle + kl_circuit_plan_rows(b->plan) * lanes;
    for (size_t i = 0; b->plan->n_scaled && i < b->plan->n_angles; i++) {
        const struct kl_angle *a = &b->plan->angles[i];
        if (!kl_circuit_is_scaled(a)) continue;
        const kl_real *d = dangle + kl_circuit_plan_row(b->plan, i) * lanes;
        for (size_t l = 0; l < lanes; l++) {
            to[l] = 0;
            if (l >= g->here) continue;
            const kl_real *x = b->x + (g->first + l) * n_inputs;
            to[l] = (kl_real)a->scale * d[l] * x[a->index] * (a->index2 < 0 ? 1 : x[a->index2]);
        }
        to += lanes;
    }
}

/* ---- adjoint ----
   Batches of samples: groups as wide as a vector, each one program of the kernels; forward and adjoint
   (circuit.h). Compiled in both precisions. */

enum {
    WORTH_THREADS =
        1 << 20 /* amplitudes times gates of a whole batch below which one thread is faster */
};

/* The transposed: from the outputs' cotangents to those of what the kernels leave. */
static void spread_cotangents(const struct batch *b, const struct group *g, const kl_real *cot)
{
    const struct kl_circuit *c = b->c;
    memset(g->cot, 0, b->n_read * b->lanes * sizeof *g->cot);
    for (size_t o = 0, t = 0; o < c->n_obs; o++)
        for (; t < c->end[o]; t++) {
            kl_real *to = g->cot + kl_circuit_term_reading(c, &c->terms[t]) * b->lanes;
            for (size_t l = 0; l < g->here; l++)
                to[l] += (kl_real)c->terms[t].weight * cot[l * c->n_obs + o];
        }
}

static void adjoint_group(void *context, size_t number, int thread)
{
    const struct batch *b = context;
    if (kl_circuit_stopped(b->c)) return;
    struct group g = kl_circuit_batch_group(b, number, thread);
    kl_real *dangle = b->dangles + number * kl_circuit_plan_all_rows(b->plan) * b->lanes;
    size_t n_obs = b->c->n_obs;
    if (!b->state) batch_run(b, &g);
    if (!b->plan->plain) spread_cotangents(b, &g, b->cot + g.first * n_obs);
    for (size_t o = 0; b->plan->plain && o < n_obs; o++) /* no sample, no gradient */
        for (size_t l = 0; l < b->lanes; l++)
            g.cot[o * b->lanes + l] = l < g.here ? b->cot[(g.first + l) * n_obs + o] : 0;
    kl_circuit_batch_sweep_back(b, &g, dangle);
    kl_circuit_batch_scale_gradients(b, &g, dangle);
    if (!b->dx) return;
    memset(b->dx + g.first * b->c->n_inputs, 0, g.here * b->c->n_inputs * sizeof *b->dx);
    if (b->c->amplitude_inputs) kl_circuit_batch_amplitude_gradients(b, &g);
    else kl_circuit_batch_input_gradients(b, &g, dangle);
}

static void run_groups(struct batch *b, struct kl_pool *pool, void (*fn)(void *, size_t, int))
{
    const struct kl_density_program *d = b->plan->density;
    const size_t size = d ? d->n_coefficients : (size_t)1 << b->c->n_qubits,
                 ops = d ? d->n_ops : b->plan->program.n_ops;
    double amplitudes = (double)b->n * (double)size * (double)ops *
                        (double)(b->plan->trajectory ? b->c->trajectories : 1);
    kl_pool_for(b->pool || amplitudes < WORTH_THREADS ? NULL : pool, (b->n + b->lanes - 1) / b->lanes,
                fn, b);
}

int kl_circuit_forward(kl_real *out, kl_real *state, const struct kl_circuit *c, const kl_real *x,
                       const kl_real *w, size_t n, struct kl_pool *pool, struct kl_arena *work,
                       struct kl_error *err)
{
    struct batch b;
    int code = kl_circuit_batch_prepare(&b, c, x, w, n, pool, work, err);
    if (code) return code;
    b.out = out;
    b.state = kl_circuit_kept_values(c) ? state : NULL;
    run_groups(&b, pool, kl_circuit_batch_forward);
    return kl_circuit_status(c, err);
}

int kl_circuit_samples(kl_real *dx, kl_real *dangles, kl_real *state, const struct kl_circuit *c,
                       const kl_real *x, const kl_real *w, const kl_real *cot, size_t n,
                       struct kl_pool *pool, struct kl_arena *work, struct kl_error *err)
{
    struct batch b;
    int code = kl_circuit_batch_prepare(&b, c, x, w, n, pool, work, err);
    if (code) return code;
    b.dangles = dangles;
    b.cot = cot;
    b.dx = dx;
    b.state = kl_circuit_kept_values(c) ? state : NULL;
    run_groups(&b, pool, c->plan->trajectory ? kl_circuit_trajectories_back : adjoint_group);
    return kl_circuit_status(c, err);
}

/* The sum over the lanes, by halves. */
static kl_real sum_lanes(const kl_real *d, size_t lanes)
{
    kl_real sum[KL_WIDEST];
    for (size_t l = 0; l < lanes; l++) sum[l] = d[l];
    for (size_t half = lanes / 2; half; half /= 2)
        for (size_t l = 0; l < half; l++) sum[l] += sum[l + half];
    return sum[0];
}

/* Of a group's lanes, which are whole ones in every instruction set. */
typedef kl_real part __attribute__((vector_size(16), aligned(sizeof(kl_real)), may_alias));

/* Groups in rising order, then lanes, whatever the threads did. */
void kl_circuit_weights(kl_real *dw, kl_real *dangles, const struct kl_circuit *c, size_t n)
{
    const struct kl_circuit_plan *p = c->plan;
    const size_t lanes = kl_circuit_lanes(), one = kl_circuit_plan_all_rows(p) * lanes,
                 groups = (n + lanes - 1) / lanes;
    const kl_real *by_scale = dangles + kl_circuit_plan_rows(p) * lanes;
    for (size_t i = 1; i < groups; i++)
        for (size_t j = 0; j < one; j += sizeof(part) / sizeof *dangles)
            *(part *)(dangles + j) += *(const part *)(dangles + i * one + j);
    for (size_t i = 0; groups && i < p->n_angles; i++) {
        const struct kl_angle *a = &p->angles[i];
        if (a->source == KL_WEIGHT)
            dw[a->index] +=
                (kl_real)a->scale * sum_lanes(dangles + kl_circuit_plan_row(p, i) * lanes, lanes);
        if (!kl_circuit_is_scaled(a)) continue;
        dw[a->scaled - 1] += sum_lanes(by_scale, lanes);
        by_scale += lanes;
    }
}

int kl_circuit_adjoint(kl_real *dx, kl_real *dw, kl_real *state, const struct kl_circuit *c,
                       const kl_real *x, const kl_real *w, const kl_real *cot, size_t n,
                       struct kl_pool *pool, struct kl_arena *work, struct kl_error *err)
{
    size_t size = kl_circuit_angles_size(c, n);
    kl_real *dangles = kl_arena_take(work, size + 1, sizeof *dangles);
    if (!dangles) return kl_fail_memory(err, size * sizeof *dangles);
    int code = kl_circuit_samples(dx, dangles, state, c, x, w, cot, n, pool, work, err);
    if (!code && dw) kl_circuit_weights(dw, dangles, c, n);
    return code;
}
