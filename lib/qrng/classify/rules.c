/* SPDX-License-Identifier: MIT
   Rules: naive Bayes on what is counted in a row; multinomial logistic regression on bits, by L-BFGS,
   whose sum of cross-entropies is that of a network without hidden layers: its kernel works on eight
   rows at once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/mlp.h"
#include "qrng/classify/network.h"

const char *const kl_rule_names[KL_RULES] = { "pairs", "logistic", "bernoulli", "ones" };

size_t kl_classify_rule_inputs(enum kl_rule_kind kind, size_t n_bits)
{
    if (kind == KL_RULE_PAIRS) return n_bits % 2 ? 0 : 4;
    return kind == KL_RULE_ONES ? 2 : n_bits;
}

size_t kl_classify_rule_free(enum kl_rule_kind kind, size_t n_bits)
{
    const size_t d = kl_classify_rule_inputs(kind, n_bits);
    return kind == KL_RULE_LOGISTIC ? d + 1 : kind == KL_RULE_BERNOULLI ? d : d - 1;
}

/* x [d] of a row: counts of symbols, or its bits. */
static void count(double *x, enum kl_rule_kind kind, const struct kl_bits *bits, size_t row)
{
    const uint64_t *words = kl_bits_row(bits, row);
    const int width = kind == KL_RULE_PAIRS ? 2 : 1;
    const size_t n_symbols = bits->n_bits / (size_t)width;
    if (kind == KL_RULE_PAIRS || kind == KL_RULE_ONES) memset(x, 0, (1u << width) * sizeof *x);
    for (size_t k = 0; k < n_symbols; k++) {
        const unsigned symbol = kl_bits_symbol(words, k, width);
        if (kind == KL_RULE_PAIRS || kind == KL_RULE_ONES) x[symbol]++;
        else x[k] = symbol;
    }
}

/* Of one class with its sums of x over `rows` rows: the logarithms of smoothed shares. */
static void set_class(double *p, enum kl_rule_kind kind, const double *sums, size_t d, double rows)
{
    double all = 0;
    for (size_t j = 0; j < d; j++) all += sums[j];
    p[d] = 0;
    for (size_t j = 0; j < d && kind != KL_RULE_BERNOULLI; j++)
        p[j] = log((sums[j] + 1) / (all + (double)d));
    for (size_t j = 0; j < d && kind == KL_RULE_BERNOULLI; j++) {
        const double q = (sums[j] + 1) / (rows + 2);
        p[j] = log(q) - log1p(-q);
        p[d] += log1p(-q);
    }
}

int kl_classify_rule_fit(struct kl_rule *rule, enum kl_rule_kind kind, const struct kl_bits *bits,
                         const int32_t *labels, size_t classes, const int64_t *which, size_t n,
                         struct kl_error *err)
{
    const size_t d = kl_classify_rule_inputs(kind, bits->n_bits);
    rule->kind = kind, rule->classes = classes, rule->inputs = d;
    double *sums =
        calloc(classes * (d + 1) + d, sizeof *sums); /* of each class, with its rows; then x */
    if (!sums) return kl_fail_memory(err, (classes + 1) * (d + 1) * sizeof *sums);
    double *x = sums + classes * (d + 1);
    int rc = KL_OK;
    for (size_t i = 0; i < n; i++) {
        double *own = sums + (size_t)labels[which[i]] * (d + 1);
        if (kind != KL_RULE_LOGISTIC) count(x, kind, bits, (size_t)which[i]);
        for (size_t j = 0; j < d; j++) own[j] += x[j];
        own[d]++;
    }
    for (size_t k = 0; k < classes && !rc; k++) {
        if (sums[k * (d + 1) + d] == 0)
            rc = kl_fail(err, KL_EDATA, "%s: none of %zu rows to fit to is of device %zu",
                         kl_rule_names[kind], n, k + 1);
        else if (kind != KL_RULE_LOGISTIC)
            set_class(rule->parameters + k * (d + 1), kind, sums + k * (d + 1), d,
                      sums[k * (d + 1) + d]);
    }
    free(sums);
    if (rc || kind != KL_RULE_LOGISTIC) return rc;
    return kl_classify_logistic_fit(rule->parameters, bits, labels, classes, which, n, NULL, err);
}

void kl_classify_rule_scores(double *scores, const struct kl_rule *rule, const struct kl_bits *bits,
                             size_t row)
{
    const size_t d = rule->inputs;
    const bool counts = rule->kind == KL_RULE_PAIRS || rule->kind == KL_RULE_ONES;
    double x[4];
    if (counts) count(x, rule->kind, bits, row);
    const uint64_t *words = kl_bits_row(bits, row);
    for (size_t k = 0; k < rule->classes; k++) {
        const double *p = rule->parameters + k * (d + 1);
        double sum = p[d];
        if (counts)
            for (size_t j = 0; j < d; j++) sum += p[j] * x[j];
        else
            for (size_t j = 0; j < d; j++) sum += words[j / 64] >> j % 64 & 1 ? p[j] : 0;
        scores[k] = sum;
    }
}

enum { MEMORY = 20, ITERATIONS = 2000, HALVINGS = 40 };
static const double PRECISION = 1e-8;

struct fit {
    const struct kl_bits *bits;
    const int32_t *labels;
    const int64_t *which;
    const double *variance; /* [n_bits], of the penalty; NULL: ones */
    size_t n, size;         /* rows; numbers of a block: (n_bits + 1) rows of `width` */
    struct kl_mlp net;
    double *batch, *work; /* a batch's gradient; the kernel's workspace */
};

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static double largest(const double *a, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
    return most;
}

/* The objective and its gradient at x. */
static double value(double *grad, const struct fit *f, const double *x)
{
    const size_t width = kl_mlp_width(f->net.size[1]), weights = (size_t)f->net.size[0] * width;
    for (size_t j = 0; j < weights; j++) grad[j] = f->variance ? f->variance[j / width] * x[j] : x[j];
    double sum = dot(x, grad, weights) / 2;
    memset(grad + weights, 0, (f->size - weights) * sizeof *x);
    for (size_t i = 0; i < f->n && !kl_signals_pending(); i += KL_MLP_BATCH) {
        struct kl_mlp_batch batch = { .n = f->n - i < KL_MLP_BATCH ? f->n - i : KL_MLP_BATCH,
                                      .packed = true };
        struct kl_mlp_loss loss;
        for (size_t r = 0; r < batch.n; r++) {
            batch.row[r] = kl_bits_row(f->bits, (size_t)f->which[i + r]);
            batch.label[r] = f->labels[f->which[i + r]];
        }
        kl_kernel_mlp_gradient_f64()(&loss, f->batch, x, &f->net, &batch, 0, NULL, f->work);
        sum += (double)batch.n * loss.cross_entropy;
        for (size_t j = 0; j < f->size; j++) grad[j] += (double)batch.n * f->batch[j];
    }
    return sum;
}

/* The last steps and changes of the gradient, in rings of MEMORY. */
struct history {
    double *s, *y, rho[MEMORY];
    size_t n, next;
};

/* direction = - H grad, by the two loops of Nocedal (1980). */
static void direct(double *direction, const struct history *h, const double *grad, size_t size)
{
    double alpha[MEMORY];
    for (size_t i = 0; i < size; i++) direction[i] = -grad[i];
    for (size_t i = 0; i < h->n; i++) {
        const size_t k = (h->next + MEMORY - 1 - i) % MEMORY;
        alpha[k] = h->rho[k] * dot(h->s + k * size, direction, size);
        for (size_t j = 0; j < size; j++) direction[j] -= alpha[k] * h->y[k * size + j];
    }
    if (h->n) {
        const size_t k = (h->next + MEMORY - 1) % MEMORY;
        const double scale = 1 / (h->rho[k] * dot(h->y + k * size, h->y + k * size, size));
        for (size_t j = 0; j < size; j++) direction[j] *= scale;
    }
    for (size_t i = h->n; i-- > 0;) {
        const size_t k = (h->next + MEMORY - 1 - i) % MEMORY;
        const double beta = h->rho[k] * dot(h->y + k * size, direction, size);
        for (size_t j = 0; j < size; j++) direction[j] += (alpha[k] - beta) * h->s[k * size + j];
    }
}

static void remember(struct history *h, const double *s, const double *y, size_t size)
{
    const double sy = dot(s, y, size);
    if (sy <= 0) return;
    memcpy(h->s + h->next * size, s, size * sizeof *s);
    memcpy(h->y + h->next * size, y, size * sizeof *y);
    h->rho[h->next] = 1 / sy;
    h->next = (h->next + 1) % MEMORY;
    h->n += h->n < MEMORY;
}

/* x becomes the minimum. Steps are halved until the objective falls as Armijo asks; where rounding
   forbids that, the last x is as good as it gets. After a signal x means nothing. vectors: 5 blocks. */
static void minimise(double *x, const struct fit *f, struct history *h, double *vectors)
{
    const size_t size = f->size;
    double *grad = vectors, *direction = grad + size, *next = direction + size, *next_grad = next + size,
           *step = next_grad + size;
    double now = value(grad, f, x);
    for (int i = 0;
         i < ITERATIONS && !kl_signals_pending() && largest(grad, size) > PRECISION * (double)f->n;
         i++) {
        direct(direction, h, grad, size);
        const double slope = dot(direction, grad, size);
        double t = h->n ? 1 : 1 / largest(grad, size), there = 0;
        int halvings = 0;
        for (; halvings < HALVINGS; halvings++, t /= 2) {
            for (size_t j = 0; j < size; j++) next[j] = x[j] + t * direction[j];
            there = value(next_grad, f, next);
            if (there <= now + 1e-4 * t * slope) break;
        }
        if (halvings == HALVINGS) return;
        for (size_t j = 0; j < size; j++) step[j] = next[j] - x[j], grad[j] = next_grad[j] - grad[j];
        remember(h, step, grad, size);
        memcpy(x, next, size * sizeof *x), memcpy(grad, next_grad, size * sizeof *grad);
        now = there;
    }
}

int kl_classify_logistic_fit(double *parameters, const struct kl_bits *bits, const int32_t *labels,
                             size_t classes, const int64_t *which, size_t n, const double *variance,
                             struct kl_error *err)
{
    struct fit f = {
        .bits = bits,
        .labels = labels,
        .which = which,
        .variance = variance,
        .n = n,
    };
    f.net = (struct kl_mlp){ 1, { (int)bits->n_bits, (int)classes } };
    f.size = kl_mlp_layer(&f.net, 1);
    const size_t width = kl_mlp_width((int)classes),
                 all = (2 * MEMORY + 7) * f.size + kl_mlp_work(&f.net);
    double *memory = calloc(all, sizeof *memory);
    if (!memory) return kl_fail_memory(err, all * sizeof *memory);
    struct history h = { .s = memory, .y = memory + MEMORY * f.size };
    double *x = h.y + MEMORY * f.size;
    f.batch = x + f.size;
    f.work = f.batch + 6 * f.size;
    minimise(x, &f, &h, f.batch + f.size);
    for (size_t k = 0; k < classes; k++)
        for (size_t j = 0; j <= bits->n_bits; j++)
            parameters[k * (bits->n_bits + 1) + j] = x[j * width + k];
    free(memory);
    return kl_signals_pending() ? kl_fail(err, KL_ESIGNAL, "stopped") : KL_OK;
}
