/* SPDX-License-Identifier: MIT
   Models from YAML files: any Hamiltonian, jumps and controls, with units that nobody may leave out. */
#include <complex.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/model_int.h"

/* A line of what was understood: texts of the file may hold anything. */
void __attribute__((format(printf, 2, 3)))
kl_control_reader_say(struct kl_control_reader *r, const char *format, ...)
{
    char line[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    kl_make_printable(line);
    fprintf(r->said, "%s\n", line);
}

const char *kl_control_reader_per_time(const struct kl_control_reader *r, char text[16],
                                       const char *what)
{
    if (r->unit == KL_CONTROL_UNITLESS) return "";
    snprintf(text, 16, " %s/%s", what, r->s->time_unit);
    return text;
}

/* "file.yaml:7: controls: limit" */
void kl_control_reader_place(char where[300], const struct kl_control_reader *r,
                             const struct kl_control_yaml_map *map, int key)
{
    kl_control_yaml_where(where, &r->yaml, map, key);
}

/* A number with its unit under a key; given: was it there? */
int kl_control_reader_quantity(struct kl_control_reader *r, double *value, bool *given,
                               const struct kl_control_yaml_map *map, int key,
                               enum kl_control_quantity what)
{
    char where[300];
    const char *text;
    int code = kl_control_yaml_text(&text, &r->yaml, map, key, r->err);
    *given = !code && text;
    if (code || !text) return code;
    kl_control_reader_place(where, r, map, key);
    return kl_control_units_read(value, text, what, r->unit, where, r->err);
}

int kl_control_reader_positive(struct kl_control_reader *r, double *value, bool *given,
                               const struct kl_control_yaml_map *map, int key,
                               enum kl_control_quantity what, bool zero)
{
    char where[300];
    int code = kl_control_reader_quantity(r, value, given, map, key, what);
    if (code || !*given || *value > 0 || (zero && *value == 0)) return code;
    kl_control_reader_place(where, r, map, key);
    return kl_fail(r->err, KL_EDATA, "%s: found %g, expected a %s number", where, *value,
                   zero ? "positive or zero" : "positive");
}

static int whole_of(struct kl_control_reader *r, int *value, const char *text, const char *where,
                    int low, int high)
{
    char *end;
    const long n = strtol(text, &end, 10);
    if (end == text || *end || n < low || n > high)
        return kl_fail(r->err, KL_EDATA, "%s: found '%.40s', expected a whole number from %d to %d",
                       where, text, low, high);
    *value = (int)n;
    return KL_OK;
}

int kl_control_reader_whole(struct kl_control_reader *r, int *value,
                            const struct kl_control_yaml_map *map, int key, int low, int high)
{
    char where[300];
    const char *text;
    int code = kl_control_yaml_text(&text, &r->yaml, map, key, r->err);
    if (code || !text) return code;
    kl_control_reader_place(where, r, map, key);
    return whole_of(r, value, text, where, low, high);
}

/* A whole number, or a list of them, one a part; *n 0: the key is not there. */
static int wholes(struct kl_control_reader *r, int *values, int *n,
                  const struct kl_control_yaml_map *map, int key, int low, int high)
{
    char where[300];
    const char *texts[KL_CONTROL_MAX_PARTS];
    int code = kl_control_yaml_values(texts, n, KL_CONTROL_MAX_PARTS, &r->yaml, map, key, r->err);
    kl_control_reader_place(where, r, map, key);
    for (int i = 0; i < *n && !code; i++) code = whole_of(r, &values[i], texts[i], where, low, high);
    return code;
}

bool kl_control_is_name(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return *text && strlen(text) < KL_CONTROL_NAME && strspn(text, letters) == strlen(text);
}

/* The text of a name, NULL where there is none. */
int kl_control_reader_name(struct kl_control_reader *r, const char **text,
                           const struct kl_control_yaml_map *map, int key)
{
    char where[300];
    const int code = kl_control_yaml_text(text, &r->yaml, map, key, r->err);
    if (code || !*text) return code;
    kl_control_reader_place(where, r, map, key);
    if (kl_control_is_name(*text)) return KL_OK;
    return kl_fail(r->err, KL_EDATA, "%s: found '%.60s', expected 1 to %d letters, digits, '_' and '-'",
                   where, *text, KL_CONTROL_NAME - 1);
}

/* A reflection that takes s to t up to a phase, times that phase (Householder). */
int kl_control_model_target_state(struct kl_control_model_target *target, const char *name, int d,
                                  struct kl_error *err)
{
    const double complex *s = target->from, *t = target->state;
    double complex v[KL_CONTROL_MAX_LEVELS], u[KL_CONTROL_MATRIX], overlap = 0;
    double norm = 0, from = 0, to = 0;
    for (int i = 0; i < d; i++) overlap += conj(s[i]) * t[i];
    for (int i = 0; i < d; i++) from = hypot(from, cabs(s[i])), to = hypot(to, cabs(t[i]));
    if (!(fabs(from - 1) < 1e-8 && fabs(to - 1) < 1e-8))
        return kl_fail(err, KL_EDATA, "target %.60s: states of norm %g and %g, expected 1", name, from,
                       to);
    const double complex phase = cabs(overlap) > 0 ? overlap / cabs(overlap) : 1;
    for (int i = 0; i < d; i++) {
        v[i] = s[i] - t[i] / phase;
        norm += creal(v[i] * conj(v[i]));
    }
    for (int i = 0; i < d; i++)
        for (int k = 0; k < d; k++)
            u[i * d + k] = phase * ((i == k) - (norm > 1e-20 ? 2 * v[i] * conj(v[k]) / norm : 0));
    target->fidelity = KL_CONTROL_STATE;
    return kl_control_target_matrix(&target->gate, name, u, d, err);
}

/* The texts of a target; NULL: not given. */
struct wish {
    const char *gate, *state, *from, *fidelity;
};

static int read_wish(struct kl_control_reader *r, struct wish *w, const struct kl_control_yaml_map *map,
                     const char *where)
{
    enum { GATE, STATE, FROM, FIDELITY };
    int code = kl_control_yaml_text(&w->gate, &r->yaml, map, GATE, r->err);
    if (!code) code = kl_control_yaml_text(&w->state, &r->yaml, map, STATE, r->err);
    if (!code) code = kl_control_yaml_text(&w->from, &r->yaml, map, FROM, r->err);
    if (!code) code = kl_control_yaml_text(&w->fidelity, &r->yaml, map, FIDELITY, r->err);
    if (code) return code;
    if (!w->gate == !w->state)
        return kl_fail(r->err, KL_EDATA, "%s: expected one of gate and state", where);
    if ((w->gate && w->from) || (w->state && w->fidelity))
        return kl_fail(r->err, KL_EDATA, "%s: %s", where,
                       w->gate ? "from belongs to a state" : "fidelity belongs to a gate");
    if (!w->fidelity || kl_choice(KL_CONTROL_FIDELITIES, w->fidelity) >= 0) return KL_OK;
    return kl_fail(r->err, KL_EDATA,
                   "%s: fidelity: found '%.40s', expected one of " KL_CONTROL_FIDELITIES, where,
                   w->fidelity);
}

/* A digit a part, where more than two levels of a part compute. */
static int state_of_digits(struct kl_control_reader *r, double complex *amplitudes, const char *text)
{
    const struct kl_control_parts *parts = &r->parts;
    int level = 0;
    bool fits = strlen(text) == (size_t)parts->n;
    for (int i = 0; i < parts->n && fits; i++) {
        fits = text[i] >= '0' && text[i] < '0' + parts->levels[i];
        level = level * parts->levels[i] + text[i] - '0';
    }
    if (!fits || parts->place[level] >= r->s->subspace)
        return kl_fail(r->err, KL_EDATA, "state: found '%.40s', expected a level of each of %d parts",
                       text, parts->n);
    for (int i = 0; i < r->s->subspace; i++) amplitudes[i] = i == parts->place[level];
    return KL_OK;
}

static int one_state(struct kl_control_reader *r, double complex *amplitudes, const char *text)
{
    const struct kl_control_parts *parts = &r->parts;
    const int d = r->s->subspace;
    const bool letters = parts->qubits || (parts->n > 1 && d == 1 << parts->n);
    if (parts->n > 1 && !letters && !kl_control_is_matrix_file(text))
        return state_of_digits(r, amplitudes, text);
    return kl_control_state_beside(amplitudes, text, d, letters ? parts->n : 0, r->yaml.path, r->err);
}

static int read_state(struct kl_control_reader *r, struct kl_control_model_target *t,
                      const struct wish *w)
{
    const int n = r->parts.n;
    char name[64];
    const char *lowest = &"0000"[4 - n];
    int code = one_state(r, t->from, w->from ? w->from : lowest);
    if (!code) code = one_state(r, t->state, w->state);
    snprintf(name, sizeof name, "state %.40s", w->state);
    return code ? code : kl_control_model_target_state(t, name, r->s->subspace, r->err);
}

static int read_target(struct kl_control_reader *r, const struct kl_control_yaml_map *map)
{
    struct kl_control_model *model = r->model;
    struct wish w;
    char where[300], how[KL_CONTROL_HOW] = "";
    kl_control_reader_place(where, r, map, -1);
    int code = read_wish(r, &w, map, where);
    if (!code && model->n_targets == KL_CONTROL_MODEL_TARGETS)
        code =
            kl_fail(r->err, KL_EDATA, "%s: more than %d targets", where, (int)KL_CONTROL_MODEL_TARGETS);
    if (code) return code;
    struct kl_control_model_target *t = &model->targets[model->n_targets];
    const char *fidelity = w.fidelity ? w.fidelity : "average";
    t->is_state = w.state != NULL;
    t->fidelity = (enum kl_control_fidelity)kl_choice(KL_CONTROL_FIDELITIES, fidelity);
    code = w.state
               ? read_state(r, t, &w)
               : kl_control_target_beside(&t->gate, w.gate, r->s->subspace, r->yaml.path, how, r->err);
    if (code == KL_EUSAGE) code = kl_control_yaml_prefix(r->err, where);
    if (code) return code;
    model->n_targets++;
    if (w.gate)
        kl_control_reader_say(r, "target  gate %s%s%s%s, 1 - fidelity %s", w.gate, *how ? " (" : "", how,
                              *how ? ")" : "", fidelity);
    else kl_control_reader_say(r, "target  state %s from %s", w.state, w.from ? w.from : "the lowest");
    return KL_OK;
}

/* ---- the whole file ---- */
enum {
    NAME,
    TIME_UNIT,
    QUBITS,
    LEVELS,
    SUBSPACE,
    DURATION,
    HAMILTONIAN,
    JUMPS,
    DECAY,
    CONTROLS,
    MODULUS,
    TARGETS
};

/* The parts' states, counted by digits: first those in which each part is below its `computing`. */
static void set_places(struct kl_control_reader *r, const int *computing)
{
    struct kl_control_parts *parts = &r->parts;
    int next = 0;
    for (int outside = 0; outside < 2; outside++)
        for (int i = 0; i < parts->d; i++) {
            bool within = true;
            for (int q = parts->n - 1, left = i; q >= 0; left /= parts->levels[q--])
                within &= left % parts->levels[q] < computing[q];
            if (within != outside) parts->place[i] = next++;
            if (within && !outside) r->s->subspace = next;
        }
}

static int read_sizes(struct kl_control_reader *r, const struct kl_control_yaml_map *map)
{
    struct kl_control_system *s = r->s;
    struct kl_control_parts *parts = &r->parts;
    char where[300];
    int qubits = 0, n, computing[KL_CONTROL_MAX_PARTS],
        code = kl_control_reader_whole(r, &qubits, map, QUBITS, 1, 3);
    if (!code) code = wholes(r, parts->levels, &parts->n, map, LEVELS, 2, KL_CONTROL_MAX_LEVELS);
    if (!code) code = wholes(r, computing, &n, map, SUBSPACE, 2, KL_CONTROL_MAX_LEVELS);
    if (code) return code;
    if (!qubits == !parts->n)
        return kl_fail(r->err, KL_EDATA,
                       "%s: found %s, expected one of qubits and levels; two oscillators are levels: "
                       "[3, 3]",
                       r->yaml.path, qubits ? "both qubits and levels" : "neither qubits nor levels");
    if (qubits && n)
        return kl_fail(r->err, KL_EDATA, "%s: subspace belongs to levels; of qubits all levels compute",
                       r->yaml.path);
    parts->qubits = qubits, s->n_qubits = qubits;
    for (int q = 0; q < qubits; q++) parts->levels[parts->n++] = 2;
    kl_control_reader_place(where, r, map, n && n != parts->n ? SUBSPACE : LEVELS);
    if (n && n != parts->n)
        return kl_fail(r->err, KL_EDATA, "%s: found %d, expected as many as levels, %d", where, n,
                       parts->n);
    parts->d = 1;
    for (int q = 0; q < parts->n; q++) {
        if (!n) computing[q] = parts->n > 1 ? 2 : parts->levels[q];
        if (computing[q] > parts->levels[q])
            return kl_fail(r->err, KL_EDATA, "%s: subspace: found %d of %d levels", r->yaml.path,
                           computing[q], parts->levels[q]);
        parts->d *= parts->levels[q];
    }
    if (parts->d > KL_CONTROL_MAX_LEVELS)
        return kl_fail(r->err, KL_EDATA, "%s: %d levels in all, expected at most %d", where, parts->d,
                       (int)KL_CONTROL_MAX_LEVELS);
    s->d = parts->d, s->dim = s->d * s->d;
    set_places(r, computing);
    return KL_OK;
}

/* "3 levels", "2 qubits", "3 x 3 levels". */
static void say_sizes(struct kl_control_reader *r, bool bare)
{
    const struct kl_control_parts *parts = &r->parts;
    const struct kl_control_system *s = r->s;
    char sizes[40] = "";
    for (int q = 0; q < parts->n && !parts->qubits; q++)
        snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), "%s%d", q ? " x " : "",
                 parts->levels[q]);
    if (parts->qubits) snprintf(sizes, sizeof sizes, "%d", parts->n);
    kl_control_reader_say(r, "model   %s: %s %s, time in %s", s->name, sizes,
                          !parts->qubits     ? "levels"
                          : s->n_qubits == 1 ? "qubit"
                                             : "qubits",
                          bare ? "no unit" : s->time_unit);
    if (s->subspace == s->d) return;
    if (parts->n == 1) kl_control_reader_say(r, "        the first %d levels compute", s->subspace);
    else
        kl_control_reader_say(r, "        the %d states of the lowest levels compute; they stand first",
                              s->subspace);
}

static int read_head(struct kl_control_reader *r, const struct kl_control_yaml_map *map)
{
    struct kl_control_system *s = r->s;
    const char *name, *unit;
    char where[300];
    bool given = false;
    int code = kl_control_reader_name(r, &name, map, NAME);
    if (!code) code = kl_control_yaml_need(&unit, &r->yaml, map, TIME_UNIT, r->err);
    if (code) return code;
    kl_control_reader_place(where, r, map, TIME_UNIT);
    if (strlen(unit) >= sizeof s->time_unit || !kl_control_time_unit(&r->unit, unit))
        return kl_fail(r->err, KL_EDATA,
                       "%s: found '%.40s', expected s, ms, us, ns, ps, or 1 (no units at all)", where,
                       unit);
    strcpy(s->time_unit, unit);
    snprintf(s->name, sizeof s->name, "%s", name ? name : "model");
    code = read_sizes(r, map);
    if (!code)
        code =
            kl_control_reader_positive(r, &s->duration, &given, map, DURATION, KL_CONTROL_TIME, false);
    const bool bare = r->unit == KL_CONTROL_UNITLESS;
    if (code) return code;
    say_sizes(r, bare);
    if (given)
        kl_control_reader_say(r, "pulse   %.10g%s%s", s->duration, bare ? "" : " ",
                              bare ? "" : s->time_unit);
    return KL_OK;
}

static int read_list(struct kl_control_reader *r, const struct kl_control_yaml_map *map, int key,
                     const char *keys,
                     int (*read)(struct kl_control_reader *r, const struct kl_control_yaml_map *map))
{
    struct kl_control_yaml_map item;
    int n, code = kl_control_yaml_list(&n, &r->yaml, map, key, r->err);
    for (int i = 0; i < n && !code; i++) {
        code = kl_control_yaml_item(&item, &r->yaml, map, key, i, keys, r->err);
        if (!code) code = read(r, &item);
    }
    if (code == KL_EUSAGE) code = kl_control_yaml_prefix(r->err, r->yaml.path);
    return code;
}

static int read_all(struct kl_control_reader *r)
{
    struct kl_control_yaml_map map;
    int code =
        kl_control_yaml_root(&map, &r->yaml,
                             "name|time-unit|qubits|levels|subspace|duration|hamiltonian|jumps|decay|"
                             "controls|modulus|targets",
                             r->err);
    if (!code) code = read_head(r, &map);
    if (!code) code = read_list(r, &map, HAMILTONIAN, "name|operator|value", kl_control_reader_term);
    if (!code)
        code = read_list(r, &map, DECAY, "qubit|T1|T2|Tphi|frequency|temperature|jump",
                         kl_control_reader_decay);
    if (!code) code = read_list(r, &map, JUMPS, "name|operator|rate|time", kl_control_reader_jump);
    if (!code) r->has_moduli = map.value[MODULUS] != NULL;
    if (!code) code = read_list(r, &map, CONTROLS, "name|operator|limit", kl_control_reader_control);
    if (!code) code = read_list(r, &map, MODULUS, "of|limit", kl_control_reader_modulus);
    if (!code) code = kl_control_reader_check_limits(r);
    if (!code) code = read_list(r, &map, TARGETS, "gate|state|from|fidelity", read_target);
    if (!code && !r->s->n_controls)
        code = kl_fail(r->err, KL_EDATA, "%s: found no controls, expected at least one", r->yaml.path);
    return code;
}

void kl_control_model_free(struct kl_control_model *model)
{
    kl_control_system_free(&model->system);
    free(model->said);
    *model = (struct kl_control_model){ 0 };
}

int kl_control_model_read(struct kl_control_model *model, const char *path, struct kl_error *err)
{
    struct kl_control_reader r = { .model = model, .s = &model->system, .err = err };
    size_t size;
    *model = (struct kl_control_model){ 0 };
    int code = kl_control_yaml_open(&r.yaml, path, err);
    if (code) return code;
    r.said = open_memstream(&model->said, &size);
    code = r.said ? read_all(&r) : kl_fail_memory(err, 256);
    if (r.said && (ferror(r.said) | (fclose(r.said) != 0)) && !code) code = kl_fail_memory(err, 256);
    kl_control_yaml_close(&r.yaml);
    if (!code) code = kl_control_system_recognise(&model->system, err);
    if (code) kl_control_model_free(model);
    return code;
}

int kl_control_model_objective(struct kl_control_objective *o, const struct kl_control_model *model,
                               int target, struct kl_error *err)
{
    const struct kl_control_model_target *t = &model->targets[target];
    if (t->is_state) return kl_control_objective_states(o, &model->system, t->from, t->state, 1, err);
    return kl_control_objective_make(o, &model->system, t->fidelity, &t->gate, err);
}
