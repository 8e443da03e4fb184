/* SPDX-License-Identifier: MIT
   A file in one line, as the tool that wrote it tells it at its end. A file may be of any age: what it
   lacks is left out. What figures of a report say above their frames. */
#include "plot/page/page_int.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"
#include "store/store.h"
#include "train/sweep.h"

/* Rows of a dataset; 0: there is none. */
static size_t headline_rows(const struct kl_file *file, const char *name)
{
    const struct kl_dataset *d = kl_store_file_find(file, name);
    return d ? d->rows : 0;
}

/* The same of a count. 0: there is none, or the number is none, which a file of another maker may have.
 */
static size_t headline_count(const struct kl_file *file, const char *name)
{
    const double value = kl_plot_file_number(file, name);
    return value >= 0 && value <= 0x1p53 ? (size_t)value : 0;
}

static __attribute__((format(printf, 2, 3))) void headline_add(char text[KL_HEADLINE], const char *form,
                                                               ...)
{
    const size_t n = strlen(text);
    va_list list;
    va_start(list, form);
    const int more = vsnprintf(text + n, KL_HEADLINE - n, form, list);
    va_end(list);
    if (more >= 0 && n + (size_t)more >= KL_HEADLINE) strcpy(text + KL_HEADLINE - 4, "...");
}

/* ", 3 devices", if n is not 0. */
static void headline_counted(char text[KL_HEADLINE], const char *before, size_t n, const char *what)
{
    if (n) headline_add(text, "%s%zu %s%s", before, n, what, kl_s(n));
}

/* "accuracy 0.9728 (95 % 0.9496 to 0.9848)"; kl_plot_page_interval_of says of what. */
static void headline_accuracy(char text[KL_HEADLINE], const struct kl_file *file, const char *name,
                              const char *title)
{
    const double value = kl_plot_file_number(file, name);
    double ends[2];
    if (isnan(value)) return;
    headline_add(text, "%s %.4f", title, value);
    if (kl_store_file_interval(ends, file, name))
        headline_add(text, " (95 %%%s %.4f to %.4f)", kl_plot_page_interval_of(file, name), ends[0],
                     ends[1]);
}

/* An attribute's text, at most 80 bytes of it. KL_EIO, KL_ENOMEM. */
static int headline_text(char text[KL_HEADLINE], const struct kl_file *file, const char *name,
                         const char *before, struct kl_error *err)
{
    char *own = NULL;
    if (!kl_store_file_has_attribute(file, "", name)) return KL_OK;
    const int code = kl_store_file_text(&own, file, "", name, err);
    if (!*text) before += strspn(before, ", ");
    if (!code) headline_add(text, "%s%.80s", before, own);
    free(own);
    return code;
}

/* The conditions of a report's numbers, ", 100 shots, noise depolarizing=0.01". */
static int headline_means(char text[KL_HEADLINE], const struct kl_file *file, struct kl_error *err)
{
    headline_counted(text, ", ", headline_count(file, "shots"), "shot");
    const int code = headline_text(text, file, "noise", ", noise ", err);
    return code ? code : headline_text(text, file, "mitigation", ", mitigated by ", err);
}

/* Reasons not to expect a report's numbers of new samples, "; the head was trained on these samples". */
static void headline_cautions(char text[KL_HEADLINE], const struct kl_file *file)
{
    if (kl_store_file_has_attribute(file, "", "trained_on_these"))
        headline_add(text, "; the head was trained on these samples");
    if (kl_store_file_has_attribute(file, "", "preprocess_differs"))
        headline_add(text, "; their preprocessing is not that of training");
}

/* ---- devices that are told by their bits ---- */
/* The level of kl_bits_depends of another room. Not of older files, which did not look. */
static bool depends(const struct kl_file *file)
{
    return kl_plot_file_number(file, "dependence_log10_p") < -2;
}

/* Older files took two bits for a symbol, whatever was declared, and did not look whether
   those depend. */
static void tell_limit(char text[KL_HEADLINE], const struct kl_file *file)
{
    const double own = kl_plot_file_number(file, "symbol_bits"), width = isnan(own) ? 2 : own;
    const bool dependent = depends(file);
    headline_add(text, "; limit %.4f of any classifier, if symbols of %.0f bit%s %s",
                 kl_plot_file_number(file, "limit_accuracy"), width, width > 1 ? "s" : "",
                 dependent ? "were independent, which they are not" : "are independent");
}

static void tell_collapsed(char text[KL_HEADLINE], size_t n, size_t splits)
{
    headline_add(text, "; collapsed on %zu of %zu split%s: one device whatever the row", n, splits,
                 kl_s(splits));
}

static int of_classifier(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, "collapsed");
    const double null = kl_plot_file_number(file, "null");
    double *all = NULL;
    size_t collapsed = 0;
    int code = headline_text(text, file, "model", "", err);
    if (!code) code = headline_text(text, file, "protocol", ", ", err);
    if (code || !d || d->rank != 1 || !(null >= 0 && null < (double)d->rows)) return code;
    code = kl_plot_page_doubles(&all, file, d, err);
    const size_t splits = d->rows - (size_t)null;
    for (size_t i = 0; i < splits && all; i++) collapsed += all[i] > 0;
    if (collapsed) tell_collapsed(text, collapsed, splits);
    free(all);
    return code;
}

static int of_device_report(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    char *model = NULL, name[80], title[80];
    size_t collapsed = 0;
    int code = kl_store_file_has_attribute(file, "", "model")
                   ? kl_store_file_text(&model, file, "", "model", err)
                   : KL_OK;
    if (model) {
        snprintf(name, sizeof name, "%.40s_accuracy", model);
        snprintf(title, sizeof title, "%.40s: accuracy", model);
        headline_accuracy(text, file, name, title);
        snprintf(name, sizeof name, "%.40s_collapsed", model);
        collapsed = headline_count(file, name);
        snprintf(name, sizeof name, "%.40s/accuracy", model);
    }
    headline_counted(text, " of ", headline_rows(file, "device_names"), "device");
    if (collapsed) tell_collapsed(text, collapsed, headline_rows(file, name));
    free(model);
    if (!isnan(kl_plot_file_number(file, "limit_accuracy"))) tell_limit(text, file);
    return code;
}

static int of_gan(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const size_t uniform = headline_count(file, "no_better_than_uniform");
    (void)err;
    headline_counted(text, "", headline_rows(file, "pairs"), "pair");
    headline_counted(text, ", ", headline_rows(file, "law"), "generator");
    if (uniform) headline_add(text, ", %zu no better than the uniform law", uniform);
    return KL_OK;
}

/* The p-values of held-out rows: all scores' [n, stride], and which one it is; NULL: an older file has
   none. */
static int load_held_out(double **p, size_t *stride, size_t *at, struct kl_file *file, size_t n,
                         struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, "score_p_holm"),
                            *names = kl_store_file_find(file, "scores");
    char *text = NULL, name[KL_NAME] = "";
    *p = NULL;
    if (!d || d->rank != 2 || d->rows != n || !names || names->type != KL_TYPE_STRING ||
        names->rank != 1 || names->rows != d->dims[1])
        return KL_OK;
    int code = kl_store_file_load((void **)&text, file, names, err);
    *stride = names->rows;
    for (*at = 0; !code && *at < names->rows; ++*at) {
        kl_plot_name(name, text, names->rows, names->item_size, *at);
        if (strcmp(name, "accuracy") == 0) break;
    }
    if (!code && *at < names->rows) code = kl_plot_page_doubles(p, file, d, err);
    free(text);
    return code;
}

static int add_rows(struct kl_differ *differ, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, "rows");
    double *rows = NULL;
    const int code = d ? kl_plot_page_doubles(&rows, file, d, err) : KL_OK;
    for (size_t i = 0; rows && i < d->rows; i++)
        kl_stats_differ_device(differ, rows[i] > 0 && rows[i] < 1e15 ? (size_t)rows[i] : 0);
    free(rows);
    return code;
}

static int of_tournament(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, "log10_p_holm");
    struct kl_differ differ = { .permutations = headline_count(file, "permutations"),
                                .dependent = depends(file) };
    char words[KL_DIFFER_TEXT];
    double *p = NULL, *held_out = NULL;
    size_t stride = 0, at = 0;
    int code = d ? kl_plot_page_doubles(&p, file, d, err) : KL_OK;
    if (!code && p) code = load_held_out(&held_out, &stride, &at, file, d->rows, err);
    headline_counted(text, "", headline_rows(file, "devices"), "device");
    if (!held_out) differ.permutations = 0; /* as far as an older file tells */
    if (!code && held_out) code = add_rows(&differ, file, err);
    if (!code && p) {
        for (size_t i = 0; i < d->rows; i++)
            kl_stats_differ_add(&differ, p[i], held_out ? held_out[i * stride + at] : NAN);
        kl_stats_differ_text(words, &differ);
        headline_add(text, ", %s", words);
    }
    free(p), free(held_out);
    return code;
}

/* ---- quantum control: pulses, policies, what adapting is worth ---- */
/* "x of qubit, loss 0.0414214 (average x), F_avg 0.958579; 25 members, worst 0.003; 8 starts, 0 %
   trapped", as the terminal has it. */
static int of_pulse(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const size_t members = headline_rows(file, "members/loss"),
                 starts = headline_rows(file, "starts/loss");
    const double loss = kl_plot_file_number(file, "loss"),
                 average = kl_plot_file_number(file, "average_gate_fidelity"),
                 leakage = kl_plot_file_number(file, "leakage"),
                 trapped = kl_plot_file_number(file, "trapped");
    int code = headline_text(text, file, "gate", "", err);
    if (!code) code = headline_text(text, file, "system", " of ", err);
    if (!isnan(loss)) /* of an ensemble's law, if members that the search did not see judged it */
        headline_add(text, ", loss %.6g%s", loss,
                     kl_store_file_has_attribute(file, "", "members_loss") ? " over the law" : "");
    if (!code) code = headline_text(text, file, "objective", " (", err);
    if (kl_store_file_has_attribute(file, "", "objective")) headline_add(text, ")");
    if (!isnan(average)) headline_add(text, ", F_avg %.6f", average);
    if (leakage > 0) headline_add(text, ", leakage %.3g", leakage);
    if (members > 1) {
        headline_counted(text, "; ", members, "member");
        headline_add(text, ", worst %.6g", kl_plot_file_number(file, "worst_loss"));
    }
    headline_counted(text, "; ", starts, "start");
    if (starts && !isnan(trapped)) headline_add(text, ", %.0f %% trapped", 100 * trapped);
    return code;
}

/* The least loss of the validation tasks after adapting. */
static int of_policy(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, "history/val_post");
    double *values = NULL, least = INFINITY;
    if (!d || d->rank != 2 || !d->rows || !d->dims[1]) return KL_OK;
    const int code = kl_plot_page_doubles(&values, file, d, err);
    for (size_t i = 0; values && i < d->rows * d->dims[1]; i++) least = fmin(least, values[i]);
    if (d->rows == 1) headline_add(text, "1 policy");
    else headline_add(text, "%zu policies", d->rows);
    headline_counted(text, ", ", d->dims[1], "epoch");
    if (values && isfinite(least)) headline_add(text, ", best adapted loss %.6g", least);
    free(values);
    return code;
}

/* Of a regret, of a comparison. */
static int of_verdict(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    char *verdict = NULL;
    const int code = kl_store_file_has_attribute(file, "", "verdict")
                         ? kl_store_file_text(&verdict, file, "", "verdict", err)
                         : KL_OK;
    if (verdict) headline_add(text, "%.400s", verdict);
    free(verdict);
    return code;
}

static int of_regret(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const double regret = kl_plot_file_number(file, "regret");
    double ends[2];
    const int code = of_verdict(text, file, err);
    if (isnan(regret)) return code;
    headline_add(text, "; regret %.3g", regret);
    if (kl_store_file_interval(ends, file, "regret"))
        headline_add(text, " (95 %% %.3g to %.3g)", ends[0], ends[1]);
    headline_counted(text, " over ", headline_rows(file, "losses/policy"), "task");
    return code;
}

/* ---- sampling: chains, what they prove ---- */
/* "fcn1 on synth, true labels, 7 temperatures up to beta 300" */
static int of_chains(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, "ladder/beta");
    double *beta = NULL;
    int code = headline_text(text, file, "model", "", err);
    if (!code) code = headline_text(text, file, "data", " on ", err);
    if (!code) code = headline_text(text, file, "labels", ", labels ", err);
    if (!code) code = headline_text(text, file, "sampler", ", ", err);
    if (!code && d && d->rows) code = kl_plot_page_doubles(&beta, file, d, err);
    if (!code && beta) {
        headline_counted(text, *text ? ", " : "", d->rows, "temperature");
        headline_add(text, " up to beta %.6g", beta[d->rows - 1]);
    }
    free(beta);
    return code;
}

/* The temperature whose bound is the tightest, if it is not the last one, whose bound is told as the one
   that no look at the others chose. values [n]: bounds of the temperatures beta [n]. */
static void add_tightest(char text[KL_HEADLINE], const double *values, const double *beta, size_t n)
{
    size_t least = n - 1;
    for (size_t k = 1; k < n; k++)
        if (!isnan(values[k]) && !(values[k] >= values[least])) least = k;
    if (least + 1 == n || n < 3) return;
    headline_add(text,
                 "; the tightest of %zu, %.4f at beta %.6g, is chosen after a look at all: sgld bounds "
                 "tells it with delta / %zu",
                 n - 1, values[least], beta[least], n - 1);
}

/* "mnist true: bound 0.3482 at beta 300, the largest, test error 0.0498, ..." */
static int of_bounds(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *at = kl_store_file_find(file, "beta"),
                            *of = kl_store_file_find(file, "bound");
    const double bound = kl_plot_file_number(file, "last_bound"),
                 test = kl_plot_file_number(file, "last_test"),
                 calibrated = kl_plot_file_number(file, "last_calibrated"),
                 delta = kl_plot_file_number(file, "delta");
    double *beta = NULL, *bounds = NULL;
    int code = headline_text(text, file, "ladder", "", err);
    if (!code && at && at->rows) code = kl_plot_page_doubles(&beta, file, at, err);
    if (!code && beta && of && of->rows == at->rows) code = kl_plot_page_doubles(&bounds, file, of, err);
    if (*text) headline_add(text, ": ");
    if (!isnan(bound)) headline_add(text, "bound %.4f", bound);
    else headline_add(text, "no bound");
    if (beta) headline_add(text, " at beta %.6g, the largest", beta[at->rows - 1]);
    else headline_add(text, " at the largest beta");
    if (!isnan(delta)) headline_add(text, " (delta %.3g)", delta);
    if (!isnan(test)) headline_add(text, ", test error %.4f", test);
    if (!isnan(calibrated)) headline_add(text, ", calibrated %.4f, which is no guarantee", calibrated);
    if (bounds && !(kl_plot_file_number(file, "factor") < 1)) /* else no theorem says what they say */
        add_tightest(text, bounds, beta, at->rows);
    free(beta), free(bounds);
    return code;
}

/* ---- windows, models on them, reports ---- */
static void add_people(char text[KL_HEADLINE], const struct kl_file *file, const char *before)
{
    const size_t n = headline_rows(file, "subject_names");
    if (n) headline_add(text, "%s%zu %s", before, n, n == 1 ? "person" : "people");
}

static int of_windows(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *x = kl_store_file_find(file, "x");
    const double rate = kl_plot_file_number(file, "rate");
    (void)err;
    if (!x || x->rank != 3) return KL_OK;
    headline_counted(text, "", x->dims[0], "window");
    headline_counted(text, " of ", x->dims[1], "channel");
    headline_counted(text, " and ", x->dims[2], "step");
    if (rate > 0) headline_add(text, " at %g Hz", rate);
    add_people(text, file, ", ");
    return KL_OK;
}

/* "hydra, split loso": a model, a fit, a report. */
static int add_model(char text[KL_HEADLINE], const struct kl_file *file, struct kl_error *err)
{
    const int code = headline_text(text, file, "model", "", err);
    return code ? code : headline_text(text, file, "split", ", split ", err);
}

static int of_sequence_model(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *epochs = kl_store_file_find(file, "history/train_loss");
    const int code = add_model(text, file, err);
    headline_counted(text, ", ", headline_count(file, "parameters"), "parameter");
    headline_counted(text, ", ", headline_rows(file, "replicas/best_epoch"), "replica");
    if (epochs && epochs->rank == 2) headline_counted(text, ", up to ", epochs->dims[1], "epoch");
    if (kl_plot_file_number(file, "leak") > 0) headline_add(text, "; a leak");
    return code;
}

static int of_sequence_report(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const size_t replicas = headline_rows(file, "metrics/accuracy");
    const double accuracy = kl_plot_file_number(file, "accuracy");
    char errors[KL_PAGE_ERRORS];
    const int code = add_model(text, file, err);
    kl_plot_page_errors(errors, file, "accuracy");
    if (!isnan(accuracy)) headline_add(text, ", accuracy %.4f%s", accuracy, errors);
    headline_counted(text, ", on ", headline_rows(file, "labels"), "window");
    add_people(text, file, " of ");
    if (replicas > 1) headline_counted(text, ", mean of ", replicas, "replica");
    if (kl_plot_file_number(file, "transductive") > 0) headline_add(text, "; transductive");
    if (kl_plot_file_number(file, "leak") > 0)
        headline_add(text, "; a leak: windows of the tested recordings trained it");
    return code;
}

/* ---- heads, features, sweeps; and any file ---- */
static int of_report(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const size_t heads = headline_rows(file, "replicas/accuracy");
    headline_accuracy(text, file, "accuracy", "accuracy");
    if (heads > 1) headline_counted(text, " over ", heads, "head");
    headline_counted(text, heads > 1 ? ", on " : " on ", headline_rows(file, "labels"), "sample");
    const int code = headline_means(text, file, err);
    if (!code) headline_cautions(text, file);
    return code;
}

/* A head's accuracies at their best epochs; validation's or, without it, training's. */
static int of_head(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const bool judged = kl_store_file_find(file, "split/validation");
    const struct kl_dataset *best = kl_store_file_find(file, "replicas/best_epoch"),
                            *d = kl_store_file_find(file, judged ? "history/val_accuracy"
                                                                 : "history/train_accuracy");
    double *epochs = NULL, *values = NULL, sum = 0, low = INFINITY, high = -INFINITY;
    if (!best || !d || best->rank != 1 || d->rank != 2 || d->rows != best->rows || !best->rows)
        return KL_OK;
    int code = kl_plot_page_doubles(&epochs, file, best, err);
    if (!code) code = kl_plot_page_doubles(&values, file, d, err);
    for (size_t r = 0; r < best->rows && epochs && values; r++) {
        const double at = epochs[r] >= 0 && epochs[r] < (double)d->dims[1]
                              ? values[r * d->dims[1] + (size_t)epochs[r]]
                              : NAN;
        sum += at, low = fmin(low, at), high = fmax(high, at);
    }
    if (!code && epochs && values) {
        headline_counted(text, "", best->rows, "head");
        headline_counted(text, ", ", d->dims[1], "epoch");
        headline_add(text, ", %s accuracy %.4f", judged ? "val" : "no validation, train",
                     sum / (double)best->rows);
        if (best->rows > 1) headline_add(text, " (%.4f to %.4f)", low, high);
    }
    free(epochs), free(values);
    return code;
}

static int of_features(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    (void)err;
    const struct kl_dataset *d = kl_store_file_find(file, "features");
    if (d && d->rank == 2)
        headline_add(text, "%zu x %zu %s", d->rows, d->dims[1],
                     d->type == KL_TYPE_F16 ? "float16" : "float32");
    return KL_OK;
}

static int of_sweep(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    struct kl_sweep sweep = { 0 };
    size_t *order = NULL;
    int code = kl_train_sweep_load(&sweep, file, err);
    if (!code && !(order = malloc((sweep.n + 1) * sizeof *order)))
        code = kl_fail_memory(err, sweep.n * sizeof *order);
    if (!code) {
        const bool heads = !kl_store_file_has_attribute(file, "", "of");
        kl_train_sweep_order(order, &sweep);
        headline_counted(text, "", sweep.n, "point");
        headline_counted(text, " of ", sweep.replicas, heads ? "head" : "model");
        const double best = sweep.n ? kl_train_sweep_mean(&sweep, order[0], 0) : NAN;
        if (isfinite(best))
            headline_add(text, "; best: %s, %s %.4f", sweep.rows[order[0]].name, sweep.by.row[0].label,
                         best);
    }
    free(order);
    kl_train_sweep_free(&sweep);
    return code;
}

/* The verdict; of one person, who has none, what each model scores. */
static int of_comparison(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *models = kl_store_file_find(file, "models"),
                            *of = kl_store_file_find(file, "mean");
    char *names = NULL, name[KL_NAME];
    double *means = NULL;
    int code = of_verdict(text, file, err);
    if (code || *text || !models || !of || models->type != KL_TYPE_STRING || models->rank != 1 ||
        of->rank != 1 || of->rows != models->rows)
        return code;
    code = kl_store_file_load((void **)&names, file, models, err);
    if (!code) code = kl_plot_page_doubles(&means, file, of, err);
    if (!code) code = headline_text(text, file, "metric", "", err);
    for (size_t i = 0; i < of->rows && !code; i++) {
        kl_plot_name(name, names, models->rows, models->item_size, i);
        headline_add(text, "%s %s %.4f", i ? "," : "", name, means[i]);
    }
    headline_counted(text, ", on ", headline_count(file, "windows"), "window");
    if (headline_count(file, "people") == 1) headline_add(text, " of 1 person");
    free(names), free(means);
    return code;
}

static int of_others(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const char *kind = kl_store_file_kind(file);
    char *told = NULL;
    const int code = kl_store_file_told(&told, file, err);
    if (strcmp(kind, "plateau") == 0) {
        headline_counted(text, "", headline_rows(file, "observables"), "observable");
        headline_counted(text, ", ", headline_rows(file, "qubits") * headline_rows(file, "layers"),
                         "circuit");
        if (!isnan(kl_plot_file_number(file, "draws")))
            headline_add(text, " of %.0f draws", kl_plot_file_number(file, "draws"));
    } else if (strcmp(kind, "device-bits") == 0) {
        if (!isnan(kl_plot_file_number(file, "n_rows")))
            headline_add(text, "%.0f rows of %.0f bits, ", kl_plot_file_number(file, "n_rows"),
                         kl_plot_file_number(file, "n_bits"));
        headline_counted(text, "", headline_rows(file, "class_names"), "device");
    } else if (told) headline_add(text, "%s", told);
    else headline_counted(text, "", headline_rows(file, "devices"), "device");
    free(told);
    return code;
}

int kl_plot_page_headline(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    static const struct {
        const char *kind;
        int (*tell)(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err);
    } lines[] = { { "report", of_report },
                  { "device-report", of_device_report },
                  { "device-classifier", of_classifier },
                  { "gan", of_gan },
                  { "head", of_head },
                  { "features", of_features },
                  { "tournament", of_tournament },
                  { "sweep", of_sweep },
                  { "pulse", of_pulse },
                  { "policy", of_policy },
                  { "regret", of_regret },
                  { "chains", of_chains },
                  { "bounds", of_bounds },
                  { "windows", of_windows },
                  { "sequence-model", of_sequence_model },
                  { "sequence-fit", of_sequence_model },
                  { "sequence-report", of_sequence_report },
                  { "sequence-comparison", of_comparison } };
    *text = '\0';
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (strcmp(lines[i].kind, kl_store_file_kind(file)) == 0) return lines[i].tell(text, file, err);
    return of_others(text, file, err);
}

/* ---- above the frames of a report's figures ---- */
int kl_plot_which_replica(char which[KL_WHICH], const struct kl_figure_inputs *inputs, size_t n,
                          struct kl_error *err)
{
    *which = '\0';
    if ((size_t)inputs->replica >= n)
        return kl_fail(err, KL_EUSAGE, "--replica %lld: %s has %zu head%s, numbered from 0",
                       (long long)inputs->replica, kl_store_file_path(inputs->file), n, kl_s(n));
    if (n > 1)
        snprintf(which, KL_WHICH, "replica %lld (of 0 to %zu)", (long long)inputs->replica, n - 1);
    return KL_OK;
}

int kl_plot_report_head(cairo_t *cr, double left, double top, const struct kl_file *file, double n,
                        const char *which, struct kl_error *err)
{
    const double room = 230;
    char text[KL_HEADLINE], cautions[KL_HEADLINE] = "";
    const bool windows = strcmp(kl_store_file_kind(file), "sequence-report") == 0;
    *text = '\0';
    int code = windows ? headline_text(text, file, "model", "", err) : KL_OK;
    headline_add(text, "%s%.0f %s%s", *text ? ", " : "", n, windows ? "window" : "sample",
                 n == 1 ? "" : "s");
    if (!code) code = headline_means(text, file, err);
    if (code) return code;
    if (*which) headline_add(text, ", %s", which);
    headline_cautions(cautions, file);
    kl_plot_colour(cr, 0, 1);
    if (*cautions) kl_plot_text_within(cr, left, top - 7, 7, KL_LEFT, room, cautions + 2);
    kl_plot_text_within(cr, left, top - (*cautions ? 17 : 7), 7, KL_LEFT, room, text);
    return KL_OK;
}
