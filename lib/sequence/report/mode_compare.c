/* SPDX-License-Identifier: MIT
   `qseq compare`: reports of several models, paired over people. It keeps no file. */
#include <stdlib.h>
#include <string.h>

#include "sequence/report/compare.h"
#include "store/mode.h"

#define METRICS "accuracy|balanced_accuracy|kappa|auc|f1|log_loss|brier|calibration"
struct values {
    struct kl_common common;
    const char *metric;
    int64_t draws;
    bool csv, against_first;
};
#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "metric", 0, KL_OPT_CHOICE, AT(metric), METRICS, 0, 0, false, "what is compared", "Comparison",
      NULL },
    { "against-first", 0, KL_OPT_FLAG, AT(against_first), NULL, 0, 0, false,
      "pairs of the first report with each other one alone", NULL, NULL },
    { "draws", 0, KL_OPT_INT, AT(draws), "N", 1000, 1e8, false,
      "sign flips, where people are over 40; else all", NULL, NULL },
    { "csv", 0, KL_OPT_FLAG, AT(csv), NULL, 0, 0, false, "comma-separated values, a line a pair", NULL,
      NULL },
};
const struct kl_tool kl_sequence_compare_tool = {
    .name = "qseq",
    .summary = "Compares models by their reports on the same windows, paired over people: means and "
               "differences with intervals, exact sign flips and signed ranks with Holm's correction, "
               "Friedman",
    .arguments = "compare REPORT.h5 REPORT.h5...",
    .example = "qseq compare hydra.report.h5 eegnet.report.h5 csp.report.h5\n"
               "  qseq compare *.report.h5 --metric auc --csv > pairs.csv",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "output store force dry-run key note no-provenance progress device",
    .chosen_by = "compare",
};

static void defaults(void *values)
{
    struct values *v = values;
    v->metric = "accuracy", v->draws = 100000;
}

/* One report twice would be a pair without a difference, and a pair more to correct for. */
static int check_once(struct kl_file *const *files, size_t last, struct kl_error *err)
{
    for (size_t i = 0; i < last; i++)
        if (strcmp(kl_store_file_content(files[i]), kl_store_file_content(files[last])) == 0)
            return kl_fail(err, KL_EUSAGE, "%s has the same content as %s; give it once",
                           kl_store_file_path(files[last]), kl_store_file_path(files[i]));
    return KL_OK;
}

static int open_all(struct kl_sequence_reported *reports, struct kl_file **files,
                    const char *const *paths, size_t n, struct kl_error *err)
{
    for (size_t i = 0; i < n; i++) {
        int code = kl_store_file_open(&files[i], paths[i], err);
        if (!code) code = check_once(files, i, err);
        if (!code) code = kl_sequence_reported_open(reports + i, files[i], err);
        if (code) return code;
    }
    return KL_OK;
}

static void caution(const struct kl_log *log, const struct kl_sequence_compared *c)
{
    if (c->n_left_out)
        kl_caution(log, "%zu %s left out, whose %s is undefined in a report", c->n_left_out,
                   c->n_left_out == 1 ? "person is" : "people are", kl_stats_metric_names[c->metric]);
    if (c->n_people < 2) kl_caution(log, "one person has no intervals and tests over people");
    else if (c->n_people < 6)
        kl_caution(log, "%zu people: no test over them can give a p below %.3g", c->n_people,
                   2.0 / (double)(1 << c->n_people));
}

/* One has looked at what it is tested on, if not at the labels. */
static void caution_unlike(const struct kl_log *log, const struct kl_sequence_reported *reports,
                           size_t n)
{
    size_t own = 0;
    for (size_t i = 0; i < n; i++) own += reports[i].transductive;
    for (size_t i = 0; i < n && own < n; i++)
        if (reports[i].transductive)
            kl_caution(log,
                       "%s is transductive (fitted on each tested person's own windows), others are "
                       "not: a difference may be that",
                       reports[i].path);
}

/* A net lays windows aside by which its epoch is chosen; what is fitted at once learns from them too. */
static void caution_training(const struct kl_log *log, const struct kl_sequence_reported *reports,
                             size_t n)
{
    size_t least = 0, most = 0;
    for (size_t i = 1; i < n; i++) {
        if (reports[i].train_windows < reports[least].train_windows) least = i;
        if (reports[i].train_windows > reports[most].train_windows) most = i;
    }
    const double a = reports[least].train_windows, b = reports[most].train_windows;
    if (b > 1.1 * a)
        kl_caution(log,
                   "%s is of models that learnt from %.0f windows in the mean, %s from %.0f: a "
                   "difference may be that",
                   reports[most].path, b, reports[least].path, a);
}

static int told(const struct kl_sequence_compared *c, const struct kl_sequence_reported *reports,
                size_t n, const struct kl_mode_run *run, struct kl_error *err)
{
    const struct values *v = run->values;
    caution(run->stage.log, c);
    caution_unlike(run->stage.log, reports, n);
    caution_training(run->stage.log, reports, n);
    if (v->common.json) return kl_sequence_compare_json(run->out, c, run->stage.log, err);
    if (v->csv) kl_sequence_compare_csv(run->out, c);
    else kl_sequence_compare_tell(run->out, c);
    return KL_OK;
}

static int run(struct kl_mode_run *run, struct kl_error *err)
{
    const struct values *v = run->values;
    const char *const *paths = run->stage.inputs + 1; /* the word itself */
    const size_t n = run->stage.n_inputs - 1;
    const struct kl_sequence_compare_options o = { kl_choice(METRICS, v->metric), (size_t)v->draws,
                                                   (uint64_t)v->common.seed, v->against_first };
    struct kl_sequence_compared compared = { 0 };
    if (n < 2) return kl_fail(err, KL_EUSAGE, "%zu report%s, expected two or more", n, kl_s(n));
    if (v->csv && v->common.json) return kl_fail(err, KL_EUSAGE, "--csv and --json: give one of them");
    struct kl_sequence_reported *const reports = calloc(n, sizeof *reports);
    struct kl_file **const files = calloc(n, sizeof *files);
    int code = reports && files ? open_all(reports, files, paths, n, err)
                                : kl_fail_memory(err, n * sizeof *reports);
    if (!code) code = kl_sequence_compare(&compared, reports, n, &o, err);
    if (!code) code = told(&compared, reports, n, run, err);
    kl_sequence_compared_free(&compared);
    for (size_t i = 0; reports && i < n; i++) kl_sequence_reported_close(reports + i);
    for (size_t i = 0; files && i < n; i++) kl_store_file_close(&files[i]);
    free(reports), free(files);
    return code;
}

const struct kl_mode kl_sequence_mode_compare = {
    .tool = &kl_sequence_compare_tool, .defaults = defaults, .run = run, .keeps_nothing = true
};
