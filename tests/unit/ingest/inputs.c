/* SPDX-License-Identifier: MIT
   What is told of folders, HDF5 files and IDX files that are not as they should be, and what of them is
   read all the same. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <zlib.h>

#include "ingest_test.h"
#include "store/store.h"
#include "tests/unit/any_file.h"

static struct kl_images_options defaults(void)
{
    struct kl_images_options o;
    kl_ingest_images_options_default(&o);
    return o;
}

/* Opened, and the first images read if there is room for them. */
static int open_and_read(const char *path, const struct kl_images_options *o, uint8_t *pixels,
                         size_t room, struct kl_images *shape, struct kl_error *err)
{
    struct kl_images *im = NULL;
    struct kl_arena arena = { 0 };
    int rc = kl_ingest_images_open(&im, &path, 1, o, err);
    if (!rc && im->n * im->height * im->width * im->channels <= room)
        rc = kl_ingest_images_read(im, 0, im->n, pixels, &arena, err);
    if (!rc) *shape = *im;
    kl_ingest_images_close(&im);
    kl_arena_free(&arena);
    return rc;
}

static void refused(const char *path, const struct kl_images_options *o, int code, const char *words)
{
    struct kl_error err = { 0 };
    struct kl_images shape;
    uint8_t pixels[4096];
    const int found = open_and_read(path, o, pixels, sizeof pixels, &shape, &err);
    CHECK(found == code && strstr(err.text, words) && !strchr(err.text, '\n'), "%s: %d %s", path, found,
          err.text);
}

static void copy(const char *to, const char *from)
{
    size_t n;
    unsigned char *bytes = get_file(from, &n);
    CHECK(bytes != NULL, "%s", from);
    if (bytes) put(to, bytes, n);
    free(bytes);
}

/* Words that a log is told. */
static char *said;
static size_t said_bytes;

static void check_folder(void)
{
    char *set = strdup(path_of("set"));
    struct kl_images_options o = defaults();
    struct kl_images shape;
    struct kl_error err = { 0 };
    uint8_t pixels[1 << 16];
    mkdir(set, 0777);
    mkdir(path_of("set/a"), 0777);
    mkdir(path_of("set/a/folder.png"), 0777);
    mkdir(path_of("set/none"), 0777);
    put(path_of("set/not-a-class"), "x", 1);
    put(path_of("set/a/x.p"), "x", 1);
    put(path_of("set/a/.hidden.png"), "x", 1);
    put(path_of("set/a/words.txt"), "x", 1);
    put(path_of("set/a/x.bmp"), "x", 1);
    put(path_of("set/none/y.WebP"), "x", 1);
    put(path_of("set/none/.z.gif"), "x", 1);
    put(path_of("set/none/bmp"), "x", 1);
    refused(set, &o, KL_EDATA, "no PNG or JPEG files in its 2 sub-folders; each class is a sub-folder");
    copy(path_of("set/a/1.PNG"), corpus_file("png/grey"));
    o.labels = "labels";
    refused(set, &o, KL_EUSAGE, "--labels FILE belongs to an IDX file; a folder's classes are");
    o.labels = "none";
    o.resize = 4;
    FILE *to = open_memstream(&said, &said_bytes);
    const struct kl_log log = { .to = to, .tool = "test", .level = 1 };
    o.log = &log;
    CHECK(open_and_read(set, &o, pixels, sizeof pixels, &shape, &err) == 0, "%s", err.text);
    CHECK(shape.n == 1 && shape.n_classes == 0, "labels that were not wanted");
    fflush(to);
    CHECK(strstr(said, "set/none: a class without PNG or JPEG files"), "%s", said);
    CHECK(strstr(said, ": left out 2 image files in 2 folders (first: ") &&
              strstr(said, "set/a/x.bmp): images must be PNG or JPEG\n") && !strstr(said, "beside"),
          "%s", said);
    o = defaults();
    CHECK(symlink("nowhere", path_of("set/a/2.png")) == 0);
    refused(set, &o, KL_ENOINPUT, "set/a/2.png: No such file or directory");
    unlink(path_of("set/a/2.png"));
    copy(path_of("set/a/2.png"), corpus_file("png/palette"));
    copy(path_of("set/a/3.png"), corpus_file("png/bad-crc"));
    refused(set, &o, KL_EDATA, "its images differ in size; give --resize N");
    copy(path_of("set/a/2.png"), corpus_file("png/interlaced")); /* as high as the first one */
    unlink(path_of("set/a/3.png"));
    refused(set, &o, KL_EDATA, "its images differ in size; give --resize N");
    copy(path_of("set/a/2.png"), corpus_file("png/bad-crc"));
    copy(path_of("set/a/3.png"), corpus_file("png/bad-crc"));
    o.resize = 4;
    refused(set, &o, KL_EDATA, "set/a/2.png: damaged PNG");
    o.resize = 0;
    copy(path_of("set/a/2.png"), corpus_file("png/palette"));
    o.resize = 4;
    refused(set, &o, KL_EDATA, "set/a/3.png: damaged PNG");
    /* of many that are left out the first ones are named */
    for (int i = 10; i < 25; i++) {
        char name[64];
        snprintf(name, sizeof name, "set/a/%d.png", i);
        put(path_of(name), "no picture", 10);
    }
    refused(set, &o, KL_EDATA, "neither a PNG nor a JPEG file");
    o.skip_bad = true, o.resize = 4, o.log = &log;
    CHECK(open_and_read(set, &o, pixels, sizeof pixels, &shape, &err) == 0, "%s", err.text);
    CHECK(shape.n == 2 && shape.skipped == 16, "%zu, %zu", shape.n, shape.skipped);
    fflush(to);
    int lines = 0;
    for (const char *at = said; (at = strstr(at, "; left out")); at++) lines++;
    CHECK(lines == 10, "%d", lines);
    fclose(to);
    free(said);
    unlink(path_of("set/a/1.PNG"));
    unlink(path_of("set/a/2.png"));
    o.log = NULL;
    refused(set, &o, KL_EDATA, "none of its 16 image files can be read");
    free(set);
}

/* Files without a class: read if nobody asks for one, and if no sub-folder has any. */
static void check_flat(void)
{
    char *set = strdup(path_of("flat"));
    struct kl_images_options o = defaults();
    struct kl_images shape;
    struct kl_error err = { 0 };
    uint8_t pixels[64], alone[8];
    mkdir(set, 0777);
    mkdir(path_of("flat/sub"), 0777);
    copy(path_of("flat/2.png"), corpus_file("png/grey"));
    copy(path_of("flat/1.png"), corpus_file("png/bad-crc"));
    refused(set, &o, KL_EDATA, "flat: 2 image files, but in no sub-folder");
    refused(path_of("flat/2.png"), &o, KL_EDATA,
            "flat/2.png: a single image file; give the folder above");
    o.labels = "none";
    refused(set, &o, KL_EDATA, "flat/1.png: damaged PNG");
    o.skip_bad = true;
    CHECK(open_and_read(set, &o, alone, sizeof alone, &shape, &err) == 0, "%s", err.text);
    CHECK(shape.n == 1 && shape.skipped == 1 && shape.n_classes == 0 && shape.height == 2 &&
              shape.width == 3,
          "%zu", shape.n);
    o.skip_bad = false;
    copy(path_of("flat/1.png"), corpus_file("png/grey"));
    CHECK(open_and_read(set, &o, pixels, sizeof pixels, &shape, &err) == 0, "%s", err.text);
    CHECK(shape.n == 2 && memcmp(pixels, alone, 6) == 0 && memcmp(pixels + 6, alone, 6) == 0, "%zu",
          shape.n);
    copy(path_of("flat/sub/1.png"), corpus_file("png/text"));
    CHECK(open_and_read(set, &o, pixels, sizeof pixels, &shape, &err) == 0, "%s", err.text);
    CHECK(shape.n == 1 && shape.height == 1, "those of the sub-folder, as with classes");
    free(set);
}

/* A file that changes between the look at its header and its reading. */
static void check_changes(void)
{
    char *set = strdup(path_of("changes")), *file = NULL;
    struct kl_images *im = NULL;
    struct kl_images_options o = defaults();
    struct kl_error err = { 0 };
    struct kl_arena arena = { 0 };
    uint8_t pixels[1 << 12];
    mkdir(set, 0777);
    mkdir(path_of("changes/a"), 0777);
    file = strdup(path_of("changes/a/1.png"));
    copy(file, corpus_file("png/grey"));
    size_t n;
    unsigned char *bytes = get_file(file, &n);
    CHECK(kl_ingest_images_open(&im, (const char *const[]){ set }, 1, &o, &err) == 0, "%s", err.text);
    bytes[19]++; /* its width; the check of the header then fails as well */
    put(file, bytes, n);
    CHECK(kl_ingest_images_read(im, 0, 1, pixels, &arena, &err) == KL_EDATA &&
              one_line(&err, "changes/a/1.png"),
          "%s", err.text);
    copy(file, corpus_file("png/interlaced"));
    CHECK(kl_ingest_images_read(im, 0, 1, pixels, &arena, &err) == KL_EDATA &&
              strstr(err.text, "changes/a/1.png: changed while it was read"),
          "%s", err.text);
    copy(file, corpus_file("png/palette"));
    CHECK(kl_ingest_images_read(im, 0, 1, pixels, &arena, &err) == KL_EDATA &&
              strstr(err.text, "changes/a/1.png: changed while it was read"),
          "%s", err.text);
    unlink(file);
    CHECK(kl_ingest_images_read(im, 0, 1, pixels, &arena, &err) == KL_ENOINPUT && one_line(&err, file),
          "%s", err.text);
    CHECK(mkdir(file, 0777) == 0);
    CHECK(kl_ingest_images_read(im, 0, 1, pixels, &arena, &err) == KL_EIO && one_line(&err, file), "%s",
          err.text);
    kl_ingest_images_close(&im);
    kl_arena_free(&arena);
    free(bytes);
    free(set);
    free(file);
}

static void write_h5(const char *path, int rank, const size_t dims[4], const int64_t *labels)
{
    struct kl_writer *w = NULL;
    struct kl_error err = { 0 };
    uint8_t x[256];
    for (size_t i = 0; i < sizeof x; i++) x[i] = (uint8_t)(7 * i);
    int rc = open_any_file(&w, path, "images", &err);
    if (!rc) rc = kl_store_writer_put(w, "images", KL_TYPE_U8, 0, rank, dims, x, &err);
    if (!rc && labels) rc = kl_store_writer_put(w, "labels", KL_TYPE_I64, 0, 1, dims, labels, &err);
    if (!rc) rc = kl_store_writer_publish(&w, NULL, &err);
    CHECK(rc == 0, "%s", err.text);
    kl_store_writer_abort(&w);
}

static void check_h5(void)
{
    char *path = strdup(path_of("x.h5"));
    struct kl_images_options o = defaults();
    struct kl_images shape;
    struct kl_error err = { 0 };
    uint8_t pixels[256];
    static const int64_t low[2] = { 0, -1 }, high[2] = { 65536, 0 };
    write_h5(path, 4, (size_t[4]){ 2, 3, 4, 2 }, NULL);
    refused(path, &o, KL_EDATA, "2 channels, expected 1, 3 or 4");
    write_h5(path, 3, (size_t[4]){ 0, 3, 4 }, NULL);
    refused(path, &o, KL_EDATA, "no images");
    write_h5(path, 3, (size_t[4]){ 2, 0, 4 }, NULL);
    refused(path, &o, KL_EDATA, "no images");
    write_h5(path, 3, (size_t[4]){ 2, 3, 4 }, low);
    refused(path, &o, KL_EDATA, "label -1 of image 1, expected 0 to 65535");
    write_h5(path, 3, (size_t[4]){ 2, 3, 4 }, high);
    refused(path, &o, KL_EDATA, "label 65536 of image 0, expected 0 to 65535");
    o.labels = "y";
    refused(path, &o, KL_EDATA, "dataset y: absent");
    o.labels = "images";
    refused(path, &o, KL_EDATA, "dataset images: expected one whole number or text for each image");
    o.labels = path;
    refused(path, &o, KL_EUSAGE, "a file; labels of images in HDF5 are --labels DATASET");
    o.labels = "none";
    CHECK(open_and_read(path, &o, pixels, sizeof pixels, &shape, &err) == 0, "%s", err.text);
    CHECK(shape.n == 2 && shape.n_classes == 0 && shape.channels == 1 && pixels[23] == 7 * 23 % 256);
    write_h5(path, 4, (size_t[4]){ 2, 3, 4, 4 }, NULL);
    CHECK(open_and_read(path, &o, pixels, sizeof pixels, &shape, &err) == 0, "%s", err.text);
    CHECK(shape.channels == 3 && pixels[2] == 14 && pixels[3] == 28 && pixels[71] == 7 * 94 % 256,
          "the fourth channel is left out");
    write_h5(path, 4, (size_t[4]){ 2, 3, 4, 3 }, NULL);
    CHECK(open_and_read(path, &o, pixels, sizeof pixels, &shape, &err) == 0, "%s", err.text);
    CHECK(shape.channels == 3 && pixels[71] == 7 * 71 % 256);
    refused(path_of("x.h5:images"), &(struct kl_images_options){ .labels = "none", .max_bytes = 100 }, 0,
            "");
    refused(path_of("none.h5:images"), &o, KL_ENOINPUT, "none.h5: cannot be opened");
    refused(path_of("none.h5"), &o, KL_ENOINPUT, "none.h5: cannot open");
    put(path_of("with:colon"), "words", 5);
    refused(path_of("with:colon"), &o, KL_EDATA,
            "not an IDX file, a folder of PNG or JPEG files or an HDF5 file");
    put(path_of("empty:colon"), "", 0);
    refused(path_of("empty:colon"), &o, KL_EDATA, "not an IDX file");
    put(path_of("short"), "\0", 1);
    refused(path_of("short"), &o, KL_EDATA, "not an IDX file");
    put(path_of("almost.gz"), "\x1f\x8c\0\0", 4);
    refused(path_of("almost.gz"), &o, KL_EDATA, "not an IDX file");
    put(path_of("almost"), "\0\1\10\3", 4);
    refused(path_of("almost"), &o, KL_EDATA, "not an IDX file");
    refused("/dev/null", &o, KL_EDATA, "not an IDX file");
    mkdir(path_of("folder:x"), 0777);
    refused(path_of("folder:x"), &o, KL_EDATA, "no PNG or JPEG files in its 0 sub-folders");
    free(path);
}

/* Images that are passed over, of a gzip file that is cut within them. */
static void check_passing(void)
{
    static const unsigned char images[] = { 0, 0, 8, 3, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3 };
    const char *path = path_of("cut-images-idx3-ubyte.gz");
    struct kl_images_options o = defaults();
    struct kl_images *im = NULL;
    struct kl_arena arena = { 0 };
    struct kl_error err = { 0 };
    gzFile file = gzopen(path, "wb");
    CHECK(file && gzwrite(file, images, sizeof images) == sizeof images && gzclose(file) == 0, "gzip");
    o.labels = "none";
    CHECK(kl_ingest_images_open(&im, &path, 1, &o, &err) == 0, "%s", err.text);
    CHECK(im && kl_ingest_images_read(im, 0, 8, NULL, &arena, &err) == KL_EDATA &&
              strstr(err.text, "truncated: the file ends 1 bytes early"),
          "%s", err.text);
    kl_ingest_images_close(&im);
    kl_arena_free(&arena);
}

/* Images without a file of labels, with a folder in its place, with something that is no IDX at all. */
static void check_labels(void)
{
    static const unsigned char images[] = { 0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4 };
    char *path = strdup(path_of("l-images-idx3-ubyte"));
    struct kl_images_options o = defaults();
    put(path, images, sizeof images);
    refused(path, &o, KL_ENOINPUT, "no file of labels beside it");
    o.labels = test_folder;
    refused(path, &o, KL_ENOINPUT, "is a folder, expected a file");
    o.labels = path_of("none");
    refused(path, &o, KL_ENOINPUT, "cannot open");
    put(path_of("odd"), "\x1f\x00\x08\x01", 4);
    o.labels = path_of("odd");
    refused(path, &o, KL_EDATA,
            "odd: begins with 1f 00 08 01, expected 00 00 08 01 (IDX, unsigned bytes)");
    put(path_of("one"), "\0", 1);
    o.labels = path_of("one");
    refused(path, &o, KL_EDATA, "one: truncated: the file ends 3 bytes early");
    put(path_of("plain-name"), images, sizeof images);
    o.labels = NULL;
    refused(path_of("plain-name"), &o, KL_ENOINPUT, "no file of labels beside it");
    o.labels = "none";
    o.max_bytes = 1;
    refused(path, &o, KL_EDATA, "an image of 1 x 2 pixels is more than the limit of 1 bytes");
    free(path);
}

int main(void)
{
    make_test_folder();
    check_folder();
    check_flat();
    check_changes();
    check_h5();
    check_passing();
    check_labels();
    return failures != 0;
}
