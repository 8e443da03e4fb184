/* SPDX-License-Identifier: MIT
   What the losses of a regret say: fits of the gain, how many shots are enough, whether adapting pays.
 */
#include <math.h>
#include <stdlib.h>

#include "control/meta/regret.h"

/* ---- fits ---- */
static double explained(const double *y, const double *model, int n)
{
    const double mean = kl_stats_mean(y, (size_t)n);
    double left = 0, all = 0;
    for (int i = 0; i < n; i++) left += pow(y[i] - model[i], 2), all += pow(y[i] - mean, 2);
    return all > 0 ? 1 - left / all : NAN;
}

/* Least squares: c in closed form for each beta of a fine grid over [0.01, 10]. */
int kl_control_gain_fit_make(struct kl_control_gain_fit *fit, const double *gain, int n,
                             struct kl_error *err)
{
    double best = INFINITY, *model = malloc((size_t)n * sizeof *model);
    *fit = (struct kl_control_gain_fit){ NAN, NAN, NAN };
    if (!model) return kl_fail_memory(err, (size_t)n * sizeof *model);
    for (double beta = 0.01; beta <= 10; beta *= 1.002) {
        double top = 0, bottom = 0, left = 0;
        for (int k = 0; k < n; k++)
            model[k] = -expm1(-beta * k), top += gain[k] * model[k], bottom += model[k] * model[k];
        for (int k = 0; k < n; k++) left += pow(gain[k] - top / bottom * model[k], 2);
        if (left >= best) continue;
        best = left, fit->c = top / bottom, fit->beta = beta;
    }
    for (int k = 0; k < n; k++) model[k] = fit->c * -expm1(-fit->beta * k);
    fit->r2 = explained(gain, model, n);
    free(model);
    return KL_OK;
}

void kl_control_line_fit_make(struct kl_control_line_fit *fit, const double *x, const double *y, int n)
{
    const double mx = kl_stats_mean(x, (size_t)n), my = kl_stats_mean(y, (size_t)n);
    double xy = 0, xx = 0, yy = 0;
    for (int i = 0; i < n; i++)
        xy += (x[i] - mx) * (y[i] - my), xx += pow(x[i] - mx, 2), yy += pow(y[i] - my, 2);
    fit->b = xx > 0 ? xy / xx : 0, fit->a = my - fit->b * mx;
    fit->r2 = xx > 0 && yy > 0 ? xy * xy / (xx * yy) : NAN;
}

/* ---- the verdict ---- */
/* A share of the smaller loss, so that pulses of 1e-2 and of 1e-5 are compared alike. */
static double part_of(double share, const double *a, const double *b, size_t n)
{
    return share * fmin(kl_stats_mean(a, n), kl_stats_mean(b, n));
}

/* By the standard error of the differences, task by task: the 95 % interval lies below 0; but where it
   is hardly more than what searches and single precision leave. */
static bool is_less(const double *a, const double *b, size_t n)
{
    const struct kl_paired p = kl_stats_paired(a, b, n);
    return p.high < 0 && p.difference < -part_of(1e-4, a, b, n);
}

enum kl_control_verdict kl_control_regret_verdict(const struct kl_control_regret *r)
{
    const size_t n = (size_t)r->tasks;
    const double *adapted = r->adapted;
    const bool beats_fixed = is_less(adapted, r->fixed, n), beats_mean = is_less(adapted, r->mean, n),
               beats_steered = is_less(adapted, r->steered, n),
               steered = is_less(r->steered, r->fixed, n),
               steered_beats_mean = is_less(r->steered, r->mean, n),
               mean = is_less(r->mean, r->fixed, n);
    return beats_fixed && beats_mean && (beats_steered || !steered) ? KL_CONTROL_PAYS
           : steered && (steered_beats_mean || beats_mean)          ? KL_CONTROL_STEERING_PAYS
           : mean || beats_fixed                                    ? KL_CONTROL_NETWORK_PAYS
                                                                    : KL_CONTROL_DOES_NOT_PAY;
}

static const char untold[] = "is not told apart by so few --tasks";

/* How the rival stands to the adapted policy, over n tasks. */
static const char *standing(const double *rival, const double *adapted, size_t n)
{
    const struct kl_paired p = kl_stats_paired(rival, adapted, n);
    if (is_less(rival, adapted, n)) return "is better";
    return fmax(-p.low, p.high) <= part_of(0.01, rival, adapted, n) ? "is as good" : untold;
}

void kl_control_verdict_words(char text[KL_CONTROL_VERDICT], const struct kl_control_regret *r)
{
    /* The second: what is not told apart is neither shown to pay nor not to. */
    static const char *const words[KL_CONTROL_VERDICTS][2] = {
        { ("adapting pays: less loss than the best fixed pulse, than it adapted, "
           "and than a network on the mean loss"),
          ("adapting pays: less loss than the best fixed pulse, and than a network on the mean loss; "
           "that pulse, adapted,") },
        { "adapting pays, the network does not: the best fixed pulse, adapted by as many gradients,",
          ("adapting pays, whether the network does is not told: the best fixed pulse, adapted by as "
           "many gradients,") },
        { "a network pays, adapting it does not: a network on the mean loss",
          "a network pays, whether adapting it does is not told: a network on the mean loss" },
        { "it does not pay: the best fixed pulse", "whether it pays is not told: the best fixed pulse" },
    };
    const size_t n = (size_t)r->tasks;
    const double *const rivals[KL_CONTROL_VERDICTS] = { r->steered, r->steered, r->mean, r->fixed };
    const enum kl_control_verdict verdict = kl_control_regret_verdict(r);
    const bool pays = verdict == KL_CONTROL_PAYS, sure = pays && is_less(r->adapted, r->steered, n);
    const char *stands = standing(rivals[verdict], r->adapted, n);
    snprintf(text, KL_CONTROL_VERDICT, "%s%s%s", words[verdict][pays ? !sure : stands == untold],
             sure ? "" : " ", sure ? "" : stands);
}

/* From the most shots downwards as long as they do: of tests in an order that is settled beforehand none
   has to be corrected for the others. */
void kl_control_regret_more_shots(struct kl_control_regret *r, int64_t shots, const double *losses)
{
    if (!is_less(losses, r->fixed, (size_t)r->tasks)) r->enough_shots = 0;
    else if (!r->enough_shots) r->enough_shots = shots;
}
