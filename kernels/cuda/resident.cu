/* SPDX-License-Identifier: MIT
   Features that stay on the GPU. Heads side by side, as the points of a sweep are, read the same ones
   of the host, and share one copy: the list of copies is the process's, since each head is opened by
   itself, in a thread of its own. */
#include "kernels/cuda/features.h"

#include <pthread.h>
#include <stdlib.h>

enum { LEAVE_PART = 32 /* of the GPU's memory stays free: launches need some of their own */ };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list; held while a copy is made */
static struct kl_cuda_resident *copies;

/* Nothing of it is on its way any more when this returns: streams that do not wait for the default one
   read it. */
static int fill(struct kl_cuda_resident *r, struct kl_error *err)
{
    const size_t values = r->n * r->d;
    size_t left = 0, total = 0;
    int code = kl_cuda_take((void **)&r->labels, r->n, sizeof *r->labels, "features", err);
    if (!code) code = kl_cuda_take((void **)&r->x, values, sizeof *r->x, "features", err);
    if (!code) code = kl_cuda_check(cudaMemGetInfo(&left, &total), "memory of the GPU", err);
    if (!code && left < total / LEAVE_PART)
        code = kl_cuda_check(cudaErrorMemoryAllocation, "features", err);
    if (!code)
        code = kl_cuda_check(cudaMemcpy(r->x, r->host_x, values * sizeof *r->x, cudaMemcpyHostToDevice),
                             "features to the GPU", err);
    if (!code && r->host_labels)
        code = kl_cuda_check(
            cudaMemcpy(r->labels, r->host_labels, r->n * sizeof *r->labels, cudaMemcpyHostToDevice),
            "labels to the GPU", err);
    return code ? code : kl_cuda_check(cudaStreamSynchronize(0), "features to the GPU", err);
}

static void release(struct kl_cuda_resident *r)
{
    kl_cuda_give(r->x);
    kl_cuda_give(r->labels);
    free(r);
}

/* One that nobody else has. */
static int make(struct kl_cuda_resident **to, const struct kl_cuda_resident *like, struct kl_error *err)
{
    struct kl_cuda_resident *r = (struct kl_cuda_resident *)calloc(1, sizeof *r);
    if (!r) return kl_cuda_fail(err, KL_ENOMEM, "no memory: %zu bytes asked for", sizeof *r);
    *r = *like;
    int code = fill(r, err);
    if (code) release(r);
    else *to = r;
    return code;
}

static bool same(const struct kl_cuda_resident *a, const struct kl_cuda_resident *b)
{
    return a->device == b->device && a->host_x == b->host_x && a->host_labels == b->host_labels &&
           a->n == b->n && a->d == b->d;
}

int kl_cuda_resident_take(struct kl_cuda_resident **resident, const float *x, const int32_t *labels,
                          size_t n, size_t d, int device, struct kl_error *err)
{
    const struct kl_cuda_resident like = { device, x, labels, n, d, 0, NULL, NULL, NULL };
    int code = KL_OK;
    *resident = NULL;
    pthread_mutex_lock(&lock);
    struct kl_cuda_resident *r = copies;
    while (r && !same(r, &like)) r = r->next;
    if (!r && !(code = make(&r, &like, err))) r->next = copies, copies = r;
    if (!code) r->users++, *resident = r;
    pthread_mutex_unlock(&lock);
    return code;
}

void kl_cuda_resident_drop(struct kl_cuda_resident **resident)
{
    struct kl_cuda_resident *r = *resident, **at = &copies;
    if (!r) return;
    *resident = NULL;
    pthread_mutex_lock(&lock);
    if (!--r->users) {
        while (*at != r) at = &(*at)->next;
        *at = r->next;
        release(r);
    }
    pthread_mutex_unlock(&lock);
}
