/* SPDX-License-Identifier: MIT
   What a stage found, in the words and digits of the terminal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"
#include "plot/page/page_int.h"

/* In this order before all others, which stand by their names. digits: always four, as the tools print
   them. */
struct known {
    const char *name, *words;
    bool digits;
};
static const struct known known[] = {
    { "accuracy", "accuracy", true },
    { "loss", "loss", false },
    { "nominal_loss", "loss of the problem's own values", false },
    { "worst_loss", "worst loss of the ensemble", false },
    { "average_gate_fidelity", "average gate fidelity", false },
    { "entanglement_fidelity", "entanglement fidelity", false },
    { "trapped", "share of starts that were trapped, of those that went to their ends", false },
    { "stop", "why the best start ended", false },
    { "regret", "regret of the adapted policy: loss above each task's optimum", false },
    { "regret_unadapted", "regret without adapting", false },
    { "regret_mean_network", "regret of the network trained on the mean", false },
    { "regret_steered_pulse", "regret of the best fixed pulse after as many steps", false },
    { "regret_fixed_pulse", "regret of the best fixed pulse", false },
    { "log_loss", "log loss", true },
    { "auc", "area under the ROC", true },
    { "balanced_accuracy", "balanced accuracy", true },
    { "kappa", "kappa", true },
    { "f1", "F1, weighted", true },
    { "brier", "Brier score", true },
    { "calibration", "calibration error", true },
    { "train_windows", "windows that trained it, mean over folds", false },
    { "transductive", "transductive: fitted on each person's own windows, without labels (0 no, 1 yes)",
      false },
    { "leak", "a leak: recordings that are in training and in test (0 no, 1 yes)", false },
    { "steps_before", "steps of a window before its event (negative: it begins after)", false },
    { "expected_calibration_error", "calibration error", true },
    { "minus_twin", "circuit - twin", true },
    { "minus_frozen", "circuit - frozen", true },
    { "minus_none", "circuit - none", true },
    { "controls", "controls", false },
    { "output_error", "outputs off by", true },
    { "unmitigated_output_error", "outputs off by, not mitigated", true },
    { "unmitigated_accuracy", "accuracy, not mitigated", true },
    { "unmitigated_log_loss", "log loss, not mitigated", true },
    { "mcnemar_p", "McNemar p", true },
    { "top_k_k", "k of the top-k accuracy", false },
    { "symbol_bits", "bits of a symbol", false },
    { "dependence_log10_p", "log10 p, successive symbols independent", false },
    { "dependence_device", "where that is least likely", false },
    { "limit_accuracy", "limit of any classifier, if symbols are independent", true },
    { "limit_information_bits", "bits a row tells of its device, if symbols are independent", true },
    { "information", "bits a row tells of its device, if symbols are independent", true },
    { "no_better_than_uniform", "generators no better than the uniform law", false },
    { "features_backbone", "backbone of the features", false },
    { "features_tap", "layer they are from", false },
    { "features_preprocess", "preprocessing of the images", false },
    { "features_weights_sha256", "SHA-256 of the backbone's weights", false },
};
/* Of chains and bounds these alone are facts: what else stands in their files is options, which the page
   tells below, and what another run compares itself by. */
static const struct known of_chains[] = {
    { "model", "network", false },
    { "sampled_parameters", "parameters of the head that are sampled", false },
    { "data", "records", false },
    { "labels", "labels", false },
    { "n", "training records", false },
    { "n_test", "test records", false },
    { "n_parameters", "parameters", false },
    { "loss", "loss", false },
    { "sampler", "sampler", false },
    { "batch", "records a step", false },
    { "chains", "chains of each temperature", false },
    { "minimum_loss", "least loss that L-BFGS finds", false },
    { "minimum_none", "why no least loss is known", false },
    { "ln_bayes_twin", "ln of the Bayes factor against the classical twin", false },
    { "ln_bayes_none", "ln of the Bayes factor against none", false },
};
static const struct known of_bounds[] = {
    { "last_bound", "bound on the error at the largest beta", true },
    { "delta", "it may fail with the probability", false },
    { "last_test", "test error there", true },
    { "chance", "error of a guess", true },
    { "last_calibrated", "calibrated bound there: a heuristic, no guarantee", true },
    { "calibrated_by", "calibrated by", false },
    { "wbic", "WBIC", false },
    { "last_llc", "local learning coefficient at the largest beta", false },
    { "least_loss", "least loss that it is told from", false },
    { "next_beta", "where a further temperature would gain most", false },
    { "n", "training records", false },
    { "m", "test records", false },
    { "loss_name", "loss", false },
    { "bound_of", "bounds are of", false },
};
#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* The attributes known of a kind; *all: whatever else its files have is told behind them. */
static const struct known *known_of(size_t *n, bool *all, const struct kl_file *file)
{
    const char *kind = kl_store_file_kind(file);
    *all = false;
    if (strcmp(kind, "chains") == 0) return *n = LENGTH(of_chains), of_chains;
    if (strcmp(kind, "bounds") == 0) return *n = LENGTH(of_bounds), of_bounds;
    return *n = LENGTH(known), *all = true, known;
}

static size_t find_known(const struct known *list, size_t n, const char *name)
{
    size_t i = 0;
    while (i < n && strcmp(list[i].name, name) != 0) i++;
    return i;
}

/* Does it stand beside what it bounds, or whose error it is? */
static bool is_beside(const struct kl_file *file, const char *name)
{
    static const char *const ends[] = { "_low", "_high", "_error", "_se", "_se_people" };
    char stem[128];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t n = strlen(name), end = strlen(ends[i]);
        if (n <= end || strcmp(name + n - end, ends[i]) != 0) continue;
        snprintf(stem, sizeof stem, "%.*s", (int)(n - end), name);
        return kl_store_file_has_attribute(file, "", stem);
    }
    return false;
}

const char *kl_plot_page_interval_of(const struct kl_file *file, const char *name)
{
    const struct kl_dataset *heads = kl_store_file_find(file, "replicas/accuracy");
    return heads && heads->rows > 1 && strcmp(name, "accuracy") == 0 ? " over samples" : "";
}

/* "+0.0200 (95 % -0.0290 to +0.0690, paired over 5 seeds)": of a control, in qeval's own words. */
static void write_difference(FILE *to, const struct kl_file *file, const char *name, const char *title,
                             double difference)
{
    const struct kl_dataset *seeds = kl_store_file_find(file, "replicas/accuracy");
    struct kl_paired of = { seeds ? seeds->rows : 1, difference, difference, difference };
    char text[KL_PAIRED_TEXT], low[128];
    double ends[2];
    snprintf(low, sizeof low, "%s_low", name);
    if (kl_store_file_interval(ends, file, name)) of.low = ends[0], of.high = ends[1];
    if (of.n > 1 && !kl_store_file_has_attribute(file, "", low)) /* of a version without intervals */
        snprintf(text, sizeof text, "%+.4f", difference);
    else kl_stats_paired_text(text, &of);
    kl_plot_html_fact(to, title, text);
}

/* The number NAME_END; NaN: there is none. */
static double beside(const struct kl_file *file, const char *name, const char *end)
{
    char own[128];
    double value;
    snprintf(own, sizeof own, "%s_%s", name, end);
    return kl_store_file_has_attribute(file, "", own) &&
                   !kl_store_file_number(&value, file, "", own, NULL)
               ? value
               : NAN;
}

void kl_plot_page_errors(char text[KL_PAGE_ERRORS], const struct kl_file *file, const char *name)
{
    const double error = beside(file, name, "error"), people = beside(file, name, "se_people"),
                 windows = beside(file, name, "se");
    *text = '\0';
    if (!isnan(people) && !isnan(windows))
        snprintf(text, KL_PAGE_ERRORS, " (standard error %.4f over people, %.4f by windows alone)",
                 people, windows);
    else if (!isnan(windows))
        snprintf(text, KL_PAGE_ERRORS, " (standard error %.4f by windows alone)", windows);
    else if (!isnan(error)) snprintf(text, KL_PAGE_ERRORS, " (standard error %.3g)", error);
}

/* "0.9728 (95 % 0.9496 to 0.9848)"; "0.4382 (standard error 0.0205)" */
static void write_number(FILE *to, const struct kl_file *file, const char *name, const char *title,
                         bool digits, double value)
{
    char text[KL_PAGE_NUMBER], low[KL_PAGE_NUMBER], high[KL_PAGE_NUMBER], whole[5 * KL_PAGE_NUMBER],
        error[KL_PAGE_ERRORS];
    const char *form = digits                     ? "%.4f"
                       : strstr(name, "log10_p")  ? "%.1f"
                       : strstr(name, "fidelity") ? "%.6f"
                                                  : kl_plot_page_form(&value, 1, 1);
    double ends[2];
    kl_plot_page_number(text, value, form);
    snprintf(whole, sizeof whole, "%s", text);
    if (kl_store_file_interval(ends, file, name)) {
        if (strcmp(form, "%.0f") == 0) form = kl_plot_page_form(ends, 2, 1);
        kl_plot_page_number(text, value, form);
        kl_plot_page_number(low, ends[0], form);
        kl_plot_page_number(high, ends[1], form);
        snprintf(whole, sizeof whole, "%s (95 %%%s %s to %s)", text,
                 kl_plot_page_interval_of(file, name), low, high);
    }
    kl_plot_page_errors(error, file, name);
    if (*error) snprintf(whole, sizeof whole, "%s%s", text, error);
    kl_plot_html_fact(to, title, whole);
}

/* of: NULL, it is called by its name. */
static void write_one(FILE *to, const struct kl_file *file, const char *name, const char *text,
                      const struct known *of)
{
    const char *title = of ? of->words : name;
    double value;
    if (strcmp(name, "controls") == 0 && strcmp(text, "yes") == 0) return; /* they have rows */
    if (kl_store_file_number(&value, file, "", name, NULL)) kl_plot_html_fact(to, title, text);
    else if (strncmp(name, "minus_", 6) == 0) write_difference(to, file, name, title, value);
    else write_number(to, file, name, title, of && of->digits, value);
}

/* Those that are the i-th of the n that are known, or (i = n) all others. */
static int write_part(FILE *to, const struct kl_file *file, const struct known *list, size_t n, size_t i,
                      struct kl_error *err)
{
    const char *name;
    char *text;
    for (size_t k = 0;; k++) {
        int code = kl_store_file_result(&name, &text, file, k, err);
        if (code || !name) return code;
        if (find_known(list, n, name) == i && !is_beside(file, name))
            write_one(to, file, name, text, i < n ? &list[i] : NULL);
        free(text);
    }
}

int kl_plot_page_results(FILE *to, const struct kl_file *file, struct kl_error *err)
{
    const char *name;
    char *text;
    size_t n;
    bool all;
    const struct known *list = known_of(&n, &all, file);
    int code = kl_store_file_result(&name, &text, file, 0, err);
    if (code || !name) return code;
    free(text);
    fprintf(to, "<h3>%s</h3>\n<div class=\"wide\"><table>\n",
            strstr(kl_store_file_kind(file), "report") ? "Results" : "Facts");
    for (size_t i = 0; i < n + all && !code; i++) code = write_part(to, file, list, n, i, err);
    fputs("</table></div>\n", to);
    return code;
}
