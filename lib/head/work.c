/* SPDX-License-Identifier: MIT
   Scratch of a head's functions: one arena for activations, one that the circuit may use up. */
#include "head/head.h"

int kl_head_work_init(struct kl_head_work *work, struct kl_error *err)
{
    enum { FIRST = 1 << 18 };
    *work = (struct kl_head_work){ 0 };
    int code = kl_arena_init(&work->values, FIRST, err);
    if (code) return code;
    code = kl_arena_init(&work->circuit, FIRST, err);
    if (code) kl_arena_free(&work->values);
    return code;
}

void kl_head_work_free(struct kl_head_work *work)
{
    kl_arena_free(&work->values);
    kl_arena_free(&work->circuit);
}
