/* SPDX-License-Identifier: MIT
   Gradients in double, along a direction, against central differences of the loss: also of networks of
   which the reference has no values, and over several chunks of records. */
#define KL_F64 1
#include "networks.h"

static void slopes(const struct case_of *c)
{
    struct problem p;
    make(&p, c);
    const size_t n = p.net.size;
    double *moved = malloc(n * sizeof *moved), slope = 0, ends[2], norm = 0;
    struct kl_sampling_sums sums = { 0 };
    const struct kl_sampling_batch batch = { .x = p.records.x,
                                             .label = p.records.label,
                                             .rows = p.rows,
                                             .count = c->count,
                                             .inputs = p.net.inputs };
    CHECK(!p.target.gradient(p.target.context, p.grad, &sums, p.w, p.rows, c->count, NULL, &err), "%s",
          err.text);
    for (size_t i = 0; i < n; i++) slope += p.grad[i] * sin((double)i), norm += p.grad[i] * p.grad[i];
    const double h = 1e-7;
    for (int e = 0; e < 2; e++) {
        struct kl_sampling_sums s = { 0 };
        for (size_t i = 0; i < n; i++) moved[i] = p.w[i] + (e ? h : -h) * sin((double)i);
        CHECK(!kl_sampling_net_pass(p.target.context, NULL, &s, NULL, NULL, moved, &batch, NULL, &err),
              "%s", err.text);
        ends[e] = s.loss / (double)c->count;
    }
    const double found = (ends[1] - ends[0]) / 2 / h;
    CHECK(norm > 0, "%s", c->name);
    CHECK(fabs(found - slope) <= 1e-5 * (fabs(slope) + sqrt(norm)), "%s: slope %.10g, differences %.10g",
          c->name, slope, found);
    free(moved);
    release(&p);
}

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) slopes(&cases[i]);
    return failures != 0;
}
