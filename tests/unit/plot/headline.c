/* SPDX-License-Identifier: MIT
   The line that tells what a file has: counts that a file of another maker has are told only if they are
   counts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plot/page/page_int.h"
#include "qrng/nist/nist.h"
#include "store/store.h"
#include "tests/unit/any_file.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

_Static_assert((int)KL_PAGE_PERMUTATIONS == (int)KL_IID_PERMUTATIONS, "the page has the test's number");

enum { RUNS = 3, DEVICES = 2 };
static char path[1024];

/* A file of this kind, all of whose counts are `count`. */
static int write_file(const char *kind, double count, struct kl_error *err)
{
    static const char *const counts[] = { "shots", "null", "ones_collapsed", "no_better_than_uniform",
                                          "permutations" };
    const size_t runs = RUNS, devices = DEVICES, one = 1;
    const double accuracy[RUNS] = { 0.5, 0.5, 0.5 };
    struct kl_writer *w = NULL;
    int rc = open_any_file(&w, path, kind, err);
    if (rc >= 0) rc = kl_store_writer_put(w, "device_names", KL_TYPE_STRING, 1, 1, &devices, "ab", err);
    if (rc >= 0) rc = kl_store_writer_put(w, "pairs", KL_TYPE_STRING, 1, 1, &devices, "cd", err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "rows", KL_TYPE_I64, 0, 1, &devices, (int64_t[DEVICES]){ 40, 50 },
                                 err);
    if (rc >= 0) rc = kl_store_writer_put(w, "collapsed", KL_TYPE_U8, 0, 1, &runs, "\1\0\1", err);
    if (rc >= 0) rc = kl_store_writer_put(w, "ones/accuracy", KL_TYPE_F64, 0, 1, &runs, accuracy, err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "log10_p_holm", KL_TYPE_F64, 0, 1, &runs, (double[RUNS]){ -9, -9 },
                                 err);
    if (rc >= 0) rc = kl_store_writer_put(w, "scores", KL_TYPE_STRING, 8, 1, &one, "accuracy", err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "score_p_holm", KL_TYPE_F64, 0, 2, (const size_t[]){ RUNS, 1 },
                                 accuracy, err);
    if (rc >= 0) rc = kl_store_writer_text(w, "", "model", "ones", err);
    if (rc >= 0) rc = kl_store_writer_text(w, "", "protocol", "holdout", err);
    for (size_t i = 0; i < sizeof counts / sizeof *counts && rc >= 0; i++)
        rc = kl_store_writer_number(w, "", counts[i], count, err);
    if (rc >= 0) rc = kl_store_writer_publish(&w, NULL, err);
    kl_store_writer_abort(&w);
    return rc;
}

static void expect(const char *kind, double count, const char *words)
{
    char text[KL_HEADLINE] = "";
    struct kl_error err = { 0 };
    struct kl_file *file = NULL;
    int rc = write_file(kind, count, &err);
    if (rc >= 0) rc = kl_store_file_open(&file, path, &err);
    if (rc >= 0) rc = kl_plot_page_headline(text, file, &err);
    CHECK(rc >= 0, "%s, %g: %s", kind, count, err.text);
    CHECK(strcmp(text, words) == 0, "%s, %g: found '%s', expected '%s'", kind, count, text, words);
    kl_store_file_close(&file);
}

int main(void)
{
    /* A kind; the line with 1 of all counts, and with a number that is none. */
    static const char *const lines[][3] = {
        { "report", ", 1 shot", "" },
        { "device-classifier", "ones, holdout; collapsed on 1 of 2 splits: one device whatever the row",
          "ones, holdout" },
        { "device-report", " of 2 devices; collapsed on 1 of 3 splits: one device whatever the row",
          " of 2 devices" },
        { "pulse", "", "" },
        { "policy", "", "" },
        { "regret", "", "" },
        { "gan", "2 pairs, 1 no better than the uniform law", "2 pairs" },
        { "tournament",
          ", 2 of 3 pairs differ by symbols if independent (Holm, 5 %); by held-out rows 1 permutation "
          "cannot tell",
          ", 2 of 3 pairs differ by symbols if independent (Holm, 5 %)" },
    };
    static const double none[] = { -1, 1e300, INFINITY, NAN };
    make_test_folder();
    in_folder(path, "headline.h5");
    for (size_t l = 0; l < sizeof lines / sizeof *lines; l++) {
        expect(lines[l][0], 1, lines[l][1]);
        for (size_t i = 0; i < sizeof none / sizeof *none; i++)
            expect(lines[l][0], none[i], lines[l][2]);
    }
    return failures != 0;
}
