/* SPDX-License-Identifier: MIT
   What a network is told of parameters that nobody knows: four short experiments on the very qubit, with
   finitely many shots each. */
#include <math.h>
#include <string.h>

#include "control/meta/tasks.h"
#include "kernels/bloch.h"
#include "kernels/inline/philox.h"

enum { SEGMENTS = 10, LANES = KL_BLOCH_LANES };

/* Amplitudes of segment s of an experiment, in quarter turns. A lane is an experiment. */
static void quarter_turns(double turns[2], int experiment, int s)
{
    turns[0] = turns[1] = 0;
    switch (experiment) {
    case 0: /* Ramsey: a quarter turn, a wait, back */
    case 1: /* and about the other axis */
        if (s == 0) turns[1] = 1;
        if (s == SEGMENTS - 1) turns[experiment == 0] = experiment == 0 ? -1 : 1;
        break;
    case 2: turns[0] = s < 5; break;  /* five quarter turns: errors of amplitude add up */
    default: turns[0] = s < 2; break; /* |1>, and a wait */
    }
}

static void run(double z[KL_CONTROL_PROBES], const struct kl_control_family *f,
                const struct kl_control_meta_task *task)
{
    static const double half_pi = 1.5707963267948966;
    struct kl_bloch b = { .segments = SEGMENTS,
                          .controls = 2,
                          .columns = 1,
                          .affine = 1,
                          .dt = f->duration / SEGMENTS,
                          .start = { { 0, 0, 1 } } };
    double u[SEGMENTS * 2 * LANES], params[KL_BLOCH_PARAMS * LANES],
        weights[3 * LANES] = { 0 }, loss[LANES], ends[3 * LANES], rates = 0;
    for (int s = 0; s < SEGMENTS; s++)
        for (int l = 0; l < LANES; l++) {
            double turns[2];
            quarter_turns(turns, l < KL_CONTROL_PROBES ? l : 0, s);
            for (int c = 0; c < 2; c++)
                u[(2 * s + c) * LANES + l] = task->controls * turns[c] * half_pi / (2 * b.dt);
        }
    for (int p = 0; p < KL_BLOCH_PARAMS; p++) {
        rates += 2 * fabs(task->rates[p]);
        for (int l = 0; l < LANES; l++) params[p * LANES + l] = task->rates[p];
    }
    b.substeps = kl_bloch_substeps(b.dt * rates + half_pi * task->controls);
    double work[kl_bloch_work(&b)] __attribute__((aligned(64)));
    kl_kernel_bloch_gradient_f64()(loss, NULL, NULL, ends, u, params, weights, &b, LANES, work);
    for (int l = 0; l < KL_CONTROL_PROBES; l++) z[l] = ends[2 * LANES + l];
}

/* From the mode outwards, so that it takes some standard deviations of terms. */
int64_t kl_control_binomial(int64_t n, double p, double u)
{
    if (!(p > 0)) return 0;
    if (p >= 1) return n;
    int64_t up = (int64_t)((double)(n + 1) * p), down;
    if (up > n) up = n;
    double at = exp(lgamma((double)n + 1) - lgamma((double)up + 1) - lgamma((double)(n - up) + 1) +
                    (double)up * log(p) + (double)(n - up) * log1p(-p)),
           above = at, below = at;
    down = up;
    if ((u -= at) <= 0) return up;
    while (up < n || down > 0) {
        if (up < n) {
            above *= (double)(n - up) / (double)(up + 1) * p / (1 - p), up++;
            if ((u -= above) <= 0) return up;
        }
        if (down > 0) {
            below *= (double)down / (double)(n - down + 1) * (1 - p) / p, down--;
            if ((u -= below) <= 0) return down;
        }
        if (above == 0 && below == 0) break;
    }
    return (int64_t)((double)n * p + 0.5);
}

int kl_control_probe(double to[KL_CONTROL_PROBES], const struct kl_control_family *f,
                     const struct kl_control_meta_task *task, const struct kl_control_task_id *id)
{
    double z[KL_CONTROL_PROBES];
    run(z, f, task);
    for (int i = 0; i < KL_CONTROL_PROBES; i++) {
        uint32_t words[4];
        kl_philox(words, id->seed, (uint32_t)i, KL_RANDOM_CONTROL_SHOTS + 256u * (uint32_t)id->set,
                  id->number, id->replica);
        const double u = kl_philox_unit(words[0]);
        const int64_t ones = kl_control_binomial(f->shots, (1 - z[i]) / 2, u);
        to[i] = 1 - 2 * (double)ones / (double)f->shots;
    }
    return KL_CONTROL_PROBES;
}
