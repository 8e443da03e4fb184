/* SPDX-License-Identifier: MIT
   Features on the GPU. What does not fit is gathered on the host into one of two pinned buffers, in the
   order in which it is wanted, and sent while the rows before it are worked on. */
#include "kernels/cuda/features.h"

#include <stdlib.h>
#include <string.h>

enum { BATCHES = 16 /* of a chunk, if there is room: several chunks a call, so that copies overlap */ };

/* All of them, if enough is left. */
static int keep_all(struct kl_cuda_features *f, int device, struct kl_error *err)
{
    int code = kl_cuda_take((void **)&f->rows, f->n, sizeof *f->rows, "features", err);
    f->chunk = f->n;
    return code
               ? code
               : kl_cuda_resident_take(&f->resident, f->host_x, f->host_labels, f->n, f->d, device, err);
}

static int open_chunk(struct kl_cuda_chunk *c, size_t rows, size_t d, struct kl_error *err)
{
    const char *what = "features";
    int code = kl_cuda_take((void **)&c->x, rows * d, sizeof *c->x, what, err);
    if (!code) code = kl_cuda_take((void **)&c->labels, rows, sizeof *c->labels, what, err);
    if (!code) code = kl_cuda_pin((void **)&c->host_x, rows * d * sizeof *c->x, what, err);
    if (!code) code = kl_cuda_pin((void **)&c->host_labels, rows * sizeof *c->labels, what, err);
    if (!code)
        code = kl_cuda_check(cudaEventCreateWithFlags(&c->sent, cudaEventDisableTiming), what, err);
    if (!code)
        code = kl_cuda_check(cudaEventCreateWithFlags(&c->used, cudaEventDisableTiming), what, err);
    return code;
}

/* Two chunks of so many rows. */
static int keep_some(struct kl_cuda_features *f, size_t rows, struct kl_error *err)
{
    int32_t *counting = (int32_t *)malloc(rows * sizeof *counting);
    if (!counting)
        return kl_cuda_fail(err, KL_ENOMEM, "no memory: %zu bytes asked for", rows * sizeof *counting);
    for (size_t i = 0; i < rows; i++) counting[i] = (int32_t)i;
    f->chunk = rows;
    int code = kl_cuda_copy((void **)&f->rows, counting, rows, sizeof *counting, "features", err);
    if (!code) code = open_chunk(&f->chunks[0], rows, f->d, err);
    if (!code) code = open_chunk(&f->chunks[1], rows, f->d, err);
    if (!code)
        code =
            kl_cuda_check(cudaStreamCreateWithFlags(&f->copies, cudaStreamNonBlocking), "features", err);
    free(counting);
    return code;
}

/* Copies may be on their way after an error: they read the pinned buffers. */
void kl_cuda_features_close(struct kl_cuda_features *f)
{
    if (f->copies) cudaStreamSynchronize(f->copies);
    for (struct kl_cuda_chunk &c : f->chunks) {
        if (c.sent) cudaEventDestroy(c.sent);
        if (c.used) cudaEventDestroy(c.used);
        cudaFreeHost(c.host_x);
        cudaFreeHost(c.host_labels);
        kl_cuda_give(c.x);
        kl_cuda_give(c.labels);
    }
    if (f->copies) cudaStreamDestroy(f->copies);
    kl_cuda_resident_drop(&f->resident);
    kl_cuda_give(f->rows);
    for (struct kl_cuda_chunk &c : f->chunks) c = {};
    f->copies = NULL, f->rows = NULL;
}

int kl_cuda_features_open(struct kl_cuda_features *f, const float *x, const int32_t *labels, size_t n,
                          size_t d, size_t batch, int device, struct kl_error *err)
{
    size_t rows = BATCHES * batch;
    *f = {};
    f->host_x = x, f->host_labels = labels, f->n = n, f->d = d;
    int code = keep_all(f, device, err);
    while (code == KL_ENOMEM) {
        kl_cuda_features_close(f);
        code = keep_some(f, rows < n ? rows : n, err);
        if (rows <= batch) break;
        rows = rows / 2 > batch ? rows / 2 : batch;
    }
    return code;
}

/* Waits until the pinned buffer has been sent, fills it, and sends it when the GPU has used what it
   had before. */
static int send_chunk(struct kl_cuda_chunk *c, struct kl_cuda_features *f, const int32_t *rows, size_t n,
                      struct kl_error *err)
{
    const char *what = "features to the GPU";
    int code = kl_cuda_check(cudaEventSynchronize(c->sent), what, err);
    if (code) return code;
    for (size_t i = 0; i < n; i++) {
        memcpy(c->host_x + i * f->d, f->host_x + (size_t)rows[i] * f->d, f->d * sizeof *c->host_x);
        c->host_labels[i] = f->host_labels ? f->host_labels[rows[i]] : 0;
    }
    code = kl_cuda_check(cudaStreamWaitEvent(f->copies, c->used, 0), what, err);
    if (!code)
        code = kl_cuda_check(
            cudaMemcpyAsync(c->x, c->host_x, n * f->d * sizeof *c->x, cudaMemcpyHostToDevice, f->copies),
            what, err);
    if (!code)
        code = kl_cuda_check(cudaMemcpyAsync(c->labels, c->host_labels, n * sizeof *c->labels,
                                             cudaMemcpyHostToDevice, f->copies),
                             what, err);
    return code ? code : kl_cuda_check(cudaEventRecord(c->sent, f->copies), what, err);
}

int kl_cuda_features_send(struct kl_cuda_rows *to, struct kl_cuda_features *f, const int32_t *rows,
                          size_t n, cudaStream_t stream, struct kl_error *err)
{
    struct kl_cuda_chunk *c = &f->chunks[f->turn];
    if (f->resident) {
        *to = { f->resident->x, f->resident->labels, f->rows };
        return kl_cuda_check(
            cudaMemcpyAsync(f->rows, rows, n * sizeof *rows, cudaMemcpyHostToDevice, stream),
            "to the GPU", err);
    }
    *to = { c->x, c->labels, f->rows };
    int code = send_chunk(c, f, rows, n, err);
    return code ? code
                : kl_cuda_check(cudaStreamWaitEvent(stream, c->sent, 0), "features to the GPU", err);
}

int kl_cuda_features_used(struct kl_cuda_features *f, cudaStream_t stream, struct kl_error *err)
{
    const int turn = f->turn;
    f->turn = 1 - turn;
    return f->resident ? KL_OK
                       : kl_cuda_check(cudaEventRecord(f->chunks[turn].used, stream),
                                       "features to the GPU", err);
}
