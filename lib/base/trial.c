/* SPDX-License-Identifier: MIT
   A run that is ended after a moment, to tell how long all of it would take. */
#include "base/base.h"

enum { MOST_SECONDS = 5 };
static const double SECONDS = 0.5;

static int step(void *context, uint64_t done, uint64_t total, const char *note)
{
    struct kl_trial *t = context;
    (void)note;
    t->done = done, t->total = total;
    t->seconds = kl_clock() - t->start;
    return (t->seconds > SECONDS && done >= t->least) || kl_signals_pending();
}

void kl_trial_begin(struct kl_trial *t)
{
    *t = (struct kl_trial){ .watch = { step, t }, .start = kl_clock() };
    kl_signals_deadline(t->start + MOST_SECONDS);
}

int kl_trial_end(int code)
{
    kl_signals_deadline(0);
    return code == KL_ESIGNAL && !kl_signals_pending() ? KL_OK : code;
}

int kl_trial_whole(double *seconds, const struct kl_trial *t, const char *what, struct kl_error *err)
{
    if (t->done <= t->from) return kl_fail(err, KL_ENO, "%s takes longer than %d s", what, MOST_SECONDS);
    *seconds = t->seconds * (double)(t->total - t->from) / (double)(t->done - t->from);
    return KL_OK;
}
