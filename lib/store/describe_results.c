/* SPDX-License-Identifier: MIT
   What a report found and how a head was trained, for the page of a file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/describe_int.h"

static const char *const numbers[][2] = {
    { "accuracy", "accuracy" },
    { "accuracy_low", "  95 % from" },
    { "accuracy_high", "  to" },
    { "log_loss", "log loss" },
    { "expected_calibration_error", "calibration error" },
    { "output_error", "outputs off by" },
    { "unmitigated_output_error", "  not mitigated" },
    { "unmitigated_accuracy", "  their accuracy" },
    { "mcnemar_p", "McNemar p" },
    { "minus_twin", "circuit - twin" },
    { "minus_twin_low", "  95 % from" },
    { "minus_twin_high", "  to" },
    { "minus_frozen", "circuit - frozen" },
    { "minus_frozen_low", "  95 % from" },
    { "minus_frozen_high", "  to" },
    { "minus_none", "circuit - none" },
    { "minus_none_low", "  95 % from" },
    { "minus_none_high", "  to" },
};

bool kl_is_number_of_report(const char *name)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(numbers[i][0], name) == 0) return true;
    return strcmp(name, "noise") == 0 || strcmp(name, "mitigation") == 0;
}

/* Of a control's difference: where its ends are one, there is no interval to tell. */
static bool is_end(const char *name)
{
    return strncmp(name, "minus_", 6) == 0 && strchr(name + 6, '_');
}

static void write_number(FILE *to, const struct kl_file *file, const char *name, const char *title)
{
    const struct kl_dataset *seeds = kl_file_find(file, "replicas/accuracy");
    char of[64];
    double value, ends[2];
    if (!kl_file_has_attribute(file, "", name) || kl_file_number(&value, file, "", name, NULL)) return;
    snprintf(of, sizeof of, "%.*s", is_end(name) ? (int)(strrchr(name, '_') - name) : 60, name);
    if (strcmp(name, "accuracy_low") == 0 && seeds && seeds->rows > 1) title = "  95 % of samples";
    const bool bounded = strncmp(name, "minus_", 6) != 0 || kl_file_interval(ends, file, of);
    if (is_end(name) && !bounded) return;
    fprintf(to, strcmp(name, "mcnemar_p") == 0 ? "%-20s %.3g" : "%-20s %.4f", title, value);
    if (!bounded && seeds && seeds->rows > 1)
        fprintf(to, " (the same with each of %zu seeds: no interval)", seeds->rows);
    fputc('\n', to);
}

void kl_write_numbers(FILE *to, const struct kl_file *file)
{
    /* As applied: with qeval's own options or the head's. */
    for (int i = 0; i < 2; i++) {
        const char *const name = i ? "mitigation" : "noise";
        char *text = NULL;
        if (kl_file_has_attribute(file, "", name) && kl_file_text(&text, file, "", name, NULL) == KL_OK)
            fprintf(to, "%-20s %s\n", name, text);
        free(text);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        write_number(to, file, numbers[i][0], numbers[i][1]);
}

int kl_write_heads(FILE *to, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d = kl_file_find(file, "replicas/accuracy");
    double *accuracy = NULL, mean = 0, square = 0;
    if (!d || d->type != KL_TYPE_F64 || d->rank != 1 || d->rows < 2) return KL_OK;
    int code = kl_file_load((void **)&accuracy, file, d, err);
    if (code) return code;
    double n = (double)d->rows;
    for (size_t r = 0; r < d->rows; r++) mean += accuracy[r] / n;
    for (size_t r = 0; r < d->rows; r++) square += (accuracy[r] - mean) * (accuracy[r] - mean);
    fprintf(to, "%-20s %.4f +- %.4f (standard deviation) of %zu:", "heads' accuracy", mean,
            sqrt(square / (n - 1)), d->rows);
    for (size_t r = 0; r < d->rows && r < 16; r++) fprintf(to, " %.4f", accuracy[r]);
    fputs(d->rows > 16 ? " ...\n" : "\n", to);
    free(accuracy);
    return KL_OK;
}

/* The accuracy that is told beside the training loss, of which rows, and what each run is of. */
struct history {
    const struct kl_dataset *loss, *accuracy;
    const char *what, *of;
};

static bool is_reference(const struct kl_file *file)
{
    char *protocol = NULL;
    const bool found = kl_file_has_attribute(file, "", "protocol") &&
                       kl_file_text(&protocol, file, "", "protocol", NULL) == KL_OK &&
                       strcmp(protocol, "reference") == 0;
    free(protocol);
    return found;
}

/* Heads by their validation rows, or else their training; a network of devices by the rows that judge
   its epochs, which in the reference protocol are those of the test. */
static struct history find_history(const struct kl_file *file)
{
    struct history h = { kl_file_find(file, "history/train_loss"),
                         kl_file_find(file, "history/val_accuracy"), "validation", "head" };
    const struct kl_dataset *judge = kl_file_find(file, "history/judge_accuracy");
    if (judge) {
        h.accuracy = judge, h.of = "split";
        if (is_reference(file)) h.what = "test";
    } else if (!kl_file_find(file, "split/validation")) {
        h.accuracy = kl_file_find(file, "history/train_accuracy");
        h.what = "training";
    }
    return h;
}

static bool fits(const struct history *h)
{
    return h->loss && h->accuracy && h->loss->type == KL_TYPE_F64 && h->accuracy->type == KL_TYPE_F64 &&
           h->loss->rank == 2 && h->accuracy->rank == 2 && h->accuracy->dims[0] == h->loss->dims[0] &&
           h->accuracy->dims[1] == h->loss->dims[1];
}

/* Runs on shuffled labels, which stand last, are left out. */
static size_t count_runs(const struct history *h, const struct kl_file *file)
{
    double null = 0;
    if (kl_file_has_attribute(file, "", "null")) (void)kl_file_number(&null, file, "", "null", NULL);
    return h->loss->dims[0] - (null > 0 && null < (double)h->loss->dims[0] ? (size_t)null : 0);
}

static void write_best(FILE *to, const struct history *h, const double *accuracy, size_t runs)
{
    const size_t epochs = h->accuracy->dims[1];
    fprintf(to, "\nbest %s accuracy of each %s:", h->what, h->of);
    for (size_t r = 0; r < runs && r < 16; r++) {
        double best = 0;
        for (size_t e = 0; e < epochs; e++) best = fmax(best, accuracy[r * epochs + e]);
        fprintf(to, " %.4f", best);
    }
    fputc('\n', to);
}

int kl_write_history(FILE *to, struct kl_file *file, struct kl_error *err)
{
    const struct history h = find_history(file);
    double *l = NULL, *a = NULL;
    if (!fits(&h)) return KL_OK;
    int code = kl_file_load((void **)&l, file, h.loss, err);
    if (!code) code = kl_file_load((void **)&a, file, h.accuracy, err);
    const size_t epochs = h.loss->dims[1], runs = count_runs(&h, file),
                 step = epochs > 10 ? (epochs + 9) / 10 : 1;
    if (!code) {
        fprintf(to, "\n  epoch   training loss   %10s accuracy", h.what);
        if (runs > 1) fprintf(to, "   (first %s)", h.of);
        fputc('\n', to);
    }
    for (size_t e = 0; !code && e < epochs; e++)
        if ((e % step == 0 || e + 1 == epochs) && isfinite(l[e]))
            fprintf(to, "  %5zu   %13.4f   %19.4f\n", e + 1, l[e], a[e]);
    if (!code && runs > 1) write_best(to, &h, a, runs);
    free(l);
    free(a);
    return code;
}
