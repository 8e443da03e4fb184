/* SPDX-License-Identifier: MIT
   When a training is told that more epochs would help: by the losses of its epochs alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head/run.h"
#include "tests/unit/check.h"

enum { EPOCHS = 20, REPLICAS = 2 };

static double falling(int e) /* 10 % of the whole in the last two epochs */
{
    return 2.3 - 0.05 * e;
}
static double noisy(int e) /* as falling, of few steps an epoch: one is below the last two's mean */
{
    return falling(e) - (e == 14 ? 0.3 : 0);
}
static double flat(int e)
{
    return e < 5 ? 2.3 - 0.4 * e : 0.3;
}
static double rising(int e)
{
    return 1 + 0.05 * e;
}
static double lost(int e) /* at epoch 10, and falls again */
{
    return e < 10 ? 2.3 - 0.2 * e : 2.5 - 0.04 * e;
}
static double hardly(int e) /* labels without meaning */
{
    return 2.3 - 0.005 * e;
}
static double no_number(int e)
{
    return e < 15 ? falling(e) : NAN;
}

/* Is anything said of replicas with these losses? The second one has `other`. stopped: its last epoch,
 * or -1. */
static bool told(double (*train)(int), double (*validation)(int), double (*other)(int), int stopped,
                 int epochs)
{
    double rows[REPLICAS][2][EPOCHS], *history[REPLICAS][KL_HISTORY_ROWS] = { 0 };
    struct kl_replica replicas[REPLICAS];
    char *text = NULL;
    size_t n = 0;
    const struct kl_log log = { "qtrain", open_memstream(&text, &n), 1, NULL };
    struct kl_head_train t = { .loop.replicas = replicas, .n_validation = validation ? 10 : 0 };
    t.loop.options.replicas = REPLICAS, t.loop.options.epochs = epochs;
    for (int r = 0; r < REPLICAS; r++) {
        replicas[r] = (struct kl_replica){ .stopped_epoch = r ? stopped : -1 };
        replicas[r].history = history[r];
        replicas[r].history[KL_TRAIN_LOSS] = rows[r][0];
        replicas[r].history[KL_VAL_LOSS] = rows[r][1];
        for (int e = 0; e < EPOCHS; e++) {
            rows[r][0][e] = r && other ? other(e) : train(e);
            rows[r][1][e] = validation ? validation(e) : NAN;
        }
    }
    /* Of controls, two of which did the same, and one that had come to its end. */
    struct kl_controls controls = { .n = KL_CONTROLS };
    for (int i = 0; i < KL_CONTROLS; i++) controls.trains[i] = t;
    controls.trains[1].loop.options.epochs = 9;
    kl_head_remark_unfinished(&log, &t, &controls);
    fclose(log.to);
    const bool is = strstr(text, "not trained to its end: 11 % of what");
    CHECK(is == (n > 0), "%s", text);
    CHECK(!is || strstr(text,
                        "controls not trained to the end: of what the training loss fell by, the last "
                        "tenth of the 20 epochs brought twin 11 %, none 11 %;"),
          "%s", text);
    free(text);
    return is;
}

int main(void)
{
    CHECK(told(falling, falling, NULL, -1, EPOCHS), "steadily falling");
    CHECK(told(noisy, falling, NULL, -1, EPOCHS), "one epoch below by chance");
    CHECK(told(falling, NULL, NULL, -1, EPOCHS), "without validation samples");
    CHECK(!told(falling, falling, NULL, -1, 9), "too few epochs to say");
    CHECK(!told(falling, rising, NULL, -1, EPOCHS), "learned by heart");
    CHECK(!told(falling, no_number, NULL, -1, EPOCHS), "a validation loss that is no number");
    CHECK(!told(flat, flat, NULL, -1, EPOCHS), "learned");
    CHECK(!told(lost, lost, NULL, -1, EPOCHS), "was lower once");
    CHECK(!told(hardly, hardly, NULL, -1, EPOCHS), "learns nothing");
    CHECK(!told(no_number, falling, NULL, -1, EPOCHS), "diverged");
    CHECK(!told(falling, falling, no_number, -1, EPOCHS), "one diverged");
    CHECK(told(falling, falling, no_number, 14, EPOCHS), "the one that was stopped does not count");
    return failures ? 1 : 0;
}
