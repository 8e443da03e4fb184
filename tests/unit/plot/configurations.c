/* SPDX-License-Identifier: MIT
   The figure of several reports says whose yardsticks it has, that chance differs, and that classifiers
   of equal size stand side by side. */
#include "tests/unit/plot/words.h"

enum { SPLITS = 2, MOST_DEVICES = 3, BINS = 2 };

/* A network of so many parameters, beside a rule by pairs. */
static void write_report(const char *path, size_t devices, double parameters)
{
    static const char *const ends[] = { "accuracy", "accuracy_low", "accuracy_high" };
    static const int64_t counts[SPLITS * MOST_DEVICES * MOST_DEVICES] = { 1 };
    static const double rates[SPLITS * MOST_DEVICES * 3] = { 0.5 }, bins[SPLITS * BINS * 3] = { 0.5 };
    const double accuracy[SPLITS] = { 0.5, 0.6 };
    const size_t splits = SPLITS;
    struct kl_error err = { 0 };
    struct kl_writer *w = NULL;
    int rc = open_any_file(&w, path, "device-report", &err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "device_names", KL_TYPE_STRING, 1, 1, &devices, "abc", &err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "network/confusion", KL_TYPE_I64, 0, 3,
                                 (const size_t[]){ SPLITS, devices, devices }, counts, &err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "network/per_class", KL_TYPE_F64, 0, 3,
                                 (const size_t[]){ SPLITS, devices, 3 }, rates, &err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "network/calibration", KL_TYPE_F64, 0, 3,
                                 (const size_t[]){ SPLITS, BINS, 3 }, bins, &err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "network/expected_calibration_error", KL_TYPE_F64, 0, 1, &splits,
                                 accuracy, &err);
    for (int model = 0; model < 2; model++) {
        char name[40];
        snprintf(name, sizeof name, "%s/accuracy", model ? "pairs" : "network");
        if (rc >= 0) rc = kl_store_writer_put(w, name, KL_TYPE_F64, 0, 1, &splits, accuracy, &err);
        for (int i = 0; i < 3 && rc >= 0; i++) {
            snprintf(name, sizeof name, "%s_%s", model ? "pairs" : "network", ends[i]);
            rc = kl_store_writer_number(w, "", name, 0.5 + 0.1 * (i == 2) - 0.1 * (i == 1), &err);
        }
    }
    if (rc >= 0) rc = kl_store_writer_text(w, "", "model", "network", &err);
    if (rc >= 0) rc = kl_store_writer_text(w, "", "layers", "8-3", &err);
    if (rc >= 0) rc = kl_store_writer_number(w, "", "network_parameters", parameters, &err);
    if (rc >= 0) rc = kl_store_writer_number(w, "", "pairs_parameters", 9, &err);
    if (rc >= 0) rc = kl_store_writer_publish(&w, NULL, &err);
    kl_store_writer_abort(&w);
    CHECK(rc >= 0, "%s", err.text);
}

int main(void)
{
    char one[1024], other[1024];
    make_test_folder();
    write_report(in_folder(one, "one.h5"), 2, 100);
    write_report(in_folder(other, "other.h5"), 2, 50);
    draw_figure("configurations", (const char *const[]){ one }, 1);
    CHECK_DRAWN("pairs", (size_t)2); /* in the table and by size */
    draw_figure("configurations", (const char *const[]){ one, other }, 2);
    CHECK_DRAWN("pairs of one", (size_t)2);
    CHECK_DRAWN("the line: chance", (size_t)1);
    CHECK_DRAWN("equal sizes side by side", (size_t)0);
    write_report(in_folder(other, "three.h5"), 3, 100);
    draw_figure("configurations", (const char *const[]){ one, other }, 2);
    CHECK_DRAWN("the lines: chance of each", (size_t)1);
    CHECK_DRAWN("equal sizes side by side", (size_t)1);
    return failures != 0;
}
