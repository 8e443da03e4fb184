/* SPDX-License-Identifier: MIT
   extract-features: images in, a file of ResNet-18 features out; with --qrng, bits of devices; with
   --label, tables of numbers. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "backbone/extract.h"
#include "qrng/bits/bits.h"
#include "store/mode.h"
#include "store/shard.h"

enum { NUMERICAL_VERSION = 1, MAX_INPUTS = 64, MOST = 4096 /* pixels a side */ };

struct values {
    struct kl_common common;
    const char *weights, *tap, *mean, *std, *dtype, *precision, *shard, *channels, *labels, *split;
    int64_t resize, crop, limit;
    double test_fraction;
    bool skip_bad;
};

#define AT(field) offsetof(struct values, field)
#define CHANNELS "auto|grey|rgb"                   /* enum kl_channels */
#define SPLITS "all|train|test"                    /* enum kl_split */
#define TAPS "layer1|layer2|layer3|layer4|avgpool" /* enum kl_tap */
static const struct kl_option options[] = {
    { "weights", 'w', KL_OPT_STRING, AT(weights), "FILE", 0, 0, false,
      ".safetensors or .pth of a ResNet-18 (default: ketline's, for 28 x 28 pixels)", "Features", NULL },
    { "tap", 't', KL_OPT_CHOICE, AT(tap), TAPS, 0, 0, true, "where features are taken", NULL, NULL },
    { "dtype", 0, KL_OPT_CHOICE, AT(dtype), "f32|f16", 0, 0, true, "storage of features", NULL, NULL },
    { "precision", 0, KL_OPT_CHOICE, AT(precision), KL_PRECISIONS, 0, 0, true,
      "what convolutions multiply (default: tf32 on a GPU)", NULL, NULL },
    { "labels", 'l', KL_OPT_STRING, AT(labels), "FILE", 0, 0, false,
      "of IDX: a file (default: beside it); of HDF5: [FILE:]DATASET; none: do without", "Images", NULL },
    { "channels", 0, KL_OPT_CHOICE, AT(channels), CHANNELS, 0, 0, true,
      "auto: rgb if an image has colour", NULL, NULL },
    { "resize", 'r', KL_OPT_INT, AT(resize), "N", 0, MOST, true,
      "to N x N, bilinear with antialias; 0: as they are; 28 for the default weights", NULL, NULL },
    { "crop", 0, KL_OPT_INT, AT(crop), "N", 0, MOST, false,
      "the middle N x N; --resize is the shorter side then; 0: all", NULL, NULL },
    { "mean", 0, KL_OPT_STRING, AT(mean), "R,G,B", 0, 0, true, "subtracted from pixel/255", NULL, NULL },
    { "std", 0, KL_OPT_STRING, AT(std), "R,G,B", 0, 0, true, "divides the difference", NULL, NULL },
    { "limit", 0, KL_OPT_INT, AT(limit), "N", 0, 1e15, true, "only the first N images; 0: all", NULL,
      NULL },
    { "split", 0, KL_OPT_CHOICE, AT(split), SPLITS, 0, 0, false,
      "train, test: the images of one part, by --seed, of each class its share", NULL, NULL },
    { "test-fraction", 0, KL_OPT_FLOAT, AT(test_fraction), "P", 0.001, 0.999, false, "of the images",
      NULL, NULL },
    { "skip-bad", 0, KL_OPT_FLAG, AT(skip_bad), NULL, 0, 0, true,
      "leave out image files that cannot be read", NULL, NULL },
    { "shard", 0, KL_OPT_STRING, AT(shard), "I/N", 0, 0, false,
      "only part I (0 to N-1) of N, for cache merge; auto, auto/N: by Slurm or MPI", NULL, NULL },
    KL_DEVICE_OPTION(AT(common.device)),
};
static const struct kl_tool *const parts[] = { &kl_extract_tool, &kl_backbone_table_tool, NULL };
static const struct kl_tool tool = {
    .name = "extract-features",
    .summary = "Images to ResNet-18 features, computed once",
    .arguments = "INPUT... -o FEATURES.h5",
    .example = "extract-features train-images-idx3-ubyte.gz -o train.h5\n  "
               "extract-features photos/ -r 256 --crop 224 -w resnet18-f37072fd.pth -o p.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .parts = parts,
};

/* One run: what is parsed and found, opened later, released at the end. */
struct job {
    struct kl_stage *stage;
    struct values *v;
    struct kl_extract_options options;
    struct kl_extract e;
    char weights_path[4096], mean[64], std[64];
    struct kl_shard shard;
    json_t *raw; /* for the provenance */
    struct kl_writer *writer;
    char content[65]; /* once the file is published */
};

/* In the key there is no fp32, which either device computes and which is the CPU's default. */
static int choose_precision(struct values *v, struct kl_error *err)
{
    const bool gpu = strncmp(v->common.device, "cuda", 4) == 0;
    if (gpu && !v->precision) v->precision = "tf32";
    if (!v->precision || strcmp(v->precision, "fp32") == 0) {
        v->precision = NULL;
        return KL_OK;
    }
    return gpu ? KL_OK
               : kl_fail(
                     err, KL_EUSAGE,
                     "--precision %s: the CPU computes in fp32; give --device cuda, or no --precision",
                     v->precision);
}

static void defaults(void *values)
{
    *(struct values *)values = (struct values){ .tap = "avgpool",
                                                .split = "all",
                                                .test_fraction = 0.2,
                                                .dtype = "f32",
                                                .channels = "auto",
                                                .mean = "0.485,0.456,0.406",
                                                .std = "0.229,0.224,0.225" };
}

static int check_split(const struct values *v, struct kl_error *err)
{
    struct values usual = { 0 };
    defaults(&usual);
    if (strcmp(v->split, usual.split) == 0)
        return kl_options_refuse(&tool, v, &usual, "test-fraction seed",
                                 "changes nothing without --split train or test", err);
    return v->labels && strcmp(v->labels, "none") == 0
               ? kl_fail(err, KL_EUSAGE, "--split %s: takes of each class its share, and there are none",
                         v->split)
               : KL_OK;
}

static int check(const struct values *v, size_t n_inputs, struct kl_error *err)
{
    if (n_inputs > MAX_INPUTS)
        return kl_fail(
            err, KL_EUSAGE,
            "%zu inputs, expected 1 to %d; of single images give the folder above their class's, in "
            "which each class is a sub-folder",
            n_inputs, (int)MAX_INPUTS);
    if (v->labels && n_inputs > 1 && strcmp(v->labels, "none") != 0)
        return kl_fail(err, KL_EUSAGE, "--labels belongs to one input, there are %zu", n_inputs);
    if (v->crop && !v->resize)
        return kl_fail(
            err, KL_EUSAGE,
            "--crop %lld: of what size is not said; give --resize N too, the shorter side, such "
            "as --resize %lld",
            (long long)v->crop, (long long)(v->crop > MOST / 8 * 7 ? MOST : v->crop * 8 / 7));
    if (v->crop > v->resize)
        return kl_fail(err, KL_EUSAGE, "--crop %lld: more than --resize %lld makes the shorter side",
                       (long long)v->crop, (long long)v->resize);
    return check_split(v, err);
}

/* The texts of the options into numbers; in the key each has one spelling. */
static int settle(struct job *j, struct kl_error *err)
{
    struct values *v = j->v;
    struct kl_resnet18_options *net = &j->options.net;
    kl_backbone_resnet18_options_default(net);
    int code = kl_backbone_resnet18_triple(net->mean, j->mean, v->mean, false, "--mean", err);
    if (!code) code = kl_backbone_resnet18_triple(net->std, j->std, v->std, true, "--std", err);
    if (!code) code = kl_store_shard_parse(&j->shard, v->shard, j->stage->log, err);
    if (!code) code = choose_precision(v, err);
    if (code) return code;
    v->mean = j->mean;
    v->std = j->std;
    net->tap = (enum kl_tap)kl_choice(TAPS, v->tap);
    j->options.split = (enum kl_split)kl_choice(SPLITS, v->split);
    j->options.test_fraction = v->test_fraction, j->options.seed = (uint64_t)v->common.seed;
    if (!v->weights) return kl_backbone_weights_shipped(j->weights_path, sizeof j->weights_path, err);
    snprintf(j->weights_path, sizeof j->weights_path, "%s", v->weights);
    return kl_no_folder(v->weights, err);
}

/* Keys without one are as they were before there were splits. */
static int add_split(struct kl_key *key, const struct values *v, struct kl_error *err)
{
    char fraction[32];
    snprintf(fraction, sizeof fraction, "%.17g", v->test_fraction);
    int code = kl_store_key_text(key, "split", v->split, err);
    if (!code) code = kl_store_key_text(key, "test-fraction", fraction, err);
    return code ? code : kl_store_key_integer(key, "seed", v->common.seed, err);
}

/* Of the whole, of which this run may be a part. */
static int make_key(struct job *j, struct kl_key **key, struct kl_error *err)
{
    json_object_clear(j->raw);
    int code = kl_store_key_begin(key, "features", 1, tool.name, NUMERICAL_VERSION, err);
    if (!code) code = kl_store_key_options(*key, &tool, j->v, err);
    if (!code && j->v->crop) code = kl_store_key_integer(*key, "crop", j->v->crop, err);
    if (!code && j->options.split != KL_SPLIT_ALL) code = add_split(*key, j->v, err);
    if (!code)
        code = kl_ingest_images_identify(*key, j->raw, j->stage->inputs, j->stage->n_inputs,
                                         j->v->labels, j->v->skip_bad, err);
    if (!code) code = kl_store_input_identify(*key, j->raw, "weights", 0, j->weights_path, err);
    return code;
}

/* Before a file of this key is taken: it may be of another network's weights. Those that ketline ships
   are what they are. */
static int check_weights(const struct job *j, struct kl_error *err)
{
    char checked[64];
    struct kl_weights *weights = NULL;
    const char *unused;
    size_t n;
    snprintf(checked, sizeof checked, "resnet18 %d %s", NUMERICAL_VERSION, j->v->tap);
    if (!j->v->weights || kl_store_input_remembered(j->weights_path, checked)) return KL_OK;
    int code = kl_weights_read_named(&weights, j->weights_path, err);
    if (!code) code = kl_backbone_resnet18_expect(weights, j->options.net.tap, &n, &unused, err);
    if (!code) kl_store_input_remember(j->weights_path, checked);
    kl_weights_free(&weights);
    return code;
}

static int open_parts(struct job *j, const struct kl_log *log, struct kl_error *err)
{
    struct values *v = j->v;
    struct kl_extract_options *o = &j->options;
    kl_ingest_images_options_default(&o->images);
    o->inputs = j->stage->inputs;
    o->n_inputs = j->stage->n_inputs;
    o->images.labels = v->labels;
    o->images.channels = (enum kl_channels)kl_choice(CHANNELS, v->channels);
    o->images.resize = (size_t)v->resize, o->images.crop = (size_t)v->crop;
    o->images.limit = (size_t)v->limit;
    o->images.skip_bad = v->skip_bad;
    o->weights = j->weights_path;
    o->trained_side = v->weights ? 0 : KL_SHIPPED_SIDE;
    o->tap = v->tap;
    o->mean = v->mean;
    o->std = v->std;
    o->device = v->common.device;
    o->precision = v->precision, o->shards = j->shard.count;
    o->half = strcmp(v->dtype, "f16") == 0;
    o->threads = (int)v->common.threads;
    o->log = log;
    if (!v->common.force && v->common.output && strcmp(v->common.output, "-") != 0)
        o->before = v->common.output;
    o->key_parts = j->stage->header.key_parts;
    int code = kl_backbone_extract_open(&j->e, o, err);
    kl_device_used(&v->common, &j->e.device);
    if (code || !j->shard.count) return code;
    return kl_backbone_extract_shard(&j->e.first, &j->e.n, j->e.images->n, j->shard.index,
                                     j->shard.count, err);
}

static int try_a_moment(void *context, struct kl_estimate *estimate, struct kl_error *err)
{
    struct job *j = context;
    const struct kl_log quiet = { j->stage->log->tool, j->stage->log->to, 0, NULL };
    struct kl_trial trial;
    const double start = kl_clock();
    int code = open_parts(j, &quiet, err);
    const double opened = kl_clock() - start;
    kl_trial_begin(&trial);
    j->e.watch = &trial.watch;
    if (!code) code = kl_backbone_extract_run(&j->e, err);
    code = kl_trial_end(code);
    j->e.watch = NULL;
    if (!code) code = kl_trial_whole(&estimate->seconds, &trial, "the first image", err);
    estimate->seconds += opened;
    return code;
}

/* Of this run. */
static int make_own_key(struct job *j, struct kl_key **key, struct kl_error *err)
{
    const int code = make_key(j, key, err);
    return code ? code : kl_store_key_shard(*key, &j->shard, err);
}

static int begin(struct job *j, enum kl_stage_answer *answer, FILE *out, struct kl_error *err)
{
    struct kl_key *key = NULL;
    j->stage->estimate = try_a_moment, j->stage->estimate_context = j;
    int code = (j->raw = json_object()) ? KL_OK : kl_fail_memory(err, 64);
    if (!code && j->shard.count) {
        code = make_key(j, &key, err);
        if (!code) code = kl_store_shard_of(&j->shard, &key, err);
    }
    if (!code) code = make_own_key(j, &key, err);
    if (!code) code = check_weights(j, err);
    if (!code) code = kl_store_stage_begin(j->stage, answer, &key, out, err);
    if (!code && *answer == KL_STAGE_COMPUTE && !j->v->common.force)
        code = kl_store_shard_check_target(&j->shard, j->v->common.output, err);
    kl_store_key_abort(&key);
    return code;
}

/* Images were identified first and read later. */
static int check_unchanged(struct job *j, struct kl_error *err)
{
    struct kl_key *key = NULL;
    int code = make_own_key(j, &key, err);
    if (!code) code = kl_store_stage_unchanged(j->stage, &key, j->stage->inputs[0], err);
    kl_store_key_abort(&key);
    if (code == KL_EDATA) kl_store_writer_spoiled(j->writer);
    return code;
}

static int extract(struct job *j, struct kl_error *err)
{
    struct kl_progress progress;
    int code = kl_progress_begin(&progress, j->stage->log, j->v->common.progress, "images");
    if (code) return code;
    j->e.writer = j->writer;
    j->e.watch = &progress.watch;
    code = kl_backbone_extract_run(&j->e, err);
    kl_progress_end(&progress);
    if (!code) return check_unchanged(j, err);
    check_unchanged(j, NULL); /* whether what is done may be kept */
    if (code == KL_ESIGNAL) kl_store_writer_stopped(j->writer, j->stage->log, err->text);
    return code;
}

/* Beside the weights: readers of the features look there (head/features.c). */
static int record_seen(const struct job *j, struct kl_error *err)
{
    const size_t seen = kl_backbone_look_seen(&j->e.look);
    json_t *weights = json_object_get(j->raw, "weights");
    if (!seen || !json_object_set_new(weights, "trained_on", json_integer((json_int_t)seen)))
        return KL_OK;
    return kl_fail_memory(err, 64);
}

static int report(void *context, FILE *to, bool json, struct kl_error *err);

static int compute(struct job *j, struct kl_error *err)
{
    char *raw = NULL;
    int code = open_parts(j, j->stage->log, err);
    if (!code)
        code = kl_store_writer_open_partial(&j->writer, j->v->common.output, &j->stage->header, err);
    if (!code) kl_store_writer_note_older(j->writer, j->stage->log, "images");
    if (!code) code = kl_store_shard_save(j->writer, &j->shard, err);
    if (!code) code = extract(j, err);
    if (!code) code = record_seen(j, err);
    if (!code) code = kl_json_dump(&raw, j->raw, err);
    if (!code) code = kl_store_stage_found(j->stage, report, j, err);
    if (!code) code = kl_store_stage_publish(j->stage, &j->writer, NULL, 0, raw, j->content, err);
    free(raw);
    return code;
}

/* Classes that are called by something else than their numbers. */
static bool are_named(const struct kl_images *im)
{
    bool named = false;
    for (size_t i = 0; i < im->n_classes && !named; i++) {
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        named = strcmp(number, im->class_names + i * im->class_name_size) != 0;
    }
    return named;
}

/* "; images x_test, labels y_test" of HDF5 files; "; classes 0 cat, 1 dog" where they have names. */
static const char *found_text(char text[2048], const struct kl_images *im)
{
    enum { SHOWN = 10 };
    size_t n = 0;
    *text = '\0';
    if (*im->images_from)
        n = (size_t)snprintf(text, 1100, "; images %s, labels %s", im->images_from, im->labels_from);
    for (size_t i = 0; are_named(im) && i < im->n_classes && i < SHOWN; i++)
        n += (size_t)snprintf(text + n, 2048 - n, "%s%zu %.60s", i ? ", " : "; classes ", i,
                              im->class_names + i * im->class_name_size);
    if (are_named(im) && im->n_classes > SHOWN)
        snprintf(text + n, 2048 - n, ", ... %zu", im->n_classes - 1);
    kl_make_printable(text);
    return text;
}

/* The one line, or object, of the result; not into a pipe that carries the file. */
static int report(void *context, FILE *to, bool json, struct kl_error *err)
{
    const struct job *j = context;
    const char *output = j->v->common.output;
    char text[2048];
    const struct kl_images *im = j->e.images;
    size_t dims[3], d = 1;
    const double seconds = kl_clock() - j->stage->start, n = (double)j->e.n;
    const double rate = (n - (double)j->e.kept) / seconds; /* of what these seconds were spent on */
    for (int i = 0, rank = kl_backbone_resnet18_shape(j->e.net, dims); i < rank; i++) d *= dims[i];
    const struct kl_json_pair pairs[] = {
        { "output", KL_JSON_TEXT, output, 0 },
        { "key", KL_JSON_TEXT, j->stage->key, 0 },
        { "status", KL_JSON_TEXT, kl_store_stage_status(KL_STAGE_COMPUTE), 0 },
        { "content", KL_JSON_TEXT, j->content, 0 },
        { "images", KL_JSON_COUNT, NULL, n },
        { "skipped", KL_JSON_COUNT, NULL, (double)j->e.images->skipped },
        { "features", KL_JSON_COUNT, NULL, (double)d },
        { "dtype", KL_JSON_TEXT, j->v->dtype, 0 },
        { "seconds", KL_JSON_NUMBER, NULL, seconds },
        { "rate", KL_JSON_NUMBER, NULL, rate },
        kl_json_cautions(j->stage->log),
        { "images_dataset", KL_JSON_TEXT, im->images_from, 0 },
        { "labels_dataset", KL_JSON_TEXT, im->labels_from, 0 }
    };
    const size_t n_pairs = sizeof pairs / sizeof *pairs - (*im->images_from ? 0 : 2);
    if (json) return kl_json_line(to, pairs, n_pairs, err);
    fprintf(to, "%s: %zu x %zu %s, %.1f s (%.0f images/s)%s\n", output, j->e.n, d,
            strcmp(j->v->dtype, "f16") == 0 ? "float16" : "float32", seconds, rate,
            found_text(text, im));
    return KL_OK;
}

static int work(struct job *j, FILE *out, struct kl_error *err)
{
    enum kl_stage_answer answer;
    int code = check(j->v, j->stage->n_inputs, err);
    if (!code) code = settle(j, err);
    if (!code) code = begin(j, &answer, out, err);
    if (code || answer == KL_STAGE_ANSWERED) return code;
    if (answer != KL_STAGE_COMPUTE) return kl_store_stage_report(j->stage, answer, out, err);
    code = compute(j, err);
    return code || (j->v->common.quiet && !j->v->common.json)
               ? code
               : report(j, kl_words_to(&j->v->common), j->v->common.json, err);
}

static int run(struct kl_mode_run *run, struct kl_error *err)
{
    struct job j = { .stage = &run->stage, .v = run->values };
    const int code = work(&j, run->out, err);
    kl_store_writer_abort(&j.writer);
    kl_backbone_extract_close(&j.e);
    kl_store_shard_free(&j.shard);
    json_decref(j.raw);
    return code;
}

int main(int argc, char **argv)
{
    static const struct kl_mode images = { .tool = &tool, .defaults = defaults, .run = run };
    const struct kl_mode *const modes[] = { &images, &kl_mode_extract, &kl_backbone_mode_table };
    return kl_store_modes_main(modes, 3, argc, argv, stdout, stderr);
}
