/* SPDX-License-Identifier: MIT
   From images to features: opened, declared, extracted row by row, in shards. */
#include "backbone/extract.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backbone/backbone_int.h"
#include "base/base.h"
#include "nn/nn.h"
#include "store/kind.h"
#include "store/store.h"

int kl_backbone_extract_shard(size_t *first, size_t *n, size_t images, size_t shard, size_t shards,
                              struct kl_error *err)
{
    const size_t blocks = (images + KL_EXTRACT_BLOCK - 1) / KL_EXTRACT_BLOCK;
    if (shards > blocks)
        return kl_fail(err, KL_EUSAGE,
                       "%zu shards of %zu images: at most %zu, each of at least one block of %d", shards,
                       images, blocks, (int)KL_EXTRACT_BLOCK);
    const size_t begin = blocks / shards * shard + (shard < blocks % shards ? shard : blocks % shards);
    const size_t end = begin + blocks / shards + (shard < blocks % shards);
    *first = begin * KL_EXTRACT_BLOCK;
    *n = (end * KL_EXTRACT_BLOCK < images ? end * KL_EXTRACT_BLOCK : images) - *first;
    return 0;
}

/* ---- The datasets of a feature file, and what its attributes say of how it came to be ---- */

static int describe(const struct kl_extract *e, struct kl_error *err)
{
    const struct kl_extract_options *o = &e->options;
    const struct kl_images *im = e->images;
    size_t dims[3];
    char shape[64] = "";
    const int rank = kl_backbone_resnet18_shape(e->net, dims);
    for (int i = 0; i < rank; i++)
        snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%s%zu", i ? "x" : "", dims[i]);
    int rc = kl_store_writer_text(e->writer, "features", "backbone", "resnet18", err);
    if (!rc) rc = kl_store_writer_text(e->writer, "features", "weights_sha256", e->weights->sha256, err);
    if (!rc) rc = kl_store_writer_text(e->writer, "features", "tap", o->tap, err);
    if (!rc) rc = kl_store_writer_text(e->writer, "features", "shape", shape, err);
    if (!rc && o->precision)
        rc = kl_store_writer_text(e->writer, "features", "precision", o->precision, err);
    if (!rc) rc = kl_store_writer_text(e->writer, "features", "preprocess", e->preprocess, err);
    if (!rc)
        rc = kl_store_writer_integer(e->writer, "features", "source_height", (int64_t)im->source_height,
                                     err);
    if (!rc)
        rc = kl_store_writer_integer(e->writer, "features", "source_width", (int64_t)im->source_width,
                                     err);
    if (!rc)
        rc = kl_store_writer_integer(e->writer, "features", "source_channels",
                                     (int64_t)im->source_channels, err);
    return rc;
}

/* d: features of an image. */
static int extract_declare(struct kl_extract_sets *sets, const struct kl_extract *e, size_t d,
                           struct kl_error *err)
{
    const struct kl_images *im = e->images;
    const size_t dims[2] = { e->n, d };
    if ((sets->features = kl_store_writer_dataset(
             e->writer, "features", e->options.half ? KL_TYPE_F16 : KL_TYPE_F32, 0, 2, dims, err)) < 0)
        return sets->features;
    if ((sets->labels = kl_store_writer_dataset(e->writer, "labels", KL_TYPE_I32, 0, 1, dims, err)) < 0)
        return sets->labels;
    if ((sets->index = kl_store_writer_dataset(e->writer, "index", KL_TYPE_I64, 0, 1, dims, err)) < 0)
        return sets->index;
    if ((sets->pixels = kl_store_writer_dataset(e->writer, KL_PIXEL_DIGESTS, KL_TYPE_U8, 0, 2,
                                                (size_t[]){ e->n, sizeof *e->look.rows }, err)) < 0)
        return sets->pixels;
    int rc = im->n_classes
                 ? kl_store_writer_put(e->writer, "class_names", KL_TYPE_STRING, im->class_name_size, 1,
                                       &im->n_classes, im->class_names, err)
                 : 0;
    if (rc >= 0 && im->file_size)
        rc = kl_store_writer_put(e->writer, "aside/names", KL_TYPE_STRING, im->file_size, 1, dims,
                                 im->files + e->first * im->file_size, err);
    if (rc >= 0) rc = describe(e, err);
    return rc < 0 ? rc : 0;
}

static const struct kl_kind_heading headings[] = {
    { "features", "backbone" }, { "features", "tap" },        { "features", "columns" },
    { "features", "scaling" },  { "features", "preprocess" }, { .attribute = NULL }
};
/* The headings above show them. */
static const char *const not_on_page[] = { "features/", NULL };
static const char *const told_parts[] = { "split", "test-fraction", "seed", "missing", NULL };
const struct kl_kind kl_features_kind = { .name = "features",
                                          .maker = "extract-features",
                                          .headings = headings,
                                          .classes = "class_names",
                                          .not_on_page = not_on_page,
                                          .parts = told_parts };

/* ---- extract open ----
   What an extraction needs, opened: the device, its threads, images, weights, the network of the images'
   size. */

/* On a GPU a thread holds a batch on its way, waiting included: three at least, so that reading,
   computing and writing overlap, and no more than memory should hold. */
static int threads_of(const struct kl_device *device, int asked)
{
    const int n = asked > 0 ? asked : kl_threads_available();
    if (!device->cuda) return asked;
    return n < 3 ? 3 : n > 16 ? 16 : n;
}

/* As a table's rows are shared out (mode_table.c). */
static int choose_split(struct kl_images *images, const struct kl_extract_options *o,
                        struct kl_error *err)
{
    int64_t *train, *test;
    size_t n_train, n_test;
    const bool trains = o->split == KL_SPLIT_TRAIN;
    if (!images->n_classes)
        return kl_fail(err, KL_EUSAGE,
                       "--split %s: takes of each class its share, and %s has no labels; name them by "
                       "--labels",
                       trains ? "train" : "test", *o->inputs);
    const int code = kl_nn_split_stratified(&train, &n_train, &test, &n_test, images->labels, images->n,
                                            images->n_classes, o->test_fraction, o->seed, err);
    if (code) return code;
    kl_ingest_images_choose(images, trains ? train : test, trains ? n_train : n_test);
    free(trains ? test : train);
    return KL_OK;
}

static int open_images(struct kl_extract *e, const struct kl_extract_options *o, struct kl_error *err)
{
    struct kl_images_options how = o->images;
    how.pool = e->pool;
    how.log = o->log;
    int code = kl_ingest_images_open(&e->images, o->inputs, o->n_inputs, &how, err);
    if (!code && o->split != KL_SPLIT_ALL) code = choose_split(e->images, o, err);
    if (!code) code = kl_weights_read_named(&e->weights, o->weights, err);
    if (!code && e->images->skipped)
        kl_caution(o->log, "%zu file%s left out, which cannot be read", e->images->skipped,
                   kl_s(e->images->skipped));
    return code;
}

/* The network computes at any size, and what comes out looks like features: nothing else tells. */
static void remark_size(const struct kl_extract *e)
{
    const size_t side = e->options.trained_side;
    if (!side || (e->images->height == side && e->images->width == side)) return;
    kl_caution(
        e->options.log,
        "images of %zu x %zu pixels: the shipped weights were trained at %zu x %zu, at other sizes "
        "their features are worse; give %s %zu, or --weights FILE of a network for this size",
        e->images->height, e->images->width, side, side, e->images->shorter ? "--crop" : "--resize",
        side);
}

/* Whether colour tells classes apart, only the user knows; the shipped weights have seen none. */
static void remark_colour(const struct kl_extract *e)
{
    const struct kl_extract_options *o = &e->options;
    if (!o->trained_side || o->images.channels != KL_CHANNELS_AUTO || e->images->channels == 1) return;
    kl_caution(
        o->log,
        "images in colour: the shipped weights were trained on grey ones; compare with --channels grey, "
        "or give --weights FILE of a network for colour");
}

static void describe_images(struct kl_extract *e)
{
    const struct kl_extract_options *o = &e->options;
    char middle[64] = "";
    if (e->images->shorter)
        snprintf(middle, sizeof middle, "in the middle, the shorter side %zu ", e->images->shorter);
    snprintf(e->preprocess, sizeof e->preprocess,
             "%s, %zu x %zu %s%s, /255, minus (%s), divided by (%s)",
             e->images->channels == 1 ? "grey" : "rgb", e->images->height, e->images->width, middle,
             o->images.resize ? "(bilinear, antialias)" : "(not resized)", o->mean, o->std);
}

static void remark_unused(const struct kl_extract *e, size_t n, const char *first)
{
    if (n)
        kl_caution(e->options.log, "%s: %zu tensor%s of no ResNet-18 %s not used (first: %s)",
                   e->options.weights, n, kl_s(n), n == 1 ? "is" : "are", first);
}

static int open_net(struct kl_extract *e, struct kl_error *err)
{
    struct kl_resnet18_options net = e->options.net;
    size_t n_unused;
    const char *unused;
    net.height = e->images->height;
    net.width = e->images->width;
    net.pixels = e->images->channels == 1 ? KL_PIXELS_GREY : KL_PIXELS_RGB;
    int code = kl_backbone_resnet18_expect(e->weights, net.tap, &n_unused, &unused, err);
    if (!code)
        code = kl_backbone_resnet18_create(&e->net, e->device.cuda ? NULL : e->weights, &net, err);
    if (!code && e->device.cuda)
        code = kl_backbone_gpu_open(e->gpu, e->net, e->weights, e->images->n, kl_pool_size(e->pool),
                                    e->options.log, err);
    if (!code) kl_weights_say(e->weights, e->options.log);
    if (!code) remark_unused(e, n_unused, unused);
    return code;
}

static int prepare_gpu(struct kl_extract *e, struct kl_error *err)
{
    const char *precision = e->options.precision ? e->options.precision : "fp32";
    return kl_backbone_gpu_prepare(&e->gpu, &e->device,
                                   (enum kl_precision)kl_choice(KL_PRECISIONS, precision), err);
}

/* Speeds for images of 28x28: a CPU thread's (docs/benchmarks.md), and the H100's in fp32. */
static struct kl_device_work work_of(const struct kl_extract *e)
{
    const double shards = e->options.shards ? (double)e->options.shards : 1;
    const double images =
        (double)e->images->n / shards * (double)(e->images->height * e->images->width) / (28 * 28);
    return (struct kl_device_work){ .thread = images / 7900, .gpu = 0.7 + images / 800000 };
}

int kl_backbone_extract_open(struct kl_extract *e, const struct kl_extract_options *o,
                             struct kl_error *err)
{
    *e = (struct kl_extract){ .options = *o };
    int code = kl_device_choose(&e->device, o->device, err);
    if (!code && e->device.cuda) code = prepare_gpu(e, err);
    if (!code) code = kl_pool_create(&e->pool, threads_of(&e->device, o->threads), err);
    if (!code) code = open_images(e, o, err);
    if (!code && strcmp(o->device, "auto") == 0) {
        const struct kl_device_work work = work_of(e);
        kl_device_auto(&e->device, &work, kl_pool_size(e->pool), o->log);
        if (e->device.cuda) code = prepare_gpu(e, err);
    }
    if (!code) code = kl_backbone_look_open(&e->look, o->weights, err);
    if (code) return code;
    describe_images(e);
    e->n = e->images->n;
    code = open_net(e, err);
    if (!code) remark_size(e);
    if (!code) remark_colour(e);
    return code ? code : kl_backbone_reuse_open(&e->reuse, e, err);
}

void kl_backbone_extract_close(struct kl_extract *e)
{
    kl_backbone_gpu_close(&e->gpu);
    kl_backbone_resnet18_free(&e->net);
    kl_weights_free(&e->weights);
    kl_ingest_images_close(&e->images);
    kl_backbone_look_close(&e->look);
    kl_backbone_reuse_close(&e->reuse);
    kl_pool_destroy(&e->pool);
}

/* ---- extract ----
   The features of a source of images: blocks of images through the network, rows journalled as they are
   done. */

struct worker {
    struct kl_arena images, work; /* decoding; the network's */
    uint8_t *pixels;              /* [item][h][w][c]; on a GPU the slot's */
    float *features;              /* [item][d]; on a GPU none */
    uint16_t *half;
    /* of earlier rows, where there are any: all rows of the item as they are stored; which of its images
       these are not */
    unsigned char *rows;
    size_t *left;
};

struct run {
    struct kl_extract *e;
    size_t item;  /* images that a thread takes at once: the network's block; on a GPU a batch */
    size_t place; /* of the first row in the first item: items begin at multiples of their size, so that
                     every image has the same place in every shard */
    size_t d;     /* features of an image */
    size_t bytes, row_bytes; /* of an image's pixels; of its features as they are stored */
    struct kl_extract_sets sets;
    bool *done; /* [n] rows that were there before */
    struct worker *workers;
    pthread_mutex_t lock; /* what follows */
    size_t finished, reused;
    bool stopped;
    size_t failed_item;
    struct kl_error error;
};

/* The first error wins by place, not by time, so that a run always reports the same one. */
static void fail(struct run *r, size_t item, const struct kl_error *error)
{
    pthread_mutex_lock(&r->lock);
    const bool only_stopped = error->code == KL_ESIGNAL;
    if (!r->stopped || (!only_stopped && (r->error.code == KL_ESIGNAL || item < r->failed_item))) {
        r->error = *error;
        r->failed_item = item;
    }
    r->stopped = true;
    pthread_mutex_unlock(&r->lock);
    kl_ingest_images_cancel(r->e->images);
}

/* Rows of item i: *row, *n, and *place, the first one's within the item. */
static void rows_of(const struct run *r, size_t i, size_t *row, size_t *n, size_t *place)
{
    const size_t end = (i + 1) * r->item - r->place;
    *row = i ? i * r->item - r->place : 0;
    *n = (end < r->e->n ? end : r->e->n) - *row;
    *place = i ? 0 : r->place;
}

static size_t items(const struct run *r)
{
    return (r->place + r->e->n + r->item - 1) / r->item;
}

/* The features of a worker's images [place, place + n). */
static int compute(struct run *r, int thread, size_t place, size_t n, const float **features,
                   struct kl_error *err)
{
    struct worker *w = &r->workers[thread];
    if (r->e->gpu) {
        int rc = kl_backbone_gpu_run(r->e->gpu, thread, place, n, features, err);
        *features += place * r->d;
        return rc;
    }
    *features = w->features;
    return kl_backbone_resnet18_run(r->e->net, w->features, w->pixels + place * r->bytes, n, &w->work,
                                    err);
}

static bool all_finite(const float *values, size_t n)
{
    uint32_t most = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, values + i, sizeof bits);
        bits &= INT32_MAX; /* without the sign */
        most = bits > most ? bits : most;
    }
    return most < 0x7f800000; /* infinity; above it is what is no number */
}

/* The form in which n rows are stored; row, of: of which images, for a message. */
static int store_form(const void **stored, struct run *r, struct worker *w, const float *computed,
                      size_t n, size_t row, size_t of, struct kl_error *err)
{
    const struct kl_extract *e = r->e;
    *stored = computed;
    if (!all_finite(computed, n * r->d))
        return kl_fail(err, KL_EDATA, "images %zu to %zu: a feature is not a finite number: %s",
                       e->first + row, e->first + row + of - 1,
                       e->options.precision && strcmp(e->options.precision, "fp16") == 0
                           ? "the weights may be too large for fp16; use --precision fp32, tf32 or bf16"
                           : "the weights are not those of a network that was trained");
    if (!e->writer || !e->options.half) return KL_OK;
    *stored = w->half;
    if (kl_half_from_float(w->half, computed, n * r->d))
        return kl_fail(err, KL_EDATA,
                       "images %zu to %zu: a feature is beyond float16's range; use --dtype f32",
                       e->first + row, e->first + row + of - 1);
    return KL_OK;
}

static int write_rows(struct run *r, const void *stored, size_t row, size_t n, struct kl_error *err)
{
    const struct kl_extract *e = r->e;
    int rc;
    if (!e->writer) return KL_OK;
    if ((rc = kl_store_writer_rows(e->writer, r->sets.features, row, n, stored, err)) ||
        (rc = kl_store_writer_rows(e->writer, r->sets.labels, row, n, e->images->labels + e->first + row,
                                   err)) ||
        (rc = kl_store_writer_rows(e->writer, r->sets.index, row, n, e->images->index + e->first + row,
                                   err)) ||
        (rc = kl_store_writer_rows(e->writer, r->sets.pixels, row, n, e->look.rows[row], err)))
        return rc;
    return kl_store_writer_journal(e->writer, r->sets.features, row, n, err);
}

/* All n rows computed, or those that no earlier file has, whose pixels then stand in front. */
static int make_rows(const void **stored, struct run *r, int thread, size_t place, size_t row, size_t n,
                     struct kl_error *err)
{
    struct kl_extract *e = r->e;
    struct worker *w = &r->workers[thread];
    uint8_t *pixels = w->pixels + place * r->bytes;
    const float *features;
    size_t left = 0;
    int rc = KL_OK;
    for (size_t i = 0; e->reuse && i < n && !rc; i++) {
        bool found;
        rc = kl_backbone_reuse_row(&found, e->reuse, e->look.rows[row + i], w->rows + i * r->row_bytes,
                                   err);
        if (found) continue;
        if (left < i) memcpy(pixels + left * r->bytes, pixels + i * r->bytes, r->bytes);
        w->left[left++] = i;
    }
    const bool whole = !e->reuse || left == n;
    if (whole) left = n;
    if (!rc && left) rc = compute(r, thread, place, left, &features, err);
    if (!rc && left) rc = store_form(stored, r, w, features, left, row, n, err);
    if (rc || whole) return rc;
    for (size_t k = 0; k < left; k++)
        memcpy(w->rows + w->left[k] * r->row_bytes, (const char *)*stored + k * r->row_bytes,
               r->row_bytes);
    *stored = w->rows;
    pthread_mutex_lock(&r->lock);
    r->reused += n - left;
    pthread_mutex_unlock(&r->lock);
    return KL_OK;
}

static bool all_done(const bool *done, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!done[i]) return false;
    return true;
}

static void run_item(void *context, size_t i, int thread)
{
    struct run *r = context;
    struct kl_extract *e = r->e;
    struct worker *w = &r->workers[thread];
    struct kl_error error = { 0 };
    const void *stored = NULL;
    size_t row, n, place;
    rows_of(r, i, &row, &n, &place);
    const bool skip = all_done(r->done + row, n);
    uint8_t *pixels = w->pixels + place * r->bytes;
    pthread_mutex_lock(&r->lock);
    /* an earlier item than the one that failed may fail as well, and be the one to name */
    const bool stopped = r->stopped && (r->error.code == KL_ESIGNAL || i > r->failed_item);
    pthread_mutex_unlock(&r->lock);
    if (stopped) return;
    int rc = kl_ingest_images_read(e->images, e->first + row, n, pixels, &w->images, &error);
    if (!rc) kl_backbone_look_at(&e->look, pixels, row, n, r->bytes);
    if (!rc && !skip && !(rc = make_rows(&stored, r, thread, place, row, n, &error)))
        rc = write_rows(r, stored, row, n, &error);
    if (!rc) {
        pthread_mutex_lock(&r->lock);
        r->finished += n;
        if (kl_watch_step(e->watch, r->finished, e->n, NULL))
            rc = kl_fail(&error, KL_ESIGNAL, "stopped");
        pthread_mutex_unlock(&r->lock);
    }
    if (rc) fail(r, i, &error);
}

/* Images whose features need not be computed again. */
static size_t count_kept(const struct run *r)
{
    size_t kept = 0, row, n, place;
    for (size_t i = 0; i < items(r); i++) {
        rows_of(r, i, &row, &n, &place);
        kept += all_done(r->done + row, n) ? n : 0;
    }
    return kept;
}

static int make_workers(struct run *r, int n, struct kl_error *err)
{
    r->workers = calloc((size_t)n, sizeof *r->workers);
    if (!r->workers) return kl_fail_memory(err, (size_t)n * sizeof *r->workers);
    for (int i = 0; i < n; i++) {
        struct worker *w = &r->workers[i];
        int rc = kl_arena_init(&w->images, r->bytes, err);
        if (rc) return rc;
        if (r->e->options.half && !(w->half = malloc(r->item * r->d * sizeof *w->half)))
            return kl_fail_memory(err, r->item * r->d * sizeof *w->half);
        if (r->e->reuse && (!(w->rows = malloc(r->item * r->row_bytes)) ||
                            !(w->left = malloc(r->item * sizeof *w->left))))
            return kl_fail_memory(err, r->item * r->row_bytes);
        if (r->e->gpu) {
            w->pixels = kl_backbone_gpu_pixels(r->e->gpu, i);
            continue;
        }
        if ((rc = kl_arena_init(&w->work, kl_backbone_resnet18_workspace(r->e->net), err))) return rc;
        w->pixels = malloc(r->item * r->bytes);
        w->features = aligned_alloc(64, (r->item * r->d * sizeof *w->features + 63) / 64 * 64);
        if (!w->pixels || !w->features) return kl_fail_memory(err, r->item * (r->bytes + 4 * r->d));
    }
    return 0;
}

static void free_workers(struct run *r, int n)
{
    for (int i = 0; i < n && r->workers; i++) {
        struct worker *w = &r->workers[i];
        kl_arena_free(&w->images);
        kl_arena_free(&w->work);
        if (!r->e->gpu) free(w->pixels);
        free(w->features);
        free(w->half);
        free(w->rows);
        free(w->left);
    }
    free(r->workers);
}

/* The datasets, and which of their rows are there. */
static int declare(struct run *r, struct kl_error *err)
{
    const int rc = extract_declare(&r->sets, r->e, r->d, err);
    return rc ? rc : kl_store_writer_done_rows(r->e->writer, r->sets.features, r->done, err);
}

int kl_backbone_extract_run(struct kl_extract *e, struct kl_error *err)
{
    struct run r = { .e = e, .d = 1 };
    size_t dims[3];
    const int rank = kl_backbone_resnet18_shape(e->net, dims), threads = kl_pool_size(e->pool);
    int rc;
    for (int i = 0; i < rank; i++) r.d *= dims[i];
    r.item = e->gpu ? kl_backbone_gpu_batch(e->gpu) : kl_backbone_resnet18_block(e->net);
    r.place = e->first % r.item;
    r.bytes = e->images->height * e->images->width * e->images->channels;
    r.row_bytes = r.d * (e->options.half ? sizeof(uint16_t) : sizeof(float));
    pthread_mutex_init(&r.lock, NULL);
    if (!(r.done = calloc(e->n, sizeof *r.done))) {
        rc = kl_fail_memory(err, e->n);
        goto out;
    }
    if ((rc = kl_backbone_look_begin(&e->look, e->n, err)) || (rc = make_workers(&r, threads, err)) ||
        (e->writer && (rc = declare(&r, err))))
        goto out;
    e->kept = count_kept(&r);
    if (e->kept)
        kl_note(e->options.log, 1,
                "found %zu of %zu images done by a run that was stopped; %zu are left", e->kept, e->n,
                e->n - e->kept);
    if (e->first &&
        (rc = kl_ingest_images_read(e->images, 0, e->first, NULL, &r.workers[0].images, err)))
        goto out;
    kl_pool_for(e->pool, items(&r), run_item, &r);
    if (r.stopped) {
        rc = r.error.code;
        if (err) *err = r.error;
        if (rc == KL_ESIGNAL)
            rc = kl_fail(err, rc, "stopped after %zu of %zu image%s", r.finished, e->n, kl_s(e->n));
    }
    if (!rc && e->reuse) kl_backbone_reuse_say(e->reuse, r.reused, e->n, e->options.log);
    if (!rc)
        rc = kl_backbone_look_say(&e->look, e->images->labels + e->first, e->first, e->options.log, err);
out:
    free_workers(&r, threads);
    free(r.done);
    pthread_mutex_destroy(&r.lock);
    return rc;
}
