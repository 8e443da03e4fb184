/* SPDX-License-Identifier: MIT
   Chunks in a list; a block is a bump of the current one. Under AddressSanitizer every block has a chunk
   of its own, so that a write past its end is seen. Large chunks ask for large pages, of which sweeps
   cross fewer; a refusal costs nothing. */
#include "base/base.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { ALIGN = 64, LEAST_CHUNK = 1 << 16, LARGE_PAGE = 1 << 21 };

struct kl_arena_chunk {
    struct kl_arena_chunk *next;
    size_t size, used;
    unsigned char *bytes;
};

#if defined(__SANITIZE_ADDRESS__)
#define BLOCK_PER_CHUNK 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BLOCK_PER_CHUNK 1
#endif
#endif
#ifndef BLOCK_PER_CHUNK
#define BLOCK_PER_CHUNK 0
#endif

static struct kl_arena_chunk *chunk_create(size_t size)
{
    struct kl_arena_chunk *chunk = malloc(sizeof *chunk);
    if (!chunk) return NULL;
    const size_t align = size < 2 * LARGE_PAGE ? ALIGN : LARGE_PAGE,
                 whole = (size + align - 1) / align * align;
    *chunk = (struct kl_arena_chunk){ .size = whole,
                                      .bytes = whole < size ? NULL : aligned_alloc(align, whole) };
    if (chunk->bytes && align == LARGE_PAGE) madvise(chunk->bytes, whole, MADV_HUGEPAGE);
    if (chunk->bytes) return chunk;
    free(chunk);
    return NULL;
}

int kl_arena_init(struct kl_arena *arena, size_t bytes, struct kl_error *err)
{
    *arena = (struct kl_arena){ 0 };
    if (BLOCK_PER_CHUNK) return KL_OK;
    arena->first = arena->current = chunk_create(bytes < LEAST_CHUNK ? LEAST_CHUNK : bytes);
    return arena->first ? KL_OK : kl_fail_memory(err, bytes);
}

void *kl_arena_take(struct kl_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2) return NULL;
    size_t step = bytes ? (bytes + ALIGN - 1) / ALIGN * ALIGN : ALIGN;
    struct kl_arena_chunk *chunk = BLOCK_PER_CHUNK ? NULL : arena->current;
    while (chunk && chunk->size - chunk->used < step) {
        chunk = chunk->next;
        if (chunk) chunk->used = 0;
    }
    if (!chunk) {
        chunk = chunk_create(BLOCK_PER_CHUNK      ? (bytes ? bytes : 1)
                             : step < LEAST_CHUNK ? LEAST_CHUNK
                                                  : step);
        if (!chunk) return NULL;
        if (BLOCK_PER_CHUNK) {
            chunk->next = arena->first;
            arena->first = chunk;
            return chunk->bytes;
        }
        struct kl_arena_chunk **end = &arena->first;
        while (*end) end = &(*end)->next;
        *end = chunk;
    }
    arena->current = chunk;
    void *block = chunk->bytes + chunk->used;
    chunk->used += step;
    return block;
}

void kl_arena_reset(struct kl_arena *arena)
{
    if (BLOCK_PER_CHUNK) {
        kl_arena_free(arena);
        return;
    }
    arena->current = arena->first;
    if (arena->first) arena->first->used = 0;
}

void kl_arena_free(struct kl_arena *arena)
{
    while (arena->first) {
        struct kl_arena_chunk *next = arena->first->next;
        free(arena->first->bytes);
        free(arena->first);
        arena->first = next;
    }
    arena->current = NULL;
}
