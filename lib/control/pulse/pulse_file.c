/* SPDX-License-Identifier: MIT
   A pulse as a file of kind "pulse": controls, what the optimisation did, what the pulse does; and back,
   with the problem that it was made for. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/pulse/pulse_int.h"
#include "store/kind.h"
#include "store/store.h"

/* ---- what is known of a pulse ---- */
static int member_losses(struct kl_control_report *r, const struct kl_control_setup *s,
                         const struct kl_control_pulse *pulse, struct kl_error *err)
{
    r->worst = -INFINITY;
    for (int m = 0; m < s->n_members; m++) {
        struct kl_control_gradient to = { 0 };
        const int code =
            kl_control_propagate(&to, &s->system, &s->objective, pulse, &s->members[m], err);
        if (code) return code;
        r->members[m] = to.loss, r->worst = fmax(r->worst, to.loss);
    }
    return 0;
}

/* Controls u in units of the limits, in all lanes. malloc'ed; NULL: no memory. */
static double *point_of(const struct kl_control_problem *p, const double *u)
{
    const size_t controls = (size_t)p->system->n_controls, n = (size_t)p->segments * controls;
    double *x = aligned_alloc(64, n * KL_CONTROL_LANES * sizeof *x);
    for (size_t i = 0; x && i < n * KL_CONTROL_LANES; i++)
        x[i] = u[i / KL_CONTROL_LANES] / p->limit[i / KL_CONTROL_LANES % controls];
    return x;
}

/* Of a pair at the border of its disc what turns it, and what draws it inwards. */
static void project_pair(double *g, const double *x, const struct kl_control_modulus *m, size_t segments,
                         size_t controls)
{
    for (size_t s = 0; s < segments; s++) {
        const size_t a = (s * controls + (size_t)m->x) * KL_CONTROL_LANES,
                     b = (s * controls + (size_t)m->y) * KL_CONTROL_LANES;
        const double radius = hypot(x[a], x[b]), out = (g[a] * x[a] + g[b] * x[b]) / radius;
        if (radius < 1 - 1e-9 || out > 0) continue;
        g[a] -= out * x[a] / radius, g[b] -= out * x[b] / radius;
    }
}

/* Of the members: loss and projected gradient, as the optimisation sees them but without energy. */
static int measure_members(struct kl_control_report *r, const struct kl_control_setup *s,
                           const double *u, struct kl_error *err)
{
    struct kl_control_problem problem = s->problem;
    struct kl_control_evaluator *e = NULL;
    const size_t n = (size_t)(problem.segments * s->system.n_controls);
    double *x = point_of(&problem, u), *g = aligned_alloc(64, n * KL_CONTROL_LANES * sizeof *g),
           f[KL_CONTROL_LANES];
    const bool wanted[KL_CONTROL_LANES] = { true };
    problem.energy = 0, problem.waveform = NULL;
    int code =
        x && g ? kl_control_evaluator_open(&e, &problem, err) : kl_fail_memory(err, 2 * n * sizeof *x);
    if (!code) {
        const double *low = kl_control_evaluator_low(e), *high = kl_control_evaluator_high(e);
        kl_control_evaluate(e, f, g, x, wanted);
        r->loss = r->of_members = f[0], r->gradient = 0;
        for (int i = 0; i < s->system.n_moduli; i++)
            project_pair(g, x, &s->system.moduli[i], (size_t)problem.segments,
                         (size_t)s->system.n_controls);
        for (size_t i = 0; i < n; i++) {
            const double at = x[i * KL_CONTROL_LANES], slope = g[i * KL_CONTROL_LANES];
            const bool held = (at <= low[i] && slope > 0) || (at >= high[i] && slope < 0);
            if (!held) r->gradient = fmax(r->gradient, fabs(slope));
        }
    }
    kl_control_evaluator_close(&e);
    free(x), free(g);
    return code;
}

/* Of the checks, where something is spread; the worst of both sets is the worst. */
static int measure_law(struct kl_control_report *r, const struct kl_control_setup *s, const double *u,
                       struct kl_error *err)
{
    struct kl_control_problem law = s->law;
    struct kl_control_evaluator *e = NULL;
    double f[KL_CONTROL_LANES];
    const bool wanted[KL_CONTROL_LANES] = { true }, worst = law.aggregate == KL_CONTROL_WORST;
    if (s->n_checks < 2) return KL_OK;
    if (worst) r->of_members = r->worst;
    law.energy = 0, law.waveform = NULL;
    double *x = point_of(&law, u);
    int code = x ? kl_control_evaluator_open(&e, &law, err) : kl_fail_memory(err, sizeof *x);
    if (!code) {
        kl_control_evaluate(e, f, NULL, x, wanted);
        const double *losses = kl_control_evaluator_losses(e);
        for (int m = 0; m < s->n_checks; m++) r->worst = fmax(r->worst, losses[m * KL_CONTROL_LANES]);
        r->loss = worst ? r->worst : f[0];
    }
    kl_control_evaluator_close(&e);
    free(x);
    return code;
}

enum kl_control_agreement kl_control_law_agrees(double law, double members)
{
    const double off = fabs(law - members), least = fmin(law, members);
    if (!(off > KL_CONTROL_LAW_ROUNDING) || off <= KL_CONTROL_LAW_SHARE * law) return KL_CONTROL_AGREES;
    return fmax(law, members) > KL_CONTROL_LAW_FACTOR * least ? KL_CONTROL_IS_FITTED : KL_CONTROL_IS_OFF;
}

int kl_control_report_make(struct kl_control_report *r, const struct kl_control_setup *s,
                           const double *u, struct kl_error *err)
{
    const size_t dim = (size_t)s->system.dim;
    const struct kl_control_pulse pulse = { s->problem.segments, s->system.n_controls,
                                            s->problem.duration, (double *)u };
    struct kl_control_gradient nominal = { 0 };
    *r = (struct kl_control_report){ .members = calloc((size_t)s->n_members, sizeof(double)),
                                     .transfer = calloc(dim * dim, sizeof(double)) };
    if (!r->members || !r->transfer) return kl_fail_memory(err, dim * dim * sizeof(double));
    int code = member_losses(r, s, &pulse, err);
    if (!code) code = kl_control_propagate(&nominal, &s->system, &s->objective, &pulse, NULL, err);
    r->nominal = nominal.loss;
    if (!code) code = measure_members(r, s, u, err);
    if (!code) code = measure_law(r, s, u, err);
    if (!code) code = kl_control_transfer(r->transfer, &s->system, &pulse, NULL, err);
    if (!code) code = kl_control_channel_measure(&r->channel, &s->system, &s->target, r->transfer, err);
    if (s->is_state) r->channel.entanglement = r->channel.average = NAN;
    return code;
}

void kl_control_report_free(struct kl_control_report *r)
{
    free(r->members), free(r->transfer);
    *r = (struct kl_control_report){ 0 };
}

/* ---- writing ---- */
static int put_names(struct kl_writer *w, const char *dataset, const struct kl_control_entry *entries,
                     int n, struct kl_error *err)
{
    char names[KL_CONTROL_MAX_PARAMS][KL_CONTROL_NAME] = { "" };
    const size_t count = (size_t)n;
    for (int i = 0; i < n; i++) memcpy(names[i], entries[i].name, sizeof names[i]);
    return kl_store_writer_put(w, dataset, KL_TYPE_STRING, KL_CONTROL_NAME, 1, &count, names, err);
}

static int put_starts(struct kl_writer *w, const struct kl_control_start *starts, int n,
                      struct kl_error *err)
{
    const size_t count = (size_t)n;
    double *loss = malloc(count * sizeof *loss);
    int32_t *whole = malloc(3 * count * sizeof *whole);
    int code = loss && whole ? 0 : kl_fail_memory(err, count * 20);
    for (size_t i = 0; !code && i < count; i++) {
        loss[i] = starts[i].loss;
        whole[i] = starts[i].iterations, whole[count + i] = starts[i].evaluations;
        whole[2 * count + i] = (int32_t)starts[i].stop;
    }
    if (!code) code = kl_store_writer_put(w, "starts/loss", KL_TYPE_F64, 0, 1, &count, loss, err);
    if (code >= 0)
        code = kl_store_writer_put(w, "starts/iterations", KL_TYPE_I32, 0, 1, &count, whole, err);
    if (code >= 0)
        code =
            kl_store_writer_put(w, "starts/evaluations", KL_TYPE_I32, 0, 1, &count, whole + count, err);
    if (code >= 0)
        code = kl_store_writer_put(w, "starts/stop", KL_TYPE_I32, 0, 1, &count, whole + 2 * count, err);
    free(loss), free(whole);
    return code;
}

static int put_members(struct kl_writer *w, const struct kl_control_setup *s, const double *losses,
                       struct kl_error *err)
{
    const size_t n = (size_t)s->n_members, params = (size_t)s->system.n_params, both[] = { n, params };
    double *values = malloc(n * (params + 1) * sizeof *values);
    int code = values ? 0 : kl_fail_memory(err, n * params * sizeof *values);
    for (size_t m = 0; !code && m < n; m++) {
        memcpy(values + m * params, s->members[m].params, params * sizeof *values);
        values[n * params + m] = s->members[m].amplitude;
    }
    if (!code) code = kl_store_writer_put(w, "members/params", KL_TYPE_F64, 0, 2, both, values, err);
    if (code >= 0)
        code =
            kl_store_writer_put(w, "members/amplitude", KL_TYPE_F64, 0, 1, &n, values + n * params, err);
    if (code >= 0)
        code = kl_store_writer_put(w, "members/weight", KL_TYPE_F64, 0, 1, &n, s->weights, err);
    if (code >= 0) code = kl_store_writer_put(w, "members/loss", KL_TYPE_F64, 0, 1, &n, losses, err);
    free(values);
    return code;
}

static int put_numbers(struct kl_writer *w, const struct kl_control_setup *s,
                       const struct kl_control_report *r, struct kl_error *err)
{
    const struct {
        const char *name;
        double value;
    } numbers[] = { { "duration", s->problem.duration },
                    { "loss", r->loss },
                    { "nominal_loss", r->nominal },
                    { "worst_loss", r->worst },
                    { "gradient", r->gradient },
                    { "entanglement_fidelity", r->channel.entanglement },
                    { "average_gate_fidelity", r->channel.average },
                    { "leakage", r->channel.leakage },
                    { "smallest_choi_eigenvalue", r->channel.smallest_choi },
                    { "members_loss", s->n_checks > 1 ? r->of_members : NAN },
                    { "law_difference", s->n_checks > 1 ? r->loss - r->of_members : NAN },
                    { "law_members", s->n_checks > 1 ? s->n_checks : NAN } };
    int code = 0;
    for (size_t i = 0; code >= 0 && i < sizeof numbers / sizeof *numbers; i++)
        if (!isnan(numbers[i].value))
            code = kl_store_writer_number(w, "", numbers[i].name, numbers[i].value, err);
    return code;
}

/* Limits that are no |u| <= limit, and pairs with a limit of their modulus. */
static int put_limits(struct kl_writer *w, const struct kl_control_setup *s, struct kl_error *err)
{
    const size_t controls = (size_t)s->system.n_controls, pairs[] = { (size_t)s->system.n_moduli, 2 };
    double low[KL_CONTROL_MAX_CONTROLS], high[KL_CONTROL_MAX_CONTROLS], most[KL_CONTROL_MAX_CONTROLS];
    int32_t of[KL_CONTROL_MAX_CONTROLS];
    bool usual = true;
    for (size_t k = 0; k < controls; k++) {
        low[k] = s->system.controls[k].low, high[k] = s->system.controls[k].high;
        usual &= low[k] == -high[k];
    }
    for (int i = 0; i < s->system.n_moduli; i++) {
        const struct kl_control_modulus *m = &s->system.moduli[i];
        of[2 * i] = m->x, of[2 * i + 1] = m->y, most[i] = m->most;
    }
    int code = kl_store_writer_put(w, "limits", KL_TYPE_F64, 0, 1, &controls, s->problem.limit, err);
    if (code >= 0 && !usual)
        code = kl_store_writer_put(w, "lower_limits", KL_TYPE_F64, 0, 1, &controls, low, err);
    if (code >= 0 && !usual)
        code = kl_store_writer_put(w, "upper_limits", KL_TYPE_F64, 0, 1, &controls, high, err);
    if (code >= 0 && *pairs)
        code = kl_store_writer_put(w, "moduli/controls", KL_TYPE_I32, 0, 2, pairs, of, err);
    if (code >= 0 && *pairs)
        code = kl_store_writer_put(w, "moduli/limits", KL_TYPE_F64, 0, 1, pairs, most, err);
    return code;
}

int kl_control_pulse_save(struct kl_writer *w, const struct kl_control_setup *s, const double *samples,
                          const double *u, const struct kl_control_report *report,
                          const struct kl_control_start *starts, int n_starts, int best,
                          const char *config, const char *model, struct kl_error *err)
{
    const size_t dim = (size_t)s->system.dim, square[] = { dim, dim },
                 shape[] = { (size_t)s->problem.segments, (size_t)s->system.n_controls },
                 played[] = { (size_t)s->waveform.samples, shape[1] };
    int code = kl_store_writer_text(w, "", "config", config, err);
    if (code >= 0) code = kl_store_writer_text(w, "", "system", s->system.name, err);
    if (code >= 0) code = kl_store_writer_text(w, "", "gate", s->target.name, err);
    if (code >= 0) code = kl_store_writer_text(w, "", "objective", s->objective.name, err);
    if (code >= 0) code = kl_store_writer_text(w, "", "time_unit", s->system.time_unit, err);
    if (code >= 0) code = put_numbers(w, s, report, err);
    if (code >= 0) code = kl_store_writer_put(w, "controls", KL_TYPE_F64, 0, 2, shape, u, err);
    if (code >= 0 && samples)
        code = kl_store_writer_put(w, "samples", KL_TYPE_F64, 0, 2, played, samples, err);
    if (code >= 0)
        code = kl_store_writer_text(w, "controls", "unit",
                                    "radian per unit of time, times the control's operator", err);
    if (code >= 0) code = put_names(w, "control_names", s->system.controls, s->system.n_controls, err);
    if (code >= 0) code = put_limits(w, s, err);
    if (code >= 0) code = kl_control_model_put(w, model, err);
    if (code >= 0) code = put_names(w, "param_names", s->system.params, s->system.n_params, err);
    if (code >= 0)
        code = kl_store_writer_put(w, "transfer", KL_TYPE_F64, 0, 2, square, report->transfer, err);
    if (code >= 0) code = put_members(w, s, report->members, err);
    if (code >= 0) code = kl_control_views_put(w, s, u, err);
    if (code >= 0 && n_starts) code = put_starts(w, starts, n_starts, err);
    if (code >= 0 && n_starts) code = kl_store_writer_integer(w, "", "best_start", best, err);
    if (code >= 0 && n_starts)
        code = kl_store_writer_text(w, "", "stop", kl_control_stop_words(starts[best].stop), err);
    return code < 0 ? code : 0;
}

/* ---- reading ---- */
static int options_of(struct kl_control_options *o, const json_t *config, const char *path,
                      struct kl_error *err)
{
    json_int_t segments = 0, controls = 0, members = 0, count = 1, oversample = 1;
    int zero_ends = 0;
    kl_control_options_default(o);
    json_error_t why;
    if (json_unpack_ex((json_t *)config, &why, 0,
                       "{s?s,s?s,s?s,s:s,s:s,s?s,s?s,s?s,s:s,s:s,s:I,s?I,s:I,s?F,s?F,s?F,s?F,s?s,s?s,s?"
                       "I,s?I,s?b,s?F,s?F,s?s}",
                       "system", &o->system, "model", &o->model, "gate", &o->gate, "fidelity",
                       &o->fidelity, "jump", &o->jump, "set", &o->set, "limit", &o->limit, "spread",
                       &o->spread, "law", &o->law, "ensemble", &o->ensemble, "segments", &segments,
                       "controls", &controls, "members", &members, "duration", &o->duration.value,
                       "sharpness", &o->sharpness, "tail", &o->tail, "energy", &o->energy, "functions",
                       &o->functions, "constant", &o->constant, "count", &count, "oversample",
                       &oversample, "zero-ends", &zero_ends, "slew", &o->slew.value, "low-pass",
                       &o->tau.value, "levels", &o->levels) != 0)
        return json_error_code(&why) == json_error_out_of_memory
                   ? kl_fail(err, KL_ENOMEM, "%s: out of memory", path)
                   : kl_fail(err, KL_EDATA, "%s: attribute config: %s", path, why.text);
    o->segments = segments, o->controls = controls, o->members = members;
    o->count = count, o->oversample = oversample, o->zero_ends = zero_ends;
    const struct {
        const char *word, *choices;
    } words[] = { { o->fidelity, KL_CONTROL_FIDELITIES },
                  { o->jump, "down|up" },
                  { o->law, "gauss|uniform" },
                  { o->ensemble, "mean|worst|cvar" },
                  { o->functions, "piecewise|splines|fourier" } };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (kl_choice(words[i].choices, words[i].word) < 0)
            return kl_fail(err, KL_EDATA, "%s: attribute config: found '%.40s', expected one of %s",
                           path, words[i].word, words[i].choices);
    const struct {
        const char *name;
        double value, low, high;
    } numbers[] = { { "segments", (double)segments, 1, 4096 },
                    { "members", (double)members, 0, 64 },
                    { "controls", (double)controls, 0, KL_CONTROL_MAX_CONTROLS },
                    { "count", (double)count, 1, 4096 },
                    { "oversample", (double)oversample, 1, 64 },
                    { "duration", o->duration.value, 0, 1e9 },
                    { "sharpness", o->sharpness, 1, 1e6 },
                    { "tail", o->tail, 1e-6, 1 },
                    { "energy", o->energy, 0, 1e6 },
                    { "slew", o->slew.value, 0, 1e9 },
                    { "low-pass", o->tau.value, 0, 1e9 } };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!(numbers[i].value >= numbers[i].low && numbers[i].value <= numbers[i].high))
            return kl_fail(err, KL_EDATA, "%s: attribute config: %s: found %g, expected %g to %g", path,
                           numbers[i].name, numbers[i].value, numbers[i].low, numbers[i].high);
    return 0;
}

int kl_control_model_load(char **model, struct kl_control_options *o, struct kl_file *file,
                          struct kl_error *err)
{
    const char *digest = o->model;
    const struct kl_dataset *set;
    char hex[65] = "";
    void *text = NULL;
    if (!digest || strncmp(digest, "sha256:", 7) != 0) return KL_OK;
    int code = kl_store_file_load_named(&text, &set, file, "model", KL_TYPE_U8, 1, err);
    if (!code && !(*model = strndup(text, set->rows))) code = kl_fail_memory(err, set->rows);
    free(text);
    if (!code) code = kl_sha256_hex(hex, *model, strlen(*model), err);
    if (!code && strcmp(hex, digest + 7) != 0)
        code = kl_fail(err, KL_EDATA, "%s: model: it is not the one of its digest",
                       kl_store_file_path(file));
    o->model = *model;
    return code;
}
int kl_control_model_put(struct kl_writer *w, const char *model, struct kl_error *err)
{
    const size_t length = model ? strlen(model) : 0;
    const int code =
        model ? kl_store_writer_put(w, "model", KL_TYPE_U8, 0, 1, &length, model, err) : KL_OK;
    return code < 0 ? code : KL_OK;
}

int kl_control_pulse_load(struct kl_control_stored *stored, struct kl_file *file, struct kl_error *err)
{
    char *config = NULL;
    void *u = NULL, *samples = NULL;
    const char *path = kl_store_file_path(file);
    *stored = (struct kl_control_stored){ 0 };
    int code = kl_store_file_text(&config, file, "", "config", err);
    if (!code) code = kl_json_parse(&stored->config, config, path, err);
    if (!code) code = options_of(&stored->options, stored->config, path, err);
    if (!code) code = kl_control_model_load(&stored->model, &stored->options, file, err);
    if (!code && (code = kl_control_setup_make(&stored->setup, &stored->options, err)) == KL_EUSAGE)
        code = KL_EDATA;
    if (!code) {
        const size_t shape[] = { (size_t)stored->setup.problem.segments,
                                 (size_t)stored->setup.system.n_controls };
        code = kl_store_file_load_shape(&u, file, "controls", KL_TYPE_F64, 2, shape, err);
        stored->u = u;
    }
    if (!code && kl_store_file_find(file, "samples")) {
        const size_t shape[] = { (size_t)stored->setup.waveform.samples,
                                 (size_t)stored->setup.system.n_controls };
        code = kl_store_file_load_shape(&samples, file, "samples", KL_TYPE_F64, 2, shape, err);
        stored->samples = samples;
    }
    stored->judged =
        stored->setup.n_checks < 2 || kl_store_file_has_attribute(file, "", "law_difference");
    if (!code) code = kl_store_file_number(&stored->loss, file, "", "loss", err);
    if (!code && !isfinite(stored->loss))
        code = kl_fail(err, KL_EDATA, "%s: attribute loss: found %g, expected a number", path,
                       stored->loss);
    for (int i = 0; !code && i < stored->setup.problem.segments * stored->setup.system.n_controls; i++)
        if (!isfinite(stored->u[i]))
            code = kl_fail(err, KL_EDATA, "%s: controls: number %d is not finite", path, i);
    free(config);
    return code;
}

void kl_control_stored_close(struct kl_control_stored *stored)
{
    kl_control_setup_free(&stored->setup);
    free(stored->u), free(stored->samples), free(stored->model);
    json_decref(stored->config);
    *stored = (struct kl_control_stored){ 0 };
}

/* ---- for `cache show` ---- */
static int show(FILE *to, struct kl_file *file, struct kl_error *err)
{
    struct kl_control_stored stored;
    const int code = kl_control_pulse_load(&stored, file, err);
    if (!code) {
        fputs("\nin use\n", to);
        kl_control_setup_write(to, &stored.setup, &stored.options, NULL);
    }
    kl_control_stored_close(&stored);
    return code;
}

static const struct kl_kind_heading headings[] = {
    { "", "system" }, { "", "gate" }, { "", "stop" }, { NULL, NULL }
};
static const struct kl_kind_number numbers[] = {
    { .attribute = "loss", .title = "loss", .format = "%.6g" },
    { .attribute = "members_loss", .title = "of members", .format = "%.6g" },
    { .attribute = "law_difference", .title = "law less members", .format = "%.2g" },
    { .attribute = "worst_loss", .title = "worst", .format = "%.6g" },
    { .attribute = "nominal_loss", .title = "nominal loss", .format = "%.6g" },
    { .attribute = "average_gate_fidelity", .title = "nominal F_avg", .format = "%.6f" },
    { .attribute = NULL }
};
static bool spreads(const json_t *options, const struct kl_file *file)
{
    (void)file;
    return kl_store_option_is(options, "spread", NULL);
}
static bool jumps_up(const json_t *options, const struct kl_file *file)
{
    (void)file;
    return kl_store_option_is(options, "jump", "up");
}
static bool has_soft_ends(const json_t *options, const struct kl_file *file)
{
    (void)file;
    return kl_store_option_is(options, "zero-ends", NULL) &&
           !kl_store_option_is(options, "functions", "piecewise");
}
static bool has_end(const json_t *options, const struct kl_file *file)
{
    (void)file;
    return json_number_value(json_object_get(options, "until")) > -1;
}
/* By the option, or by the first target of a model. */
static bool transfers(const json_t *options, const struct kl_file *file)
{
    const char *model = json_string_value(json_object_get(options, "model"));
    json_t *json = NULL;
    (void)file;
    if (kl_store_option_is(options, "gate", NULL) || !model || *model != '{')
        return kl_store_option_is(options, "fidelity", "state");
    if (kl_json_parse(&json, model, "a model", NULL)) return false;
    const json_t *target = json_array_get(json_object_get(json, "targets"), 0);
    const bool one =
        target ? json_object_get(target, "gate") &&
                     json_integer_value(json_object_get(target, "fidelity")) == KL_CONTROL_STATE
               : kl_store_option_is(options, "fidelity", "state");
    json_decref(json);
    return one;
}
static const struct kl_kind_revision revisions[] = {
    { "qcontrol optimize", 3, spreads,
      "the loss of an ensemble is that of the members it was fitted to, not of the law" },
    { "qcontrol optimize", 3, jumps_up,
      "--jump up exchanged the default rates alone, not those of --set and --spread" },
    { "qcontrol optimize", 3, has_soft_ends, "the first and the last sample are not 0" },
    { "qcontrol optimize", 3, has_end, "starts that reached --until count as trapped" },
    { "qcontrol optimize", 3, transfers,
      "it does not tell the fidelity of the gate, of which one state alone was asked for" },
    { NULL, 0, NULL, NULL }
};
const struct kl_kind kl_control_pulse_kind = { .name = "pulse",
                                               .maker = "qcontrol optimize",
                                               .headings = headings,
                                               .numbers = numbers,
                                               .write = show,
                                               .revisions = revisions };
