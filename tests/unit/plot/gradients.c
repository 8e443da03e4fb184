/* SPDX-License-Identifier: MIT
   The curves' lower panels say that fewer heads train on, and that gradients are 0, which have no place
   on a logarithmic axis. */
#include <math.h>

#include "tests/unit/plot/words.h"

enum { HEADS = 2, EPOCHS = 4, GROUPS = 2 };
static char path[1024];

/* Gradients of the circuit and of the linear layer; the second head stops before epoch `stop`. */
static void draw_curves(double circuit, double linear, size_t stop)
{
    static const char *const curves[] = { "history/train_loss", "history/val_loss",
                                          "history/train_accuracy", "history/val_accuracy" };
    const size_t two[2] = { HEADS, EPOCHS }, three[3] = { HEADS, EPOCHS, GROUPS }, groups = GROUPS;
    double losses[HEADS * EPOCHS], norms[HEADS * EPOCHS * GROUPS];
    struct kl_error err = { 0 };
    struct kl_writer *w = NULL;
    for (size_t i = 0; i < HEADS * EPOCHS; i++) {
        const bool stopped = i / EPOCHS == 1 && i % EPOCHS >= stop;
        losses[i] = stopped ? NAN : 0.5;
        norms[GROUPS * i] = stopped ? NAN : circuit;
        norms[GROUPS * i + 1] = stopped ? NAN : linear;
    }
    norms[1] = 1;
    int rc = open_any_file(&w, path, "head", &err);
    for (size_t i = 0; i < 4 && rc >= 0; i++)
        rc = kl_store_writer_put(w, curves[i], KL_TYPE_F64, 0, 2, two, losses, &err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "history/gradient_norm", KL_TYPE_F64, 0, 3, three, norms, &err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "history/gradient_group", KL_TYPE_STRING, 10, 1, &groups,
                                 "circuit.0\0head.0\0\0\0", &err);
    if (rc >= 0) rc = kl_store_writer_publish(&w, NULL, &err);
    kl_store_writer_abort(&w);
    CHECK(rc >= 0, "%s", err.text);
    draw_figure("curves", (const char *const[]){ path }, 1);
}

int main(void)
{
    static const char fewer[] =
        "gradients: mean of the heads that still train, from epoch 3 on fewer than 2";
    make_test_folder();
    in_folder(path, "head.h5");
    draw_curves(1, 1, EPOCHS);
    CHECK_DRAWN(fewer, (size_t)0);
    CHECK_DRAWN("every gradient is 0", (size_t)0);
    CHECK_DRAWN("no line where a gradient is 0", (size_t)0);
    draw_curves(0, 0, 2);
    CHECK_DRAWN(fewer, (size_t)1);
    CHECK_DRAWN("every gradient is 0", (size_t)1);
    CHECK_DRAWN("no line where a gradient is 0", (size_t)1);
    return failures != 0;
}
