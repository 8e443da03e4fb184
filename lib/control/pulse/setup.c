/* SPDX-License-Identifier: MIT
   A problem from the words of options: system with its values, target, limits, ensemble. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/units.h"
#include "control/noise/noise.h"
#include "control/pulse/pulse.h"

void kl_control_options_default(struct kl_control_options *o)
{
    *o = (struct kl_control_options){ .system = "qubit",
                                      .fidelity = "average",
                                      .jump = "down",
                                      .law = "gauss",
                                      .ensemble = "mean",
                                      .segments = 60,
                                      .members = 5,
                                      .sharpness = 1000,
                                      .tail = 0.1,
                                      .functions = "piecewise",
                                      .count = 12,
                                      .oversample = 1 };
}

/* ---- lists of NAME=NUMBER ---- */
/* The next of a list, with a message; option: for it. 0: there was none; negative: a code. */
static int next_pair(struct kl_control_pair *pair, const char **text, const char *option,
                     struct kl_error *err)
{
    const int found = kl_control_pair_next(pair, text);
    if (found >= 0) return found;
    return kl_fail(err, KL_EUSAGE, "--%s: found '%.*s', expected NAME=NUMBER", option, pair->length,
                   pair->at);
}

static int fail_name(const char *option, const char *name, const struct kl_control_system *s,
                     bool controls, struct kl_error *err)
{
    char all[1024] = "";
    const struct kl_control_entry *entries = controls ? s->controls : s->params;
    const int n = controls ? s->n_controls : s->n_params;
    for (int i = 0; i < n; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", entries[i].name);
    return kl_fail(err, KL_EUSAGE, "--%s: system %s has no '%s'; it has %s", option, s->name, name, all);
}

/* Of parameter j; -1: the factor of all controls. */
static int quantity_of(const struct kl_control_system *s, int j)
{
    return j < 0 ? KL_CONTROL_NO_UNIT : s->params[j].rate ? KL_CONTROL_RATE : KL_CONTROL_FREQUENCY;
}

static int set_values(struct kl_control_system *s, const char *text, struct kl_error *err)
{
    struct kl_control_pair pair;
    bool set[KL_CONTROL_MAX_PARAMS] = { false };
    int code;
    while ((code = next_pair(&pair, &text, "set", err)) > 0) {
        const char *name = pair.name;
        double value;
        const int j = kl_control_system_param(s, name);
        if (j < 0) return fail_name("set", name, s, false, err);
        code = kl_control_pair_value(&value, &pair, quantity_of(s, j), s, "set", err);
        if (code) return code;
        if (set[j]) return kl_fail(err, KL_EUSAGE, "--set: %s is given twice", name);
        set[j] = true;
        if (s->params[j].rate && value < 0)
            return kl_fail(err, KL_EUSAGE, "--set: %s is a rate; found %g, expected 0 or more", name,
                           value);
        s->params[j].value = value;
    }
    return code;
}

static int set_limits(double *limit, const struct kl_control_system *s, const char *text,
                      struct kl_error *err)
{
    struct kl_control_pair pair;
    int code;
    bool set[KL_CONTROL_MAX_CONTROLS] = { false };
    for (int k = 0; k < s->n_controls; k++) limit[k] = s->controls[k].limit;
    while ((code = next_pair(&pair, &text, "limit", err)) > 0) {
        const char *name = pair.name;
        double value;
        const int one = name[0] ? kl_control_system_control(s, name) : -1;
        if (name[0] && one < 0) return fail_name("limit", name, s, true, err);
        code = kl_control_pair_value(&value, &pair, KL_CONTROL_FREQUENCY, s, "limit", err);
        if (code) return code;
        if (!(value > 0))
            return kl_fail(err, KL_EUSAGE, "--limit: found %g, expected more than 0", value);
        for (int k = 0; k < s->n_controls; k++) {
            if (one >= 0 && one != k) continue;
            if (set[k])
                return kl_fail(err, KL_EUSAGE, "--limit: %s is given twice", s->controls[k].name);
            limit[k] = value, set[k] = true;
        }
    }
    return code;
}

/* ---- ensembles ---- */
struct nodes {
    int n;
    double at[64], weight[64];
};

/* Gauss's rules, which give means exactly for polynomials; of the worst of a uniform law a grid that has
   its ends. */
static void nodes_of(struct nodes *to, const struct kl_control_options *o)
{
    const bool gauss = strcmp(o->law, "gauss") == 0, worst = strcmp(o->ensemble, "worst") == 0;
    to->n = (int)o->members;
    if (gauss) kl_control_noise_gauss(to->at, to->weight, to->n, KL_CONTROL_NORMAL);
    else if (!worst) kl_control_noise_gauss(to->at, to->weight, to->n, KL_CONTROL_LEGENDRE);
    for (int i = 0; !gauss && i < to->n; i++) {
        if (worst) to->at[i] = to->n > 1 ? 2.0 * i / (to->n - 1) - 1 : 0, to->weight[i] = 1.0 / to->n;
        else to->weight[i] /= 2;
    }
}

/* One parameter more, or the amplitude (j = -1), is spread: n members become n * nodes. */
static int spread_one(struct kl_control_setup *s, int j, double size, const struct nodes *nodes,
                      struct kl_error *err)
{
    const int n = s->n_members * nodes->n;
    if (n > KL_CONTROL_MOST_MEMBERS)
        return kl_fail(err, KL_EUSAGE,
                       "--spread: an ensemble of %d members, expected at most %d; fewer --members", n,
                       KL_CONTROL_MOST_MEMBERS);
    /* From the last, so that those that are copied are still there. */
    for (int m = n - 1; m >= 0; m--) {
        const int i = m % nodes->n;
        struct kl_control_task *to = &s->members[m];
        *to = s->members[m / nodes->n];
        s->weights[m] = s->weights[m / nodes->n] * nodes->weight[i];
        if (j < 0) to->amplitude += size * nodes->at[i];
        else to->params[j] += size * nodes->at[i];
        if (j >= 0 && s->system.params[j].rate && to->params[j] < 0)
            return kl_fail(err, KL_EUSAGE,
                           "--spread: %s is a rate and would be %g; a smaller size, or --law uniform",
                           s->system.params[j].name, to->params[j]);
    }
    s->n_members = n;
    return 0;
}

static int make_members(struct kl_control_setup *s, const struct kl_control_options *o,
                        struct kl_error *err)
{
    struct nodes nodes;
    struct kl_control_pair pair;
    const char *text = o->spread ? o->spread : "";
    int code;
    s->members = calloc(KL_CONTROL_MOST_MEMBERS, sizeof *s->members);
    s->weights = calloc(KL_CONTROL_MOST_MEMBERS, sizeof *s->weights);
    if (!s->members || !s->weights)
        return kl_fail_memory(err, KL_CONTROL_MOST_MEMBERS * sizeof *s->members);
    kl_control_task_default(&s->members[0], &s->system);
    s->weights[0] = 1, s->n_members = 1;
    nodes_of(&nodes, o);
    bool spread[KL_CONTROL_MAX_PARAMS + 1] = { false };
    while ((code = next_pair(&pair, &text, "spread", err)) > 0) {
        const char *name = pair.name;
        double value;
        const bool amplitude = strcmp(name, "amplitude") == 0;
        const int j = amplitude ? -1 : kl_control_system_param(&s->system, name);
        if (!amplitude && j < 0) return fail_name("spread", name, &s->system, false, err);
        code =
            kl_control_pair_value(&value, &pair, quantity_of(&s->system, j), &s->system, "spread", err);
        if (code) return code;
        if (!(value >= 0))
            return kl_fail(err, KL_EUSAGE, "--spread: %s=%g, expected 0 or more", name, value);
        if (spread[j + 1]) return kl_fail(err, KL_EUSAGE, "--spread: %s is given twice", name);
        if (nodes.n < 2 && value > 0)
            return kl_fail(err, KL_EUSAGE, "--spread: one member has no spread; --members 2 or more");
        spread[j + 1] = true;
        const int failed = spread_one(s, j, value, &nodes, err);
        if (failed) return failed;
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
        if (k < 0) return fail_name("constant", name, s, true, err);
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
                                       .tau = o->tau,
                                       .slew = o->slew };
    const int code = set_constant(w, &s->system, o->constant ? o->constant : "", err);
    if (!code && o->segments * o->oversample > KL_CONTROL_MOST_SEGMENTS)
        return kl_fail(err, KL_EUSAGE, "--oversample: %lld segments in all, expected at most %d",
                       (long long)(o->segments * o->oversample), KL_CONTROL_MOST_SEGMENTS);
    return code ? code : kl_control_waveform_make(w, err);
}

/* ---- files that options name ---- */
/* A gate of a file as the text that kl_control_target_make takes in its place. */
static int gate_text(char **text, const struct kl_control_options *o, struct kl_error *err)
{
    struct kl_control_target target;
    struct kl_control_system system;
    int code = kl_control_options_system(&system, NULL, o, err);
    const int d = system.subspace;
    kl_control_system_free(&system);
    if (!code) code = kl_control_target_make(&target, o->gate, d, err);
    return code ? code : kl_control_target_json(text, &target, err);
}

int kl_control_options_files(struct kl_control_options *o, struct kl_control_texts *texts,
                             struct kl_error *err)
{
    struct kl_control_model model;
    int code = KL_OK;
    *texts = (struct kl_control_texts){ 0 };
    if (o->model && *o->model && *o->model != '{') {
        code = kl_control_model_read(&model, o->model, err);
        if (code) return code;
        code = kl_control_model_json(&texts->model, &model, err);
        texts->said = model.said, model.said = NULL;
        kl_control_model_free(&model);
        o->model = texts->model;
    }
    if (!code && o->gate && kl_control_is_matrix_file(o->gate)) {
        code = gate_text(&texts->gate, o, err);
        if (!code) o->gate = texts->gate;
    }
    return code;
}

void kl_control_texts_free(struct kl_control_texts *texts)
{
    free(texts->model), free(texts->gate), free(texts->said);
    *texts = (struct kl_control_texts){ 0 };
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
    const int code = kl_control_model_open(&model, o->model, err);
    if (code) return code;
    *system = model.system;
    model.system = (struct kl_control_system){ 0 };
    if (target && model.n_targets) *target = model.targets[0];
    kl_control_model_free(&model);
    return KL_OK;
}

int kl_control_options_system(struct kl_control_system *system, struct kl_control_model_target *target,
                              const struct kl_control_options *o, struct kl_error *err)
{
    const struct kl_control_system_options options = { .controls = (int)o->controls,
                                                       .jump_up = strcmp(o->jump, "up") == 0 };
    const bool model = o->model && *o->model;
    *system = (struct kl_control_system){ 0 };
    const int code = model ? from_model(system, target, o, err)
                           : kl_control_system_make(system, o->system, &options, err);
    return code ? code : set_values(system, o->set ? o->set : "", err);
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
        s->target = of_model->gate;
        if (of_model->is_state && s->fidelity != KL_CONTROL_AVERAGE && s->fidelity != KL_CONTROL_STATE)
            return kl_fail(err, KL_EUSAGE, "--fidelity %s: the model's target is a state; leave it away",
                           o->fidelity);
        if (of_model->is_state)
            return kl_control_objective_states(&s->objective, &s->system, of_model->from,
                                               of_model->state, 1, err);
        s->fidelity = of_model->fidelity;
    } else
        code = kl_control_target_make(&s->target, given ? o->gate : usual_gate(&s->system),
                                      s->system.subspace, err);
    return code ? code
                : kl_control_objective_make(&s->objective, &s->system, s->fidelity, &s->target, err);
}

int kl_control_setup_make(struct kl_control_setup *s, const struct kl_control_options *o,
                          struct kl_error *err)
{
    struct kl_control_model_target of_model = { 0 };
    *s = (struct kl_control_setup){ 0 };
    int code = kl_control_options_system(&s->system, &of_model, o, err);
    if (!code) code = make_objective(s, &of_model, o, err);
    if (!code) code = make_members(s, o, err);
    if (!code) code = set_limits(s->problem.limit, &s->system, o->limit, err);
    s->problem.duration = o->duration > 0 ? o->duration : s->system.duration;
    if (!code) code = make_waveform(s, o, err);
    if (code) return code;
    s->problem.waveform = &s->waveform;
    s->problem.system = &s->system, s->problem.objective = &s->objective;
    s->problem.segments = (int)(o->segments * o->oversample);
    s->problem.members = s->members, s->problem.weights = s->weights,
    s->problem.n_members = s->n_members;
    s->problem.aggregate = (enum kl_control_aggregate)kl_choice("mean|worst|cvar", o->ensemble);
    s->problem.sharpness = o->sharpness, s->problem.tail = o->tail, s->problem.energy = o->energy;
    return 0;
}

void kl_control_setup_free(struct kl_control_setup *s)
{
    free(s->members), free(s->weights);
    kl_control_waveform_free(&s->waveform);
    kl_control_objective_free(&s->objective);
    kl_control_system_free(&s->system);
    *s = (struct kl_control_setup){ 0 };
}
