/* SPDX-License-Identifier: MIT
   The logits of a trained head on a GPU. */
#include "head/gpu.h"

#include <stdlib.h>

int kl_head_gpu_logits(float *logits, const struct kl_head *head, const float *x, size_t n,
                       const struct kl_device *device, struct kl_error *err)
{
    const struct kl_cuda *cuda = device->cuda;
    const struct kl_cuda_judged to = { .logits = logits };
    struct kl_cuda_heads *heads = NULL;
    struct kl_cuda_head shape;
    struct kl_arena memory = { 0 };
    const int32_t first = 0;
    int code = kl_arena_init(&memory, 0, err);
    if (code) return code;
    int32_t *rows = kl_arena_take(&memory, n + 1, sizeof *rows);
    if (!rows) code = kl_fail_memory(err, n * sizeof *rows);
    for (size_t i = 0; i < n && !code; i++) rows[i] = (int32_t)i;
    if (!code) code = kl_head_gpu_shape(&shape, &head->model, NULL, &memory, err);
    if (!code) code = cuda->heads->open(&heads, &shape, 1, x, NULL, n, device->number, err);
    if (!code) code = cuda->heads->put(heads, 0, head->params, NULL, NULL, err);
    if (!code) code = cuda->heads->judge(heads, &to, &first, 1, rows, n, err);
    if (heads) cuda->heads->close(&heads);
    kl_arena_free(&memory);
    return code;
}
