/* SPDX-License-Identifier: MIT
   JPEG files that are damaged, at every byte; what a file is, whatever its name says; a folder of both
   formats. Pixels: tests/golden/jpeg.c. */
#include "ingest_test.h"

static const size_t LIMIT = 1 << 20;
static const char *const files[] = { "420", "progressive", "progressive-grey", "restarts", "turned" };

static void cut(struct kl_arena *arena, const char *path, const unsigned char *whole, size_t n)
{
    struct kl_picture p;
    struct kl_error err;
    for (size_t left = 0; left < n; left++) {
        put(path, whole, left);
        kl_arena_reset(arena);
        CHECK(kl_ingest_picture_decode(&p, path, LIMIT, arena, &err) == KL_EDATA && one_line(&err, path),
              "cut at %zu of %zu", left, n);
    }
}

/* There is no checksum: another picture may come out, but whole and of the size that the file says. */
static size_t flip(struct kl_arena *arena, const char *path, unsigned char *whole, size_t n)
{
    struct kl_picture p;
    struct kl_picture_header h;
    struct kl_error err;
    size_t refused = 0;
    for (size_t bit = 0; bit < 8 * n; bit += 3) {
        whole[bit / 8] ^= (unsigned char)(1 << bit % 8);
        put(path, whole, n);
        kl_arena_reset(arena);
        const int code = kl_ingest_picture_decode(&p, path, LIMIT, arena, &err);
        CHECK(code == 0 || (code == KL_EDATA && one_line(&err, path)), "bit %zu: %s", bit, err.text);
        CHECK(code || (kl_ingest_picture_header(&h, path, LIMIT, &err) == 0 && h.height == p.height &&
                       h.width == p.width && h.colour == (p.channels == 3)),
              "bit %zu: another size than in the header", bit);
        refused += code != 0;
        whole[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    return refused;
}

static void damage(struct kl_arena *arena)
{
    const char *path = path_of("d.jpg");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[64];
        size_t n;
        snprintf(name, sizeof name, "jpeg/%s", files[i]);
        const char *from = corpus_file(name);
        unsigned char *whole = get_file(from, &n);
        CHECK(whole && n > 300, "%s", from);
        if (!whole) continue;
        cut(arena, path, whole, n);
        CHECK(flip(arena, path, whole, n) > n / 10, "%s: hardly any flipped bit is noticed", from);
        free(whole);
    }
}

static void copy(const char *to, const char *from)
{
    size_t n;
    unsigned char *bytes = get_file(from, &n);
    CHECK(bytes, "%s", from);
    if (bytes) put(to, bytes, n);
    free(bytes);
}

static void a_folder(struct kl_arena *arena)
{
    static uint8_t pixels[5][21 * 46 * 3];
    char *said = NULL, set[1024];
    size_t said_bytes;
    struct kl_images *im = NULL;
    struct kl_images_options o;
    struct kl_error err = { 0 };
    FILE *to = open_memstream(&said, &said_bytes);
    const struct kl_log log = { .to = to, .tool = "test", .level = 1 };
    in_folder(set, "set");
    const char *paths[] = { set };
    mkdir(set, 0777);
    mkdir(path_of("set/a"), 0777);
    mkdir(path_of("set/b"), 0777);
    copy(path_of("set/a/0.jpg"), corpus_file("jpeg/bad-cut"));
    copy(path_of("set/a/1.jpg"), corpus_file("jpeg/exif-long"));
    copy(path_of("set/a/2.JPEG"), corpus_file("jpeg/turned"));
    copy(path_of("set/a/3.png"), corpus_file("jpeg/420")); /* as is often met */
    copy(path_of("set/b/4.jpg"), corpus_file("png/rgb"));
    copy(path_of("set/b/5.jfif"), corpus_file("jpeg/turned-behind-xmp"));
    kl_ingest_images_options_default(&o);
    o.resize = 6, o.log = &log;
    CHECK(kl_ingest_images_open(&im, paths, 1, &o, &err) == 0, "%s",
          err.text); /* only headers are read */
    CHECK(im && kl_ingest_images_read(im, 0, 1, pixels[0], arena, &err) == KL_EDATA &&
              strstr(err.text, "set/a/0.jpg: cannot be read as JPEG: Premature end of JPEG file; "
                               "--skip-bad leaves it out"),
          "%s", err.text);
    kl_ingest_images_close(&im);
    o.skip_bad = true;
    CHECK(kl_ingest_images_open(&im, paths, 1, &o, &err) == 0, "%s", err.text);
    if (!im) return;
    CHECK(im->n == 5 && im->channels == 3 && im->n_classes == 2 && im->skipped == 1, "what it holds");
    for (size_t i = 0; i < im->n; i++)
        CHECK(kl_ingest_images_read(im, i, 1, pixels[i], arena, &err) == 0, "%s", err.text);
    CHECK(memcmp(pixels[1], pixels[4], (size_t)6 * 6 * 3) == 0, "the same photograph twice");
    fclose(to);
    CHECK(strstr(said, "3 of 5 image files are to be turned, as their Exif says (first: ") &&
              strstr(said, "set/a/1.jpg)"),
          "%s", said);
    kl_ingest_images_close(&im);
    free(said);
}

int main(void)
{
    struct kl_arena arena;
    make_test_folder();
    if (kl_arena_init(&arena, 1 << 16, NULL)) return 1;
    damage(&arena);
    a_folder(&arena);
    kl_arena_free(&arena);
    return failures != 0;
}
