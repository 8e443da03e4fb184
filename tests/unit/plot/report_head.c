/* SPDX-License-Identifier: MIT
   Figures of a report say of how many samples it is, with how many shots, and that its head was trained
   on them. */
#include "tests/unit/plot/words.h"

enum { CLASSES = 2, BINS = 2 };
static char path[1024];

static void draw_report(bool trained, int64_t shots)
{
    static const char *const figures[] = { "confusion", "calibration" };
    const size_t counts[3] = { 1, CLASSES, CLASSES }, bins[3] = { 1, BINS, 3 }, classes = CLASSES;
    struct kl_error err = { 0 };
    struct kl_writer *w = NULL;
    int rc = open_any_file(&w, path, "report", &err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "confusion", KL_TYPE_I64, 0, 3, counts, (int64_t[]){ 5, 1, 2, 4 },
                                 &err);
    if (rc >= 0) rc = kl_store_writer_put(w, "class_names", KL_TYPE_STRING, 1, 1, &classes, "ab", &err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "calibration", KL_TYPE_F64, 0, 3, bins,
                                 (double[]){ 5, .5, .4, 7, .9, .8 }, &err);
    if (rc >= 0 && trained) rc = kl_store_writer_integer(w, "", "trained_on_these", 1, &err);
    if (rc >= 0 && shots) rc = kl_store_writer_integer(w, "", "shots", shots, &err);
    if (rc >= 0) rc = kl_store_writer_publish(&w, NULL, &err);
    kl_store_writer_abort(&w);
    CHECK(rc >= 0, "%s", err.text);
    for (size_t i = 0; i < 2; i++) {
        draw_figure(figures[i], (const char *const[]){ path }, 1);
        CHECK_DRAWN("the head was trained on these samples", (size_t)trained);
        CHECK_DRAWN(shots ? "12 samples, 100 shots" : "12 samples", (size_t)1);
    }
}

int main(void)
{
    make_test_folder();
    in_folder(path, "report.h5");
    draw_report(false, 0);
    draw_report(true, 100);
    return failures != 0;
}
