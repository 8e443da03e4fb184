/* SPDX-License-Identifier: MIT
   Private to libketline-cuda: features on the GPU, all of them, or as many as there is room for. */
#ifndef KL_CUDA_FEATURES_H
#define KL_CUDA_FEATURES_H

#include "kernels/cuda/library.h"

/* Rows of the features for a launch: row i is the place rows[i] of x and of labels. */
struct kl_cuda_rows {
    const float *x;
    const int32_t *labels, *rows;
};

/* A chunk sent while the rows before it are worked on: on the GPU, and in pinned memory of the host. */
struct kl_cuda_chunk {
    float *x, *host_x;             /* (chunk, d) */
    int32_t *labels, *host_labels; /* (chunk) */
    cudaEvent_t sent, used;
};
/* Features that stay on a GPU, once for all that use them (resident.cu). */
struct kl_cuda_resident {
    int device;
    const float *host_x;
    const int32_t *host_labels;
    size_t n, d, users;
    float *x;        /* (n, d) */
    int32_t *labels; /* (n) */
    struct kl_cuda_resident *next;
};
/* Features and labels as in kl_cuda_features_open, all of them, on the GPU: a copy that is there
   already or a new one. KL_ENOMEM also where too little would be left for launches. Drop it once; NULL
   is none. */
int kl_cuda_resident_take(struct kl_cuda_resident **resident, const float *x, const int32_t *labels,
                          size_t n, size_t d, int device, struct kl_error *err);
void kl_cuda_resident_drop(struct kl_cuda_resident **resident);

struct kl_cuda_features {
    const float *host_x;        /* (n, d), the caller's */
    const int32_t *host_labels; /* (n); NULL: there are none */
    size_t n, d;
    size_t chunk;                      /* rows of a launch at most; n: all stay on the GPU */
    struct kl_cuda_resident *resident; /* where all stay */
    int32_t *rows;                     /* (chunk): those asked for, or 0, 1, 2... */
    struct kl_cuda_chunk chunks[2];
    int turn;
    cudaStream_t copies;
};

/* Room for the features, which are the caller's and do not change as long as this lives, or for at least
   `batch` rows of them. KL_ENOMEM: not even that. Close it in any case. */
int kl_cuda_features_open(struct kl_cuda_features *f, const float *x, const int32_t *labels, size_t n,
                          size_t d, size_t batch, int device, struct kl_error *err);
/* Rows rows[0], ..., rows[n - 1], at most `chunk`, for what goes into `stream` next; after which
   kl_cuda_features_used must be called. */
int kl_cuda_features_send(struct kl_cuda_rows *to, struct kl_cuda_features *f, const int32_t *rows,
                          size_t n, cudaStream_t stream, struct kl_error *err);
int kl_cuda_features_used(struct kl_cuda_features *f, cudaStream_t stream, struct kl_error *err);
void kl_cuda_features_close(struct kl_cuda_features *f);

#endif
