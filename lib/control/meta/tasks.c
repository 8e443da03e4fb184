/* SPDX-License-Identifier: MIT
   Families of tasks: what is drawn of each, what it is to a qubit or any system, what the network is
   told of it. A task is a function of the seed, the set and its number. */
#include "control/meta/meta_train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/model.h"
#include "kernels/bloch.h"
#include "kernels/inline/philox.h"

/* ---- experiments ----
   What a network is told of parameters that nobody knows: four short experiments on the very qubit, with
   finitely many shots each. */

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

/* ---- families ---- */
/* The purpose of a set's random numbers: each kind of set has its own. */
static uint32_t purpose(enum kl_purpose of, enum kl_control_task_set set)
{
    return (uint32_t)of + 256u * (uint32_t)set;
}

/* ---- checking ---- */

static bool varies(struct kl_control_range r)
{
    return r.high > r.low;
}

static int check_range(const char *name, struct kl_control_range r, double least, bool positive,
                       struct kl_error *err)
{
    if (isfinite(r.low) && isfinite(r.high) && r.low <= r.high &&
        (positive ? r.low > least : r.low >= least))
        return KL_OK;
    return kl_fail(err, KL_EUSAGE,
                   "--%s: found %g,%g, expected two numbers, the first %s %g and at most the second",
                   name, r.low, r.high, positive ? "above" : "at least", least);
}

int kl_control_family_check(const struct kl_control_family *f, struct kl_error *err)
{
    const bool logs = f->distribution == KL_CONTROL_LOG_UNIFORM;
    int code = KL_OK;
    if (f->setup) return KL_OK; /* its ranges are checked where they are read */
    if (f->psd) {
        code = check_range("alpha-range", f->alpha, -INFINITY, false, err);
        if (!code) code = check_range("strength-range", f->amplitude, 0, logs, err);
        if (!code) code = check_range("omega-c-range", f->omega_c, 0, true, err);
    } else {
        code = check_range("gamma-deph-range", f->dephasing, 0, logs, err);
        if (!code) code = check_range("gamma-relax-range", f->relaxation, 0, logs, err);
    }
    if (!code) code = check_range("detuning-range", f->detuning, -1e6, false, err);
    if (!code) code = check_range("amplitude-range", f->controls, 0, true, err);
    if (!code) code = check_range("angle-range", f->angle, -1e3, false, err);
    if (!code) code = check_range("coupling-range", f->coupling, 0, true, err);
    if (!code && f->two_qubits != (f->gate == KL_CONTROL_GATE_CZ))
        code = kl_fail(err, KL_EUSAGE,
                       "--target-gate: two qubits (--num-qubits 2) and the gate cz go together");
    if (!code && f->two_qubits && (f->psd || f->tells == KL_CONTROL_TELLS_SHOTS))
        code = kl_fail(
            err, KL_EUSAGE,
            "--num-qubits 2: found %s, expected rates, and a network that is told them or nothing",
            f->psd ? "spectra of noise" : "experiments with shots");
    if (!code && f->gate != KL_CONTROL_ROTATION && varies(f->angle))
        code = kl_fail(err, KL_EUSAGE,
                       "--angle-range: only the target rotation has an angle; give "
                       "--target-gate rotation");
    return code;
}

/* ---- drawing ---- */

static struct kl_control_range narrowed(struct kl_control_range r, double scale)
{
    const double middle = (r.low + r.high) / 2, half = scale * (r.high - r.low) / 2;
    return (struct kl_control_range){ middle - half, middle + half };
}

/* Number `index` of a task in its range. Normal numbers: about the middle, a quarter of the range wide,
   clipped to it. */
static double draw(const uint32_t words[4], struct kl_control_range r, enum kl_control_distribution d)
{
    const double x = kl_philox_unit(words[0]);
    if (!varies(r)) return r.low;
    if (d == KL_CONTROL_LOG_UNIFORM) return r.low * pow(r.high / r.low, x);
    if (d == KL_CONTROL_UNIFORM) return r.low + x * (r.high - r.low);
    const double normal = kl_control_normal(x, kl_philox_unit(words[1]));
    return fmin(r.high, fmax(r.low, (r.low + r.high) / 2 + normal * (r.high - r.low) / 4));
}

static int draw_model(const uint32_t words[4], const struct kl_control_family *f)
{
    double x = kl_philox_unit(words[0]);
    int last = 0;
    for (int m = 0; m < 3; m++) {
        if (f->models[m] <= 0) continue;
        if (x < f->models[m]) return m;
        x -= f->models[m], last = m;
    }
    return last;
}

enum {
    DEPHASING,
    RELAXATION,
    ALPHA,
    AMPLITUDE,
    OMEGA_C,
    DETUNING,
    CONTROLS,
    ANGLE,
    MODEL,
    COUPLING,
    SECOND,
    RANGES = 64 /* and a parameter's number, or the first behind them all of the amplitude */
};

/* Rates of the second qubit: those of the first within a fifth. None is below 0.001, as in the
 * reference. */
static void draw_second(struct kl_control_meta_task *task, const struct kl_control_task_id *id)
{
    for (int i = 0; i < 2; i++) {
        uint32_t words[4];
        kl_philox(words, id->seed, (uint32_t)(SECOND + i), purpose(KL_RANDOM_TASKS, id->set), id->number,
                  id->replica);
        task->theta[i] = fmax(0.001, task->theta[i]);
        task->second[i] = fmax(0.001, task->theta[i] * (0.8 + 0.4 * kl_philox_unit(words[0])));
    }
}

/* A system's ranges, whose rates are the noise. */
static void draw_ranges(struct kl_control_meta_task *task, const struct kl_control_family *f,
                        const struct kl_control_task_id *id)
{
    for (int i = 0; i < f->setup->n_ranges; i++) {
        const int param = f->setup->ranges[i].param, index = param < 0 ? KL_CONTROL_MAX_PARAMS : param;
        const bool rate = kl_control_family_is_rate(f->setup, i);
        uint32_t words[4];
        kl_philox(words, id->seed, (uint32_t)(RANGES + index), purpose(KL_RANDOM_TASKS, id->set),
                  id->number, id->replica);
        task->numbers[i] = draw(words, rate ? narrowed(f->ranges[i], f->diversity) : f->ranges[i],
                                rate ? f->distribution : KL_CONTROL_UNIFORM);
    }
}

void kl_control_family_draw(struct kl_control_meta_task *task, const struct kl_control_family *f,
                            const struct kl_control_task_id *id)
{
    const struct {
        double *to;
        struct kl_control_range range;
        int index;
        bool noise; /* of the family's distribution; others are uniform */
    } numbers[] = { { &task->theta[0], f->psd ? f->alpha : f->dephasing, f->psd ? ALPHA : DEPHASING,
                      true },
                    { &task->theta[1], f->psd ? f->amplitude : f->relaxation,
                      f->psd ? AMPLITUDE : RELAXATION, true },
                    { &task->theta[2], f->omega_c, OMEGA_C, true },
                    { &task->detuning, f->detuning, DETUNING, false },
                    { &task->controls, f->controls, CONTROLS, false },
                    { &task->angle, f->angle, ANGLE, false },
                    { &task->coupling, f->coupling, COUPLING, false } };
    uint32_t words[4];
    memset(task, 0, sizeof *task);
    if (f->setup) {
        draw_ranges(task, f, id);
        return;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const struct kl_control_range r = numbers[i].range;
        kl_philox(words, id->seed, (uint32_t)numbers[i].index, purpose(KL_RANDOM_TASKS, id->set),
                  id->number, id->replica);
        *numbers[i].to = draw(words, numbers[i].noise ? narrowed(r, f->diversity) : r,
                              numbers[i].noise ? f->distribution : KL_CONTROL_UNIFORM);
    }
    kl_philox(words, id->seed, MODEL, purpose(KL_RANDOM_TASKS, id->set), id->number, id->replica);
    task->model = draw_model(words, f);
    if (f->two_qubits) draw_second(task, id);
    if (f->psd) kl_control_psd_rates(task, f);
    else task->rates[KL_BLOCH_DEPHASING] = task->theta[0], task->rates[KL_BLOCH_DOWN] = task->theta[1];
    if (f->jump_up) {
        const double down = task->rates[KL_BLOCH_DOWN];
        task->rates[KL_BLOCH_DOWN] = task->rates[KL_BLOCH_UP], task->rates[KL_BLOCH_UP] = down;
    }
    task->rates[KL_BLOCH_DETUNING] = f->drift + task->detuning;
}

/* A range about its middle, times x; of a rate or a factor (positive) not below 0, nor is what is drawn
   by its logarithm (logs) 0. */
static void spread_range(struct kl_control_range *r, double x, bool positive, bool logs)
{
    const double middle = (r->low + r->high) / 2, half = x * (r->high - r->low) / 2,
                 least = logs ? fmin(r->low, 1e-3 * middle) : 0;
    r->low = positive ? fmax(middle - half, least) : middle - half;
    r->high = middle + half;
}

void kl_control_family_spread(struct kl_control_family *f, double x)
{
    const bool logs = f->distribution == KL_CONTROL_LOG_UNIFORM;
    struct kl_control_range *const ranges[] = { &f->dephasing, &f->relaxation, &f->detuning,
                                                &f->controls, &f->angle };
    for (size_t i = 0; !f->setup && i < sizeof ranges / sizeof *ranges; i++)
        spread_range(ranges[i], x, i < 2 || i == 3, logs && i < 2);
    for (int i = 0; f->setup && i < f->setup->n_ranges; i++) {
        const bool rate = kl_control_family_is_rate(f->setup, i);
        spread_range(&f->ranges[i], x, rate || f->setup->ranges[i].param < 0, logs && rate);
    }
}

double kl_control_family_rates(const struct kl_control_family *f)
{
    const double detuning = fmax(fabs(f->drift + f->detuning.low), fabs(f->drift + f->detuning.high));
    const double rates = f->psd ? kl_control_psd_most(f) : f->dephasing.high + f->relaxation.high;
    return rates + 2 * detuning;
}

/* ---- targets ---- */

/* The rotation of the Bloch vector that is asked for. */
static void rotation(double r[3][3], enum kl_control_gate gate, double angle)
{
    static const double gates[][3][3] = {
        { { 1, 0, 0 }, { 0, -1, 0 }, { 0, 0, -1 } },
        { { -1, 0, 0 }, { 0, 1, 0 }, { 0, 0, -1 } },
        { { -1, 0, 0 }, { 0, -1, 0 }, { 0, 0, 1 } },
        { { 0, 0, 1 }, { 0, -1, 0 }, { 1, 0, 0 } },
    };
    const double c = cos(angle), s = sin(angle);
    const double about_x[3][3] = { { 1, 0, 0 }, { 0, c, -s }, { 0, s, c } };
    memcpy(r, gate == KL_CONTROL_ROTATION ? about_x : gates[gate], sizeof about_x);
}

void kl_control_family_weights(double weights[9], const struct kl_control_family *f,
                               const struct kl_control_meta_task *task)
{
    double r[3][3];
    rotation(r, f->gate, task->angle);
    for (int c = 0; c < (f->whole_gate ? 3 : 1); c++)
        for (int i = 0; i < 3; i++) weights[3 * c + i] = f->whole_gate ? r[i][c] / 6 : r[i][2] / 2;
}

struct kl_bloch kl_control_family_bloch(const struct kl_control_family *f, int segments, double duration)
{
    struct kl_bloch b = { .segments = segments,
                          .controls = 2,
                          .columns = f->whole_gate ? 3 : 1,
                          .affine = !f->whole_gate,
                          .dt = duration / segments };
    for (int c = 0; c < b.columns; c++)
        for (int i = 0; i < 3; i++) b.start[c][i] = f->whole_gate ? i == c : i == 2;
    return b;
}

struct kl_control_task kl_control_family_member(const struct kl_control_family *f,
                                                const struct kl_control_meta_task *task)
{
    if (f->setup) return kl_control_family_system_member(f, task->numbers);
    struct kl_control_task t = { .amplitude = task->controls };
    memcpy(t.params, task->rates, sizeof task->rates);
    return t;
}

int kl_control_family_objective(struct kl_control_objective *o, const struct kl_control_family *f,
                                struct kl_error *err)
{
    const struct kl_bloch b = kl_control_family_bloch(f, 1, 1);
    const int first = f->whole_gate; /* the column of 1, before those of X, Y and Z */
    *o = (struct kl_control_objective){ .columns = b.columns + first,
                                        .constant = 0.5,
                                        .start = calloc(16, sizeof(double)),
                                        .weights = calloc(16, sizeof(double)) };
    if (!o->start || !o->weights) return kl_fail_memory(err, 32 * sizeof(double));
    o->start[0] = 1;
    for (int c = 0; c < b.columns; c++)
        for (int i = 0; i < 3; i++) o->start[(i + 1) * o->columns + c + first] = b.start[c][i];
    return KL_OK;
}

void kl_control_family_begin(double *params, const struct kl_control_net *net,
                             const struct kl_control_family *f)
{
    const double angle = f->gate == KL_CONTROL_ROTATION ? (f->angle.low + f->angle.high) / 2 : M_PI,
                 duration = f->duration;
    double pulse[KL_CONTROL_MAX_CONTROLS] = { 0 };
    if (f->setup) {
        double *bias = params + net->block.tensors[net->at[net->layers - 1].bias].offset;
        for (int i = 0; i < net->size[net->layers]; i++) bias[i] = f->start[i] / net->shape.scale;
        return;
    }
    pulse[0] =
        f->gate == KL_CONTROL_GATE_X || f->gate == KL_CONTROL_ROTATION ? angle / (2 * duration) : 0;
    pulse[1] = f->gate == KL_CONTROL_GATE_Y ? angle / (2 * duration) : 0;
    if (f->gate == KL_CONTROL_GATE_H) pulse[1] = M_PI / (4 * duration); /* |0> to |+> */
    kl_control_net_start(params, net, pulse);
}

/* ---- what the network is told ---- */

static int n_given(const struct kl_control_family *f)
{
    return f->psd ? 3 + f->tells_model : 3;
}

int kl_control_family_n_features(const struct kl_control_family *f)
{
    const int angle = varies(f->angle);
    switch (f->tells) {
    case KL_CONTROL_TELLS_NOTHING: return 1 + angle;
    case KL_CONTROL_TELLS_SHOTS: return KL_CONTROL_PROBES + angle;
    default:
        if (f->setup) return f->setup->n_ranges;
        if (f->two_qubits) return 4 + varies(f->coupling);
        return n_given(f) + varies(f->detuning) + varies(f->controls) + angle;
    }
}

/* Within a range -1 to 1. */
static double placed(double x, struct kl_control_range r)
{
    return (2 * x - r.low - r.high) / (r.high - r.low);
}

int kl_control_family_places(double to[KL_CONTROL_TASK_NUMBERS], const struct kl_control_family *f,
                             const struct kl_control_meta_task *task)
{
    const double own[] = { task->theta[0], task->theta[1], task->detuning, task->controls, task->angle };
    const int n = f->setup ? f->setup->n_ranges : (int)(sizeof own / sizeof *own);
    for (int i = 0; i < n; i++)
        to[i] = f->setup
                    ? placed(task->numbers[i], (struct kl_control_range){ f->setup->ranges[i].low,
                                                                          f->setup->ranges[i].high })
                    : own[i];
    return n;
}

int kl_control_family_numbers(double to[KL_CONTROL_TASK_NUMBERS], char names[KL_CONTROL_NAMES],
                              const struct kl_control_family *f, const struct kl_control_meta_task *task)
{
    if (f->setup) {
        kl_control_family_names(names, f->setup);
        memcpy(to, task->numbers, sizeof task->numbers);
        return f->setup->n_ranges;
    }
    snprintf(names, KL_CONTROL_NAMES, "gamma_phi, gamma_down, gamma_up, detuning, amplitude, angle");
    memcpy(to, task->rates, sizeof task->rates);
    to[KL_BLOCH_PARAMS] = task->controls, to[KL_BLOCH_PARAMS + 1] = task->angle;
    return KL_BLOCH_PARAMS + 2;
}

static int given(double *to, const struct kl_control_family *f, const struct kl_control_meta_task *t)
{
    const double *x = t->theta;
    if (f->setup) return kl_control_family_places(to, f, t);
    if (f->two_qubits) {
        to[0] = x[0] / 0.1, to[1] = x[1] / 0.05, to[2] = t->second[0] / 0.1, to[3] = t->second[1] / 0.05;
        if (varies(f->coupling)) to[4] = placed(t->coupling, f->coupling);
        return 4 + varies(f->coupling);
    }
    if (!f->psd) {
        to[0] = x[0] / 0.1, to[1] = x[1] / 0.05, to[2] = (x[0] + x[1]) / 0.15;
    } else if (f->tells == KL_CONTROL_TELLS_RAW) {
        memcpy(to, x, 3 * sizeof *to);
    } else {
        to[0] = (x[0] - 0.1) / 1.9, to[1] = (log10(fmax(0.01, fmin(10, x[1]))) + 2) / 3;
        to[2] = (x[2] - 1) / 299;
    }
    if (f->psd && f->tells_model) to[3] = t->model / 2.0;
    int n = n_given(f);
    if (varies(f->detuning)) to[n++] = placed(t->detuning, f->detuning);
    if (varies(f->controls)) to[n++] = placed(t->controls, f->controls);
    return n;
}

void kl_control_family_features(double *to, const struct kl_control_family *f,
                                const struct kl_control_meta_task *task,
                                const struct kl_control_task_id *id)
{
    int n = 1;
    if (f->tells == KL_CONTROL_TELLS_NOTHING) to[0] = 1;
    else if (f->tells == KL_CONTROL_TELLS_SHOTS) n = kl_control_probe(to, f, task, id);
    else n = given(to, f, task);
    if (varies(f->angle)) to[n] = placed(task->angle, f->angle);
}
