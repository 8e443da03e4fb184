/* SPDX-License-Identifier: MIT
   A file in one line, as the tool that wrote it tells it at its end. A file may be of any age: what it
   lacks is left out. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "plot/page/headline_int.h"
#include "train/sweep.h"

size_t kl_plot_headline_rows(const struct kl_file *file, const char *name)
{
    const struct kl_dataset *d = kl_store_file_find(file, name);
    return d ? d->rows : 0;
}

double kl_plot_headline_number(const struct kl_file *file, const char *name)
{
    double value;
    return kl_store_file_has_attribute(file, "", name) &&
                   !kl_store_file_number(&value, file, "", name, NULL)
               ? value
               : NAN;
}

size_t kl_plot_headline_count(const struct kl_file *file, const char *name)
{
    const double value = kl_plot_headline_number(file, name);
    return value >= 0 && value <= 0x1p53 ? (size_t)value : 0;
}

void kl_plot_headline_add(char text[KL_HEADLINE], const char *form, ...)
{
    const size_t n = strlen(text);
    va_list list;
    va_start(list, form);
    vsnprintf(text + n, KL_HEADLINE - n, form, list);
    va_end(list);
}

void kl_plot_headline_counted(char text[KL_HEADLINE], const char *before, size_t n, const char *what)
{
    if (n) kl_plot_headline_add(text, "%s%zu %s%s", before, n, what, kl_s(n));
}

void kl_plot_headline_accuracy(char text[KL_HEADLINE], const struct kl_file *file, const char *name,
                               const char *title)
{
    const double value = kl_plot_headline_number(file, name);
    double ends[2];
    if (isnan(value)) return;
    kl_plot_headline_add(text, "%s %.4f", title, value);
    if (kl_store_file_interval(ends, file, name))
        kl_plot_headline_add(text, " (95 %%%s %.4f to %.4f)", kl_plot_page_interval_of(file, name),
                             ends[0], ends[1]);
}

int kl_plot_headline_text(char text[KL_HEADLINE], const struct kl_file *file, const char *name,
                          const char *before, struct kl_error *err)
{
    char *own = NULL;
    if (!kl_store_file_has_attribute(file, "", name)) return KL_OK;
    const int code = kl_store_file_text(&own, file, "", name, err);
    if (!code) kl_plot_headline_add(text, "%s%.80s", before, own);
    free(own);
    return code;
}

int kl_plot_headline_means(char text[KL_HEADLINE], const struct kl_file *file, struct kl_error *err)
{
    kl_plot_headline_counted(text, ", ", kl_plot_headline_count(file, "shots"), "shot");
    const int code = kl_plot_headline_text(text, file, "noise", ", noise ", err);
    return code ? code : kl_plot_headline_text(text, file, "mitigation", ", mitigated by ", err);
}

void kl_plot_headline_cautions(char text[KL_HEADLINE], const struct kl_file *file)
{
    if (kl_store_file_has_attribute(file, "", "trained_on_these"))
        kl_plot_headline_add(text, "; the head was trained on these samples");
    if (kl_store_file_has_attribute(file, "", "preprocess_differs"))
        kl_plot_headline_add(text, "; their preprocessing is not that of training");
}

static int of_report(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const size_t heads = kl_plot_headline_rows(file, "replicas/accuracy");
    kl_plot_headline_accuracy(text, file, "accuracy", "accuracy");
    if (heads > 1) kl_plot_headline_counted(text, " over ", heads, "head");
    kl_plot_headline_counted(text, heads > 1 ? ", on " : " on ", kl_plot_headline_rows(file, "labels"),
                             "sample");
    const int code = kl_plot_headline_means(text, file, err);
    if (!code) kl_plot_headline_cautions(text, file);
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
        kl_plot_headline_counted(text, "", best->rows, "head");
        kl_plot_headline_counted(text, ", ", d->dims[1], "epoch");
        kl_plot_headline_add(text, ", %s accuracy %.4f", judged ? "val" : "no validation, train",
                             sum / (double)best->rows);
        if (best->rows > 1) kl_plot_headline_add(text, " (%.4f to %.4f)", low, high);
    }
    free(epochs), free(values);
    return code;
}

static int of_features(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    (void)err;
    const struct kl_dataset *d = kl_store_file_find(file, "features");
    if (d && d->rank == 2)
        kl_plot_headline_add(text, "%zu x %zu %s", d->rows, d->dims[1],
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
        kl_plot_headline_counted(text, "", sweep.n, "point");
        kl_plot_headline_counted(text, " of ", sweep.replicas, heads ? "head" : "model");
        const double best = sweep.n ? kl_train_sweep_mean(&sweep, order[0], 0) : NAN;
        if (isfinite(best))
            kl_plot_headline_add(text, "; best: %s, %s %.4f", sweep.rows[order[0]].name,
                                 sweep.by.row[0].label, best);
    }
    free(order);
    kl_train_sweep_free(&sweep);
    return code;
}

static int of_others(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const char *kind = kl_store_file_kind(file);
    (void)err;
    if (strcmp(kind, "plateau") == 0) {
        kl_plot_headline_counted(text, "", kl_plot_headline_rows(file, "observables"), "observable");
        kl_plot_headline_counted(
            text, ", ", kl_plot_headline_rows(file, "qubits") * kl_plot_headline_rows(file, "layers"),
            "circuit");
        if (!isnan(kl_plot_headline_number(file, "draws")))
            kl_plot_headline_add(text, " of %.0f draws", kl_plot_headline_number(file, "draws"));
    } else if (strcmp(kind, "device-bits") == 0) {
        if (!isnan(kl_plot_headline_number(file, "n_rows")))
            kl_plot_headline_add(text, "%.0f rows of %.0f bits, ",
                                 kl_plot_headline_number(file, "n_rows"),
                                 kl_plot_headline_number(file, "n_bits"));
        kl_plot_headline_counted(text, "", kl_plot_headline_rows(file, "class_names"), "device");
    } else kl_plot_headline_counted(text, "", kl_plot_headline_rows(file, "devices"), "device");
    return KL_OK;
}

int kl_plot_page_headline(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    static const struct {
        const char *kind;
        int (*tell)(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err);
    } lines[] = { { "report", of_report },
                  { "device-report", kl_plot_headline_of_device_report },
                  { "device-classifier", kl_plot_headline_of_classifier },
                  { "gan", kl_plot_headline_of_gan },
                  { "head", of_head },
                  { "features", of_features },
                  { "tournament", kl_plot_headline_of_tournament },
                  { "sweep", of_sweep },
                  { "pulse", kl_plot_headline_of_pulse },
                  { "policy", kl_plot_headline_of_policy },
                  { "regret", kl_plot_headline_of_regret },
                  { "chains", kl_plot_headline_of_chains },
                  { "bounds", kl_plot_headline_of_bounds },
                  { "windows", kl_plot_headline_of_windows },
                  { "sequence-model", kl_plot_headline_of_sequence_model },
                  { "sequence-fit", kl_plot_headline_of_sequence_model },
                  { "sequence-report", kl_plot_headline_of_sequence_report } };
    *text = '\0';
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (strcmp(lines[i].kind, kl_store_file_kind(file)) == 0) return lines[i].tell(text, file, err);
    return of_others(text, file, err);
}
