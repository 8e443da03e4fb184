/* SPDX-License-Identifier: MIT
   Networks as targets: the same bits whatever threads, pools and instruction sets (AVX2, AVX-512), over
   any rows; double beside float; slopes against differences where no reference has values; what does not
   fit is refused. */
#include "networks.h"

static void same_bits(const struct case_of *c)
{
    struct problem p;
    struct kl_pool *pool;
    make(&p, c);
    struct kl_sampling_sums sums = { 0 }, again, test = { 0 };
    CHECK(!p.target.gradient(p.target.context, p.grad, &sums, p.w, p.rows, c->count, NULL, &err), "%s",
          err.text);
    CHECK(sums.count == (int64_t)c->count && sums.loss > 0 && isfinite(sums.loss), "%s: loss %g",
          c->name, sums.loss);
    float *other = malloc(p.net.size * sizeof *other);
    for (int threads = 0; threads < 4; threads++) { /* 0: the second workspace, alone */
        CHECK(!kl_pool_create(&pool, threads ? threads : 1, &err), "%s", err.text);
        const struct kl_sampling_crew crew = { threads == 0, threads ? pool : NULL };
        again = (struct kl_sampling_sums){ 0 };
        for (size_t i = 0; i < p.net.size; i++) other[i] = NAN;
        CHECK(!p.target.gradient(p.target.context, other, &again, p.w, p.rows, c->count, &crew, &err),
              "%s", err.text);
        CHECK(memcmp(other, p.grad, p.net.size * sizeof *other) == 0, "%s with %d threads", c->name,
              threads);
        CHECK(memcmp(&again, &sums, sizeof sums) == 0, "%s with %d threads", c->name, threads);
        kl_pool_destroy(&pool);
    }
    const enum kl_isa best = kl_isa();
    if (best == KL_ISA_AVX512) {
        kl_isa_use(KL_ISA_AVX2);
        p.target.gradient(p.target.context, other, &again, p.w, p.rows, c->count, NULL, &err);
        kl_isa_use(best);
        CHECK(memcmp(other, p.grad, p.net.size * sizeof *other) == 0, "%s: AVX2 and AVX-512 differ",
              c->name);
    }
    /* A record's loss depends on nothing beside it. Batch norm of the records in hand: it does. */
    CHECK(
        !p.target.evaluate(p.target.context, &test, p.per_record, p.w, true, NULL, RECORDS, NULL, &err),
        "%s", err.text);
    CHECK(test.count == RECORDS, "%s", c->name);
    for (size_t i = 0; p.net.norm != KL_SAMPLING_NORM_BATCH && i < RECORDS; i += 37) {
        double alone;
        const int64_t row = (int64_t)i;
        struct kl_sampling_sums one = { 0 };
        p.target.evaluate(p.target.context, &one, &alone, p.w, false, &row, 1, NULL, &err);
        CHECK(alone == p.per_record[i] && one.loss == alone, "%s record %zu: %.17g, %.17g", c->name, i,
              alone, p.per_record[i]);
    }
    free(other);
    release(&p);
}

static void starts(void)
{
    struct kl_sampling_net net;
    CHECK(!kl_sampling_net_make(&net, "vgg16", 3, 32, 32, 2, KL_LOSS_BBCE, 4, &err), "%s", err.text);
    CHECK(net.size == 16299073, "%zu", net.size);
    CHECK(!kl_sampling_net_make(&net, "vgg16:2,8", 3, 32, 32, 2, KL_LOSS_BBCE, 4, &err), "%s", err.text);
    float *w = malloc(net.size * sizeof *w);
    kl_sampling_start_f32(w, net.tensors, net.n_tensors, 7);
    for (int t = 0; t < net.n_tensors; t++) {
        const struct kl_sampling_tensor *tensor = &net.tensors[t];
        double most = 0, squares = 0;
        for (size_t i = tensor->offset; i < tensor->offset + tensor->size; i++) {
            most = fmax(most, fabs((double)w[i])), squares += (double)w[i] * (double)w[i];
            if (!tensor->fan_in) CHECK((double)w[i] == tensor->start, "%s", tensor->name);
        }
        if (!tensor->fan_in) continue;
        const double bound = 1 / sqrt((double)tensor->fan_in), n = (double)tensor->size;
        CHECK(most <= bound, "%s: %g over %g", tensor->name, most, bound);
        /* of u^2: mean 1/3, variance 4/45 */
        CHECK(fabs(squares / n / bound / bound - 1. / 3) < 4.5 * sqrt(4. / 45 / n), "%s", tensor->name);
    }
    free(w);
}

static void sizes(void)
{
    static const struct {
        const char *name;
        size_t channels, height, width;
        int classes;
        size_t parameters;
    } known[] = { { "fcn1:500", 1, 28, 28, 2, 393001 }, { "fcn2:1000", 1, 28, 28, 2, 1787001 },
                  { "fcn3:500", 1, 28, 28, 2, 894001 }, { "fcn1:500", 1, 1, 4, 2, 3001 },
                  { "fcn2:1500", 1, 1, 4, 2, 2260501 }, { "fcn2:1500", 3, 32, 32, 2, 6862501 },
                  { "lenet5", 1, 28, 28, 2, 101933 },   { "lenet5", 1, 28, 28, 10, 105722 },
                  { "cnn4", 1, 28, 28, 10, 1199882 } };
    struct kl_sampling_net net;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        CHECK(!kl_sampling_net_make(&net, known[i].name, known[i].channels, known[i].height,
                                    known[i].width, known[i].classes, KL_LOSS_BBCE, 4, &err),
              "%s", err.text);
        CHECK(net.size == known[i].parameters, "%s: %zu, expected %zu", known[i].name, net.size,
              known[i].parameters);
    }
}

static void refusals(void)
{
    static const char *const names[] = { "fcn4:10", "fcn1",     "fcn1:",    "fcn1:0",       "fcn2:10,20",
                                         "fcn2:x",  "lenet5:3", "cnn4:1,2", "cnn4:1,2,3,4", "vgg16:64",
                                         "vgg",     "",         "fcn1:-5",  "fcn1:5 " };
    struct kl_sampling_net net;
    struct kl_sampling_target_f32 target;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        CHECK(kl_sampling_net_make(&net, names[i], 1, 28, 28, 2, KL_LOSS_BBCE, 4, &err) == KL_EUSAGE,
              "'%s'", names[i]);
    CHECK(kl_sampling_net_make(&net, "lenet5", 3, 32, 32, 2, KL_LOSS_BBCE, 4, &err) == KL_EUSAGE);
    CHECK(strstr(err.text, "32x32") && strstr(err.text, "28x28"), "%s", err.text);
    CHECK(kl_sampling_net_make(&net, "fcn1:5", 1, 1, 4, 3, KL_LOSS_TANGENT, 4, &err) == KL_EUSAGE);
    CHECK(kl_sampling_net_make(&net, "fcn1:5", 1, 1, 4, 2, KL_LOSS_CE, 4, &err) == KL_EUSAGE);
    CHECK(kl_sampling_net_make(&net, "fcn1:5", 1, 1, 4, 2, KL_LOSS_BBCE, 0.5, &err) == KL_EUSAGE);
    CHECK(kl_sampling_net_make(&net, "fcn1:5", 1, 1, 4, 2, KL_LOSS_BBCE, NAN, &err) == KL_EUSAGE);
    CHECK(kl_sampling_net_make(&net, "fcn1:5", 1, 1, 4, 1, KL_LOSS_BBCE, 4, &err) == KL_EUSAGE);
    CHECK(!kl_sampling_net_make(&net, "fcn1:5", 1, 1, 4, 2, KL_LOSS_BBCE, 4, &err), "%s", err.text);
    float x[8] = { 0 };
    int32_t label[2] = { 0, 2 };
    const struct kl_sampling_records two = { 2, 4, x, label }, wide = { 1, 8, x, label };
    CHECK(kl_sampling_net_target_f32(&target, &net, &two, NULL, 0, 1, &err) == KL_EUSAGE);
    CHECK(strstr(err.text, "label 2 at training record 1"), "%s", err.text);
    CHECK(kl_sampling_net_target_f32(&target, &net, &wide, NULL, 0, 1, &err) == KL_EUSAGE);
    CHECK(!kl_sampling_net_make(&net, "vgg16:2,8", 3, 32, 32, 2, KL_LOSS_BBCE, 4, &err), "%s", err.text);
    struct problem p;
    struct kl_sampling_sums sums = { 0 };
    make(&p, &(struct case_of){ "vgg16:2,8", 3, 32, 2, KL_LOSS_BBCE, 20 });
    CHECK(p.target.gradient(p.target.context, p.grad, &sums, p.w, NULL, 21, NULL, &err) == KL_EUSAGE);
    release(&p);
}

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) same_bits(&cases[i]);
    starts();
    sizes();
    refusals();
    return failures != 0;
}
