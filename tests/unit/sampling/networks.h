/* SPDX-License-Identifier: MIT
   Networks of all kinds over made-up records, in the precision of the file that includes this. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "sampling/model/model.h"

enum { RECORDS = 300 };

static struct kl_error err;

struct case_of {
    const char *name;
    size_t channels, side;
    int classes;
    enum kl_loss loss;
    size_t count;
};
static const struct case_of cases[] = {
    { "linear", 1, 7, 2, KL_LOSS_SQUARE, 100 },
    { "linear", 3, 7, 5, KL_LOSS_SQUARE, 128 },
    { "fcn1:500", 1, 2, 2, KL_LOSS_BBCE, 10 },
    { "fcn2:300", 1, 20, 2, KL_LOSS_SAVAGE, 299 },
    { "fcn3:130", 3, 7, 5, KL_LOSS_CE, 128 },
    { "lenet5", 1, 28, 2, KL_LOSS_TANGENT, 100 },
    { "cnn4:5,7,33", 1, 28, 10, KL_LOSS_BBCE, 150 },
    { "vgg16:2,8", 3, 32, 2, KL_LOSS_BCE, 35 },
    { "vgg16-frozen:2,8", 3, 32, 2, KL_LOSS_BBCE, 35 },
    { "vgg16-plain:2,8", 3, 32, 3, KL_LOSS_SAVAGE, 35 },
};

struct problem {
    struct kl_sampling_net net;
    struct kl_sampling_records records;
    struct kl_sampling_target target;
    kl_real *w, *grad;
    double *per_record;
    int64_t rows[RECORDS];
};

static void make(struct problem *p, const struct case_of *c)
{
    CHECK(!kl_sampling_net_make(&p->net, c->name, c->channels, c->side, c->side, c->classes, c->loss, 4,
                                &err),
          "%s", err.text);
    const size_t d = p->net.inputs;
    p->records = (struct kl_sampling_records){ RECORDS, d, malloc(RECORDS * d * sizeof(float)),
                                               calloc(RECORDS, sizeof(int32_t)) };
    for (size_t i = 0; i < RECORDS * d; i++)
        p->records.x[i] = (float)(sin(1.7 * (double)i) + 0.3 * cos(0.13 * (double)(i % 97)));
    for (size_t i = 0; i < RECORDS; i++) {
        p->records.label[i] = (int32_t)(i * 7 % (size_t)c->classes);
        p->rows[i] = (int64_t)(i * 11 % RECORDS);
    }
    CHECK(!kl_sampling_net_target(&p->target, &p->net, &p->records, &p->records, c->count, 2, &err),
          "%s", err.text);
    p->w = malloc(p->net.size * sizeof *p->w), p->grad = malloc(p->net.size * sizeof *p->grad);
    p->per_record = malloc(RECORDS * sizeof *p->per_record);
    kl_sampling_start(p->w, p->net.tensors, p->net.n_tensors, 42);
}
static void release(struct problem *p)
{
    p->target.close(p->target.context);
    free(p->records.x), free(p->records.label), free(p->w), free(p->grad), free(p->per_record);
}
