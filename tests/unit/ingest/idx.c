/* SPDX-License-Identifier: MIT
   IDX files: values, gzip read in order by many threads, and every kind of damage. */
#include <zlib.h>

#include "ingest_test.h"

enum { N = 7, H = 3, W = 4, HEADER = 16 };
static unsigned char images_file[HEADER + N * H * W], labels_file[8 + N];

static void be(unsigned char *b, uint32_t x)
{
    for (int i = 0; i < 4; i++) b[i] = (unsigned char)(x >> (24 - 8 * i));
}

static void put_gz(const char *path, const void *data, size_t n)
{
    gzFile f = gzopen(path, "wb9");
    for (size_t done = 0; done < n; done += 1 << 20)
        gzwrite(f, (const char *)data + done, (unsigned)(n - done < 1 << 20 ? n - done : 1 << 20));
    gzclose(f);
}

/* Open and read all, in blocks of two images; the code of whatever failed. */
static int read_everything(unsigned char *pixels, const char *path, const char *labels,
                           struct kl_error *err)
{
    struct kl_images *im = NULL;
    struct kl_images_options o;
    struct kl_arena arena;
    kl_ingest_images_options_default(&o);
    o.labels = labels;
    kl_arena_init(&arena, 4096, NULL);
    int rc = kl_ingest_images_open(&im, &path, 1, &o, err);
    for (size_t i = 0; !rc && i < im->n; i += 2) {
        const size_t n = im->n - i < 2 ? im->n - i : 2;
        rc = kl_ingest_images_read(im, i, n, pixels + i * H * W, &arena, err);
    }
    kl_ingest_images_close(&im);
    kl_arena_free(&arena);
    return rc;
}

/* Labels as whole numbers of every size, one or several each, of which the first is the class. */
static void labels_of_every_type(void)
{
    static const struct {
        unsigned char type, rank;
        size_t size, columns;
        const char *name, *words; /* of a refusal; NULL: it is read */
    } cases[] = { { 8, 1, 1, 1, "a-labels-idx1-ubyte", NULL },
                  { 9, 1, 1, 1, "a-labels-idx1-sbyte", NULL },
                  { 11, 1, 2, 1, "a-labels-idx1-short", NULL },
                  { 12, 1, 4, 1, "a-labels-idx1-int", NULL },
                  { 12, 2, 4, 8, "a-labels-idx2-int", NULL },
                  { 8, 2, 1, 3, "a-labels-idx2-ubyte", NULL },
                  { 13, 1, 4, 1, "a-labels-idx1-float",
                    "IDX of floats of 32 bits in 1 dimension, expected whole numbers in 1 or 2" },
                  { 8, 3, 1, 1, "a-labels-idx3-ubyte",
                    "in 3 dimensions, expected whole numbers in 1 or 2; these are images, not labels" },
                  { 10, 1, 1, 1, "a-labels-idx1-ten",
                    "begins with 00 00 0a 01, expected 00 00 08 01" } };
    const char *plain = strdup(path_of("a-images-idx3-ubyte"));
    put(plain, images_file, sizeof images_file);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        unsigned char file[8 + 4 + N * 4 * 8] = { 0, 0, cases[c].type, cases[c].rank };
        const size_t header = 4 + 4 * (size_t)cases[c].rank, row = cases[c].size * cases[c].columns;
        struct kl_error err = { 0 };
        struct kl_images *im = NULL;
        struct kl_images_options o;
        be(file + 4, N);
        if (cases[c].rank > 1) be(file + 8, (uint32_t)cases[c].columns);
        for (size_t i = 0; i < N; i++) { /* i % 5, big-endian, then what is not read */
            memset(file + header + i * row, 7, row);
            memset(file + header + i * row, 0, cases[c].size);
            file[header + i * row + cases[c].size - 1] = (unsigned char)(i % 5);
        }
        put(path_of(cases[c].name), file, header + N * row);
        kl_ingest_images_options_default(&o);
        o.labels = path_of(cases[c].name);
        const int rc = kl_ingest_images_open(&im, &plain, 1, &o, &err);
        if (cases[c].words) {
            CHECK(rc == KL_EDATA && strstr(err.text, cases[c].words), "%s: %s", cases[c].name, err.text);
            continue;
        }
        CHECK(rc == 0 && im->n_classes == 5, "%s: %s", cases[c].name, err.text);
        for (size_t i = 0; i < N && !rc; i++)
            CHECK(im->labels[i] == (int)(i % 5), "%s: %zu", cases[c].name, i);
        kl_ingest_images_close(&im);
    }
    free((char *)plain);
}

/* Those of QMNIST are found beside its images, where there are no others. */
static void labels_beside(void)
{
    struct kl_error err;
    char *found = NULL;
    put(path_of("q-images-idx3-ubyte"), images_file, sizeof images_file);
    put(path_of("q-labels-idx2-int"), labels_file, sizeof labels_file);
    CHECK(!kl_ingest_idx_labels_path(&found, path_of("q-images-idx3-ubyte"), &err) && found &&
              strstr(found, "q-labels-idx2-int"),
          "%s", found ? found : "");
    free(found);
    put(path_of("q-labels-idx1-ubyte"), labels_file, sizeof labels_file);
    CHECK(!kl_ingest_idx_labels_path(&found, path_of("q-images-idx3-ubyte"), &err) && found &&
              strstr(found, "q-labels-idx1-ubyte"),
          "%s", found ? found : "");
    free(found);
}

static void values(void)
{
    const char *plain = path_of("a-images-idx3-ubyte"), *labels = path_of("a-labels-idx1-ubyte");
    const char *gz = path_of("b-images-idx3-ubyte.gz");
    unsigned char pixels[N * H * W];
    struct kl_error err = { 0 };
    put(plain, images_file, sizeof images_file);
    put(labels, labels_file, sizeof labels_file);
    CHECK(read_everything(pixels, plain, NULL, &err) == 0, "%s", err.text);
    CHECK(memcmp(pixels, images_file + HEADER, sizeof pixels) == 0, "pixels");
    put_gz(gz, images_file, sizeof images_file);
    memset(pixels, 0, sizeof pixels);
    CHECK(read_everything(pixels, gz, NULL, &err) == KL_ENOINPUT, "labels are not there");
    CHECK(read_everything(pixels, gz, labels, &err) == 0, "%s", err.text);
    CHECK(memcmp(pixels, images_file + HEADER, sizeof pixels) == 0, "pixels of gzip");

    const char *both[] = { plain, plain };
    struct kl_images *im = NULL;
    struct kl_images_options o;
    kl_ingest_images_options_default(&o);
    o.limit = N + 2;
    CHECK(kl_ingest_images_open(&im, both, 2, &o, &err) == 0, "%s", err.text);
    CHECK(im && im->n == N + 2 && im->n_classes == 7 && im->labels[N + 1] == labels_file[8 + 1] &&
              im->index[N] == N,
          "two inputs, one list");
    CHECK(im && strcmp(im->class_names + 6 * im->class_name_size, "6") == 0, "class names");
    kl_ingest_images_close(&im);
}

static void damage(void)
{
    const char *path = path_of("d-images-idx3-ubyte"), *gz = path_of("e-images-idx3-ubyte.gz");
    const char *labels = path_of("d-labels-idx1-ubyte"), *gz_labels = path_of("e-labels-idx1-ubyte");
    unsigned char pixels[2 * N * H * W], *packed;
    struct kl_error err;
    size_t n = 0;
    put(labels, labels_file, sizeof labels_file);
    put(gz_labels, labels_file, sizeof labels_file);
    for (size_t cut = 0; cut < sizeof images_file; cut++) {
        put(path, images_file, cut);
        CHECK(read_everything(pixels, path, NULL, &err) == KL_EDATA && one_line(&err, path),
              "cut at %zu: %s", cut, err.text);
    }
    put_gz(gz, images_file, sizeof images_file);
    packed = get_file(gz, &n);
    for (size_t cut = 0; cut < n; cut++) {
        put(gz, packed, cut);
        CHECK(read_everything(pixels, gz, NULL, &err) == KL_EDATA && one_line(&err, gz),
              "gzip cut at %zu: %s", cut, err.text);
    }
    size_t harmless = 0;
    for (size_t bit = 0; bit < 8 * n;
         bit++) { /* the header's time and system and the padding of the last block mean nothing */
        memset(pixels, 0, sizeof pixels);
        packed[bit / 8] ^= (unsigned char)(1 << bit % 8);
        put(gz, packed, n);
        const int rc = read_everything(pixels, gz, NULL, &err);
        CHECK(rc == KL_EDATA || (rc == 0 && memcmp(pixels, images_file + HEADER, N * H * W) == 0),
              "gzip, bit %zu: %d", bit, rc);
        harmless += rc == 0;
        packed[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    CHECK(harmless < 80, "%zu bits of the gzip file do not matter", harmless);
    free(packed);
    put(labels, labels_file, sizeof labels_file - 1);
    put(path, images_file, sizeof images_file);
    CHECK(read_everything(pixels, path, NULL, &err) == KL_EDATA && one_line(&err, labels), "labels cut");
    put(labels, images_file, sizeof images_file);
    CHECK(read_everything(pixels, path, NULL, &err) == KL_EDATA, "images as labels");
}

static void sizes(void)
{
    static const uint32_t dims[][3] = { { 1u << 31, 1u << 31, 1u << 31 },
                                        { 0xffffffff, 0xffffffff, 1 },
                                        { 0xffffffff, 1, 1 },
                                        { 1, 1u << 31, 1u << 31 },
                                        { 0, 28, 28 },
                                        { 28, 0, 28 },
                                        { N + 1, H, W },
                                        { N - 1, H, W } };
    const char *path = path_of("s-images-idx3-ubyte"), *gz = path_of("t-images-idx3-ubyte.gz");
    unsigned char pixels[2 * N * H * W], copy[sizeof images_file];
    struct kl_error err;
    put(path_of("s-labels-idx1-ubyte"), labels_file, sizeof labels_file);
    put(path_of("t-labels-idx1-ubyte"), labels_file, sizeof labels_file);
    memcpy(copy, images_file, sizeof copy);
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
        for (int k = 0; k < 3; k++) be(copy + 4 + 4 * k, dims[i][k]);
        put(path, copy, sizeof copy);
        put_gz(gz, copy, sizeof copy);
        CHECK(read_everything(pixels, path, NULL, &err) == KL_EDATA && one_line(&err, path),
              "sizes %zu: %s", i, err.text);
        CHECK(read_everything(pixels, gz, NULL, &err) == KL_EDATA, "sizes %zu, gzip: %s", i, err.text);
    }
    unsigned char *bomb =
        calloc(1, 64 << 20); /* far more data than the header says: only what is asked for is unpacked */
    memcpy(bomb, images_file, sizeof images_file);
    put_gz(gz, bomb, 64 << 20);
    free(bomb);
    CHECK(read_everything(pixels, gz, NULL, &err) == KL_EDATA && strstr(err.text, "follows"), "bomb: %s",
          err.text);
}

struct shared {
    struct kl_images *im;
    unsigned char *pixels;
    struct kl_arena arenas[4];
    bool failed;
};

static void read_block(void *context, size_t i, int thread)
{
    struct shared *s = context;
    const size_t size = s->im->height * s->im->width, first = 64 * i;
    const size_t n = s->im->n - first < 64 ? s->im->n - first : 64;
    if (kl_ingest_images_read(s->im, first, n, i % 5 == 3 ? NULL : s->pixels + first * size,
                              &s->arenas[thread], NULL))
        s->failed = true;
}

/* MNIST by four threads, some blocks passed over: the bytes of the unpacked file. */
static void mnist(const char *shared)
{
    char path[512];
    struct kl_error err = { 0 };
    struct kl_images_options o;
    struct kl_pool *pool = NULL;
    struct shared s = { 0 };
    snprintf(path, sizeof path, "%s/data/mnist/t10k-images-idx3-ubyte.gz", shared);
    const char *paths[] = { path };
    if (access(path, R_OK) != 0) {
        printf("skipped: %s is not there\n", path);
        return;
    }
    kl_ingest_images_options_default(&o);
    CHECK(kl_ingest_images_open(&s.im, paths, 1, &o, &err) == 0, "%s", err.text);
    if (!s.im) return;
    static const int32_t first[] = { 7, 2, 1, 0, 4, 1, 4, 9, 5, 9 };
    CHECK(memcmp(s.im->labels, first, sizeof first) == 0 && s.im->n == 10000, "labels");
    s.pixels = calloc(s.im->n, 784);
    unsigned char *whole = malloc(16 + s.im->n * 784);
    gzFile f = gzopen(path, "rb");
    CHECK(gzread(f, whole, (unsigned)(16 + s.im->n * 784)) > 0, "gzread");
    gzclose(f);
    kl_pool_create(&pool, 4, &err);
    kl_pool_for(pool, (s.im->n + 63) / 64, read_block, &s);
    kl_pool_destroy(&pool);
    CHECK(!s.failed, "a block failed");
    for (size_t i = 0; i < s.im->n; i++)
        if (i / 64 % 5 != 3)
            CHECK(memcmp(s.pixels + 784 * i, whole + 16 + 784 * i, 784) == 0, "image %zu", i);
    for (int i = 0; i < 4; i++) kl_arena_free(&s.arenas[i]);
    free(s.pixels);
    free(whole);
    kl_ingest_images_close(&s.im);
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED") ? getenv("KETLINE_SHARED") : "../shared";
    const uint32_t header[] = { 0x803, N, H, W };
    for (int i = 0; i < 4; i++) be(images_file + 4 * i, header[i]);
    be(labels_file, 0x801);
    be(labels_file + 4, N);
    for (int i = 0; i < N * H * W; i++) images_file[HEADER + i] = (unsigned char)(37 * i + 11);
    for (int i = 0; i < N; i++) labels_file[8 + i] = (unsigned char)(i * 3 % 7);
    make_test_folder();
    labels_of_every_type();
    labels_beside();
    values();
    damage();
    sizes();
    mnist(shared);
    return failures != 0;
}
