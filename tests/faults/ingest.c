/* SPDX-License-Identifier: MIT
   Reading images of every source while memory, reads and descriptors fail: a failure is told as what it
   is, never as damage, and never as another picture. */
#include <hdf5.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "../unit/ingest/ingest_test.h"
#include "each.h"

static struct source {
    const char *path, *labels;
    size_t resize;
    bool skip_bad;
    bool by_stdio; /* which goes on by itself when it is interrupted */
    bool by_child; /* HDF5's, which may have too little memory because of the file */
    char digest[65];
} * now;

static int digest_of(char hex[65], const struct kl_images *im, const uint8_t *pixels,
                     struct kl_error *err)
{
    struct kl_sha256 sha;
    int rc = kl_sha256_begin(&sha, err);
    if (rc) return rc;
    kl_sha256_add(&sha, pixels, im->n * im->height * im->width * im->channels);
    if (im->labels) kl_sha256_add(&sha, im->labels, im->n * sizeof *im->labels);
    kl_sha256_add(&sha, im->index, im->n * sizeof *im->index);
    kl_sha256_end(&sha, hex);
    return 0;
}

/* All images; the first time, without a fault, their digest is what all others must have. */
static int read_all(struct kl_error *err)
{
    struct kl_images *im = NULL;
    struct kl_images_options o;
    struct kl_arena arena = { 0 };
    uint8_t *pixels = NULL;
    char hex[65];
    kl_ingest_images_options_default(&o);
    o.labels = now->labels, o.resize = now->resize, o.skip_bad = now->skip_bad;
    int rc = kl_ingest_images_open(&im, &now->path, 1, &o, err);
    if (!rc && !(pixels = malloc(im->n * im->height * im->width * im->channels)))
        rc = kl_fail_memory(err, im->n);
    if (!rc) rc = kl_ingest_images_read(im, 0, im->n, pixels, &arena, err);
    if (!rc) rc = digest_of(hex, im, pixels, err);
    if (!rc && !now->digest[0]) strcpy(now->digest, hex);
    if (!rc && strcmp(hex, now->digest)) rc = kl_fail(err, KL_EINTERNAL, "%s: other images", now->path);
    kl_ingest_images_close(&im);
    kl_arena_free(&arena);
    free(pixels);
    return rc;
}

static void copy(const char *to, const char *from)
{
    size_t n;
    unsigned char *bytes = get_file(from, &n);
    if (!bytes) exit(1);
    put(to, bytes, n);
    free(bytes);
}

static void make_inputs(void)
{
    mkdir(path_of("set"), 0777);
    mkdir(path_of("set/b"), 0777);
    mkdir(path_of("set/a"), 0777);
    copy(path_of("set/a/1.png"), corpus_file("png/grey"));
    copy(path_of("set/a/2.png"), corpus_file("png/palette"));
    copy(path_of("set/a/3.PNG"), corpus_file("png/interlaced"));
    copy(path_of("set/b/1.png"), corpus_file("png/text"));
    copy(path_of("set/b/2.png"), corpus_file("png/bad-crc"));
    copy(path_of("set/b/3.png"), corpus_file("png/rgb"));
    copy(path_of("set/b/4.png"), corpus_file("png/tall"));
    copy(path_of("set/b/5.jpg"), corpus_file("jpeg/420"));
    copy(path_of("set/b/6.jpg"), corpus_file("jpeg/progressive-grey"));
    copy(path_of("set/b/7.jpeg"), corpus_file("jpeg/bad-cut"));
    copy(path_of("set/b/8.gif"), corpus_file("png/grey"));
    copy(path_of("x-images-idx3-ubyte"), corpus_file("idx/grey"));
    unsigned char *large = calloc(1, 16 + 180000);
    memcpy(large, "\0\0\10\3\0\0\0\2\0\0\1\54\0\0\1\54", 16); /* 2 of 300 x 300 */
    put(path_of("z-images-idx3-ubyte"), large, 16 + 180000);
    put(path_of("z-labels-idx1-ubyte"), "\0\0\10\1\0\0\0\2\3\1", 10);
    free(large);
    put(path_of("x-labels-idx1-ubyte"), "\0\0\10\1\0\0\0\2\3\1", 10);
    copy(path_of("y-images-idx3-ubyte.gz"), corpus_file("idx/grey.gz"));
    gzFile labels = gzopen(path_of("y-labels-idx1-ubyte.gz"), "wb");
    CHECK(gzwrite(labels, "\0\0\10\1\0\0\0\2\3\1", 10) == 10 && gzclose(labels) == 0);
}

/* 2 of 300 x 300, with transparency: what is left of one without it takes a chunk of memory. */
static void make_transparent(const char *path)
{
    const hsize_t dims[4] = { 2, 300, 300, 4 };
    uint8_t *pixels = calloc(2 * 300 * 300, 4);
    for (size_t i = 0; i < 2 * 300 * 300 * 4; i++) pixels[i] = (uint8_t)(i % 251);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                space = H5Screate_simple(4, dims, NULL),
                set = H5Dcreate2(file, "images", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT,
                                 H5P_DEFAULT);
    CHECK(H5Dwrite(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, pixels) >= 0);
    H5Dclose(set), H5Sclose(space), H5Fclose(file);
    free(pixels);
}

int main(void)
{
    make_test_folder();
    make_inputs();
    make_transparent(path_of("four.h5"));
    struct source sources[] = {
        { .path = path_of("x-images-idx3-ubyte") },
        { .path = path_of("y-images-idx3-ubyte.gz") },
        { .path = path_of("set"), .resize = 6, .skip_bad = true, .by_stdio = true },
        { .path = path_of("set/a"), .labels = "none", .resize = 6, .by_stdio = true },
        { .path = path_of("z-images-idx3-ubyte") },
        { .path = corpus_file("foreign/four-channels"), .by_child = true },
        { .path = path_of("four.h5"), .by_child = true },
        { .path = corpus_file("foreign/gzip"), .by_child = true },
        { .path = corpus_file("foreign/labels"), .by_child = true },
    };
    struct kl_error err = { 0 };
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        now = &sources[i];
        CHECK(read_all(&err) == 0, "%s: %s", now->path, err.text);
        check_each(now->path, read_all, FAULT_MEMORY, KL_ENOMEM, now->by_child ? KL_EDATA : KL_ENOMEM);
        check_each(now->path, read_all, FAULT_OPEN, KL_ENOINPUT, KL_EIO);
        check_each(now->path, read_all, FAULT_READ, KL_EIO, now->by_child ? KL_EDATA : KL_EIO);
        if (now->by_child) check_each(now->path, read_all, FAULT_HDF5, KL_EDATA, KL_EDATA);
        if (now->by_child) check_each(now->path, read_all, FAULT_FILE, KL_EDATA, KL_EDATA);
        if (!now->by_stdio) check_interrupted(now->path, read_all);
    }
    return failures != 0;
}
