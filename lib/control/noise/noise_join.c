/* SPDX-License-Identifier: MIT
   A system and the classical noise on it as one larger system without noise, in the eigenfunctions of
   the noise (noise_average.c): whatever propagates and optimises systems then does so under the noise.
   Row level * dim + a is component a of a level; levels of several processes are digits, the first
   lowest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/noise/noise.h"
#include "kernels/liouville.h"

enum { MOST_ROWS = 64 };

struct chain {
    const struct kl_control_process *processes;
    int n, levels[KL_CONTROL_MAX_PROCESSES], all;
};

/* to += scale (1 x matrix) on all levels. */
static void spread(double *to, const double *matrix, double scale, int dim, const struct chain *c)
{
    const size_t rows = (size_t)(dim * c->all);
    for (size_t l = 0; l < (size_t)c->all; l++)
        for (size_t i = 0; i < (size_t)dim; i++)
            for (size_t k = 0; k < (size_t)dim; k++)
                to[(l * (size_t)dim + i) * rows + l * (size_t)dim + k] +=
                    scale * matrix[i * (size_t)dim + k];
}

/* to += the matrix between neighbours of one process, times its sigma sqrt(n). */
static void couple(double *to, const double *matrix, int dim, const struct chain *c, int process)
{
    const size_t d = (size_t)dim, rows = d * (size_t)c->all;
    int stride = 1;
    for (int p = 0; p < process; p++) stride *= c->levels[p];
    for (int l = 0; l < c->all; l++) {
        const int n = l / stride % c->levels[process];
        const double scale = c->processes[process].sigma * sqrt(n);
        const size_t upper = (size_t)l, lower = (size_t)(l - (n > 0 ? stride : 0));
        for (size_t i = 0; n > 0 && i < d; i++)
            for (size_t k = 0; k < d; k++) {
                to[(upper * d + i) * rows + lower * d + k] += scale * matrix[i * d + k];
                to[(lower * d + i) * rows + upper * d + k] += scale * matrix[i * d + k];
            }
    }
}

static double decay(const struct chain *c, int level)
{
    double sum = 0;
    for (int p = 0; p < c->n; level /= c->levels[p++])
        sum += c->processes[p].rate * (c->processes[p].kind == KL_CONTROL_TELEGRAPH ? 2 : 1) *
               (level % c->levels[p]);
    return sum;
}

static int set_chain(struct chain *c, const struct kl_control_system *system, int levels,
                     struct kl_error *err)
{
    c->all = 1;
    for (int p = 0; p < c->n; p++) {
        const struct kl_control_process *q = &c->processes[p];
        if (q->kind == KL_CONTROL_QUASI_STATIC)
            return kl_fail(err, KL_EUSAGE,
                           "noise: process %d is quasi-static: that is an ensemble of tasks", p);
        if (q->param < -1 || q->param >= system->n_params || !(q->sigma >= 0 && q->sigma < 1e6) ||
            !(q->rate >= 0 && q->rate < 1e9))
            return kl_fail(
                err, KL_EUSAGE,
                "noise: process %d: found parameter %d, sigma %g, rate %g, expected one of %d "
                "parameters or -1, sigma from 0 to 1e6, a rate from 0 to 1e9",
                p, q->param, q->sigma, q->rate, system->n_params);
        c->levels[p] = q->kind == KL_CONTROL_TELEGRAPH ? 2 : levels;
        c->all = c->all * system->dim <= MOST_ROWS ? c->all * c->levels[p] : MOST_ROWS;
    }
    if (levels < 1 || c->all * system->dim > MOST_ROWS)
        return kl_fail(err, KL_EUSAGE,
                       "noise: found %d levels of a system of %d rows, expected at most %d rows", c->all,
                       system->dim, MOST_ROWS);
    return KL_OK;
}

static int set_entry(struct kl_control_entry *to, const struct kl_control_entry *from, int dim,
                     const struct chain *c, struct kl_error *err)
{
    const size_t rows = (size_t)(dim * c->all);
    *to = *from;
    to->matrix = calloc(rows * rows, sizeof(double));
    if (!to->matrix) return kl_fail_memory(err, rows * rows * sizeof(double));
    if (from->matrix) spread(to->matrix, from->matrix, 1, dim, c);
    return KL_OK;
}

static int set_system(struct kl_control_system *joint, const struct kl_control_system *system,
                      const struct chain *c, struct kl_error *err)
{
    const int dim = system->dim;
    const struct kl_control_entry noise = { .name = "noise", .value = 1 };
    int code = KL_OK;
    *joint = *system;
    joint->form = KL_CONTROL_GENERAL, joint->dim = dim * c->all;
    joint->n_controls = joint->n_params = 0;
    memset(joint->controls, 0, sizeof joint->controls), memset(joint->params, 0, sizeof joint->params);
    if (system->n_params == KL_CONTROL_MAX_PARAMS)
        return kl_fail(err, KL_EUSAGE,
                       "noise: found %d parameters, expected fewer, as noise is one more",
                       system->n_params);
    for (int k = 0; !code && k < system->n_controls; k++) {
        code = set_entry(&joint->controls[joint->n_controls++], &system->controls[k], dim, c, err);
        for (int p = 0; !code && p < c->n; p++)
            if (c->processes[p].param == KL_CONTROL_AMPLITUDE)
                couple(joint->controls[k].matrix, system->controls[k].matrix, dim, c, p);
    }
    for (int k = 0; !code && k < system->n_params; k++)
        code = set_entry(&joint->params[joint->n_params++], &system->params[k], dim, c, err);
    if (!code) code = set_entry(&joint->params[joint->n_params++], &noise, dim, c, err);
    if (code) return code;
    double *to = joint->params[joint->n_params - 1].matrix;
    for (int p = 0; p < c->n; p++)
        if (c->processes[p].param >= 0)
            couple(to, system->params[c->processes[p].param].matrix, dim, c, p);
    for (int row = 0; row < joint->dim; row++)
        to[(size_t)row * (size_t)joint->dim + (size_t)row] -= decay(c, row / dim);
    return KL_OK;
}

/* Level 0 of all is the law of the noise, in which it begins, and the mean, which is asked for. */
static int set_objective(struct kl_control_objective *joint,
                         const struct kl_control_objective *objective, int dim, int all,
                         struct kl_error *err)
{
    const size_t size = (size_t)(dim * objective->columns);
    *joint = *objective;
    joint->start = calloc(size * (size_t)all, sizeof(double));
    joint->weights = calloc(size * (size_t)all, sizeof(double));
    if (!joint->start || !joint->weights)
        return kl_fail_memory(err, size * (size_t)all * sizeof(double));
    memcpy(joint->start, objective->start, size * sizeof(double));
    memcpy(joint->weights, objective->weights, size * sizeof(double));
    return KL_OK;
}

int kl_control_noise_join(struct kl_control_system *joint, struct kl_control_objective *joint_objective,
                          const struct kl_control_system *system,
                          const struct kl_control_objective *objective,
                          const struct kl_control_process *processes, int n_processes, int levels,
                          struct kl_error *err)
{
    struct chain c = { .processes = processes, .n = n_processes };
    memset(joint, 0, sizeof *joint), memset(joint_objective, 0, sizeof *joint_objective);
    if (n_processes < 0 || n_processes > KL_CONTROL_MAX_PROCESSES)
        return kl_fail(err, KL_EUSAGE, "noise: found %d processes, expected at most %d", n_processes,
                       KL_CONTROL_MAX_PROCESSES);
    int code = set_chain(&c, system, levels, err);
    if (!code) code = set_system(joint, system, &c, err);
    if (!code) code = set_objective(joint_objective, objective, system->dim, c.all, err);
    return code;
}
