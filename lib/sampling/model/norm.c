/* SPDX-License-Identifier: MIT
   Batch norm with ReLU, and its way back. Statistics are sums in double over the records in hand
   (training mode), or constants (frozen). */
#include <math.h>

#include "kernels/inline/real.h"
#include "sampling/model/model_int.h"

#define EPSILON 1e-5

struct task {
    struct kl_sampling_step *step;
    int unit;
};

/* A record r of the chunk: lane r % 16 of block r / 16. Those of a block that are records. */
static size_t lanes(const struct kl_sampling_work *k, size_t block)
{
    const size_t from = block * KL_SAMPLING_SIDE;
    return k->valid - from < KL_SAMPLING_SIDE ? k->valid - from : KL_SAMPLING_SIDE;
}

/* Sums over all positions of channel c of a (or a - mean) times b; b NULL: of a alone; squares: of (a -
 * mean)^2. */
static double channel_sum(const struct kl_sampling_work *k, const struct kl_sampling_unit *u, size_t c,
                          const struct kl_sampling_maps *a, double mean,
                          const struct kl_sampling_maps *b)
{
    double sums[KL_SAMPLING_SIDE] = { 0 }, sum = 0;
    for (size_t block = 0; block < k->n / KL_SAMPLING_SIDE; block++) {
        const size_t some = lanes(k, block);
        for (size_t y = 0; y < u->out_h; y++) {
            const kl_real *p = a->at + block * a->block + c * a->channel + y * a->row,
                          *q = b ? b->at + block * b->block + c * b->channel + y * b->row : NULL;
            for (size_t x = 0; x < u->out_w; x++, p += KL_SAMPLING_SIDE, q += q ? KL_SAMPLING_SIDE : 0)
                for (size_t l = 0; l < some; l++) {
                    const double v = (double)p[l] - mean;
                    sums[l] += !b ? v : a == b ? v * v : v * (double)q[l];
                }
        }
    }
    for (int l = 0; l < KL_SAMPLING_SIDE; l++) sum += sums[l];
    return sum;
}

static void forward_channel(void *context, size_t c, int thread)
{
    const struct task *t = context;
    const struct kl_sampling_step *s = t->step;
    const struct kl_sampling_work *k = s->work;
    const struct kl_sampling_unit *u = &s->context->net->units[t->unit];
    const struct kl_sampling_maps *raw = &k->raw[t->unit], *act = &k->act[t->unit];
    const double positions = (double)(k->valid * u->out_h * u->out_w);
    double *mean = &k->mean[u->statistics + c], *variance = &k->variance[u->statistics + c];
    (void)thread;
    if (s->statistics) {
        *mean = channel_sum(k, u, c, raw, 0, NULL) / positions;
        *variance = channel_sum(k, u, c, raw, *mean, raw) / positions;
    } else
        *mean = s->context->mean[u->statistics + c], *variance = s->context->variance[u->statistics + c];
    const kl_real scale = (kl_real)((double)s->w[u->gamma + c] / sqrt(*variance + EPSILON)),
                  centre = (kl_real)*mean, beta = s->w[u->beta + c];
    for (size_t block = 0; block < k->n / KL_SAMPLING_SIDE; block++)
        for (size_t y = 0; y < u->out_h; y++) {
            const kl_real *from = raw->at + block * raw->block + c * raw->channel + y * raw->row;
            kl_real *to = act->at + block * act->block + c * act->channel + y * act->row;
            for (size_t x = 0; x < u->out_w * KL_SAMPLING_SIDE; x++) {
                const kl_real v = scale * (from[x] - centre) + beta;
                to[x] = v > 0 ? v : 0;
            }
        }
}

void kl_sampling_norm_forward(struct kl_sampling_step *step, int unit)
{
    struct task t = { step, unit };
    kl_pool_for(step->pool, step->context->net->units[unit].out, forward_channel, &t);
}

/* With xhat = (raw - mean) / sd, g the gradient of gamma xhat + beta: d raw = gamma / sd (g - mean of g
   - xhat mean of g xhat), the means being 0 where the statistics are constants. */
static void backward_channel(void *context, size_t c, int thread)
{
    const struct task *t = context;
    const struct kl_sampling_step *s = t->step;
    const struct kl_sampling_work *k = s->work;
    const struct kl_sampling_unit *u = &s->context->net->units[t->unit];
    const struct kl_sampling_maps *raw = &k->raw[t->unit], *back = &k->back[t->unit];
    const double positions = (double)(k->valid * u->out_h * u->out_w), mean = k->mean[u->statistics + c],
                 sd = sqrt(k->variance[u->statistics + c] + EPSILON);
    const double g = channel_sum(k, u, c, back, 0, NULL),
                 gx = channel_sum(k, u, c, raw, mean, back) / sd;
    const bool batch = s->statistics;
    (void)thread;
    s->grad[u->gamma + c] += (kl_real)gx;
    s->grad[u->beta + c] += (kl_real)g;
    const kl_real scale = (kl_real)((double)s->w[u->gamma + c] / sd),
                  shift = (kl_real)(batch ? g / positions : 0),
                  slope = (kl_real)(batch ? gx / positions / sd : 0), centre = (kl_real)mean;
    for (size_t block = 0; block < k->n / KL_SAMPLING_SIDE; block++) {
        const size_t some = lanes(k, block);
        for (size_t y = 0; y < u->out_h; y++) {
            const kl_real *from = raw->at + block * raw->block + c * raw->channel + y * raw->row;
            kl_real *d = back->at + block * back->block + c * back->channel + y * back->row;
            for (size_t x = 0; x < u->out_w; x++, from += KL_SAMPLING_SIDE, d += KL_SAMPLING_SIDE)
                for (size_t l = 0; l < some; l++)
                    d[l] = scale * (d[l] - shift - (from[l] - centre) * slope);
        }
    }
}

void kl_sampling_norm_backward(struct kl_sampling_step *step, int unit)
{
    struct task t = { step, unit };
    kl_pool_for(step->pool, step->context->net->units[unit].out, backward_channel, &t);
}
