/* SPDX-License-Identifier: MIT
   A look at the pixels on their way to the network: are they images that its weights were trained on,
   and are they nearly black? */
#include <stdlib.h>
#include <string.h>

#include "backbone/extract_int.h"

enum { EVERY = 50, LARGEST = 1 << 20, DARKEST = 32 }; /* one in so many is in the list; bytes of it */

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* "weights.safetensors": "weights.seen" */
static void name_list(char *path, size_t size, const char *weights)
{
    const char *dot = strrchr(weights, '.');
    snprintf(path, size, "%.*s.seen", dot ? (int)(dot - weights) : (int)strlen(weights), weights);
}

static uint64_t first_64_bits(const void *data, size_t n)
{
    unsigned char digest[16];
    uint64_t first = 0;
    kl_xxh128(digest, data, n);
    for (int i = 0; i < 8; i++) first = first << 8 | digest[i];
    return first;
}

int kl_look_open(struct kl_look *look, const char *weights, struct kl_error *err)
{
    char path[4096], *text = NULL, *rest = NULL;
    size_t n, room = 0;
    *look = (struct kl_look){ 0 };
    name_list(path, sizeof path, weights);
    int code = kl_read_text(&text, &n, path, LARGEST, "a list of digests", err);
    if (code == KL_ENOINPUT) return KL_OK; /* the weights were copied without it */
    for (const char *c = text; c && *c; c++) room += *c == '\n';
    if (!code && !(look->digests = malloc((room + 1) * sizeof *look->digests)))
        code = kl_fail_memory(err, room * sizeof *look->digests);
    for (char *line = code ? NULL : strtok_r(text, "\n", &rest); line && !code;
         line = strtok_r(NULL, "\n", &rest)) {
        char *end;
        if (*line == '#') continue;
        look->digests[look->n++] = strtoull(line, &end, 16);
        if (end != line + 16 || *end)
            code =
                kl_fail(err, KL_EDATA, "%s: found '%.20s', expected a digest of 16 digits", path, line);
    }
    if (!code) qsort(look->digests, look->n, sizeof *look->digests, by_value);
    free(text);
    return code;
}

void kl_look_at(struct kl_look *look, const uint8_t *pixels, size_t n, size_t bytes)
{
    const size_t trained = (size_t)KL_SHIPPED_SIDE * KL_SHIPPED_SIDE;
    uint8_t largest = 0;
    size_t seen = 0;
    for (size_t i = 0; i < n * bytes; i++) largest = pixels[i] > largest ? pixels[i] : largest;
    for (size_t i = 0; i < n && look->n && bytes == trained; i++) {
        const uint64_t digest = first_64_bits(pixels + i * bytes, bytes);
        seen += bsearch(&digest, look->digests, look->n, sizeof digest, by_value) != NULL;
    }
    atomic_fetch_add(&look->images, n);
    atomic_fetch_add(&look->hits, seen);
    for (unsigned before = atomic_load(&look->largest); before < largest;)
        if (atomic_compare_exchange_weak(&look->largest, &before, largest)) break;
}

size_t kl_look_seen(const struct kl_look *look)
{
    const size_t n = atomic_load(&look->images), seen = atomic_load(&look->hits) * EVERY;
    if (atomic_load(&look->hits) < 2 || seen * 20 < n) return 0;
    return seen < n ? seen : n;
}

void kl_look_say(const struct kl_look *look, const struct kl_log *log)
{
    const size_t n = atomic_load(&look->images), seen = kl_look_seen(look);
    const unsigned largest = atomic_load(&look->largest);
    if (seen == n && n)
        kl_caution(
            log,
            "the weights were trained on all %zu of these images: accuracies on them are higher than "
            "on new ones",
            n);
    else if (seen)
        kl_caution(
            log,
            "the weights were trained on some %zu of these %zu images: accuracies on them are higher "
            "than on new ones",
            seen, n);
    if (n && largest < DARKEST)
        kl_caution(
            log,
            "the largest pixel of %zu image%s is %u, where 255 is white: nearly black; if it is to "
            "be white, scale the pixels to 0 to 255",
            n, kl_s(n), largest);
}

void kl_look_close(struct kl_look *look)
{
    free(look->digests);
    *look = (struct kl_look){ 0 };
}
