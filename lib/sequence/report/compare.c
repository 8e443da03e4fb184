/* SPDX-License-Identifier: MIT
   Models paired over people, and what a comparison reads of their reports. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "sequence/report/compare.h"
#include "sequence/windows/windows.h"
#include "stats/stats.h"
#include "store/store.h"

/* ---- compared report ----
   What a comparison reads of a report: predictions window by window, and whose windows they are. */

/* Folds are numbered anew by their first windows: what a report calls them depends on its files. */
static int number_folds(struct kl_sequence_reported *r, struct kl_error *err)
{
    int32_t *const number = malloc(r->n * sizeof *number);
    if (!number) return kl_fail_memory(err, r->n * sizeof *number);
    r->folds = 0;
    for (size_t i = 0; i < r->n; i++) number[i] = -1;
    for (size_t i = 0; i < r->n; i++) {
        if (number[r->fold[i]] < 0) number[r->fold[i]] = (int32_t)r->folds++;
        r->fold[i] = number[r->fold[i]];
    }
    free(number);
    return KL_OK;
}

/* Read the fold of the model that judged each window. */
static int take_folds(struct kl_sequence_reported *r, struct kl_file *file, struct kl_error *err)
{
    r->folds = 1;
    if (!kl_store_file_find(file, "fold")) return KL_OK;
    const int code = kl_sequence_numbers_take(&r->fold, file, "fold", r->n, 0, r->n, err);
    return code ? code : number_folds(r, err);
}

static int take_probabilities(struct kl_sequence_reported *r, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d;
    int code = kl_store_file_expect(&d, file, "probabilities", KL_TYPE_F64, 3, err);
    if (code) return code;
    r->replicas = d->dims[0], r->n = d->dims[1], r->classes = d->dims[2];
    if (!r->replicas || !r->n || r->classes < 2)
        return kl_fail(err, KL_EDATA,
                       "%s: dataset probabilities: found %zu x %zu x %zu, expected at least 1 x 1 x 2",
                       r->path, r->replicas, r->n, r->classes);
    code = kl_store_file_load_shape((void **)&r->probabilities, file, "probabilities", KL_TYPE_F64, 3,
                                    d->dims, err);
    for (size_t i = 0; i < r->replicas * r->n * r->classes && !code; i++)
        if (!(r->probabilities[i] >= 0 && r->probabilities[i] <= 1 + 1e-6))
            code = kl_fail(err, KL_EDATA, "%s: dataset probabilities: found %g, expected 0 to 1",
                           r->path, r->probabilities[i]);
    return code;
}

int kl_sequence_reported_open(struct kl_sequence_reported *r, struct kl_file *file, struct kl_error *err)
{
    memset(r, 0, sizeof *r);
    r->path = kl_store_file_path(file), r->train_windows = NAN;
    if (strcmp(kl_store_file_kind(file), "sequence-report"))
        return kl_fail(err, KL_EDATA, "%s: found a file of kind %s, expected a report of qseq eval",
                       r->path, kl_store_file_kind(file));
    int code = kl_store_file_text(&r->model, file, "", "model", err);
    if (!code) code = kl_store_file_text(&r->split, file, "", "split", err);
    if (!code) code = take_probabilities(r, file, err);
    if (!code) code = kl_sequence_names_take(&r->people, &r->n_people, file, "subject_names", err);
    if (!code)
        code = kl_sequence_names_take(&r->recordings, &r->n_recordings, file, "recording_names", err);
    if (!code) code = kl_sequence_numbers_take(&r->labels, file, "labels", r->n, 0, r->classes, err);
    if (!code) code = kl_sequence_numbers_take(&r->subject, file, "subject", r->n, 0, r->n_people, err);
    if (!code)
        code = kl_sequence_numbers_take(&r->recording, file, "recording", r->n, 0, r->n_recordings, err);
    if (!code) code = take_folds(r, file, err);
    if (!code && kl_store_file_find(file, "onset"))
        code = kl_store_file_load_shape((void **)&r->onset, file, "onset", KL_TYPE_F64, 1, &r->n, err);
    if (!code && kl_store_file_has_attribute(file, "", "train_windows"))
        code = kl_store_file_number(&r->train_windows, file, "", "train_windows", err);
    if (!code && kl_store_file_has_attribute(file, "", "transductive")) {
        double flag;
        code = kl_store_file_number(&flag, file, "", "transductive", err);
        r->transductive = !code && flag != 0;
    }
    return code;
}

void kl_sequence_reported_close(struct kl_sequence_reported *r)
{
    kl_sequence_names_free(r->people, r->n_people);
    kl_sequence_names_free(r->recordings, r->n_recordings);
    free(r->model), free(r->split), free(r->labels), free(r->subject), free(r->recording);
    free(r->fold), free(r->probabilities), free(r->onset);
    memset(r, 0, sizeof *r);
}

int kl_sequence_reported_same(const struct kl_sequence_reported *a, const struct kl_sequence_reported *b,
                              struct kl_error *err)
{
    if (a->n != b->n || a->classes != b->classes)
        return kl_fail(err, KL_EDATA,
                       "%s: found %zu test windows of %zu classes, expected %zu of %zu as in %s; only "
                       "reports on the same windows can be compared",
                       b->path, b->n, b->classes, a->n, a->classes, a->path);
    for (size_t i = 0; i < a->n; i++) {
        const char *const mine = a->people[a->subject[i]], *const theirs = b->people[b->subject[i]],
                          *const run = a->recordings[a->recording[i]],
                          *const other = b->recordings[b->recording[i]];
        const bool moved = a->onset && b->onset && a->onset[i] != b->onset[i] &&
                           !(isnan(a->onset[i]) && isnan(b->onset[i]));
        if (strcmp(mine, theirs) || strcmp(run, other) || a->labels[i] != b->labels[i] || moved)
            return kl_fail(err, KL_EDATA,
                           "%s: test window %zu: found one of %s, %s, class %d, expected %s, %s, class "
                           "%d%s as in %s; only reports on the same windows can be compared",
                           b->path, i, theirs, other, (int)b->labels[i], mine, run, (int)a->labels[i],
                           moved ? " at another time" : "", a->path);
    }
    return KL_OK;
}

/* ---- models paired over people: means and differences with intervals, exact tests, ranks ---- */

/* ---- metrics of groups of windows ---- */

/* The metric of the windows whose group is g, of one seed. room: labels (n), probabilities (n, classes).
 */
static int metric_of(double *value, const struct kl_sequence_reported *r, size_t seed,
                     const int32_t *group, int32_t g, int metric, void *room, struct kl_error *err)
{
    struct kl_metrics m;
    double *const p = room;
    int32_t *const labels = (int32_t *)(p + r->n * r->classes);
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (group && group[i] != g) continue;
        memcpy(p + n * r->classes, r->probabilities + (seed * r->n + i) * r->classes,
               r->classes * sizeof *p);
        labels[n++] = r->labels[i];
    }
    const int code = kl_stats_metrics(&m, NULL, labels, p, n, r->classes, err);
    *value = code ? NAN : kl_stats_metric(&m, metric);
    return code;
}

/* Mean over seeds. */
static int over_seeds(double *value, const struct kl_sequence_reported *r, const int32_t *group,
                      int32_t g, int metric, void *room, struct kl_error *err)
{
    double sum = 0;
    for (size_t s = 0; s < r->replicas; s++) {
        double one;
        const int code = metric_of(&one, r, s, group, g, metric, room, err);
        if (code) return code;
        sum += one;
    }
    *value = sum / (double)r->replicas;
    return KL_OK;
}

static int all_windows(struct kl_sequence_compared_model *m, const struct kl_sequence_reported *r,
                       int metric, void *room, struct kl_error *err)
{
    double *const values = malloc(r->replicas * sizeof *values);
    int code = values ? KL_OK : kl_fail_memory(err, r->replicas * sizeof *values);
    for (size_t s = 0; s < r->replicas && !code; s++)
        code = metric_of(values + s, r, s, NULL, 0, metric, room, err);
    if (!code) {
        m->windows = kl_stats_mean(values, r->replicas);
        m->seeds = r->replicas > 1 ? kl_stats_deviation(values, r->replicas) : NAN;
    }
    free(values);
    return code;
}

/* ---- intervals ---- */

/* A share lies between 0 and 1, and so does its mean. */
static bool is_share(int metric)
{
    return kl_choice("accuracy|balanced_accuracy|auc|f1|calibration", kl_stats_metric_names[metric]) >=
           0;
}

static void bound(double *low, double *high, int metric)
{
    if (!is_share(metric)) return;
    *low = *low < 0 ? 0 : *low, *high = *high > 1 ? 1 : *high;
}

static void interval_model(struct kl_sequence_compared_model *m, const struct kl_sequence_compared *c,
                           size_t seeds)
{
    const struct kl_t_test t = kl_stats_t_test(m->value, c->n_people, 0);
    m->mean = c->n_people ? t.mean : NAN;
    m->low = t.low, m->high = t.high;
    m->both = kl_stats_crossed_interval(m->by_seed, c->n_people, seeds);
    bound(&m->low, &m->high, c->metric), bound(&m->both.low, &m->both.high, c->metric);
}

/* Of models of one number of seeds, or of one seed, which then stands beside all of the other's. */
static int interval_pair(struct kl_sequence_compared_pair *p, const struct kl_sequence_compared *c,
                         const struct kl_sequence_reported *reports, struct kl_error *err)
{
    const size_t a = reports[p->a].replicas, b = reports[p->b].replicas, seeds = a > b ? a : b,
                 n = c->n_people;
    p->both = (struct kl_interval){ NAN, NAN };
    if (a != b && a > 1 && b > 1) return KL_OK;
    double *const d = malloc((n * seeds + 1) * sizeof *d);
    if (!d) return kl_fail_memory(err, n * seeds * sizeof *d);
    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; s < seeds; s++)
            d[i * seeds + s] =
                c->models[p->a].by_seed[i * a + s % a] - c->models[p->b].by_seed[i * b + s % b];
    p->both = kl_stats_crossed_interval(d, n, seeds);
    free(d);
    return KL_OK;
}

/* ---- pairs ---- */

/* The class that the mean over seeds of a window's probabilities names. */
static int32_t named(const struct kl_sequence_reported *r, size_t window)
{
    int32_t best = 0;
    double most = -1;
    for (size_t k = 0; k < r->classes; k++) {
        double sum = 0;
        for (size_t s = 0; s < r->replicas; s++)
            sum += r->probabilities[(s * r->n + window) * r->classes + k];
        if (sum > most) most = sum, best = (int32_t)k;
    }
    return best;
}

/* Of one person there is no test over people, but one over windows. */
static void test_windows(struct kl_sequence_compared_pair *p, const struct kl_sequence_compared *c,
                         const struct kl_sequence_reported *reports)
{
    const struct kl_sequence_reported *const a = reports + p->a, *const b = reports + p->b;
    int64_t only_a = 0, only_b = 0;
    p->windows = (struct kl_mcnemar){ .p = NAN };
    if (c->n_people + c->n_left_out != 1 || c->metric != 0) return;
    for (size_t i = 0; i < a->n; i++) {
        const bool right_a = named(a, i) == a->labels[i], right_b = named(b, i) == b->labels[i];
        only_a += right_a && !right_b, only_b += right_b && !right_a;
    }
    p->windows = kl_stats_mcnemar(only_a, only_b);
}

/* Differences of folds, whose training windows overlap. */
static int test_folds(struct kl_sequence_compared_pair *p, const struct kl_sequence_compared *c,
                      const struct kl_sequence_reported *reports, void *room, struct kl_error *err)
{
    p->folds = (struct kl_t_test){ NAN, NAN, NAN, NAN, NAN };
    if (isnan(c->ratio)) return KL_OK;
    double *const d = malloc(c->n_folds * sizeof *d);
    int code = d ? KL_OK : kl_fail_memory(err, c->n_folds * sizeof *d);
    size_t n = 0;
    for (size_t f = 0; f < c->n_folds && !code; f++) {
        double a, b = 0;
        code = over_seeds(&a, reports + p->a, reports[p->a].fold, (int32_t)f, c->metric, room, err);
        if (!code)
            code = over_seeds(&b, reports + p->b, reports[p->b].fold, (int32_t)f, c->metric, room, err);
        if (!code && isfinite(a - b)) d[n++] = a - b;
    }
    if (!code) p->folds = kl_stats_t_test(d, n, c->ratio);
    free(d);
    return code;
}

static int test_pair(struct kl_sequence_compared_pair *p, const struct kl_sequence_compared *c,
                     const struct kl_sequence_compare_options *o, struct kl_error *err)
{
    const struct kl_sequence_compared_model *const a = c->models + p->a, *const b = c->models + p->b;
    const size_t n = c->n_people;
    double *const d = malloc((n + 1) * sizeof *d);
    if (!d) return kl_fail_memory(err, (n + 1) * sizeof *d);
    for (size_t i = 0; i < n; i++) d[i] = a->value[i] - b->value[i];
    p->t = kl_stats_t_test(d, n, 0);
    p->difference = n ? p->t.mean : NAN;
    const double share = (a->windows + b->windows) / 2;
    p->test_error = c->metric == 0 ? sqrt(share * (1 - share) / (double)c->n_windows) : NAN;
    int code = KL_OK;
    if (n < 2) p->flips = p->wilcoxon = (struct kl_tested){ NAN, NAN, NAN, NAN, true, 0, n };
    else code = kl_stats_sign_flip(&p->flips, d, n, o->draws, o->seed, KL_RANDOM_SEQUENCE_FLIPS, err);
    if (!code && n > 1) code = kl_stats_wilcoxon(&p->wilcoxon, d, n, 1e-9, err);
    free(d);
    return code;
}

/* Holm over the pairs whose p is defined. */
static int correct(struct kl_sequence_compared *c, bool wilcoxon, struct kl_error *err)
{
    double *const p = malloc((c->n_pairs + 1) * sizeof *p);
    if (!p) return kl_fail_memory(err, (c->n_pairs + 1) * sizeof *p);
    size_t n = 0;
    for (size_t k = 0; k < c->n_pairs; k++) {
        const double one = wilcoxon ? c->pairs[k].wilcoxon.both : c->pairs[k].flips.both;
        if (!isnan(one)) p[n++] = log10(one);
    }
    const int code = kl_stats_holm(p, p, n, err);
    n = 0;
    for (size_t k = 0; k < c->n_pairs && !code; k++) {
        struct kl_sequence_compared_pair *const pair = c->pairs + k;
        const double one = wilcoxon ? pair->wilcoxon.both : pair->flips.both;
        *(wilcoxon ? &pair->wilcoxon_holm : &pair->flips_holm) = isnan(one) ? NAN : pow(10, p[n++]);
    }
    free(p);
    return code;
}

/* ---- all ---- */

static bool less_is_better(int metric)
{
    return kl_choice("log_loss|brier|calibration", kl_stats_metric_names[metric]) >= 0;
}

static int rank(struct kl_sequence_compared *c, struct kl_error *err)
{
    const size_t n = c->n_people, k = c->n_models;
    const double sign = less_is_better(c->metric) ? 1 : -1;
    double *const x = malloc((n * k + k + 1) * sizeof *x);
    if (!x) return kl_fail_memory(err, (n * k + k + 1) * sizeof *x);
    for (size_t i = 0; i < n; i++)
        for (size_t m = 0; m < k; m++) /* 1e-9: accuracies that differ by rounding are equal */
            x[i * k + m] = sign * round(c->models[m].value[i] * 1e9) / 1e9;
    const int code = kl_stats_friedman(&c->friedman, x + n * k, x, n, k, err);
    for (size_t m = 0; m < k && !code; m++) c->models[m].rank = n ? x[n * k + m] : NAN;
    free(x);
    return code;
}

/* The model's name; with its file where another report is of the same. */
static void name_models(struct kl_sequence_compared *c, const struct kl_sequence_reported *reports)
{
    for (size_t m = 0; m < c->n_models; m++) {
        bool alone = true;
        for (size_t k = 0; k < c->n_models; k++)
            if (k != m && strcmp(reports[k].model, reports[m].model) == 0) alone = false;
        if (alone) snprintf(c->models[m].name, sizeof c->models[m].name, "%s", reports[m].model);
        else
            snprintf(c->models[m].name, sizeof c->models[m].name, "%s (%s)", reports[m].model,
                     reports[m].path);
    }
}

/* Of person p by each seed, and the mean over seeds. */
static int seeds_of(double *mean, double *values, const struct kl_sequence_reported *r, int32_t p,
                    int metric, void *room, struct kl_error *err)
{
    double sum = 0;
    for (size_t s = 0; s < r->replicas; s++) {
        const int code = metric_of(&values[s], r, s, r->subject, p, metric, room, err);
        if (code) return code;
        sum += values[s];
    }
    *mean = sum / (double)r->replicas;
    return KL_OK;
}

/* Values of people, without those whose metric is undefined somewhere. */
static int value_people(struct kl_sequence_compared *c, const struct kl_sequence_reported *reports,
                        void *room, struct kl_error *err)
{
    const struct kl_sequence_reported *const first = reports;
    for (size_t p = 0; p < first->n_people; p++) {
        bool there = false, defined = true;
        for (size_t i = 0; i < first->n && !there; i++) there = (size_t)first->subject[i] == p;
        if (!there) continue;
        for (size_t m = 0; m < c->n_models; m++) {
            /* People are numbered as their names stand in each report. */
            int32_t own = 0;
            while (strcmp(reports[m].people[own], first->people[p])) own++;
            double *const value = c->models[m].value + c->n_people;
            const int code = seeds_of(value, c->models[m].by_seed + c->n_people * reports[m].replicas,
                                      reports + m, own, c->metric, room, err);
            if (code) return code;
            defined = defined && isfinite(*value);
        }
        if (defined) c->n_people++;
        else c->n_left_out++;
    }
    return KL_OK;
}

/* Do folds' training windows overlap, and how many are they to those tested? */
static void find_ratio(struct kl_sequence_compared *c, const struct kl_sequence_reported *reports)
{
    const double folds = (double)reports->folds;
    c->ratio = NAN, c->n_folds = reports->folds;
    for (size_t m = 0; m < c->n_models; m++) {
        if (reports[m].folds != reports->folds || reports->folds < 2 ||
            kl_choice("loso|kfold|loro", reports[m].split) < 0)
            return;
        for (size_t i = 0; i < reports->n; i++)
            if (reports[m].fold[i] != reports->fold[i]) return;
    }
    /* Of models that had different numbers of windows, the fewest: the test is the more cautious. */
    double train = INFINITY;
    for (size_t m = 0; m < c->n_models; m++) {
        c->guessed |= isnan(reports[m].train_windows);
        train = fmin(train, reports[m].train_windows);
    }
    c->ratio = c->guessed ? 1 / (folds - 1) : (double)reports->n / folds / train;
}

static int compare(struct kl_sequence_compared *c, const struct kl_sequence_reported *reports,
                   const struct kl_sequence_compare_options *o, void *room, struct kl_error *err)
{
    int code = value_people(c, reports, room, err);
    for (size_t m = 0; m < c->n_models && !code; m++) {
        struct kl_sequence_compared_model *const model = c->models + m;
        interval_model(model, c, reports[m].replicas);
        code = all_windows(model, reports + m, c->metric, room, err);
    }
    find_ratio(c, reports);
    for (size_t a = 0; a < (o->against_first ? 1 : c->n_models) && !code; a++)
        for (size_t b = a + 1; b < c->n_models && !code; b++) {
            struct kl_sequence_compared_pair *const p = c->pairs + c->n_pairs++;
            p->a = a, p->b = b;
            code = test_pair(p, c, o, err);
            if (!code) code = interval_pair(p, c, reports, err);
            test_windows(p, c, reports);
            if (!code) code = test_folds(p, c, reports, room, err);
        }
    if (!code) code = correct(c, false, err);
    if (!code) code = correct(c, true, err);
    return code ? code : rank(c, err);
}

int kl_sequence_compare(struct kl_sequence_compared *c, const struct kl_sequence_reported *reports,
                        size_t n, const struct kl_sequence_compare_options *o, struct kl_error *err)
{
    size_t people = reports->n_people,
           bytes = reports->n * (reports->classes * sizeof(double) + sizeof(int32_t));
    *c = (struct kl_sequence_compared){
        .n_models = n, .metric = o->metric, .n_windows = reports->n, .n_seeds = reports->replicas
    };
    int code = KL_OK;
    for (size_t m = 1; m < n && !code; m++) {
        code = kl_sequence_reported_same(reports, reports + m, err);
        if (reports[m].n_people > people) people = reports[m].n_people;
        if (reports[m].replicas != c->n_seeds) c->n_seeds = 0;
    }
    if (code) return code;
    c->models = calloc(n, sizeof *c->models);
    c->pairs = calloc(n * n, sizeof *c->pairs);
    size_t seeds = 1;
    for (size_t m = 0; m < n; m++) seeds = reports[m].replicas > seeds ? reports[m].replicas : seeds;
    c->room = calloc(n * people * (seeds + 1), sizeof *c->room);
    void *const room = malloc(bytes);
    if (!c->models || !c->pairs || !c->room || !room) code = kl_fail_memory(err, n * people * 8 + bytes);
    for (size_t m = 0; m < n && !code; m++)
        c->models[m].value = c->room + m * people * (seeds + 1),
        c->models[m].by_seed = c->models[m].value + people;
    if (!code) name_models(c, reports);
    if (!code) code = compare(c, reports, o, room, err);
    free(room);
    return code;
}

void kl_sequence_compared_free(struct kl_sequence_compared *c)
{
    free(c->models), free(c->pairs), free(c->room);
    *c = (struct kl_sequence_compared){ 0 };
}
