/* SPDX-License-Identifier: MIT
   Where images and labels come from: a folder's training and test part, by their usual names, through
   ingest; and CIFAR's binary files, records of a label (CIFAR-100: two) and 3 x 32 x 32 bytes. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "head/features.h"
#include "ingest/ingest.h"
#include "sampling/data/data.h"
#include "store/store.h"

/* source->files; close it in any case. KL_ENOINPUT, KL_EUSAGE, KL_ENOMEM. */
int kl_sampling_source_find(struct kl_sampling_source *source, const char *const *paths, size_t n_paths,
                            bool test, struct kl_error *err);

enum { SIDE = 32, IMAGE = 3 * SIDE * SIDE, BLOCK = 256 };

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}
static bool is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}
static bool is_binary(const char *path)
{
    const size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".bin") == 0;
}

static int add(struct kl_sampling_source *source, const char *folder, const char *name,
               struct kl_error *err)
{
    char *path = NULL;
    if (asprintf(&path, "%s%s%s", folder ? folder : "", folder ? "/" : "", name) < 0)
        return kl_fail_memory(err, strlen(name));
    source->files[source->n_files++] = path;
    return 0;
}

static int find_in(struct kl_sampling_source *source, const char *folder, bool test,
                   struct kl_error *err)
{
    static const char *const training[] = { "train-images-idx3-ubyte",
                                            "train-images-idx3-ubyte.gz",
                                            "data_batch_1.bin",
                                            "train.bin",
                                            "train.h5",
                                            "train",
                                            NULL };
    static const char *const testing[] = { "t10k-images-idx3-ubyte",
                                           "t10k-images-idx3-ubyte.gz",
                                           "test-images-idx3-ubyte",
                                           "test-images-idx3-ubyte.gz",
                                           "test_batch.bin",
                                           "test.bin",
                                           "test.h5",
                                           "test",
                                           NULL };
    for (const char *const *name = test ? testing : training; *name; name++) {
        int code = add(source, folder, *name, err);
        if (code) return code;
        if (exists(source->files[0])) {
            for (char batch[] = "data_batch_2.bin";
                 strstr(*name, "batch_1") && batch[11] <= '5' && !code; batch[11]++)
                code = add(source, folder, batch, err);
            return code;
        }
        free(source->files[--source->n_files]);
    }
    return kl_fail(
        err, KL_ENOINPUT,
        "%s: no %s images, expected %s (IDX, also .gz), %s, %s.h5 or a folder %s; or give both parts as "
        "two "
        "inputs",
        folder, test ? "test" : "training", test ? "t10k-images-idx3-ubyte" : "train-images-idx3-ubyte",
        test ? "test_batch.bin" : "data_batch_1.bin", test ? "test" : "train", test ? "test" : "train");
}

int kl_sampling_source_find(struct kl_sampling_source *source, const char *const *paths, size_t n_paths,
                            bool test, struct kl_error *err)
{
    memset(source, 0, sizeof *source);
    if (n_paths == 2) return add(source, NULL, paths[test], err);
    if (n_paths == 1 && is_folder(paths[0])) return find_in(source, paths[0], test, err);
    if (n_paths == 1 && !exists(paths[0]))
        return kl_fail(err, KL_ENOINPUT, "%s: no such folder", paths[0]);
    return kl_fail(
        err, KL_EUSAGE,
        "images: found %zu input%s, expected a folder that holds both parts, or TRAINING TEST", n_paths,
        n_paths == 1 ? ", a file" : kl_s(n_paths));
}

/* Bytes [at, at + n) of file k. */
static int read_bytes(const struct kl_sampling_source *source, size_t k, void *to, size_t n, uint64_t at,
                      struct kl_error *err)
{
    const char *path = source->files[k];
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return kl_fail_errno(err, KL_ENOINPUT, "%s", path);
    const int code = kl_store_pread_all(fd, to, n, at, path, err);
    close(fd);
    return code;
}

/* Records of each file: all have as many, as CIFAR's do. */
static int open_binary(struct kl_sampling_source *source, bool fine, struct kl_error *err)
{
    const size_t record = IMAGE + (fine ? 2 : 1);
    struct stat s;
    size_t each = 0;
    for (size_t k = 0; k < source->n_files; k++) {
        if (stat(source->files[k], &s)) return kl_fail_errno(err, KL_ENOINPUT, "%s", source->files[k]);
        const int code = kl_regular(&s, source->files[k], err);
        if (code) return code;
        const size_t n = (size_t)s.st_size / record;
        if (!n || (size_t)s.st_size % record || (k && n != each))
            return kl_fail(err, KL_EDATA,
                           "%s: found %lld bytes, expected %s records of %zu (CIFAR-%d, binary version)",
                           source->files[k], (long long)s.st_size,
                           k ? "as many as in the first file" : "whole", record, fine ? 100 : 10);
        each = n;
    }
    source->label_bytes = record - IMAGE, source->classes = fine ? 100 : 10;
    source->n = each * source->n_files, source->height = source->width = SIDE, source->channels = 3;
    source->own_label = malloc(source->n * sizeof *source->own_label);
    uint8_t *bytes = malloc(each * record);
    int code = source->own_label && bytes ? 0 : kl_fail_memory(err, each * record);
    for (size_t k = 0; k < source->n_files && !code; k++) {
        code = read_bytes(source, k, bytes, each * record, 0, err);
        for (size_t i = 0; i < each && !code; i++) {
            const int label = bytes[i * record + source->label_bytes - 1];
            source->own_label[k * each + i] = label;
            if (label >= source->classes)
                code =
                    kl_fail(err, KL_EDATA, "%s: record %zu: found label %d, expected 0 to %d (CIFAR-%d)",
                            source->files[k], i, label, source->classes - 1, fine ? 100 : 10);
        }
    }
    free(bytes);
    source->label = source->own_label;
    return code;
}

static int open_features(struct kl_sampling_source *source, struct kl_file *file, struct kl_error *err)
{
    struct kl_features *f = source->features = calloc(1, sizeof *f);
    const int code = f ? kl_head_features_load(f, file, err) : kl_fail_memory(err, sizeof *f);
    if (code) return code;
    source->n = f->n, source->width = f->d, source->height = source->channels = 1;
    source->classes = (int)f->n_classes, source->label = f->labels;
    return 0;
}

int kl_sampling_source_open(struct kl_sampling_source *source, const char *const *paths, size_t n_paths,
                            bool test, const struct kl_sampling_data_options *options,
                            struct kl_error *err)
{
    struct kl_images_options how;
    int code = kl_sampling_source_find(source, paths, n_paths, test, err);
    if (code) return code;
    if (options->set == KL_SAMPLING_FEATURES) return open_features(source, options->features[test], err);
    if (is_binary(source->files[0])) {
        if (options->set == KL_SAMPLING_CIFAR10 || options->set == KL_SAMPLING_CIFAR100)
            return open_binary(source, options->set == KL_SAMPLING_CIFAR100, err);
        return kl_fail(err, KL_EUSAGE, "%s: a binary file, which only --data cifar10 and cifar100 read",
                       source->files[0]);
    }
    kl_ingest_images_options_default(&how);
    how.pool = options->pool, how.log = options->log;
    if (options->set == KL_SAMPLING_MNIST) how.channels = KL_CHANNELS_GREY;
    else if (options->set != KL_SAMPLING_IMAGES) how.channels = KL_CHANNELS_RGB;
    code =
        kl_ingest_images_open(&source->images, (const char *const[]){ source->files[0] }, 1, &how, err);
    if (code) return code;
    const struct kl_images *images = source->images;
    source->n = images->n, source->height = images->height, source->width = images->width;
    source->channels = images->channels, source->classes = (int)images->n_classes,
    source->label = images->labels;
    if (images->n_classes) return 0;
    return kl_fail(err, KL_EDATA, "%s: images without labels", source->files[0]);
}

static int read_binary(const struct kl_sampling_source *source, uint8_t *pixels, const int64_t *index,
                       size_t n, struct kl_error *err)
{
    const size_t each = source->n / source->n_files, record = IMAGE + source->label_bytes;
    int code = 0;
    for (size_t i = 0; i < n && !code; i++)
        code = read_bytes(source, (size_t)index[i] / each, pixels + i * IMAGE, IMAGE,
                          (size_t)index[i] % each * record + source->label_bytes, err);
    return code;
}

/* Channels last, as ingest gives them, to channels first. */
static void turn(uint8_t *to, const uint8_t *from, size_t places, size_t channels)
{
    for (size_t p = 0; p < places; p++)
        for (size_t c = 0; c < channels; c++) to[c * places + p] = from[p * channels + c];
}

int kl_sampling_source_read(struct kl_sampling_source *source, uint8_t *pixels, const int64_t *index,
                            size_t n, struct kl_error *err)
{
    if (!source->images) return read_binary(source, pixels, index, n, err);
    const size_t places = source->height * source->width, size = places * source->channels;
    struct kl_arena arena = { 0 };
    uint8_t *block = malloc(BLOCK * size);
    int code = block ? kl_arena_init(&arena, 1 << 20, err) : kl_fail_memory(err, BLOCK * size);
    for (size_t first = 0, i = 0; i < n && !code; first += BLOCK) {
        const size_t count = source->n - first < BLOCK ? source->n - first : BLOCK;
        const bool wanted = (size_t)index[i] < first + count;
        if (wanted || source->images->in_order)
            code =
                kl_ingest_images_read(source->images, first, count, wanted ? block : NULL, &arena, err);
        for (; !code && i < n && (size_t)index[i] < first + count; i++)
            turn(pixels + i * size, block + ((size_t)index[i] - first) * size, places, source->channels);
    }
    kl_arena_free(&arena);
    free(block);
    return code;
}

void kl_sampling_source_close(struct kl_sampling_source *source)
{
    kl_ingest_images_close(&source->images);
    for (size_t k = 0; k < source->n_files; k++) free(source->files[k]);
    if (source->features) kl_head_features_free(source->features);
    free(source->own_label), free(source->features);
    memset(source, 0, sizeof *source);
}

int kl_sampling_data_identify(struct kl_key *key, struct json_t *record, const char *const *paths,
                              size_t n_paths, struct kl_error *err)
{
    int code = 0;
    for (int test = 0; test < 2 && n_paths && !code; test++) {
        struct kl_sampling_source source;
        code = kl_sampling_source_find(&source, paths, n_paths, test, err);
        const char *const *files = (const char *const *)source.files;
        for (size_t k = 0; k < source.n_files && !code && is_binary(files[0]); k++)
            code = kl_store_input_identify(key, record, test ? "test" : "images", k, files[k], err);
        if (!code && !is_binary(files[0]))
            code = kl_ingest_images_identify(key, record, files, 1, NULL, false, err);
        kl_sampling_source_close(&source);
    }
    return code;
}
