/* SPDX-License-Identifier: MIT
   A look at the pixels on their way to the network: are they images that its weights were trained on,
   and are they nearly black? */
#include <stdlib.h>
#include <string.h>

#include "backbone/backbone_int.h"

enum {
    EVERY = 50,        /* one image in so many is in the list */
    LARGEST = 1 << 20, /* bytes of it */
    DARK = 64          /* no pixel of a dark image comes up to this */
};
#define TITLE "# One in 50 of the images that"

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* "weights.safetensors": "weights.seen" */
static void name_list(char *path, size_t size, const char *weights)
{
    const char *slash = strrchr(weights, '/'), *dot = strrchr(slash ? slash : weights, '.');
    snprintf(path, size, "%.*s.seen", dot ? (int)(dot - weights) : (int)strlen(weights), weights);
}

static uint64_t first_64_bits(const unsigned char digest[16])
{
    uint64_t first = 0;
    for (int i = 0; i < 8; i++) first = first << 8 | digest[i];
    return first;
}

int kl_backbone_look_open(struct kl_look *look, const char *weights, struct kl_error *err)
{
    char path[4096], *text = NULL, *rest = NULL;
    size_t n, room = 0;
    *look = (struct kl_look){ 0 };
    name_list(path, sizeof path, weights);
    int code = kl_read_text(&text, &n, path, LARGEST, "a list of digests", err);
    if (code == KL_ENOINPUT) return KL_OK; /* the weights were copied without it */
    if (!code && strncmp(text, TITLE, strlen(TITLE)) != 0) *text = '\0'; /* somebody else's file */
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

int kl_backbone_look_begin(struct kl_look *look, size_t n_rows, struct kl_error *err)
{
    free(look->rows);
    look->n_rows = n_rows;
    look->rows = calloc(n_rows + 1, sizeof *look->rows);
    atomic_store(&look->images, 0);
    atomic_store(&look->hits, 0);
    atomic_store(&look->dark, 0);
    return look->rows ? KL_OK : kl_fail_memory(err, n_rows * sizeof *look->rows);
}

static bool is_dark(const uint8_t *pixels, size_t n)
{
    uint8_t largest = 0;
    for (size_t i = 0; i < n; i++) largest = pixels[i] > largest ? pixels[i] : largest;
    return largest < DARK;
}

void kl_backbone_look_at(struct kl_look *look, const uint8_t *pixels, size_t row, size_t n, size_t bytes)
{
    const size_t trained = (size_t)KL_SHIPPED_SIDE * KL_SHIPPED_SIDE;
    size_t seen = 0, dark = 0;
    for (size_t i = 0; i < n; i++) {
        kl_xxh128(look->rows[row + i], pixels + i * bytes, bytes);
        const uint64_t digest = first_64_bits(look->rows[row + i]);
        dark += is_dark(pixels + i * bytes, bytes);
        if (look->n && bytes == trained)
            seen += bsearch(&digest, look->digests, look->n, sizeof digest, by_value) != NULL;
    }
    atomic_fetch_add(&look->images, n);
    atomic_fetch_add(&look->hits, seen);
    atomic_fetch_add(&look->dark, dark);
}

size_t kl_backbone_look_seen(const struct kl_look *look)
{
    const size_t n = atomic_load(&look->images), seen = atomic_load(&look->hits) * EVERY;
    if (atomic_load(&look->hits) < 2 || seen * 20 < n) return 0;
    return seen < n ? seen : n;
}

static void say_pixels(const struct kl_look *look, const struct kl_log *log)
{
    const size_t n = atomic_load(&look->images), seen = kl_backbone_look_seen(look),
                 dark = atomic_load(&look->dark);
    if (seen)
        kl_caution(
            log,
            "the weights were trained on %s %zu of these images: accuracies on them are higher than "
            "on new ones",
            seen < n ? "some" : "all", seen);
    if (dark && dark * 10 >= n * 9)
        kl_caution(
            log,
            "%zu of %zu image%s nearly black, with no pixel above %d of 255: if fewer bits are used, "
            "as 12 of 16, or 0 and 1, scale the pixels first",
            dark, n, n == 1 ? " is" : "s are", DARK - 1);
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

/* Images that occur more than once, and where the first of them does. */
struct copies {
    size_t n, first[2];
};

static void add_copies(struct copies *c, const struct image *images, size_t n, size_t second)
{
    if (!c->n || images[0].row < c->first[0])
        c->first[0] = images[0].row, c->first[1] = images[second].row;
    c->n += n;
}

/* c[0]: all; c[1]: those with several labels. */
static void count_copies(struct copies c[2], const struct image *images, size_t n, const int32_t *labels)
{
    for (size_t from = 0, end; from < n; from = end) {
        const int32_t label = labels[images[from].row];
        size_t other = 0;
        for (end = from + 1; end < n && images[end].digest == images[from].digest; end++)
            if (!other && labels[images[end].row] != label) other = end - from;
        if (end - from > 1) add_copies(&c[0], images + from, end - from, 1);
        if (other) add_copies(&c[1], images + from, end - from, other);
    }
}

/* Public sets of images have a few copies, which change nothing: from one in a hundred on it is said.
   first: the number of the run's first image. */
static int say_copies(const struct kl_look *look, const int32_t *labels, size_t first,
                      const struct kl_log *log, struct kl_error *err)
{
    struct copies c[2] = { 0 };
    size_t n = 0;
    struct image *images = malloc((look->n_rows + 1) * sizeof *images);
    if (!images) return kl_fail_memory(err, look->n_rows * sizeof *images);
    for (size_t row = 0; row < look->n_rows; row++) {
        const uint64_t digest = first_64_bits(look->rows[row]);
        if (digest) images[n++] = (struct image){ digest, row };
    }
    qsort(images, n, sizeof *images, by_digest);
    count_copies(c, images, n, labels);
    free(images);
    if (c[0].n * 100 >= n && c[0].n)
        kl_caution(
            log,
            "%zu of %zu images occur more than once (first: images %zu and %zu): where copies train "
            "and judge, accuracies are too high",
            c[0].n, n, first + c[0].first[0], first + c[0].first[1]);
    if (c[1].n)
        kl_caution(log,
                   "%zu image%s with more than one label (first: images %zu and %zu): no classifier is "
                   "right about all of them",
                   c[1].n, c[1].n == 1 ? " occurs" : "s occur", first + c[1].first[0],
                   first + c[1].first[1]);
    return KL_OK;
}

int kl_backbone_look_say(struct kl_look *look, const int32_t *labels, size_t first,
                         const struct kl_log *log, struct kl_error *err)
{
    say_pixels(look, log);
    return say_copies(look, labels, first, log, err);
}

void kl_backbone_look_close(struct kl_look *look)
{
    free(look->digests);
    free(look->rows);
    *look = (struct kl_look){ 0 };
}
