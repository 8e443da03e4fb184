/* SPDX-License-Identifier: MIT
   A problem from the words of options: system with its values, target, limits, ensemble; and what it
   comes to, in words. */
#include "control/pulse/pulse_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/noise/noise.h"
#include "control/pulse/pulse.h"

static const char usual_system[] = "qubit";

void kl_control_options_default(struct kl_control_options *o)
{
    *o = (struct kl_control_options){ .system = usual_system,
                                      .fidelity = "average",
                                      .jump = "down",
                                      .law = "gauss",
                                      .ensemble = "mean",
                                      .segments = 60,
                                      .sharpness = 1000,
                                      .tail = 0.1,
                                      .functions = "piecewise",
                                      .count = 12,
                                      .oversample = 1 };
}

/* ---- what the items of options mean ---- */
int kl_control_options_pair(struct kl_control_pair *pair, const char **text, const char *option,
                            struct kl_error *err)
{
    const int found = kl_control_pair_next(pair, text);
    if (found >= 0) return found;
    return kl_fail(err, KL_EUSAGE, "--%s: found '%.*s', expected NAME=NUMBER", option, pair->length,
                   pair->at);
}

int kl_control_options_fail_name(const char *option, const char *name, const struct kl_control_system *s,
                                 bool controls, struct kl_error *err)
{
    char all[1024] = "", meant[KL_MEANT];
    const struct kl_control_entry *entries = controls ? s->controls : s->params;
    const int n = controls ? s->n_controls : s->n_params;
    struct kl_near near = kl_near_to(name, strlen(name));
    for (int i = 0, used = 0; i < n && used < 900; i++) {
        kl_near_try(&near, entries[i].name, strlen(entries[i].name));
        used += snprintf(all + used, sizeof all - (size_t)used, "%s%s", i ? ", " : "", entries[i].name);
    }
    const bool times = strcmp(option, "set") == 0 && kl_control_system_param(s, "gamma_down") >= 0 &&
                       kl_control_system_param(s, "gamma_phi") >= 0;
    return kl_fail(err, KL_EUSAGE, "--%s: system %s has no '%.60s'; it has %s%s%s", option, s->name,
                   name, n ? all : "none", times ? ", and the times T1, T2, Tphi" : "",
                   kl_meant_words(meant, near.word, near.length));
}

int kl_control_options_param(const struct kl_control_options *o, const struct kl_control_system *s,
                             const char *name)
{
    static const char *const turned[][2] = { { "gamma_down", "gamma_up" },
                                             { "gdown1", "gup1" },
                                             { "gdown2", "gup2" } };
    const bool up = !(o->model && *o->model) && strcmp(o->jump, "up") == 0;
    for (size_t i = 0; up && i < sizeof turned / sizeof *turned; i++)
        for (int k = 0; k < 2; k++)
            if (strcmp(name, turned[i][k]) == 0) return kl_control_system_param(s, turned[i][1 - k]);
    return kl_control_system_param(s, name);
}

int kl_control_options_quantity(const struct kl_control_system *s, int j)
{
    return j < 0 ? KL_CONTROL_NO_UNIT : s->params[j].rate ? KL_CONTROL_RATE : KL_CONTROL_FREQUENCY;
}

/* ---- limits ---- */
/* Of limits: -value and value, or the two of a range. */
static int pair_limits(double *low, double *high, const struct kl_control_pair *pair,
                       const struct kl_control_system *system, const char *option, struct kl_error *err)
{
    if (pair->range)
        return kl_control_pair_ends(low, high, pair, KL_CONTROL_FREQUENCY, system, option, err);
    const int code = kl_control_pair_value(high, pair, KL_CONTROL_FREQUENCY, system, option, err);
    *low = -*high;
    return code;
}

static bool is_paired(const struct kl_control_system *s, int k)
{
    bool any = false;
    for (int i = 0; i < s->n_moduli; i++) any |= s->moduli[i].x == k || s->moduli[i].y == k;
    return any;
}

/* "x+iy=3": of the modulus, in place of the two controls' own limits or of an earlier one. */
static int limit_modulus(struct kl_control_system *s, bool *set, int x, int y, double most,
                         struct kl_error *err)
{
    if (set[x] || set[y])
        return kl_fail(err, KL_EUSAGE, "--limit: %s is given twice", s->controls[set[x] ? x : y].name);
    for (int i = 0; i < s->n_moduli; i++)
        if (s->moduli[i].x == x && s->moduli[i].y == y) s->moduli[i] = s->moduli[--s->n_moduli];
    for (int k = 0; k < s->n_controls; k++)
        if (k == x || k == y) s->controls[k].low = s->controls[k].high = NAN, set[k] = true;
    const int code = kl_control_system_add_modulus(s, x, y, most, err);
    return code == KL_EUSAGE ? kl_fail(err, KL_EUSAGE, "--limit: %s or %s is in another modulus",
                                       s->controls[x].name, s->controls[y].name)
                             : code;
}

/* Of one control, or (-1) of all, the moduli of pairs among them. */
static int limit_controls(struct kl_control_system *s, bool *set, int one, double low, double high,
                          struct kl_error *err)
{
    if (one >= 0 && is_paired(s, one))
        return kl_fail(err, KL_EUSAGE, "--limit: %s is one of a pair; expected the pair's, as x+iy=%g",
                       s->controls[one].name, high);
    for (int k = 0; k < s->n_controls; k++) {
        if (one >= 0 && one != k) continue;
        if (set[k]) return kl_fail(err, KL_EUSAGE, "--limit: %s is given twice", s->controls[k].name);
        if (is_paired(s, k) && low != -high)
            return kl_fail(err, KL_EUSAGE, "--limit: %s is one of a pair, whose modulus has one limit",
                           s->controls[k].name);
        s->controls[k].low = low, s->controls[k].high = high, set[k] = true;
    }
    for (int i = 0; i < s->n_moduli && one < 0; i++) s->moduli[i].most = high;
    return KL_OK;
}

static int set_limits(struct kl_control_system *s, const char *text, struct kl_error *err)
{
    struct kl_control_pair pair;
    int code, x, y;
    bool set[KL_CONTROL_MAX_CONTROLS] = { false };
    while ((code = kl_control_options_pair(&pair, &text, "limit", err)) > 0) {
        double low, high;
        const char *name = pair.name;
        const bool both = kl_control_system_quadratures(&x, &y, s, name);
        const int one = name[0] && !both ? kl_control_system_control(s, name) : -1;
        if (name[0] && !both && one < 0)
            return kl_control_options_fail_name("limit", name, s, true, err);
        code = pair_limits(&low, &high, &pair, s, "limit", err);
        if (code) return code;
        if (!pair.range && !(high > 0))
            return kl_fail(err, KL_EUSAGE, "--limit: found %g, expected more than 0", high);
        if (!(low < high) || (both && pair.range))
            return kl_fail(err, KL_EUSAGE, "--limit: found '%.*s', expected %s", pair.length, pair.at,
                           both ? "one limit of the modulus" : "the lesser one first");
        code =
            both ? limit_modulus(s, set, x, y, high, err) : limit_controls(s, set, one, low, high, err);
        if (code) return code;
    }
    return code;
}

/* Take the limits into the problem. */
static int take_limits(struct kl_control_setup *s, const struct kl_control_options *o,
                       struct kl_error *err)
{
    for (int k = 0; k < s->system.n_controls; k++) {
        const double most = kl_control_largest(s->system.controls[k].low, s->system.controls[k].high);
        if (most > s->usual_limit)
            s->usual_limit = most; /* not of a modulus, whose controls have none */
    }
    const int code = set_limits(&s->system, o->limit ? o->limit : "", err);
    for (int k = 0; k < s->system.n_controls && !code; k++) {
        const struct kl_control_entry *c = &s->system.controls[k];
        s->problem.limit[k] = kl_control_largest(c->low, c->high);
        if (c->low != -c->high) s->problem.low[k] = c->low, s->problem.high[k] = c->high;
        if (o->zero_ends && (c->low > 0 || c->high < 0))
            return kl_fail(err, KL_EUSAGE, "--zero-ends: %s lies between %g and %g, which are not 0",
                           c->name, c->low, c->high);
        if (o->zero_ends && c->low != -c->high && strcmp(o->functions, "piecewise") != 0)
            return kl_fail(
                err, KL_EUSAGE,
                "--zero-ends: %s lies between %g and %g, round whose middle functions are; use "
                "--functions piecewise",
                c->name, c->low, c->high);
    }
    return code;
}

/* ---- waveforms ---- */
static int set_constant(struct kl_control_waveform *w, const struct kl_control_system *s,
                        const char *text, struct kl_error *err)
{
    while (*(text += strspn(text, " ,"))) {
        char name[KL_CONTROL_NAME];
        const size_t length = strcspn(text, " ,");
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        const int k = length < sizeof name ? kl_control_system_control(s, name) : -1;
        if (k < 0) return kl_control_options_fail_name("constant", name, s, true, err);
        w->constant[k] = true, text += length;
    }
    return 0;
}

static int make_waveform(struct kl_control_setup *s, const struct kl_control_options *o,
                         struct kl_error *err)
{
    struct kl_control_waveform *w = &s->waveform;
    *w = (struct kl_control_waveform){ .functions = (enum kl_control_functions)kl_choice(
                                           "piecewise|splines|fourier", o->functions),
                                       .samples = (int)o->segments,
                                       .controls = s->system.n_controls,
                                       .oversample = (int)o->oversample,
                                       .count = (int)o->count,
                                       .zero_ends = o->zero_ends,
                                       .duration = s->problem.duration,
                                       .tau = o->tau.value,
                                       .slew = o->slew.value };
    const int code = set_constant(w, &s->system, o->constant ? o->constant : "", err);
    for (int k = 0; k < w->controls; k++)
        w->low[k] = s->problem.low[k] / s->problem.limit[k],
        w->high[k] = s->problem.high[k] / s->problem.limit[k];
    w->n_moduli = s->system.n_moduli;
    memcpy(w->moduli, s->system.moduli, sizeof w->moduli);
    if (!code && o->segments * o->oversample > KL_CONTROL_MOST_SEGMENTS)
        return kl_fail(err, KL_EUSAGE, "--oversample: %lld segments in all, expected at most %d",
                       (long long)(o->segments * o->oversample), KL_CONTROL_MOST_SEGMENTS);
    return code ? code : kl_control_waveform_make(w, err);
}

/* ---- the whole ---- */
static int from_model(struct kl_control_system *system, struct kl_control_model_target *target,
                      const struct kl_control_options *o, struct kl_error *err)
{
    struct kl_control_model model;
    if (o->controls)
        return kl_fail(err, KL_EUSAGE, "--controls: the model has its own; expected --model without it");
    if (strcmp(o->jump, "up") == 0)
        return kl_fail(err, KL_EUSAGE,
                       "--jump: the model has its own jumps; expected --model without it");
    if (o->levels)
        return kl_fail(err, KL_EUSAGE, "--levels: the model has its own; expected --model without it");
    const int code = kl_control_model_open(&model, o->model, err);
    if (code) return code;
    *system = model.system;
    model.system = (struct kl_control_system){ 0 };
    if (target && model.n_targets) *target = model.targets[0];
    kl_control_model_free(&model);
    return KL_OK;
}

static int take_levels(int *levels, const char *text, struct kl_error *err)
{
    char *end;
    *levels = 0;
    if (!text) return KL_OK;
    const long n = strtol(text, &end, 10);
    if (end == text || *end || n < 2 || n > KL_CONTROL_MAX_LEVELS)
        return kl_fail(err, KL_EUSAGE, "--levels: found '%.40s', expected a whole number from 2 to %d",
                       text, (int)KL_CONTROL_MAX_LEVELS);
    *levels = (int)n;
    return KL_OK;
}

/* The system with --set; target: the model's first, untouched where there is none, or NULL. */
static int options_system(struct kl_control_system *system, struct kl_control_model_target *target,
                          const struct kl_control_options *o, struct kl_error *err)
{
    struct kl_control_system_options options = { .controls = (int)o->controls,
                                                 .jump_up = strcmp(o->jump, "up") == 0 };
    const bool model = o->model && *o->model;
    *system = (struct kl_control_system){ 0 };
    int code = take_levels(&options.levels, o->levels, err);
    if (!code)
        code = model ? from_model(system, target, o, err)
                     : kl_control_system_make(system, o->system, &options, err);
    if (!code && o->set) code = kl_control_options_set(system, o, o->set, err);
    if (!code && o->over) code = kl_control_options_set(system, o, o->over, err);
    return code;
}

static const char *usual_gate(const struct kl_control_system *s)
{
    return s->subspace == 4 ? "cz" : "x";
}

/* --gate, else the model's first target, else the usual gate. */
static int make_objective(struct kl_control_setup *s, const struct kl_control_model_target *of_model,
                          const struct kl_control_options *o, struct kl_error *err)
{
    const bool given = o->gate && *o->gate;
    int code = KL_OK;
    s->fidelity = (enum kl_control_fidelity)kl_choice(KL_CONTROL_FIDELITIES, o->fidelity);
    if (!given && of_model->gate.d) {
        s->target = of_model->gate, s->is_state = of_model->is_state;
        if (of_model->is_state && s->fidelity != KL_CONTROL_AVERAGE && s->fidelity != KL_CONTROL_STATE)
            return kl_fail(err, KL_EUSAGE, "--fidelity %s: the model's target is a state; leave it out",
                           o->fidelity);
        if (of_model->is_state)
            return kl_control_objective_states(&s->objective, &s->system, of_model->from,
                                               of_model->state, 1, err);
        s->fidelity = of_model->fidelity;
    } else
        code = kl_control_target_make(&s->target, given ? o->gate : usual_gate(&s->system),
                                      s->system.subspace, NULL, err);
    return code ? code
                : kl_control_objective_make(&s->objective, &s->system, s->fidelity, &s->target, err);
}

int kl_control_setup_make(struct kl_control_setup *s, const struct kl_control_options *o,
                          struct kl_error *err)
{
    struct kl_control_model_target of_model = { 0 };
    *s = (struct kl_control_setup){ 0 };
    int code = options_system(&s->system, &of_model, o, err);
    if (!code) code = make_objective(s, &of_model, o, err);
    if (!code) code = take_limits(s, o, err);
    s->problem.duration = o->duration.value > 0 ? o->duration.value : s->system.duration;
    if (!code) code = kl_control_options_ranges(s, o, err);
    if (!code) code = kl_control_ensemble_make(s, o, err);
    if (!code) code = make_waveform(s, o, err);
    if (code) return code;
    s->problem.waveform = &s->waveform;
    s->problem.system = &s->system, s->problem.objective = &s->objective;
    s->problem.segments = (int)(o->segments * o->oversample);
    s->problem.members = s->members, s->problem.weights = s->weights,
    s->problem.n_members = s->n_members;
    s->problem.aggregate = (enum kl_control_aggregate)kl_choice("mean|worst|cvar", o->ensemble);
    s->problem.sharpness = o->sharpness, s->problem.tail = o->tail, s->problem.energy = o->energy;
    s->law = s->problem;
    s->law.members = s->checks, s->law.weights = s->check_weights, s->law.n_members = s->n_checks;
    s->law.sharpness = INFINITY;
    return 0;
}

void kl_control_setup_free(struct kl_control_setup *s)
{
    free(s->members), free(s->weights), free(s->checks), free(s->check_weights);
    kl_control_waveform_free(&s->waveform);
    kl_control_objective_free(&s->objective);
    kl_control_system_free(&s->system);
    *s = (struct kl_control_setup){ 0 };
}

/* ---- files that options name ---- */
/* Numbers with units as numbers of the system's. */
static int take_units(struct kl_control_options *o, struct kl_error *err)
{
    struct {
        struct kl_quantity *at;
        const char *option;
        enum kl_control_quantity quantity;
    } all[] = { { &o->duration, "duration", KL_CONTROL_TIME },
                { &o->slew, "slew", KL_CONTROL_RATE },
                { &o->tau, "low-pass", KL_CONTROL_TIME } };
    struct kl_control_system system;
    if (!o->duration.unit && !o->slew.unit && !o->tau.unit) return KL_OK;
    int code = options_system(&system, NULL, o, err);
    for (size_t i = 0; !code && i < sizeof all / sizeof *all; i++)
        code = kl_control_quantity_take(all[i].at, all[i].quantity, &system, 0, all[i].option, err);
    kl_control_system_free(&system);
    return code;
}

/* A gate of a file as the text that kl_control_target_make takes in its place. */
static int gate_text(struct kl_control_texts *texts, const struct kl_control_options *o,
                     struct kl_error *err)
{
    struct kl_control_target target;
    struct kl_control_system system;
    char how[KL_CONTROL_HOW], *said = NULL;
    int code = options_system(&system, NULL, o, err);
    const int d = system.subspace;
    kl_control_system_free(&system);
    if (!code) code = kl_control_target_make(&target, o->gate, d, how, err);
    if (!code) code = kl_control_target_json(&texts->gate, &target, err);
    if (code || !*how) return code;
    if (asprintf(&said, "%starget  gate %s (%s)\n", texts->said ? texts->said : "", o->gate, how) < 0)
        return kl_fail_memory(err, 256);
    free(texts->said);
    texts->said = said;
    return KL_OK;
}

static int check_options(struct kl_control_options *o, struct kl_error *err)
{
    if (!o->members && !(o->spread && *o->spread)) o->members = KL_CONTROL_NO_MEMBERS;
    if (o->model && *o->model && o->system != usual_system)
        return kl_fail(err, KL_EUSAGE, "--system %s: and --model %.200s, expected one of them",
                       o->system, o->model);
    return KL_OK;
}

int kl_control_options_files(struct kl_control_options *o, struct kl_control_texts *texts,
                             struct kl_error *err)
{
    struct kl_control_model model;
    *texts = (struct kl_control_texts){ 0 };
    int code = check_options(o, err);
    if (!code && o->model && *o->model && *o->model != '{') {
        code = kl_control_model_read(&model, o->model, err);
        if (code) return code;
        code = kl_control_model_json(&texts->model, &model, err);
        texts->said = model.said, model.said = NULL;
        kl_control_model_free(&model);
        o->model = texts->model;
    }
    if (!code) code = take_units(o, err);
    if (!code && o->gate && kl_control_is_matrix_file(o->gate)) {
        code = gate_text(texts, o, err);
        if (!code) o->gate = texts->gate;
    }
    return code;
}

void kl_control_texts_free(struct kl_control_texts *texts)
{
    free(texts->model), free(texts->gate), free(texts->said);
    *texts = (struct kl_control_texts){ 0 };
}

/* An attribute has at most 60000 bytes, and key_parts has a little more than the options. */
enum { LONGEST_OPTIONS = 59700 };

int kl_control_texts_shorten(char digest[KL_CONTROL_DIGEST], const char **model,
                             struct kl_control_options *o, const char *json, struct kl_error *err)
{
    static const char mark[] = "sha256:";
    *model = NULL;
    if (!o->model || strlen(json) <= LONGEST_OPTIONS) return KL_OK;
    memcpy(digest, mark, sizeof mark);
    const int code = kl_sha256_hex(digest + strlen(mark), o->model, strlen(o->model), err);
    if (!code) *model = o->model, o->model = digest;
    return code;
}

/* ---- in words: nothing that decides a result is left unsaid ---- */
static bool is_given(const char *text)
{
    return text && *text;
}

static bool is_ranged(const struct kl_control_setup *s, int param)
{
    bool any = false;
    for (int i = 0; i < s->n_ranges; i++) any |= s->ranges[i].param == param;
    return any;
}

static void write_system(FILE *to, const struct kl_control_setup *s, const struct kl_control_options *o,
                         bool brief)
{
    bool given[KL_CONTROL_MAX_PARAMS] = { false };
    const bool model = is_given(o->model);
    kl_control_options_marked(given, s, o);
    if (!brief) kl_control_system_write(to, &s->system, model ? NULL : given);
    for (int j = 0; brief && j < s->system.n_params; j++)
        if (given[j] && !is_ranged(s, j)) kl_control_system_write_param(to, &s->system, j, " (--set)");
    if (!brief || is_given(o->limit))
        kl_control_system_write_controls(to, &s->system,
                                         is_given(o->limit) ? " (--limit)"
                                         : model            ? ""
                                                            : " (default)");
    if (!model && strcmp(o->jump, "up") == 0)
        fputs("jump    relaxation runs up: down and up are exchanged, in --set and --spread too\n", to);
}

static void write_pulse(FILE *to, const struct kl_control_setup *s, const struct kl_control_options *o)
{
    const char *unit = s->system.time_unit;
    fprintf(to, "pulse   T %.10g%s%s%s, %lld segment%s", s->problem.duration,
            strcmp(unit, "1") ? " " : "", strcmp(unit, "1") ? unit : "",
            o->duration.value > 0 ? ""
            : is_given(o->model)  ? " (of the model)"
                                  : " (default)",
            (long long)o->segments, kl_s((uint64_t)o->segments));
    if (strcmp(o->functions, "piecewise") != 0)
        fprintf(to, ", %lld %s", (long long)o->count, o->functions);
    if (o->zero_ends) fputs(", the first and the last sample 0", to);
    putc('\n', to);
}

/* One state says nothing of a gate. said: what has been told of the model, or NULL; of its targets the
   only one is not told again, of several which one. */
static void write_target(FILE *to, const struct kl_control_setup *s, const char *said)
{
    static const char *const names[] = { "state", "entanglement", "average", "states", "leakage" };
    const bool one = s->objective.columns == 1 && !s->is_state;
    char line[256];
    snprintf(line, sizeof line, "target  %s%s, 1 - fidelity %s", s->is_state ? "" : "gate ",
             s->target.name, names[s->is_state ? KL_CONTROL_STATE : s->fidelity]);
    const char *first = said ? strstr(said, "target  ") : NULL;
    const bool several = first && strstr(first + 1, "target  "), again = first && strstr(first, line);
    if (again && !several && !one) return;
    fprintf(to, "%s%s%s\n", again ? "sought" : "target", line + strlen("target"),
            one ? ": |0> alone is transferred, the gate is not asked for" : "");
}

/* The unit of a parameter's size; cycles as well, because 1 rad/ns is a lot. low: of a range that ends
 * there, else 0. */
static void write_unit(FILE *to, int param, double low, double size, const struct kl_control_system *s)
{
    int power;
    if (param < 0 || !kl_control_time_unit(&power, s->time_unit) || power == KL_CONTROL_UNITLESS) return;
    const double cycles = pow(10, -power - 6) / (2 * M_PI);
    if (s->params[param].rate) fprintf(to, " 1/%s", s->time_unit);
    else if (low == 0) fprintf(to, " rad/%s (%.4g MHz)", s->time_unit, size * cycles);
    else fprintf(to, " rad/%s (%.4g to %.4g MHz)", s->time_unit, low * cycles, size * cycles);
}

static const char *name_of(int param, const struct kl_control_system *s)
{
    return param < 0 ? "amplitude" : s->params[param].name;
}

static void write_ranges(FILE *to, const struct kl_control_setup *s)
{
    for (int i = 0; i < s->n_ranges; i++) {
        const struct kl_control_ranged *r = &s->ranges[i];
        fprintf(to, "range   %s, %.10g to %.10g", name_of(r->param, &s->system), r->low, r->high);
        write_unit(to, r->param, r->low, r->high, &s->system);
        putc('\n', to);
    }
}

static void write_ensemble(FILE *to, const struct kl_control_setup *s,
                           const struct kl_control_options *o)
{
    const bool normal = strcmp(o->law, "gauss") == 0;
    for (int i = 0; i < s->n_spreads; i++) {
        const struct kl_control_spread *p = &s->spreads[i];
        fprintf(to, "spread  %s, %s%.10g", name_of(p->param, &s->system),
                normal ? "normal of deviation " : "uniform within +-", p->size);
        write_unit(to, p->param, 0, p->size, &s->system);
        fprintf(to, ": %d members", p->n);
        if (p->n < p->needed) fprintf(to, ", fewer than the %d that the law needs", p->needed);
        putc('\n', to);
    }
    if (s->n_spreads)
        fprintf(to, "        the %s of %d members, judged on %d others\n", o->ensemble, s->n_members,
                s->n_checks);
}

void kl_control_setup_write(FILE *to, const struct kl_control_setup *s,
                            const struct kl_control_options *o, const char *said)
{
    write_system(to, s, o, said != NULL);
    write_pulse(to, s, o);
    write_target(to, s, said);
    write_ranges(to, s);
    write_ensemble(to, s, o);
}

static void say_lines(const struct kl_log *log, const char *lines)
{
    for (const char *line = lines; *line; line += strcspn(line, "\n") + 1)
        kl_note(log, 1, "%.*s", (int)strcspn(line, "\n"), line);
}

int kl_control_setup_say(const struct kl_log *log, const struct kl_control_setup *s,
                         const struct kl_control_options *o, const struct kl_control_texts *texts,
                         struct kl_error *err)
{
    char *words = NULL;
    size_t size;
    if (texts->said) say_lines(log, texts->said);
    FILE *to = open_memstream(&words, &size);
    if (!to) return kl_fail_memory(err, 1024);
    kl_control_setup_write(to, s, o, texts->model ? texts->said ? texts->said : "" : NULL);
    const bool failed = ferror(to) | (fclose(to) != 0);
    if (!failed) say_lines(log, words);
    if (!failed) kl_control_options_caution(log, s, o);
    free(words);
    return failed ? kl_fail_memory(err, 1024) : KL_OK;
}
