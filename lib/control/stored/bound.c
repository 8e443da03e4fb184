/* SPDX-License-Identifier: MIT
   What is proven of all pulses at once: a loss below which decoherence lets none come, and how far a
   loss can move when a parameter does. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "control/stored/stored.h"

/* ---- eigenvalues ---- */
static int falling(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}
/* Eigenvalues of a, largest first; a is overwritten. */
static void eigenvalues(double *values, double complex *a, int n)
{
    kl_control_diagonalise(a, NULL, n);
    for (int i = 0; i < n; i++) values[i] = creal(a[i * n + i]);
    qsort(values, (size_t)n, sizeof *values, falling);
}

/* ---- the limit of decoherence ---- */
/* dR/dt = (A + S) R with A antisymmetric, whatever the controls do, and S symmetric, the same at all
   times. The product of R's k largest singular values is the norm of its k-th compound, which grows no
   faster than the sum of S's k largest eigenvalues l: so the logarithms of the singular values are
   weakly majorised by T l, hence sum_i w_i s_i <= sum_i w_i exp(T l_i) for falling w, and
   <W, R> <= sum_i s_i(W) s_i(R) (von Neumann's trace inequality; Horn 1950 for products). Where no
   column of R that counts has an affine part, the same holds of R without its first row and column. */
struct spectra {
    int from, n; /* rows and columns of R that count */
    double complex *a;
    double *weights, *rates;
};

static bool is_hamiltonian(const double *m, int dim)
{
    double largest = 0, off = 0;
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
            largest = fmax(largest, fabs(m[i * dim + j]));
            off = fmax(off, fabs(m[i * dim + j] + m[j * dim + i]));
        }
    return off <= 1e-12 * largest;
}

static void symmetric_part(struct spectra *s, const struct kl_control_system *system,
                           const struct kl_control_task *task)
{
    const int dim = system->dim, n = s->n;
    for (int i = 0; i < n * n; i++) {
        const int r = i / n + s->from, c = i % n + s->from;
        s->a[i] = 0;
        for (int j = 0; j < system->n_params; j++) {
            const double *m = system->params[j].matrix;
            s->a[i] += task->params[j] * (m[r * dim + c] + m[c * dim + r]) / 2;
        }
    }
    eigenvalues(s->rates, s->a, n);
}

/* Singular values of the weights, by W^T W. */
static void singular_values(struct spectra *s, const struct kl_control_objective *o, int dim)
{
    const int n = s->n;
    for (int i = 0; i < n * n; i++) {
        s->a[i] = 0;
        for (int k = 0; k < n; k++)
            s->a[i] += o->weights[(k + s->from) * dim + i / n + s->from] *
                       o->weights[(k + s->from) * dim + i % n + s->from];
    }
    eigenvalues(s->weights, s->a, n);
    for (int i = 0; i < n; i++) s->weights[i] = sqrt(fmax(s->weights[i], 0));
}

/* With levels that do not compute: F_e is the mean over n^2 directions, n levels that compute. */
static double limit_with_leakage(const struct spectra *s, const struct kl_control_system *system,
                                 enum kl_control_fidelity fidelity, double duration)
{
    const int n = system->subspace;
    double sum = 0;
    for (int i = 0; i < n * n; i++) sum += exp(duration * s->rates[i]) / (n * n);
    const double loss = 1 - fmin(sum, 1);
    return fidelity == KL_CONTROL_ENTANGLEMENT ? loss
           : fidelity == KL_CONTROL_AVERAGE    ? loss * n / (n + 1)
                                               : 0;
}

static bool is_affine(const struct kl_control_objective *o, int dim)
{
    double first = 0;
    for (int r = 1; r < dim; r++) first = fmax(first, fabs(o->weights[r * o->columns]));
    return first > 1e-14;
}

/* Compute the proven limit, before it is cut at 0; -INFINITY: nothing is proven. */
static int limit_of(double *limit, const struct kl_control_system *system,
                    const struct kl_control_objective *objective, enum kl_control_fidelity fidelity,
                    double duration, const struct kl_control_task *task, struct kl_error *err)
{
    const int dim = system->dim;
    const bool leaks = system->subspace < system->d;
    struct spectra s = { .from = leaks || objective->columns == 1 || is_affine(objective, dim) ? 0 : 1 };
    *limit = -INFINITY;
    if (objective->columns == 1 ||
        (leaks && fidelity != KL_CONTROL_ENTANGLEMENT && fidelity != KL_CONTROL_AVERAGE))
        return 0; /* a single state may wait where nothing decays */
    for (int k = 0; k < system->n_controls; k++)
        if (!is_hamiltonian(system->controls[k].matrix, dim)) return 0;
    s.n = dim - s.from;
    s.a = malloc((size_t)(s.n * s.n) * sizeof *s.a);
    s.weights = calloc((size_t)(2 * s.n), sizeof *s.weights), s.rates = s.weights + s.n;
    const int code = s.a && s.weights ? 0 : kl_fail_memory(err, (size_t)(s.n * s.n) * sizeof *s.a);
    if (!code) {
        double sum = 0;
        symmetric_part(&s, system, task);
        if (!leaks) {
            singular_values(&s, objective, dim);
            for (int i = 0; i < s.n; i++) sum += s.weights[i] * exp(duration * s.rates[i]);
        }
        *limit = leaks ? limit_with_leakage(&s, system, fidelity, duration) : objective->constant - sum;
    }
    free(s.a), free(s.weights);
    return code;
}

int kl_control_decoherence_limit(double *limit, const struct kl_control_system *system,
                                 const struct kl_control_objective *objective,
                                 enum kl_control_fidelity fidelity, double duration,
                                 const struct kl_control_task *task, struct kl_error *err)
{
    const int code = limit_of(limit, system, objective, fidelity, duration, task, err);
    *limit = fmax(0, *limit);
    return code;
}

/* ---- its mean over a law ---- */
/* The limit is concave in each rate: S is linear in them, and sum_i w_i exp(T l_i), both falling, is a
   convex function of S (Davis 1957). So between two values of a rate it lies above its chord, and the
   mean of the chords over the law is below its own; outside the last ones a loss is at least 0. No node
   of a rule is trusted. */
enum { MOST_RATES = 3, FINEST = 65 };
struct chords {
    const struct kl_control_setup *setup;
    int n; /* rates that are spread */
    int params[MOST_RATES], count[MOST_RATES];
    double at[MOST_RATES][FINEST], weight[MOST_RATES][FINEST];
};

static double normal_below(double x)
{
    return erfc(-x / M_SQRT2) / 2;
}
static double density(double x)
{
    return exp(-x * x / 2) / sqrt(2 * M_PI);
}

/* Add the weights of the ends of a chord over [a, b] in the mean over the law. */
static void weigh(double *left, double *right, double a, double b, bool normal)
{
    const double mass = normal ? normal_below(b) - normal_below(a) : (b - a) / 2,
                 moment = normal ? density(a) - density(b) : (b * b - a * a) / 4;
    *left += (b * mass - moment) / (b - a), *right += (moment - a * mass) / (b - a);
}

/* Values of a rate, none below 0. */
static void set_chords(struct chords *c, int i, const struct kl_control_spread *p, double reach)
{
    const double value = c->setup->system.params[p->param].value, from = fmax(-reach, -value / p->size);
    const int n = c->count[i];
    for (int k = 0; k < n; k++) {
        c->at[i][k] = fmax(0, value + p->size * (from + (reach - from) * k / (n - 1)));
        c->weight[i][k] = 0;
    }
    for (int k = 0; k + 1 < n; k++)
        weigh(&c->weight[i][k], &c->weight[i][k + 1], from + (reach - from) * k / (n - 1),
              from + (reach - from) * (k + 1) / (n - 1), c->setup->is_normal);
}

static int mean_of(double *mean, struct chords *c, struct kl_control_task *task, int i,
                   struct kl_error *err)
{
    const struct kl_control_setup *s = c->setup;
    if (i == c->n || i == MOST_RATES)
        return limit_of(mean, &s->system, &s->objective, s->fidelity, s->problem.duration, task, err);
    *mean = 0;
    for (int k = 0; k < c->count[i]; k++) {
        double one;
        task->params[c->params[i]] = c->at[i][k];
        const int code = mean_of(&one, c, task, i + 1, err);
        if (code) return code;
        *mean += c->weight[i][k] * one;
    }
    return 0;
}

int kl_control_law_limit(double *limit, const struct kl_control_setup *s, struct kl_error *err)
{
    static const int counts[] = { FINEST, FINEST, 33, 9 };
    struct chords c = { .setup = s };
    struct kl_control_task task;
    /* The worst of a normal law is within three deviations. */
    const double reach = !s->is_normal ? 1 : s->problem.aggregate == KL_CONTROL_WORST ? 3 : 4;
    const struct kl_control_spread *rates[MOST_RATES];
    kl_control_task_default(&task, &s->system);
    for (int i = 0; i < s->n_spreads; i++) {
        const struct kl_control_spread *p = &s->spreads[i];
        if (p->param < 0 || !s->system.params[p->param].rate) continue;
        if (c.n == MOST_RATES) return *limit = 0, KL_OK;
        rates[c.n++] = p;
    }
    for (int i = 0; i < c.n && i < MOST_RATES; i++) {
        c.params[i] = rates[i]->param, c.count[i] = counts[c.n];
        set_chords(&c, i, rates[i], reach);
    }
    const int code = mean_of(limit, &c, &task, 0, err);
    *limit = fmax(0, *limit);
    return code;
}

/* ---- how far a loss can move ---- */
/* The Choi matrix of the map whose matrix is m, J = sum_ab m_ab B_a (x) B_b^T / d: the diamond norm is
   at most the largest eigenvalue of Tr_out |J|, as the map is a difference of two completely positive
   ones (Watrous 2018, 3.3). */
static double diamond_of(const double *m, const double complex *basis, int d, double complex *work)
{
    const int dim = d * d;
    double complex *j = work, *v = j + dim * dim, *kept = v + dim * dim;
    double values[KL_CONTROL_MAX_LEVELS];
    for (int i = 0; i < dim * dim; i++) j[i] = 0;
    for (int i = 0; i < dim * dim; i++) {
        if (m[i] == 0) continue;
        const double complex *a = basis + (size_t)(i / dim) * (size_t)dim,
                             *b = basis + (size_t)(i % dim) * (size_t)dim;
        for (int r = 0; r < dim; r++)
            for (int c = 0; c < dim; c++)
                j[r * dim + c] += m[i] / d * a[r / d * d + c / d] * b[c % d * d + r % d];
    }
    kl_control_diagonalise(j, v, dim);
    for (int r = 0; r < d; r++)
        for (int c = 0; c < d; c++) {
            kept[r * d + c] = 0;
            for (int out = 0; out < d; out++)
                for (int k = 0; k < dim; k++)
                    kept[r * d + c] += fabs(creal(j[k * dim + k])) * v[(out * d + r) * dim + k] *
                                       conj(v[(out * d + c) * dim + k]);
        }
    eigenvalues(values, kept, d);
    return values[0];
}

/* E - E' = int E(T,t) (G - G') E'(t,0) dt and both are channels, of diamond norm 1: so the norm of the
   difference is at most T sum |p - p'| |P|, and a fidelity, a projector's mean, moves by half of it; the
   average of a channel that keeps its levels by d/(d+1) of that, since then it is (d F_e + 1)/(d + 1).
 */
int kl_control_sensitivity_make(struct kl_control_sensitivity *to,
                                const struct kl_control_system *system,
                                enum kl_control_fidelity fidelity, struct kl_error *err)
{
    const int d = system->d, dim = system->dim;
    const size_t square = (size_t)(dim * dim);
    double complex *work = malloc(4 * square * sizeof *work), *basis = work ? work + 3 * square : NULL;
    double share = 0.5;
    if (!work) return kl_fail_memory(err, 4 * square * sizeof *work);
    if (fidelity == KL_CONTROL_AVERAGE && system->subspace == d) share *= d / (d + 1.0);
    kl_control_basis(basis, d, system->n_qubits);
    *to = (struct kl_control_sensitivity){ 0 };
    for (int k = 0; k < system->n_controls; k++)
        to->controls[k] = share * diamond_of(system->controls[k].matrix, basis, d, work);
    for (int j = 0; j < system->n_params; j++)
        to->params[j] = share * diamond_of(system->params[j].matrix, basis, d, work);
    free(work);
    return 0;
}
