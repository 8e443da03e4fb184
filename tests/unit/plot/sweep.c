/* SPDX-License-Identifier: MIT
   What the figure of a sweep says: labels of different points differ, points that diverged are counted,
   and what points are compared by is what the file says. */
#include <math.h>

#include "tests/unit/plot/words.h"

enum { POINTS = 6, HEADS = 2, NAME = 256 };
static char path[1024];

/* Draw the values compared of every model, NaN of those of the last `diverged` points, of which the
   first has one model that did not. by NULL: heads, by their accuracies; else models, by that loss. */
static void draw_sweep_by(const char *by, const char (*names)[NAME], size_t diverged)
{
    const size_t points = POINTS, both[2] = { POINTS, HEADS };
    double values[POINTS * HEADS];
    int64_t counts[POINTS];
    char keys[POINTS * 64] = "", judged[80];
    struct kl_error err = { 0 };
    struct kl_writer *w = NULL;
    for (size_t i = 0; i < POINTS; i++) counts[i] = 3;
    for (size_t i = 0; i < POINTS * HEADS; i++) {
        const size_t of = i / HEADS;
        values[i] =
            of < POINTS - diverged || i == (POINTS - diverged) * HEADS ? 0.9 - 0.1 * (double)of : NAN;
    }
    int rc = open_any_file(&w, path, "sweep", &err);
    if (rc >= 0) rc = kl_store_writer_put(w, "point", KL_TYPE_STRING, NAME, 1, &points, names, &err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, by ? "net_key" : "head_key", KL_TYPE_STRING, 64, 1, &points, keys,
                                 &err);
    for (int k = 0; k < 3 && rc >= 0; k++)
        rc = kl_store_writer_put(w, (const char *[]){ "index", "parameters", "epochs" }[k], KL_TYPE_I64,
                                 0, 1, &points, counts, &err);
    if (rc >= 0 && !by)
        rc = kl_store_writer_put(w, "val_accuracy", KL_TYPE_F64, 0, 2, both, values, &err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, by ? by : "val_loss", KL_TYPE_F64, 0, 2, both, values, &err);
    if (rc >= 0 && by) rc = kl_store_writer_text(w, "", "of", "net", &err);
    snprintf(judged, sizeof judged, "-%s", by ? by : "");
    if (rc >= 0 && by) rc = kl_store_writer_text(w, "", "judged", judged, &err);
    if (rc >= 0) rc = kl_store_writer_publish(&w, NULL, &err);
    kl_store_writer_abort(&w);
    CHECK(rc >= 0, "%s", err.text);
    draw_figure("sweep", (const char *const[]){ path }, 1);
}

static void draw_sweep(const char (*names)[NAME], size_t diverged)
{
    draw_sweep_by(NULL, names, diverged);
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
    CHECK_DRAWN("validation accuracy", 1);
    /* A sweep by a loss alone: the least is on top. */
    draw_sweep_by("val_loss", names, 2);
    CHECK_DRAWN("4 of 6 points; 2 diverged; mean (bar) of 2 models", 1);
    CHECK_DRAWN("validation loss, less is better", 1);
    const struct drawn *best = drawn_text("lr=4"), *worst = drawn_text("lr=1");
    CHECK(best && worst && best->y < worst->y, "the least loss is not on top");
    draw_sweep_by("distance_to_law", names, 0);
    CHECK_DRAWN("distance to law, less is better", 1);
    return failures != 0;
}
