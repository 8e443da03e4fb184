/* SPDX-License-Identifier: MIT
   Samples that are all equal have a figure that says so. */
#include "tests/unit/plot/words.h"

enum { N = 7, D = 3 };
static char path[1024];

static void draw_samples(float last)
{
    const size_t both[2] = { N, D }, n = N;
    const int32_t labels[N] = { 0 };
    float x[N * D];
    struct kl_error err = { 0 };
    struct kl_writer *w = NULL;
    for (size_t i = 0; i < N * D; i++) x[i] = 0.1F * (float)(1 + i % D);
    x[N * D - 1] += last;
    int rc = open_any_file(&w, path, "features", &err);
    if (rc >= 0) rc = kl_store_writer_put(w, "features", KL_TYPE_F32, 0, 2, both, x, &err);
    if (rc >= 0) rc = kl_store_writer_put(w, "labels", KL_TYPE_I32, 0, 1, &n, labels, &err);
    if (rc >= 0) rc = kl_store_writer_publish(&w, NULL, &err);
    kl_store_writer_abort(&w);
    CHECK(rc >= 0, "%s", err.text);
    draw_figure("pca", (const char *const[]){ path }, 1);
}

int main(void)
{
    make_test_folder();
    in_folder(path, "features.h5");
    draw_samples(0);
    CHECK_DRAWN("all samples are equal", 1);
    CHECK_DRAWN("first component (0.0 %)", 1);
    CHECK_DRAWN("second component (0.0 %)", 1);
    draw_samples(1);
    CHECK_DRAWN("all samples are equal", 0);
    CHECK_DRAWN("first component (100.0 %)", 1);
    CHECK_DRAWN("second component (0.0 %)", 1);
    return failures != 0;
}
