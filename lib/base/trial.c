/* SPDX-License-Identifier: MIT */
#include "base/base.h"

static const double SECONDS = 0.5, MOST_SECONDS = 5;

static int step(void *context, uint64_t done, uint64_t total, const char *note)
{
    struct kl_trial *t = context;
    (void)note;
    t->done = done, t->total = total;
    t->seconds = kl_clock() - t->start;
    return t->seconds > (done >= t->least ? SECONDS : MOST_SECONDS) || kl_signals_pending();
}

void kl_trial_begin(struct kl_trial *t)
{
    *t = (struct kl_trial){ .watch = { step, t }, .start = kl_clock() };
}

int kl_trial_code(int code)
{
    return code == KL_ESIGNAL && !kl_signals_pending() ? KL_OK : code;
}

double kl_trial_whole(const struct kl_trial *t)
{
    return t->done ? t->seconds * (double)t->total / (double)t->done : -1;
}
