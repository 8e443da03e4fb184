/* SPDX-License-Identifier: MIT
   State-space nets of windows on the GPU: their memory, their launches. */
#include <stdlib.h>

#include "kernels/cuda/library.h"
#include "kernels/cuda/scan_steps.cuh"

using place = float *kl_scan_pass::*;
/* An array of the pass: values of a pair; a part of it for each block, or (more) one more. */
struct array {
    place of;
    size_t size;
    bool blocks, more;
};
enum { ARRAYS = 26 };

/* Behind the table's struct kl_cuda_windows. */
struct scans {
    struct kl_cuda_windows_shape shape;
    struct kl_scan_pass pass; /* of the first block */
    size_t n, n_copies, most, back;
    size_t room; /* windows of each copy that go through at once */
    bool held;   /* the whole batch that went forward is there */
    struct array arrays[ARRAYS];
    int n_arrays;
    struct kl_cuda_windows_parts parts;
    double *total;
    float *by_given;
    struct kl_cuda_pieces pieces, passing; /* passing: the arrays */
    struct kl_cuda_watch watch;
    cudaStream_t stream;
    int device;
};
static struct scans *scans_of(struct kl_cuda_windows *windows)
{
    return (struct scans *)(void *)windows;
}
static const char what[] = "windows' scans";

/* ---- sizes ---- */

static void set_sizes(struct scans *w)
{
    const struct kl_cuda_windows_shape *s = &w->shape;
    struct kl_scan_pass *p = &w->pass;
    const int32_t inner = 2 * s->scans.width, states = s->scans.states;
    p->shape = s->scans, p->at = kl_cuda_scans_places(&s->scans, (size_t)s->channels);
    p->channels = s->channels, p->steps = s->steps, p->stride = s->stride;
    p->inner = inner, p->projected = (int32_t)kl_cuda_scans_projected(&s->scans);
    p->mixed = (int32_t)kl_cuda_scans_mixed(&s->scans);
    p->directions = p->shape.hydra ? 2 : 1;
    p->groups = (states + KL_SCAN_STATES - 1) / KL_SCAN_STATES;
    p->chunks = (int32_t)kl_scan_chunks((size_t)s->steps), p->warps = (inner + KL_WARP - 1) / KL_WARP;
    p->x = p->shape.hydra ? inner : 0, p->z = inner - p->x;
    p->ld_bc = p->shape.hydra ? p->projected : p->mixed;
    p->b = p->shape.hydra ? 2 * inner : p->shape.rank, p->c = p->b + states;
    p->rank = p->shape.hydra ? p->c + states : 0;
    p->seed = s->seed, p->purpose = s->purpose, p->keep_scale = s->keep_scale;
    const size_t embedding = p->at.blocks,
                 block = p->at.block + (p->shape.hydra ? (size_t)(states * inner) : 0);
    p->part_size = embedding > block ? embedding : block;
}

static void add(struct scans *w, place of, size_t size, bool blocks)
{
    if (size) w->arrays[w->n_arrays++] = { of, size, blocks, of == &kl_scan_pass::u };
}
static void list_arrays(struct scans *w)
{
    typedef struct kl_scan_pass P;
    const P *p = &w->pass;
    const size_t t = (size_t)p->steps, width = t * (size_t)p->shape.width, inner = t * (size_t)p->inner,
                 in = t * (size_t)p->projected, parts = (size_t)(p->directions * p->groups),
                 hydra = (size_t)p->shape.hydra, mixed = (1 - hydra) * t * (size_t)p->mixed;
    add(w, &P::u, width, true), add(w, &P::inv, t, true), add(w, &P::in, in, true);
    add(w, &P::conv, inner, true), add(w, &P::mix, mixed, true), add(w, &P::dt, inner, true);
    add(w, &P::y, inner, true), add(w, &P::inner_inv, hydra * t, true);
    add(w, &P::out, hydra * width, true);
    add(w, &P::kept, (size_t)(p->directions * p->chunks) * (size_t)p->shape.states * (size_t)p->inner,
        true);
    add(w, &P::last_inv, t, false), add(w, &P::gated, inner, false);
    add(w, &P::by_out, width, false), add(w, &P::by_more, width, false);
    add(w, &P::by_gated, inner, false), add(w, &P::by_y, hydra * inner, false);
    add(w, &P::by_in, in, false), add(w, &P::by_mix, mixed, false);
    add(w, &P::by_dt, inner, false), add(w, &P::by_conv, (1 - hydra) * inner, false);
    add(w, &P::parts, parts * inner, false), add(w, &P::more_parts, parts * inner, false);
    add(w, &P::bc_parts, parts * (size_t)p->warps * t * KL_SCAN_PAIR, false);
    add(w, &P::part, p->part_size, false);
}
/* Values of an array of a pair. */
static size_t size_of(const struct scans *w, const struct array *a)
{
    const size_t blocks = (size_t)w->pass.shape.n_blocks;
    return a->size * (a->blocks ? blocks + (a->more ? 1 : 0) : 1);
}

/* ---- memory ---- */

/* n values for as long as the windows live, zeros. */
template <class T> static int keep(struct scans *w, const T **to, size_t n, struct kl_error *err)
{
    return kl_cuda_keep(&w->pieces, to, NULL, n, "windows", err);
}

static int take_arrays(struct scans *w, struct kl_error *err)
{
    int code = KL_OK;
    for (int i = 0; i < w->n_arrays && !code; i++)
        code = kl_cuda_keep(&w->passing, &(w->pass.*w->arrays[i].of), NULL,
                            w->n_copies * w->room * size_of(w, &w->arrays[i]), "windows", err);
    if (code) kl_cuda_give_pieces(&w->passing);
    return code;
}
/* For as many windows at once as a quarter of what is free holds; for a step's in any case, if all of it
   does, or for half of them, a quarter and so on. */
static int take_room(struct scans *w, struct kl_error *err)
{
    size_t values = 0;
    for (int i = 0; i < w->n_arrays; i++) values += size_of(w, &w->arrays[i]);
    int code = kl_cuda_room(&w->room, w->n_copies * values * sizeof(float), err);
    if (w->room < w->back) w->room = w->back;
    if (w->room > w->most) w->room = w->most;
    if (!code) code = take_arrays(w, err);
    for (; code == KL_ENOMEM && w->room > 1; code = take_arrays(w, err)) w->room /= 2;
    return code;
}

static int take_memory(struct scans *w, size_t n_windows, struct kl_error *err)
{
    struct kl_scan_pass *p = &w->pass;
    const size_t n = w->n_copies, given = p->at.end, width = (size_t)p->shape.width,
                 slots = KL_PARTS_DEPTH + (w->shape.units > 1 ? (size_t)w->shape.units : 1);
    int code = keep(w, &p->windows, n_windows * (size_t)p->channels * (size_t)p->stride, err);
    if (!code) code = keep(w, &p->rows, n * w->most, err);
    if (!code) code = keep(w, &p->replica, n, err);
    if (!code) code = keep(w, &p->given, n * given, err);
    if (!code) code = keep(w, (const float **)&p->sum, n * w->most * width, err);
    if (!code) code = keep(w, &p->by_sum, n * w->back * width, err);
    if (!code) code = keep(w, (const double **)&w->total, slots * n * given, err);
    if (!code) code = keep(w, (const float **)&w->by_given, n * given, err);
    if (!code) code = take_room(w, err);
    p->bc = p->shape.hydra ? p->in : p->mix, p->by_bc = p->shape.hydra ? p->by_in : p->by_mix;
    if (!p->shape.hydra) p->by_y = p->by_gated;
    /* Zeros must be there before the other stream begins. */
    return code ? code : kl_cuda_check(cudaStreamSynchronize(0), "windows", err);
}

static void scans_close(struct kl_cuda_windows **windows)
{
    struct scans *w = scans_of(*windows);
    if (!w) return;
    if (w->stream) cudaStreamSynchronize(w->stream); /* after an error work may be under way */
    kl_cuda_give_pieces(&w->passing), kl_cuda_give_pieces(&w->pieces);
    if (w->stream) cudaStreamDestroy(w->stream);
    kl_cuda_watch_close(&w->watch);
    free(w);
    *windows = NULL;
}

/* By whichever thread calls: a training may go on in another than the one that opened it. */
static int take_gpu(const struct scans *w, struct kl_error *err)
{
    return kl_cuda_check(cudaSetDevice(w->device), "taking the GPU", err);
}

static int scans_open(struct kl_cuda_windows **windows, const struct kl_cuda_windows_shape *shape,
                      size_t n_windows, size_t n_copies, size_t most, size_t back, int device,
                      struct kl_error *err)
{
    struct scans *w = (struct scans *)calloc(1, sizeof *w);
    *windows = (struct kl_cuda_windows *)(void *)w;
    if (!w) return kl_cuda_fail(err, KL_ENOMEM, "no memory: %zu bytes asked for", sizeof *w);
    w->shape = *shape, w->n_copies = n_copies, w->most = most, w->back = back, w->device = device;
    set_sizes(w), list_arrays(w);
    const size_t whole = back > (size_t)shape->whole ? back : (size_t)shape->whole;
    int code = shape->threshold && whole * (size_t)shape->steps * ((size_t)shape->scans.width + 15) >> 32
                   ? kl_cuda_fail(err, KL_EUSAGE,
                                  "a batch of 2^32 values or more: not on a GPU; give --device cpu")
                   : take_gpu(w, err);
    if (!code) code = take_memory(w, n_windows, err);
    if (!code)
        code = kl_cuda_check(cudaStreamCreateWithFlags(&w->stream, cudaStreamNonBlocking),
                             "taking the GPU", err);
    if (!code && shape->timed) code = kl_cuda_watch_open(&w->watch, err);
    if (code) scans_close(windows);
    return code;
}

static int scans_put(struct kl_cuda_windows *windows, size_t first, const float *x, size_t n,
                     struct kl_error *err)
{
    struct scans *w = scans_of(windows);
    const size_t size = (size_t)w->shape.channels * (size_t)w->shape.stride;
    int code = take_gpu(w, err);
    if (!code) code = kl_cuda_send_in(w->stream, w->pass.windows + first * size, x, n * size, err);
    return code ? code : kl_cuda_check(cudaStreamSynchronize(w->stream), "windows to the GPU", err);
}

/* ---- launches ---- */

/* Of windows that go through: the first error. */
struct way {
    struct scans *w;
    struct kl_scan_pass p; /* of the block at hand */
    size_t pairs;
    struct kl_error *err;
    int code;
};
template <class A>
static void launch(struct way *y, void (*kernel)(A), dim3 grid, int threads, size_t shared, const A &a)
{
    void *arguments[] = { (void *)&a };
    if (y->code) return;
    y->code = kl_cuda_check(
        cudaLaunchKernel(kernel, grid, dim3((unsigned)threads), arguments, shared, y->w->stream), what,
        y->err);
}
static unsigned tiles(size_t n, size_t each)
{
    return (unsigned)((n + each - 1) / each);
}

static void linear(struct way *y, void (*kernel)(struct kl_scan_linear), const struct kl_scan_linear &l,
                   size_t rows, int columns)
{
    launch(
        y, kernel,
        dim3((unsigned)y->pairs, tiles(rows, KL_PRODUCT_TILE), tiles((size_t)columns, KL_PRODUCT_TILE)),
        KL_PRODUCT_THREADS, KL_PRODUCT_SHARED, l);
}
static void linear_forward(struct way *y, const struct kl_scan_linear &l)
{
    linear(y, l.x ? kl_scan_linear_forward<false> : kl_scan_linear_forward<true>, l, (size_t)l.p.steps,
           l.out);
}
static void linear_inputs(struct way *y, struct kl_scan_linear l, float *by_x, bool add)
{
    l.by_x = by_x, l.add = add;
    linear(y, kl_scan_linear_inputs, l, (size_t)l.p.steps, l.in);
}
static void linear_weights(struct way *y, const struct kl_scan_linear &l)
{
    linear(y, l.x ? kl_scan_linear_weights<false> : kl_scan_linear_weights<true>, l,
           (size_t)l.in + (l.bias < l.p.at.end ? 1 : 0), l.out);
}

/* Kernels of rows, a warp each. */
template <class A> static void rows(struct way *y, void (*kernel)(A), const A &a)
{
    launch(y, kernel, dim3(tiles(y->pairs * (size_t)y->p.steps, KL_SCAN_THREADS / KL_WARP)),
           KL_SCAN_THREADS, 0, a);
}
static void norm_columns(struct way *y, void (*kernel)(struct kl_scan_norm),
                         const struct kl_scan_norm &k)
{
    launch(y, kernel, dim3((unsigned)y->pairs, tiles((size_t)k.n, KL_SCAN_THREADS)), KL_SCAN_THREADS, 0,
           k);
}
static void channels(struct way *y, void (*kernel)(struct kl_scan_pass), int parts, size_t shared)
{
    launch(y, kernel,
           dim3((unsigned)y->pairs, tiles((size_t)y->p.inner, KL_SCAN_CHANNELS), (unsigned)parts),
           KL_SCAN_CHANNELS, shared, y->p);
}
static void scan(struct way *y, bool back)
{
    static void (*const kernels[][2])(
        struct kl_scan_pass) = { { kl_scan_steps<KL_SCAN_MAMBA>, kl_scan_steps_back<KL_SCAN_MAMBA> },
                                 { kl_scan_steps<KL_SCAN_EULER>, kl_scan_steps_back<KL_SCAN_EULER> },
                                 { kl_scan_steps<KL_SCAN_EXP>, kl_scan_steps_back<KL_SCAN_EXP> } };
    channels(y, kernels[y->p.shape.rule][back], y->p.directions * y->p.groups,
             KL_SCAN_CHUNK * KL_SCAN_PAIR * sizeof(float));
}

/* ---- layers of a block ---- */

static void set_block(struct way *y, int l)
{
    const struct scans *w = y->w;
    const size_t first = y->p.first, per = y->p.per, pairs = w->n_copies * w->room;
    y->p = w->pass, y->p.first = (int32_t)first, y->p.per = (int32_t)per;
    for (int i = 0; i < w->n_arrays; i++)
        if (w->arrays[i].blocks) y->p.*w->arrays[i].of += (size_t)l * pairs * w->arrays[i].size;
    y->p.next = y->p.u + pairs * (size_t)(y->p.steps * y->p.shape.width);
    y->p.bc = y->p.shape.hydra ? y->p.in : y->p.mix;
    y->p.block = y->p.at.blocks + (size_t)l * y->p.at.block;
}
/* Before the blocks, and behind them: u is what the last one gave. */
static void set_outside(struct way *y)
{
    set_block(y, y->w->pass.shape.n_blocks);
    y->p.block = 0;
}

/* Layers; y: where what comes out stands, or its gradient. */
static struct kl_scan_linear embedding(const struct way *y, float *to)
{
    const struct kl_scan_pass *p = &y->p;
    struct kl_scan_linear l = {};
    l.p = *p, l.y = to, l.weight = p->at.embedding, l.bias = p->at.embedding_bias;
    l.ld_y = l.out = p->shape.width, l.in = p->channels, l.then = KL_SCAN_BIAS_DROP;
    return l;
}
static struct kl_scan_linear layer(const struct way *y, size_t weight, const float *x, int ld_x, int in,
                                   float *to, int out)
{
    struct kl_scan_linear l = {};
    l.p = y->p, l.x = x, l.y = to, l.weight = weight, l.bias = y->p.at.end;
    l.ld_x = ld_x, l.in = in, l.ld_y = l.out = out, l.then = KL_SCAN_AS_IT_IS;
    return l;
}
static struct kl_scan_linear in_proj(const struct way *y, float *to)
{
    const struct kl_scan_pass *p = &y->p;
    struct kl_scan_linear l =
        layer(y, p->at.in_proj, p->u, p->shape.width, p->shape.width, to, p->projected);
    if (!p->shape.hydra) l.inv = p->inv, l.gain = p->at.norm;
    return l;
}
static struct kl_scan_linear x_proj(const struct way *y, float *to)
{
    return layer(y, y->p.at.x_proj, y->p.conv, y->p.inner, y->p.inner, to, y->p.mixed);
}
static struct kl_scan_linear dt_proj(const struct way *y, float *to)
{
    const struct kl_scan_pass *p = &y->p;
    struct kl_scan_linear l = layer(y, p->at.dt, p->bc + p->rank, p->ld_bc, p->shape.rank, to, p->inner);
    l.bias = p->at.dt_bias, l.then = KL_SCAN_BIAS_SOFTPLUS;
    return l;
}
static struct kl_scan_linear out_proj(const struct way *y, float *to)
{
    const struct kl_scan_pass *p = &y->p;
    struct kl_scan_linear l = layer(y, p->at.out_proj, p->gated, p->inner, p->inner, to, p->shape.width);
    if (!p->shape.hydra) l.then = KL_SCAN_ADD, l.beside = p->u;
    return l;
}
/* Of n columns; its gain begins at `gain` of the block and of its part. */
static struct kl_scan_norm norm(const struct way *y, const float *x, float *inv, size_t gain, int n)
{
    struct kl_scan_norm k = {};
    k.p = y->p, k.pairs = y->pairs, k.gain = y->p.block + gain, k.part = gain;
    k.n = n, k.x = x, k.inv = inv;
    return k;
}
static void norm_back(struct way *y, struct kl_scan_norm k, const float *dy, float *dx, bool add)
{
    k.dy = dy, k.dx = dx, k.add = add;
    rows(y, kl_scan_norm_back, k);
    norm_columns(y, kl_scan_norm_gains, k);
}
static struct kl_scan_norm last_norm(const struct way *y)
{
    struct kl_scan_norm k = norm(y, y->p.u, y->p.last_inv, 0, y->p.shape.width);
    k.gain = y->p.at.final_norm;
    return k;
}
static struct kl_scan_norm own_norm(const struct way *y)
{
    const struct kl_scan_pass *p = &y->p;
    if (p->shape.hydra) return norm(y, p->y, p->inner_inv, p->at.norm, p->inner);
    return norm(y, p->u, p->inv, p->at.norm, p->shape.width);
}
static struct kl_scan_norm outer_norm(const struct way *y)
{
    return norm(y, y->p.out, y->p.inv, y->p.at.outer_norm, y->p.shape.width);
}

/* What windows have added to `values` of the part, onto [to, to + values) of by_given. */
static void sum(struct way *y, size_t values, size_t to, bool block)
{
    const struct kl_scan_pass *p = &y->p;
    struct kl_scan_sums k = {};
    k.p = *p, k.values = values, k.to = to, k.total = y->w->total, k.by_given = y->w->by_given;
    k.parts = y->w->parts, k.copies = y->w->n;
    if (block && p->shape.hydra)
        k.second = p->at.block, k.second_to = p->at.rates, k.n_second = p->at.d - p->at.rates;
    launch(y, kl_scan_sum, dim3((unsigned)(y->w->n * kl_scan_sum_blocks(values))), KL_SCAN_THREADS, 0,
           k);
}

/* ---- the ways ---- */

static void block_forward(struct way *y, int l)
{
    set_block(y, l);
    const struct kl_scan_pass *p = &y->p;
    const struct kl_scan_rows k = { *p, y->pairs };
    if (!p->shape.hydra) rows(y, kl_scan_norm_forward, own_norm(y));
    linear_forward(y, in_proj(y, p->in));
    channels(y, kl_scan_conv, 1, 0);
    if (!p->shape.hydra) linear_forward(y, x_proj(y, p->mix));
    linear_forward(y, dt_proj(y, p->dt));
    scan(y, false);
    rows(y, kl_scan_gate, k);
    linear_forward(y, out_proj(y, p->shape.hydra ? p->out : p->next));
    if (!p->shape.hydra) return;
    struct kl_scan_norm outer = outer_norm(y);
    outer.beside = p->u, outer.next = p->next;
    rows(y, kl_scan_norm_forward, outer);
}

static void block_back(struct way *y, int l)
{
    set_block(y, l);
    const struct kl_scan_pass *p = &y->p;
    const struct kl_scan_rows k = { *p, y->pairs };
    float *const behind = p->shape.hydra ? p->by_more : p->by_out;
    if (p->shape.hydra) norm_back(y, outer_norm(y), p->by_out, p->by_more, false);
    linear_inputs(y, out_proj(y, behind), p->by_gated, false);
    rows(y, kl_scan_gate_back, k);
    linear_weights(y, out_proj(y, behind));
    if (p->shape.hydra) norm_back(y, own_norm(y), p->by_gated, p->by_y, false);
    scan(y, true);
    rows(y, kl_scan_collect, k);
    linear_weights(y, dt_proj(y, p->by_dt));
    linear_inputs(y, dt_proj(y, p->by_dt), p->by_bc + p->rank, false);
    if (!p->shape.hydra) {
        linear_weights(y, x_proj(y, p->by_mix));
        linear_inputs(y, x_proj(y, p->by_mix), p->by_conv, false);
    }
    channels(y, kl_scan_conv_back, 1, 0);
    linear_weights(y, in_proj(y, p->by_in));
    linear_inputs(y, in_proj(y, p->by_in), p->shape.hydra ? p->by_out : p->by_more, p->shape.hydra);
    if (!p->shape.hydra) norm_back(y, own_norm(y), p->by_more, p->by_out, true);
    sum(y, p->at.block, p->block, true);
}

static void forward(struct way *y)
{
    set_block(y, 0);
    y->p.block = 0;
    linear_forward(y, embedding(y, y->p.u));
    for (int l = 0; l < y->p.shape.n_blocks; l++) block_forward(y, l);
    set_outside(y);
    rows(y, kl_scan_norm_forward, last_norm(y));
    norm_columns(y, kl_scan_pool, last_norm(y));
}

static void back(struct way *y)
{
    set_outside(y);
    norm_back(y, last_norm(y), NULL, y->p.by_out, false);
    sum(y, (size_t)y->p.shape.width, y->p.at.final_norm, false);
    for (int l = y->p.shape.n_blocks - 1; l >= 0; l--) block_back(y, l);
    set_outside(y);
    const struct kl_scan_rows k = { y->p, y->pairs };
    if (y->p.threshold) rows(y, kl_scan_drop_back, k);
    linear_weights(y, embedding(y, y->p.by_out));
    sum(y, y->p.at.blocks, 0, false);
}

/* As many of the batch's windows as there is room for, from `first` on. */
static struct way way_from(struct scans *w, size_t first, struct kl_error *err)
{
    const size_t left = (size_t)w->pass.count - first, per = left < w->room ? left : w->room;
    struct way y = { w, w->pass, w->n * per, err, KL_OK };
    y.p.first = (int32_t)first, y.p.per = (int32_t)per;
    return y;
}

/* What kernels gave, if code is none of a failure. */
template <class T>
static int come_back(struct scans *w, int code, T *to, const T *from, size_t n, struct kl_error *err)
{
    if (!code) code = kl_cuda_watch_mark(w->watch.end, w->stream, err);
    if (!code) code = kl_cuda_fetch_in(w->stream, to, from, n, what, err);
    return code ? code : kl_cuda_watch_read(&w->watch, err);
}

static int scans_forward(struct kl_cuda_windows *windows, float *to,
                         const struct kl_cuda_windows_batch *batch, struct kl_error *err)
{
    struct scans *w = scans_of(windows);
    struct kl_scan_pass *p = &w->pass;
    const size_t n = batch->n, count = batch->count;
    if (n > w->n_copies || count > w->most)
        return kl_cuda_fail(err, KL_EUSAGE, "%zu windows of %zu copies, opened for %zu of %zu", count, n,
                            w->most, w->n_copies);
    w->n = n, w->held = count <= w->room;
    p->count = (int32_t)count, p->step = batch->step;
    w->parts = kl_parts_of(&batch->parts, count);
    p->number = (int32_t)kl_cuda_windows_part(&w->parts, (size_t)w->parts.first);
    p->threshold = batch->training ? w->shape.threshold : 0;
    if (!n || !count) return KL_OK;
    int code = take_gpu(w, err);
    if (!code) code = kl_cuda_send_in(w->stream, p->rows, batch->rows, n * count, err);
    if (!code) code = kl_cuda_send_in(w->stream, p->given, batch->given, n * p->at.end, err);
    if (!code) code = kl_cuda_send_in(w->stream, p->replica, batch->replica, n, err);
    if (!code) code = kl_cuda_watch_mark(w->watch.begin, w->stream, err);
    for (size_t first = 0; first < count && !code; first += w->room) {
        struct way y = way_from(w, first, err);
        forward(&y);
        code = y.code;
    }
    return come_back(w, code, to, p->sum, n * count * (size_t)p->shape.width, err);
}

static int scans_back(struct kl_cuda_windows *windows, float *by_given, double *by_units,
                      const float *by_sum, struct kl_error *err)
{
    struct scans *w = scans_of(windows);
    struct kl_scan_pass *p = &w->pass;
    const size_t count = (size_t)p->count;
    if (count > w->back)
        return kl_cuda_fail(err, KL_EUSAGE, "%zu windows back, opened for %zu", count, w->back);
    if (!w->n || !count) return KL_OK;
    int code = take_gpu(w, err);
    if (!code)
        code = kl_cuda_send_in(w->stream, p->by_sum, by_sum, w->n * count * (size_t)p->shape.width, err);
    if (!code) code = kl_cuda_watch_mark(w->watch.begin, w->stream, err);
    for (size_t first = 0; first < count && !code; first += w->room) {
        struct way y = way_from(w, first, err);
        if (!w->held) forward(&y);
        back(&y);
        code = y.code;
    }
    const size_t n = w->n * p->at.end;
    if (by_units) return come_back(w, code, by_units, w->total, n * (size_t)w->parts.units, err);
    return come_back(w, code, by_given, w->by_given, n, err);
}

static size_t scans_at_once(const struct kl_cuda_windows *windows)
{
    return ((const struct scans *)(const void *)windows)->room;
}

static double scans_seconds(const struct kl_cuda_windows *windows)
{
    return ((const struct scans *)(const void *)windows)->watch.seconds;
}

const struct kl_cuda_windows_calls kl_cuda_scans_calls = { scans_open, scans_put,     scans_forward,
                                                           scans_back, scans_at_once, scans_seconds,
                                                           scans_close };
