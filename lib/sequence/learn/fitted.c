/* SPDX-License-Identifier: MIT
   Classifiers on covariances: fitted on some windows of a set, applied to others; their files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/learn/fitted.h"
#include "sequence/windows/windows.h"
#include "store/store.h"

/* ---- classifiers on covariances: fitted on some windows of a set, applied to others ---- */

static void *matrices(size_t n, size_t channels)
{
    return malloc((n * channels * channels + 1) * sizeof(double));
}

/* c of one person's windows among rows, by that person's own alignment. */
static int covariances_of_person(double *c, struct kl_sequence_fitted *f,
                                 const struct kl_sequence_set *set, const int64_t *rows, size_t n,
                                 int32_t person, struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_sequence_window_source source = kl_sequence_standard_source(set);
    const size_t size = KL_SPD_TRIANGLE(set->channels);
    int64_t *const all = malloc((set->n + n + 1) * sizeof *all), *const mine = all ? all + set->n : NULL;
    double *const align = matrices(1, set->channels), *part = NULL;
    size_t n_all = 0, n_mine = 0, k = 0, lost = 0;
    struct kl_error why = { 0 };
    if (!all || !align) {
        free(all), free(align);
        return kl_fail_memory(err, set->n * sizeof *all);
    }
    for (size_t i = 0; i < set->n; i++)
        if (set->subject[i] == person) all[n_all++] = (int64_t)i;
    for (size_t i = 0; i < n; i++)
        if (set->subject[rows[i]] == person) mine[n_mine++] = rows[i];
    int code = KL_OK;
    if (n_mine && !(part = malloc(n_mine * size * sizeof *part)))
        code = kl_fail_memory(err, n_mine * size * sizeof *part);
    if (n_mine && !code) code = kl_sequence_alignment_fit(align, &lost, &source, all, n_all, pool, &why);
    if (why.code) kl_fail(err, code, "--align subject: '%s': %s", set->subject_names[person], why.text);
    if (lost > f->lost) f->lost = lost;
    if (n_mine && !code)
        code =
            kl_sequence_covariances(part, &source, mine, n_mine, f->options.estimator, align, pool, err);
    for (size_t i = 0; i < n && n_mine && !code; i++)
        if (set->subject[rows[i]] == person) memcpy(c + i * size, part + k++ * size, size * sizeof *c);
    free(all), free(align), free(part);
    return code;
}

static int covariances(double *c, struct kl_sequence_fitted *f, const struct kl_sequence_set *set,
                       const int64_t *rows, size_t n, struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_sequence_window_source source = kl_sequence_standard_source(set);
    if (f->options.align != KL_SEQUENCE_ALIGN_SUBJECT)
        return kl_sequence_covariances(c, &source, rows, n, f->options.estimator, f->align, pool, err);
    int code = KL_OK;
    for (size_t p = 0; p < set->n_subjects && !code; p++)
        code = covariances_of_person(c, f, set, rows, n, (int32_t)p, pool, err);
    return code;
}

/* Features of a linear classifier, (n, inputs): logarithms of variances, or tangent vectors. */
static int features(double *x, const struct kl_sequence_fitted *f, const double *c, size_t n,
                    struct kl_pool *pool, struct kl_error *err)
{
    if (f->options.method == KL_SEQUENCE_CSP_LDA) {
        kl_sequence_csp_features(x, f->filters, f->options.filters, c, NULL, n, f->channels);
        return KL_OK;
    }
    double *const inverse = matrices(1, f->channels);
    if (!inverse) return kl_fail_memory(err, f->channels * f->channels * sizeof *inverse);
    int code = kl_sequence_roots(NULL, inverse, f->points, f->channels, err);
    if (!code) code = kl_sequence_tangent(x, c, NULL, n, f->channels, inverse, pool, err);
    free(inverse);
    return code;
}

/* The means: of each class, or of all. */
static int fit_points(struct kl_sequence_fitted *f, const double *c, const int32_t *labels, size_t n,
                      struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_sequence_mean_options o = { 1e-10, 100 };
    const bool classes = f->options.method == KL_SEQUENCE_MDM;
    int64_t *const mine = malloc((n + 1) * sizeof *mine);
    f->n_points = classes ? (size_t)f->classes : 1;
    f->points = matrices(f->n_points, f->channels);
    int code = mine && f->points ? KL_OK : kl_fail_memory(err, n * sizeof *mine);
    for (size_t k = 0; k < f->n_points && !code; k++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            if (!classes || (size_t)labels[i] == k) mine[count++] = (int64_t)i;
        if (!count) code = kl_fail(err, KL_EDATA, "class %zu has no window to fit a mean on", k);
        else
            code = kl_sequence_riemann_mean(f->points + k * f->channels * f->channels, c, mine, count,
                                            f->channels, &o, NULL, pool, err);
    }
    free(mine);
    return code;
}

static int fit_linear(struct kl_sequence_fitted *f, const double *c, const int32_t *labels, size_t n,
                      struct kl_pool *pool, struct kl_error *err)
{
    const bool patterns = f->options.method == KL_SEQUENCE_CSP_LDA;
    const size_t inputs = patterns ? f->options.filters : KL_SPD_TRIANGLE(f->channels);
    double *const x = malloc((n * inputs + 1) * sizeof *x);
    int code = x ? KL_OK : kl_fail_memory(err, n * inputs * sizeof *x);
    if (!code && patterns) {
        f->filters = malloc(inputs * f->channels * sizeof *f->filters);
        code = f->filters ? kl_sequence_csp(f->filters, inputs, c, NULL, labels, n, f->channels,
                                            f->classes, err)
                          : kl_fail_memory(err, inputs * f->channels * sizeof *f->filters);
    } else if (!code) code = fit_points(f, c, labels, n, pool, err);
    if (!code) code = features(x, f, c, n, pool, err);
    if (!code) code = kl_sequence_linear_init(&f->linear, inputs, f->classes, err);
    if (!code)
        code = patterns ? kl_sequence_discriminant(&f->linear, x, labels, n, err)
                        : kl_sequence_logistic(&f->linear, x, labels, n, f->options.strength, pool, err);
    free(x);
    return code;
}

int kl_sequence_fit(struct kl_sequence_fitted *f, const struct kl_sequence_set *set, const int64_t *rows,
                    size_t n, const struct kl_sequence_fit_options *o, struct kl_pool *pool,
                    struct kl_error *err)
{
    const size_t bytes = n * (KL_SPD_TRIANGLE(set->channels) * sizeof(double) + sizeof(int32_t));
    *f = (struct kl_sequence_fitted){ .options = *o,
                                      .channels = set->channels,
                                      .steps = set->steps,
                                      .classes = (int)set->n_classes,
                                      .n_fitted = n };
    double *const c = malloc(bytes + 8);
    if (!c) return kl_fail_memory(err, bytes);
    int32_t *const labels = (int32_t *)(c + n * KL_SPD_TRIANGLE(set->channels));
    int code = KL_OK;
    if (o->align == KL_SEQUENCE_ALIGN_TRAIN) {
        const struct kl_sequence_window_source source = kl_sequence_standard_source(set);
        struct kl_error why = { 0 };
        f->align = matrices(1, set->channels);
        code = f->align ? kl_sequence_alignment_fit(f->align, &f->lost, &source, rows, n, pool, &why)
                        : kl_fail_memory(err, set->channels * set->channels * sizeof *c);
        if (why.code) kl_fail(err, code, "--align train: %s", why.text);
    }
    for (size_t i = 0; i < n; i++) labels[i] = set->labels[rows[i]];
    if (!code) code = covariances(c, f, set, rows, n, pool, err);
    if (!code)
        code = o->method == KL_SEQUENCE_MDM ? fit_points(f, c, labels, n, pool, err)
                                            : fit_linear(f, c, labels, n, pool, err);
    free(c);
    return code;
}

/* p (n, classes) = softmax of minus the squared distances. */
static int by_distance(double *p, const struct kl_sequence_fitted *f, const double *c, size_t n,
                       struct kl_pool *pool, struct kl_error *err)
{
    const size_t square = f->channels * f->channels, classes = (size_t)f->classes;
    double *const inverse = matrices(1, f->channels);
    int code = inverse ? KL_OK : kl_fail_memory(err, square * sizeof *inverse);
    for (size_t k = 0; k < f->n_points && !code; k++) {
        code = kl_sequence_roots(NULL, inverse, f->points + k * square, f->channels, err);
        if (!code)
            code = kl_sequence_distances(p + k, classes, c, NULL, n, f->channels, inverse, pool, err);
    }
    for (size_t i = 0; i < n * classes && !code; i++) p[i] *= -p[i];
    for (size_t i = 0; i < n && !code; i++) kl_sequence_softmax(p + i * classes, f->classes);
    free(inverse);
    return code;
}

int kl_sequence_fitted_apply(double *probabilities, struct kl_sequence_fitted *f,
                             const struct kl_sequence_set *set, const int64_t *rows, size_t n,
                             struct kl_pool *pool, struct kl_error *err)
{
    const size_t size = KL_SPD_TRIANGLE(f->channels),
                 bytes = n * (size + f->linear.inputs) * sizeof(double);
    if (set->channels != f->channels || set->steps != f->steps)
        return kl_fail(err, KL_EDATA, "found windows of %zu channels, %zu steps, expected %zu, %zu",
                       set->channels, set->steps, f->channels, f->steps);
    double *const c = malloc(bytes + 8);
    if (!c) return kl_fail_memory(err, bytes);
    int code = covariances(c, f, set, rows, n, pool, err);
    if (!code && f->options.method == KL_SEQUENCE_MDM)
        code = by_distance(probabilities, f, c, n, pool, err);
    else if (!code) {
        code = features(c + n * size, f, c, n, pool, err);
        if (!code) kl_sequence_linear_apply(probabilities, &f->linear, c + n * size, n);
    }
    free(c);
    return code;
}

void kl_sequence_fitted_free(struct kl_sequence_fitted *f)
{
    free(f->align), free(f->filters), free(f->points);
    kl_sequence_linear_free(&f->linear);
    memset(f, 0, sizeof *f);
}

/* ---- fitted file ----
   A file of kind `sequence-fit`: a classifier on covariances, and which training windows. */

static const struct kl_kind_heading headings[] = { { "", "model" }, { "", "split" }, { NULL, NULL } };
static const struct kl_kind_number numbers[] = {
    { .attribute = "parameters", .title = "parameters", .format = "%.0f" },
    { .attribute = "fitted_windows", .title = "training windows", .format = "%.0f" },
    { .attribute = "leak", .title = "leak (recordings in training and test)", .format = "%.0f" },
    { .attribute = NULL },
};
static const struct kl_kind_group counted[] = {
    { { "split/", NULL }, "split/, of the windows" },
    { .words = NULL },
};
const struct kl_kind kl_sequence_fit_kind = { .name = "sequence-fit",
                                              .maker = "qseq fit",
                                              .headings = headings,
                                              .classes = "class_names",
                                              .numbers = numbers,
                                              .groups = counted };

/* ---- writing ---- */

static int put(struct kl_writer *w, const char *name, const double *values, size_t a, size_t b, size_t c,
               struct kl_error *err)
{
    const size_t dims[3] = { a, b, c };
    if (!values) return KL_OK;
    const int code = kl_store_writer_put(w, name, KL_TYPE_F64, 0, c ? 3 : b ? 2 : 1, dims, values, err);
    return code < 0 ? code : KL_OK;
}
static int put_numbers(struct kl_writer *w, const struct kl_sequence_fitted *f, struct kl_error *err)
{
    const size_t n = f->channels, classes = (size_t)f->classes;
    int code = put(w, "align", f->align, n, n, 0, err);
    if (!code) code = put(w, "filters", f->filters, f->options.filters, n, 0, err);
    if (!code) code = put(w, "points", f->points, f->n_points, n, n, err);
    if (!code) code = put(w, "weights", f->linear.weights, classes, f->linear.inputs, 0, err);
    return code ? code : put(w, "bias", f->linear.bias, classes, 0, 0, err);
}

/* The k-th of "a|b|c". */
static int put_choice(struct kl_writer *w, const char *name, const char *choices, int k,
                      struct kl_error *err)
{
    char word[32];
    for (; k > 0; k--) choices = strchr(choices, '|') + 1;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(choices, "|"), choices);
    return kl_store_writer_text(w, "", name, word, err);
}

/* As a field counts: what was estimated from the windows. */
static int64_t parameters(const struct kl_sequence_fitted *f)
{
    const size_t triangle = KL_SPD_TRIANGLE(f->channels),
                 outputs = f->classes == 2 ? 1 : (size_t)f->classes;
    size_t n = f->align ? triangle : 0;
    if (f->filters) n += f->options.filters * f->channels;
    if (f->points) n += f->n_points * triangle;
    if (f->linear.weights) n += outputs * (f->linear.inputs + 1);
    return (int64_t)n;
}

static int put_words(struct kl_writer *w, const struct kl_sequence_fitted *f,
                     const struct kl_sequence_set *set, const char *split, struct kl_error *err)
{
    const struct kl_sequence_fit_options *const o = &f->options;
    int code = put_choice(w, "model", KL_SEQUENCE_METHODS, (int)o->method, err);
    if (!code) code = put_choice(w, "estimator", KL_SEQUENCE_ESTIMATORS, (int)o->estimator, err);
    if (!code) code = put_choice(w, "alignment", KL_SEQUENCE_ALIGNMENTS, (int)o->align, err);
    if (!code) code = kl_store_writer_integer(w, "", "filters_kept", (int64_t)o->filters, err);
    if (!code) code = kl_store_writer_number(w, "", "strength", o->strength, err);
    if (!code) code = kl_store_writer_integer(w, "", "parameters", parameters(f), err);
    if (!code) code = kl_store_writer_integer(w, "", "fitted_windows", (int64_t)f->n_fitted, err);
    if (!code) code = kl_store_writer_integer(w, "", "steps", (int64_t)f->steps, err);
    if (!code) code = kl_store_writer_number(w, "", "rate", set->rate, err);
    if (!code) code = kl_sequence_set_describe(set, w, err);
    if (!code) code = kl_store_writer_text(w, "", "split", split, err);
    return code ? code : kl_store_writer_integer(w, "", "leak", strcmp(split, "leak") == 0, err);
}

static int put_names(struct kl_writer *w, const char *name, char *const *names, size_t n,
                     struct kl_error *err)
{
    return kl_sequence_names_put(w, name, (const char *const *)names, n, err);
}

int kl_sequence_fitted_save(struct kl_writer *w, const struct kl_sequence_fitted *f,
                            const struct kl_sequence_set *set, const struct kl_sequence_split *split,
                            const char *kind, struct kl_file *const *files, size_t n_files,
                            struct kl_error *err)
{
    int code = put_words(w, f, set, kind, err);
    if (!code) code = put_numbers(w, f, err);
    if (!code) code = kl_sequence_split_put(w, set, split, files, n_files, err);
    if (!code) code = put_names(w, "class_names", set->class_names, set->n_classes, err);
    return code ? code : put_names(w, "channel_names", set->channel_names, set->channels, err);
}

/* ---- reading ---- */

static int take_choice(int *value, struct kl_file *file, const char *name, const char *choices,
                       struct kl_error *err)
{
    char *word = NULL;
    int code = kl_store_file_text(&word, file, "", name, err);
    if (!code && (*value = kl_choice(choices, word)) < 0)
        code = kl_fail(err, KL_EDATA, "%s: attribute %s: found '%s', expected one of %s",
                       kl_store_file_path(file), name, word, choices);
    free(word);
    return code;
}
static int take_size(size_t *value, struct kl_file *file, const char *name, double most,
                     struct kl_error *err)
{
    double number;
    const int code = kl_store_file_number(&number, file, "", name, err);
    if (code) return code;
    if (!(number >= 0 && number <= most && number == floor(number)))
        return kl_fail(err, KL_EDATA, "%s: attribute %s: found %g, expected a whole number up to %g",
                       kl_store_file_path(file), name, number, most);
    *value = (size_t)number;
    return KL_OK;
}
/* NULL where the file has none and none is needed. Every number is finite. */
static int take(double **values, struct kl_file *file, const char *name, size_t a, size_t b, size_t c,
                struct kl_error *err)
{
    const size_t dims[3] = { a, b, c }, n = a * (b ? b : 1) * (c ? c : 1);
    int code = kl_store_file_load_shape((void **)values, file, name, KL_TYPE_F64,
                                        c   ? 3
                                        : b ? 2
                                            : 1,
                                        dims, err);
    for (size_t i = 0; i < n && !code; i++)
        if (!isfinite((*values)[i]))
            code = kl_fail(err, KL_EDATA, "%s: dataset %s: found %g, expected a number",
                           kl_store_file_path(file), name, (*values)[i]);
    return code;
}

static int take_options(struct kl_sequence_fitted *f, struct kl_file *file, struct kl_error *err)
{
    struct kl_sequence_fit_options *const o = &f->options;
    const struct kl_dataset *classes, *channels;
    int method = 0, estimator = 0, align = 0;
    int code = take_choice(&method, file, "model", KL_SEQUENCE_METHODS, err);
    if (!code) code = take_choice(&estimator, file, "estimator", KL_SEQUENCE_ESTIMATORS, err);
    if (!code) code = take_choice(&align, file, "alignment", KL_SEQUENCE_ALIGNMENTS, err);
    o->method = (enum kl_sequence_method)method;
    o->estimator = (enum kl_sequence_estimator)estimator;
    o->align = (enum kl_sequence_alignment)align;
    if (!code) code = take_size(&o->filters, file, "filters_kept", 65536, err);
    if (!code) code = kl_store_file_number(&o->strength, file, "", "strength", err);
    if (!code) code = take_size(&f->steps, file, "steps", 1e9, err);
    if (!code) code = take_size(&f->n_fitted, file, "fitted_windows", 1e12, err);
    if (!code) code = kl_store_file_expect(&classes, file, "class_names", KL_TYPE_STRING, 1, err);
    if (!code) code = kl_store_file_expect(&channels, file, "channel_names", KL_TYPE_STRING, 1, err);
    if (code) return code;
    f->classes = (int)classes->rows, f->channels = channels->rows;
    if (f->classes < 2 || f->channels < 1)
        return kl_fail(err, KL_EDATA, "%s: found %d classes, %zu channels, expected at least 2, 1",
                       kl_store_file_path(file), f->classes, f->channels);
    return KL_OK;
}

int kl_sequence_fitted_load(struct kl_sequence_fitted *f, struct kl_file *file, struct kl_error *err)
{
    memset(f, 0, sizeof *f);
    int code = take_options(f, file, err);
    if (code) return code;
    const enum kl_sequence_method method = f->options.method;
    const size_t n = f->channels, classes = (size_t)f->classes,
                 inputs = method == KL_SEQUENCE_CSP_LDA ? f->options.filters : KL_SPD_TRIANGLE(n);
    if (f->options.align == KL_SEQUENCE_ALIGN_TRAIN) code = take(&f->align, file, "align", n, n, 0, err);
    if (!code && method == KL_SEQUENCE_CSP_LDA)
        code = take(&f->filters, file, "filters", f->options.filters, n, 0, err);
    f->n_points = method == KL_SEQUENCE_MDM ? classes : method == KL_SEQUENCE_TANGENT_LR ? 1 : 0;
    if (!code && f->n_points) code = take(&f->points, file, "points", f->n_points, n, n, err);
    if (code || method == KL_SEQUENCE_MDM) return code;
    double *weights = NULL, *bias = NULL;
    code = kl_sequence_linear_init(&f->linear, inputs, f->classes, err);
    if (!code) code = take(&weights, file, "weights", classes, inputs, 0, err);
    if (!code) code = take(&bias, file, "bias", classes, 0, 0, err);
    if (!code) {
        memcpy(f->linear.weights, weights, classes * inputs * sizeof *weights);
        memcpy(f->linear.bias, bias, classes * sizeof *bias);
    }
    free(weights), free(bias);
    return code;
}
