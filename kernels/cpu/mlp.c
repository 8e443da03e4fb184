/* SPDX-License-Identifier: MIT
   Definition of the family; see kernels/mlp.h.
   Of eight samples an input bit has one of 256 patterns. So the weights of the inputs with the same
   pattern (of four samples: 2 * 16 patterns) are added first, and a sample's sum is that of the patterns
   it takes part in: two additions an input in place of eight. On the way back the gradient of an input's
   weights is the sum of its pattern. */
#include "kernels/mlp.h"

#include <math.h>
#include <string.h>

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
/* What a comparison of two kl_lane gives. */
typedef kl_mask_item kl_mask
    __attribute__((vector_size(KL_VECTOR_BYTES), aligned(sizeof(kl_real)), may_alias));

enum { BATCH = KL_MLP_BATCH, HALF = BATCH / 2, PATTERNS = 1 << HALF };

static inline kl_lane *at(kl_real *p)
{
    return (kl_lane *)p;
}
static inline kl_lane get(const kl_real *p)
{
    return *(const kl_lane *)p;
}

/* What a call works with, cut from its workspace. Activations and gradients: [BATCH][width of the
 * layer]. */
struct work {
    kl_real *y[KL_MLP_LAYERS + 1], *d[KL_MLP_LAYERS + 1], *table;
    uint8_t *pattern;
};

static struct work cut(kl_real *memory, const struct kl_mlp *net)
{
    struct work w;
    for (int l = 0; l <= net->n_layers; l++) {
        const size_t size = BATCH * kl_mlp_width(net->size[l]);
        w.y[l] = memory, w.d[l] = memory + size;
        memory += 2 * size;
    }
    w.pattern = (uint8_t *)memory;
    w.table = memory + (size_t)net->size[0] + 64;
    return w;
}

/* pattern[j]: bit i is input j of sample i. */
static void transpose_bits(uint8_t *pattern, const struct kl_mlp_batch *batch, size_t n_inputs)
{
    for (size_t j = 0; j < n_inputs; j += 8) {
        uint64_t x = 0, t;
        for (size_t i = 0; i < batch->n; i++)
            x |= (((const uint64_t *)batch->row[i])[j / 64] >> j % 64 & 0xff) << 8 * i;
        t = (x ^ x >> 7) & 0x00aa00aa00aa00aa, x ^= t ^ t << 7;
        t = (x ^ x >> 14) & 0x0000cccc0000cccc, x ^= t ^ t << 14;
        t = (x ^ x >> 28) & 0x00000000f0f0f0f0, x ^= t ^ t << 28;
        memcpy(pattern + j, &x, 8);
    }
}

/* y (BATCH, width) = biases + the rows of weights whose bits are set. */
static void sum_patterns(kl_real *restrict y, kl_real *restrict table, const kl_real *restrict weights,
                         const uint8_t *pattern, size_t n_inputs, size_t width)
{
    const kl_real *biases = weights + n_inputs * width;
    memset(table, 0, 2 * PATTERNS * width * sizeof *table);
    for (size_t j = 0; j < n_inputs; j++) {
        kl_real *low = table + (pattern[j] % PATTERNS) * width;
        kl_real *high = table + (PATTERNS + pattern[j] / PATTERNS) * width;
        for (size_t c = 0; c < width; c += KL_LANES) {
            const kl_lane row = get(weights + j * width + c);
            *at(low + c) += row, *at(high + c) += row;
        }
    }
    for (size_t i = 0; i < BATCH; i++)
        for (size_t c = 0; c < width; c += KL_LANES) {
            const kl_real *sums = table + i / HALF * PATTERNS * width + c;
            kl_lane sum = get(biases + c);
            for (size_t p = 0; p < PATTERNS; p++)
                if (p >> i % HALF & 1) sum += get(sums + p * width);
            *at(y + i * width + c) = sum;
        }
}

/* grad (n_inputs, width), then that of the biases (width), from d (BATCH, width). */
static void spread_patterns(kl_real *restrict grad, kl_real *restrict table, const kl_real *restrict d,
                            const uint8_t *pattern, size_t n_inputs, size_t width)
{
    for (size_t half = 0; half < 2; half++) {
        kl_real *sums = table + half * PATTERNS * width;
        memset(sums, 0, width * sizeof *sums);
        for (size_t p = 1; p < PATTERNS; p++) {
            const kl_real *rest = sums + (p & (p - 1)) * width;
            const kl_real *one = d + (half * HALF + (size_t)__builtin_ctzll(p)) * width;
            for (size_t c = 0; c < width; c += KL_LANES)
                *at(sums + p * width + c) = get(rest + c) + get(one + c);
        }
    }
    for (size_t j = 0; j <= n_inputs; j++) {
        const uint8_t own = j < n_inputs ? pattern[j] : 0xff;
        const kl_real *low = table + (own % PATTERNS) * width;
        const kl_real *high = table + (PATTERNS + own / PATTERNS) * width;
        for (size_t c = 0; c < width; c += KL_LANES)
            *at(grad + j * width + c) = get(low + c) + get(high + c);
    }
}

/* m <= BATCH rows of out (m, width) = start (width; NULL: 0) + a(i, k) b (n, width), with a(i, k) = a[i
 * by_row + k * by_sum]. */
static inline __attribute__((always_inline)) void products(kl_real *restrict out, const kl_real *start,
                                                           const kl_real *restrict a, size_t by_row,
                                                           size_t by_sum, const kl_real *restrict b,
                                                           size_t n, size_t width, const int m)
{
    for (size_t c = 0; c < width; c += KL_LANES) {
        kl_lane sum[BATCH];
        for (int i = 0; i < m; i++) sum[i] = start ? get(start + c) : (kl_lane){ 0 };
        for (size_t k = 0; k < n; k++) {
            const kl_lane row = get(b + k * width + c);
            for (int i = 0; i < m; i++) sum[i] += a[(size_t)i * by_row + k * by_sum] * row;
        }
        for (int i = 0; i < m; i++) *at(out + (size_t)i * width + c) = sum[i];
    }
}

/* y (BATCH, outputs) = x (BATCH, inputs) W + b */
static void dense(kl_real *y, const kl_real *x, const kl_real *weights, int inputs, int outputs)
{
    const size_t width = kl_mlp_width(outputs), n = (size_t)inputs;
    products(y, weights + n * width, x, kl_mlp_width(inputs), 1, weights, n, width, BATCH);
}

/* grad = x^T d, and of the biases the sum of d. */
static void dense_weights(kl_real *grad, const kl_real *x, const kl_real *d, int inputs, int outputs)
{
    static const kl_real one = 1;
    const size_t width = kl_mlp_width(outputs), n = (size_t)inputs, across = kl_mlp_width(inputs);
    size_t k = 0;
    for (; k + BATCH <= n; k += BATCH)
        products(grad + k * width, NULL, x + k, 1, across, d, BATCH, width, BATCH);
    for (; k < n; k++) products(grad + k * width, NULL, x + k, 1, across, d, BATCH, width, 1);
    products(grad + n * width, NULL, &one, 0, 0, d, BATCH, width, 1);
}

/* dx (BATCH, inputs) = d W^T */
static void dense_inputs(kl_real *restrict dx, kl_real *restrict turned, const kl_real *restrict d,
                         const kl_real *restrict weights, int inputs, int outputs)
{
    const size_t width = kl_mlp_width(outputs), across = kl_mlp_width(inputs);
    for (size_t j = 0; j < (size_t)outputs; j++) {
        for (size_t k = 0; k < (size_t)inputs; k++) turned[j * across + k] = weights[k * width + j];
        for (size_t k = (size_t)inputs; k < across; k++) turned[j * across + k] = 0;
    }
    products(dx, NULL, d, width, 1, turned, (size_t)outputs, across, BATCH);
}

static void first_layer(const struct work *w, const kl_real *params, const struct kl_mlp *net,
                        const struct kl_mlp_batch *batch)
{
    const size_t inputs = (size_t)net->size[0], across = kl_mlp_width(net->size[0]);
    if (batch->packed) {
        transpose_bits(w->pattern, batch, inputs);
        sum_patterns(w->y[1], w->table, params, w->pattern, inputs, kl_mlp_width(net->size[1]));
        return;
    }
    memset(w->y[0], 0, BATCH * across * sizeof(kl_real));
    for (size_t i = 0; i < batch->n; i++)
        memcpy(w->y[0] + i * across, batch->row[i], inputs * sizeof(kl_real));
    dense(w->y[1], w->y[0], params, net->size[0], net->size[1]);
}

static void forward(const struct work *w, const kl_real *params, const struct kl_mlp *net,
                    const struct kl_mlp_batch *batch, const struct kl_dropout_draw *drop)
{
    first_layer(w, params, net, batch);
    for (int l = 1; l < net->n_layers; l++) {
        const size_t size = BATCH * kl_mlp_width(net->size[l]);
        kl_real *y = w->y[l];
        for (size_t i = 0; i < size; i++) y[i] = y[i] > 0 ? y[i] : 0;
        if (drop && drop->threshold) {
            struct kl_dropout_draw own = *drop;
            own.purpose += 256 * (uint32_t)l;
            KL_ISA_NAME(kl_dropout)(y, 0, size, &own);
        }
        dense(w->y[l + 1], y, params + kl_mlp_layer(net, l), net->size[l], net->size[l + 1]);
    }
}

/* d = gradient of the mean cross-entropy of the first n samples; their sum is returned. */
static double cross_entropy(kl_real *d, const kl_real *logits, const struct kl_mlp_batch *batch,
                            int classes)
{
    const size_t width = kl_mlp_width(classes);
    const kl_real share = 1 / (kl_real)batch->n;
    double sum = 0;
    memset(d, 0, BATCH * width * sizeof *d);
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
        const kl_lane p = get(params + i), sign = sign_of(p), g = get(grad + i) + l1 * sign;
        *at(grad + i) = g;
        squares += g * g;
        sum += p * sign;
    }
    loss->squares = loss->sum_abs = 0;
    for (int i = 0; i < KL_LANES; i++)
        loss->squares += (double)squares[i], loss->sum_abs += (double)sum[i];
}

void KL_ISA_NAME(kl_mlp_gradient) KL_MLP_GRADIENT_ARGS(kl_real)
{
    const struct work w = cut(work, net);
    const int last = net->n_layers;
    const kl_real scale = drop && drop->threshold ? (kl_real)drop->scale : 1;
    forward(&w, params, net, batch, drop);
    loss->cross_entropy = cross_entropy(w.d[last], w.y[last], batch, net->size[last]) / (double)batch->n;
    for (int l = last - 1; l >= 0; l--) {
        const size_t begin = kl_mlp_layer(net, l), size = BATCH * kl_mlp_width(net->size[l]);
        if (l == 0 && batch->packed) {
            spread_patterns(grad, w.table, w.d[1], w.pattern, (size_t)net->size[0],
                            kl_mlp_width(net->size[1]));
            break;
        }
        dense_weights(grad + begin, w.y[l], w.d[l + 1], net->size[l], net->size[l + 1]);
        if (l == 0) break;
        dense_inputs(w.d[l], w.table, w.d[l + 1], params + begin, net->size[l], net->size[l + 1]);
        KL_ISA_NAME(kl_relu_back)(w.d[l], w.y[l], size, (double)scale);
    }
    penalise(loss, grad, params, kl_mlp_layer(net, last), (kl_real)l1);
}

void KL_ISA_NAME(kl_mlp_logits) KL_MLP_LOGITS_ARGS(kl_real)
{
    const struct work w = cut(work, net);
    const size_t classes = (size_t)net->size[net->n_layers],
                 width = kl_mlp_width(net->size[net->n_layers]);
    forward(&w, params, net, batch, NULL);
    for (size_t i = 0; i < batch->n; i++)
        memcpy(logits + i * classes, w.y[net->n_layers] + i * width, classes * sizeof *logits);
}
