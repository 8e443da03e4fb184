/* SPDX-License-Identifier: MIT
   Systems: one qubit, two coupled qubits, a transmon with levels above the qubit's; their rates from
   decay times and a temperature; the shape of a pulse that keeps a transmon from leaking; whether
   another system is one of them; all of it in words. */
#include "control/model/engine.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/model.h"

enum { LARGEST = KL_CONTROL_MAX_LEVELS * KL_CONTROL_MAX_LEVELS };

void kl_control_system_free(struct kl_control_system *system)
{
    for (int k = 0; k < KL_CONTROL_MAX_CONTROLS; k++) free(system->controls[k].matrix);
    for (int j = 0; j < KL_CONTROL_MAX_PARAMS; j++) free(system->params[j].matrix);
    *system = (struct kl_control_system){ 0 };
}

void kl_control_task_default(struct kl_control_task *task, const struct kl_control_system *system)
{
    *task = (struct kl_control_task){ .amplitude = 1 };
    for (int j = 0; j < system->n_params; j++) task->params[j] = system->params[j].value;
}

static int find(const struct kl_control_entry *entries, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(entries[i].name, name) == 0) return i;
    return -1;
}

int kl_control_system_param(const struct kl_control_system *system, const char *name)
{
    return find(system->params, system->n_params, name);
}

int kl_control_system_control(const struct kl_control_system *system, const char *name)
{
    return find(system->controls, system->n_controls, name);
}

void kl_control_system_generator(double *generator, const struct kl_control_system *system,
                                 const double *u, const struct kl_control_task *task)
{
    const size_t size = (size_t)system->dim * (size_t)system->dim;
    memset(generator, 0, size * sizeof *generator);
    for (int k = 0; u && k < system->n_controls; k++)
        for (size_t i = 0; i < size; i++)
            generator[i] += (task ? task->amplitude : 1) * u[k] * system->controls[k].matrix[i];
    for (int j = 0; j < system->n_params; j++) {
        const double value = task ? task->params[j] : system->params[j].value;
        for (size_t i = 0; i < size; i++) generator[i] += value * system->params[j].matrix[i];
    }
}

double kl_control_norm(const double *matrix, int dim)
{
    double rows = 0, columns = 0;
    for (int i = 0; i < dim; i++) {
        double row = 0, column = 0;
        for (int j = 0; j < dim; j++)
            row += fabs(matrix[i * dim + j]), column += fabs(matrix[j * dim + i]);
        rows = fmax(rows, row), columns = fmax(columns, column);
    }
    return sqrt(rows * columns);
}

/* An entry's matrix from one operator: of a Hamiltonian's term, or of a jump. */
static int fill(struct kl_control_entry *entry, const struct kl_control_system *s, const char *name,
                const double complex *operator, bool rate, struct kl_error *err)
{
    const size_t bytes = (size_t)s->dim * (size_t)s->dim * sizeof(double);
    snprintf(entry->name, sizeof entry->name, "%s", name);
    entry->rate = rate;
    entry->matrix = malloc(bytes);
    if (!entry->matrix) return kl_fail_memory(err, bytes);
    return kl_control_generator(entry->matrix, rate ? NULL : operator, operator, rate, s->d, s->n_qubits,
                                err);
}

int kl_control_system_add_control(struct kl_control_system *s, const char *name,
                                  const double complex *hamiltonian, double low, double high,
                                  struct kl_error *err)
{
    if (s->n_controls == KL_CONTROL_MAX_CONTROLS)
        return kl_fail(err, KL_EUSAGE, "control %s: more than %d controls", name,
                       (int)KL_CONTROL_MAX_CONTROLS);
    struct kl_control_entry *entry = &s->controls[s->n_controls++];
    entry->low = low, entry->high = high;
    return fill(entry, s, name, hamiltonian, false, err);
}

int kl_control_system_add_param(struct kl_control_system *s, const char *name,
                                const double complex *operator, bool rate, double value,
                                struct kl_error *err)
{
    if (s->n_params == KL_CONTROL_MAX_PARAMS)
        return kl_fail(err, KL_EUSAGE, "parameter %s: more than %d terms, rates counted", name,
                       (int)KL_CONTROL_MAX_PARAMS);
    struct kl_control_entry *entry = &s->params[s->n_params++];
    entry->value = value;
    return fill(entry, s, name, operator, rate, err);
}

/* ---- pairs of controls ---- */
/* A control by n letters of a text, blanks round them not counted; -1: none. */
static int control_in(const struct kl_control_system *s, const char *text, size_t n)
{
    while (n && *text == ' ') text++, n--;
    while (n && text[n - 1] == ' ') n--;
    for (int k = 0; k < s->n_controls; k++)
        if (strlen(s->controls[k].name) == n && memcmp(s->controls[k].name, text, n) == 0) return k;
    return -1;
}

bool kl_control_system_quadratures(int *x, int *y, const struct kl_control_system *s, const char *text)
{
    const char *plus = strchr(text, '+'), *second = plus ? plus + 1 + strspn(plus + 1, " ") : "";
    if (*second != 'i') return false;
    second += 1 + strspn(second + 1, " *");
    *x = control_in(s, text, (size_t)(plus - text)), *y = control_in(s, second, strlen(second));
    return *x >= 0 && *y >= 0 && *x != *y;
}

int kl_control_system_add_modulus(struct kl_control_system *s, int x, int y, double most,
                                  struct kl_error *err)
{
    const int both[] = { x, y };
    for (int i = 0; i < s->n_moduli; i++)
        for (int k = 0; k < 2; k++)
            if (s->moduli[i].x == both[k] || s->moduli[i].y == both[k])
                return kl_fail(err, KL_EUSAGE, "%s is in two moduli, expected one",
                               s->controls[both[k]].name);
    for (int k = 0; k < 2; k++) {
        struct kl_control_entry *c = &s->controls[both[k]];
        if (fmin(-c->low, c->high) < most * (1 - 1e-12))
            return kl_fail(err, KL_EUSAGE,
                           "%s has a limit of its own, %g, below that of the modulus, %g; expected none",
                           c->name, fmin(-c->low, c->high), most);
        c->low = -most, c->high = most;
    }
    s->moduli[s->n_moduli++] = (struct kl_control_modulus){ x, y, most };
    return KL_OK;
}

/* Rows of the built-in systems of qubits: a letter on a qubit ('-': |0><1|, '+': |1><0|, '=': ZZ),
 * scaled. */
struct row {
    const char *name, *words;
    char letter;
    int qubit;
    bool rate;
    double value; /* of a control, its limit */
};

static void operator_of(double complex *to, char letter, int qubit, int n_qubits)
{
    static const double half = 0.70710678118654752440; /* sqrt(1/2): the dephasing jump */
    const int d = 1 << n_qubits, shift = n_qubits - 1 - qubit;
    memset(to, 0, (size_t)d * (size_t)d * sizeof *to);
    for (int i = 0; i < d; i++) {
        const int bit = i >> shift & 1, flipped = i ^ 1 << shift;
        const double sign = bit ? -1 : 1;
        switch (letter) {
        case 'X': to[i * d + flipped] = 1; break;
        case 'Y': to[i * d + flipped] = -sign * I; break;
        case 'Z': to[i * d + i] = sign; break;
        case 'p': to[i * d + i] = sign * half; break;
        case '-': to[i * d + flipped] = !bit; break;
        case '+': to[i * d + flipped] = bit; break;
        default: to[i * d + i] = (i >> 1 & 1) == (i & 1) ? 1 : -1; /* ZZ of two */
        }
    }
}

static int add_rows(struct kl_control_system *s, const struct row *rows, size_t n, bool control,
                    struct kl_error *err)
{
    double complex operator[LARGEST];
    int code = KL_OK;
    for (size_t i = 0; i < n && !code; i++) {
        const struct row *r = &rows[i];
        operator_of(operator, r->letter, r->qubit, s->n_qubits);
        code = control ? kl_control_system_add_control(s, r->name, operator, - r->value, r->value, err)
                       : kl_control_system_add_param(s, r->name, operator, r->rate, r->value, err);
        if (!code) *(control ? &s->controls[i].words : &s->params[i].words) = r->words;
    }
    return code;
}

/* Relaxation in the other direction. */
static void turn(struct kl_control_system *s, int n_qubits)
{
    for (int q = 0; q < n_qubits; q++) {
        const double down = s->params[3 * q + 1].value;
        s->params[3 * q + 1].value = s->params[3 * q + 2].value;
        s->params[3 * q + 2].value = down;
    }
}

static int wrong_controls(const char *name, int found, int one, int other, struct kl_error *err)
{
    return kl_fail(err, KL_EUSAGE, "system %s: found %d controls, expected %d or %d", name, found, one,
                   other);
}

static int make_qubit(struct kl_control_system *s, const struct kl_control_system_options *o,
                      struct kl_error *err)
{
    static const struct row params[] = {
        { "gamma_phi", "sqrt(gamma_phi/2) times Z", 'p', 0, true, 0.085 },
        { "gamma_down", "sqrt(gamma_down) times |0><1|", '-', 0, true, 0.045 },
        { "gamma_up", "sqrt(gamma_up) times |1><0|", '+', 0, true, 0 },
        { "detuning", "Z", 'Z', 0, false, 0 }
    };
    static const struct row controls[] = { { "x", "X", 'X', 0, false, M_PI },
                                           { "y", "Y", 'Y', 0, false, M_PI },
                                           { "z", "Z", 'Z', 0, false, M_PI } };
    const int n = o->controls ? o->controls : 2;
    s->form = KL_CONTROL_ONE_QUBIT;
    s->d = s->subspace = 2, s->dim = 4, s->n_qubits = 1;
    s->duration = 1;
    if (n != 2 && n != 3) return wrong_controls(s->name, n, 2, 3, err);
    const int code = add_rows(s, params, 4, false, err);
    return code ? code : add_rows(s, controls, (size_t)n, true, err);
}

/* Defaults: those of the study of CZ; there J T = pi/4 makes CZ up to local gates. */
static int make_two_qubits(struct kl_control_system *s, const struct kl_control_system_options *o,
                           struct kl_error *err)
{
    static const struct row params[] = { { "gphi1", "sqrt(gphi1/2) times Z1", 'p', 0, true, 0.05 },
                                         { "gdown1", "sqrt(gdown1) times sm1", '-', 0, true, 0.03 },
                                         { "gup1", "sqrt(gup1) times sp1", '+', 0, true, 0 },
                                         { "gphi2", "sqrt(gphi2/2) times Z2", 'p', 1, true, 0.05 },
                                         { "gdown2", "sqrt(gdown2) times sm2", '-', 1, true, 0.03 },
                                         { "gup2", "sqrt(gup2) times sp2", '+', 1, true, 0 },
                                         { "J", "ZZ", '=', 0, false, 2 },
                                         { "dz1", "Z1", 'Z', 0, false, 0 },
                                         { "dz2", "Z2", 'Z', 1, false, 0 } };
    static const struct row controls[] = {
        { "x1", "X1", 'X', 0, false, M_PI }, { "y1", "Y1", 'Y', 0, false, M_PI },
        { "x2", "X2", 'X', 1, false, M_PI }, { "y2", "Y2", 'Y', 1, false, M_PI },
        { "z1", "Z1", 'Z', 0, false, M_PI }, { "z2", "Z2", 'Z', 1, false, M_PI }
    };
    const int n = o->controls ? o->controls : 6;
    s->form = KL_CONTROL_TWO_QUBITS;
    s->d = s->subspace = 4, s->dim = 16, s->n_qubits = 2;
    s->duration = M_PI / 8;
    if (n != 4 && n != 6) return wrong_controls(s->name, n, 4, 6, err);
    const int code = add_rows(s, params, 9, false, err);
    return code ? code : add_rows(s, controls, (size_t)n, true, err);
}

/* a, n, n(n-1)/2, (a + a^+)/2, i(a^+ - a)/2 of d levels. */
static void ladder(double complex m[5][LARGEST], int d)
{
    memset(m, 0, 5 * sizeof *m);
    for (int k = 0; k < d; k++) {
        m[1][k * d + k] = k;
        m[2][k * d + k] = k * (k - 1) / 2.0;
        if (k + 1 == d) break;
        const double root = sqrt(k + 1);
        m[0][k * d + k + 1] = root;
        m[3][k * d + k + 1] = m[3][(k + 1) * d + k] = root / 2;
        m[4][k * d + k + 1] = -I * root / 2;
        m[4][(k + 1) * d + k] = I * root / 2;
    }
}

/* Defaults: 300 MHz of anharmonicity, T1 20 us, Tphi 30 us, 12 ns. */
static int make_transmon(struct kl_control_system *s, const struct kl_control_system_options *o,
                         struct kl_error *err)
{
    double complex m[5][LARGEST], jump[LARGEST] = { 0 };
    const int d = o->levels ? o->levels : 3;
    if (d < 2 || d > KL_CONTROL_MAX_LEVELS)
        return kl_fail(err, KL_EUSAGE, "system transmon: found %d levels, expected 2 to %d", d,
                       (int)KL_CONTROL_MAX_LEVELS);
    s->d = d, s->dim = d * d, s->subspace = 2;
    s->duration = 12;
    strcpy(s->time_unit, "ns");
    ladder(m, d);
    static const char *const words[] = { "sqrt(2 gamma_phi) times n",
                                         "sqrt(gamma_down) times a",
                                         "sqrt(gamma_up) times a^+",
                                         "n",
                                         "n (n - 1) / 2",
                                         "(a + a^+) / 2",
                                         "i (a^+ - a) / 2" };
    const double most = 2 * M_PI * 0.1;
    for (int i = 0; i < d * d; i++) jump[i] = M_SQRT2 * m[1][i];
    int code = kl_control_system_add_param(s, "gamma_phi", jump, true, 1 / 30000.0, err);
    if (!code) code = kl_control_system_add_param(s, "gamma_down", m[0], true, 1 / 20000.0, err);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) jump[i * d + j] = m[0][j * d + i];
    if (!code) code = kl_control_system_add_param(s, "gamma_up", jump, true, 0, err);
    if (!code) code = kl_control_system_add_param(s, "detuning", m[1], false, 0, err);
    if (!code) code = kl_control_system_add_param(s, "anharmonicity", m[2], false, -2 * M_PI * 0.3, err);
    if (!code) code = kl_control_system_add_control(s, "x", m[3], -most, most, err);
    if (!code) code = kl_control_system_add_control(s, "y", m[4], -most, most, err);
    for (int j = 0; j < 5; j++) s->params[j].words = words[j];
    for (int k = 0; k < 2; k++) s->controls[k].words = words[5 + k];
    return code;
}

int kl_control_system_make(struct kl_control_system *system, const char *name,
                           const struct kl_control_system_options *options, struct kl_error *err)
{
    static const struct kl_control_system_options none;
    const char *const canonical = strcmp(name, "cz") == 0 ? "two-qubits" : name;
    const int which = kl_choice(KL_CONTROL_SYSTEMS, canonical);
    *system = (struct kl_control_system){ .time_unit = "1" };
    if (!options) options = &none;
    if (which < 0)
        return kl_fail(err, KL_EUSAGE, "found no system '%.40s', expected one of " KL_CONTROL_SYSTEMS,
                       name);
    if ((which != 2 && options->levels) || (which == 2 && options->controls))
        return kl_fail(err, KL_EUSAGE, "system %s: %s can not be chosen", canonical,
                       which == 2 ? "the number of controls" : "levels");
    snprintf(system->name, sizeof system->name, "%s", canonical);
    const int code = which == 0   ? make_qubit(system, options, err)
                     : which == 1 ? make_two_qubits(system, options, err)
                                  : make_transmon(system, options, err);
    if (!code && options->jump_up) turn(system, which == 1 ? 2 : 1);
    return code;
}

/* ---- decay times to rates ---- */
static const double planck = 6.62607015e-34, boltzmann = 1.380649e-23; /* SI, exact since 2019 */

static int check_number(double value, const char *name, const char *where, struct kl_error *err)
{
    if (value >= 0 && !isnan(value)) return KL_OK;
    return kl_fail(err, KL_EUSAGE, "%s: %s: found %g, expected a positive number", where, name, value);
}

static int check_times(const struct kl_control_decay *d, const char *where, struct kl_error *err)
{
    int code = check_number(d->t1, "T1", where, err);
    if (!code) code = check_number(d->t2, "T2", where, err);
    if (!code) code = check_number(d->tphi, "Tphi", where, err);
    if (!code) code = check_number(d->frequency, "frequency", where, err);
    if (!code) code = check_number(d->temperature, "temperature", where, err);
    if (code) return code;
    if (d->t2 > 0 && d->tphi > 0)
        return kl_fail(err, KL_EUSAGE, "%s: found T2 and Tphi, expected one: 1/T2 = 1/Tphi + 1/(2 T1)",
                       where);
    if (d->t1 > 0 && d->t2 > 2 * d->t1 * (1 + 1e-12))
        return kl_fail(
            err, KL_EUSAGE,
            "%s: T2 is %g and T1 %g, expected T2 of at most 2 T1 = %g: relaxation alone limits it",
            where, d->t2, d->t1, 2 * d->t1);
    if (d->temperature > 0 && !(d->frequency > 0))
        return kl_fail(err, KL_EUSAGE,
                       "%s: a temperature without a frequency; excitation follows from h f/(k T)",
                       where);
    return KL_OK;
}

int kl_control_decay_rates(struct kl_control_rates *rates, const struct kl_control_decay *d,
                           const char *where, struct kl_error *err)
{
    const int code = check_times(d, where, err);
    if (code) return code;
    const double relaxation = d->t1 > 0 ? 1 / d->t1 : 0;
    /* The share of |1> in equilibrium. */
    const double excited =
        d->temperature > 0 ? 1 / (1 + exp(planck * d->frequency / (boltzmann * d->temperature))) : 0;
    rates->down = relaxation * (1 - excited);
    rates->up = relaxation * excited;
    rates->phi = d->tphi > 0 ? 1 / d->tphi : d->t2 > 0 ? fmax(1 / d->t2 - relaxation / 2, 0) : 0;
    if (d->up) {
        const double down = rates->down;
        rates->down = rates->up;
        rates->up = down;
    }
    return KL_OK;
}

/* ---- a pulse by formula ---- */

/* ---- is a system one of those that a kernel of its own knows? It is if its matrices are. ---- */
static bool equal(const double *a, const double *b, int dim)
{
    for (int i = 0; i < dim * dim; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-12)) return false;
    return true;
}

/* Find the place of each of n entries among the kernel's; false: one has none, or two have the same. */
static bool places(int *place, const struct kl_control_entry *entries, int n,
                   const struct kl_control_entry *known, int n_known, int dim)
{
    bool taken[KL_CONTROL_MAX_PARAMS] = { false };
    for (int i = 0; i < n; i++) {
        place[i] = -1;
        for (int k = 0; k < n_known && place[i] < 0; k++)
            if (!taken[k] && entries[i].rate == known[k].rate &&
                equal(entries[i].matrix, known[k].matrix, dim))
                place[i] = k;
        if (place[i] < 0) return false;
        taken[place[i]] = true;
    }
    return true;
}

/* A name of the kernel's that an entry in another place has would be there twice. */
static bool clash(const struct kl_control_entry *entries, const int *place, int n,
                  const struct kl_control_entry *known, int n_known)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n_known; k++)
            if (place[i] != k && strcmp(entries[i].name, known[k].name) == 0) return true;
    return false;
}

/* The entries of s in the kernel's places; what is missing is taken out of `known`, with value 0. */
static void reorder(struct kl_control_entry *entries, int *n, const int *place,
                    struct kl_control_entry *known, int n_known)
{
    struct kl_control_entry sorted[KL_CONTROL_MAX_PARAMS];
    for (int k = 0; k < n_known; k++) sorted[k] = known[k], sorted[k].value = 0;
    for (int i = 0; i < *n; i++) {
        sorted[place[i]] = entries[i];
        entries[i].matrix = NULL;
    }
    for (int k = 0; k < n_known; k++) {
        if (sorted[k].matrix == known[k].matrix) known[k].matrix = NULL;
        entries[k] = sorted[k];
    }
    *n = n_known;
}

int kl_control_system_recognise(struct kl_control_system *s, struct kl_error *err)
{
    struct kl_control_system known;
    int param[KL_CONTROL_MAX_PARAMS], control[KL_CONTROL_MAX_CONTROLS];
    struct kl_control_axes axes;
    const bool one = s->n_qubits == 1 && (s->n_controls == 2 || s->n_controls == 3),
               two = s->n_qubits == 2 && (s->n_controls == 4 || s->n_controls == 6);
    if (kl_control_axes_make(&axes, s)) s->form = KL_CONTROL_TURNED;
    if (!one && !two) return KL_OK;
    const struct kl_control_system_options options = { .controls = s->n_controls };
    int code = kl_control_system_make(&known, one ? "qubit" : "two-qubits", &options, err);
    if (!code && places(control, s->controls, s->n_controls, known.controls, known.n_controls, s->dim) &&
        places(param, s->params, s->n_params, known.params, known.n_params, s->dim) &&
        !clash(s->params, param, s->n_params, known.params, known.n_params)) {
        for (int i = 0; i < s->n_moduli; i++)
            s->moduli[i].x = control[s->moduli[i].x], s->moduli[i].y = control[s->moduli[i].y];
        reorder(s->controls, &s->n_controls, control, known.controls, known.n_controls);
        reorder(s->params, &s->n_params, param, known.params, known.n_params);
        s->form = known.form;
    }
    kl_control_system_free(&known);
    return code;
}

/* ---- in words, with values and limits ---- */
/* " rad/ns", " 1/ns"; "" where times have no unit. */
static const char *per_time(char text[16], const struct kl_control_system *s, const char *what)
{
    snprintf(text, 16, " %s/%s", what, s->time_unit);
    return strcmp(s->time_unit, "1") == 0 ? "" : text;
}

/* Behind a number of that unit: " (6.4 GHz)" of a frequency, " (1 in 80 ns)" of a rate; nothing where
   times have no unit. */
static const char *in_words(char text[48], const struct kl_control_system *s, bool rate, double value)
{
    int power;
    *text = 0;
    if (!kl_control_time_unit(&power, s->time_unit) || power == KL_CONTROL_UNITLESS || value == 0 ||
        !isfinite(value))
        return text;
    const double megahertz = value * pow(10, -power - 6) / (2 * M_PI);
    const bool giga = fabs(megahertz) >= 1e3;
    if (rate) snprintf(text, 48, " (1 in %.6g %s)", 1 / value, s->time_unit);
    else snprintf(text, 48, " (%.4g %s)", giga ? megahertz / 1e3 : megahertz, giga ? "GHz" : "MHz");
    return text;
}

void kl_control_system_write_param(FILE *to, const struct kl_control_system *s, int j, const char *end)
{
    const struct kl_control_entry *e = &s->params[j];
    char unit[16], words[48];
    fprintf(to, "%-7s %s = %.10g%s%s", e->rate ? "jump" : "H", e->name, e->value,
            per_time(unit, s, e->rate ? "1" : "rad"), in_words(words, s, e->rate, e->value));
    if (e->words) fprintf(to, "%s %s", e->rate ? ", operator" : " times", e->words);
    fprintf(to, "%s\n", end);
}

static bool is_in_pair(const struct kl_control_system *s, int k)
{
    bool any = false;
    for (int i = 0; i < s->n_moduli; i++) any |= s->moduli[i].x == k || s->moduli[i].y == k;
    return any;
}

void kl_control_system_write_controls(FILE *to, const struct kl_control_system *s, const char *end)
{
    char unit[16], words[48];
    const char *per = per_time(unit, s, "rad");
    for (int k = 0; k < s->n_controls; k++) {
        const struct kl_control_entry *e = &s->controls[k];
        fprintf(to, "control %s%s%s", e->name, e->words ? " times " : "", e->words ? e->words : "");
        if (is_in_pair(s, k)) putc('\n', to);
        else if (e->low == -e->high)
            fprintf(to, ", |%s| at most %.10g%s%s%s\n", e->name, e->high, per,
                    in_words(words, s, false, e->high), end);
        else fprintf(to, ", from %.10g to %.10g%s%s\n", e->low, e->high, per, end);
    }
    for (int i = 0; i < s->n_moduli; i++)
        fprintf(to, "modulus |%s + i %s| at most %.10g%s%s%s\n", s->controls[s->moduli[i].x].name,
                s->controls[s->moduli[i].y].name, s->moduli[i].most, per,
                in_words(words, s, false, s->moduli[i].most), end);
}

void kl_control_system_write(FILE *to, const struct kl_control_system *s, const bool *given)
{
    fprintf(to, "system  %s: %d levels", s->name, s->d);
    if (s->subspace < s->d) fprintf(to, ", the first %d compute", s->subspace);
    fprintf(to, ", time in %s\n", strcmp(s->time_unit, "1") == 0 ? "no unit" : s->time_unit);
    for (int j = 0; j < s->n_params; j++)
        kl_control_system_write_param(to, s, j, given && !given[j] ? " (default)" : "");
}
