/* SPDX-License-Identifier: MIT
   Sums over a step's windows, in double: within a part in the windows' order, parts as a binary tree
   (struct kl_cuda_windows_parts). So neither how many ranks share a step nor how many windows go through
   at once changes a bit. */
#ifndef KL_CUDA_PARTS_CUH
#define KL_CUDA_PARTS_CUH

#include "kernels/cuda/gpu.cuh"
#include "kernels/cuda_windows.h"

enum { KL_PARTS_DEPTH = 4 /* of the tree of KL_CUDA_WINDOWS_PARTS */ };
/* Those of a batch of count windows. */
static inline kl_cuda_windows_parts kl_parts_of(const kl_cuda_windows_parts *p, size_t count)
{
    return p->n ? *p : kl_cuda_windows_parts{ (int32_t)count, 1, 0, 1, 1 };
}
/* The first window of a part among those at hand. */
KL_GPU int kl_part_begin(const kl_cuda_windows_parts &p, int part)
{
    return (int)((int64_t)p.all * part / p.n - (int64_t)p.all * p.first / p.n);
}
/* Windows [from, to) of those at hand join the sums of those before them: add(sum, window) is the sum
   with what that window adds. Slots are `apart` values apart. A unit that is done has its own slot, the
   first, second, ...; the whole subtrees of one under way have that and those behind it: as many as the
   number of parts before has ones. */
template <class F>
KL_GPU void kl_sum_parts(double *slots, size_t apart, const kl_cuda_windows_parts &p, int from, int to,
                         F add)
{
    int part = p.first;
    while (kl_part_begin(p, part + 1) <= from) part++;
    for (int w = from; w < to; part++) {
        const int number = part - p.first, own = number % p.each, end = kl_part_begin(p, part + 1),
                  stop = end < to ? end : to;
        double *slot = slots + (size_t)(number / p.each + __popc((unsigned)own)) * apart;
        double sum = w > kl_part_begin(p, part) ? *slot : 0;
        for (; w < stop; w++) sum = add(sum, w);
        *slot = sum;
        if (w < end) return;
        for (int rest = own; rest & 1; rest >>= 1, slot -= apart) *(slot - apart) += *slot;
    }
}

#endif
