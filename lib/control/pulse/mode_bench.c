/* SPDX-License-Identifier: MIT
   `qcontrol bench`: integrators of small steps against exact propagation, on random tasks; and what
   keeping their simulators would be worth. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/pulse/integrators.h"
#include "control/pulse/pulse.h"
#include "store/mode.h"
#include "store/store.h"

enum { MOST_TASKS = 1024, MOST_STREAM = 1 << 20, MOST_STEPS = 100000 };
struct values {
    struct kl_common common;
    const char *integrator;
    double dt, vary, seconds;
    int64_t tasks, iterations, uses;
};
#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "integrator", 0, KL_OPT_CHOICE, AT(integrator), "guide|" KL_CONTROL_INTEGRATORS, 0, 0, false,
      "guide: the five settings of metaqctrl's guide", "Settings", NULL },
    { "dt", 0, KL_OPT_FLOAT, AT(dt), "T", 0, 1e9, false, "steps of a segment: max(1, floor(segment/dt))",
      NULL, NULL },
    { "seconds", 0, KL_OPT_FLOAT, AT(seconds), "S", 0, 60, false, "for the time of each setting", NULL,
      NULL },
    { "tasks", 0, KL_OPT_INT, AT(tasks), "N", 1, MOST_TASKS, false, "random ones", "Tasks", NULL },
    { "vary", 0, KL_OPT_FLOAT, AT(vary), "X", 0, 1, false, "rates are their own times 1 - X to 1 + X",
      NULL, NULL },
    { "iterations", 0, KL_OPT_INT, AT(iterations), "N", 1, MOST_STREAM, false,
      "batches of fresh tasks that a cache sees", NULL, NULL },
    { "uses", 0, KL_OPT_INT, AT(uses), "N", 1, 1000, false, "of a task in its batch: K steps and 2",
      NULL, NULL },
};
const struct kl_tool kl_control_bench_tool = {
    .name = "qcontrol",
    .summary =
        "Compares integrators of small steps with exact propagation: time, errors, states that are "
        "none",
    .arguments = "bench [PULSE.h5]",
    .example = "qcontrol bench\n  qcontrol bench x.h5 --integrator rk4 --dt 0.01",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "output store force dry-run key threads note no-provenance progress",
    .chosen_by = "bench",
};

struct work {
    const struct values *v;
    const struct kl_log *log;
    struct kl_file *file;
    struct kl_control_stored pulse; /* of a file, or the guide's */
    struct kl_control_setting settings[KL_CONTROL_GUIDE_SETTINGS + 1];
    int n_settings;
    struct kl_control_measured measured[KL_CONTROL_GUIDE_SETTINGS + 1];
    struct kl_control_task *tasks;
    struct kl_control_cache cache;
};

static void defaults(void *values)
{
    struct values *v = values;
    v->integrator = "guide", v->seconds = 0.05, v->tasks = 16, v->vary = 0.75;
    v->iterations = 1000, v->uses = 7;
}

/* The guide's: 20 segments, a state transfer, its drift; a constant pulse that is an X. */
static int guide_pulse(struct kl_control_stored *p, struct kl_error *err)
{
    kl_control_options_default(&p->options);
    p->options.fidelity = "state", p->options.gate = "x", p->options.segments = 20;
    p->options.set = "gamma_phi=0.085 gamma_down=0.045 detuning=0.1";
    const int code = kl_control_setup_make(&p->setup, &p->options, err);
    if (code) return code;
    p->u = calloc(2 * 20, sizeof *p->u);
    if (!p->u) return kl_fail_memory(err, 2 * 20 * sizeof *p->u);
    for (int s = 0; s < 20; s++) p->u[2 * s] = M_PI / 2;
    return 0;
}

static int choose_settings(struct work *w, struct kl_error *err)
{
    const struct values *v = w->v;
    const int one = kl_choice(KL_CONTROL_INTEGRATORS, v->integrator);
    w->settings[w->n_settings++] = (struct kl_control_setting){ KL_CONTROL_EXACT, 0 };
    if ((one == KL_CONTROL_EXACT || one < 0) && v->dt > 0)
        return kl_fail(err, KL_EUSAGE, "--dt: goes with --integrator rk4 or euler");
    if (one < 0)
        for (int i = 0; i < KL_CONTROL_GUIDE_SETTINGS; i++)
            w->settings[w->n_settings++] = kl_control_guide_settings[i];
    if (one <= KL_CONTROL_EXACT) return 0;
    if (!(v->dt > 0))
        return kl_fail(err, KL_EUSAGE, "--integrator %s: no step; give --dt", v->integrator);
    w->settings[w->n_settings++] = (struct kl_control_setting){ (enum kl_control_integrator)one, v->dt };
    return 0;
}

static int check_sizes(const struct work *w, struct kl_error *err)
{
    const struct kl_control_problem *p = &w->pulse.setup.problem;
    if (w->v->iterations * w->v->tasks > MOST_STREAM)
        return kl_fail(err, KL_EUSAGE,
                       "--iterations: %lld batches of %lld tasks, expected at most %d tasks",
                       (long long)w->v->iterations, (long long)w->v->tasks, (int)MOST_STREAM);
    for (int i = 1; i < w->n_settings; i++)
        if (kl_control_steps(p->duration / p->segments, w->settings[i].dt) > MOST_STEPS)
            return kl_fail(err, KL_EUSAGE, "dt %g: a segment of %g has more than %d steps",
                           w->settings[i].dt, p->duration / p->segments, (int)MOST_STEPS);
    return 0;
}

static void name_setting(char text[32], const struct kl_control_setting *s)
{
    if (s->dt > 0) snprintf(text, 32, "%s %g", kl_control_integrator_name(s->integrator), s->dt);
    else snprintf(text, 32, "exact");
}

static void caution(const struct work *w)
{
    char name[32];
    for (int i = 0; i < w->n_settings; i++) {
        const struct kl_control_measured *m = &w->measured[i];
        name_setting(name, &w->settings[i]);
        if (m->unphysical)
            kl_caution(w->log,
                       "%s is unphysical: %d of %lld tasks end in what is no state, with an eigenvalue "
                       "of %.3g and a population of %.4f",
                       name, m->unphysical, (long long)w->v->tasks, m->smallest, m->population);
    }
}

/* ---- words ---- */
/* NULL: no memory. */
static json_t *settings_json(const struct work *w)
{
    json_t *all = json_array();
    for (int i = 0; all && i < w->n_settings; i++) {
        const struct kl_control_measured *m = &w->measured[i];
        const bool exact = w->settings[i].integrator == KL_CONTROL_EXACT;
        json_t *one = json_pack(
            "{s:s, s:o, s:i, s:f, s:o, s:f, s:f, s:f, s:f, s:i}", "integrator",
            kl_control_integrator_name(w->settings[i].integrator), "dt",
            exact ? json_null() : json_real(w->settings[i].dt), "steps", m->steps, "seconds", m->seconds,
            "seconds_in_lanes", m->lanes > 0 ? json_real(m->lanes) : json_null(), "state_off",
            m->state_off, "loss_off", m->loss_off, "smallest_eigenvalue", m->smallest,
            "largest_population", m->population, "unphysical_tasks", m->unphysical);
        if (json_array_append_new(all, one) == 0) continue;
        json_decref(all);
        all = NULL;
    }
    return all;
}

static int tell_json(const struct work *w, FILE *to, struct kl_error *err)
{
    const struct kl_control_cache *c = &w->cache;
    json_t *cautions = NULL, *all = NULL;
    char *text = NULL;
    int code = kl_json_lines(&cautions, kl_caution_lines(w->log), err);
    if (code) return code;
    all = json_pack("{s:s, s:s, s:i, s:f, s:I, s:o, s:{s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f}, s:o}",
                    "system", w->pulse.setup.system.name, "gate", w->pulse.setup.target.name, "segments",
                    w->pulse.setup.problem.segments, "duration", w->pulse.setup.problem.duration,
                    "tasks", (json_int_t)w->v->tasks, "settings", settings_json(w), "cache", "lookups",
                    (json_int_t)c->lookups, "hits", (json_int_t)c->hits, "hits_of_earlier_tasks",
                    (json_int_t)c->hits_of_others, "entries", (json_int_t)c->entries, "bytes", c->bytes,
                    "build_seconds", c->build_seconds, "run_seconds", c->run_seconds, "gain", c->gain,
                    "cautions", cautions);
    code = all ? kl_json_dump(&text, all, err) : kl_fail_memory(err, 4096);
    if (!code) fprintf(to, "%s\n", text);
    free(text);
    json_decref(all);
    return code;
}

static void tell_cache(const struct work *w, FILE *to)
{
    const struct kl_control_cache *c = &w->cache;
    fprintf(to,
            "A cache of simulators keyed by tasks to 6 decimals, %lld batches of %lld fresh tasks, each "
            "used %lld times: %lld entries, %.1f MB, kept for ever; hits %.2f %%, of tasks that came "
            "before %.4f %%; what a hit saves is %.2f us of building beside a run of %.2f us: gain at "
            "most %.3f\n",
            (long long)w->v->iterations, (long long)w->v->tasks, (long long)w->v->uses,
            (long long)c->entries, c->bytes / 1e6, 100.0 * (double)c->hits / (double)c->lookups,
            100.0 * (double)c->hits_of_others / (double)c->lookups, 1e6 * c->build_seconds,
            1e6 * c->run_seconds, c->gain);
}

static void tell(const struct work *w, FILE *to)
{
    const struct kl_control_problem *p = &w->pulse.setup.problem;
    char name[32];
    fprintf(to, "%s of %s (%s), %d segments of %g, %lld tasks\n", w->pulse.setup.target.name,
            w->pulse.setup.system.name, w->pulse.setup.objective.name, p->segments,
            p->duration / p->segments, (long long)w->v->tasks);
    fprintf(to, "%-12s%7s%12s%11s%11s%12s%12s\n", "integrator", "steps", "us a task", "state off",
            "loss off", "eigenvalue", "population");
    for (int i = 0; i < w->n_settings; i++) {
        const struct kl_control_measured *m = &w->measured[i];
        name_setting(name, &w->settings[i]);
        fprintf(to, "%-12s%7d%12.3f%11.1e%11.1e%12.1e%12.6f%s\n", name, m->steps, 1e6 * m->seconds,
                m->state_off, m->loss_off, m->smallest, m->population,
                m->unphysical ? "  unphysical" : "");
        if (m->lanes > 0) fprintf(to, "%-19s%12.3f\n", "exact, 16 at once", 1e6 * m->lanes);
    }
    tell_cache(w, to);
}

static int work(struct work *w, struct kl_mode_run *run, struct kl_error *err)
{
    const struct values *v = w->v;
    const struct kl_stage *stage = &run->stage;
    int code = choose_settings(w, err);
    if (!code && stage->n_inputs) {
        code = kl_store_file_open_kind(&w->file, *stage->inputs, &kl_control_pulse_kind, err);
        if (!code) code = kl_control_pulse_load(&w->pulse, w->file, err);
    } else if (!code) code = guide_pulse(&w->pulse, err);
    if (!code) code = check_sizes(w, err);
    if (code) return code;
    w->tasks = calloc((size_t)v->tasks, sizeof *w->tasks);
    if (!w->tasks) return kl_fail_memory(err, (size_t)v->tasks * sizeof *w->tasks);
    for (int t = 0; t < (int)v->tasks; t++)
        kl_control_bench_task(&w->tasks[t], &w->pulse.setup.system, v->vary, (uint64_t)v->common.seed,
                              (uint32_t)t);
    code = kl_control_bench(w->measured, w->settings, w->n_settings, &w->pulse.setup, w->pulse.u,
                            w->tasks, (int)v->tasks, v->seconds, err);
    if (!code)
        code = kl_control_cache_stream(&w->cache, &w->pulse.setup, w->pulse.u, v->vary,
                                       (uint64_t)v->common.seed, (int)v->iterations, (int)v->tasks,
                                       (int)v->uses, err);
    if (code) return code;
    caution(w);
    if (v->common.json) return tell_json(w, run->out, err);
    if (!v->common.quiet) tell(w, run->out);
    return KL_OK;
}

static int run(struct kl_mode_run *run, struct kl_error *err)
{
    struct work w = { .v = run->values, .log = run->stage.log };
    const int code = work(&w, run, err);
    free(w.tasks);
    kl_control_stored_close(&w.pulse);
    kl_store_file_close(&w.file);
    return code;
}

const struct kl_mode kl_control_mode_bench = {
    .tool = &kl_control_bench_tool, .defaults = defaults, .run = run, .keeps_nothing = true
};
