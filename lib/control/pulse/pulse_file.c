/* SPDX-License-Identifier: MIT
   A pulse as a file of kind "pulse": controls, what the optimisation did, what the pulse does; and back,
   with the problem that it was made for. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/pulse/pulse_views.h"
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

/* Of the ensemble: loss and projected gradient, as the optimisation sees them but without energy. */
static int measure_ensemble(struct kl_control_report *r, const struct kl_control_setup *s,
                            const double *u, struct kl_error *err)
{
    struct kl_control_problem problem = s->problem;
    struct kl_control_evaluator *e = NULL;
    const size_t n = (size_t)(problem.segments * s->system.n_controls);
    double *x = aligned_alloc(64, n * KL_CONTROL_LANES * sizeof *x),
           *g = aligned_alloc(64, n * KL_CONTROL_LANES * sizeof *g), f[KL_CONTROL_LANES];
    const bool wanted[KL_CONTROL_LANES] = { true };
    problem.energy = 0, problem.waveform = NULL;
    int code =
        x && g ? kl_control_evaluator_open(&e, &problem, err) : kl_fail_memory(err, 2 * n * sizeof *x);
    if (!code) {
        for (size_t i = 0; i < n * KL_CONTROL_LANES; i++)
            x[i] = u[i / KL_CONTROL_LANES] /
                   problem.limit[i / KL_CONTROL_LANES % (size_t)s->system.n_controls];
        kl_control_evaluate(e, f, g, x, wanted);
        r->loss = f[0], r->gradient = 0;
        for (size_t i = 0; i < n; i++) {
            const double at = x[i * KL_CONTROL_LANES], slope = g[i * KL_CONTROL_LANES];
            const bool held = (at <= -1 && slope > 0) || (at >= 1 && slope < 0);
            if (!held) r->gradient = fmax(r->gradient, fabs(slope));
        }
    }
    kl_control_evaluator_close(&e);
    free(x), free(g);
    return code;
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
    if (!code) code = measure_ensemble(r, s, u, err);
    if (!code) code = kl_control_transfer(r->transfer, &s->system, &pulse, NULL, err);
    if (!code) code = kl_control_channel_measure(&r->channel, &s->system, &s->target, r->transfer, err);
    /* One state says nothing of a gate. */
    if (s->objective.columns == 1) r->channel.entanglement = r->channel.average = NAN;
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
                    { "smallest_choi_eigenvalue", r->channel.smallest_choi } };
    int code = 0;
    for (size_t i = 0; code >= 0 && i < sizeof numbers / sizeof *numbers; i++)
        if (!isnan(numbers[i].value))
            code = kl_store_writer_number(w, "", numbers[i].name, numbers[i].value, err);
    return code;
}

int kl_control_pulse_save(struct kl_writer *w, const struct kl_control_setup *s, const double *samples,
                          const double *u, const struct kl_control_report *report,
                          const struct kl_control_start *starts, int n_starts, int best,
                          const char *config, struct kl_error *err)
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
    if (code >= 0)
        code = kl_store_writer_put(w, "limits", KL_TYPE_F64, 0, 1, &shape[1], s->problem.limit, err);
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
                       "I,s?I,s?b,s?F,s?F}",
                       "system", &o->system, "model", &o->model, "gate", &o->gate, "fidelity",
                       &o->fidelity, "jump", &o->jump, "set", &o->set, "limit", &o->limit, "spread",
                       &o->spread, "law", &o->law, "ensemble", &o->ensemble, "segments", &segments,
                       "controls", &controls, "members", &members, "duration", &o->duration, "sharpness",
                       &o->sharpness, "tail", &o->tail, "energy", &o->energy, "functions", &o->functions,
                       "constant", &o->constant, "count", &count, "oversample", &oversample, "zero-ends",
                       &zero_ends, "slew", &o->slew, "low-pass", &o->tau) != 0)
        return kl_fail(err, KL_EDATA, "%s: attribute config: %s", path, why.text);
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
                    { "members", (double)members, 1, 64 },
                    { "controls", (double)controls, 0, KL_CONTROL_MAX_CONTROLS },
                    { "count", (double)count, 1, 4096 },
                    { "oversample", (double)oversample, 1, 64 },
                    { "duration", o->duration, 0, 1e9 },
                    { "sharpness", o->sharpness, 1, 1e6 },
                    { "tail", o->tail, 1e-6, 1 },
                    { "energy", o->energy, 0, 1e6 },
                    { "slew", o->slew, 0, 1e9 },
                    { "low-pass", o->tau, 0, 1e9 } };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!(numbers[i].value >= numbers[i].low && numbers[i].value <= numbers[i].high))
            return kl_fail(err, KL_EDATA, "%s: attribute config: %s: found %g, expected %g to %g", path,
                           numbers[i].name, numbers[i].value, numbers[i].low, numbers[i].high);
    return 0;
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
    free(stored->u), free(stored->samples);
    json_decref(stored->config);
    *stored = (struct kl_control_stored){ 0 };
}

/* ---- for `cache show` ---- */
static const struct kl_kind_heading headings[] = {
    { "", "system" }, { "", "gate" }, { "", "stop" }, { NULL, NULL }
};
static const struct kl_kind_number numbers[] = {
    { .attribute = "loss", .title = "loss", .format = "%.6g" },
    { .attribute = "worst_loss", .title = "worst", .format = "%.6g" },
    { .attribute = "average_gate_fidelity", .title = "F_avg", .format = "%.6f" },
    { .attribute = NULL }
};
const struct kl_kind kl_control_pulse_kind = {
    .name = "pulse", .maker = "qcontrol optimize", .headings = headings, .numbers = numbers
};
