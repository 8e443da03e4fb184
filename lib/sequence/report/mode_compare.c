/* SPDX-License-Identifier: MIT
   qseq compare: reports of several models, paired over people: a table, and with -o a file. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/report/compare.h"
#include "store/kind.h"
#include "store/mode.h"

/* ---- a comparison as a table, as JSON and as comma-separated values ---- */

static void number(struct kl_table *t, const char *format, double value)
{
    kl_table_number(t, format, value, "undefined");
}

/* Is there an interval over people and seeds? */
static bool has_seeds(const struct kl_sequence_compared *c)
{
    bool any = false;
    for (size_t m = 0; m < c->n_models; m++) any = any || isfinite(c->models[m].both.low);
    return any;
}

static void make_models(struct kl_table *t, const struct kl_sequence_compared *c)
{
    const bool seeds = has_seeds(c);
    /* As wide as the differences below, where these are short. */
    kl_table_column(t, (int)strlen("difference"), "model"), kl_table_column(t, 9, "mean");
    kl_table_column(t, 19, "95 % over people");
    if (seeds) kl_table_column(t, 19, "95 % people, seeds");
    kl_table_column(t, 11, "all windows"), kl_table_column(t, 10, "over seeds");
    kl_table_column(t, 9, "mean rank");
    for (size_t m = 0; m < c->n_models; m++) {
        const struct kl_sequence_compared_model *const model = c->models + m;
        kl_table_cell(t, "%s", model->name), number(t, "%.4f", model->mean);
        kl_table_interval(t, "%.4f to %.4f", model->low, model->high);
        if (seeds) kl_table_interval(t, "%.4f to %.4f", model->both.low, model->both.high);
        number(t, "%.4f", model->windows), number(t, "%.4f", model->seeds);
        number(t, "%.2f", model->rank);
    }
}

static void make_pairs(struct kl_table *t, const struct kl_sequence_compared *c)
{
    static const char *const titles[] = { "SE test", "p flips", "Holm", "p ranks", "Holm", "p folds" };
    const bool seeds = has_seeds(c), folds = !isnan(c->ratio);
    kl_table_column(t, 0, "difference"), kl_table_column(t, 9, "mean");
    kl_table_column(t, 19, "95 % over people");
    if (seeds) kl_table_column(t, 19, "95 % people, seeds");
    for (int i = 0; i < (folds ? 6 : 5); i++) kl_table_column(t, 9, titles[i]);
    for (size_t k = 0; k < c->n_pairs; k++) {
        const struct kl_sequence_compared_pair *const p = c->pairs + k;
        kl_table_cell(t, "%s - %s", c->models[p->a].name, c->models[p->b].name);
        number(t, "%+.4f", p->difference);
        kl_table_interval(t, "%+.4f to %+.4f", p->t.low, p->t.high);
        if (seeds) kl_table_interval(t, "%+.4f to %+.4f", p->both.low, p->both.high);
        number(t, "%.4f", p->test_error);
        number(t, "%.3g", p->flips.both), number(t, "%.3g", p->flips_holm);
        number(t, "%.3g", p->wilcoxon.both), number(t, "%.3g", p->wilcoxon_holm);
        if (folds) number(t, "%.3g", p->folds.p);
    }
}

/* Of one person: McNemar's test of each pair. */
static void tell_windows(FILE *to, const struct kl_sequence_compared *c)
{
    for (size_t k = 0; k < c->n_pairs; k++) {
        const struct kl_sequence_compared_pair *const p = c->pairs + k;
        if (isnan(p->windows.p)) continue;
        fprintf(to, "McNemar, %s - %s: %lld windows to %lld that one alone has right, p %.3g%s\n",
                c->models[p->a].name, c->models[p->b].name, (long long)p->windows.only_first,
                (long long)p->windows.only_second, p->windows.p,
                c->n_pairs > 1 ? ", not corrected for the number of pairs" : "");
    }
}

static void tell_below(FILE *to, const struct kl_sequence_compared *c)
{
    double error = 0;
    tell_windows(to, c);
    for (size_t k = 0; k < c->n_pairs; k++)
        if (c->pairs[k].flips.error > error) error = c->pairs[k].flips.error;
    if (error > 0)
        fprintf(to, "p flips: drawn, as there are more than %d people; standard error up to %.2g\n",
                KL_SIGN_FLIP_EXACT, error);
    const double least = exp2(1 - (double)c->n_people), holm = fmin(1, least * (double)c->n_pairs);
    if (c->n_people > 1 && holm > 0.05)
        fprintf(
            to,
            "p flips, p ranks: of %zu %s none is below %.3g, after Holm's correction for %zu pair%s the "
            "least not below %.3g%s\n",
            c->n_people, c->n_people == 1 ? "person" : "people", least, c->n_pairs, kl_s(c->n_pairs),
            holm,
            c->n_pairs > 1 && least <= 0.05 ? ": fewer pairs, chosen beforehand, have less to correct"
                                            : "");
    if (!isnan(c->ratio))
        fprintf(to,
                "p folds: t of %zu folds, corrected for the training windows they share (test to "
                "training %.3g%s)\n",
                c->n_folds, c->ratio, c->guessed ? ", from the number of folds" : "");
    if (c->n_models > 2 && isfinite(c->friedman.p))
        fprintf(to, "Friedman over all: chi-squared %.4g, %zu degrees of freedom, p %.3g\n",
                c->friedman.statistic, c->n_models - 1, c->friedman.p);
    else if (c->n_models > 2)
        fprintf(to, "Friedman over all: undefined, as %s\n",
                c->n_people < 2 ? "one person ranks nothing" : "all models tie with each person");
    if (c->n_pairs && isnan(c->pairs->test_error))
        fprintf(to, "SE test: undefined, as it is of the accuracy alone\n");
    if (!has_seeds(c) && c->n_seeds < 2)
        fprintf(to, "over seeds: undefined, as there are no two seeds\n");
}

struct work {
    struct kl_sequence_reported *reports; /* (n) */
    struct kl_file **files;
    size_t n;
    struct kl_sequence_compared compared;
    struct kl_table models, pairs;
};

static int make_tables(struct work *w, struct kl_error *err)
{
    make_models(&w->models, &w->compared), make_pairs(&w->pairs, &w->compared);
    return w->models.lost || w->pairs.lost ? kl_fail_memory(err, 4096) : KL_OK;
}

static void tell_table(FILE *to, const struct work *w)
{
    const struct kl_sequence_compared *c = &w->compared;
    fprintf(to, "%s of %zu models on %zu windows of %zu %s", kl_stats_metric_names[c->metric],
            c->n_models, c->n_windows, c->n_people, c->n_people == 1 ? "person" : "people");
    if (c->n_seeds) fprintf(to, ", %zu seed%s", c->n_seeds, kl_s(c->n_seeds));
    fputc('\n', to);
    kl_table_write(to, &w->models, false, NULL), kl_table_write(to, &w->pairs, false, NULL);
    tell_below(to, c);
}

/* What stands below the tables is in comments. */
static int put_latex(FILE *to, const void *context, struct kl_error *err)
{
    const struct work *w = context;
    char *below = NULL;
    size_t size = 0;
    int code = kl_table_write(to, &w->models, true, err);
    if (!code) code = kl_table_write(to, &w->pairs, true, err);
    FILE *lines = code ? NULL : open_memstream(&below, &size);
    if (!code && !lines) return kl_fail_memory(err, 4096);
    if (lines) tell_below(lines, &w->compared);
    if (lines && (ferror(lines) | fclose(lines)) != 0) code = kl_fail_memory(err, 4096);
    for (const char *line = below; !code && *line;) {
        const int n = (int)strcspn(line, "\n") + 1;
        fprintf(to, "%% %.*s", n, line);
        line += n;
    }
    free(below);
    return code;
}

/* ---- JSON ---- */

/* A number, null where it is undefined; steals nothing. */
static int set(json_t *object, const char *name, double value)
{
    return json_object_set_new(object, name, isfinite(value) ? json_real(value) : json_null());
}
static int set_tested(json_t *object, const char *name, const struct kl_tested *t, double holm)
{
    json_t *const one = json_object();
    int code = !one || set(one, "statistic", t->statistic) || set(one, "p", t->both) ||
               set(one, "p_greater", t->greater) || set(one, "p_less", t->less) ||
               set(one, "p_holm", holm) || json_object_set_new(one, "exact", json_boolean(t->exact)) ||
               set(one, "p_error", t->error) ||
               json_object_set_new(one, "n", json_integer((json_int_t)t->n));
    code |= json_object_set_new(object, name, one);
    return code;
}
static int set_t(json_t *object, const char *name, const struct kl_t_test *t)
{
    json_t *const one = json_object();
    int code = !one || set(one, "t", t->t) || set(one, "p", t->p) || set(one, "low", t->low) ||
               set(one, "high", t->high);
    code |= json_object_set_new(object, name, one);
    return code;
}

static int set_interval(json_t *object, const char *name, struct kl_interval i)
{
    json_t *const one = json_object();
    int code = !one || set(one, "low", i.low) || set(one, "high", i.high);
    code |= json_object_set_new(object, name, one);
    return code;
}
/* Of several people null. */
static int set_mcnemar(json_t *object, const struct kl_sequence_compared_pair *p)
{
    const struct kl_mcnemar *w = &p->windows;
    json_t *const one =
        isnan(w->p) ? json_null()
                    : json_pack("{s:I,s:I,s:b,s:f}", "only_a", (json_int_t)w->only_first, "only_b",
                                (json_int_t)w->only_second, "exact", (int)w->exact, "p", w->p);
    return json_object_set_new(object, "mcnemar", one);
}

static json_t *model_object(const struct kl_sequence_compared *c,
                            const struct kl_sequence_compared_model *m)
{
    json_t *const one = json_object(), *const people = json_array();
    int code = !one || !people || json_object_set_new(one, "name", json_string(m->name)) ||
               set(one, "mean", m->mean) || set(one, "low", m->low) || set(one, "high", m->high) ||
               set_interval(one, "people_and_seeds", m->both) || set(one, "windows", m->windows) ||
               set(one, "seeds_deviation", m->seeds) || set(one, "mean_rank", m->rank);
    for (size_t i = 0; i < c->n_people && !code; i++)
        code = json_array_append_new(people, json_real(m->value[i]));
    code |= one ? json_object_set_new(one, "people", people) : -1;
    if (!code) return one;
    json_decref(one);
    return NULL;
}
static json_t *pair_object(const struct kl_sequence_compared *c,
                           const struct kl_sequence_compared_pair *p)
{
    json_t *const one = json_object();
    const int code = !one || json_object_set_new(one, "a", json_string(c->models[p->a].name)) ||
                     json_object_set_new(one, "b", json_string(c->models[p->b].name)) ||
                     set(one, "difference", p->difference) || set(one, "low", p->t.low) ||
                     set(one, "high", p->t.high) || set_interval(one, "people_and_seeds", p->both) ||
                     set_mcnemar(one, p) || set(one, "test_error", p->test_error) ||
                     set_tested(one, "sign_flip", &p->flips, p->flips_holm) ||
                     set_tested(one, "wilcoxon", &p->wilcoxon, p->wilcoxon_holm) ||
                     set_t(one, "t", &p->t) || set_t(one, "folds", &p->folds);
    if (!code) return one;
    json_decref(one);
    return NULL;
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    const struct kl_sequence_compared *c = &((const struct work *)run->state)->compared;
    json_t *const all = json_object(), *const models = json_array(), *const pairs = json_array(),
                  *const friedman = json_object();
    int off = !all || !models || !pairs || !friedman;
    for (size_t m = 0; m < c->n_models && !off; m++)
        off = json_array_append_new(models, model_object(c, c->models + m));
    for (size_t p = 0; p < c->n_pairs && !off; p++)
        off = json_array_append_new(pairs, pair_object(c, c->pairs + p));
    off = off || set(friedman, "statistic", c->friedman.statistic) || set(friedman, "p", c->friedman.p);
    off = off || json_object_set_new(all, "metric", json_string(kl_stats_metric_names[c->metric])) ||
          json_object_set_new(all, "windows", json_integer((json_int_t)c->n_windows)) ||
          json_object_set_new(all, "people", json_integer((json_int_t)c->n_people)) ||
          json_object_set_new(all, "people_left_out", json_integer((json_int_t)c->n_left_out)) ||
          json_object_set_new(all, "folds",
                              json_integer((json_int_t)(isnan(c->ratio) ? 0 : c->n_folds))) ||
          set(all, "test_to_training", c->ratio) || json_object_set(all, "models", models) ||
          json_object_set(all, "pairs", pairs) || json_object_set(all, "friedman", friedman);
    json_decref(models), json_decref(pairs), json_decref(friedman);
    if (!off) return kl_store_mode_json_object(run, to, all, err);
    json_decref(all);
    return kl_fail_memory(err, 4096);
}

/* ---- comma-separated values ---- */
static void field(FILE *to, double value)
{
    if (isfinite(value)) fprintf(to, ",%.17g", value);
    else fputc(',', to);
}
static void quoted(FILE *to, const char *text)
{
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"') fputc('"', to);
        fputc(*text, to);
    }
    fputc('"', to);
}
/* A line a pair. */
static const char TITLES[] =
    "a,b,metric,windows,people,mean_a,mean_b,difference,low,high,test_error,sign_flip_p,sign_flip_holm,"
    "wilcoxon_p,wilcoxon_holm,t_p,folds_p,seeds_low,seeds_high,mcnemar_p\n";
static int put_csv(FILE *to, const void *context, struct kl_error *err)
{
    const struct kl_sequence_compared *c = &((const struct work *)context)->compared;
    (void)err;
    fputs(TITLES, to);
    for (size_t k = 0; k < c->n_pairs; k++) {
        const struct kl_sequence_compared_pair *const p = c->pairs + k;
        quoted(to, c->models[p->a].name), fputc(',', to), quoted(to, c->models[p->b].name);
        fprintf(to, ",%s,%zu,%zu", kl_stats_metric_names[c->metric], c->n_windows, c->n_people);
        field(to, c->models[p->a].mean), field(to, c->models[p->b].mean), field(to, p->difference);
        field(to, p->t.low), field(to, p->t.high), field(to, p->test_error), field(to, p->flips.both);
        field(to, p->flips_holm), field(to, p->wilcoxon.both), field(to, p->wilcoxon_holm);
        field(to, p->t.p), field(to, p->folds.p);
        field(to, p->both.low), field(to, p->both.high), field(to, p->windows.p);
        fputc('\n', to);
    }
    return KL_OK;
}

/* ---- `qseq compare`: reports of several models, paired over people. ---- */

#define METRICS "accuracy|balanced_accuracy|kappa|auc|f1|log_loss|brier|calibration"
struct values {
    struct kl_common common;
    const char *metric, *csv, *latex;
    int64_t draws;
    bool against_first;
};
#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "metric", 0, KL_OPT_CHOICE, AT(metric), METRICS, 0, 0, true, "what is compared", "Comparison",
      NULL },
    { "against-first", 0, KL_OPT_FLAG, AT(against_first), NULL, 0, 0, true,
      "pairs of the first report with each other one alone", NULL, NULL },
    { "draws", 0, KL_OPT_INT, AT(draws), "N", 1000, 1e8, true,
      "sign flips, where people are over 40; else all", NULL, NULL },
    { "csv", 0, KL_OPT_STRING, AT(csv), "FILE|-", 0, 0, false, "a line a pair as well; -: on the screen",
      NULL, NULL },
    { "latex", 0, KL_OPT_STRING, AT(latex), "FILE|-", 0, 0, false, "the tables, for booktabs", NULL,
      NULL },
};
const struct kl_tool kl_sequence_compare_tool = {
    .name = "qseq",
    .summary = "Compares models by their reports on the same windows, paired over people: means and "
               "differences with intervals, exact sign flips and signed ranks with Holm's correction, "
               "Friedman",
    .arguments = "compare REPORT.h5 REPORT.h5... [-o COMPARED.h5]",
    .example = "qseq compare hydra.report.h5 eegnet.report.h5 csp.report.h5 -o compared.h5\n"
               "  qseq compare *.report.h5 --metric auc --csv pairs.csv --latex pairs.tex",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "progress device",
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

static int open_reports(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    const struct values *v = run->values;
    const size_t n = run->stage.n_inputs;
    /* Without a file what is printed is the result, which -q leaves. */
    if (!v->common.output) ((struct values *)run->values)->common.quiet = false;
    if (kl_store_mode_text_check(run, "csv", v->csv, TITLES, err) ||
        kl_store_mode_text_check(run, "latex", v->latex, KL_TABLE_LATEX, err))
        return err->code;
    w->reports = calloc(n, sizeof *w->reports), w->files = calloc(n, sizeof *w->files);
    if (!w->reports || !w->files) return kl_fail_memory(err, n * sizeof *w->reports);
    for (w->n = 0; w->n < n;) {
        const size_t i = w->n++;
        int code = kl_store_file_open(&w->files[i], run->stage.inputs[i], err);
        if (!code) code = check_once(w->files, i, err);
        if (!code) code = kl_sequence_reported_open(w->reports + i, w->files[i], err);
        if (code) return code;
    }
    run->parents = (const struct kl_file *const *)w->files, run->n_parents = n;
    return KL_OK;
}

/* Their order is that of the rows. */
static int key(struct kl_mode_run *run, struct kl_key *key, struct kl_error *err)
{
    const struct work *w = run->state;
    int code = KL_OK;
    for (size_t i = 0; i < w->n && !code; i++) {
        char role[32];
        snprintf(role, sizeof role, "report %zu", i);
        code = kl_store_key_input(key, role, kl_store_file_content(w->files[i]), err);
    }
    return code;
}

static int compare(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    const struct values *v = run->values;
    const struct kl_sequence_compare_options o = { kl_choice(METRICS, v->metric), (size_t)v->draws,
                                                   (uint64_t)v->common.seed, v->against_first };
    const int code = kl_sequence_compare(&w->compared, w->reports, w->n, &o, err);
    return code ? code : make_tables(w, err);
}

static int save(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err)
{
    return kl_sequence_compared_save(writer, &((struct work *)run->state)->compared, err);
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

/* The interval is of t, which believes in a normal law of few people; the permutation believes in
   nothing but signs. */
static void note_intervals(const struct kl_log *log, const struct kl_sequence_compared *c)
{
    for (size_t k = 0; k < c->n_pairs; k++) {
        const struct kl_sequence_compared_pair *const p = c->pairs + k;
        if (p->t.low * p->t.high > 0 && p->flips.both > 0.05)
            kl_note(log, 1,
                    "%s - %s: the interval leaves 0 out (Student's t), p flips is %.3g; report p, which "
                    "supposes no normal law",
                    c->models[p->a].name, c->models[p->b].name, p->flips.both);
    }
}

/* What was said of a report holds of its comparison. */
static int repeat(const struct kl_log *log, const struct work *w, struct kl_error *err)
{
    int code = KL_OK;
    for (size_t i = 0; i < w->n && !code; i++) code = kl_store_file_repeat(w->files[i], "", log, err);
    return code;
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
        kl_caution(
            log,
            "the models of %s were trained on %.0f windows on average, those of %s on %.0f: that alone "
            "may make a difference",
            reports[most].path, b, reports[least].path, a);
}

static int remark(struct kl_mode_run *run, struct kl_error *err)
{
    const struct work *w = run->state;
    const struct kl_log *log = run->stage.log;
    caution(log, &w->compared);
    caution_unlike(log, w->reports, w->n);
    caution_training(log, w->reports, w->n);
    note_intervals(log, &w->compared);
    const int code = repeat(log, w, err);
    if (code) return code;
    return log->cautions && log->cautions->lost ? kl_fail_memory(err, 256) : KL_OK;
}

static void words(struct kl_mode_run *run, FILE *to)
{
    const struct values *v = run->values;
    if (v->common.output) fprintf(to, "%s: ", v->common.output);
    tell_table(to, run->state);
}

/* Of a file that was there the comparison is made again. */
static int write_texts(struct kl_mode_run *run, struct kl_error *err)
{
    const struct values *v = run->values;
    const bool any = v->csv || v->latex, again = any && run->answer != KL_STAGE_COMPUTE;
    int code = again ? compare(run, err) : KL_OK;
    if (!code) code = kl_store_mode_text_write(run, v->csv, put_csv, run->state, err);
    return code ? code : kl_store_mode_text_write(run, v->latex, put_latex, run->state, err);
}

static void close_reports(struct kl_mode_run *run)
{
    struct work *w = run->state;
    kl_sequence_compared_free(&w->compared);
    kl_table_free(&w->models), kl_table_free(&w->pairs);
    for (size_t i = 0; w->reports && i < w->n; i++) kl_sequence_reported_close(w->reports + i);
    for (size_t i = 0; w->files && i < w->n; i++) kl_store_file_close(&w->files[i]);
    free(w->reports), free(w->files);
}

static const struct kl_file_stage stage = { .kind = &kl_sequence_comparison_kind,
                                            .schema = 1,
                                            .version = 1,
                                            .name = "qseq compare",
                                            .seeded = true,
                                            .state_size = sizeof(struct work),
                                            .stops_at_once = true,
                                            .open = open_reports,
                                            .key = key,
                                            .compute = compare,
                                            .save = save,
                                            .remark = remark,
                                            .after = write_texts,
                                            .json = json,
                                            .words = words,
                                            .close = close_reports };
const struct kl_mode kl_sequence_mode_compare = { .tool = &kl_sequence_compare_tool,
                                                  .defaults = defaults,
                                                  .stage = &stage };
