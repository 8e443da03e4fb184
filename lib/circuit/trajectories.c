/* SPDX-License-Identifier: MIT
   Groups of a noisy circuit by trajectories: means of outputs and sums of gradients over realisations of
   the noise, which are Pauli frames and damping matrices. Compiled in both precisions. */
#include "circuit/lower_int.h"

#include <math.h>
#include <string.h>

#include "circuit/batch_int.h"
#include "kernels/inline/philox.h"
#include "kernels/inline/real.h"

struct words {
    uint64_t key[KL_WIDEST];
    uint32_t word[KL_WIDEST][4], next, t;
    double first[KL_WIDEST]; /* the first error is where 1 - clear is above this; -1: that is past */
    size_t lanes;
};

static void begin_words(struct words *w, const struct kl_draws *d, size_t first, size_t here,
                        size_t lanes, size_t t)
{
    w->next = 0;
    w->t = (uint32_t)(d->trajectory + t);
    w->lanes = lanes;
    for (size_t l = 0; l < lanes; l++) {
        const size_t sample = d->sample + first + (l < here ? l : 0);
        const int64_t row = d->rows ? d->rows[sample] : (int64_t)sample;
        uint32_t word[4];
        kl_philox(word, d->seed, (uint32_t)row, d->purpose, d->step, d->replica);
        w->key[l] = word[0] | (uint64_t)word[1] << 32;
    }
}

/* Draw the next word of each lane; returns its place among the four. */
static size_t draw_word(struct words *w)
{
    if (w->next % 4 == 0)
        for (size_t l = 0; l < w->lanes; l++)
            kl_philox(w->word[l], w->key[l], w->next / 4, KL_RANDOM_TRAJECTORIES, w->t, 0);
    return w->next++ % 4;
}

static kl_real sign_of(struct kl_string frame, struct kl_string s)
{
    return __builtin_parity((frame.x & s.z) ^ (frame.z & s.x)) ? -1 : 1;
}

/* Begin realisations of one stratum: errors from the beginning on as they come, never, or at least one,
   whose place is drawn. */
static void begin_errors(struct words *w, const struct kl_circuit *c, size_t t)
{
    const struct kl_stratum stratum = kl_circuit_trajectory_stratum(c, t);
    const size_t k = stratum.kind == KL_STRATUM_ERRORS ? draw_word(w) : 0;
    for (size_t l = 0; l < w->lanes; l++)
        w->first[l] = stratum.kind == KL_STRATUM_ALL ? -1
                      : stratum.kind == KL_STRATUM_CLEAR
                          ? 1
                          : kl_philox_unit(w->word[l][k]) * (1 - c->plan->trajectory->clear);
}

static void change(struct kl_string *frame, const struct kl_trajectory_step *s, struct words *w)
{
    const size_t k = draw_word(w);
    const uint32_t bit = s->element.first;
    for (size_t l = 0; l < w->lanes; l++) {
        uint64_t word = w->word[l][k];
        if (w->first[l] >= 0 && 1 - s->clear <= w->first[l]) continue;
        if (w->first[l] >= 0) word = word * s->below[2] >> 32; /* one of the three for sure */
        w->first[l] = -1;
        frame[l].x ^= word < s->below[1] ? bit : 0;
        frame[l].z ^= word >= s->below[0] && word < s->below[2] ? bit : 0;
    }
}

/* A frame with X lets what falls to |0> fall to |1>; with Z it changes the sign of sqrt r, which is as
   likely either way. */
static void damp(kl_real *cosine, kl_real *sine, const struct kl_string *frame,
                 const struct kl_trajectory_step *s, struct words *w)
{
    const struct kl_channel *c = &s->element.channel;
    const kl_real kept = (kl_real)c->x, root = (kl_real)sqrt(1 - c->z);
    const size_t k = draw_word(w), lanes = w->lanes, here = (size_t)s->slot * lanes, next = here + lanes;
    for (size_t l = 0; l < lanes; l++) {
        const bool up = (c->shift < 0) != ((frame[l].x & s->element.first) != 0);
        const kl_real jump = w->word[l][k] >> 31 ? -root : root;
        cosine[here + l] = up ? kept : 1;
        cosine[next + l] = up ? 1 : kept;
        sine[here + l] = up ? 0 : jump;
        sine[next + l] = up ? jump : 0;
    }
}

void kl_circuit_frames_draw(const struct kl_frames *f, kl_real *cosine, kl_real *sine,
                            const struct kl_circuit *c, size_t first, size_t here, size_t lanes,
                            size_t t)
{
    const struct kl_trajectory *p = c->plan->trajectory;
    struct kl_string frame[KL_WIDEST] = { { 0, 0 } };
    struct words w;
    begin_words(&w, &c->draws, first, here, lanes, t);
    begin_errors(&w, c, t);
    for (size_t i = 0; i < p->n_steps; i++) {
        const struct kl_trajectory_step *s = &p->step[i];
        kl_real *sign = f->sign + (size_t)s->element.slot * lanes;
        switch (s->kind) {
        case KL_TRAJECTORY_TURN:
            for (size_t l = 0; l < lanes; l++) sign[l] = sign_of(frame[l], s->element.string);
            break;
        case KL_TRAJECTORY_CLIFFORD:
            for (size_t l = 0; l < lanes; l++) kl_circuit_element_acts(&frame[l], &s->element);
            break;
        case KL_TRAJECTORY_PAULI: change(frame, s, &w); break;
        case KL_TRAJECTORY_DAMP: damp(cosine, sine, frame, s, &w); break;
        }
    }
    for (size_t k = 0; k < p->n_strings; k++)
        for (size_t l = 0; l < lanes; l++)
            f->string_sign[k * lanes + l] = sign_of(frame[l], p->string[k]);
    for (size_t l = 0; l < lanes; l++) f->moved[l] = frame[l].x;
}

/* ---- trajectories ----
   Groups of a noisy circuit by trajectories: means of outputs and sums of gradients over realisations,
   one after another, of all lanes at once. */

/* Of a thread, in group.frames. */
struct scratch {
    struct kl_frames frames;
    kl_real share;  /* of the realisation in the mean */
    kl_real *dslot; /* (n_slots, lanes): derivatives as the kernels give them */
    kl_real *row;   /* (n_obs, lanes): what the outputs' weights are by probabilities */
};

size_t kl_circuit_trajectories_scratch(const struct kl_circuit *c, size_t lanes)
{
    const struct kl_circuit_plan *p = c->plan;
    return lanes *
           (p->n_angles + p->trajectory->n_strings + p->n_slots + (c->probabilities ? c->n_obs : 0) + 1);
}

static struct scratch scratch_of(const struct batch *b, const struct group *g)
{
    const struct kl_circuit_plan *p = b->plan;
    struct scratch s = { .frames = { .sign = g->frames } };
    s.frames.string_sign = s.frames.sign + p->n_angles * b->lanes;
    s.dslot = s.frames.string_sign + p->trajectory->n_strings * b->lanes;
    s.row = s.dslot + p->n_slots * b->lanes;
    s.frames.moved = (uint32_t *)(s.row + (b->c->probabilities ? b->c->n_obs * b->lanes : 0));
    return s;
}

/* The group's own place of realisation t. */
static struct group realisation(const struct batch *b, const struct group *all, size_t t)
{
    struct group g = *all;
    if (b->state) g.state += t * (b->state_size + 2 * b->one);
    g.cosine = g.state + b->state_size;
    g.sine = g.cosine + b->one;
    return g;
}

/* Angles with their signs, as cosines and sines; the last slots are those of damping. */
static void turn(const struct batch *b, const struct group *g, const struct scratch *s, const kl_real *w)
{
    const struct kl_circuit_plan *p = b->plan;
    const size_t lanes = b->lanes;
    size_t turned = 0;
    for (size_t i = 0; i < p->n_angles; i++) {
        const size_t slot = (size_t)p->slot[i];
        if (slot >= turned) turned = slot + 1;
    }
    memset(g->cosine, 0, turned * lanes * sizeof *g->cosine);
    for (size_t i = 0; i < p->n_angles; i++) {
        const struct kl_angle *a = &p->angles[i];
        kl_real *angle = g->cosine + (size_t)p->slot[i] * lanes;
        const kl_real *sign = s->frames.sign + i * lanes,
                      value = (kl_real)a->scale * (a->source == KL_WEIGHT ? w[a->index] : 1);
        if (a->source == KL_INPUT) kl_circuit_batch_add_inputs(angle, b, g, a, sign);
        else
            for (size_t l = 0; l < lanes; l++) angle[l] += sign[l] * value;
        for (size_t l = 0; b->move && l < g->here; l++)
            angle[l] += sign[l] * (kl_real)(b->move->by * kl_circuit_batch_moved(b, i, g->first + l));
    }
    b->kernel->half_angles(g->cosine, g->sine, g->cosine, turned * lanes);
}

static void run(const struct batch *b, const struct group *g, const struct scratch *s)
{
    turn(b, g, s, b->w);
    kl_circuit_batch_sweep(b, g);
}

static void draw(const struct batch *b, const struct group *g, struct scratch *s, size_t t)
{
    s->share = (kl_real)kl_circuit_trajectory_stratum(b->c, t).weight;
    kl_circuit_frames_draw(&s->frames, g->cosine, g->sine, b->c, g->first, g->here, b->lanes, t);
}

/* Outputs of one realisation, added up. */
static void add_outputs(const struct batch *b, const struct group *g, const struct scratch *s)
{
    const struct kl_trajectory *p = b->plan->trajectory;
    const size_t n_obs = b->c->n_obs, lanes = b->lanes;
    const kl_real share = s->share;
    kl_real *out = b->out + g->first * n_obs;
    for (size_t o = 0; o < n_obs; o++) {
        for (size_t l = 0; b->c->probabilities && l < g->here; l++)
            out[l * n_obs + o] += share * g->out[(o ^ s->frames.moved[l]) * lanes + l];
        for (size_t i = b->c->probabilities ? 0 : p->first[o];
             !b->c->probabilities && i < p->first[o + 1]; i++) {
            const size_t at = p->term[i].place * lanes;
            const kl_real weight = share * (kl_real)p->term[i].weight;
            for (size_t l = 0; l < g->here; l++)
                out[l * n_obs + o] += weight * s->frames.string_sign[at + l] * g->out[at + l];
        }
    }
}

/* Errors of the readout on probabilities, one qubit after another; back: the transposed map. stride:
   from one probability to the next. */
static void misread(kl_real *p, size_t stride, const struct kl_circuit *c, bool back)
{
    for (int b = 0; b < c->n_qubits; b++) {
        const kl_real e0 = (kl_real)c->plan->trajectory->readout[b][0],
                      e1 = (kl_real)c->plan->trajectory->readout[b][1], up = back ? e1 : e0,
                      down = back ? e0 : e1;
        for (size_t k = 0; k < c->n_obs; k++) {
            if (k >> b & 1) continue;
            kl_real *zero = &p[k * stride], *one = &p[(k | (size_t)1 << b) * stride];
            const kl_real x = *zero, y = *one;
            *zero = (1 - e0) * x + down * y;
            *one = up * x + (1 - e1) * y;
        }
    }
}

void kl_circuit_trajectories_forward(void *context, size_t number, int thread)
{
    const struct batch *b = context;
    const struct kl_circuit *c = b->c;
    const struct group all = kl_circuit_batch_group(b, number, thread);
    struct scratch s = scratch_of(b, &all);
    kl_real *out = b->out + all.first * c->n_obs;
    for (size_t l = 0; l < all.here; l++)
        for (size_t o = 0; o < c->n_obs; o++)
            out[l * c->n_obs + o] = c->probabilities ? 0 : (kl_real)c->plan->trajectory->constant[o];
    for (size_t t = 0; t < c->trajectories && !kl_circuit_stopped(c); t++) {
        const struct group g = realisation(b, &all, t);
        draw(b, &g, &s, t);
        run(b, &g, &s);
        add_outputs(b, &g, &s);
    }
    for (size_t l = 0; c->probabilities && l < all.here; l++) misread(out + l * c->n_obs, 1, c, false);
}

/* The weights of strings, or of probabilities before readout, in the kernels' outputs. */
static void weigh(const struct batch *b, const struct group *g, const struct scratch *s)
{
    const struct kl_trajectory *p = b->plan->trajectory;
    const size_t n_obs = b->c->n_obs, lanes = b->lanes;
    const kl_real share = s->share, *cot = b->cot + g->first * n_obs;
    memset(g->cot, 0, b->n_read * lanes * sizeof *g->cot);
    for (size_t o = 0; o < n_obs; o++) {
        for (size_t l = 0; b->c->probabilities && l < g->here; l++)
            g->cot[(o ^ s->frames.moved[l]) * lanes + l] = share * s->row[o * lanes + l];
        for (size_t i = b->c->probabilities ? 0 : p->first[o];
             !b->c->probabilities && i < p->first[o + 1]; i++) {
            const size_t at = p->term[i].place * lanes;
            const kl_real weight = share * (kl_real)p->term[i].weight;
            for (size_t l = 0; l < g->here; l++)
                g->cot[at + l] += weight * s->frames.string_sign[at + l] * cot[l * n_obs + o];
        }
    }
}

/* Once for all realisations. */
static void weigh_probabilities(const struct batch *b, const struct group *g, const struct scratch *s)
{
    const size_t n_obs = b->c->n_obs;
    for (size_t l = 0; l < g->here; l++) {
        for (size_t o = 0; o < n_obs; o++) s->row[o * b->lanes + l] = b->cot[(g->first + l) * n_obs + o];
        misread(s->row + l, b->lanes, b->c, true);
    }
}

void kl_circuit_trajectories_back(void *context, size_t number, int thread)
{
    const struct batch *b = context;
    const struct kl_circuit_plan *p = b->plan;
    const struct group all = kl_circuit_batch_group(b, number, thread);
    struct scratch s = scratch_of(b, &all);
    const size_t lanes = b->lanes;
    kl_real *dangle = b->dangles + number * kl_circuit_plan_all_rows(p) * lanes;
    memset(dangle, 0, p->n_angles * lanes * sizeof *dangle);
    if (b->dx) memset(b->dx + all.first * b->c->n_inputs, 0, all.here * b->c->n_inputs * sizeof *b->dx);
    if (b->c->probabilities) weigh_probabilities(b, &all, &s);
    for (size_t t = 0; t < b->c->trajectories && !kl_circuit_stopped(b->c); t++) {
        const struct group g = realisation(b, &all, t);
        draw(b, &g, &s, t);
        if (!b->state) run(b, &g, &s);
        weigh(b, &g, &s);
        kl_circuit_batch_sweep_back(b, &g, s.dslot);
        for (size_t i = 0; i < p->n_angles; i++)
            for (size_t l = 0; l < lanes; l++)
                dangle[i * lanes + l] +=
                    s.frames.sign[i * lanes + l] * s.dslot[(size_t)p->slot[i] * lanes + l];
        if (b->dx && b->c->amplitude_inputs) kl_circuit_batch_amplitude_gradients(b, &g);
    }
    kl_circuit_batch_scale_gradients(b, &all, dangle);
    if (b->dx && !b->c->amplitude_inputs) kl_circuit_batch_input_gradients(b, &all, dangle);
}
