/* SPDX-License-Identifier: MIT
   Definition of the family; see kernels/mlp.h. Its layers are in kernels/inline/mlp.h. */
#include "kernels/mlp.h"

#include <math.h>
#include <string.h>

#include "kernels/inline/mlp.h"
#include "kernels/inline/real.h"

#if KL_F64
#define EXP exp
#define LOG log
typedef int64_t kl_mask_item;
#else
#define EXP expf
#define LOG logf
typedef int32_t kl_mask_item;
#endif
/* The result of a comparison of two kl_lane. */
typedef kl_mask_item kl_mask
    __attribute__((vector_size(KL_VECTOR_BYTES), aligned(sizeof(kl_real)), may_alias));

/* The memory of a call, cut from its workspace. Activations and gradients: [KL_MLP_BATCH][width of the
 * layer]. */
struct work {
    kl_real *y[KL_MLP_LAYERS + 1], *d[KL_MLP_LAYERS + 1], *table;
    uint8_t *pattern;
};

static struct work cut(kl_real *memory, const struct kl_mlp *net)
{
    struct work w;
    for (int l = 0; l <= net->n_layers; l++) {
        const size_t size = KL_MLP_BATCH * kl_mlp_width(net->size[l]);
        w.y[l] = memory, w.d[l] = memory + size;
        memory += 2 * size;
    }
    w.pattern = (uint8_t *)memory;
    w.table = memory + (size_t)net->size[0] + 64;
    return w;
}

static void first_layer(const struct work *w, const kl_real *params, const struct kl_mlp *net,
                        const struct kl_mlp_batch *batch)
{
    const size_t inputs = (size_t)net->size[0], across = kl_mlp_width(net->size[0]);
    if (batch->packed) {
        kl_mlp_transpose_bits(w->pattern, batch, inputs);
        kl_mlp_sum_patterns(w->y[1], w->table, params, w->pattern, inputs, kl_mlp_width(net->size[1]));
        return;
    }
    memset(w->y[0], 0, KL_MLP_BATCH * across * sizeof(kl_real));
    for (size_t i = 0; i < batch->n; i++)
        memcpy(w->y[0] + i * across, batch->row[i], inputs * sizeof(kl_real));
    kl_mlp_dense(w->y[1], w->y[0], params, net->size[0], net->size[1]);
}

static void forward(const struct work *w, const kl_real *params, const struct kl_mlp *net,
                    const struct kl_mlp_batch *batch, const struct kl_dropout_draw *drop)
{
    first_layer(w, params, net, batch);
    for (int l = 1; l < net->n_layers; l++) {
        const size_t size = KL_MLP_BATCH * kl_mlp_width(net->size[l]);
        kl_real *y = w->y[l];
        for (size_t i = 0; i < size; i++) y[i] = y[i] > 0 ? y[i] : 0;
        if (drop && drop->threshold) {
            struct kl_dropout_draw own = *drop;
            own.purpose += 256 * (uint32_t)l;
            KL_ISA_NAME(kl_dropout)(y, 0, size, &own);
        }
        kl_mlp_dense(w->y[l + 1], y, params + kl_mlp_layer(net, l), net->size[l], net->size[l + 1]);
    }
}

/* d = gradient of the mean cross-entropy of the first n samples; their sum is returned. */
static double cross_entropy(kl_real *d, const kl_real *logits, const struct kl_mlp_batch *batch,
                            int classes)
{
    const size_t width = kl_mlp_width(classes);
    const kl_real share = 1 / (kl_real)batch->n;
    double sum = 0;
    memset(d, 0, KL_MLP_BATCH * width * sizeof *d);
    for (size_t i = 0; i < batch->n; i++) {
        const kl_real *z = logits + i * width;
        kl_real *to = d + i * width, most = z[0], total = 0;
        for (int c = 1; c < classes; c++) most = z[c] > most ? z[c] : most;
        for (int c = 0; c < classes; c++) total += to[c] = EXP(z[c] - most);
        for (int c = 0; c < classes; c++) to[c] *= share / total;
        to[batch->label[i]] -= share;
        sum += (double)(LOG(total) + most - z[batch->label[i]]);
    }
    return sum;
}

/* 1, 0 or -1. */
static inline kl_lane sign_of(kl_lane x)
{
    const kl_mask one = (kl_mask)((kl_lane){ 0 } + 1);
    return (kl_lane)((x > 0) & one) - (kl_lane)((x < 0) & one);
}

/* grad += l1 sign(params); sums of squares and of |params|. */
static void penalise(struct kl_mlp_loss *loss, kl_real *restrict grad, const kl_real *restrict params,
                     size_t n, kl_real l1)
{
    kl_lane squares = { 0 }, sum = { 0 };
    for (size_t i = 0; i < n; i += KL_LANES) {
        const kl_lane p = kl_mlp_get(params + i), sign = sign_of(p),
                      g = kl_mlp_get(grad + i) + l1 * sign;
        *kl_mlp_at(grad + i) = g;
        squares += g * g;
        sum += p * sign;
    }
    loss->squares = loss->sum_abs = 0;
    for (int i = 0; i < KL_LANES; i++)
        loss->squares += (double)squares[i], loss->sum_abs += (double)sum[i];
}

void KL_ISA_NAME(kl_mlp_gradient)(struct kl_mlp_loss *loss, kl_real *grad, const kl_real *params,
                                  const struct kl_mlp *net, const struct kl_mlp_batch *batch, double l1,
                                  const struct kl_dropout_draw *drop, kl_real *work)
{
    const struct work w = cut(work, net);
    const int last = net->n_layers;
    const kl_real scale = drop && drop->threshold ? (kl_real)drop->scale : 1;
    forward(&w, params, net, batch, drop);
    loss->cross_entropy = cross_entropy(w.d[last], w.y[last], batch, net->size[last]) / (double)batch->n;
    for (int l = last - 1; l >= 0; l--) {
        const size_t begin = kl_mlp_layer(net, l), size = KL_MLP_BATCH * kl_mlp_width(net->size[l]);
        if (l == 0 && batch->packed) {
            kl_mlp_spread_patterns(grad, w.table, w.d[1], w.pattern, (size_t)net->size[0],
                                   kl_mlp_width(net->size[1]));
            break;
        }
        kl_mlp_dense_weights(grad + begin, w.y[l], w.d[l + 1], net->size[l], net->size[l + 1]);
        if (l == 0) break;
        kl_mlp_dense_inputs(w.d[l], w.table, w.d[l + 1], params + begin, net->size[l], net->size[l + 1]);
        KL_ISA_NAME(kl_relu_back)(w.d[l], w.y[l], size, (double)scale);
    }
    penalise(loss, grad, params, kl_mlp_layer(net, last), (kl_real)l1);
}

void KL_ISA_NAME(kl_mlp_logits)(kl_real *logits, const kl_real *params, const struct kl_mlp *net,
                                const struct kl_mlp_batch *batch, kl_real *work)
{
    const struct work w = cut(work, net);
    const size_t classes = (size_t)net->size[net->n_layers],
                 width = kl_mlp_width(net->size[net->n_layers]);
    forward(&w, params, net, batch, NULL);
    for (size_t i = 0; i < batch->n; i++)
        memcpy(logits + i * classes, w.y[net->n_layers] + i * width, classes * sizeof *logits);
}
