/* SPDX-License-Identifier: MIT
   One realisation of a circuit's noise for a group of samples: Pauli frames and damping matrices
   (trajectory_int.h). A sample's words are a stream of its own, whose key follows from its row. */
#include <math.h>

#include "circuit/trajectory_int.h"
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

/* Which of the four words of each lane is next. */
static size_t draw(struct words *w)
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

/* Which realisations these are to be: errors from the beginning on as they come, never, or at least one,
   whose place is drawn. */
static void begin_errors(struct words *w, const struct kl_circuit *c, size_t t)
{
    const struct kl_stratum stratum = kl_circuit_trajectory_stratum(c, t);
    const size_t k = stratum.kind == KL_STRATUM_ERRORS ? draw(w) : 0;
    for (size_t l = 0; l < w->lanes; l++)
        w->first[l] = stratum.kind == KL_STRATUM_ALL ? -1
                      : stratum.kind == KL_STRATUM_CLEAR
                          ? 1
                          : kl_philox_unit(w->word[l][k]) * (1 - c->plan->trajectory->clear);
}

static void change(struct kl_string *frame, const struct kl_trajectory_step *s, struct words *w)
{
    const size_t k = draw(w);
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
    const size_t k = draw(w), lanes = w->lanes, here = (size_t)s->slot * lanes, next = here + lanes;
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
