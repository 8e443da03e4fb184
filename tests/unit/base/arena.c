/* SPDX-License-Identifier: MIT
   Arenas: blocks are aligned, do not overlap, survive growth; sizes that overflow are refused. */
#include "base_test.h"

enum { BLOCKS = 400 };

static size_t block_size(int i)
{
    return (size_t)(i * 7919 % 5000) + (i % 50 == 0 ? 300000 : 1);
}

/* Fill every block with its number, then look whether each still holds it. */
static void fill_and_check(struct kl_arena *arena)
{
    static unsigned char *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = kl_arena_take(arena, block_size(i), 1);
        CHECK(blocks[i], "block %d", i);
        if (!blocks[i]) return;
        CHECK((uintptr_t)blocks[i] % 64 == 0, "block %d at %p", i, (void *)blocks[i]);
        memset(blocks[i], i, block_size(i));
    }
    for (int i = 0; i < BLOCKS; i++)
        for (size_t k = 0; k < block_size(i); k++)
            if (blocks[i][k] != (unsigned char)i) {
                CHECK(false, "block %d, byte %zu was overwritten", i, k);
                break;
            }
}

int main(void)
{
    struct kl_arena arena;
    struct kl_error err = { 0 };
    CHECK(kl_arena_init(&arena, 1000, &err) == 0, "%s", err.text);
    for (int round = 0; round < 3; round++) { /* the second and third in the memory of the first */
        fill_and_check(&arena);
        kl_arena_reset(&arena);
    }
    CHECK(kl_arena_take(&arena, 0, 8), "an empty block is a block");
    CHECK(!kl_arena_take(&arena, SIZE_MAX / 4, 8), "count x size overflows");
    CHECK(!kl_arena_take(&arena, SIZE_MAX, 1), "rounding up overflows");
    CHECK(kl_arena_take(&arena, 16, 4), "still usable after a refusal");
    kl_arena_free(&arena);
    CHECK(!arena.first && !arena.current, "empty after free");
    kl_arena_free(&arena); /* a second time does nothing */
    return failures != 0;
}
