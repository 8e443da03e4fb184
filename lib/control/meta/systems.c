/* SPDX-License-Identifier: MIT
   Families of any system: the problem that qcontrol optimize would have by the same options, and ranges
   of its parameters, from which tasks are drawn. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/meta/meta_train.h"
#include "kernels/inline/philox.h"

/* ---- tasks ---- */
bool kl_control_family_is_rate(const struct kl_control_setup *s, int i)
{
    return s->ranges[i].param >= 0 && s->system.params[s->ranges[i].param].rate;
}

struct kl_control_task kl_control_family_system_member(const struct kl_control_family *f,
                                                       const double *numbers)
{
    struct kl_control_task t;
    kl_control_task_default(&t, &f->setup->system);
    for (int i = 0; i < f->setup->n_ranges; i++) {
        const int j = f->setup->ranges[i].param;
        *(j < 0 ? &t.amplitude : &t.params[j]) = numbers[i];
    }
    return t;
}

struct kl_control_task kl_control_family_system_most(const struct kl_control_family *f)
{
    double most[KL_CONTROL_MAX_RANGES];
    for (int i = 0; i < f->setup->n_ranges; i++)
        most[i] = kl_control_largest(f->ranges[i].low, f->ranges[i].high);
    return kl_control_family_system_member(f, most);
}

void kl_control_family_names(char text[KL_CONTROL_NAMES], const struct kl_control_setup *s)
{
    size_t n = 0;
    for (int i = 0; i < s->n_ranges; i++)
        n += (size_t)snprintf(text + n, KL_CONTROL_NAMES - n, "%s%s", i ? ", " : "",
                              s->ranges[i].param < 0 ? "amplitude"
                                                     : s->system.params[s->ranges[i].param].name);
}

/* ---- the first pulse ---- */
/* Shares [segments][controls] of a point of the problem's search. */
static void shares_of(double *v, const struct kl_control_setup *s, const double *x)
{
    const int n = s->system.n_controls;
    const bool plain = kl_control_waveform_plain(&s->waveform);
    for (int i = 0; i < s->problem.segments * n; i++) {
        const int k = i % n;
        const struct kl_control_entry *c = &s->system.controls[k];
        const double at = plain ? x[i] : x[s->waveform.first[k] + i / n],
                     u = at * s->problem.limit[k] - (c->high + c->low) / 2;
        v[i] = u / ((c->high - c->low) / 2);
    }
}

/* Nothing is told of it, but a signal ends it. */
static int ask(void *context, uint64_t done, uint64_t total, const char *note)
{
    (void)context, (void)done, (void)total, (void)note;
    return kl_signals_pending() ? KL_ESIGNAL : 0;
}

int kl_control_family_search(double *start, const struct kl_control_setup *s, uint64_t seed,
                             struct kl_pool *pool, struct kl_error *err)
{
    enum { STARTS = 4, ITERATIONS = 100 };
    const size_t n = (size_t)s->waveform.n;
    const struct kl_watch watch = { .step = ask };
    struct kl_control_start found[STARTS];
    struct kl_control_search search;
    kl_control_search_default(&search);
    search.starts = STARTS, search.iterations = ITERATIONS, search.seed = seed, search.size = 0.1;
    search.progress = KL_CONTROL_LBFGS_PROGRESS;
    double *points = malloc(STARTS * n * sizeof *points);
    int code = points ? KL_OK : kl_fail_memory(err, STARTS * n * sizeof *points), best = 0;
    if (!code) code = kl_control_optimize(found, points, &s->problem, &search, pool, &watch, err);
    for (int i = 0; !code && i < STARTS; i++)
        if (found[i].loss < found[best].loss || isnan(found[best].loss)) best = i;
    if (!code && isnan(found[best].loss))
        code = kl_fail(err, KL_EDATA,
                       "the first pulse: no search has a loss that is a number; a rate or an amplitude "
                       "is too large");
    if (!code) shares_of(start, s, points + (size_t)best * n);
    free(points);
    return code;
}

/* ---- from options ---- */
/* Options of tasks that are no ranges of a system. */
static int refuse_others(const struct kl_control_meta_values *v, struct kl_error *err)
{
    const struct {
        const char *name;
        bool given;
    } others[] = { { "tasks", strcmp(v->tasks, "auto") != 0 },
                   { "gamma-deph-range", v->dephasing != NULL },
                   { "gamma-relax-range", v->relaxation != NULL },
                   { "alpha-range", v->alpha != NULL },
                   { "strength-range", v->amplitude != NULL },
                   { "omega-c-range", v->omega_c != NULL },
                   { "psd-model", v->psd_model != NULL },
                   { "model-types", v->model_types != NULL },
                   { "model-probs", v->model_probs != NULL },
                   { "detuning-range", v->detuning != NULL },
                   { "amplitude-range", v->controls_range != NULL },
                   { "angle-range", v->angle != NULL },
                   { "coupling-range", v->coupling != NULL },
                   { "unit", v->unit != NULL },
                   { "drift-strength", v->drift.value != 0 || v->drift.unit },
                   { "num-qubits", v->qubits != 1 },
                   { "target-gate", strcmp(v->gate, "pauli_x") != 0 },
                   { "mapping", strcmp(v->mapping, "standard") != 0 },
                   { "sequence", strcmp(v->sequence, "ramsey") != 0 },
                   { "temperature", strcmp(v->temperature_text, "infinite") != 0 },
                   { "omega0", v->omega0 != 1 },
                   { "gamma-h", v->gamma_h != 100 },
                   { "line-width", v->line_width != 0 },
                   { "task-shots", v->shots != 100 } };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].given)
            return kl_fail(err, KL_EUSAGE,
                           "--%s: not of --system and --model; their tasks are --gate, --set and "
                           "--range NAME=LOW:HIGH",
                           others[i].name);
    const char *tells = v->tells;
    if (strcmp(tells, "given") != 0 && strcmp(tells, "none") != 0)
        return kl_fail(err, KL_EUSAGE,
                       "--task-features %s: not of --system and --model; expected given or none", tells);
    return KL_OK;
}

/* What goes for a system alone. */
static int refuse_own(const struct kl_control_meta_values *v, struct kl_error *err)
{
    const struct kl_control_options *o = &v->problem;
    const struct {
        const char *name;
        bool given;
    } own[] = { { "range", o->range != NULL },
                { "set", o->set != NULL },
                { "gate", o->gate != NULL },
                { "levels", o->levels != NULL },
                { "start pulse", strcmp(v->start, "pulse") == 0 } };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i].given)
            return kl_fail(err, KL_EUSAGE, "--%s: goes with --system or --model alone", own[i].name);
    if (kl_choice("average|state", v->fidelity) >= 0) return KL_OK;
    return kl_fail(err, KL_EUSAGE,
                   "--fidelity %s: goes with --system or --model alone; expected average or state",
                   v->fidelity);
}

/* The options of the problem, which the values and these have in common. */
static void take_options(struct kl_control_meta_values *v)
{
    struct kl_control_options *o = &v->problem, usual;
    kl_control_options_default(&usual);
    if (!o->system) o->system = usual.system;
    o->fidelity = v->fidelity, o->jump = v->jump_up ? "up" : "down";
    o->segments = v->segments, o->controls = v->controls, o->duration = v->duration;
    if (v->limit.unit)
        snprintf(v->limit_text, sizeof v->limit_text, "%.17g %.36s", v->limit.value, v->limit.unit);
    else if (v->limit.value > 0) snprintf(v->limit_text, sizeof v->limit_text, "%.17g", v->limit.value);
    if (v->limit.value > 0 || v->limit.unit) o->limit = v->limit_text;
}

static int check_ranges(const struct kl_control_family *f, struct kl_error *err)
{
    const struct kl_control_setup *s = f->setup;
    if (s->n_ranges == 0)
        return kl_fail(err, KL_EUSAGE, "--range: found none, expected at least one NAME=LOW:HIGH%s",
                       s->system.n_params ? "" : ", of this model amplitude=LOW:HIGH");
    bool rates = false;
    for (int i = 0; i < s->n_ranges; i++) rates |= kl_control_family_is_rate(s, i);
    if (!rates && (f->diversity != 1 || f->distribution != KL_CONTROL_UNIFORM))
        return kl_fail(err, KL_EUSAGE, "--%s: is of rates, and no --range is one",
                       f->diversity != 1 ? "diversity-scale" : "task-dist-type");
    for (int i = 0; i < s->n_ranges; i++)
        if (f->distribution == KL_CONTROL_LOG_UNIFORM && kl_control_family_is_rate(s, i) &&
            !(s->ranges[i].low > 0))
            return kl_fail(
                err, KL_EUSAGE,
                "--task-dist-type log_uniform: the range of %s begins at 0, expected more than 0",
                s->system.params[s->ranges[i].param].name);
    return KL_OK;
}

int kl_control_family_of_setup(struct kl_control_family *f, const struct kl_control_setup *s,
                               struct kl_error *err)
{
    f->setup = s, f->duration = s->problem.duration;
    for (int i = 0; i < s->n_ranges; i++)
        f->ranges[i] = (struct kl_control_range){ s->ranges[i].low, s->ranges[i].high };
    return check_ranges(f, err);
}

int kl_control_meta_system(struct kl_control_meta_values *v, struct kl_error *err)
{
    struct kl_control_family *f = &v->family;
    if (!v->problem.system && !v->problem.model) return refuse_own(v, err);
    int code = refuse_others(v, err);
    if (code) return code;
    take_options(v);
    code = kl_control_options_files(&v->problem, &v->texts, err);
    if (!code) code = kl_control_setup_make(&v->setup, &v->problem, err);
    if (code) return code;
    *f = (struct kl_control_family){ .distribution = (enum kl_control_distribution)kl_choice(
                                         KL_CONTROL_DISTRIBUTIONS, v->distribution),
                                     .tells =
                                         (enum kl_control_tells)kl_choice(KL_CONTROL_TELLS, v->tells),
                                     .diversity = v->diversity };
    code = kl_control_family_of_setup(f, &v->setup, err);
    if (!code)
        code =
            kl_control_quantity_take(&v->limit, KL_CONTROL_FREQUENCY, &v->setup.system, 0, "limit", err);
    v->duration = (struct kl_quantity){ .value = v->setup.problem.duration };
    v->controls = v->setup.system.n_controls;
    return code;
}

int kl_control_meta_shorten(struct kl_control_meta_values *v, struct kl_error *err)
{
    if (!v->texts.model) return KL_OK;
    char *json = kl_options_json(&kl_control_train_tool, v, true);
    const int code = json ? kl_control_texts_shorten(v->digest, &v->model, &v->problem, json, err)
                          : kl_fail_memory(err, 1024);
    free(json);
    return code;
}

void kl_control_meta_close(struct kl_control_meta_values *v)
{
    kl_control_setup_free(&v->setup);
    v->problem.model = v->problem.gate = v->model = NULL;
    kl_control_texts_free(&v->texts);
}

/* ---- the file ---- */
static int put_ends(struct kl_writer *w, const char *name, const char *names, const double (*ends)[2],
                    size_t n, struct kl_error *err)
{
    const size_t dims[] = { n, 2 };
    int code = kl_store_writer_put(w, name, KL_TYPE_F64, 0, 2, dims, ends, err);
    if (code >= 0) code = kl_store_writer_text(w, name, "names", names, err);
    return code < 0 ? code : KL_OK;
}

int kl_control_family_put(struct kl_writer *w, const struct kl_control_family *f, const char *model,
                          struct kl_error *err)
{
    const struct kl_control_setup *s = f->setup;
    const size_t shape[] = { (size_t)s->problem.segments, (size_t)s->system.n_controls };
    char names[KL_CONTROL_NAMES], controls[KL_CONTROL_NAMES] = "";
    double ranges[KL_CONTROL_MAX_RANGES][2], limits[KL_CONTROL_MAX_CONTROLS][2];
    for (int i = 0; i < s->n_ranges; i++)
        ranges[i][0] = s->ranges[i].low, ranges[i][1] = s->ranges[i].high;
    for (int k = 0; k < s->system.n_controls; k++) {
        const struct kl_control_entry *c = &s->system.controls[k];
        const size_t used = strlen(controls);
        limits[k][0] = c->low, limits[k][1] = c->high;
        snprintf(controls + used, sizeof controls - used, "%s%s", k ? ", " : "", c->name);
    }
    kl_control_family_names(names, s);
    int code = kl_store_writer_text(w, "", "system", s->system.name, err);
    if (code >= 0) code = kl_store_writer_text(w, "", "gate", s->target.name, err);
    if (code >= 0) code = kl_store_writer_text(w, "", "objective", s->objective.name, err);
    if (code >= 0) code = kl_store_writer_text(w, "", "time_unit", s->system.time_unit, err);
    if (code >= 0) code = put_ends(w, "ranges", names, ranges, (size_t)s->n_ranges, err);
    if (code >= 0) code = put_ends(w, "limits", controls, limits, shape[1], err);
    if (code >= 0) code = kl_store_writer_put(w, "start", KL_TYPE_F64, 0, 2, shape, f->start, err);
    return code < 0 ? code : kl_control_model_put(w, model, err);
}

/* The options of the problem, of a training's config. */
static int options_of(struct kl_control_policy *p, struct kl_file *file, struct kl_error *err)
{
    struct kl_control_options *o = &p->problem;
    const char *path = kl_store_file_path(file);
    char *text = NULL;
    json_error_t why;
    json_int_t segments = 0, controls = 0;
    int up = 0;
    double limit = 0;
    kl_control_options_default(o);
    int code = kl_store_file_text(&text, file, "", "config", err);
    if (!code) code = kl_json_parse(&p->config, text, path, err);
    if (!code && json_unpack_ex(p->config, &why, 0, "{s:s,s?s,s?s,s?s,s?s,s:s,s:s,s:b,s:I,s:I,s:F,s:F}",
                                "system", &o->system, "model", &o->model, "gate", &o->gate, "set",
                                &o->set, "levels", &o->levels, "range", &o->range, "fidelity",
                                &o->fidelity, "jump-up", &up, "n-segments", &segments, "n-controls",
                                &controls, "gate-time", &o->duration.value, "limit", &limit) != 0)
        code = kl_fail(err, KL_EDATA, "%s: attribute config: %s", path, why.text);
    free(text);
    if (code) return code;
    if (kl_choice(KL_CONTROL_FIDELITIES, o->fidelity) < 0 || segments < 1 ||
        segments > KL_CONTROL_MAX_UNITS || !(o->duration.value > 0 && o->duration.value <= 1e9))
        return kl_fail(err, KL_EDATA,
                       "%s: attribute config: found fidelity %.40s, %lld segments, a gate time of %g",
                       path, o->fidelity, (long long)segments, o->duration.value);
    o->jump = up ? "up" : "down", o->segments = segments;
    /* Of the others the number is no option. */
    if (!o->model && strstr(o->system, "qubit")) o->controls = controls;
    snprintf(p->limit_text, sizeof p->limit_text, "%.17g", limit);
    if (limit > 0) o->limit = p->limit_text;
    return kl_control_model_load(&p->model, o, file, err);
}

int kl_control_policy_system(struct kl_control_policy *p, const struct kl_control_net_shape *shape,
                             struct kl_file *file, struct kl_error *err)
{
    const size_t rows[] = { (size_t)shape->segments, (size_t)shape->controls };
    void *start = NULL;
    int code = options_of(p, file, err);
    if (!code) code = kl_control_setup_make(&p->setup, &p->problem, err);
    if (!code) code = kl_control_family_of_setup(&p->family, &p->setup, err);
    if (code == KL_EUSAGE) err->code = code = KL_EDATA;
    if (!code &&
        (shape->segments != p->setup.problem.segments || shape->controls != p->setup.system.n_controls ||
         shape->features != kl_control_family_n_features(&p->family) || p->limit != 1))
        code = kl_fail(err, KL_EDATA, "%s: its network is not of the system of its config",
                       kl_store_file_path(file));
    if (!code) code = kl_store_file_load_shape(&start, file, "start", KL_TYPE_F64, 2, rows, err);
    p->start = start, p->family.start = start;
    return code;
}
