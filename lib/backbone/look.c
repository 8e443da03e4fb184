/* SPDX-License-Identifier: MIT
   A look at the pixels on their way to the network: are they images that its weights were trained on,
   and are they nearly black? */
#include <stdlib.h>
#include <string.h>

#include "backbone/extract_int.h"

enum { EVERY = 50, LARGEST = 1 << 20, DARKEST = 64 }; /* one in so many is in the list; bytes of it */

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

int kl_look_begin(struct kl_look *look, size_t n_rows, struct kl_error *err)
{
    free(look->rows);
    look->n_rows = n_rows;
    look->rows = calloc(n_rows + 1, sizeof *look->rows);
    atomic_store(&look->images, 0);
    atomic_store(&look->hits, 0);
    atomic_store(&look->largest, 0);
    return look->rows ? KL_OK : kl_fail_memory(err, n_rows * sizeof *look->rows);
}

void kl_look_at(struct kl_look *look, const uint8_t *pixels, size_t row, size_t n, size_t bytes)
{
    const size_t trained = (size_t)KL_SHIPPED_SIDE * KL_SHIPPED_SIDE;
    uint8_t largest = 0;
    size_t seen = 0;
    for (size_t i = 0; i < n * bytes; i++) largest = pixels[i] > largest ? pixels[i] : largest;
    for (size_t i = 0; i < n; i++) {
        const uint64_t digest = look->rows[row + i] = first_64_bits(pixels + i * bytes, bytes);
        if (look->n && bytes == trained)
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

static void say_pixels(const struct kl_look *look, const struct kl_log *log)
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
            "the largest pixel of %zu image%s is %u, where 255 is white: nearly black; if fewer bits "
            "are used, as 12 of 16 or 0 and 1, scale the pixels first",
            n, kl_s(n), largest);
}

struct image {
    uint64_t digest;
    size_t row;
};

static int by_digest(const void *a, const void *b)
{
    const struct image *x = a, *y = b;
    if (x->digest != y->digest) return x->digest < y->digest ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Images that occur more than once; those of them that do so under two labels; the first pair. */
struct copies {
    size_t n, labelled, first[2];
};

static void count_copies(struct copies *c, const struct image *images, size_t n, const int32_t *labels)
{
    for (size_t from = 0, end; from < n; from = end) {
        bool differ = false;
        for (end = from + 1; end < n && images[end].digest == images[from].digest; end++)
            differ |= labels[images[end].row] != labels[images[from].row];
        if (end - from < 2) continue;
        if (!c->n || images[from].row < c->first[0])
            c->first[0] = images[from].row, c->first[1] = images[from + 1].row;
        c->n += end - from;
        c->labelled += differ ? end - from : 0;
    }
}

/* Copies that train and judge flatter every accuracy; copies under two labels cannot be told apart. */
static int say_copies(const struct kl_look *look, const int32_t *labels, const struct kl_log *log,
                      struct kl_error *err)
{
    struct copies c = { 0 };
    size_t n = 0;
    char classes[80] = "";
    struct image *images = malloc((look->n_rows + 1) * sizeof *images);
    if (!images) return kl_fail_memory(err, look->n_rows * sizeof *images);
    for (size_t row = 0; row < look->n_rows; row++)
        if (look->rows[row]) images[n++] = (struct image){ look->rows[row], row };
    qsort(images, n, sizeof *images, by_digest);
    count_copies(&c, images, n, labels);
    free(images);
    if (c.labelled) snprintf(classes, sizeof classes, ", %zu of them in several classes", c.labelled);
    if (c.n)
        kl_caution(
            log,
            "%zu of %zu images occur more than once%s (first: images %zu and %zu): where copies train "
            "and judge, accuracies are too high",
            c.n, n, classes, c.first[0], c.first[1]);
    return KL_OK;
}

int kl_look_say(struct kl_look *look, const int32_t *labels, const struct kl_log *log,
                struct kl_error *err)
{
    say_pixels(look, log);
    return say_copies(look, labels, log, err);
}

void kl_look_close(struct kl_look *look)
{
    free(look->digests);
    free(look->rows);
    *look = (struct kl_look){ 0 };
}
