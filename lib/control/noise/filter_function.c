/* SPDX-License-Identifier: MIT
   The filter function of a pulse on one qubit: what noise of each frequency does while the pulse is on,
   the infidelity that a spectrum costs in second order, and its gradient. A rotation of a piece moves
   all that comes after it, so the derivative by a control is a torque summed backwards in time. */
#include "control/noise/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/filter.h"

enum { N = KL_FILTER_COEFFICIENTS, MOMENTS = 1 + 2 * KL_FILTER_MAX_ORDER, MOST_PIECES = 1 << 20 };
static const double pi = 3.14159265358979323846;

typedef double vector[3];
/* Of a piece: its rate of rotation, the frame at its start, and where its coefficients go. */
struct piece {
    vector rate;
    double frame[3][3];
};
struct kl_control_filter {
    int segments, parts; /* pieces a segment */
    size_t n, n_padded;
    double duration, half; /* of a piece */
    double limit;
    struct kl_filter kernel;
    struct kl_arena arena;
    struct piece *pieces;
    double *coefficients, *bar, *weights, *power, *work;
};

/* ---- vectors ---- */
static void cross(vector to, const vector a, const vector b)
{
    to[0] = a[1] * b[2] - a[2] * b[1];
    to[1] = a[2] * b[0] - a[0] * b[2];
    to[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const vector a, const vector b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void apply(vector to, const double frame[3][3], const vector v)
{
    for (int i = 0; i < 3; i++) to[i] = dot(frame[i], v);
}

static void apply_transposed(vector to, const double frame[3][3], const vector v)
{
    for (int i = 0; i < 3; i++) to[i] = frame[0][i] * v[0] + frame[1][i] * v[1] + frame[2][i] * v[2];
}

/* v + first rate x v + second rate x (rate x v). */
static void series(vector to, const vector rate, const vector v, double first, double second)
{
    vector once, twice;
    cross(once, rate, v);
    cross(twice, rate, once);
    for (int i = 0; i < 3; i++) to[i] = v[i] + first * once[i] + second * twice[i];
}

/* The frame after a time t: Rodrigues' formula for each column. */
static void rotate(double to[3][3], const double frame[3][3], const vector rate, double t)
{
    const double w = sqrt(dot(rate, rate)), s = w > 0 ? sin(w * t / 2) / w : t / 2, c = cos(w * t / 2);
    for (int j = 0; j < 3; j++) {
        const vector column = { frame[0][j], frame[1][j], frame[2][j] };
        vector turned;
        series(turned, rate, column, 2 * s * c, 2 * s * s);
        for (int i = 0; i < 3; i++) to[i][j] = turned[i];
    }
}

/* Adds t J v, J the left Jacobian of the rotation by rate t: J = 1 + (1 - cos f)/f^2 [f] + (f - sin
   f)/f^3 [f]^2, f = rate t. */
static void add_jacobian(vector to, const vector rate, const vector v, double t)
{
    const double f = sqrt(dot(rate, rate)) * t, s = f > 0 ? sin(f / 2) / f : 0.5;
    double third = 0, term = 1.0 / 6;
    if (f > 1) third = (f - sin(f)) / (f * f * f);
    else
        for (int k = 1; k < 10; k++, term *= -f * f / ((2 * k) * (2 * k + 1))) third += term;
    vector turned;
    series(turned, rate, v, t * 2 * s * s, t * t * third);
    for (int i = 0; i < 3; i++) to[i] += t * turned[i];
}

/* ---- preparation ---- */
/* b[p], p < MOMENTS: 1/p! times the integral over [-1, 1] of x^p cos(angle x), sin for odd p. By parts,
   upwards where that shrinks errors, else downwards from far above. */
static void moments(double *b, double angle, const double *inverse_factorial)
{
    const double s = 2 * sin(angle), c = 2 * cos(angle);
    const int up = angle < 1 ? 0 : angle >= MOMENTS ? MOMENTS : (int)angle;
    double high = 0;
    for (int p = 32 + 2 * (int)fmin(angle, MOMENTS); p > up && up < MOMENTS; p--) {
        high = p % 2 ? c * inverse_factorial[p] + angle * high : s * inverse_factorial[p] - angle * high;
        if (p <= MOMENTS) b[p - 1] = high;
    }
    if (up == 0) return;
    b[0] = s / angle;
    for (int p = 1; p < up; p++)
        b[p] = ((p % 2 ? -c : s) * inverse_factorial[p] + (p % 2 ? b[p - 1] : -b[p - 1])) / angle;
}

static void prepare(struct kl_control_filter *f, double *step, double *first, double *moment,
                    const double *omega)
{
    enum { MOST = 40 + 2 * MOMENTS };
    double inverse_factorial[MOST] = { 1 }, b[MOMENTS];
    const size_t n = f->n_padded;
    for (int p = 1; p < MOST; p++) inverse_factorial[p] = inverse_factorial[p - 1] / p;
    for (size_t i = 0; i < n; i++) {
        const double angle = i < f->n ? fabs(omega[i]) * f->half : 0;
        first[i] = cos(angle), first[n + i] = sin(angle);
        step[i] = cos(2 * angle), step[n + i] = sin(2 * angle);
        moments(b, angle, inverse_factorial);
        double power = f->half;
        for (int p = 0; p < MOMENTS; p++, power *= f->half) moment[(size_t)p * n + i] = power * b[p];
    }
}

static int take(struct kl_control_filter *f, const double *omega, struct kl_error *err)
{
    const size_t n = f->n_padded, pieces = (size_t)f->kernel.pieces;
    double *step = kl_arena_take(&f->arena, 2 * n, sizeof *step),
           *first = kl_arena_take(&f->arena, 2 * n, sizeof *first),
           *moment = kl_arena_take(&f->arena, MOMENTS * n, sizeof *moment);
    f->pieces = kl_arena_take(&f->arena, pieces, sizeof *f->pieces);
    f->coefficients = kl_arena_take(&f->arena, pieces * N, sizeof(double));
    f->bar = kl_arena_take(&f->arena, pieces * N, sizeof(double));
    f->weights = kl_arena_take(&f->arena, n, sizeof(double));
    f->power = kl_arena_take(&f->arena, n, sizeof(double));
    f->work = kl_arena_take(&f->arena, kl_filter_work(&f->kernel), sizeof(double));
    if (!step || !first || !moment || !f->pieces || !f->coefficients || !f->bar || !f->weights ||
        !f->power || !f->work)
        return kl_fail_memory(err, (MOMENTS + 6) * n * sizeof(double));
    prepare(f, step, first, moment, omega);
    memset(f->weights, 0, n * sizeof *f->weights);
    f->kernel.step = step, f->kernel.first = first, f->kernel.moments = moment;
    return KL_OK;
}

int kl_control_filter_open(struct kl_control_filter **filter, const double *omega, size_t n,
                           int segments, double duration, double limit, struct kl_error *err)
{
    *filter = NULL;
    if (n < 1 || segments < 1 || !(duration > 0 && duration < INFINITY) || !(limit >= 0))
        return kl_fail(
            err, KL_EUSAGE,
            "filter function: found %zu frequencies, %d segments, duration %g, limit %g, expected at "
            "least one of each, numbers that are not negative",
            n, segments, duration, limit);
    for (size_t i = 0; i < n; i++)
        if (!isfinite(omega[i]))
            return kl_fail(err, KL_EUSAGE,
                           "filter function: frequency %zu: found %g, expected a finite number", i,
                           omega[i]);
    /* The series are made for angles of at most 1 in half a piece, 2 limit radians a unit of time. */
    const double parts = fmax(1, ceil(limit * duration / segments));
    if (!(parts * segments <= MOST_PIECES))
        return kl_fail(err, KL_EUSAGE, "filter function: limit %g: found %g pieces, expected at most %d",
                       limit, parts * segments, MOST_PIECES);
    struct kl_control_filter *f = calloc(1, sizeof *f);
    if (!f) return kl_fail_memory(err, sizeof *f);
    f->segments = segments, f->parts = (int)parts, f->duration = duration, f->limit = limit;
    f->half = duration / segments / parts / 2;
    f->n = n, f->n_padded = (n + KL_FILTER_LANES - 1) / KL_FILTER_LANES * KL_FILTER_LANES;
    f->kernel.pieces = segments * f->parts, f->kernel.n = f->n_padded;
    int code = kl_arena_init(&f->arena, 0, err);
    if (!code) code = take(f, omega, err);
    if (code) kl_control_filter_close(&f);
    *filter = f;
    return code;
}

void kl_control_filter_close(struct kl_control_filter **filter)
{
    if (!*filter) return;
    kl_arena_free(&(*filter)->arena);
    free(*filter);
    *filter = NULL;
}

void kl_control_filter_weights(double *weights, const double *omega, const double *psd, size_t n,
                               bool both_signs)
{
    for (size_t i = 0; i < n; i++) {
        const double below = i > 0 ? omega[i] - omega[i - 1] : 0,
                     above = i + 1 < n ? omega[i + 1] - omega[i] : 0;
        weights[i] = psd[i] * (below + above) / 2 / (4 * pi) * (both_signs ? 2 : 1);
    }
}

/* ---- evaluation ---- */
/* The operator e in the frame of the middle of a piece: a, and what bends it, b and d of
 * kernels/filter.h.
 */
static void set_coefficients(double *to, const double middle[3][3], const vector rate, const vector e)
{
    vector once, twice;
    cross(once, rate, e);
    cross(twice, rate, once);
    apply_transposed(to, middle, e);
    apply_transposed(to + 3, middle, twice);
    apply_transposed(to + 6, middle, once);
    for (int i = 6; i < 9; i++) to[i] = -to[i];
    to[9] = -dot(rate, rate);
}

static int lay_out(struct kl_control_filter *f, const struct kl_control_pulse *pulse, double detuning,
                   const vector e, struct kl_error *err)
{
    double frame[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, middle[3][3], largest = 0;
    struct piece *piece = f->pieces;
    double *coefficients = f->coefficients;
    for (int s = 0; s < f->segments; s++) {
        const double *u = pulse->u + (size_t)s * (size_t)pulse->controls;
        const vector rate = { 2 * u[0], 2 * u[1], 2 * (detuning + (pulse->controls > 2 ? u[2] : 0)) };
        const double size = sqrt(dot(rate, rate));
        if (!(size <= 2 * f->limit * (1 + 1e-12)))
            return kl_fail(
                err, KL_EUSAGE,
                "filter function: segment %d: found an amplitude of %g, expected at most the limit, %g",
                s, size / 2, f->limit);
        largest = fmax(largest, size * f->half);
        for (int i = 0; i < f->parts; i++, piece++, coefficients += N) {
            memcpy(piece->rate, rate, sizeof piece->rate);
            memcpy(piece->frame, frame, sizeof frame);
            rotate(middle, piece->frame, rate, f->half);
            set_coefficients(coefficients, middle, rate, e);
            rotate(frame, middle, rate, f->half);
        }
    }
    double rest = largest;
    f->kernel.order = 0;
    for (int k = 1; k == 1 || (rest > 1e-17 && k < KL_FILTER_MAX_ORDER); f->kernel.order = ++k - 1)
        rest = pow(largest, 2 * k + 1) / tgamma(2 * k + 3);
    return KL_OK;
}

/* Derivatives by the rate of a piece. later: the torque of all that comes after it; it gains the piece's
   own. */
static void pull_back(vector to, vector later, const struct piece *piece, const double *c,
                      const double *bar, const vector e, double half)
{
    const double *rate = piece->rate;
    double middle[3][3];
    vector own = { 0 }, turned, b, d, bent;
    for (int i = 0; i < 9; i += 3) {
        cross(turned, c + i, bar + i);
        for (int j = 0; j < 3; j++) own[j] -= turned[j];
    }
    apply(turned, piece->frame, later);
    add_jacobian(to, rate, turned, 2 * half);
    apply(turned, piece->frame, own);
    add_jacobian(to, rate, turned, half);
    rotate(middle, piece->frame, rate, half);
    apply(b, middle, bar + 3);
    apply(d, middle, bar + 6);
    cross(bent, e, d);
    for (int j = 0; j < 3; j++) {
        to[j] +=
            b[j] * dot(rate, e) + e[j] * dot(rate, b) - 2 * rate[j] * (dot(b, e) + bar[9]) - bent[j];
        later[j] += own[j];
    }
}

static void gradients(struct kl_control_filter_gradient *to, const struct kl_control_filter *f,
                      int controls, const vector e)
{
    vector later = { 0 };
    to->detuning = 0;
    for (int s = f->segments - 1; s >= 0; s--) {
        vector by_rate = { 0 };
        for (int i = f->parts - 1; i >= 0; i--) {
            const size_t at = (size_t)(s * f->parts + i);
            pull_back(by_rate, later, &f->pieces[at], f->coefficients + at * N, f->bar + at * N, e,
                      f->half);
        }
        for (int k = 0; k < controls; k++) to->u[(size_t)(s * controls + k)] = 2 * by_rate[k];
        to->detuning += 2 * by_rate[2];
    }
}

int kl_control_filter_evaluate(struct kl_control_filter_gradient *to, struct kl_control_filter *filter,
                               const struct kl_control_pulse *pulse, double detuning, int axis,
                               const double *weights, struct kl_error *err)
{
    const vector e = { axis == 0, axis == 1, axis == 2 };
    if (pulse->segments != filter->segments || pulse->duration != filter->duration ||
        pulse->controls < 2 || pulse->controls > 3 || axis < 0 || axis > 2)
        return kl_fail(
            err, KL_EUSAGE,
            "filter function: found %d segments of %d controls in %g, axis %d, expected %d of 2 or 3 "
            "in %g, axis 0 to 2",
            pulse->segments, pulse->controls, pulse->duration, axis, filter->segments, filter->duration);
    const int code = lay_out(filter, pulse, detuning, e, err);
    if (code) return code;
    const bool wanted = to->u && weights;
    for (size_t i = 0; weights && i < filter->n; i++) filter->weights[i] = weights[i] / 2;
    kl_kernel_filter_power_f64()(filter->power, wanted ? filter->bar : NULL, filter->coefficients,
                                 filter->weights, &filter->kernel, filter->work);
    to->infidelity = 0;
    for (size_t i = 0; weights && i < filter->n; i++)
        to->infidelity += filter->weights[i] * filter->power[i];
    for (size_t i = 0; to->values && i < filter->n; i++) to->values[i] = filter->power[i] / 2;
    if (wanted) gradients(to, filter, pulse->controls, e);
    return KL_OK;
}
