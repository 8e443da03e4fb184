/* SPDX-License-Identifier: MIT
   extract-features: images in, a file of ResNet-18 features out; with --qrng, bits of devices. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backbone/backbone.h"
#include "device/device.h"
#include "ingest/ingest.h"
#include "qrng/extract.h"
#include "store/store.h"

enum { NUMERICAL_VERSION = 1, MAX_INPUTS = 64 };

struct values {
    struct kl_common common;
    const char *weights, *tap, *mean, *std, *dtype, *precision, *shard, *channels, *labels;
    int64_t resize, limit;
    bool skip_bad;
};

#define AT(field) offsetof(struct values, field)
#define CHANNELS "auto|grey|rgb"                   /* enum kl_channels */
#define TAPS "layer1|layer2|layer3|layer4|avgpool" /* enum kl_tap */
static const struct kl_option options[] = {
    { "weights", 'w', KL_OPT_STRING, AT(weights), "FILE", 0, 0, false,
      ".safetensors or .pth of a ResNet-18 (default: the one that ketline ships)", "Features", NULL },
    { "tap", 't', KL_OPT_CHOICE, AT(tap), TAPS, 0, 0, true, "where features are taken", NULL, NULL },
    { "dtype", 0, KL_OPT_CHOICE, AT(dtype), "f32|f16", 0, 0, true, "storage of features", NULL, NULL },
    { "precision", 0, KL_OPT_CHOICE, AT(precision), KL_PRECISIONS, 0, 0, true,
      "what convolutions multiply (default: tf32 on a GPU)", NULL, NULL },
    { "labels", 'l', KL_OPT_STRING, AT(labels), "FILE", 0, 0, false,
      "labels of an IDX file (default: beside it); none: do without", "Images", NULL },
    { "channels", 0, KL_OPT_CHOICE, AT(channels), CHANNELS, 0, 0, true,
      "auto: rgb if an image has colour", NULL, NULL },
    { "resize", 'r', KL_OPT_INT, AT(resize), "N", 0, 4096, true,
      "to N x N, bilinear with antialias; 0: as they are", NULL, NULL },
    { "mean", 0, KL_OPT_STRING, AT(mean), "R,G,B", 0, 0, true, "subtracted from pixel/255", NULL, NULL },
    { "std", 0, KL_OPT_STRING, AT(std), "R,G,B", 0, 0, true, "divides the difference", NULL, NULL },
    { "limit", 0, KL_OPT_INT, AT(limit), "N", 0, 1e15, true, "only the first N images; 0: all", NULL,
      NULL },
    { "skip-bad", 0, KL_OPT_FLAG, AT(skip_bad), NULL, 0, 0, true, "leave damaged PNG files out", NULL,
      NULL },
    { "shard", 0, KL_OPT_STRING, AT(shard), "I/N", 0, 0, false,
      "only part I (0 to N-1) of N, for cache merge; auto: from Slurm or MPI", NULL, NULL },
    KL_DEVICE_OPTION(AT(common.device)),
};
static const struct kl_tool *const parts[] = { &kl_extract_tool, NULL };
static const struct kl_tool tool = {
    .name = "extract-features",
    .summary = "Images to ResNet-18 features, computed once",
    .arguments = "INPUT... -o FEATURES.h5",
    .example = "extract-features train-images-idx3-ubyte.gz -o train.h5\n  "
               "extract-features photos/ --resize 224 -w "
               "resnet18-f37072fd.pth -o photos.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "seed device",
    .parts = parts,
};

/* One run: what is parsed and found, opened later, released at the end. */
struct job {
    struct values v;
    const char **inputs;
    size_t n_inputs;
    struct kl_resnet18_options net_options;
    char weights_path[4096], mean[64], std[64], preprocess[400];
    size_t shard, shards; /* shards 0: not asked for */
    size_t n;             /* images of this run */
    char whole_key[65], *whole_parts;
    json_t *raw; /* for the provenance */
    struct kl_stage stage;
    struct kl_log log;
    struct kl_pool *pool;
    struct kl_images *images;
    struct kl_weights *weights;
    struct kl_resnet18 *net;
    struct kl_device device;
    struct kl_card *card; /* NULL: the CPU computes */
    struct kl_writer *writer;
};

static int parse_triple(float triple[3], char text[64], const char *from, const char *name,
                        struct kl_error *err)
{
    const char *at = from;
    for (int i = 0; i < 3; i++) {
        char *end;
        triple[i] = strtof(at, &end);
        if (end == at || !isfinite(triple[i]) || *end != (i < 2 ? ',' : 0) ||
            (name[0] == 's' && triple[i] <= 0))
            return kl_fail(err, KL_EUSAGE, "--%s %.80s: expected three %snumbers, as in 0.5,0.5,0.5",
                           name, from, name[0] == 's' ? "positive " : "");
        at = end + 1;
    }
    for (int digits = 1; digits <= 9;
         digits++) { /* the shortest text that reads back as the same numbers */
        float same[3];
        snprintf(text, 64, "%.*g,%.*g,%.*g", digits, triple[0], digits, triple[1], digits, triple[2]);
        if (sscanf(text, "%f,%f,%f", &same[0], &same[1], &same[2]) == 3 &&
            memcmp(same, triple, sizeof same) == 0)
            break;
    }
    return 0;
}

/* In the key there is no fp32, which either device computes and which is the CPU's default. */
static int choose_precision(struct job *j, struct kl_error *err)
{
    const bool gpu = strncmp(j->v.common.device, "cuda", 4) == 0;
    if (gpu && !j->v.precision) j->v.precision = "tf32";
    if (!j->v.precision || strcmp(j->v.precision, "fp32") == 0) {
        j->v.precision = NULL;
        return KL_OK;
    }
    return gpu ? KL_OK
               : kl_fail(
                     err, KL_EUSAGE,
                     "--precision %s: the CPU computes in fp32; give --device cuda, or no --precision",
                     j->v.precision);
}

static int prepare(struct job *j, struct kl_error *err)
{
    int rc;
    if (j->n_inputs == 0 || j->n_inputs > MAX_INPUTS)
        return kl_fail(err, KL_EUSAGE, "%zu input%s, expected 1 to %d; see --help", j->n_inputs,
                       kl_s(j->n_inputs), (int)MAX_INPUTS);
    if (!j->v.common.output && !j->v.common.print_key)
        return kl_fail(err, KL_EUSAGE, "no output; give -o FEATURES.h5");
    if (j->v.labels && j->n_inputs > 1 && strcmp(j->v.labels, "none") != 0)
        return kl_fail(err, KL_EUSAGE, "--labels belongs to one input, there are %zu", j->n_inputs);
    if ((rc = parse_triple(j->net_options.mean, j->mean, j->v.mean, "mean", err)) ||
        (rc = parse_triple(j->net_options.std, j->std, j->v.std, "std", err)) ||
        (j->v.shard && (rc = kl_shard_parse(&j->shard, &j->shards, j->v.shard, err))))
        return rc;
    if ((rc = choose_precision(j, err))) return rc;
    j->v.mean = j->mean; /* one spelling in the key */
    j->v.std = j->std;
    j->net_options.tap = (enum kl_tap)kl_choice(TAPS, j->v.tap);
    if (!j->v.weights) return kl_weights_shipped(j->weights_path, sizeof j->weights_path, err);
    snprintf(j->weights_path, sizeof j->weights_path, "%s", j->v.weights);
    return 0;
}

/* The key of this run, or of the whole of which it is a shard. */
static int make_key(struct job *j, struct kl_key **key, bool whole, struct kl_error *err)
{
    char text[65];
    json_object_clear(j->raw);
    int rc = kl_key_begin(key, "features", 1, tool.name, NUMERICAL_VERSION, err);
    if (!rc) rc = kl_key_options(*key, &tool, &j->v, err);
    if (!rc) rc = kl_images_identify(*key, j->raw, j->inputs, j->n_inputs, j->v.labels, err);
    if (!rc) rc = kl_input_identify(*key, j->raw, "weights", 0, j->weights_path, err);
    snprintf(text, sizeof text, "%zu/%zu", j->shard, j->shards);
    if (!rc && j->shards && !whole) rc = kl_key_text(*key, "shard", text, err);
    if (rc) kl_key_abort(key);
    return rc;
}

/* On a GPU a thread holds a batch on its way, waiting included: three at least, so that reading,
   computing and writing overlap, and no more than memory should hold. */
static int threads_of(const struct job *j)
{
    const int asked = (int)j->v.common.threads, n = asked > 0 ? asked : kl_threads_available();
    if (!j->device.cuda) return asked;
    return n < 3 ? 3 : n > 16 ? 16 : n;
}

/* The network of the images' size, on the CPU or a GPU. */
static int open_net(struct job *j, struct kl_error *err)
{
    const int rc = kl_resnet18_create(&j->net, j->device.cuda ? NULL : j->weights, &j->net_options, err);
    if (rc || !j->device.cuda) return rc;
    const int precision = j->v.precision ? kl_choice(KL_PRECISIONS, j->v.precision) : KL_FP32;
    return kl_card_open(&j->card, j->net, j->weights, (enum kl_precision)precision, j->images->n,
                        &j->device, kl_pool_size(j->pool), &j->log, err);
}

static int open_parts(struct job *j, struct kl_error *err)
{
    struct kl_images_options o;
    int rc = kl_device_choose(&j->device, j->v.common.device, err);
    if (!rc) rc = kl_pool_create(&j->pool, threads_of(j), err);
    if (rc) return rc;
    j->v.common.device_used = j->device.name;
    kl_images_options_default(&o);
    o.labels = j->v.labels;
    o.channels = (enum kl_channels)kl_choice(CHANNELS, j->v.channels);
    o.resize = (size_t)j->v.resize;
    o.limit = (size_t)j->v.limit;
    o.skip_bad = j->v.skip_bad;
    o.pool = j->pool;
    o.log = &j->log;
    if ((rc = kl_images_open(&j->images, j->inputs, j->n_inputs, &o, err)) ||
        (rc = kl_weights_read_named(&j->weights, j->weights_path, err)))
        return rc;
    if (j->images->skipped)
        kl_note(&j->log, 1, "%zu damaged file%s left out", j->images->skipped, kl_s(j->images->skipped));
    j->net_options.height = j->images->height;
    j->net_options.width = j->images->width;
    j->net_options.pixels = j->images->channels == 1 ? KL_PIXELS_GREY : KL_PIXELS_RGB;
    snprintf(j->preprocess, sizeof j->preprocess, "%s, %zu x %zu %s, /255, minus (%s), divided by (%s)",
             j->images->channels == 1 ? "grey" : "rgb", j->images->height, j->images->width,
             j->v.resize ? "(bilinear, antialias)" : "(not resized)", j->v.mean, j->v.std);
    return open_net(j, err);
}

static int open_writer(struct job *j, struct kl_error *err)
{
    int rc = kl_writer_open_partial(&j->writer, j->v.common.output, &j->stage.header, err);
    if (rc || !j->shards) return rc;
    if ((rc = kl_writer_integer(j->writer, "", "shard_index", (int64_t)j->shard, err)) ||
        (rc = kl_writer_integer(j->writer, "", "shard_count", (int64_t)j->shards, err)) ||
        (rc = kl_writer_text(j->writer, "", "whole_key", j->whole_key, err)))
        return rc;
    return kl_writer_text(j->writer, "", "whole_key_parts", j->whole_parts, err);
}

static int compute(struct job *j, char content[65], struct kl_error *err)
{
    struct kl_progress progress;
    struct kl_extract e = { .half = strcmp(j->v.dtype, "f16") == 0,
                            .tap = j->v.tap,
                            .preprocess = j->preprocess };
    int rc = open_parts(j, err);
    if (!rc && !j->shards) e.n = j->images->n;
    else if (!rc) rc = kl_extract_shard(&e.first, &e.n, j->images->n, j->shard, j->shards, err);
    if (rc || (rc = open_writer(j, err)) ||
        (rc = kl_progress_begin(&progress, &j->log, j->v.common.progress, "images")))
        return rc;
    e.images = j->images;
    e.net = j->net;
    e.card = j->card;
    e.precision = j->v.precision;
    e.writer = j->writer;
    e.weights = j->weights->sha256;
    e.pool = j->pool;
    e.watch = &progress.watch;
    e.log = &j->log;
    rc = kl_extract_run(&e, err);
    kl_progress_end(&progress);
    if (rc == KL_ESIGNAL)
        kl_note(&j->log, 1, "%s%s", err->text,
                strcmp(j->v.common.output, "-") == 0
                    ? "; nothing is kept"
                    : "; they are kept, and the same command goes on from there");
    j->n = e.n;
    char *raw = NULL;
    if (!rc) rc = kl_json_dump(&raw, j->raw, err);
    if (!rc) rc = kl_stage_publish(&j->stage, &j->writer, NULL, 0, raw, content, err);
    free(raw);
    return rc;
}

/* The one line, or object, of the result; not into a pipe that carries the file. */
static int report(const struct job *j, const char *content, struct kl_error *err)
{
    const char *output = j->v.common.output;
    size_t dims[3], d = 1;
    const double seconds = kl_clock() - j->stage.start, n = (double)j->n;
    FILE *to = kl_words_to(&j->v.common);
    for (int i = 0, rank = kl_resnet18_shape(j->net, dims); i < rank; i++) d *= dims[i];
    const struct kl_json_pair pairs[] = { { "output", KL_JSON_TEXT, output, 0 },
                                          { "key", KL_JSON_TEXT, j->stage.key, 0 },
                                          { "status", KL_JSON_TEXT, kl_stage_status(KL_STAGE_COMPUTE),
                                            0 },
                                          { "content", KL_JSON_TEXT, content, 0 },
                                          { "images", KL_JSON_COUNT, NULL, n },
                                          { "skipped", KL_JSON_COUNT, NULL, (double)j->images->skipped },
                                          { "features", KL_JSON_COUNT, NULL, (double)d },
                                          { "dtype", KL_JSON_TEXT, j->v.dtype, 0 },
                                          { "seconds", KL_JSON_NUMBER, NULL, seconds },
                                          { "rate", KL_JSON_NUMBER, NULL, n / seconds } };
    if (j->v.common.json) return kl_json_line(to, pairs, sizeof pairs / sizeof *pairs, err);
    if (!j->v.common.quiet)
        fprintf(to, "%s: %zu x %zu %s, %.1f s (%.0f images/s)\n", output, j->n, d,
                strcmp(j->v.dtype, "f16") == 0 ? "float16" : "float32", seconds, n / seconds);
    return KL_OK;
}

static int run(struct job *j, struct kl_error *err)
{
    char content[65] = "";
    enum kl_stage_answer answer;
    struct kl_key *key = NULL;
    int rc = prepare(j, err);
    if (rc) return rc;
    if (!(j->raw = json_object())) return kl_fail_memory(err, 64);
    if (j->shards && ((rc = make_key(j, &key, true, err)) ||
                      (rc = kl_key_finish(&key, j->whole_key, &j->whole_parts, err))))
        return rc;
    if ((rc = make_key(j, &key, false, err)) ||
        (rc = kl_stage_begin(&j->stage, &answer, &key, stdout, err)))
        return rc;
    if (answer == KL_STAGE_ANSWERED) return KL_OK;
    if (answer != KL_STAGE_COMPUTE) return kl_stage_report(&j->stage, answer, stdout, err);
    rc = compute(j, content, err);
    return rc ? rc : report(j, content, err);
}

static void release(struct job *j)
{
    kl_writer_abort(&j->writer);
    kl_card_close(&j->card);
    kl_resnet18_free(&j->net);
    kl_weights_free(&j->weights);
    kl_images_close(&j->images);
    kl_pool_destroy(&j->pool);
    kl_stage_end(&j->stage);
    json_decref(j->raw);
    free(j->whole_parts);
    free(j->inputs);
}

int main(int argc, char **argv)
{
    if (kl_mode_chosen(&kl_mode_extract, argc, argv))
        return kl_mode_main(&kl_mode_extract, argc, argv, stdout, stderr);
    struct kl_error err = { 0 };
    struct job j = { .v = { .common = { .progress = "auto", .device = "auto" },
                            .tap = "avgpool",
                            .dtype = "f32",
                            .channels = "auto",
                            .mean = "0.485,0.456,0.406",
                            .std = "0.229,0.224,0.225" },
                     .log = { tool.name, stderr, 1 } };
    kl_signals_install();
    kl_resnet18_options_default(&j.net_options);
    int rc = kl_options_parse(&tool, &j.v, argc, argv, &j.inputs, &j.n_inputs, &err);
    if (rc) return kl_report(&j.log, &err);
    if (kl_options_answer(&tool, &j.v, stdout)) {
        free(j.inputs);
        return kl_finish(&j.log, 0);
    }
    j.log.level = j.v.common.quiet ? 0 : j.v.common.verbose ? 2 : 1;
    j.stage = (struct kl_stage){ .tool = &tool,
                                 .values = &j.v,
                                 .common = &j.v.common,
                                 .log = &j.log,
                                 .argc = argc,
                                 .argv = argv,
                                 .inputs = j.inputs,
                                 .n_inputs = j.n_inputs,
                                 .start = kl_clock() };
    rc = run(&j, &err);
    release(&j);
    return kl_end(&j.log, rc, &err);
}
