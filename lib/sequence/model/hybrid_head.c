/* SPDX-License-Identifier: MIT
   Read-out of Quantum Mamba Hybrid: y = sum of v_k (A_k m_k + a_k), v_k = |w_k| / sum of |w|, o = W_o y
   + b_o, logits = W_c o + b_c. All of it is linear: logits = joined m_1 + shift, and every gradient
   follows from two sums over the batch, E of d m_1^T and e of d, d being the gradient by the logits. In
   double. */
#include <math.h>
#include <string.h>

#include "sequence/model/mamba_hybrid_int.h"

size_t kl_sequence_hybrid_head_lay_out(struct hybrid_head *h, const struct hybrid *a, double *at)
{
    size_t used = 0;
    const size_t F = a->features, K = a->classes, O = a->outputs;
    h->features = F, h->classes = K, h->outputs = O, h->bare = a->bare;
#define TAKE(p, count) (h->p = at ? at + used : NULL, used += ((count) + 7) / 8 * 8)
    for (int i = 0; i < 3; i++) {
        TAKE(A[i], F * F), TAKE(a[i], F), TAKE(m[i], F), TAKE(y[i], F), TAKE(dm[i], F);
    }
    TAKE(Wo, O * F), TAKE(bo, O), TAKE(Wc, K * O), TAKE(bc, K);
    TAKE(P, K * F), TAKE(PA, K * F), TAKE(joined, K * F), TAKE(shift, K), TAKE(constant, F);
    TAKE(E, K * F), TAKE(e, K), TAKE(H, K * F), TAKE(s, F);
#undef TAKE
    return used;
}

/* c (m, n) = or += a (m, k) b (k, n) */
static void product(double *c, const double *a, const double *b, size_t m, size_t n, size_t k)
{
    memset(c, 0, m * n * sizeof *c);
    for (size_t i = 0; i < m; i++)
        for (size_t p = 0; p < k; p++)
            for (size_t j = 0; j < n; j++) c[i * n + j] += a[i * k + p] * b[p * n + j];
}
static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

void kl_sequence_hybrid_head_begin(struct hybrid_head *h)
{
    const size_t F = h->features, K = h->classes, O = h->outputs;
    double sum = 0;
    for (int i = 0; i < 3; i++) sum += fabs(h->w[i]);
    for (int i = 0; i < 3; i++) h->share[i] = sum > 0 ? fabs(h->w[i]) / sum : 0;
    if (h->bare) memcpy(h->P, h->Wo, K * F * sizeof *h->P);
    else product(h->P, h->Wc, h->Wo, K, F, O);
    product(h->PA, h->P, h->A[0], K, F, F);
    for (size_t i = 0; i < K * F; i++) h->joined[i] = h->share[0] * h->PA[i];
    for (int i = 1; i < 3; i++)
        for (size_t f = 0; f < F; f++) h->y[i][f] = h->a[i][f] + dot(h->A[i] + f * F, h->m[i], F);
    for (size_t f = 0; f < F; f++)
        h->constant[f] = h->share[0] * h->a[0][f] + h->share[1] * h->y[1][f] + h->share[2] * h->y[2][f];
    for (size_t k = 0; k < K; k++) {
        h->shift[k] = dot(h->P + k * F, h->constant, F);
        h->shift[k] += h->bare ? h->bo[k] : dot(h->Wc + k * O, h->bo, O) + h->bc[k];
    }
    memset(h->E, 0, K * F * sizeof *h->E), memset(h->e, 0, K * sizeof *h->e);
}

/* dW_c, db_c, dW_o, db_o from H, the sum of d y^T. */
static void maps(const struct hybrid_head *h, struct hybrid_head_gradients *g)
{
    const size_t F = h->features, K = h->classes, O = h->outputs;
    if (h->bare) {
        memcpy(g->dWo, h->H, K * F * sizeof *h->H), memcpy(g->dbo, h->e, K * sizeof *h->e);
        return;
    }
    memcpy(g->dbc, h->e, K * sizeof *h->e);
    memset(g->dWo, 0, O * F * sizeof *g->dWo), memset(g->dbo, 0, O * sizeof *g->dbo);
    for (size_t k = 0; k < K; k++)
        for (size_t o = 0; o < O; o++) {
            const double w = h->Wc[k * O + o];
            g->dWc[k * O + o] = dot(h->H + k * F, h->Wo + o * F, F) + h->e[k] * h->bo[o];
            g->dbo[o] += w * h->e[k];
            for (size_t f = 0; f < F; f++) g->dWo[o * F + f] += w * h->H[k * F + f];
        }
}

void kl_sequence_hybrid_head_end(struct hybrid_head *h, struct hybrid_head_gradients *g)
{
    const size_t F = h->features, K = h->classes;
    double by_share[3] = { 0 }, along = 0, sum = 0;
    for (size_t k = 0; k < K; k++)
        for (size_t f = 0; f < F; f++) {
            const double through = dot(h->E + k * F, h->A[0] + f * F, F);
            by_share[0] += h->P[k * F + f] * through;
            h->H[k * F + f] = h->share[0] * through + h->e[k] * h->constant[f];
        }
    maps(h, g);
    memset(h->s, 0, F * sizeof *h->s), memset(g->dA[0], 0, F * F * sizeof *g->dA[0]);
    for (size_t k = 0; k < K; k++)
        for (size_t f = 0; f < F; f++) {
            h->s[f] += h->P[k * F + f] * h->e[k];
            for (size_t j = 0; j < F; j++)
                g->dA[0][f * F + j] += h->share[0] * h->P[k * F + f] * h->E[k * F + j];
        }
    by_share[0] += dot(h->s, h->a[0], F);
    for (int i = 1; i < 3; i++) {
        by_share[i] = dot(h->s, h->y[i], F);
        memset(h->dm[i], 0, F * sizeof *h->dm[i]);
        for (size_t f = 0; f < F; f++)
            for (size_t j = 0; j < F; j++) {
                g->dA[i][f * F + j] = h->share[i] * h->s[f] * h->m[i][j];
                h->dm[i][j] += h->share[i] * h->s[f] * h->A[i][f * F + j];
            }
    }
    for (int i = 0; i < 3; i++) {
        for (size_t f = 0; f < F; f++) g->da[i][f] = h->share[i] * h->s[f];
        sum += fabs(h->w[i]), along += h->share[i] * by_share[i];
    }
    for (int i = 0; i < 3; i++) {
        const double sign = h->w[i] > 0 ? 1 : h->w[i] < 0 ? -1 : 0;
        g->dw[i] = sum > 0 ? sign * (by_share[i] - along) / sum : 0;
    }
}
