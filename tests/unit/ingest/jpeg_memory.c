/* SPDX-License-Identifier: MIT
   Each allocation of libjpeg fails in turn: that is no damage, for which a picture may be left out. */
#include <errno.h>
#include <string.h>

#include "ingest_test.h"

static size_t count, fails; /* of the allocations; the one that fails */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__has_feature)
#define OWN_MALLOC 0 /* a checker has one of its own, or this is clang, which may have */
#else
#define OWN_MALLOC 1
void *__libc_malloc(size_t n);
/* libjpeg's calls come here too: what a program defines stands before the C library's. */
void *malloc(size_t n)
{
    if (fails && ++count == fails) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_malloc(n);
}
#endif

static void each(const char *name, struct kl_arena *arena)
{
    const char *path = corpus_file(name);
    size_t n = 0, refused = 0;
    for (size_t i = 1; n < 3 && i < 500; i++) { /* three beyond the last */
        struct kl_picture p;
        struct kl_error err = { 0 };
        kl_arena_reset(arena);
        count = 0, fails = i;
        const int code = kl_ingest_picture_decode(&p, path, 1 << 20, arena, &err);
        const bool failed = count >= fails;
        fails = 0;
        CHECK(code == 0 || (failed && code == KL_ENOMEM), "%s, %zu: %d %s", name, i, code, err.text);
        refused += code != 0; /* libjpeg asks again for less */
        n += !failed;
    }
    CHECK(refused > 5 && n == 3, "%s: %zu were refused", name, refused);
}

int main(void)
{
    struct kl_arena arena;
    if (!OWN_MALLOC) {
        puts("skipped: malloc is a checker's");
        return 77;
    }
    if (kl_arena_init(&arena, 1 << 20, NULL)) return 1;
    each("jpeg/grey", &arena);
    each("jpeg/progressive", &arena);
    kl_arena_free(&arena);
    return failures != 0;
}
