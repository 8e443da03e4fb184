/* SPDX-License-Identifier: MIT
   See cuda_runtime.h here: launches, and calls that fail. Threads of a launch are fibers of one thread
   of the CPU, which change only at barriers and shuffles. */
#include "races.h"
#include "streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#if defined __SANITIZE_ADDRESS__ || defined EMULATED_RACES
enum { STACK = 1 << 17 }; /* instrumented frames are larger */
#else
enum { STACK = 1 << 15 };
#endif

enum { WARP = 32 };

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;
/* Of each block that runs, and a guard behind what the launch has asked for. */
enum { PAGE = 4096, SHARED_PAGES = (EMULATED_SHARED + PAGE - 1) / PAGE + 2 };
alignas(PAGE) static unsigned char block_memory[EMULATED_PROCESSORS][SHARED_PAGES * PAGE];

/* A barrier of `of` threads: how many stand at it, how often it opened. What is before it happens before
   what is behind it; two places for that, since who goes on may be at the next one before others left.
 */
struct barrier {
    unsigned of, here, opened;
    char order[2];
};
struct fiber {
    void *stack, *at;
    void *memory; /* of its block */
    uint3 thread, block;
    bool done;
    const unsigned *waits;
    unsigned until; /* waits while *waits == until */
    uint64_t *slots;
    unsigned shuffles;
    struct barrier *block_barrier, *warp_barrier;
    struct races_thread races;
};
static struct fiber *current;
static void *scheduler;
static const std::function<void()> *job;
static char launched, ended; /* what orders a launch and what is before and behind it */

/* Saves what a function must save, changes the stack. */
extern "C" void emulated_switch(void **from, void *to);
__asm__(".text\n.globl emulated_switch\nemulated_switch:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp,(%rdi)\nmov %rsi,%rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n");

void emulated_die(const char *why)
{
    fprintf(stderr, "emulated CUDA: %s\n", why);
    abort();
}

/* Memory of the GPU, pinned memory, streams, events, graphs, what an emulated library gave. */
static std::atomic<int> held;

void emulated_hold(int change)
{
    held += change;
}

__attribute__((destructor)) static void look_for_leaks(void)
{
    if (!held) return;
    fprintf(stderr, "emulated CUDA: %d things were never given back\n", (int)held);
    _exit(98);
}

static void yield(void)
{
    emulated_switch(&current->at, scheduler);
}

static void body(void)
{
    races_acquire(&launched);
    (*job)();
    races_release(&ended);
    current->done = true;
    yield();
    emulated_die("a finished thread ran on");
}

static void meet(struct barrier *b)
{
    if (++b->here == b->of) {
        b->here = 0;
        b->opened++;
        return;
    }
    current->waits = &b->opened;
    current->until = b->opened;
    yield();
    current->waits = NULL;
}

static void meet_in_order(struct barrier *b)
{
    char *order = &b->order[b->opened % 2];
    races_release(order);
    meet(b);
    races_acquire(order);
}

void __syncthreads(void)
{
    meet_in_order(current->block_barrier);
}

void __syncwarp(void)
{
    meet_in_order(current->warp_barrier);
}

void __threadfence(void)
{
    races_fence(&current->races);
}

unsigned atomicAdd(unsigned *to, unsigned value)
{
    const unsigned was = *to;
    *to += value;
    races_atomic(&current->races, to);
    return was;
}

/* What g++ puts before a read of four volatile bytes in what is compiled to look for races. */
extern "C" void __tsan_volatile_read4(void *at)
{
    current->races.seen = at;
}
extern "C" void __tsan_volatile_read1(void *)
{
}

void __nanosleep(unsigned)
{
    yield();
}

uint64_t emulated_shuffle(uint64_t bits, int mask)
{
    struct fiber *own = current;
    const unsigned lane = own->thread.x % WARP;
    uint64_t *slots =
        own->slots + WARP * (own->shuffles++ % 2); /* two, so that none is overwritten unread */
    slots[lane] = bits;
    meet(own->warp_barrier);
    return slots[lane ^ (unsigned)mask];
}

float *emulated_shared(void)
{
    return (float *)current->memory;
}

/* Whole pages with the guard. */
static size_t guarded(size_t shared)
{
    return (shared + PAGE - 1) / PAGE * PAGE + PAGE;
}

static void clear_memory(unsigned blocks, size_t shared)
{
    for (unsigned b = 0; b < blocks; b++) {
        races_forget(block_memory[b], guarded(shared));
        memset(block_memory[b], 0xff, guarded(shared));
    }
}

static void check_memory(unsigned blocks, size_t shared)
{
    for (unsigned b = 0; b < blocks; b++)
        for (size_t i = shared; i < guarded(shared); i++)
            if (block_memory[b][i] != 0xff) emulated_die("a block wrote behind the end of its memory");
}

/* Stacks of fibers that have ended: to ask the system for them anew took half of the time, and under
   AddressSanitizer nearly all of it. ThreadSanitizer must forget what was in them. */
static std::vector<void *> stacks;
static void *take_stack(void)
{
    if (stacks.empty()) return __real_malloc(STACK);
    void *stack = stacks.back();
    stacks.pop_back();
    return stack;
}
static void give_stack(void *stack)
{
#ifdef EMULATED_RACES
    races_free(stack);
#else
    ASAN_UNPOISON_MEMORY_REGION(stack, STACK);
    stacks.push_back(stack);
#endif
}

static void begin(struct fiber *f)
{
    f->stack = take_stack();
    if (!f->stack) emulated_die("no memory");
    void **top = (void **)((char *)f->stack + STACK) - 1;
    *top = NULL; /* so that body begins with an aligned stack */
    *--top = (void *)body;
    for (int i = 0; i < 6; i++) *--top = NULL;
    f->at = top;
}

static bool resume(struct fiber *f)
{
    if (f->done || (f->waits && *f->waits == f->until)) return false;
    current = f;
    threadIdx = f->thread, blockIdx = f->block;
    void *host = races_self();
    races_become(f->races.self);
    emulated_switch(&scheduler, f->at);
    races_become(host);
    return true;
}

/* Blocks [first, first + blocks) of the grid, all at once. */
static void run_blocks(unsigned first, unsigned blocks, unsigned threads, size_t shared)
{
    const unsigned n = blocks * threads, warps = threads / WARP;
    const char *order = getenv("KETLINE_EMULATED_ORDER");
    const bool reverse = order && strcmp(order, "reverse") == 0;
    struct fiber *fibers = (struct fiber *)__real_calloc(n, sizeof *fibers);
    struct barrier *barriers = (struct barrier *)__real_calloc(blocks * (warps + 1), sizeof *barriers);
    uint64_t *slots = (uint64_t *)__real_calloc(blocks * warps, 2 * WARP * sizeof *slots);
    if (!fibers || !barriers || !slots) emulated_die("no memory");
    clear_memory(blocks, shared);
    for (unsigned i = 0; i < n; i++) {
        const unsigned block = i / threads, thread = i % threads, warp = thread / WARP;
        struct barrier *own = barriers + block * (warps + 1);
        own->of = threads, own[1 + warp].of = WARP;
        const unsigned number = first + block;
        fibers[i].thread.x = thread;
        fibers[i].block = { number % gridDim.x, number / gridDim.x % gridDim.y,
                            number / gridDim.x / gridDim.y };
        fibers[i].memory = block_memory[block];
        fibers[i].block_barrier = own, fibers[i].warp_barrier = own + 1 + warp;
        fibers[i].slots = slots + (size_t)(block * warps + warp) * 2 * WARP;
        races_begin(&fibers[i].races, first % EMULATED_PROCESSORS * threads + i);
        begin(&fibers[i]);
    }
    races_release(&launched);
    for (unsigned left = n; left;) {
        bool moved = false;
        for (unsigned i = 0; i < n; i++) {
            struct fiber *f = &fibers[reverse ? n - 1 - i : i];
            const bool was = f->done;
            if (resume(f)) moved = true;
            left -= f->done && !was;
        }
        if (!moved && left) emulated_die("threads wait at a barrier that others never reach");
    }
    check_memory(blocks, shared);
    for (unsigned i = 0; i < n; i++) give_stack(fibers[i].stack);
    races_free(fibers), races_free(barriers), races_free(slots);
}

static std::atomic<int> calls;

extern "C" int emulated_calls(void)
{
    return calls;
}

cudaError_t emulated_fails(void)
{
    const char *which = getenv("KETLINE_EMULATED_FAIL");
    const int call = ++calls;
    if (!which) return cudaSuccess;
    const int k = atoi(which);
    if (strchr(which, 'm')) return call == k ? cudaErrorMemoryAllocation : cudaSuccess;
    if (strchr(which, 'M')) return call >= k ? cudaErrorMemoryAllocation : cudaSuccess;
    if (strchr(which, 'o')) return call == k ? cudaErrorUnknown : cudaSuccess;
    return call >= k ? cudaErrorUnknown : cudaSuccess;
}

/* Allocations of kernels/cuda/ on the host are calls that may fail, too. */
void *__wrap_malloc(size_t bytes)
{
    return emulated_fails() == cudaErrorMemoryAllocation ? NULL : __real_malloc(bytes);
}
void *__wrap_calloc(size_t n, size_t bytes)
{
    return emulated_fails() == cudaErrorMemoryAllocation ? NULL : __real_calloc(n, bytes);
}
static std::mutex allowed_lock;
static std::map<const void *, size_t> allowed;

cudaError_t emulated_allow(const void *id, int shared)
{
    MAY_FAIL();
    const std::lock_guard<std::mutex> hold(allowed_lock);
    if (shared < 0 || shared > EMULATED_SHARED) return cudaErrorInvalidValue;
    allowed[id] = (size_t)shared;
    return cudaSuccess;
}

static cudaError_t check_launch(const void *id, dim3 grid, dim3 block, size_t shared, bool cooperative)
{
    const std::lock_guard<std::mutex> hold(allowed_lock);
    const auto most = allowed.find(id);
    if (block.x % WARP || block.x > 1024 || !block.x || !grid.x || !grid.y || !grid.z ||
        grid.x > INT32_MAX || grid.y > UINT16_MAX || grid.z > UINT16_MAX)
        return cudaErrorInvalidValue;
    if (shared > 48 << 10 && (most == allowed.end() || shared > most->second))
        return cudaErrorInvalidValue;
    return cooperative && grid.x * grid.y * grid.z > EMULATED_PROCESSORS
               ? cudaErrorCooperativeLaunchTooLarge
               : cudaSuccess;
}

cudaError_t emulated_launch(const void *id, std::function<void()> kernel, dim3 grid, dim3 block,
                            size_t shared, bool cooperative, cudaStream_t stream)
{
    MAY_FAIL();
    const cudaError_t bad = check_launch(id, grid, block, shared, cooperative);
    if (bad) return bad;
    return emulated_enqueue(stream, [=] {
        job = &kernel;
        blockDim = block, gridDim = grid;
        const unsigned blocks = grid.x * grid.y * grid.z;
        if (cooperative) run_blocks(0, blocks, block.x, shared);
        for (unsigned b = 0; !cooperative && b < blocks; b++) run_blocks(b, 1, block.x, shared);
        races_acquire(&ended);
    });
}
