/* SPDX-License-Identifier: MIT
   Targets: the mean loss of a network over records. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "kernels/inline/real.h"
#include "sampling/model/model.h"
#include "sampling/model/model_int.h"

/* ---- start ----
   The start of a chain as the reference has it: each tensor uniform within one over the root of its
   fan-in. */

void kl_sampling_start(kl_real *w, const struct kl_sampling_tensor *tensors, int n_tensors, uint64_t key)
{
    uint32_t words[4];
    size_t drawn = (size_t)-1;
    for (int t = 0; t < n_tensors; t++) {
        const struct kl_sampling_tensor *tensor = &tensors[t];
        const double most = tensor->fan_in ? 1 / sqrt((double)tensor->fan_in) : 0;
        for (size_t i = tensor->offset; i < tensor->offset + tensor->size; i++) {
            if (i / 4 != drawn) kl_philox(words, key, (uint32_t)(i / 4), KL_RANDOM_CHAIN_START, 0, 0);
            drawn = i / 4;
            w[i] = (kl_real)(tensor->fan_in ? (2 * kl_philox_unit(words[i % 4]) - 1) * most
                                            : tensor->start);
        }
    }
}

/* ---- target ----
   The mean loss of a network over records, as a target: records in hand by chunks, forward, losses,
   back. */

static size_t row_of(const struct kl_sampling_batch *b, size_t i)
{
    return (b->rows ? (size_t)b->rows[i] : i) * b->inputs;
}

/* As rows and as features, the surplus 0. */
static void take_rows(struct kl_sampling_work *k, const struct kl_sampling_batch *b, size_t first)
{
    for (size_t i = 0; i < k->valid; i++) {
        const size_t from = row_of(b, first + i);
        kl_real *to = k->xr[0] + i * b->inputs;
        for (size_t j = 0; j < b->inputs; j++)
            to[j] = b->exact ? (kl_real)b->exact[from + j] : (kl_real)b->x[from + j];
    }
    kl_kernel_layers->turn(k->x[0], k->ld, k->xr[0], b->inputs, NULL, 0, k->valid, b->inputs);
    for (size_t j = 0; j < b->inputs; j++)
        for (size_t i = k->valid; i < k->n; i++) k->x[0][j * k->ld + i] = 0;
}

/* A block of sixteen images, side by side. */
static void take_block(struct kl_sampling_work *k, const struct kl_sampling_unit *u,
                       const struct kl_sampling_batch *b, size_t first, size_t block)
{
    const size_t done = block * KL_SAMPLING_SIDE, left = k->valid - done,
                 some = left < KL_SAMPLING_SIDE ? left : KL_SAMPLING_SIDE;
    const struct kl_sampling_maps *in = &k->in[0];
    size_t from[KL_SAMPLING_SIDE];
    for (size_t l = 0; l < some; l++) from[l] = row_of(b, first + done + l);
    for (size_t c = 0; c < u->in; c++)
        for (size_t y = 0; y < u->in_h; y++) {
            kl_real *to = in->at + block * in->block + c * in->channel + y * in->row;
            for (size_t x = 0, j = (c * u->in_h + y) * u->in_w; x < u->in_w;
                 x++, j++, to += KL_SAMPLING_SIDE) {
                for (size_t l = 0; l < some; l++)
                    to[l] = b->exact ? (kl_real)b->exact[from[l] + j] : (kl_real)b->x[from[l] + j];
                for (size_t l = some; l < KL_SAMPLING_SIDE; l++) to[l] = 0;
            }
        }
}

static void losses(struct kl_sampling_step *s, struct kl_sampling_sums *sums, double *per_record,
                   double *logits, const struct kl_sampling_batch *b, size_t first)
{
    const struct kl_sampling_net *net = s->context->net;
    struct kl_sampling_work *k = s->work;
    const size_t n_out = (size_t)net->outputs;
    const kl_real *z = k->x[net->n_dense];
    for (size_t i = 0; i < k->valid; i++) {
        const int32_t label = b->label[b->rows ? (size_t)b->rows[first + i] : first + i];
        double loss;
        for (size_t o = 0; o < n_out; o++) k->logits[o] = (double)z[o * k->ld + i];
        kl_sampling_loss_of(&loss, s->grad ? k->by_logits : NULL, k->logits, net->outputs, label,
                            net->loss, net->l_max);
        if (sums) {
            sums->loss += loss, sums->squares += loss * loss, sums->count++;
            sums->wrong += kl_sampling_loss_wrong(k->logits, net->outputs, label);
        }
        if (per_record) per_record[first + i] = loss;
        if (logits) memcpy(logits + (first + i) * n_out, k->logits, n_out * sizeof *logits);
        for (size_t o = 0; s->grad && o < n_out; o++)
            k->dy[o * k->ld + i] = k->dyr[i * n_out + o] = (kl_real)(k->by_logits[o] / (double)b->count);
    }
}

/* Forward over records [first, first + valid), and back if there is a gradient. */
static void chunk(struct kl_sampling_step *s, struct kl_sampling_sums *sums, double *per_record,
                  double *logits, const struct kl_sampling_batch *b, size_t first)
{
    const struct kl_sampling_net *net = s->context->net;
    struct kl_sampling_work *k = s->work;
    if (net->n_units == 0) take_rows(k, b, first);
    for (size_t block = 0; net->n_units > 0 && block < k->n / KL_SAMPLING_SIDE; block++)
        take_block(k, &net->units[0], b, first, block);
    if (net->n_units > 0) {
        kl_sampling_conv_forward(s);
        if (s->grad)
            kl_kernel_layers->turn(k->xr[0], net->dense[0].in, k->x[0], k->ld, NULL, 0, net->dense[0].in,
                                   k->n);
    }
    kl_sampling_dense_forward(s);
    losses(s, sums, per_record, logits, b, first);
    if (!s->grad) return;
    kl_sampling_dense_backward(s);
    if (net->n_units > 0) kl_sampling_conv_backward(s);
    s->further = true;
}

static void begin(struct kl_sampling_step *s, struct kl_sampling_context *c,
                  const struct kl_sampling_crew *crew)
{
    *s = (struct kl_sampling_step){ .context = c,
                                    .work = &c->works[crew ? crew->thread : 0],
                                    .pool = crew ? crew->pool : NULL,
                                    .statistics = c->net->norm == KL_SAMPLING_NORM_BATCH };
}
static void hold(struct kl_sampling_work *k, size_t valid)
{
    k->valid = valid;
    k->n = (valid + KL_SAMPLING_SIDE - 1) / KL_SAMPLING_SIDE * KL_SAMPLING_SIDE;
}

int kl_sampling_net_pass(void *context, kl_real *grad, struct kl_sampling_sums *sums, double *per_record,
                         double *logits, const kl_real *w, const struct kl_sampling_batch *batch,
                         const struct kl_sampling_crew *crew, struct kl_error *err)
{
    struct kl_sampling_context *c = context;
    struct kl_sampling_step s;
    begin(&s, c, crew);
    s.w = w, s.grad = grad;
    if (s.statistics && grad && batch->count > c->most)
        return kl_fail(
            err, KL_EUSAGE,
            "net '%s': found a gradient of %zu records, expected %zu at most, which share their "
            "statistics; give it a larger batch",
            c->net->name, batch->count, c->most);
    for (size_t first = 0; first < batch->count; first += c->most) {
        const size_t left = batch->count - first;
        hold(s.work, left < c->most ? left : c->most);
        chunk(&s, sums, per_record, logits, batch, first);
    }
    return 0;
}

int kl_sampling_net_statistics(void *context, const double **mean, const double **variance,
                               double momentum, const kl_real *w, const struct kl_sampling_batch *batch,
                               struct kl_error *err)
{
    struct kl_sampling_context *c = context;
    struct kl_sampling_step s;
    if (batch->count > c->most || (batch->count < 2 && momentum > 0))
        return kl_fail(err, KL_EUSAGE, "net '%s': found statistics of %zu records, expected 2 to %zu",
                       c->net->name, batch->count, c->most);
    begin(&s, c, NULL);
    s.w = w, s.statistics = true;
    if (momentum > 0) {
        hold(s.work, batch->count);
        chunk(&s, NULL, NULL, NULL, batch, 0);
    }
    for (int i = 0; momentum > 0 && i < c->net->n_units; i++) {
        const struct kl_sampling_unit *u = &c->net->units[i];
        const double n = (double)(batch->count * u->out_h * u->out_w);
        for (size_t j = u->statistics; u->norm && j < u->statistics + u->out; j++) {
            c->mean[j] = (1 - momentum) * c->mean[j] + momentum * s.work->mean[j];
            c->variance[j] =
                (1 - momentum) * c->variance[j] + momentum * s.work->variance[j] * n / (n - 1);
        }
    }
    if (mean) *mean = c->mean;
    if (variance) *variance = c->variance;
    return 0;
}

static struct kl_sampling_batch batch_of(const struct kl_sampling_records *r, const int64_t *rows,
                                         size_t count)
{
    return (struct kl_sampling_batch){
        .x = r->x, .label = r->label, .rows = rows, .count = count, .inputs = r->inputs
    };
}

static int gradient(void *context, kl_real *grad, struct kl_sampling_sums *sums, const kl_real *w,
                    const int64_t *rows, size_t count, const struct kl_sampling_crew *crew,
                    struct kl_error *err)
{
    const struct kl_sampling_batch b =
        batch_of(((struct kl_sampling_context *)context)->sets[0], rows, count);
    return kl_sampling_net_pass(context, grad, sums, NULL, NULL, w, &b, crew, err);
}

static int evaluate(void *context, struct kl_sampling_sums *sums, double *per_record, const kl_real *w,
                    bool test, const int64_t *rows, size_t count, const struct kl_sampling_crew *crew,
                    struct kl_error *err)
{
    const struct kl_sampling_batch b =
        batch_of(((struct kl_sampling_context *)context)->sets[test], rows, count);
    return kl_sampling_net_pass(context, NULL, sums, per_record, NULL, w, &b, crew, err);
}

static void close_context(void *context)
{
    struct kl_sampling_context *c = context;
    for (int t = 0; c && t < c->threads; t++) kl_arena_free(&c->works[t].arena);
#if !KL_F64
    if (c) kl_sampling_shallow_close(c->shallow, c->threads);
#endif
    if (c) free(c->works), free(c->mean);
    free(c);
}

static int check_records(const struct kl_sampling_net *net, const struct kl_sampling_records *r,
                         const char *which, struct kl_error *err)
{
    if (r->inputs != net->inputs)
        return kl_fail(err, KL_EUSAGE, "net '%s': found %s records of %zu numbers, expected %zu",
                       net->name, which, r->inputs, net->inputs);
    for (size_t i = 0; i < r->n; i++)
        if (r->label[i] < 0 || r->label[i] >= net->classes)
            return kl_fail(err, KL_EUSAGE, "net '%s': found label %d at %s record %zu, expected 0 to %d",
                           net->name, (int)r->label[i], which, i, net->classes - 1);
    return 0;
}

static int open_context(struct kl_sampling_context **context, const struct kl_sampling_net *net,
                        size_t most, int threads, struct kl_error *err)
{
    struct kl_sampling_context *c = *context = calloc(1, sizeof *c);
    if (!c) return kl_fail_memory(err, sizeof *c);
    c->net = net, c->most = most;
    c->works = calloc((size_t)threads, sizeof *c->works);
    c->mean = calloc(2 * net->n_statistics + 1, sizeof *c->mean);
    if (!c->works || !c->mean) return kl_fail_memory(err, sizeof *c->works * (size_t)threads);
    c->variance = c->mean + net->n_statistics;
    for (size_t i = 0; i < net->n_statistics; i++) c->variance[i] = 1;
    for (; c->threads < threads; c->threads++) {
        const int code = kl_sampling_work_open(&c->works[c->threads], net, most, err);
        if (code) {
            kl_arena_free(&c->works[c->threads].arena);
            return code;
        }
    }
    return 0;
}

int kl_sampling_net_target(struct kl_sampling_target *target, const struct kl_sampling_net *net,
                           const struct kl_sampling_records *train,
                           const struct kl_sampling_records *test, size_t batch, int threads,
                           struct kl_error *err)
{
    static const struct kl_sampling_records none = { 0 };
    struct kl_sampling_context *c = NULL;
    *target = (struct kl_sampling_target){ 0 };
    int code = check_records(net, train, "training", err);
    if (!code && test) code = check_records(net, test, "test", err);
    if (code) return code;
    const size_t most = batch == 0 || batch > train->n ? train->n : batch;
    code = open_context(&c, net, net->n_statistics ? most : KL_SAMPLING_CHUNK, threads, err);
    if (code) {
        close_context(c);
        return code;
    }
    c->sets[0] = train, c->sets[1] = test ? test : &none;
    *target = (struct kl_sampling_target){ .size = net->size,
                                           .tensors = net->tensors,
                                           .n_tensors = net->n_tensors,
                                           .n = train->n,
                                           .n_test = test ? test->n : 0,
                                           .chance = 1 - 1.0 / net->classes,
                                           .context = c,
                                           .gradient = gradient,
                                           .evaluate = evaluate,
                                           .close = close_context };
    kl_sampling_loss_ends(&target->loss_low, &target->loss_high, net->loss, net->l_max);
#if !KL_F64
    code = kl_sampling_shallow_open(&c->shallow, target, net, most, threads, err);
#endif
    return code;
}
