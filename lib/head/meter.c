/* SPDX-License-Identifier: MIT
   How far an evaluation is. */
#include "head/meter.h"

void kl_head_judge_progress_begin(struct kl_meter *meter, uint64_t samples)
{
    if (meter) *meter = (struct kl_meter){ .watch = meter->watch, .total = samples, .runs = 1 };
}

void kl_head_judge_progress_runs(struct kl_meter *meter, size_t runs)
{
    if (meter) meter->runs = runs;
}

void kl_head_judge_progress_step(struct kl_meter *meter, size_t done, size_t n)
{
    if (!meter) return;
    kl_watch_step(meter->watch, meter->before + (meter->run * n + done) / meter->runs, meter->total,
                  NULL);
    if (done == n) meter->run++;
}

void kl_head_judge_progress_head(struct kl_meter *meter, size_t n)
{
    if (!meter) return;
    meter->before += n;
    meter->run = 0;
    meter->runs = 1;
}
