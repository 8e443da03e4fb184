/* SPDX-License-Identifier: MIT
   Whether adapting pays: by differences that are paired over tasks, whatever the size of the losses. */
#include <string.h>

#include "control/meta/regret.h"
#include "tests/unit/check.h"

enum { TASKS = 12 };

/* Losses of the tasks: what each has of itself, `scale` times 1 + i / 4 plus a share of it, and what
   comes and goes from task to task. */
static void fill(double losses[TASKS], double scale, double share, double noise)
{
    for (int i = 0; i < TASKS; i++)
        losses[i] = scale * (1 + i / 4.0) * (1 + share + noise * (i % 2 ? 1 : -1) * (1 + i % 3));
}

static enum kl_control_verdict judge_steered(char words[KL_CONTROL_VERDICT], double scale, double fixed,
                                             double noise, double gained, double unrest)
{
    double adapted[TASKS], mean[TASKS], still[TASKS], steered[TASKS];
    struct kl_control_regret r = {
        .tasks = TASKS, .adapted = adapted, .mean = mean, .fixed = still, .steered = steered
    };
    fill(adapted, scale, 0, 0), fill(mean, scale, 0.5, 0);
    fill(still, scale, fixed, noise), fill(steered, scale, fixed - gained, noise + unrest);
    kl_control_verdict_words(words, &r);
    return kl_control_regret_verdict(&r);
}
static enum kl_control_verdict judge(char words[KL_CONTROL_VERDICT], double scale, double fixed,
                                     double noise)
{
    return judge_steered(words, scale, fixed, noise, 0, 0);
}

/* A mean that is less is not enough where tasks differ as much; nor is one success below a failure. */
static void shots(void)
{
    double fixed[TASKS], better[TASKS], unsure[TASKS], worse[TASKS];
    const double *const all[] = { worse, better, unsure, better, better };
    struct kl_control_regret r = { .tasks = TASKS, .fixed = fixed };
    fill(fixed, 1e-3, 0, 0), fill(better, 1e-3, -0.1, 0.001), fill(worse, 1e-3, 0.1, 0);
    fill(unsure, 1e-3, -0.06, 0.2);
    CHECK(kl_stats_mean(unsure, TASKS) < kl_stats_mean(fixed, TASKS), "it is a fair test");
    const int64_t n[] = { 1, 10, 100, 1000, 10000 }, enough[] = { 0, 10, 0, 1000, 1000 };
    for (int i = 0; i < 5; i++) {
        kl_control_regret_more_shots(&r, n[i], all[i]);
        CHECK(r.enough_shots == enough[i], "after %lld: %lld", (long long)n[i],
              (long long)r.enough_shots);
    }
}

int main(void)
{
    char words[KL_CONTROL_VERDICT];
    /* Good pulses are told apart as bad ones are: a tenth of 1e-5 is a tenth. */
    for (double scale = 1e-6; scale < 0.2; scale *= 10) {
        CHECK(judge(words, scale, 0.1, 0) == KL_CONTROL_PAYS && strstr(words, "than it adapted"));
        /* What is not shown of the fixed pulse, adapted, is not said of it. */
        CHECK(judge_steered(words, scale, 0.1, 0, 0.05, 0.3) == KL_CONTROL_PAYS &&
              !strstr(words, "than it adapted") && strstr(words, "adapted, is not told apart"));
        /* Better than the network on the mean, and perhaps no better than a pulse that is adapted. */
        CHECK(judge_steered(words, scale, 1, 0, 0.7, 0.3) == KL_CONTROL_STEERING_PAYS &&
              strstr(words, "whether the network does is not told") && strstr(words, "not told apart"));
        CHECK(judge(words, scale, -0.1, 0) == KL_CONTROL_DOES_NOT_PAY &&
              strcmp(words, "it does not pay: the best fixed pulse is better") == 0);
        CHECK(judge(words, scale, 0.02, 0.001) == KL_CONTROL_PAYS);
        /* Within its standard error it is no difference, and small enough to be none. */
        CHECK(judge(words, scale, 0.0005, 0.002) == KL_CONTROL_DOES_NOT_PAY && strstr(words, "as good"));
        CHECK(judge(words, scale, 0.02, 0.2) == KL_CONTROL_DOES_NOT_PAY &&
              strstr(words, "whether it pays is not told") && strstr(words, "not told apart"));
        /* Sure, and yet less than what searches leave. */
        CHECK(judge(words, scale, 1e-6, 0) == KL_CONTROL_DOES_NOT_PAY && strstr(words, "as good"));
    }
    shots();
    return failures != 0;
}
