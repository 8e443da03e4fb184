/* SPDX-License-Identifier: MIT
   What the figure of a sweep says: labels of different points differ, and points that diverged are
   counted. */
#include <math.h>

#include "tests/unit/plot/words.h"

enum { POINTS = 6, HEADS = 2, NAME = 256 };
static char path[1024];

/* Accuracies of every head, NaN for those of the last `diverged` points, of which the first has one head
   that did not. */
static void draw_sweep(const char (*names)[NAME], size_t diverged)
{
    const size_t points = POINTS, both[2] = { POINTS, HEADS };
    double accuracy[POINTS * HEADS];
    int64_t epochs[POINTS];
    struct kl_error err = { 0 };
    struct kl_writer *w = NULL;
    for (size_t i = 0; i < POINTS; i++) epochs[i] = 3;
    for (size_t i = 0; i < POINTS * HEADS; i++) {
        const size_t of = i / HEADS;
        accuracy[i] =
            of < POINTS - diverged || i == (POINTS - diverged) * HEADS ? 0.9 - 0.1 * (double)of : NAN;
    }
    int rc = open_any_file(&w, path, "sweep", &err);
    if (rc >= 0) rc = kl_store_writer_put(w, "point", KL_TYPE_STRING, NAME, 1, &points, names, &err);
    if (rc >= 0) rc = kl_store_writer_put(w, "epochs", KL_TYPE_I64, 0, 1, &points, epochs, &err);
    if (rc >= 0) rc = kl_store_writer_put(w, "val_accuracy", KL_TYPE_F64, 0, 2, both, accuracy, &err);
    if (rc >= 0) rc = kl_store_writer_put(w, "val_loss", KL_TYPE_F64, 0, 2, both, accuracy, &err);
    if (rc >= 0) rc = kl_store_writer_publish(&w, NULL, &err);
    kl_store_writer_abort(&w);
    CHECK(rc >= 0, "%s", err.text);
    draw_figure("sweep", (const char *const[]){ path }, 1);
}

/* Options that all rows have stand once, above. */
static void shared_options(void)
{
    static const char names[POINTS][NAME] = { "ansatz=a lr=1 init=x", "ansatz=a lr=2 init=x",
                                              "ansatz=a lr=3 init=x", "ansatz=a lr=4 init=x",
                                              "ansatz=a lr=5 init=x", "ansatz=a lr=6 init=x" };
    draw_sweep(names, 0);
    CHECK_DRAWN("all rows: ansatz=a init=x", 1);
    CHECK_DRAWN("lr=1", 1);
    CHECK_DRAWN("lr=6", 1);
    CHECK_DRAWN("6 of 6 points; mean (bar) of 2 heads", 1);
}

/* Names that differ behind the 80th byte and in their middles, where there is no room. */
static void long_names(void)
{
    char names[POINTS][NAME];
    for (size_t i = 0; i < POINTS; i++) {
        char a[101] = "", z[101] = "";
        memset(a, 'a', 100), memset(z, 'z', 100);
        snprintf(names[i], NAME, "%s%zu%s", a, i, z);
    }
    draw_sweep((const char(*)[NAME])names, 0);
    for (size_t i = 0; i < n_drawn_texts / 2; i++)
        for (size_t k = 0; k < i; k++)
            CHECK(!strchr(drawn_texts[i].text, 'z') ||
                      strcmp(drawn_texts[i].text, drawn_texts[k].text) != 0,
                  "'%s' twice", drawn_texts[i].text);
    for (size_t i = 0; i < POINTS; i++)
        snprintf(names[i], NAME,
                 "embedding=angle-y circuit-file=folder/of/circuits/with-a-name/c.txt layers=%zu", i);
    draw_sweep((const char(*)[NAME])names, 0);
    CHECK_DRAWN("layers=5", 1);
}

int main(void)
{
    static const char names[POINTS][NAME] = { "lr=1", "lr=2", "lr=3", "lr=4", "lr=5", "lr=6" };
    make_test_folder();
    in_folder(path, "sweep.h5");
    shared_options();
    long_names();
    draw_sweep(names, 2);
    CHECK_DRAWN("4 of 6 points; 2 diverged; mean (bar) of 2 heads", 1);
    CHECK_DRAWN("lr=4", 1);
    CHECK_DRAWN("lr=5", 0);
    return failures != 0;
}
