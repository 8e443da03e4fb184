/* SPDX-License-Identifier: MIT
   PNG files: every colour type and depth against values worked out from the format, damage, bombs, and a
   folder of real ones. */
#include <png.h>
#include <zlib.h>

#include "ingest_test.h"

enum { H = 5, W = 9 };
static const size_t LIMIT = 1 << 20;

static unsigned sample(int y, int x, int c, int depth)
{
    return (unsigned)(y * 7919 + x * 104729 + c * 1299709 + 31) % (1u << depth);
}

/* Samples by sample(), palette entry k = (k*5, 255-k, k*11) mod 256. */
static void write_png(const char *path, int type, int depth, bool interlaced)
{
    const int channels = type == 0 || type == 3 ? 1 : type == 4 ? 2 : type == 2 ? 3 : 4;
    FILE *f = fopen(path, "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_color palette[256];
    unsigned char rows[H][W * 8] = { 0 };
    png_bytep pointers[H];
    for (int k = 0; k < 256; k++)
        palette[k] = (png_color){ (png_byte)(k * 5), (png_byte)(255 - k), (png_byte)(k * 11) };
    for (int y = 0; y < H; y++) {
        pointers[y] = rows[y];
        for (int i = 0; i < W * channels; i++) {
            const unsigned v = sample(y, i / channels, i % channels, depth);
            if (depth == 16) {
                rows[y][2 * i] = (unsigned char)(v >> 8);
                rows[y][2 * i + 1] = (unsigned char)v;
            } else {
                rows[y][i * depth / 8] |= (unsigned char)(v << (8 - depth - i * depth % 8));
            }
        }
    }
    png_init_io(png, f);
    png_set_IHDR(png, info, W, H, depth, type, interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, 0,
                 0);
    if (type == 3) png_set_PLTE(png, info, palette, 1 << depth);
    png_write_info(png, info);
    png_write_image(png, pointers);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    fclose(f);
}

static unsigned expected(int type, int depth, int y, int x, int c)
{
    const unsigned v = sample(y, x, type == 3 ? 0 : c, depth);
    if (type == 3) return (c == 0 ? v * 5 : c == 1 ? 255 - v : v * 11) & 255;
    return depth == 16 ? (v + 128) / 257 : v * 255 / ((1u << depth) - 1);
}

static void all_types(struct kl_arena *arena)
{
    static const int types[][2] = { { 0, 1 }, { 0, 2 },  { 0, 4 },  { 0, 8 }, { 0, 16 },
                                    { 2, 8 }, { 2, 16 }, { 3, 1 },  { 3, 2 }, { 3, 4 },
                                    { 3, 8 }, { 4, 8 },  { 4, 16 }, { 6, 8 }, { 6, 16 } };
    for (size_t i = 0; i < 2 * sizeof types / sizeof *types; i++) {
        const int type = types[i / 2][0], depth = types[i / 2][1];
        const char *path = path_of("a.png");
        struct kl_picture p;
        struct kl_error err = { 0 };
        size_t wrong = 0;
        write_png(path, type, depth, i % 2);
        kl_arena_reset(arena);
        const int code = kl_ingest_picture_decode(&p, path, LIMIT, arena, &err);
        CHECK(code == 0 && err.code == 0, "type %d depth %d: %s", type, depth, err.text);
        if (code) continue;
        CHECK(p.height == H && p.width == W && p.channels == (type & 2 ? 3 : 1),
              "type %d depth %d: shape", type, depth);
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                for (int c = 0; c < (int)p.channels; c++)
                    wrong += p.pixels[((size_t)y * W + (size_t)x) * p.channels + (size_t)c] !=
                             expected(type, depth, y, x, c);
        CHECK(wrong == 0, "type %d depth %d interlaced %d: %zu values", type, depth, (int)(i % 2),
              wrong);
    }
}

static void damage(struct kl_arena *arena)
{
    const char *path = path_of("d.png");
    struct kl_picture p;
    struct kl_error err;
    size_t n = 0;
    write_png(path, 2, 8, false);
    unsigned char *whole = get_file(path, &n);
    for (size_t cut = 0; cut < n; cut++) {
        put(path, whole, cut);
        kl_arena_reset(arena);
        CHECK(kl_ingest_picture_decode(&p, path, LIMIT, arena, &err) == KL_EDATA && one_line(&err, path),
              "cut at %zu", cut);
    }
    for (size_t bit = 0; bit < 8 * n;
         bit++) { /* there is no ancillary chunk: every bit is covered by a check */
        whole[bit / 8] ^= (unsigned char)(1 << bit % 8);
        put(path, whole, n);
        kl_arena_reset(arena);
        CHECK(kl_ingest_picture_decode(&p, path, LIMIT, arena, &err) == KL_EDATA, "bit %zu", bit);
        whole[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    free(whole);
}

/* A valid header that claims a size, and hardly any data. */
static void bombs(struct kl_arena *arena)
{
    static const uint32_t sides[][2] = {
        { 100000, 100000 }, { 65535, 65535 }, { 0x7fffffff, 0x7fffffff }, { 1, 0xffffffff }, { 0, 5 }
    };
    const char *path = path_of("bomb.png");
    struct kl_picture p;
    struct kl_error err;
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        unsigned char b[45] = "\211PNG\r\n\032\n\0\0\0\15IHDR";
        for (int k = 0; k < 8; k++) b[16 + k] = (unsigned char)(sides[i][k / 4] >> (24 - 8 * (k % 4)));
        b[24] = 8;
        const uint32_t crc = (uint32_t)crc32(0, b + 12, 17);
        for (int k = 0; k < 4; k++) b[29 + k] = (unsigned char)(crc >> (24 - 8 * k));
        memcpy(b + 33, "\0\0\0\0IEND\256B`\202", 12);
        put(path, b, sizeof b);
        CHECK(kl_ingest_picture_decode(&p, path, (size_t)256 << 20, arena, &err) == KL_EDATA &&
                  one_line(&err, path),
              "bomb %zu: %s", i, err.text);
    }
}

static void a_folder(struct kl_arena *arena)
{
    struct kl_images *im = NULL;
    struct kl_images_options o;
    struct kl_error err = { 0 };
    unsigned char pixels[H * W * 3];
    char path[1024];
    kl_ingest_images_options_default(&o);
    in_folder(path, "set");
    const char *paths[] = { path };
    mkdir(path, 0777);
    CHECK(kl_ingest_images_open(&im, paths, 1, &o, &err) == KL_EDATA, "an empty folder");
    mkdir(path_of("set/cat"), 0777);
    mkdir(path_of("set/ant"), 0777);
    write_png(path_of("set/cat/1.png"), 0, 8, false);
    write_png(path_of("set/cat/2.PNG"), 2, 8, false);
    write_png(path_of("set/ant/9.png"), 0, 8, false);
    put(path_of("set/ant/notes.txt"), "x", 1);
    put(path_of("set/ant/bad.png"), "\211PNG", 4);
    CHECK(kl_ingest_images_open(&im, paths, 1, &o, &err) == KL_EDATA && strstr(err.text, "bad.png"),
          "%s", err.text);
    o.skip_bad = true;
    CHECK(kl_ingest_images_open(&im, paths, 1, &o, &err) == 0, "%s", err.text);
    if (!im) return;
    CHECK(im->n == 3 && im->skipped == 1 && im->channels == 3 && im->n_classes == 2, "what it holds");
    CHECK(im->labels[0] == 0 && im->labels[1] == 1 && im->index[0] == 0 && im->index[1] == 2,
          "labels and index");
    CHECK(strcmp(im->class_names, "ant") == 0, "class names are sorted");
    CHECK(kl_ingest_images_read(im, 0, 1, pixels, arena, &err) == 0, "%s", err.text);
    CHECK(pixels[3] == sample(0, 1, 0, 8) && pixels[4] == pixels[3] && pixels[5] == pixels[3],
          "grey as RGB");
    CHECK(kl_ingest_images_read(im, 2, 1, pixels, arena, &err) == 0 && pixels[4] == sample(0, 1, 1, 8),
          "RGB");
    kl_ingest_images_close(&im);
}

/* mnist-png/<class>/<i>.png is record i - 60000 of the IDX file. */
static void real_ones(struct kl_arena *arena, const char *shared)
{
    char idx[512], set[512], name[600];
    struct kl_images *a = NULL;
    struct kl_images_options o;
    struct kl_error err = { 0 };
    size_t seen = 0;
    snprintf(idx, sizeof idx, "%s/data/mnist/t10k-images-idx3-ubyte.gz", shared);
    snprintf(set, sizeof set, "%s/data/mnist-png", shared);
    const char *paths[] = { idx };
    if (access(set, R_OK) != 0 || access(idx, R_OK) != 0) {
        printf("skipped: %s is not there\n", set);
        return;
    }
    kl_ingest_images_options_default(&o);
    CHECK(kl_ingest_images_open(&a, paths, 1, &o, &err) == 0, "%s", err.text);
    unsigned char *pixels = malloc(10000 * 784);
    CHECK(a && kl_ingest_images_read(a, 0, 10000, pixels, arena, &err) == 0, "%s", err.text);
    for (int i = 0; a && i < 300; i++) {
        struct kl_picture p;
        snprintf(name, sizeof name, "%s/%d/%d.png", set, a->labels[i], 60000 + i);
        if (access(name, R_OK) != 0) continue;
        seen++;
        kl_arena_reset(arena);
        CHECK(kl_ingest_picture_decode(&p, name, LIMIT, arena, &err) == 0 &&
                  memcmp(p.pixels, pixels + 784 * i, 784) == 0,
              "%s", name);
    }
    CHECK(seen > 100, "only %zu files", seen);
    free(pixels);
    kl_ingest_images_close(&a);
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED") ? getenv("KETLINE_SHARED") : "../shared";
    struct kl_arena arena;
    make_test_folder();
    if (kl_arena_init(&arena, 1 << 16, NULL)) return 1;
    all_types(&arena);
    damage(&arena);
    bombs(&arena);
    a_folder(&arena);
    real_ones(&arena, shared);
    kl_arena_free(&arena);
    return failures != 0;
}
