/* SPDX-License-Identifier: MIT
   Files of device classifiers, their reports and synthetic devices whose parts do not fit each other:
   refused in words, where the fitting ones are drawn. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plot/plot.h"
#include "store/store.h"
#include "tests/unit/any_file.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

enum { RUNS = 3, EPOCHS = 4, DEVICES = 2, BINS = 10 };
static char path[1024];

/* The file to be written; one thing a case is not as it should be. */
struct classifier {
    size_t runs_of_rates, n_best;
    int64_t best, epochs;
    double null;
};
static const struct classifier sound = { RUNS, RUNS, 1, EPOCHS, 1 };

static int put_histories(struct kl_writer *w, const struct classifier *c, struct kl_error *err)
{
    static const char *const names[] = { "history/train_loss", "history/judge_loss",
                                         "history/train_accuracy", "history/judge_accuracy",
                                         "history/learning_rate" };
    double values[RUNS * EPOCHS];
    int rc = 0;
    for (int i = 0; i < RUNS * EPOCHS; i++) values[i] = 1 / (1.0 + i);
    for (int i = 0; i < 5 && rc >= 0; i++)
        rc = kl_store_writer_put(w, names[i], KL_TYPE_F64, 0, 2,
                                 (const size_t[]){ i < 4 ? RUNS : c->runs_of_rates, EPOCHS }, values,
                                 err);
    return rc < 0 ? rc : KL_OK;
}

static int write_classifier(struct kl_writer *w, const void *what, struct kl_error *err)
{
    const struct classifier *c = what;
    const int64_t best[RUNS] = { 0, c->best, 0 }, epochs[RUNS] = { EPOCHS, c->epochs, EPOCHS };
    const size_t runs = RUNS;
    int rc = put_histories(w, c, err);
    if (rc >= 0) rc = kl_store_writer_put(w, "best_epoch", KL_TYPE_I64, 0, 1, &c->n_best, best, err);
    if (rc >= 0) rc = kl_store_writer_put(w, "epochs", KL_TYPE_I64, 0, 1, &runs, epochs, err);
    if (rc >= 0) rc = kl_store_writer_text(w, "", "protocol", "holdout", err);
    return rc < 0 ? rc : kl_store_writer_number(w, "", "null", c->null, err);
}

struct report {
    const char *model;
    size_t confused, rates, bins;
};

/* Three devices of as many classes. */
struct synthetic {
    size_t means, square;
    int32_t class;
    int64_t confused;
};

static int write_synthetic(struct kl_writer *w, const void *what, struct kl_error *err)
{
    const struct synthetic *s = what;
    const size_t d = 3, square[2] = { d, s->square };
    const double values[9] = { 0, 0.2, 0.4, 0.2, 0, 0.3, 0.4, 0.3, 0 };
    const int32_t class[3] = { 0, 1, s->class };
    const int64_t confusion[9] = { 3, s->confused, 0, 2, 0, 1, 1, 1, 1 };
    static const char *const sets[] = { "accuracy", "network/accuracy", "logistic/accuracy" };
    static const char *const names[] = {
        "test", "pearson", "spearman", "log10_p_pearson", "log10_p_spearman", "log10_p_u", "p_devices"
    };
    int rc = kl_store_writer_put(w, "class", KL_TYPE_I32, 0, 1, &d, class, err);
    if (rc >= 0) rc = kl_store_writer_put(w, "study/mean", KL_TYPE_F64, 0, 1, &s->means, values, err);
    if (rc >= 0) rc = kl_store_writer_put(w, "study/divergence", KL_TYPE_F64, 0, 2, square, values, err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "network/confusion", KL_TYPE_I64, 0, 2, square, confusion, err);
    for (int i = 0; i < 3 && rc >= 0; i++)
        rc = kl_store_writer_put(w, sets[i], KL_TYPE_F64, 0, 1, &d, values, err);
    for (int i = 0; i < 21 && rc >= 0; i++)
        rc = kl_store_writer_number(w, i % 3 ? sets[i % 3] : "study/divergence", names[i / 3], 0.5, err);
    return rc < 0 ? rc : KL_OK;
}

static int write_report(struct kl_writer *w, const void *what, struct kl_error *err)
{
    const struct report *r = what;
    const int64_t confusion[9] = { 3, 1, 0, 2, 0, 1, 1, 1, 1 };
    const double accuracy = 0.6, numbers[BINS * 3] = { 1, 0.6, 0.6 };
    const size_t one = 1, devices = DEVICES;
    int rc = kl_store_writer_put(w, "device_names", KL_TYPE_STRING, 1, 1, &devices, "ab", err);
    if (rc >= 0) rc = kl_store_writer_text(w, "", "model", r->model, err);
    const char *const attributes[] = { "ones_accuracy", "ones_accuracy_low", "ones_accuracy_high" };
    for (int i = 0; i < 3 && rc >= 0; i++)
        rc = kl_store_writer_number(w, "", attributes[i], accuracy, err);
    if (rc >= 0) rc = kl_store_writer_put(w, "ones/accuracy", KL_TYPE_F64, 0, 1, &one, &accuracy, err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "ones/expected_calibration_error", KL_TYPE_F64, 0, 1, &one,
                                 &accuracy, err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "ones/confusion", KL_TYPE_I64, 0, 3,
                                 (const size_t[]){ 1, r->confused, r->confused }, confusion, err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "ones/per_class", KL_TYPE_F64, 0, 3,
                                 (const size_t[]){ 1, DEVICES, r->rates }, numbers, err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "ones/calibration", KL_TYPE_F64, 0, 3,
                                 (const size_t[]){ 1, BINS, r->bins }, numbers, err);
    return rc;
}

/* words NULL: is drawn. name: of the figure. */
static void expect_of(const char *name, const char *kind,
                      int (*write)(struct kl_writer *, const void *, struct kl_error *),
                      const void *what, const char *words)
{
    const struct kl_figure *figure = kl_figures;
    struct kl_error err = { 0 };
    struct kl_writer *w = NULL;
    struct kl_file *file = NULL;
    unsigned char *bytes = NULL;
    size_t n = 0;
    int rc = open_any_file(&w, path, kind, &err);
    if (rc >= 0) rc = write(w, what, &err);
    if (rc >= 0) rc = kl_store_writer_publish(&w, NULL, &err);
    if (rc >= 0) rc = kl_store_file_open(&file, path, &err);
    CHECK(rc >= 0, "%s", err.text);
    while (figure->name && strcmp(figure->name, name) != 0) figure++;
    const struct kl_figure_inputs inputs = { .file = file };
    if (rc >= 0) rc = kl_plot_figure_bytes(&bytes, &n, figure, &inputs, KL_SVG, &err);
    if (!words) CHECK(rc == KL_OK && n > 1000, "%s: %d %s", kind, rc, err.text);
    else
        CHECK(rc == KL_EDATA && strstr(err.text, words), "%s: %d %s, expected %s", kind, rc, err.text,
              words);
    free(bytes);
    kl_store_file_close(&file);
    kl_store_writer_abort(&w);
}

static void expect(const char *kind, int (*write)(struct kl_writer *, const void *, struct kl_error *),
                   const void *what, const char *words)
{
    const bool report = strcmp(kind, "device-report") == 0;
    expect_of(report ? "classifiers" : "learning", kind, write, what, words);
    if (report) expect_of("configurations", kind, write, what, words);
}

static void check_validation(void)
{
    struct synthetic s = { 3, 3, 2, 1 };
    expect_of("validation", "synthetic", write_synthetic, &s, NULL);
    s.means = 2;
    expect_of("validation", "synthetic", write_synthetic, &s, "study/mean: expected 3 instead of 2");
    s.means = 3, s.square = 2;
    expect_of("validation", "synthetic", write_synthetic, &s,
              "study/divergence: expected 3 instead of 2");
    s.square = 3, s.class = 3;
    expect_of("validation", "synthetic", write_synthetic, &s, "class 3 of device 2, expected 0 to 2");
    s.class = -1;
    expect_of("validation", "synthetic", write_synthetic, &s, "class -1 of device 2");
    s.class = 2, s.confused = -1;
    expect_of("validation", "synthetic", write_synthetic, &s, "network/confusion: found -1 rows");
}

static void check_classifiers(void)
{
    struct classifier c = sound;
    expect("device-classifier", write_classifier, &c, NULL);
    c.runs_of_rates = RUNS - 1;
    expect("device-classifier", write_classifier, &c, "history/learning_rate: its shape");
    c = sound, c.null = RUNS;
    expect("device-classifier", write_classifier, &c, "history/train_loss: its shape");
    c = sound, c.n_best = 1;
    expect("device-classifier", write_classifier, &c, "best_epoch: found 1 runs, expected 2");
    c = sound, c.best = EPOCHS;
    expect("device-classifier", write_classifier, &c, "run 1: found epoch 4 of 4, of at most 4");
    c = sound, c.best = -1;
    expect("device-classifier", write_classifier, &c, "run 1: found epoch -1");
    c = sound, c.epochs = EPOCHS + 1;
    expect("device-classifier", write_classifier, &c, "run 1: found epoch 1 of 5");
}

static void check_reports(void)
{
    struct report r = { "ones", DEVICES, 3, 3 };
    expect("device-report", write_report, &r, NULL);
    r.confused = 3;
    expect("device-report", write_report, &r, "ones/confusion: its shape");
    r.confused = DEVICES, r.rates = 2;
    expect("device-report", write_report, &r, "ones/per_class: its shape");
    r.rates = 3, r.bins = 2;
    expect("device-report", write_report, &r, "ones/calibration: its shape");
    r.bins = 3, r.model = "network";
    expect("device-report", write_report, &r, "network/accuracy");
}

int main(void)
{
    make_test_folder();
    in_folder(path, "device-file.h5");
    check_classifiers();
    check_reports();
    check_validation();
    return failures != 0;
}
