/* SPDX-License-Identifier: MIT
   Quantum Mamba Hybrid and its Lite form, logits and gradient of a batch. States stand side by side: the
   time steps of a window (Lite), or 16 windows. Both linear maps before the circuit are one, on the way
   back too. A window's filters are products: of x^T, whose rows of three steps overlap, with the
   filters; silu's slopes times x^T is what their gradient needs, but for a factor a filter that is known
   later. */
#include <math.h>
#include <string.h>

#include "kernels/act.h"
#include "kernels/gemm.h"
#include "kernels/layers.h"
#include "kernels/ssm.h"
#include "kernels/temporal.h"
#include "kernels/inline/real.h"
#include "sequence/model/mamba_int.h"
#include "sequence/model/steps_int.h"

enum { GROUP = 64 / sizeof(kl_real), FILTERS = KL_HYBRID_FILTERS };

struct run {
    struct hybrid a;
    const struct kl_sequence_net *net;
    const kl_real *params;
    const struct kl_sequence_batch *batch;
    struct kl_sequence_result *result;
    struct kl_ssm_rings plan;
    struct hybrid_head head;
    struct hybrid_head_gradients by;
    bool circuit; /* is the gradient asked for by what stands before the measured values? */
    size_t groups;
    /* branches that no input reaches, in double */
    double *gate, *skip, *dgate, *dskip, *gate_work;
    /* maps: from the inputs to angles, its gradient; of the second one the transpose */
    kl_real *plan_values, *offset, *map, *bias, *G, *g, *turned;
    /* rows of lanes */
    kl_real *x, *z, *cosine, *sine, *slope, *m, *states, *gm, *dangle;
    /* lanes in rows */
    kl_real *xt, *mt, *sums, *scratch, *dbase;
    /* parts of the filters (6, C, 64) and of their gradient (6, 64, C); by taps (C, 3, 64);
       a window's x^T between zeros; of 16 windows the parts of x^T and silu's slopes (T, 64); of one the
       parts of outputs */
    kl_real *filters, *dfilters, *taps, *window, *parts, *slopes, *outputs, *totals, *back;
    size_t tiles, width, apart; /* of a window; of rows of channels; from part to part of filters */
    kl_real *time, *dtime, *d;
};

static void lay_out_filters(struct run *u, struct kl_sequence_pieces *at)
{
    enum { P = KL_TEMPORAL_PARTS };
    const size_t C = u->net->shape.channels, T = u->net->shape.steps, S = sizeof(kl_real);
    if (u->a.lite || u->a.bare) return;
    u->tiles = (T + KL_TEMPORAL_TILE - 1) / KL_TEMPORAL_TILE, u->width = (C + 15) / 16 * 16;
    u->apart = C * FILTERS + 16; /* no two parts meet in one set of the cache */
    u->filters = kl_sequence_piece(at, P * u->apart, S),
    u->dfilters = kl_sequence_piece(at, P * u->apart, S);
    u->taps = kl_sequence_piece(at, 3 * C * FILTERS, S);
    u->window = kl_sequence_piece(at, (KL_TEMPORAL_TILE * u->tiles + 2) * u->width, S);
    u->parts = kl_sequence_piece(at, 16 * P * u->tiles * u->width, S);
    u->slopes = kl_sequence_piece(at, 16 * T * FILTERS, S);
    u->outputs = kl_sequence_piece(at, P * u->tiles * FILTERS, S);
    u->totals = kl_sequence_piece(at, FILTERS, S);
    u->back = kl_sequence_piece(at, C * (FILTERS + KL_TEMPORAL_TILE * u->tiles + 2), S);
}

static size_t lay_out(struct run *u, void *work)
{
    struct kl_sequence_pieces at = { work, 0 };
    const struct hybrid *a = &u->a;
    const size_t n = (size_t)a->n, F = a->features, R = a->angles, N = (size_t)1 << n, ld = a->ld,
                 gate = 4 * n * (size_t)a->gate_layers, S = sizeof(kl_real), D = sizeof(double);
    u->groups = a->lanes / GROUP;
    double *head = kl_sequence_piece(&at, kl_sequence_hybrid_head_lay_out(&u->head, a, NULL), D);
    kl_sequence_hybrid_head_lay_out(&u->head, a, head);
    for (int i = 0; i < 3; i++)
        u->by.dA[i] = kl_sequence_piece(&at, F * F, D), u->by.da[i] = kl_sequence_piece(&at, F, D);
    u->by.dWo = kl_sequence_piece(&at, a->outputs * F, D),
    u->by.dbo = kl_sequence_piece(&at, a->outputs, D);
    u->by.dWc = kl_sequence_piece(&at, a->classes * a->outputs, D);
    u->by.dbc = kl_sequence_piece(&at, a->classes, D);
    u->gate = kl_sequence_piece(&at, gate, D), u->dgate = kl_sequence_piece(&at, gate, D);
    u->skip = kl_sequence_piece(&at, F, D), u->dskip = kl_sequence_piece(&at, F, D);
    u->gate_work = kl_sequence_piece(&at, 4 * N + 2 * gate, D);
    u->plan_values = kl_sequence_piece(&at, n * (2 * (size_t)a->layers + 9), S);
    u->offset = kl_sequence_piece(&at, R, S), u->map = kl_sequence_piece(&at, R * a->inputs, S);
    u->bias = kl_sequence_piece(&at, R, S), u->G = kl_sequence_piece(&at, R * a->inputs, S);
    u->g = kl_sequence_piece(&at, R, S), u->dbase = kl_sequence_piece(&at, R, S);
    u->turned = kl_sequence_piece(&at, a->bare ? 0 : a->inputs * R, S);
    u->x = kl_sequence_piece(&at, a->inputs * ld, S);
    kl_real **rows[] = { &u->z, &u->cosine, &u->sine, &u->slope, &u->dangle };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) *rows[i] = kl_sequence_piece(&at, R * ld, S);
    u->m = kl_sequence_piece(&at, F * ld, S), u->gm = kl_sequence_piece(&at, F * ld, S);
    u->states = kl_sequence_piece(&at, 2 * N * a->lanes, S);
    u->xt = kl_sequence_piece(&at, a->inputs * a->lanes, S), u->mt = kl_sequence_piece(&at, F * 16, S);
    u->sums = kl_sequence_piece(&at, KL_SSM_RINGS_SUMS(a->n, a->layers) * GROUP, S);
    u->scratch = kl_sequence_piece(&at, KL_SSM_RINGS_SCRATCH(a->n) * GROUP, S);
    u->time = kl_sequence_piece(&at, ld, S), u->dtime = kl_sequence_piece(&at, ld, S);
    u->d = kl_sequence_piece(&at, a->classes, S);
    lay_out_filters(u, &at);
    return at.used;
}

size_t kl_sequence_hybrid_work(const struct kl_sequence_net *net, size_t n)
{
    struct run u = { .net = net, .a = kl_sequence_hybrid_sizes(net, sizeof(kl_real)), .circuit = true };
    (void)n;
    return lay_out(&u, NULL);
}

static const kl_real *tensor(const struct run *u, int t)
{
    return u->params + u->net->block.tensors[t].offset;
}
static kl_real *gradient(const struct run *u, int t)
{
    return u->result->grad + u->net->block.tensors[t].offset;
}
static void drop(const struct run *u, kl_real *y, size_t first, size_t count)
{
    kl_sequence_drop(y, first, count, u->net, u->batch, 0);
}

/* ---- once a run ---- */
static void prepare_head(struct run *u)
{
    struct hybrid_head *h = &u->head;
    const struct kl_sequence_net *net = u->net;
    const int layer = u->a.before;
    for (int i = 0; i < 3; i++) {
        h->w[i] = (double)*tensor(u, layer + KL_HYBRID_W + i);
        kl_sequence_widen(h->A[i], u->params, net, layer + KL_HYBRID_BRANCH + 2 * i);
        kl_sequence_widen(h->a[i], u->params, net, layer + KL_HYBRID_BRANCH + 2 * i + 1);
    }
    kl_sequence_widen(h->Wo, u->params, net, layer + KL_HYBRID_OUT);
    kl_sequence_widen(h->bo, u->params, net, layer + KL_HYBRID_OUT_BIAS);
    if (!u->a.bare) {
        kl_sequence_widen(h->Wc, u->params, net, layer + KL_HYBRID_LAYER);
        kl_sequence_widen(h->bc, u->params, net, layer + KL_HYBRID_LAYER + 1);
    }
    kl_sequence_widen(u->gate, u->params, net, layer + KL_HYBRID_GATE);
    kl_sequence_widen(u->skip, u->params, net, layer + KL_HYBRID_SKIP);
    kl_sequence_gate_b(h->m[1], u->gate_work, u->gate, u->a.n, u->a.gate_layers);
    kl_sequence_qd_read(h->m[2], u->skip, u->a.n);
    kl_sequence_hybrid_head_begin(h);
}

static void prepare_filters(struct run *u)
{
    const size_t C = u->net->shape.channels;
    /* turn reads it alone */
    kl_kernel_layers->turn(u->taps, FILTERS, (kl_real *)(uintptr_t)tensor(u, KL_MAMBA_CONV), 3 * C, NULL,
                           0, FILTERS, 3 * C);
    kl_kernel_temporal->tile_filters(u->filters, u->taps, C, FILTERS, u->apart);
    memset(u->window, 0, (KL_TEMPORAL_TILE * u->tiles + 2) * u->width * sizeof *u->window);
}

static void prepare(struct run *u)
{
    const struct hybrid *a = &u->a;
    const int layer = a->before;
    const size_t R = a->angles, inputs = a->inputs;
    const kl_real *input = tensor(u, layer + KL_HYBRID_INPUT);
    prepare_head(u);
    kl_sequence_rings_plan(&u->plan, u->plan_values, u->offset, a->n, a->layers,
                           tensor(u, layer + KL_HYBRID_BASE), tensor(u, layer + KL_HYBRID_B),
                           tensor(u, layer + KL_HYBRID_C), tensor(u, layer + KL_HYBRID_D));
    memcpy(u->bias, tensor(u, layer + KL_HYBRID_INPUT_BIAS), R * sizeof *u->bias);
    if (a->bare) {
        memcpy(u->map, input, R * inputs * sizeof *u->map);
    } else {
        kl_kernel_gemm(u->map, inputs, input, R, 1, tensor(u, layer - 2), inputs, R, inputs, R, 0);
        kl_kernel_gemm(u->bias, 1, input, R, 1, tensor(u, layer - 1), 1, R, 1, R, 1);
    }
    if (u->filters) prepare_filters(u);
    if (!u->result->grad) return;
    memset(u->G, 0, R * inputs * sizeof *u->G), memset(u->g, 0, R * sizeof *u->g);
    memset(u->dbase, 0, R * sizeof *u->dbase);
    memset(u->sums, 0, KL_SSM_RINGS_SUMS(a->n, a->layers) * GROUP * sizeof *u->sums);
    if (u->filters) memset(u->dfilters, 0, KL_TEMPORAL_PARTS * u->apart * sizeof *u->dfilters);
    for (int t = 0; t < u->net->block.n; t++) /* others are set at the end */
        if (u->net->options.frozen || (u->filters && t == KL_MAMBA_CONV_BIAS))
            memset(gradient(u, t), 0, u->net->block.tensors[t].size * sizeof(kl_real));
}

/* ---- the circuit, from x (inputs, lanes) to m (3 n, lanes), and back from gm ---- */
static void circuit_forward(struct run *u)
{
    const struct hybrid *a = &u->a;
    kl_kernel_layers->fill(u->z, a->ld, u->bias, a->angles, a->lanes);
    kl_kernel_gemm(u->z, a->ld, u->map, a->inputs, 1, u->x, a->ld, a->angles, a->lanes, a->inputs, 1);
    kl_kernel_ssm->angles(u->cosine, u->sine, u->slope, u->z, a->ld, u->groups, a->angles, u->offset);
    kl_kernel_ssm->rings_forward(u->m, u->circuit ? u->states : NULL, u->cosine, u->sine, a->ld,
                                 u->groups, &u->plan, u->scratch);
}

/* xt (lanes, inputs); x becomes the gradient by it if by_x. */
static void circuit_back(struct run *u, bool by_x)
{
    const struct hybrid *a = &u->a;
    const size_t R = a->angles, ld = a->ld, lanes = a->lanes, inputs = a->inputs;
    const struct kl_layers_field field = { .blocks = 1, .rows = 1, .columns = lanes / 16 };
    kl_kernel_ssm->rings_adjoint(u->dangle, u->sums, u->gm, u->m, u->states, u->cosine, u->sine, ld,
                                 u->groups, &u->plan, u->scratch);
    kl_kernel_layers->totals(u->dbase, u->dangle, ld, R, &field);
    for (size_t r = 0; r < R; r++)
        for (size_t l = 0; l < lanes; l++) u->dangle[r * ld + l] *= u->slope[r * ld + l];
    kl_kernel_gemm(u->G, inputs, u->dangle, ld, 1, u->xt, inputs, R, inputs, lanes, 1);
    kl_kernel_layers->totals(u->g, u->dangle, ld, R, &field);
    if (by_x) kl_kernel_gemm(u->x, ld, u->map, 1, inputs, u->dangle, ld, inputs, lanes, R, 0);
}

/* Logits of window i from its measured values m, and what is asked of them; gm, at a distance of `step`,
   becomes the gradient by m. */
static void head(struct run *u, kl_real *gm, size_t step, const kl_real *m, size_t i)
{
    struct hybrid_head *h = &u->head;
    const size_t F = u->a.features, K = u->a.classes;
    kl_real *logits = u->result->logits + i * K;
    for (size_t k = 0; k < K; k++) {
        double sum = h->shift[k];
        for (size_t f = 0; f < F; f++) sum += h->joined[k * F + f] * (double)m[f];
        logits[k] = (kl_real)sum;
    }
    kl_sequence_loss(u->result->grad ? u->d : NULL, u->result, u->batch, i, (int)K);
    if (!u->result->grad) return;
    for (size_t k = 0; k < K; k++) {
        h->e[k] += (double)u->d[k];
        for (size_t f = 0; f < F; f++) h->E[k * F + f] += (double)u->d[k] * (double)m[f];
    }
    for (size_t f = 0; f < F; f++) {
        double sum = 0;
        for (size_t k = 0; k < K; k++) sum += h->joined[k * F + f] * (double)u->d[k];
        gm[f * step] = (kl_real)sum;
    }
}

/* ---- windows side by side ---- */
/* Means over time of silu of window i's filters; what their gradients need goes to place `at` of 16. */
static void filter(struct run *u, kl_real *mean, size_t i, size_t at)
{
    const size_t C = u->net->shape.channels, T = u->net->shape.steps, stride = kl_sequence_stride(T),
                 part = u->tiles * u->width;
    kl_real *x = (kl_real *)(uintptr_t)(u->batch->x + i * C * stride), /* turn reads it alone */
        *parts = u->parts + at * KL_TEMPORAL_PARTS * part;
    for (size_t t = 0; t < T; t += 32) /* as much as the first cache holds */
        kl_kernel_layers->turn(u->window + (t + 1) * u->width, u->width, x + t, stride, NULL, 0, C,
                               T - t < 32 ? T - t : 32);
    kl_kernel_temporal->tile_inputs(parts, u->window, u->tiles, u->width);
    for (size_t p = 0; p < KL_TEMPORAL_PARTS; p++)
        kl_kernel_gemm(u->outputs + p * u->tiles * FILTERS, FILTERS, parts + p * part, u->width, 1,
                       u->filters + p * u->apart, FILTERS, u->tiles, FILTERS, C, 0);
    kl_kernel_temporal->tile_pool(mean, u->circuit ? u->slopes + at * T * FILTERS : NULL, u->outputs,
                                  tensor(u, KL_MAMBA_CONV_BIAS), T, FILTERS);
}

/* From d (64), the gradient by the means, of the window at a place. */
static void filter_back(struct run *u, const kl_real *d, size_t at)
{
    const size_t C = u->net->shape.channels, T = u->net->shape.steps, part = u->tiles * u->width;
    const kl_real *parts = u->parts + at * KL_TEMPORAL_PARTS * part,
                  *slopes = u->slopes + at * T * FILTERS;
    kl_real *bias = gradient(u, KL_MAMBA_CONV_BIAS);
    kl_kernel_sum_rows(u->totals, slopes, T, FILTERS);
    for (size_t o = 0; o < FILTERS; o++) bias[o] += d[o] * u->totals[o];
    kl_kernel_temporal->tile_slopes(u->outputs, slopes, d, T, FILTERS);
    for (size_t p = 0; p < KL_TEMPORAL_PARTS; p++)
        kl_kernel_gemm(u->dfilters + p * u->apart, C, u->outputs + p * u->tiles * FILTERS, 1, FILTERS,
                       parts + p * part, u->width, FILTERS, C, u->tiles, 1);
}

/* The gradient by window i itself; its slopes are used up. */
static void filter_back_input(struct run *u, const kl_real *d, size_t i, size_t at)
{
    const size_t C = u->net->shape.channels, T = u->net->shape.steps, stride = kl_sequence_stride(T),
                 rows = KL_TEMPORAL_TILE * u->tiles + 2;
    kl_real *by_x = u->result->by_x + i * C * stride, *slopes = u->slopes + at * T * FILTERS,
            *turned = u->back, *dx = turned + C * FILTERS;
    for (size_t t = 0; t < T; t++)
        for (size_t o = 0; o < FILTERS; o++) slopes[t * FILTERS + o] *= d[o];
    memset(dx, 0, rows * C * sizeof *dx);
    for (size_t k = 0; k < 3; k++) {
        kl_kernel_layers->turn(turned, C, u->taps + k * FILTERS, 3 * FILTERS, NULL, 0, C, FILTERS);
        kl_kernel_gemm(dx + k * C, C, slopes, FILTERS, 1, turned, C, T, C, FILTERS, 1);
    }
    kl_kernel_layers->turn(by_x, stride, dx + C, C, NULL, 0, T, C);
    for (size_t c = 0; c < C; c++) memset(by_x + c * stride + T, 0, (stride - T) * sizeof *by_x);
}

static void windows(struct run *u, size_t first, size_t count)
{
    const struct hybrid *a = &u->a;
    const size_t C = u->net->shape.channels, T = u->net->shape.steps, stride = kl_sequence_stride(T),
                 F = a->features, inputs = a->inputs;
    for (size_t i = 0; i < count; i++) {
        kl_real *to = u->xt + i * inputs;
        if (!a->bare) filter(u, to, first + i, i);
        for (size_t c = 0; a->bare && c < C; c++)
            memcpy(to + c * T, u->batch->x + ((first + i) * C + c) * stride, T * sizeof *to);
    }
    drop(u, u->xt, (u->batch->row + first) * inputs, count * inputs);
    memset(u->xt + count * inputs, 0, (a->lanes - count) * inputs * sizeof *u->xt);
    kl_kernel_layers->turn(u->x, a->ld, u->xt, inputs, NULL, 0, a->lanes, inputs);
    circuit_forward(u);
    kl_kernel_layers->turn(u->mt, F, u->m, a->ld, NULL, 0, F, a->lanes);
    memset(u->gm, 0, F * a->ld * sizeof *u->gm);
    for (size_t i = 0; i < count; i++) head(u, u->gm + i, a->ld, u->mt + i * F, first + i);
    if (!u->circuit) return;
    circuit_back(u, true);
    kl_kernel_layers->turn(u->xt, inputs, u->x, a->ld, NULL, 0, inputs, a->lanes);
    drop(u, u->xt, (u->batch->row + first) * inputs, count * inputs);
    for (size_t i = 0; i < count; i++) {
        const kl_real *d = u->xt + i * inputs;
        if (!a->bare && !u->net->options.frozen) filter_back(u, d, i);
        if (!a->bare && u->result->by_x) filter_back_input(u, d, first + i, i);
        for (size_t c = 0; a->bare && u->result->by_x && c < C; c++) {
            kl_real *to = u->result->by_x + ((first + i) * C + c) * stride;
            memcpy(to, d + c * T, T * sizeof *d), memset(to + T, 0, (stride - T) * sizeof *d);
        }
    }
}

/* ---- Lite: the steps of a window side by side ---- */
/* softmax of tau */
static void weigh_time(struct run *u)
{
    const size_t T = u->net->shape.steps;
    const kl_real *tau = tensor(u, KL_LITE_TIME);
    double most = (double)tau[0], sum = 0;
    for (size_t t = 1; t < T; t++) most = fmax(most, (double)tau[t]);
    for (size_t t = 0; t < T; t++) sum += exp((double)tau[t] - most);
    memset(u->time, 0, u->a.ld * sizeof *u->time), memset(u->dtime, 0, u->a.ld * sizeof *u->dtime);
    for (size_t t = 0; t < T; t++) u->time[t] = (kl_real)(exp((double)tau[t] - most) / sum);
}

static void lite_window(struct run *u, size_t i)
{
    const struct hybrid *a = &u->a;
    const size_t C = a->inputs, stride = a->lanes, F = a->features, ld = a->ld;
    const struct kl_layers_field field = { .blocks = 1, .rows = 1, .columns = a->lanes / 16 };
    int32_t rows[3 * KL_SSM_MOST_QUBITS];
    kl_real *gm = u->mt + F;
    for (size_t j = 0; j < F; j++) rows[j] = (int32_t)(j * ld);
    for (size_t c = 0; c < C; c++) {
        memcpy(u->x + c * ld, u->batch->x + (i * C + c) * stride, stride * sizeof *u->x);
        drop(u, u->x + c * ld, ((u->batch->row + i) * C + c) * stride, stride);
    }
    circuit_forward(u);
    memset(u->mt, 0, F * sizeof *u->mt);
    kl_kernel_layers->dots(u->mt, F, u->time, ld, u->m, rows, 1, F, &field);
    head(u, gm, 1, u->mt, i);
    if (!u->result->grad) return;
    kl_kernel_gemm(u->dtime, ld, gm, F, 1, u->m, ld, 1, a->lanes, F, 1);
    if (!u->circuit) return;
    kl_kernel_gemm(u->gm, ld, gm, 1, 1, u->time, ld, F, a->lanes, 1, 0);
    kl_kernel_layers->turn(u->xt, C, u->x, ld, NULL, 0, C, a->lanes);
    circuit_back(u, u->result->by_x != NULL);
    for (size_t c = 0; u->result->by_x && c < C; c++) {
        drop(u, u->x + c * ld, ((u->batch->row + i) * C + c) * stride, stride);
        memcpy(u->result->by_x + (i * C + c) * stride, u->x + c * ld, stride * sizeof *u->x);
    }
}

/* Turn the gradients by softmax's weights, summed over all windows, into those by tau; a part that all
   steps have alike cancels. */
static void finish_time(struct run *u)
{
    const size_t T = u->net->shape.steps;
    kl_real *to = gradient(u, KL_LITE_TIME);
    double along = 0;
    for (size_t t = 0; t < T; t++) along += (double)u->time[t] * (double)u->dtime[t];
    for (size_t t = 0; t < T; t++) to[t] = (kl_real)((double)u->time[t] * ((double)u->dtime[t] - along));
}

/* ---- gradients that are made once of the sums of a run ---- */
static void finish_maps(struct run *u)
{
    const struct hybrid *a = &u->a;
    const int layer = a->before;
    const size_t R = a->angles, inputs = a->inputs;
    kl_real *input = gradient(u, layer + KL_HYBRID_INPUT);
    memcpy(gradient(u, layer + KL_HYBRID_BASE), u->dbase, R * sizeof *u->dbase);
    kl_sequence_rings_gradient(gradient(u, layer + KL_HYBRID_B), gradient(u, layer + KL_HYBRID_C),
                               gradient(u, layer + KL_HYBRID_D), u->dbase, u->sums, a->n, a->layers,
                               tensor(u, layer + KL_HYBRID_C), tensor(u, layer + KL_HYBRID_D));
    memcpy(gradient(u, layer + KL_HYBRID_INPUT_BIAS), u->g, R * sizeof *u->g);
    if (a->bare) {
        memcpy(input, u->G, R * inputs * sizeof *input);
        return;
    }
    const kl_real *map = tensor(u, layer - 2), *bias = tensor(u, layer - 1),
                  *second = tensor(u, layer + KL_HYBRID_INPUT);
    for (size_t k = 0; k < R; k++)
        for (size_t j = 0; j < R; j++) input[k * R + j] = u->g[k] * bias[j];
    kl_kernel_layers->turn(u->turned, R, (kl_real *)(uintptr_t)map, inputs, NULL, 0, R, inputs);
    kl_kernel_gemm(input, R, u->G, inputs, 1, u->turned, R, R, R, inputs, 1);
    kl_kernel_gemm(gradient(u, layer - 2), inputs, second, 1, R, u->G, inputs, R, inputs, R, 0);
    kl_kernel_gemm(gradient(u, layer - 1), 1, second, 1, R, u->g, 1, R, 1, R, 0);
    if (!u->filters) return;
    kl_kernel_temporal->tile_filters_back(gradient(u, KL_MAMBA_CONV), u->dfilters,
                                          u->net->shape.channels * FILTERS, u->apart);
}

static void finish(struct run *u)
{
    const struct hybrid *a = &u->a;
    const int layer = a->before;
    kl_sequence_hybrid_head_end(&u->head, &u->by);
    for (int i = 0; i < 3; i++) {
        *gradient(u, layer + KL_HYBRID_W + i) = (kl_real)u->by.dw[i];
        kl_sequence_narrow(u->result->grad, u->by.dA[i], u->net, layer + KL_HYBRID_BRANCH + 2 * i);
        kl_sequence_narrow(u->result->grad, u->by.da[i], u->net, layer + KL_HYBRID_BRANCH + 2 * i + 1);
    }
    kl_sequence_narrow(u->result->grad, u->by.dWo, u->net, layer + KL_HYBRID_OUT);
    kl_sequence_narrow(u->result->grad, u->by.dbo, u->net, layer + KL_HYBRID_OUT_BIAS);
    if (!a->bare) {
        kl_sequence_narrow(u->result->grad, u->by.dWc, u->net, layer + KL_HYBRID_LAYER);
        kl_sequence_narrow(u->result->grad, u->by.dbc, u->net, layer + KL_HYBRID_LAYER + 1);
    }
    if (a->lite) finish_time(u);
    if (u->net->options.frozen) return;
    kl_sequence_gate_b_back(u->dgate, u->head.dm[1], u->gate_work, a->n, a->gate_layers);
    kl_sequence_qd_read_back(u->dskip, u->head.dm[2], u->skip, a->n);
    kl_sequence_narrow(u->result->grad, u->dgate, u->net, layer + KL_HYBRID_GATE);
    kl_sequence_narrow(u->result->grad, u->dskip, u->net, layer + KL_HYBRID_SKIP);
    finish_maps(u);
}

void kl_sequence_hybrid_run(struct kl_sequence_result *result, const struct kl_sequence_net *net,
                            const kl_real *params, const struct kl_sequence_batch *batch, void *work)
{
    struct run u = { .a = kl_sequence_hybrid_sizes(net, sizeof(kl_real)),
                     .net = net,
                     .params = params,
                     .batch = batch,
                     .result = result };
    u.circuit = result->grad && (!net->options.frozen || result->by_x);
    result->loss = 0, result->correct = 0;
    lay_out(&u, work);
    prepare(&u);
    if (u.a.lite) weigh_time(&u);
    for (size_t i = 0; u.a.lite && i < batch->n; i++) lite_window(&u, i);
    for (size_t i = 0; !u.a.lite && i < batch->n; i += u.a.lanes)
        windows(&u, i, batch->n - i < u.a.lanes ? batch->n - i : u.a.lanes);
    if (result->grad) finish(&u);
}

#if !KL_F64
/* ---- on a GPU ---- */
/* At the head of its work; what it points to is behind it. */
enum { HEAD = (sizeof(struct run) + 63) / 64 * 64 };

static void gpu_sizes(struct kl_cuda_windows_shape *shape, const struct kl_sequence_net *net)
{
    const int n = net->options.qubits, layers = net->options.layers;
    kl_sequence_windows_shape(shape, net);
    shape->n_angles = 4 * n * layers, shape->n_shared = 3 * n, shape->n_rotations = 7 * n * layers;
    shape->n_weights = 1, shape->factor = (float)(2 * M_PI);
    if (net->model == &kl_sequence_mamba_hybrid_lite) return;
    shape->filters = FILTERS, shape->dense = 1, shape->apart = 1;
}

static int gpu_shape(struct kl_cuda_windows_shape *shape, const struct kl_sequence_net *net,
                     struct kl_arena *memory, struct kl_error *err)
{
    gpu_sizes(shape, net);
    struct kl_cuda_rotation *to = kl_arena_take(memory, (size_t)shape->n_rotations, sizeof *to);
    if (!to) return kl_fail_memory(err, (size_t)shape->n_rotations * sizeof *to);
    kl_sequence_ssm_b_rotations(to, net->options.qubits, net->options.layers);
    shape->rotations = to;
    return KL_OK;
}

static size_t gpu_work(const struct kl_sequence_net *net)
{
    return HEAD + kl_sequence_hybrid_work_f32(net, 0);
}

static struct kl_cuda_windows_places gpu_places(const struct kl_sequence_net *net)
{
    struct kl_cuda_windows_shape shape;
    gpu_sizes(&shape, net);
    return kl_cuda_windows_places(&shape);
}

static void gpu_prepare(float *given, void *work, const struct kl_sequence_net *net, const float *params)
{
    const struct kl_cuda_windows_places at = gpu_places(net);
    struct kl_sequence_result_f32 none = { .grad = NULL };
    struct run *u = work;
    *u = (struct run){ .a = kl_sequence_hybrid_sizes(net, sizeof(kl_real)),
                       .net = net,
                       .params = params,
                       .result = &none };
    lay_out(u, (char *)work + HEAD);
    prepare(u);
    if (u->a.lite) weigh_time(u);
    else u->time[0] = 1;
    const size_t R = u->a.angles, n = (size_t)u->a.n, size = sizeof *given;
    const int layer = u->a.before;
    memset(u->sums, 0, KL_SSM_RINGS_SUMS(u->a.n, u->a.layers) * GROUP * size);
    memcpy(given + at.map, u->map, R * u->a.inputs * size);
    memcpy(given + at.shift, u->bias, R * size);
    memcpy(given + at.base, tensor(u, layer + KL_HYBRID_BASE), R * size);
    for (int i = 0; i < 3; i++)
        memcpy(given + at.shared + (size_t)i * n, tensor(u, layer + KL_HYBRID_B + i), n * size);
    memcpy(given + at.weights, u->time, (at.mix - at.weights) * size);
    if (u->a.lite) return;
    memcpy(given + at.conv, tensor(u, KL_MAMBA_CONV), (at.conv_bias - at.conv) * size);
    memcpy(given + at.conv_bias, tensor(u, KL_MAMBA_CONV_BIAS), FILTERS * size);
}

static void gpu_read(struct kl_sequence_result_f32 *result, float *by_sum, void *work,
                     const struct kl_sequence_net *net, const float *sum,
                     const struct kl_sequence_batch_f32 *batch)
{
    struct run *u = work;
    const size_t F = u->a.features;
    struct kl_sequence_result_f32 own = { .logits = result->logits, .grad = by_sum };
    (void)net;
    u->result = &own, u->batch = batch;
    for (size_t i = 0; i < batch->n; i++) head(u, by_sum ? by_sum + i * F : NULL, 1, sum + i * F, i);
    result->loss = own.loss, result->correct = own.correct;
}

static void gpu_finish(float *grad, void *work, const struct kl_sequence_net *net, const float *params,
                       const float *by_given)
{
    const struct kl_cuda_windows_places at = gpu_places(net);
    struct kl_sequence_result_f32 own = { .grad = grad };
    struct run *u = work;
    const size_t R = u->a.angles, n = (size_t)u->a.n, size = sizeof *grad;
    u->result = &own, u->params = params;
    memcpy(u->G, by_given + at.map, R * u->a.inputs * size);
    memcpy(u->g, by_given + at.shift, R * size), memcpy(u->dbase, by_given + at.base, R * size);
    if (u->a.lite) memcpy(u->dtime, by_given + at.weights, net->shape.steps * size);
    for (int t = 0; t < net->block.n && net->options.frozen; t++)
        memset(gradient(u, t), 0, net->block.tensors[t].size * size);
    finish(u);
    if (net->options.frozen) return;
    for (int i = 0; i < 3; i++)
        memcpy(gradient(u, u->a.before + KL_HYBRID_B + i), by_given + at.shared + (size_t)i * n,
               n * size);
    if (u->a.lite) return;
    memcpy(gradient(u, KL_MAMBA_CONV), by_given + at.conv, (at.conv_bias - at.conv) * size);
    memcpy(gradient(u, KL_MAMBA_CONV_BIAS), by_given + at.conv_bias, FILTERS * size);
}

const struct kl_sequence_gpu kl_sequence_hybrid_gpu = { gpu_shape, gpu_work, gpu_prepare, gpu_read,
                                                        gpu_finish };
#endif
