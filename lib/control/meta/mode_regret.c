/* SPDX-License-Identifier: MIT
   `qcontrol regret`: what adapting a policy is worth on tasks that it has not seen, against what needs
   no policy; a file of kind "regret" and its table. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/meta/meta_train.h"
#include "store/mode.h"
#include "control/meta/regret.h"
#include "kernels/device.h"

enum { NUMERICAL_VERSION = 2, FEWER_STEPS = 3, BETTER_FIXED = 4, SCHEMA = 1 };

struct values {
    struct kl_common common;
    const char *ranks;
    int64_t tasks, steps, starts, scales, replica, gradients;
    double lr;
};
#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "tasks", 't', KL_OPT_INT, AT(tasks), "N", 2, 4096, true,
      "of a test, drawn from the policy's family", "Regret", NULL },
    { "steps", 'k', KL_OPT_INT, AT(steps), "K", 1, 200, true,
      "of adaptation that are followed; the policy's own at most are judged", NULL, NULL },
    { "inner-lr", 0, KL_OPT_FLOAT, AT(lr), "X", 0, 1e3, true, "of the adaptation; 0: the policy's", NULL,
      NULL },
    { "starts", 's', KL_OPT_INT, AT(starts), "N", 1, 1000, true,
      "of each optimum and of the fixed pulse", NULL, NULL },
    { "scales", 0, KL_OPT_INT, AT(scales), "N", 0, 100, true,
      "of the family's spread, for gain against variance", NULL, NULL },
    { "gradients", 0, KL_OPT_INT, AT(gradients), "N", 0, 1e12, true,
      "of the network on the mean and, at most, the optima; 0: as the policy's training", NULL, NULL },
    { "replica", 0, KL_OPT_INT, AT(replica), "K", 0, 1e6, true, "which policy of the file", NULL, NULL },
    KL_DEVICE_OPTION(AT(common.device)),
    KL_STORE_RANKS_OPTION(AT(ranks), "tasks"),
};
const struct kl_tool kl_control_regret_tool = {
    .name = "qcontrol",
    .summary =
        "Says whether adapting a policy pays: against the best fixed pulse, the same network "
        "trained on the mean "
        "loss with as many gradients, and each task's optimum of searches of 20 to 400 iterations",
    .arguments = "regret POLICY.h5 [-o REGRET.h5]",
    .example = "qcontrol train --detuning-range=-0.5,0.5 -o policy.h5\n  qcontrol regret policy.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .chosen_by = "regret",
};

struct work {
    const struct values *v;
    struct kl_file *file;
    struct kl_control_policy policy;
    struct kl_control_meta_values trained; /* what of its options counts here */
    json_t *config;
    struct kl_control_regret_options o;
    struct kl_control_regret regret;
    struct kl_device device;
    double *unadapted;
};

static void defaults(void *values)
{
    struct values *v = values;
    v->common.progress = v->common.device = "auto";
    v->tasks = 50, v->steps = 10, v->starts = 8, v->scales = 15;
}

/* The options that the policy was trained with: how many gradients, and the tables of spectra. */
static int read_config(struct work *w, struct kl_error *err)
{
    struct kl_control_meta_values *t = &w->trained;
    const char *path = kl_store_file_path(w->file);
    char *text = NULL;
    json_int_t iterations = 0, batch = 32, segments = 0;
    json_error_t why;
    double lr = 1e-3, clip = 1;
    kl_control_meta_defaults(t);
    int code = kl_store_file_text(&text, w->file, "", "config", err);
    if (!code) code = kl_json_parse(&w->config, text, path, err);
    if (!code &&
        json_unpack_ex(w->config, &why, 0, "{s?I,s?I,s?I,s?F,s?F,s?s,s?s,s?F,s?F,s?F,s?s,s?F}",
                       "iterations", &iterations, "tasks-per-batch", &batch, "n-segments", &segments,
                       "meta-lr", &lr, "clip", &clip, "mapping", &t->mapping, "sequence", &t->sequence,
                       "omega0", &t->omega0, "gamma-h", &t->gamma_h, "line-width", &t->line_width,
                       "temperature", &t->temperature_text, "gate-time", &t->duration.value) != 0)
        code = kl_fail(err, KL_EDATA, "%s: attribute config: %s", path, why.text);
    free(text);
    if (code) return code;
    if (iterations == 0 && w->v->gradients == 0)
        return kl_fail(
            err, KL_EUSAGE,
            "%s: an imported policy, which does not say how many gradients its training took; "
            "give --gradients N",
            path);
    if ((iterations < 1 && w->v->gradients == 0) || batch < 1 || iterations > 100000000 ||
        batch > 1000000)
        return kl_fail(err, KL_EDATA, "%s: attribute config: %lld iterations of %lld tasks", path,
                       (long long)iterations, (long long)batch);
    t->segments = segments;
    t->temperature = t->temperature_text && strcmp(t->temperature_text, "infinite") != 0
                         ? strtod(t->temperature_text, NULL)
                         : INFINITY;
    const int steps = w->policy.inner.method == KL_CONTROL_UNADAPTED ? 0 : w->policy.inner.steps;
    w->o = (struct kl_control_regret_options){ .tasks = (int)w->v->tasks,
                                               .steps = (int)w->v->steps,
                                               .starts = (int)w->v->starts,
                                               .scales = (int)w->v->scales,
                                               .lr = w->v->lr,
                                               .gradients = w->v->gradients
                                                                ? w->v->gradients
                                                                : iterations * batch * (steps + 1),
                                               .batch = batch,
                                               .meta_lr = lr,
                                               .clip = clip,
                                               .seed = (uint64_t)w->v->common.seed };
    return kl_control_meta_tables(&w->policy.family, t, err);
}

/* The network on the mean is trained one way, whatever the policy was trained with. */
static void tell_differences(const struct work *w, const struct kl_log *log)
{
    static const struct {
        const char *name, *as; /* NULL: a number */
        double number;
    } ways[] = { { "ensemble", "mean", 0 },    { "optimizer", "adam", 0 }, { "schedule", "constant", 0 },
                 { "precision", "single", 0 }, { "start", "constant", 0 }, { "beta1", NULL, 0.9 },
                 { "beta2", NULL, 0.999 },     { "epsilon", NULL, 1e-8 },  { "warmup", NULL, 0 },
                 { "weight-decay", NULL, 0 } };
    char list[512] = "";
    size_t n = 0;
    const bool system = w->policy.family.setup; /* then both begin with the same pulse */
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const json_t *value = json_object_get(w->config, ways[i].name);
        const char *text = json_string_value(value), *comma = n ? ", " : "", *as = ways[i].as;
        if (system && strcmp(ways[i].name, "start") == 0) continue;
        if (n >= sizeof list) break;
        if (as && text && strcmp(text, as) != 0)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s %s", comma, ways[i].name, text);
        if (!ways[i].as && json_is_number(value) && json_number_value(value) != ways[i].number)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s %g", comma, ways[i].name,
                                  json_number_value(value));
    }
    if (n)
        kl_caution(
            log,
            "the network on the mean is trained by Adam (0.9, 0.999) at a constant rate, in single "
            "precision, from %s pulse; the policy had %s",
            system ? "the policy's first" : "a constant", list);
}

/* For --dry-run. */
static int estimate(void *context, struct kl_estimate *to, struct kl_error *err)
{
    struct kl_mode_run *run = context;
    struct work *w = run->state;
    int code = kl_pool_create(&run->pool, (int)run->stage.common->threads, err);
    if (!code) code = kl_device_take(&w->device, run->values, 0, run->stage.log, err);
    if (code) return code;
    to->at_most = true; /* searches end where nothing is gained */
    return kl_control_regret_estimate(&to->seconds, &w->regret, &w->policy, &w->o, &w->device, run->pool,
                                      err);
}

static int open_policy(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    w->v = run->values;
    run->stage.estimate = estimate, run->stage.estimate_context = run;
    int code = kl_store_file_open_kind(&w->file, *run->stage.inputs, &kl_control_policy_kind, err);
    if (!code) code = kl_control_policy_read(&w->policy, w->file, w->v->replica, err);
    if (!code) code = read_config(w, err);
    if (w->v->steps < w->policy.inner.steps) run->version = FEWER_STEPS;
    run->few[run->n_parents++] = w->file;
    return code;
}

static int key(struct kl_mode_run *run, struct kl_key *key, struct kl_error *err)
{
    return kl_store_key_input(key, "policy", kl_store_file_content(((struct work *)run->state)->file),
                              err);
}

static int compute(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    const size_t n = (size_t)w->v->tasks;
    int code = kl_store_ranks_check(run->ranks, n, "tasks", err);
    if (!code)
        code = kl_device_take(&w->device, run->values, run->ranks ? run->ranks->local : 0,
                              run->stage.log, err);
    if (code) return code;
    code = kl_control_regret_run(&w->regret, &w->policy, &w->o, &w->device, run->pool, run->ranks,
                                 run->watch, err);
    if (code || kl_store_ranks_follow(run->ranks)) return code;
    w->unadapted = malloc(n * sizeof *w->unadapted);
    if (!w->unadapted) return kl_fail_memory(err, n * sizeof *w->unadapted);
    for (size_t t = 0; t < n; t++) w->unadapted[t] = w->regret.policy[t * (size_t)(w->regret.steps + 1)];
    return 0;
}

/* ---- the file ---- */
static int put_numbers(struct kl_writer *w, const struct kl_control_regret *r, struct kl_error *err)
{
    const size_t tasks = (size_t)r->tasks, scales = (size_t)r->scales;
    const struct {
        const char *name;
        size_t rank, dims[2];
        const double *values;
    } sets[] = {
        { "losses/policy", 2, { tasks, (size_t)r->steps + 1 }, r->policy },
        { "losses/fixed_pulse", 1, { tasks }, r->fixed },
        { "losses/steered_pulse", 1, { tasks }, r->steered },
        { "losses/mean_network", 1, { tasks }, r->mean },
        { "losses/optimum", 1, { tasks }, r->optimum },
        { "tasks", 2, { tasks, (size_t)r->numbers }, r->params },
        { "shots/number", 1, { (size_t)r->n_shots }, r->shots },
        { "shots/loss", 2, { r->n_shots ? tasks : 0, (size_t)r->n_shots }, r->by_shots },
        { "scales/variance", 1, { scales }, r->spread },
        { "scales/gain", 1, { scales }, r->gain },
    };
    int code = 0;
    for (size_t i = 0; code >= 0 && i < sizeof sets / sizeof *sets; i++)
        if (sets[i].dims[0] > 0)
            code = kl_store_writer_put(w, sets[i].name, KL_TYPE_F64, 0, (int)sets[i].rank, sets[i].dims,
                                       sets[i].values, err);
    if (code >= 0) code = kl_store_writer_text(w, "tasks", "columns", r->names, err);
    if (code >= 0) code = kl_store_writer_integer(w, "", "inner_steps", r->own_steps, err);
    if (code >= 0) code = kl_store_writer_integer(w, "", "training_gradients", r->of_training, err);
    if (code >= 0) code = kl_store_writer_integer(w, "", "optimum_gradients", r->gradients, err);
    if (code >= 0) code = kl_store_writer_number(w, "", "gain_c", r->fit.c, err);
    if (code >= 0) code = kl_store_writer_number(w, "", "gain_beta", r->fit.beta, err);
    if (code >= 0) code = kl_store_writer_number(w, "", "gain_r2", r->fit.r2, err);
    if (code >= 0 && r->scales > 1)
        code = kl_store_writer_number(w, "", "variance_slope", r->line.b, err);
    if (code >= 0 && r->scales > 1)
        code = kl_store_writer_number(w, "", "variance_intercept", r->line.a, err);
    if (code >= 0 && r->scales > 1) code = kl_store_writer_number(w, "", "variance_r2", r->line.r2, err);
    return code < 0 ? code : 0;
}

static int put_difference(struct kl_writer *w, const char *name, const double *a, const double *b,
                          size_t n, struct kl_error *err)
{
    char low[64], high[64];
    const struct kl_paired p = kl_stats_paired(a, b, n);
    snprintf(low, sizeof low, "%s_low", name), snprintf(high, sizeof high, "%s_high", name);
    int code = kl_store_writer_number(w, "", name, p.difference, err);
    if (code >= 0) code = kl_store_writer_number(w, "", low, p.low, err);
    if (code >= 0) code = kl_store_writer_number(w, "", high, p.high, err);
    return code;
}

static int save(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err)
{
    const struct work *w = run->state;
    const struct kl_control_regret *r = &w->regret;
    const size_t n = (size_t)r->tasks, pulse[] = { (size_t)w->policy.net.shape.segments,
                                                   (size_t)w->policy.net.shape.controls };
    char verdict[KL_CONTROL_VERDICT];
    kl_control_verdict_words(verdict, r);
    int code = put_numbers(writer, r, err);
    if (!code)
        code = kl_store_writer_put(writer, "fixed_pulse", KL_TYPE_F64, 0, 2, pulse, r->pulse, err);
    if (code >= 0) code = kl_store_writer_text(writer, "", "verdict", verdict, err);
    if (code >= 0) code = put_difference(writer, "regret", r->adapted, r->optimum, n, err);
    if (code >= 0) code = put_difference(writer, "regret_unadapted", w->unadapted, r->optimum, n, err);
    if (code >= 0) code = put_difference(writer, "regret_mean_network", r->mean, r->optimum, n, err);
    if (code >= 0) code = put_difference(writer, "regret_fixed_pulse", r->fixed, r->optimum, n, err);
    if (code >= 0) code = put_difference(writer, "regret_steered_pulse", r->steered, r->optimum, n, err);
    return code < 0 ? code : KL_OK;
}

/* ---- words ---- */
static void row(FILE *out, const char *name, const double *losses, const struct kl_control_regret *r)
{
    const size_t n = (size_t)r->tasks;
    const struct kl_paired p = kl_stats_paired(losses, r->optimum, n);
    double worst = losses[0];
    for (size_t t = 1; t < n; t++) worst = fmax(worst, losses[t]);
    fprintf(out, "  %-34s %10.4g %10.4g  %10.3g (%.3g to %.3g)\n", name, kl_stats_mean(losses, n), worst,
            p.difference, p.low, p.high);
}

static void tell_shots(const struct kl_control_regret *r, FILE *out)
{
    fprintf(out,
            "shots of each of %d experiments after a drift, and the loss of the network on the mean:",
            KL_CONTROL_PROBES);
    for (int i = 0; i < r->n_shots; i++) {
        double mean = 0;
        for (int t = 0; t < r->tasks; t++) mean += r->by_shots[t * r->n_shots + i] / r->tasks;
        fprintf(out, "%s %.0f: %.6f", i ? "," : "", r->shots[i], mean);
    }
    if (r->enough_shots)
        fprintf(out, "\nless loss than the best fixed pulse from %lld shots on\n",
                (long long)r->enough_shots);
    else fprintf(out, "\nless loss than the best fixed pulse is not shown of any\n");
}

/* A line that explains less than half of what varies is none. */
static void tell_line(const struct kl_control_regret *r, FILE *out)
{
    static const double LEAST_R2 = 0.5;
    if (r->scales < 2) return;
    if (r->line.r2 >= LEAST_R2)
        fprintf(out, "gain against the family's variance: %.3g + %.3g x, R2 %.3f\n", r->line.a,
                r->line.b, r->line.r2);
    else if (isnan(r->line.r2))
        fprintf(out, "gain against the family's variance: no line, nothing varies\n");
    else
        fprintf(out, "gain against the family's variance: no line, as its R2, %.3f, is below %g\n",
                r->line.r2, LEAST_R2);
}

static void tell(const struct work *w, FILE *out)
{
    const struct kl_control_regret *r = &w->regret;
    char name[64];
    fprintf(out,
            "%d tasks, loss                          mean      worst      regret (95 %%, paired over "
            "tasks)\n",
            r->tasks);
    row(out, "each task's optimum", r->optimum, r);
    snprintf(name, sizeof name, "policy, %d step%s", r->own_steps, kl_s((size_t)r->own_steps));
    row(out, name, r->adapted, r);
    row(out, "policy, not adapted", w->unadapted, r);
    row(out, "network trained on the mean", r->mean, r);
    snprintf(name, sizeof name, "best fixed pulse, %d step%s", r->own_steps, kl_s((size_t)r->own_steps));
    row(out, name, r->steered, r);
    row(out, "best fixed pulse", r->fixed, r);
    fprintf(out,
            "gradients: %lld of the training (the policy's, and the network's on the mean), %lld of the "
            "optima (20 to 400 iterations of each start)\n",
            (long long)r->of_training, (long long)r->gradients);
    if (fabs(r->fit.c) < 1e-7) fprintf(out, "gain of K steps: none\n");
    else if (r->fit.r2 == r->fit.r2)
        fprintf(out, "gain of K steps: %.3g (1 - exp(-%.3g K)), R2 %.3f\n", r->fit.c, r->fit.beta,
                r->fit.r2);
    tell_line(r, out);
    if (r->n_shots) tell_shots(r, out);
}

static int remark(struct kl_mode_run *run, struct kl_error *err)
{
    const struct work *w = run->state;
    tell_differences(w, run->stage.log);
    return kl_store_file_repeat(w->file, "not trained to", run->stage.log, err);
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    const struct work *w = run->state;
    const struct kl_control_regret *r = &w->regret;
    const size_t n = (size_t)r->tasks;
    char verdict[KL_CONTROL_VERDICT];
    kl_control_verdict_words(verdict, r);
    const struct kl_json_pair pairs[] = {
        { "tasks", KL_JSON_COUNT, .number = r->tasks },
        { "optimum", KL_JSON_NUMBER, .number = kl_stats_mean(r->optimum, n) },
        { "policy_adapted", KL_JSON_NUMBER, .number = kl_stats_mean(r->adapted, n) },
        { "policy", KL_JSON_NUMBER, .number = kl_stats_mean(w->unadapted, n) },
        { "mean_network", KL_JSON_NUMBER, .number = kl_stats_mean(r->mean, n) },
        { "steered_pulse", KL_JSON_NUMBER, .number = kl_stats_mean(r->steered, n) },
        { "fixed_pulse", KL_JSON_NUMBER, .number = kl_stats_mean(r->fixed, n) },
        { "gain_c", KL_JSON_NUMBER, .number = r->fit.c },
        { "gain_beta", KL_JSON_NUMBER, .number = r->fit.beta },
        { "gain_r2", KL_JSON_NUMBER, .number = r->fit.r2 },
        { "verdict", KL_JSON_TEXT, .text = verdict },
    };
    return kl_store_mode_json(run, to, pairs, sizeof pairs / sizeof *pairs, err);
}

static void words(struct kl_mode_run *run, FILE *to)
{
    const struct work *w = run->state;
    const char *output = run->stage.common->output;
    char verdict[KL_CONTROL_VERDICT];
    tell(w, to);
    kl_control_verdict_words(verdict, &w->regret);
    fprintf(to, "%s%s%d tasks, %.1f s; %s\n", output ? output : "", output ? ": " : "", w->regret.tasks,
            kl_clock() - run->stage.start, verdict);
}

static void close_policy(struct kl_mode_run *run)
{
    struct work *w = run->state;
    free(w->unadapted);
    kl_control_regret_free(&w->regret);
    kl_control_policy_free(&w->policy);
    json_decref(w->config);
    kl_store_file_close(&w->file);
}

static const struct kl_file_stage stage = { .kind = &kl_control_regret_kind,
                                            .schema = SCHEMA,
                                            .version = NUMERICAL_VERSION,
                                            .name = "qcontrol regret",
                                            .seeded = true,
                                            .state_size = sizeof(struct work),
                                            .ranks_at = AT(ranks),
                                            .progress = "steps",
                                            .open = open_policy,
                                            .key = key,
                                            .compute = compute,
                                            .save = save,
                                            .remark = remark,
                                            .json = json,
                                            .words = words,
                                            .close = close_policy };
const struct kl_mode kl_control_mode_regret = { .tool = &kl_control_regret_tool,
                                                .defaults = defaults,
                                                .stage = &stage };

static const struct kl_kind_heading headings[] = { { "", "verdict" }, { NULL, NULL } };
static const struct kl_kind_number numbers[] = {
    { .attribute = "regret", .title = "regret", .format = "%.6f", .low = "from", .high = "to" },
    { .attribute = "regret_mean_network",
      .title = "mean network",
      .format = "%.6f",
      .low = "from",
      .high = "to" },
    { .attribute = "regret_fixed_pulse",
      .title = "fixed pulse",
      .format = "%.6f",
      .low = "from",
      .high = "to" },
    { .attribute = NULL }
};
static bool has_fewer_steps(const json_t *options, const struct kl_file *file)
{
    double own = 0;
    return file && !kl_store_file_number(&own, file, "", "inner_steps", NULL) &&
           json_number_value(json_object_get(options, "steps")) < own;
}
/* The intervals of both regrets lie apart: by more than such files took for a difference. */
static bool says_as_good(const json_t *options, const struct kl_file *file)
{
    double regret = 0, fixed = 0;
    char *verdict = NULL;
    (void)options;
    const bool as_good = file && !kl_store_file_text(&verdict, file, "", "verdict", NULL) &&
                         strcmp(verdict, "it does not pay: the best fixed pulse is as good") == 0 &&
                         !kl_store_file_number(&regret, file, "", "regret_low", NULL) &&
                         !kl_store_file_number(&fixed, file, "", "regret_fixed_pulse_high", NULL) &&
                         fixed + 1e-4 < regret;
    free(verdict);
    return as_good;
}
static const struct kl_kind_revision revisions[] = {
    { "qcontrol regret", FEWER_STEPS, has_fewer_steps,
      "the policy adapts by its own steps, though fewer were asked for" },
    { "qcontrol regret", BETTER_FIXED, says_as_good,
      "its verdict says 'as good' where the best fixed pulse is better" },
    { NULL, 0, NULL, NULL }
};
const struct kl_kind kl_control_regret_kind = { .name = "regret",
                                                .maker = "qcontrol regret",
                                                .headings = headings,
                                                .numbers = numbers,
                                                .revisions = revisions };
