/* SPDX-License-Identifier: MIT
   Nets of one hidden layer, few inputs and one logit take many Langevin steps at once, their weights in
   the form of kernels/shallow.h from the first to the last. */
#include <math.h>
#include <stdlib.h>

#include "kernels/shallow.h"
#include "sampling/model/model_int.h"

enum { STEPS = 64 }; /* a call */

/* One thread's. */
struct kl_sampling_shallow {
    struct kl_shallow net;
    float *packed, *work;
    struct kl_langevin_factors factors[STEPS];
    struct kl_shallow_sums sums[STEPS];
};

static int walk_span(const struct kl_sampling_context *c, struct kl_sampling_shallow *s,
                     const struct kl_sampling_span *span, struct kl_sampling_sums *sums)
{
    const struct kl_shallow_records records = { c->sets[0]->x, c->sets[0]->label };
    for (size_t i = 0; i < STEPS && i < span->count; i++) s->factors[i] = span->factors;
    for (size_t first = 0; first < span->count; first += STEPS) {
        const size_t left = span->count - first, some = left < STEPS ? left : STEPS,
                     at = first * span->batch,
                     rows =
                         span->n_rows - at < some * span->batch ? span->n_rows - at : some * span->batch;
        struct kl_langevin_stream stream = span->stream;
        stream.step += (uint32_t)first;
        kl_kernel_shallow_steps_f32()(s->packed, &s->net, &records, span->rows + at, rows, span->batch,
                                      s->factors, &stream, s->sums, s->work);
        for (size_t i = 0; i < some; i++) {
            const size_t gone = i * span->batch,
                         count = rows - gone < span->batch ? rows - gone : span->batch;
            sums[first + i] = (struct kl_sampling_sums){ s->sums[i].loss, s->sums[i].squares,
                                                         s->sums[i].wrong, (int64_t)count };
        }
    }
    return KL_OK;
}

static int walk(void *context, float *w, const struct kl_sampling_span *spans, size_t n_spans,
                struct kl_sampling_sums *sums, const struct kl_sampling_crew *crew, struct kl_error *err)
{
    const struct kl_sampling_context *c = context;
    struct kl_sampling_shallow *s = &c->shallow[crew->thread];
    (void)err;
    kl_shallow_pack(s->packed, w, &s->net);
    for (size_t i = 0; i < n_spans; sums += spans[i].count, i++) walk_span(c, s, &spans[i], sums);
    kl_shallow_unpack(w, s->packed, &s->net);
    return KL_OK;
}

/* Is it of the kind? */
static bool fits(const struct kl_sampling_net *net, size_t batch)
{
    return net->n_units == 0 && net->n_dense == 2 && net->outputs == 1 &&
           net->dense[0].in <= KL_SHALLOW_INPUTS && batch <= KL_SHALLOW_BATCH &&
           (net->loss == KL_SAMPLING_BBCE || net->loss == KL_SAMPLING_BCE);
}

int kl_sampling_shallow_open(struct kl_sampling_shallow **shallow, struct kl_sampling_target_f32 *target,
                             const struct kl_sampling_net *net, size_t batch, int threads,
                             struct kl_error *err)
{
    *shallow = NULL;
    if (!fits(net, batch)) return KL_OK;
    struct kl_sampling_shallow *all = *shallow = calloc((size_t)threads, sizeof *all);
    if (!all) return kl_fail_memory(err, (size_t)threads * sizeof *all);
    const struct kl_shallow form = { net->dense[0].in, net->dense[0].out,
                                     net->loss == KL_SAMPLING_BBCE ? KL_SHALLOW_BBCE : KL_SHALLOW_BCE,
                                     exp(-net->l_max) };
    const size_t n = kl_shallow_packed(&form), work = kl_shallow_work(&form, batch);
    for (int i = 0; i < threads; i++) {
        all[i].net = form;
        all[i].packed = aligned_alloc(64, (n + 16) / 16 * 64);
        all[i].work = aligned_alloc(64, (work + 16) / 16 * 64);
        if (!all[i].packed || !all[i].work) return kl_fail_memory(err, (n + work) * sizeof(float));
    }
    target->walk = walk;
    return KL_OK;
}

void kl_sampling_shallow_close(struct kl_sampling_shallow *shallow, int threads)
{
    for (int i = 0; i < threads && shallow; i++) free(shallow[i].packed), free(shallow[i].work);
    free(shallow);
}
