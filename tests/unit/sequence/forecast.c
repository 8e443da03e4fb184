/* SPDX-License-Identifier: MIT
   Forecasts of ranks that are not here: of times that follow the law they follow it; what the table does
   not tell is not made up; a law of another kind shows in the error. */
#include <math.h>
#include <string.h>

#include "../check.h"
#include "sequence/learn/scaling.h"

enum { BATCHES = 4 };
static struct kl_sequence_scaling_row rows[3 * BATCHES];

static double law(double fixed, double window, double exchange, int batch, int ranks)
{
    return fixed + window * batch / ranks + exchange * log2(ranks);
}

static struct kl_sequence_scaling table(double fixed, double window, double exchange, int most_ranks)
{
    struct kl_sequence_scaling s = { .rows = rows };
    for (int batch = 8; batch <= 64; batch *= 2)
        for (int ranks = 1; ranks <= most_ranks; ranks *= 2) {
            struct kl_sequence_scaling_row *r = &rows[s.n++];
            *r = (struct kl_sequence_scaling_row){ "hydra", 6, 2, batch, ranks, 1, 100, 0, 1, 0, 0, "", 1000, 0, 0, 0 };
            r->seconds = law(fixed, window, exchange, batch, ranks);
        }
    return s;
}

static void check_law(double fixed, double window, double exchange, int most_ranks)
{
    static const int32_t ranks[] = { 8, 32 };
    const struct kl_sequence_scaling s = table(fixed, window, exchange, most_ranks);
    struct kl_sequence_forecast f;
    struct kl_error err = { 0 };
    CHECK(kl_sequence_forecast_make(&f, &s, ranks, 2, &err) == 0, "%s", err.text);
    CHECK(f.n == 2 * BATCHES, "%zu rows", f.n);
    CHECK(f.worst < 1e-9, "off by %g", f.worst);
    CHECK(f.exchange == (most_ranks > 1), "exchange");
    for (size_t i = 0; i < f.n; i++) {
        const struct kl_sequence_forecast_row *r = &f.rows[i];
        const double t = law(fixed, window, exchange, r->like.batch, r->ranks);
        CHECK(fabs(r->seconds / t - 1) < 1e-9, "batch %d, %d ranks: %g, expected %g", r->like.batch,
              r->ranks, r->seconds, t);
        CHECK(fabs(r->speedup / (law(fixed, window, exchange, r->like.batch, 1) / t) - 1) < 1e-9,
              "speed-up");
        CHECK(fabs(r->fixed - fixed / t) < 1e-9 &&
                  fabs(r->windows - window * r->like.batch / r->ranks / t) < 1e-9,
              "shares");
    }
    kl_sequence_forecast_free(&f);
}

/* Half of the time at twice the batch: no law of this kind. */
static void check_other_laws(void)
{
    struct kl_sequence_scaling s = table(1e-3, 1e-4, 0, 1);
    struct kl_sequence_forecast f;
    struct kl_error err = { 0 };
    const int32_t ranks[] = { 2 };
    for (size_t i = 0; i < s.n; i++) s.rows[i].seconds = 1e-2 / s.rows[i].batch;
    CHECK(kl_sequence_forecast_make(&f, &s, ranks, 1, &err) == 0, "%s", err.text);
    CHECK(f.worst > 1, "off by %g only", f.worst);
    kl_sequence_forecast_free(&f);
    s.n = 1;
    CHECK(kl_sequence_forecast_make(&f, &s, ranks, 1, &err) == 0, "%s", err.text);
    CHECK(isnan(f.worst), "one row says nothing about the error");
    kl_sequence_forecast_free(&f);
}

int main(void)
{
    check_law(1e-3, 2e-4, 0, 1);
    check_law(0, 2e-4, 0, 1);
    check_law(0, 2e-8, 0, 1);
    check_law(1e-3, 2e-4, 3e-4, 4);
    check_law(5e-3, 1e-5, 1e-3, 2);
    check_other_laws();
    return failures != 0;
}
