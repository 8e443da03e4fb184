/* SPDX-License-Identifier: MIT
   `qcontrol optimize`: a pulse for a gate of a noisy system, from many starts; a stage that has no
   input. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/pulse/pulse_int.h"
#include "store/kind.h"
#include "store/mode.h"
#include "control/pulse/options.h"
#include "store/store.h"
#include "kernels/device.h"

/* Of runs that no later revision concerns (pulse_file.c). */
enum { NUMERICAL_VERSION = 2 };

struct values {
    struct kl_common common;
    struct kl_control_options problem;
    const char *method, *first, *finalists;
    int64_t starts, iterations;
    double target, gradient, progress, size, lr;
    bool check_gradients;
};
#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    KL_CONTROL_PROBLEM_OPTIONS(AT(problem)),
    KL_CONTROL_WAVEFORM_OPTIONS(AT(problem)),
    KL_CONTROL_ENSEMBLE_OPTIONS(AT(problem)),
    { "method", 'm', KL_OPT_CHOICE, AT(method), KL_CONTROL_METHODS, 0, 0, true,
      "auto: newton for one qubit without an ensemble, else lbfgs", "Search", NULL },
    { "start", 0, KL_OPT_STRING, AT(first), "PULSE", 0, 0, false,
      "the first of the starts: a stored pulse, see lookup, or a .csv", NULL, NULL },
    { "starts", 's', KL_OPT_INT, AT(starts), "N", 1, 1e6, true, "random ones; the best is kept", NULL,
      NULL },
    { "start-size", 0, KL_OPT_FLOAT, AT(size), "X", 0, 1e6, true,
      "standard deviation of their amplitudes, in limits", NULL, NULL },
    { "finalists", 0, KL_OPT_STRING, AT(finalists), "N|all", 0, 0, true,
      "starts that go on after 20 iterations; 4 where one is costly", NULL, NULL },
    { "iterations", 'i', KL_OPT_INT, AT(iterations), "N", 1, 1e6, true, "at most, of a start", NULL,
      NULL },
    { "until", 0, KL_OPT_FLOAT, AT(target), "LOSS", -1, 1, true,
      "a start ends at this loss; -1: at its best", NULL, NULL },
    { "gradient", 0, KL_OPT_FLOAT, AT(gradient), "X", 0, 1, true,
      "or where no component of it is larger", NULL, NULL },
    { "stall", 0, KL_OPT_FLOAT, AT(progress), "X", -1, 1, true,
      "or where ten iterations gain less, relatively; -1: 1e-5 of lbfgs, else 1e-9", NULL, NULL },
    { "lr", 0, KL_OPT_FLOAT, AT(lr), "X", 0, 1e6, true, "of adam", NULL, NULL },
    { "check-gradients", 0, KL_OPT_FLAG, AT(check_gradients), NULL, 0, 0, false,
      "against central differences; nothing is written", NULL, NULL },
    KL_DEVICE_OPTION(AT(common.device)),
};
const struct kl_tool kl_control_optimize_tool = {
    .name = "qcontrol",
    .summary =
        "Finds the pulse that makes a gate of a noisy quantum system, robust where an ensemble is given",
    .arguments = "optimize -o PULSE.h5",
    .example = "qcontrol optimize -g x --set 'gamma_phi=0.085 gamma_down=0.045' -o x.h5\n"
               "  qcontrol optimize -g x --spread 'detuning=0.5 amplitude=0.05' -o robust.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .chosen_by = "optimize",
    .elsewhere = "qcontrol optimize --start PULSE",
};

struct work {
    struct values *v;
    struct kl_control_texts texts;
    struct kl_control_setup setup;
    struct kl_control_search search;
    struct kl_device device;
    struct kl_control_start *starts;
    double *points;        /* of the starts */
    struct kl_file *given; /* --start */
    double *first;         /* its samples, in units of the limits */
    double *samples, *u;   /* of the best */
    struct kl_control_report report;
    int finalists;     /* as many as starts: all */
    char text[24];     /* --finalists */
    const char *model; /* what stands for its digest among the options; NULL: nothing does */
    char digest[KL_CONTROL_DIGEST];
    int best, trapped; /* trapped: starts that ended above the best by more than a hundredth of it, and
                          1e-6, and not because they had reached what was asked for */
    int ended;         /* starts that were not left behind */
};

static void defaults(void *values)
{
    struct values *v = values;
    struct kl_control_search s;
    kl_control_options_default(&v->problem);
    kl_control_search_default(&s);
    v->common.progress = "auto", v->common.device = "auto", v->method = "auto";
    v->starts = s.starts, v->iterations = s.iterations, v->target = s.target, v->gradient = s.gradient;
    v->progress = -1, v->size = s.size, v->lr = s.lr;
}

/* Instead of a search; differences in double leave some 1e-9 of the largest component. */
static int check_gradients(struct kl_mode_run *run, struct kl_error *err)
{
    const struct work *w = run->state;
    double gradient, hessian;
    const double bound = 1e-6;
    run->done = true;
    if (strncmp(w->v->common.device, "cuda", 4) == 0)
        return kl_fail(err, KL_EUSAGE, "--check-gradients: those of the CPU alone; give --device cpu");
    const int code = kl_control_check_gradients(&gradient, &hessian, &w->setup.problem,
                                                (uint64_t)w->v->common.seed, err);
    if (code) return code;
    const bool has_hessian = !isnan(hessian), agree = gradient <= bound && !(hessian > bound);
    if (w->v->common.json) {
        const struct kl_json_pair pairs[] = {
            { "gradient_difference", KL_JSON_NUMBER, .number = gradient },
            { "hessian_difference", KL_JSON_NUMBER, .number = hessian },
            { "differences_bound", KL_JSON_NUMBER, .number = bound },
            { "agree", KL_JSON_BOOL, .number = agree },
        };
        const int printed = kl_json_line(run->out, pairs, sizeof pairs / sizeof *pairs, err);
        if (printed) return printed;
    } else if (has_hessian)
        fprintf(run->out, "gradient off by %.1e of its largest component, Hessian product by %.1e\n",
                gradient, hessian);
    else
        fprintf(run->out, "gradient off by %.1e of its largest component; there is no Hessian product\n",
                gradient);
    if (agree) return 0;
    return kl_fail(err, KL_ENO, "the gradient differs from central differences by more than %g", bound);
}

static int open_start(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    if (!w->v->first) return 0;
    run->stage.inputs = &w->v->first, run->stage.n_inputs = 1;
    const int code =
        kl_control_start_open(&w->first, &w->given, w->v->first, &w->setup, run->stage.log, err);
    if (w->given) run->few[run->n_parents++] = w->given;
    return code;
}

/* --finalists: how many; the text is in key and file where not all go on. */
static int settle_race(struct work *w, struct kl_error *err)
{
    struct values *v = w->v;
    const bool all = v->finalists && strcmp(v->finalists, "all") == 0;
    char *end = NULL;
    long long n = kl_control_is_costly(&w->setup.problem) ? KL_CONTROL_FINALISTS : v->starts;
    if (v->finalists && !all) n = strtoll(v->finalists, &end, 10);
    if (end && (end == v->finalists || *end || n < 1))
        return kl_fail(err, KL_EUSAGE,
                       "--finalists: found '%.40s', expected a whole number from 1, or all",
                       v->finalists);
    const bool race = !all && n < v->starts && v->iterations > KL_CONTROL_RACE_ITERATIONS;
    w->finalists = race ? (int)n : (int)v->starts;
    snprintf(w->text, sizeof w->text, "%lld", n);
    v->finalists = race ? w->text : NULL;
    return KL_OK;
}

/* What the search's options are where they depend on the problem. */
static int settle_search(struct work *w, struct kl_error *err)
{
    struct values *v = w->v;
    enum kl_control_method method = (enum kl_control_method)kl_choice(KL_CONTROL_METHODS, v->method);
    int code = kl_control_method_of(&method, &w->setup.problem, err);
    struct kl_control_search usual;
    kl_control_search_default(&usual);
    if (v->progress < 0)
        v->progress = method == KL_CONTROL_LBFGS ? KL_CONTROL_LBFGS_PROGRESS : usual.progress;
    return code ? code : settle_race(w, err);
}

/* The version of these options, before a long model gives way to its digest. */
static int find_version(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    char *json = kl_options_json(&kl_control_optimize_tool, w->v, true);
    json_t *options = NULL;
    int code = json ? kl_json_parse(&options, json, "the options", err) : kl_fail_memory(err, 1024);
    if (!code) {
        run->version = kl_store_kind_version(&kl_control_pulse_kind, "qcontrol optimize",
                                             NUMERICAL_VERSION, options);
        code = kl_control_texts_shorten(w->digest, &w->model, &w->v->problem, json, err);
    }
    json_decref(options);
    free(json);
    return code;
}

/* All starts, on the device. */
static int seek(struct work *w, struct kl_pool *pool, const struct kl_watch *watch, struct kl_error *err)
{
    const struct values *v = w->v;
    const size_t n = (size_t)w->setup.waveform.n;
    w->search = (struct kl_control_search){ .method = (enum kl_control_method)kl_choice(
                                                KL_CONTROL_METHODS, v->method),
                                            .lr = v->lr,
                                            .starts = (int)v->starts,
                                            .iterations = (int)v->iterations,
                                            .target = v->target,
                                            .gradient = v->gradient,
                                            .progress = v->progress,
                                            .size = v->size,
                                            .first = w->first,
                                            .n_first = w->first != NULL,
                                            .seed = (uint64_t)v->common.seed };
    w->starts = calloc((size_t)v->starts, sizeof *w->starts);
    w->points = calloc((size_t)v->starts * n, sizeof *w->points);
    if (!w->starts || !w->points) return kl_fail_memory(err, (size_t)v->starts * n * sizeof *w->points);
    return kl_control_race(w->starts, w->points, n, w->finalists, &w->setup.problem, &w->search,
                           &w->device, pool, watch, err);
}

/* For --dry-run: some of the search. */
static int estimate(void *context, struct kl_estimate *to, struct kl_error *err)
{
    struct kl_mode_run *run = context;
    struct work *w = run->state;
    struct kl_trial trial;
    int code = kl_control_setup_say(run->stage.log, &w->setup, &w->v->problem, &w->texts, err);
    if (!code && !run->pool) code = kl_pool_create(&run->pool, (int)run->stage.common->threads, err);
    kl_trial_begin(&trial);
    trial.least = (uint64_t)w->v->starts;
    if (!code) code = kl_device_choose(&w->device, w->v->common.device, err);
    if (!code) code = seek(w, run->pool, &trial.watch, err);
    const bool ended = !code;
    code = kl_trial_end(code);
    *to = (struct kl_estimate){ kl_clock() - trial.start, !ended };
    return code || ended ? code : kl_trial_whole(&to->seconds, &trial, "an iteration", err);
}

static int open_problem(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    w->v = run->values;
    int code = kl_control_options_files(&w->v->problem, &w->texts, err);
    if (!code) code = kl_control_setup_make(&w->setup, &w->v->problem, err);
    if (!code && w->v->check_gradients) return check_gradients(run, err);
    if (!code) code = settle_search(w, err);
    if (!code) code = open_start(run, err);
    run->stage.estimate = estimate, run->stage.estimate_context = run;
    return code ? code : find_version(run, err);
}

static int key(struct kl_mode_run *run, struct kl_key *key, struct kl_error *err)
{
    const struct work *w = run->state;
    if (!w->v->first) return KL_OK;
    return w->given ? kl_store_key_input(key, "start", kl_store_file_content(w->given), err)
                    : kl_store_input_identify(key, run->raw_inputs, "start", 0, w->v->first, err);
}

static int search(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    const size_t n = (size_t)w->setup.waveform.n,
                 rows = (size_t)(w->setup.problem.segments * w->setup.system.n_controls);
    int code = kl_control_setup_say(run->stage.log, &w->setup, &w->v->problem, &w->texts, err);
    w->samples = calloc(rows, sizeof *w->samples), w->u = calloc(rows, sizeof *w->u);
    if (!code && (!w->samples || !w->u)) code = kl_fail_memory(err, 2 * rows * sizeof *w->u);
    if (!code) code = kl_device_take(&w->device, &w->v->common, 0, run->stage.log, err);
    if (code) return code;
    code = seek(w, run->pool, run->watch, err);
    if (code == KL_ESIGNAL) kl_note(run->stage.log, 1, "stopped; a search keeps nothing until it ends");
    if (code) return code;
    /* Of starts that are equal but for rounding the first, so that rounding does not choose. */
    double best = INFINITY;
    for (int i = 0; i < w->search.starts; i++)
        if (isfinite(w->starts[i].loss)) best = fmin(best, w->starts[i].loss);
    w->best = -1;
    for (int i = w->search.starts - 1; i >= 0; i--)
        if (w->starts[i].loss <= best + 1e-9 + 1e-7 * fabs(best)) w->best = i;
    if (w->best < 0)
        return kl_fail(err, KL_EDATA,
                       "no start has a loss that is a number: a rate or an amplitude is too large");
    const double least = w->starts[w->best].loss;
    for (int i = 0; i < w->search.starts; i++) {
        const bool ended = w->starts[i].stop != KL_CONTROL_BEHIND;
        w->ended += ended;
        w->trapped += ended && w->starts[i].stop != KL_CONTROL_REACHED &&
                      !(w->starts[i].loss <= least + fmax(1e-6, 0.01 * least));
    }
    code =
        kl_control_amplitudes(w->samples, w->u, &w->setup.problem, w->points + (size_t)w->best * n, err);
    return code ? code : kl_control_report_make(&w->report, &w->setup, w->u, err);
}

static int save(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err)
{
    const struct work *w = run->state;
    const bool plain = kl_control_waveform_plain(&w->setup.waveform);
    char *config = kl_options_json(&kl_control_optimize_tool, w->v, true);
    int code = config ? 0 : kl_fail_memory(err, 1024);
    if (!code)
        code = kl_control_pulse_save(writer, &w->setup, plain ? NULL : w->samples, w->u, &w->report,
                                     w->starts, w->search.starts, w->best, config, w->model, err);
    free(config);
    return code ? code
                : kl_store_writer_number(writer, "", "trapped", (double)w->trapped / w->ended, err);
}

/* Nearly all starts of at least so many are trapped: what docs/control.md says of it. */
enum { MANY = 8 };
static void say_trapped(const struct kl_log *log, const struct work *w)
{
    if (w->ended >= MANY && 10 * w->trapped >= 9 * w->ended)
        kl_caution(log,
                   "%.0f %% of the starts ended more than a hundredth above the best loss: the gate may "
                   "need a longer --duration; else more --starts may find a better pulse",
                   100.0 * w->trapped / w->ended);
}

/* Judge the loss over the law by members that the search did not see: a fit says nothing of the law. */
static int judge_law(struct kl_mode_run *run, struct kl_error *err)
{
    const struct work *w = run->state;
    say_trapped(run->stage.log, w);
    const struct kl_control_report *r = &w->report;
    const struct kl_control_setup *s = &w->setup;
    char more[160] = "";
    if (w->v->problem.members)
        snprintf(more, sizeof more, "; leave --members %lld out", (long long)w->v->problem.members);
    switch (kl_control_law_agrees(r->loss, r->of_members)) {
    case KL_CONTROL_AGREES: return KL_OK;
    case KL_CONTROL_IS_OFF:
        kl_caution(
            run->stage.log,
            "the %s over the law is %.6g by %d members that the search did not see, %.6g by the %d that "
            "it had: %.2g %% apart%s",
            w->v->problem.ensemble, r->loss, s->n_checks, r->of_members, s->n_members,
            100 * fabs(r->loss - r->of_members) / r->loss, more);
        return KL_OK;
    default:
        return kl_fail(
            err, KL_ENO,
            "the %s over the law is %.6g by %d members that the search did not see, %.6g by the %d "
            "that it had: the pulse is fitted to these, and not kept%s",
            w->v->problem.ensemble, r->loss, s->n_checks, r->of_members, s->n_members, more);
    }
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    const struct work *w = run->state;
    const struct kl_control_start *best = &w->starts[w->best];
    const bool ensemble = w->setup.n_checks > 1;
    const struct kl_json_pair pairs[] = {
        { "loss", KL_JSON_NUMBER, .number = w->report.loss },
        { "members_loss", KL_JSON_NUMBER, .number = ensemble ? w->report.of_members : NAN },
        { "members", KL_JSON_COUNT, .number = w->setup.n_members },
        { "law_members", KL_JSON_COUNT, .number = w->setup.n_checks },
        { "nominal_loss", KL_JSON_NUMBER, .number = w->report.nominal },
        { "worst_loss", KL_JSON_NUMBER, .number = w->report.worst },
        { "gradient", KL_JSON_NUMBER, .number = w->report.gradient },
        { "entanglement_fidelity", KL_JSON_NUMBER, .number = w->report.channel.entanglement },
        { "average_gate_fidelity", KL_JSON_NUMBER, .number = w->report.channel.average },
        { "leakage", KL_JSON_NUMBER, .number = w->report.channel.leakage },
        { "starts", KL_JSON_COUNT, .number = w->search.starts },
        { "finalists", KL_JSON_COUNT, .number = w->finalists },
        { "trapped", KL_JSON_NUMBER, .number = (double)w->trapped / w->ended },
        { "iterations", KL_JSON_COUNT, .number = best->iterations },
        { "stop", KL_JSON_TEXT, .text = kl_control_stop_words(best->stop) },
        { "seconds", KL_JSON_NUMBER, .number = kl_clock() - run->stage.start },
    };
    return kl_store_mode_json(run, to, pairs, sizeof pairs / sizeof *pairs, err);
}

/* Print the loss: an ensemble's is of its law, all else of the nominal system; of the transfer of one
   state the gate's fidelity is another number. */
static void report_loss(const struct work *w, FILE *out)
{
    const struct kl_control_setup *s = &w->setup;
    const struct kl_control_report *r = &w->report;
    const bool ensemble = s->n_checks > 1, transfer = s->objective.columns == 1 && !s->is_state;
    const char *nominal = ensemble ? "nominal " : "";
    fprintf(out, "%s: %s of %s, loss %.6g%s (%s)", w->v->common.output, s->target.name, s->system.name,
            r->loss, ensemble ? " over the law" : "", s->objective.name);
    if (ensemble)
        fprintf(out,
                ", the %s of %d members that the search did not see, %.6g of its own %d; worst %.6g; "
                "nominal "
                "loss %.6g",
                w->v->problem.ensemble, s->n_checks, r->of_members, s->n_members, r->worst, r->nominal);
    if (transfer)
        fprintf(out, ": |0> alone is transferred; the gate %s has %sF_avg %.6f", s->target.name, nominal,
                r->channel.average);
    else if (!isnan(r->channel.average))
        fprintf(out, ", %sF_avg %.6f, F_e %.6f", nominal, r->channel.average, r->channel.entanglement);
    if (s->system.subspace < s->system.d) fprintf(out, ", leakage %.3g", r->channel.leakage);
}

static void words(struct kl_mode_run *run, FILE *to)
{
    const struct work *w = run->state;
    const struct kl_control_start *best = &w->starts[w->best];
    report_loss(w, to);
    fprintf(to, "; %d start%s", w->search.starts, kl_s((uint64_t)w->search.starts));
    if (w->finalists < w->search.starts) fprintf(to, ", the best %d to their ends", w->finalists);
    fprintf(to, ", %.0f %% trapped; %s after %d iteration%s; %.2f s\n", 100.0 * w->trapped / w->ended,
            kl_control_stop_words(best->stop), best->iterations, kl_s((uint64_t)best->iterations),
            kl_clock() - run->stage.start);
}

static bool has_output(const void *values)
{
    return !((const struct values *)values)->check_gradients;
}

static void close_problem(struct kl_mode_run *run)
{
    struct work *w = run->state;
    free(w->starts), free(w->points), free(w->samples), free(w->u), free(w->first);
    kl_store_file_close(&w->given);
    kl_control_report_free(&w->report);
    kl_control_setup_free(&w->setup);
    if (w->v) w->v->problem.model = w->v->problem.gate = NULL;
    kl_control_texts_free(&w->texts);
}

static const struct kl_file_stage stage = { .kind = &kl_control_pulse_kind,
                                            .schema = KL_CONTROL_PULSE_SCHEMA,
                                            .version = NUMERICAL_VERSION,
                                            .name = "qcontrol optimize",
                                            .seeded = true,
                                            .state_size = sizeof(struct work),
                                            .progress = "iterations",
                                            .open = open_problem,
                                            .key = key,
                                            .compute = search,
                                            .save = save,
                                            .remark = judge_law,
                                            .json = json,
                                            .words = words,
                                            .close = close_problem };
const struct kl_mode kl_control_mode_optimize = {
    .tool = &kl_control_optimize_tool, .defaults = defaults, .stage = &stage, .has_output = has_output
};
