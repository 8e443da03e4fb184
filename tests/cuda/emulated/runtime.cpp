/* SPDX-License-Identifier: MIT
   See cuda_runtime.h here: launches and memory. Threads of a launch are fibers of one thread of the CPU,
   which change only at barriers and shuffles. */
#include "streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
enum { STACK = 1 << 17 }; /* instrumented frames are larger */
#else
enum { STACK = 1 << 15 };
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) ((void)0)
#endif

extern "C" void *__real_malloc(size_t bytes);
extern "C" void *__real_calloc(size_t n, size_t bytes);
extern "C" void *__wrap_malloc(size_t bytes);
extern "C" void *__wrap_calloc(size_t n, size_t bytes);

enum { WARP = 32, GUARD = 64, SHARED = 232448 };

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;
alignas(16) float kl_shared[SHARED / sizeof(float)];

/* A barrier of `of` threads: how many stand at it, how often it opened. */
struct barrier {
    unsigned of, here, opened;
};
struct fiber {
    void *stack, *at;
    uint3 thread, block;
    bool done;
    const unsigned *waits;
    unsigned until; /* waits while *waits == until */
    uint64_t *slots;
    unsigned shuffles;
    struct barrier *block_barrier, *warp_barrier;
};
static struct fiber *current;
static void *scheduler;
static const std::function<void()> *job;

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

/* Memory of the card, pinned memory, streams, events, graphs, what an emulated library gave. */
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
    (*job)();
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

void __syncthreads(void)
{
    meet(current->block_barrier);
}

void __syncwarp(void)
{
    meet(current->warp_barrier);
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

static void begin(struct fiber *f)
{
    f->stack = __real_malloc(STACK);
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
    emulated_switch(&scheduler, f->at);
    return true;
}

/* Blocks [first, first + blocks) of the grid, all at once. */
static void run_blocks(unsigned first, unsigned blocks, unsigned threads)
{
    const unsigned n = blocks * threads, warps = threads / WARP;
    const char *order = getenv("KETLINE_EMULATED_ORDER");
    const bool reverse = order && strcmp(order, "reverse") == 0;
    struct fiber *fibers = (struct fiber *)__real_calloc(n, sizeof *fibers);
    struct barrier *barriers = (struct barrier *)__real_calloc(blocks * (warps + 1), sizeof *barriers);
    uint64_t *slots = (uint64_t *)__real_calloc(blocks * warps, 2 * WARP * sizeof *slots);
    if (!fibers || !barriers || !slots) emulated_die("no memory");
    for (unsigned i = 0; i < n; i++) {
        const unsigned block = i / threads, thread = i % threads, warp = thread / WARP;
        struct barrier *own = barriers + block * (warps + 1);
        own->of = threads, own[1 + warp].of = WARP;
        fibers[i].thread.x = thread, fibers[i].block.x = first + block;
        fibers[i].block_barrier = own, fibers[i].warp_barrier = own + 1 + warp;
        fibers[i].slots = slots + (size_t)(block * warps + warp) * 2 * WARP;
        begin(&fibers[i]);
    }
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
    for (unsigned i = 0; i < n; i++) free(fibers[i].stack);
    free(fibers), free(barriers), free(slots);
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
#define MAY_FAIL()                                    \
    do {                                              \
        const cudaError_t failed_ = emulated_fails(); \
        if (failed_) return failed_;                  \
    } while (0)

cudaError_t emulated_launch(std::function<void()> kernel, dim3 grid, dim3 block, size_t shared,
                            bool cooperative, cudaStream_t stream)
{
    MAY_FAIL();
    if (block.x % WARP || block.x > 1024 || !block.x || !grid.x || shared > SHARED)
        return cudaErrorUnknown;
    return emulated_enqueue(stream, [=] {
        job = &kernel;
        blockDim = block, gridDim = grid;
        memset(kl_shared, 0xff, sizeof kl_shared);
        if (cooperative) run_blocks(0, grid.x, block.x);
        for (unsigned b = 0; !cooperative && b < grid.x; b++) run_blocks(b, 1, block.x);
    });
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorMemoryAllocation ? "out of memory"
           : error                            ? "emulated failure"
                                              : "no error";
}
cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int *count)
{
    const char *n = getenv("KETLINE_EMULATED_DEVICES");
    *count = n ? atoi(n) : 1;
    return *count ? cudaSuccess : cudaErrorNoDevice;
}
cudaError_t cudaSetDevice(int)
{
    MAY_FAIL();
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int)
{
    MAY_FAIL();
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "emulated");
    const char *shared = getenv("KETLINE_EMULATED_SHARED");
    p->major = 9, p->multiProcessorCount = 3;
    p->sharedMemPerBlockOptin = shared ? (size_t)atoi(shared) : (size_t)SHARED;
    return cudaSuccess;
}

static std::map<const char *, size_t> taken;
static size_t all_taken;
static std::mutex taken_lock;

static size_t card_memory(void)
{
    const char *bytes = getenv("KETLINE_EMULATED_MEMORY");
    return bytes ? strtoull(bytes, NULL, 10) : (size_t)1 << 30;
}
cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    const std::lock_guard<std::mutex> hold(taken_lock);
    *total = card_memory();
    *free = *total - all_taken;
    return cudaSuccess;
}

/* GUARD bytes of 0x5a lie behind it. */
cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    *memory = NULL;
    MAY_FAIL();
    const std::lock_guard<std::mutex> hold(taken_lock);
    if (bytes > card_memory() - all_taken) return cudaErrorMemoryAllocation;
    char *at = (char *)aligned_alloc(256, (bytes + GUARD + 255) / 256 * 256);
    if (!at) return cudaErrorMemoryAllocation;
    memset(at, 0xff, bytes);
    memset(at + bytes, 0x5a, GUARD);
    ASAN_POISON_MEMORY_REGION(at + bytes, GUARD); /* reads behind the end are seen, too */
    taken[at] = bytes;
    all_taken += bytes;
    *memory = at;
    emulated_hold(1);
    return cudaSuccess;
}
size_t emulated_room(const void *memory)
{
    const std::lock_guard<std::mutex> hold(taken_lock);
    auto found = taken.upper_bound((const char *)memory);
    if (found == taken.begin()) return 0;
    const char *end = (--found)->first + found->second;
    return (const char *)memory < end ? (size_t)(end - (const char *)memory) : 0;
}
cudaError_t cudaFree(void *memory)
{
    if (!memory) return cudaSuccess;
    emulated_wait(true); /* as CUDA does */
    const std::lock_guard<std::mutex> hold(taken_lock);
    const auto found = taken.find((char *)memory);
    if (found == taken.end()) emulated_die("memory is freed that was not taken");
    ASAN_UNPOISON_MEMORY_REGION((char *)memory + found->second, GUARD);
    for (size_t i = 0; i < GUARD; i++)
        if (((char *)memory)[found->second + i] != 0x5a)
            emulated_die("a kernel wrote behind the end of its memory");
    all_taken -= found->second;
    taken.erase(found);
    free(memory);
    emulated_hold(-1);
    return cudaSuccess;
}
static std::map<const char *, size_t> pinned;
static std::multiset<const char *> flights; /* what copies on their way read and write */

cudaError_t cudaMallocHost(void **memory, size_t bytes)
{
    *memory = NULL;
    MAY_FAIL();
    *memory = __real_malloc(bytes);
    if (!*memory) return cudaErrorMemoryAllocation;
    const std::lock_guard<std::mutex> hold(taken_lock);
    pinned[(char *)*memory] = bytes;
    emulated_hold(1);
    return cudaSuccess;
}
/* The real one promises nothing about copies that are still on their way. */
cudaError_t cudaFreeHost(void *memory)
{
    if (!memory) return cudaSuccess;
    const std::lock_guard<std::mutex> hold(taken_lock);
    const auto found = pinned.find((char *)memory);
    if (found == pinned.end()) emulated_die("pinned memory is freed that was not taken");
    const auto flight = flights.lower_bound(found->first);
    if (flight != flights.end() && *flight < found->first + found->second)
        emulated_die("pinned memory is freed while a copy is on its way");
    pinned.erase(found);
    free(memory);
    emulated_hold(-1);
    return cudaSuccess;
}
static void fly(const void *at, bool lands)
{
    const std::lock_guard<std::mutex> hold(taken_lock);
    if (lands) flights.erase(flights.find((const char *)at));
    else flights.insert((const char *)at);
}
cudaError_t cudaMemset(void *memory, int value, size_t bytes)
{
    MAY_FAIL();
    emulated_wait(false);
    memset(memory, value, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream)
{
    MAY_FAIL();
    return emulated_enqueue(stream, [=] { memset(memory, value, bytes); });
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind)
{
    MAY_FAIL();
    emulated_wait(false);
    memcpy(to, from, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream)
{
    MAY_FAIL();
    fly(to, false), fly(from, false);
    return emulated_enqueue(stream, [=] {
        memcpy(to, from, bytes);
        fly(to, true), fly(from, true);
    });
}
