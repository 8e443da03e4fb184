/* SPDX-License-Identifier: MIT
   See cuda_runtime.h here: memory of the GPU and of the host, and copies. */
#include "streams.h"

#include <stdlib.h>

#include <map>
#include <mutex>
#include <set>

enum { GUARD = 64 };

static std::map<const char *, size_t> taken;
static size_t all_taken;
static std::mutex taken_lock;

static size_t gpu_memory(void)
{
    const char *bytes = getenv("KETLINE_EMULATED_MEMORY");
    return bytes ? strtoull(bytes, NULL, 10) : (size_t)1 << 30;
}
cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    *free = *total = 0;
    MAY_FAIL();
    const std::lock_guard<std::mutex> hold(taken_lock);
    *total = gpu_memory();
    *free = *total - all_taken;
    return cudaSuccess;
}

/* GUARD bytes of 0x5a lie behind it. */
cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    *memory = NULL;
    MAY_FAIL();
    const std::lock_guard<std::mutex> hold(taken_lock);
    if (bytes > gpu_memory() - all_taken) return cudaErrorMemoryAllocation;
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
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind, cudaStream_t stream)
{
    MAY_FAIL();
    if (width > to_pitch || width > from_pitch) return cudaErrorInvalidValue;
    fly(to, false), fly(from, false);
    return emulated_enqueue(stream, [=] {
        for (size_t i = 0; i < height; i++)
            memcpy((char *)to + i * to_pitch, (const char *)from + i * from_pitch, width);
        fly(to, true), fly(from, true);
    });
}
