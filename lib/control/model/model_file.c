/* SPDX-License-Identifier: MIT
   Models from YAML files: any Hamiltonian, jumps and controls, with units that nobody may leave out. */
#include <complex.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/yaml_int.h"

struct reader {
    struct kl_control_yaml yaml;
    struct kl_control_model *model;
    struct kl_control_system *s;
    int unit; /* of time, as kl_control_time_unit says */
    FILE *said;
    struct kl_error *err;
};

/* A line of what was understood: texts of the file may hold anything. */
static void __attribute__((format(printf, 2, 3))) say(struct reader *r, const char *format, ...)
{
    char line[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    kl_make_printable(line);
    fprintf(r->said, "%s\n", line);
}

static const char *per_time(const struct reader *r, char text[16], const char *what)
{
    if (r->unit == KL_CONTROL_UNITLESS) return "";
    snprintf(text, 16, " %s/%s", what, r->s->time_unit);
    return text;
}

/* "file.yaml:7: controls: limit" */
static void place(char where[300], const struct reader *r, const struct kl_control_yaml_map *map,
                  int key)
{
    kl_control_yaml_where(where, &r->yaml, map, key);
}

/* A number with its unit under a key; given: was it there? */
static int quantity(struct reader *r, double *value, bool *given, const struct kl_control_yaml_map *map,
                    int key, enum kl_control_quantity what)
{
    char where[300];
    const char *text;
    int code = kl_control_yaml_text(&text, &r->yaml, map, key, r->err);
    *given = !code && text;
    if (code || !text) return code;
    place(where, r, map, key);
    return kl_control_units_read(value, text, what, r->unit, where, r->err);
}

static int positive(struct reader *r, double *value, bool *given, const struct kl_control_yaml_map *map,
                    int key, enum kl_control_quantity what, bool zero)
{
    char where[300];
    int code = quantity(r, value, given, map, key, what);
    if (code || !*given || *value > 0 || (zero && *value == 0)) return code;
    place(where, r, map, key);
    return kl_fail(r->err, KL_EDATA, "%s: found %g, expected a %s number", where, *value,
                   zero ? "positive or zero" : "positive");
}

static int whole(struct reader *r, int *value, const struct kl_control_yaml_map *map, int key, int low,
                 int high)
{
    char where[300], *end;
    const char *text;
    int code = kl_control_yaml_text(&text, &r->yaml, map, key, r->err);
    if (code || !text) return code;
    const long n = strtol(text, &end, 10);
    place(where, r, map, key);
    if (end == text || *end || n < low || n > high)
        return kl_fail(r->err, KL_EDATA, "%s: found '%.40s', expected a whole number from %d to %d",
                       where, text, low, high);
    *value = (int)n;
    return KL_OK;
}

/* ---- operators ---- */
static int check_hermitian(struct reader *r, const double complex *m, const char *where)
{
    const int d = r->s->d;
    double worst = 0, largest = 0;
    int row = 0, col = 0;
    for (int i = 0; i < d; i++)
        for (int j = i; j < d; j++) {
            const double off = cabs(m[i * d + j] - conj(m[j * d + i]));
            largest = fmax(largest, fmax(cabs(m[i * d + j]), cabs(m[j * d + i])));
            if (off > worst) worst = off, row = i, col = j;
        }
    if (worst <= 1e-10 * largest) return KL_OK;
    return kl_fail(r->err, KL_EDATA,
                   "%s: the operator is not Hermitian: entries (%d, %d) and (%d, %d) deviate by %.3g",
                   where, row, col, col, row, worst);
}

/* The operator under a key, which must be there. */
static int operator_of(struct reader *r, double complex *m, const char **text,
                       const struct kl_control_yaml_map *map, int key, bool hermitian)
{
    char where[300];
    bool zero = true;
    int code = kl_control_yaml_need(text, &r->yaml, map, key, r->err);
    if (code) return code;
    place(where, r, map, key);
    code = kl_control_is_matrix_file(*text)
               ? kl_control_matrix_read(m, r->s->d, r->s->d, *text, r->yaml.path, r->err)
               : kl_control_operator_text(m, *text, r->s->d, r->s->n_qubits, where, r->err);
    if (!code && hermitian) code = check_hermitian(r, m, where);
    for (int i = 0; i < r->s->dim && !code; i++) zero &= m[i] == 0;
    if (!code && zero) code = kl_fail(r->err, KL_EDATA, "%s: the operator '%.40s' is 0", where, *text);
    return code;
}

bool kl_control_is_name(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return *text && strlen(text) < KL_CONTROL_NAME && strspn(text, letters) == strlen(text);
}

/* The text of a name, NULL where there is none. */
static int read_name(struct reader *r, const char **text, const struct kl_control_yaml_map *map, int key)
{
    char where[300];
    const int code = kl_control_yaml_text(text, &r->yaml, map, key, r->err);
    if (code || !*text) return code;
    place(where, r, map, key);
    if (kl_control_is_name(*text)) return KL_OK;
    return kl_fail(r->err, KL_EDATA, "%s: found '%.60s', expected 1 to %d letters, digits, '_' and '-'",
                   where, *text, KL_CONTROL_NAME - 1);
}

/* The name under a key, or one made of a stem and a number; no two entries have the same. */
static int name_of(struct reader *r, char name[KL_CONTROL_NAME], const struct kl_control_yaml_map *map,
                   int key, const char *stem, int number)
{
    char where[300];
    const char *text;
    const int code = read_name(r, &text, map, key);
    if (code) return code;
    place(where, r, map, key);
    if (text) snprintf(name, KL_CONTROL_NAME, "%s", text);
    else snprintf(name, KL_CONTROL_NAME, "%s%d", stem, number);
    if (kl_control_system_param(r->s, name) < 0 && kl_control_system_control(r->s, name) < 0)
        return KL_OK;
    return kl_fail(r->err, KL_EDATA, "%s: the name '%s' is given twice", where, name);
}

/* ---- lists ---- */
static int read_term(struct reader *r, const struct kl_control_yaml_map *map)
{
    enum { NAME, OPERATOR, VALUE };
    char name[KL_CONTROL_NAME], unit[16];
    double complex m[KL_CONTROL_MATRIX];
    const char *text, *value_text;
    double value;
    bool given;
    int code = name_of(r, name, map, NAME, "h", r->s->n_params + 1);
    if (!code) code = operator_of(r, m, &text, map, OPERATOR, true);
    if (!code) code = kl_control_yaml_need(&value_text, &r->yaml, map, VALUE, r->err);
    if (!code) code = quantity(r, &value, &given, map, VALUE, KL_CONTROL_FREQUENCY);
    if (!code) code = kl_control_system_add_param(r->s, name, m, false, value, r->err);
    if (!code)
        say(r, "H       %s = %.10g%s (%s%s) times %s", name, value, per_time(r, unit, "rad"), value_text,
            kl_control_units_turns(value_text) ? ", 2 pi applied" : "", text);
    return code;
}

static int read_jump(struct reader *r, const struct kl_control_yaml_map *map)
{
    enum { NAME, OPERATOR, RATE, TIME };
    char name[KL_CONTROL_NAME], where[300], unit[16];
    double complex m[KL_CONTROL_MATRIX];
    const char *text;
    double rate = 0, time = 0;
    bool has_rate, has_time = false;
    int code = name_of(r, name, map, NAME, "rate", r->s->n_params + 1);
    if (!code) code = operator_of(r, m, &text, map, OPERATOR, false);
    if (!code) code = positive(r, &rate, &has_rate, map, RATE, KL_CONTROL_RATE, true);
    if (!code) code = positive(r, &time, &has_time, map, TIME, KL_CONTROL_TIME, false);
    if (!code && has_rate == has_time) {
        place(where, r, map, -1);
        code = kl_fail(r->err, KL_EDATA, "%s: found %s, expected one of rate and time", where,
                       has_rate ? "both rate and time" : "neither rate nor time");
    }
    if (!code && has_time) rate = 1 / time;
    if (!code) code = kl_control_system_add_param(r->s, name, m, true, rate, r->err);
    if (!code)
        say(r, "jump    %s = %.10g%s, operator sqrt(%s) times %s", name, rate, per_time(r, unit, "1"),
            name, text);
    return code;
}

static int read_control(struct reader *r, const struct kl_control_yaml_map *map)
{
    enum { NAME, OPERATOR, LIMIT };
    char name[KL_CONTROL_NAME], unit[16];
    double complex m[KL_CONTROL_MATRIX];
    const char *text, *limit_text;
    double limit;
    bool given;
    int code = name_of(r, name, map, NAME, "u", r->s->n_controls + 1);
    if (!code) code = operator_of(r, m, &text, map, OPERATOR, true);
    if (!code) code = kl_control_yaml_need(&limit_text, &r->yaml, map, LIMIT, r->err);
    if (!code) code = positive(r, &limit, &given, map, LIMIT, KL_CONTROL_FREQUENCY, false);
    if (!code) code = kl_control_system_add_control(r->s, name, m, limit, r->err);
    if (!code)
        say(r, "control %s times %s, |%s| at most %.10g%s (%s%s)", name, text, name, limit,
            per_time(r, unit, "rad"), limit_text,
            kl_control_units_turns(limit_text) ? ", 2 pi applied" : "");
    return code;
}

/* One of the three jumps of a qubit, or of a system of levels. */
static int add_decay(struct reader *r, int qubit, int which, double value)
{
    static const char *const operators[2][3] = { { "Z", "sm", "sp" }, { "n", "a", "ad" } };
    static const char *const several[3] = { "gphi", "gdown", "gup" }, *const names[3] = { "gamma_phi",
                                                                                          "gamma_down",
                                                                                          "gamma_up" };
    const bool levels = !r->s->n_qubits, phase = which == 0;
    char name[KL_CONTROL_NAME], text[8], unit[16];
    double complex m[KL_CONTROL_MATRIX];
    if (r->s->n_qubits > 1) snprintf(name, sizeof name, "%s%d", several[which], qubit);
    else snprintf(name, sizeof name, "%s", names[which]);
    if (levels) snprintf(text, sizeof text, "%s", operators[1][which]);
    else snprintf(text, sizeof text, "%s%d", operators[0][which], qubit);
    if (kl_control_system_param(r->s, name) >= 0)
        return kl_fail(r->err, KL_EDATA, "%s: decay: the name '%s' is given twice", r->yaml.path, name);
    int code = kl_control_operator_text(m, text, r->s->d, r->s->n_qubits, r->yaml.path, r->err);
    if (code) return code;
    /* Pure dephasing: coherence of neighbouring levels decays with this rate. */
    for (int i = 0; i < r->s->dim && phase; i++) m[i] *= levels ? M_SQRT2 : M_SQRT1_2;
    code = kl_control_system_add_param(r->s, name, m, true, value, r->err);
    if (!code)
        say(r, "jump    %s = %.10g%s, operator sqrt(%s%s%s) times %s", name, value,
            per_time(r, unit, "1"), phase && levels ? "2 " : "", name, phase && !levels ? "/2" : "",
            text);
    return code;
}

static int read_decay(struct reader *r, const struct kl_control_yaml_map *map)
{
    enum { QUBIT, T1, T2, TPHI, FREQUENCY, TEMPERATURE, JUMP };
    struct kl_control_decay d = { 0 };
    struct kl_control_rates rates;
    char where[300];
    const char *jump;
    bool given;
    int qubit = 0, code = whole(r, &qubit, map, QUBIT, 1, r->s->n_qubits ? r->s->n_qubits : 1);
    place(where, r, map, -1);
    if (!code && r->s->n_qubits > 1 && !qubit)
        code = kl_fail(r->err, KL_EDATA, "%s: qubit is missing, expected a number from 1", where);
    if (!code && !r->s->n_qubits && qubit)
        code = kl_fail(r->err, KL_EDATA, "%s: qubit has no place in a system of levels", where);
    if (!code) code = positive(r, &d.t1, &given, map, T1, KL_CONTROL_TIME, false);
    if (!code) code = positive(r, &d.t2, &given, map, T2, KL_CONTROL_TIME, false);
    if (!code) code = positive(r, &d.tphi, &given, map, TPHI, KL_CONTROL_TIME, false);
    if (!code) code = positive(r, &d.frequency, &given, map, FREQUENCY, KL_CONTROL_HERTZ, false);
    if (!code)
        code = positive(r, &d.temperature, &given, map, TEMPERATURE, KL_CONTROL_TEMPERATURE, true);
    if (!code) code = kl_control_yaml_text(&jump, &r->yaml, map, JUMP, r->err);
    if (!code && jump && kl_choice("down|up", jump) < 0) {
        place(where, r, map, JUMP);
        code = kl_fail(r->err, KL_EDATA, "%s: found '%.40s', expected down (to |0>) or up (to |1>)",
                       where, jump);
    }
    if (code) return code;
    d.up = jump && strcmp(jump, "up") == 0;
    if (!d.t1 && !d.t2 && !d.tphi)
        return kl_fail(r->err, KL_EDATA, "%s: found no time, expected T1, T2 or Tphi", where);
    code = kl_control_decay_rates(&rates, &d, where, r->err);
    if (code == KL_EUSAGE) code = r->err->code = KL_EDATA;
    if (!code) code = add_decay(r, qubit ? qubit : 1, 0, rates.phi);
    if (!code) code = add_decay(r, qubit ? qubit : 1, 1, rates.down);
    if (!code) code = add_decay(r, qubit ? qubit : 1, 2, rates.up);
    return code;
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

/* What a target says, as texts; NULL: it does not. */
struct wish {
    const char *gate, *state, *from, *fidelity;
};

static int read_wish(struct reader *r, struct wish *w, const struct kl_control_yaml_map *map,
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

static int read_state(struct reader *r, struct kl_control_model_target *t, const struct wish *w)
{
    const int d = r->s->subspace, n = r->s->n_qubits;
    const char *lowest = n ? &"000"[3 - n] : "0";
    char name[64];
    int code = kl_control_state_beside(t->from, w->from ? w->from : lowest, d, n, r->yaml.path, r->err);
    if (!code) code = kl_control_state_beside(t->state, w->state, d, n, r->yaml.path, r->err);
    snprintf(name, sizeof name, "state %.40s", w->state);
    return code ? code : kl_control_model_target_state(t, name, d, r->err);
}

static int read_target(struct reader *r, const struct kl_control_yaml_map *map)
{
    struct kl_control_model *model = r->model;
    struct wish w;
    char where[300];
    place(where, r, map, -1);
    int code = read_wish(r, &w, map, where);
    if (!code && model->n_targets == KL_CONTROL_MODEL_TARGETS)
        code =
            kl_fail(r->err, KL_EDATA, "%s: more than %d targets", where, (int)KL_CONTROL_MODEL_TARGETS);
    if (code) return code;
    struct kl_control_model_target *t = &model->targets[model->n_targets];
    const char *fidelity = w.fidelity ? w.fidelity : "average";
    t->is_state = w.state != NULL;
    t->fidelity = (enum kl_control_fidelity)kl_choice(KL_CONTROL_FIDELITIES, fidelity);
    code = w.state ? read_state(r, t, &w)
                   : kl_control_target_beside(&t->gate, w.gate, r->s->subspace, r->yaml.path, r->err);
    if (code == KL_EUSAGE) code = kl_control_yaml_prefix(r->err, where);
    if (code) return code;
    model->n_targets++;
    if (w.gate) say(r, "target  gate %s, 1 - fidelity %s", w.gate, fidelity);
    else say(r, "target  state %s from %s", w.state, w.from ? w.from : "the lowest");
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
    TARGETS
};

static int read_sizes(struct reader *r, const struct kl_control_yaml_map *map)
{
    struct kl_control_system *s = r->s;
    int qubits = 0, levels = 0, code = whole(r, &qubits, map, QUBITS, 1, 3);
    if (!code) code = whole(r, &levels, map, LEVELS, 2, KL_CONTROL_MAX_LEVELS);
    if (code) return code;
    if (!qubits == !levels)
        return kl_fail(r->err, KL_EDATA, "%s: found %s, expected one of qubits and levels", r->yaml.path,
                       qubits ? "both qubits and levels" : "neither qubits nor levels");
    s->n_qubits = qubits;
    s->d = s->subspace = qubits ? 1 << qubits : levels;
    s->dim = s->d * s->d;
    if (levels) code = whole(r, &s->subspace, map, SUBSPACE, 2, levels);
    else if (map->value[SUBSPACE])
        code = kl_fail(r->err, KL_EDATA, "%s: subspace belongs to levels; of qubits all levels compute",
                       r->yaml.path);
    return code;
}

static int read_head(struct reader *r, const struct kl_control_yaml_map *map)
{
    struct kl_control_system *s = r->s;
    const char *name, *unit;
    char where[300];
    bool given = false;
    int code = read_name(r, &name, map, NAME);
    if (!code) code = kl_control_yaml_need(&unit, &r->yaml, map, TIME_UNIT, r->err);
    if (code) return code;
    place(where, r, map, TIME_UNIT);
    if (strlen(unit) >= sizeof s->time_unit || !kl_control_time_unit(&r->unit, unit))
        return kl_fail(r->err, KL_EDATA,
                       "%s: found '%.40s', expected s, ms, us, ns, ps, or 1 (no units at all)", where,
                       unit);
    strcpy(s->time_unit, unit);
    snprintf(s->name, sizeof s->name, "%s", name ? name : "model");
    code = read_sizes(r, map);
    if (!code) code = positive(r, &s->duration, &given, map, DURATION, KL_CONTROL_TIME, false);
    const bool bare = r->unit == KL_CONTROL_UNITLESS;
    if (code) return code;
    say(r, "model   %s: %d %s, time in %s", s->name, s->n_qubits ? s->n_qubits : s->d,
        s->n_qubits ? s->n_qubits > 1 ? "qubits" : "qubit" : "levels", bare ? "no unit" : s->time_unit);
    if (s->subspace < s->d) say(r, "        the first %d levels compute", s->subspace);
    if (given) say(r, "pulse   %.10g%s%s", s->duration, bare ? "" : " ", bare ? "" : s->time_unit);
    return KL_OK;
}

static int read_list(struct reader *r, const struct kl_control_yaml_map *map, int key, const char *keys,
                     int (*read)(struct reader *r, const struct kl_control_yaml_map *map))
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

static int read_all(struct reader *r)
{
    struct kl_control_yaml_map map;
    int code =
        kl_control_yaml_root(&map, &r->yaml,
                             "name|time-unit|qubits|levels|subspace|duration|hamiltonian|jumps|decay|"
                             "controls|targets",
                             r->err);
    if (!code) code = read_head(r, &map);
    if (!code) code = read_list(r, &map, HAMILTONIAN, "name|operator|value", read_term);
    if (!code)
        code = read_list(r, &map, DECAY, "qubit|T1|T2|Tphi|frequency|temperature|jump", read_decay);
    if (!code) code = read_list(r, &map, JUMPS, "name|operator|rate|time", read_jump);
    if (!code) code = read_list(r, &map, CONTROLS, "name|operator|limit", read_control);
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
    struct reader r = { .model = model, .s = &model->system, .err = err };
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
