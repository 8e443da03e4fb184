/* SPDX-License-Identifier: MIT
   Kernels with a race, and the same ones without it: races CASE [mended]. What looks for races in
   kernels/cuda/ (tests/cuda-races.sh) must tell them apart, or it would be a check that cannot fail. */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/cuda/head_kernels.cuh"

enum { THREADS = 64, BLOCKS = 2 };

struct job {
    float *at; /* BLOCKS * THREADS */
    uint32_t *barrier;
    bool mended;
};

/* A neighbour's number, in another warp or block. */
static int other(int i, int n)
{
    return (i + n / 2) % n;
}

/* Threads of a block without their barrier. */
static void block(struct job job)
{
    const int i = (int)threadIdx.x;
    kl_shared[i] = 1;
    if (job.mended) __syncthreads();
    job.at[blockIdx.x * THREADS + threadIdx.x] = kl_shared[other(i, THREADS)];
}

/* A second round of writes that does not wait for the first one's reads. */
static void again(struct job job)
{
    float sum = 0;
    for (int round = 0; round < 2; round++) {
        kl_shared[threadIdx.x] = (float)round;
        __syncthreads();
        sum += kl_shared[other((int)threadIdx.x, THREADS)];
        if (job.mended) __syncthreads();
    }
    job.at[blockIdx.x * THREADS + threadIdx.x] = sum;
}

/* Threads of a warp that meet in a shuffle alone. */
static void warp(struct job job)
{
    kl_shared[threadIdx.x] = __shfl_xor_sync(0xffffffffu, 1.f, 1);
    if (job.mended) __syncwarp();
    __shfl_xor_sync(0xffffffffu, 1.f, 1);
    job.at[blockIdx.x * THREADS + threadIdx.x] = kl_shared[threadIdx.x ^ 1];
}

/* Threads of two warps that meet in their warps alone. */
static void warps(struct job job)
{
    kl_shared[threadIdx.x] = 1;
    if (job.mended) __syncthreads();
    else __syncwarp();
    job.at[blockIdx.x * THREADS + threadIdx.x] = kl_shared[other((int)threadIdx.x, THREADS)];
}

/* Blocks of a launch that write to one place. */
static void launch(struct job job)
{
    job.at[job.mended ? blockIdx.x * THREADS + threadIdx.x : threadIdx.x] = 1;
}

/* kl_meet without its fences. */
static void meet(uint32_t *barrier)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(barrier, 1u);
        while (*(volatile uint32_t *)barrier < BLOCKS) __nanosleep(32);
    }
    __syncthreads();
}

/* kl_meet with a fence before its operation alone. */
static void meet_half(uint32_t *barrier)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(barrier, 1u);
        while (*(volatile uint32_t *)barrier < BLOCKS) __nanosleep(32);
    }
    __syncthreads();
}

static void read_other(struct job job, void (*meets)(uint32_t *))
{
    const int i = (int)(blockIdx.x * THREADS + threadIdx.x);
    uint32_t met = 0;
    job.at[i] = 1;
    if (job.mended) kl_meet(job.barrier, met, BLOCKS);
    else meets(job.barrier), met += BLOCKS;
    const float value = job.at[other(i, BLOCKS * THREADS)];
    kl_meet(job.barrier, met, BLOCKS);
    job.at[i] = value;
}

static void blocks(struct job job)
{
    read_other(job, meet);
}

static void fence(struct job job)
{
    read_other(job, meet_half);
}

/* Blocks that go on to write what others still read. */
static void ahead(struct job job)
{
    const int i = (int)(blockIdx.x * THREADS + threadIdx.x);
    uint32_t met = 0;
    job.at[i] = 1;
    kl_meet(job.barrier, met, BLOCKS);
    const float value = job.at[other(i, BLOCKS * THREADS)];
    if (job.mended) kl_meet(job.barrier, met, BLOCKS);
    job.at[i] = value + 1;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*kernel)(struct job);
        bool cooperative;
    } cases[] = {
        { "block", block, false }, { "again", again, false },   { "warp", warp, false },
        { "warps", warps, false }, { "launch", launch, false }, { "blocks", blocks, true },
        { "fence", fence, true },  { "ahead", ahead, true },
    };
    struct job job = { NULL, NULL, argc > 2 };
    void *arguments[] = { &job };
    if (argc < 2) {
        for (const auto &c : cases) puts(c.name);
        return 0;
    }
    if (cudaMalloc((void **)&job.at, BLOCKS * THREADS * sizeof *job.at) ||
        cudaMalloc((void **)&job.barrier, sizeof *job.barrier) ||
        cudaMemset(job.barrier, 0, sizeof *job.barrier))
        return 1;
    for (const auto &c : cases) {
        if (strcmp(argv[1], c.name) != 0) continue;
        const size_t bytes = THREADS * sizeof(float);
        const cudaError_t bad =
            c.cooperative
                ? cudaLaunchCooperativeKernel(c.kernel, BLOCKS, THREADS, arguments, bytes, NULL)
                : cudaLaunchKernel(c.kernel, BLOCKS, THREADS, arguments, bytes, NULL);
        return bad || cudaFree(job.at) || cudaFree(job.barrier);
    }
    return 2;
}
