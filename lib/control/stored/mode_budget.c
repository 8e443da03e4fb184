/* SPDX-License-Identifier: MIT
   `qcontrol budget`: what each rate and uncertainty adds to the loss of a stored pulse, by several
   routes, and whether they add up. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/stored/stored.h"
#include "store/mode.h"
#include "store/store.h"

struct values {
    struct kl_common common;
    const char *sigma;
    double tolerance;
    bool check;
};
#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "sigma", 0, KL_OPT_LIST, AT(sigma), "NAME=SIZE", 0, 0, false,
      "standard deviations: detuning=0.01 amplitude=0.01 skew_y=0.002", "Budget", NULL },
    { "tolerance", 0, KL_OPT_FLOAT, AT(tolerance), "SHARE", 0, 1, false,
      "of the budget, by which it may fail to add up", NULL, NULL },
    { "check", 0, KL_OPT_FLAG, AT(check), NULL, 0, 0, false, "exit status 1 where it does not add up",
      NULL, NULL },
};
const struct kl_tool kl_control_budget_tool = {
    .name = "qcontrol",
    .summary = "Says what each rate and each uncertainty adds to the loss of a pulse, and if it adds up",
    .arguments = "budget PULSE.h5",
    .example = "qcontrol budget x.h5 --sigma 'detuning=0.02 amplitude=0.01'\n"
               "  qcontrol budget x.h5 --check --tolerance 0.05",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "output store force dry-run key note no-provenance progress seed threads device",
    .chosen_by = "budget",
};

static void defaults(void *values)
{
    ((struct values *)values)->tolerance = 0.1;
}

/* The loss to be explained: all but the pulse's own. */
static double budget_of(const struct kl_control_budget *b)
{
    return fabs(b->total - b->residual);
}
static bool differs(const struct kl_control_budget *b, double x, double y, double tolerance)
{
    return isfinite(x) && isfinite(y) && fabs(x - y) > tolerance * budget_of(b) + 1e-12;
}
static bool adds_up(const struct kl_control_budget *b, double tolerance)
{
    return !differs(b, b->sum, b->total, tolerance) && b->unsettled <= tolerance * budget_of(b) + 1e-12;
}

/* The first other route that differs from a term's part; NULL: none does. */
static const char *route_that_differs(double *value, const struct kl_control_budget *b,
                                      const struct kl_control_budget_term *t, double tolerance)
{
    const struct {
        const char *name;
        double value;
    } routes[] = { { "alone", t->alone },
                   { "switched off", t->without },
                   { "filter function", t->filter },
                   { "exact average", t->averaged } };
    for (size_t i = 0; t->size != 0 && i < sizeof routes / sizeof *routes; i++)
        if (differs(b, t->part, routes[i].value, tolerance)) {
            *value = routes[i].value;
            return routes[i].name;
        }
    return NULL;
}

static bool routes_agree(const struct kl_control_budget *b, double tolerance)
{
    double value;
    bool all = true;
    for (int i = 0; i < b->n; i++) all &= !route_that_differs(&value, b, &b->terms[i], tolerance);
    return all;
}

static void cell(FILE *out, double value, bool there)
{
    if (there && isfinite(value)) fprintf(out, " %10.3g", value);
    else fprintf(out, " %10s", "-");
}

static void tell(FILE *out, const struct kl_control_budget *b, const struct kl_control_setup *s,
                 const char *path, double tolerance)
{
    fprintf(out, "%s: %s of %s (%s), T %g: loss %.6g, with errors %.6g\n", path, s->target.name,
            s->system.name, s->objective.name, s->problem.duration, b->loss, b->total);
    fprintf(out, "%-14s %10s %10s %10s %10s %10s %10s %10s %10s\n", "term", "size", "slope", "curvature",
            "part", "alone", "if off", "filter", "average");
    for (int i = 0; i < b->n; i++) {
        const struct kl_control_budget_term *t = &b->terms[i];
        fprintf(out, "%-14s", t->name);
        cell(out, t->size, t->size != 0), cell(out, t->slope, true);
        cell(out, t->curvature, !t->rate), cell(out, t->part, t->size != 0);
        cell(out, t->alone, t->size != 0), cell(out, t->without, t->size != 0);
        cell(out, t->filter, t->size != 0), cell(out, t->averaged, t->size != 0);
        fprintf(out, "\n");
    }
    fprintf(out, "%-14s %10s %10s %10s %10.3g\n", "the pulse's own", "", "", "", b->residual);
    if (adds_up(b, tolerance))
        fprintf(out, "adds up: %.6g by its parts, %.6g exact\n", b->sum, b->total);
    else
        fprintf(
            out,
            "does not add up: %.6g by its parts, %.6g exact; %.3g, more than %g %% of the budget, is "
            "due to terms together or beyond second order\n",
            b->sum, b->total, b->total - b->sum, 100 * tolerance);
    if (b->unsettled > 0.01 * budget_of(b) + 1e-12)
        fprintf(out, "the errors are so large that their mean is known to %.2g alone\n", b->unsettled);
    for (int i = 0; i < b->n; i++) {
        const struct kl_control_budget_term *t = &b->terms[i];
        double value;
        const char *route = route_that_differs(&value, b, t, tolerance);
        if (route)
            fprintf(out, "%s: %.3g by derivatives, %.3g by another route (%s)\n", t->name, t->part,
                    value, route);
        if (t->swing > tolerance * budget_of(b) && t->swing > t->part)
            fprintf(out,
                    "%s: its first derivative does not vanish: one standard deviation moves the "
                    "loss by %.3g either way\n",
                    t->name, t->swing);
    }
}

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static int tell_json(FILE *out, const struct kl_control_budget *b, const char *path, double tolerance,
                     struct kl_error *err)
{
    json_t *terms = json_array(), *all = NULL;
    char *text = NULL;
    for (int i = 0; terms && i < b->n; i++) {
        const struct kl_control_budget_term *t = &b->terms[i];
        const bool there = t->size != 0;
        json_array_append_new(
            terms, json_pack("{s:s,s:b,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "name", t->name, "rate",
                             t->rate, "size", number(t->size), "slope", number(t->slope), "curvature",
                             number(t->rate ? NAN : t->curvature), "part", number(t->part), "swing",
                             number(t->swing), "alone", number(there ? t->alone : NAN), "if_off",
                             number(there ? t->without : NAN), "filter", number(t->filter), "average",
                             number(t->averaged)));
    }
    if (terms && json_array_size(terms) == (size_t)b->n)
        all = json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:b,s:b,s:O}", "pulse", path, "loss", number(b->loss),
                        "total", number(b->total), "unsettled", number(b->unsettled), "own",
                        number(b->residual), "sum", number(b->sum), "adds_up", adds_up(b, tolerance),
                        "routes_agree", routes_agree(b, tolerance), "terms", terms);
    int code = all ? kl_json_dump(&text, all, err) : kl_fail_memory(err, 4096);
    if (!code) fprintf(out, "%s\n", text);
    free(text);
    json_decref(all), json_decref(terms);
    return code;
}

static int make(struct kl_mode_run *run, const struct kl_control_stored *pulse, const char *path,
                struct kl_error *err)
{
    const struct values *v = run->values;
    struct kl_control_budget b;
    if (pulse->setup.n_members > 1)
        kl_note(run->stage.log, 1, "%s: made for an ensemble; the budget is of its nominal task", path);
    int code = kl_control_budget(&b, &pulse->setup, pulse->u, v->sigma, err);
    if (code) return code;
    if (v->common.json) code = tell_json(run->out, &b, path, v->tolerance, err);
    else if (!v->common.quiet) tell(run->out, &b, &pulse->setup, path, v->tolerance);
    if (code || !v->check || (adds_up(&b, v->tolerance) && routes_agree(&b, v->tolerance))) return code;
    *err = (struct kl_error){ .code = KL_ENO };
    return KL_ENO;
}

static int run(struct kl_mode_run *run, struct kl_error *err)
{
    struct kl_control_stored pulse = { 0 };
    struct kl_file *file = NULL;
    const char *path = *run->stage.inputs;
    int code = kl_store_file_open_kind(&file, path, &kl_control_pulse_kind, err);
    if (!code) code = kl_control_pulse_load(&pulse, file, err);
    if (!code) code = make(run, &pulse, path, err);
    kl_control_stored_close(&pulse);
    kl_store_file_close(&file);
    return code;
}

const struct kl_mode kl_control_mode_budget = {
    .tool = &kl_control_budget_tool, .defaults = defaults, .run = run, .keeps_nothing = true
};
