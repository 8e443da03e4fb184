/* SPDX-License-Identifier: MIT
   Samples that were judged right and wrong, with their images as the features were made from them. */
#include "ingest/ingest.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plot/plot.h"

enum { DEEPEST = 8 /* merges of merges */ };

static const json_t *find_record(const json_t *records, const json_t *id)
{
    size_t i;
    const json_t *record;
    json_array_foreach(records, i, record)
    {
        if (json_is_string(id) && strcmp(kl_plot_json_text(record, "id"), json_string_value(id)) == 0)
            return record;
    }
    return NULL;
}

/* The run that made the features which this one read, through merges of shards. A head's own features
   are further back, behind the record of the head. */
static const json_t *features_record(bool *merged, const json_t *records, const json_t *of, int depth)
{
    size_t i;
    const json_t *id;
    json_array_foreach(json_object_get(of, "parents"), i, id)
    {
        const json_t *record = find_record(records, id);
        const char *tool = kl_plot_json_text(record, "tool");
        *merged = depth > 0;
        if (strcmp(tool, "extract-features") == 0) return record;
        if (strcmp(tool, "cache") != 0 || depth == DEEPEST) continue;
        if ((record = features_record(merged, records, record, depth + 1))) return record;
    }
    return NULL;
}

/* The record of the run that made a report's features, from its provenance. */
struct kl_sample_origin {
    json_t *records;
    const json_t *record; /* NULL: there is none */
    bool merged;          /* of one of the shards that the features were merged from */
};
static int origin_find(struct kl_sample_origin *origin, const struct kl_file *report,
                       struct kl_error *err)
{
    *origin = (struct kl_sample_origin){ 0 };
    int code = kl_json_parse(&origin->records, kl_store_file_provenance(report),
                             kl_store_file_path(report), err);
    const size_t n = code ? 0 : json_array_size(origin->records);
    if (n)
        origin->record =
            features_record(&origin->merged, origin->records, json_array_get(origin->records, n - 1), 0);
    return code;
}

static void origin_free(struct kl_sample_origin *origin)
{
    json_decref(origin->records);
    *origin = (struct kl_sample_origin){ 0 };
}

/* Input k of a record: "images", "images 2", ...; NULL: it had fewer. */
static const json_t *image_input(const json_t *inputs, size_t k)
{
    char name[32] = "images";
    if (k > 0) snprintf(name, sizeof name, "images %zu", k + 1);
    return json_object_get(inputs, name);
}

static size_t count_inputs(const json_t *inputs)
{
    size_t n = 0;
    while (image_input(inputs, n)) n++;
    return n;
}

/* The dataset of FILE:DATASET, of which the digest knows nothing; NULL: none is named. */
static const char *dataset_of(const char *path)
{
    const char *colon = strrchr(path, ':');
    return colon ? colon + 1 : NULL;
}

static int compare(const json_t *given, const json_t *made, const struct kl_figure_inputs *inputs,
                   struct kl_error *err)
{
    const char *report = kl_store_file_path(inputs->file);
    const size_t n = count_inputs(given), expected = count_inputs(made);
    if (n != expected)
        return kl_fail(err, KL_EDATA,
                       "--images: found %zu input%s, expected the %zu that the features of %s were made "
                       "from, the first of them %.300s; cache log names all",
                       n, kl_s(n), expected, report, kl_plot_json_text(image_input(made, 0), "path"));
    for (size_t k = 0; k < n; k++) {
        const json_t *now = image_input(given, k), *then = image_input(made, k);
        const char *found = kl_plot_json_text(now, "sha256"),
                   *wanted = kl_plot_json_text(then, "sha256"), *path = kl_plot_json_text(now, "path"),
                   *dataset = dataset_of(path), *old = dataset_of(kl_plot_json_text(then, "path"));
        const bool other = dataset && old && access(path, F_OK) != 0 && strcmp(dataset, old) != 0;
        if (strcmp(found, wanted) == 0 && !other) continue;
        return kl_fail(err, KL_EDATA,
                       "--images: found %.300s with SHA-256 %.12s..., expected that which the features "
                       "of %s were made from: %.300s with SHA-256 %.12s...",
                       path, found, report, kl_plot_json_text(then, "path"), wanted);
    }
    return KL_OK;
}

/* As extract-features identified its inputs. */
static int identify(json_t *given, const char *images, struct kl_error *err)
{
    struct kl_sample_paths paths;
    struct kl_key *key = NULL;
    int code = kl_plot_sample_paths_split(&paths, images, err);
    if (!code) code = kl_store_key_begin(&key, "features", 1, "figures", 1, err);
    if (!code) code = kl_ingest_images_identify(key, given, paths.paths, paths.n, "none", false, err);
    kl_store_key_abort(&key);
    free(paths.text);
    return code;
}

/* Rows of a shard by itself count from its own first image. */
static int check_whole(const struct kl_sample_origin *origin, const char *report, struct kl_error *err)
{
    const char *shard = kl_plot_json_text(json_object_get(origin->record, "options"), "shard");
    if (!*shard || origin->merged) return KL_OK;
    return kl_fail(err, KL_EDATA,
                   "%s: figure samples: made from features of shard %s alone, expected the whole; merge "
                   "the shards (cache merge) and evaluate that",
                   report, shard);
}

int kl_plot_sample_images_check(bool *known, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct kl_sample_origin origin;
    json_t *given = NULL;
    int code = origin_find(&origin, inputs->file, err);
    *known = origin.record != NULL;
    if (!code && *known) {
        code = check_whole(&origin, kl_store_file_path(inputs->file), err);
        if (!code && !(given = json_object())) code = kl_fail_memory(err, sizeof *given);
        if (!code) code = identify(given, inputs->images, err);
        if (!code) code = compare(given, json_object_get(origin.record, "inputs"), inputs, err);
    }
    json_decref(given);
    origin_free(&origin);
    return code;
}

/* ---- The images of some samples of a report, from the inputs that its features were made from ---- */

enum { SIDE = 96 /* images that differ in size, or whose middle was taken, are drawn at this one */ };

int kl_plot_sample_paths_split(struct kl_sample_paths *p, const char *images, struct kl_error *err)
{
    *p = (struct kl_sample_paths){ .paths = { images }, .n = 1 };
    if (access(images, F_OK) == 0 || !strchr(images, ',')) return KL_OK;
    if (!(p->text = strdup(images))) return kl_fail_memory(err, strlen(images));
    p->n = 0;
    for (char *rest = p->text, *path; (path = strsep(&rest, ","));) {
        if (p->n == KL_SAMPLE_INPUTS)
            return kl_fail(err, KL_EUSAGE, "--images: more than %d inputs", (int)KL_SAMPLE_INPUTS);
        p->paths[p->n++] = path;
    }
    return KL_OK;
}

/* Were damaged images left out of the features (the report's rows count the others only), and of which
   part were they? */
static int recall(struct kl_images_options *o, const struct kl_file *report, struct kl_error *err)
{
    struct kl_sample_origin origin;
    int code = origin_find(&origin, report, err);
    const json_t *options = json_object_get(origin.record, "options");
    const json_int_t crop = json_integer_value(json_object_get(options, "crop")),
                     shorter = json_integer_value(json_object_get(options, "resize"));
    o->skip_bad = json_is_true(json_object_get(options, "skip-bad"));
    if (crop > 0 && shorter >= crop) o->crop = SIDE, o->resize = (size_t)(SIDE * shorter / crop);
    origin_free(&origin);
    return code;
}

/* Open the images as the report's features took them: as they are or, if they differ in size, resized.
   The life of *p must be as long as that of *images. */
static int open_images(struct kl_images **images, struct kl_sample_paths *p,
                       const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct kl_images_options options;
    kl_ingest_images_options_default(&options);
    options.labels = "none";
    int code = recall(&options, inputs->file, err);
    if (!code) code = kl_plot_sample_paths_split(p, inputs->images, err);
    if (code) return code;
    code = kl_ingest_images_open(images, p->paths, p->n, &options, err);
    if (code != KL_EDATA || options.crop) return code;
    options.resize = SIDE;
    return kl_ingest_images_open(images, p->paths, p->n, &options, err);
}

/* In one pass: a compressed file goes only forwards. */
static int read_images(uint8_t *pixels, struct kl_images *images, const int64_t *rows, size_t n,
                       struct kl_error *err)
{
    const size_t size = images->height * images->width * images->channels;
    struct kl_arena arena = { 0 };
    size_t from = 0;
    int code = kl_arena_init(&arena, 0, err);
    for (size_t done = 0; !code && done < n;) {
        size_t next = images->n, first = n;
        for (size_t k = 0; k < n; k++)
            if ((size_t)rows[k] >= from && (size_t)rows[k] < next) next = (size_t)rows[k], first = k;
        if (next > from && images->in_order)
            code = kl_ingest_images_read(images, from, next - from, NULL, &arena, err);
        if (!code) code = kl_ingest_images_read(images, next, 1, pixels + first * size, &arena, err);
        for (size_t k = 0; !code && k < n; k++) {
            if ((size_t)rows[k] != next) continue;
            if (k != first) memcpy(pixels + k * size, pixels + first * size, size);
            done++;
        }
        from = next + 1;
    }
    kl_arena_free(&arena);
    return code;
}

struct kl_sample_images {
    size_t height, width, channels, size; /* size: bytes of one */
    uint8_t *pixels;
};

/* Pixels (n, height, width, channels) of rows [n] of a report's features, from inputs->images: what the
   features were made from, in any form that ingest reads. The caller frees pixels. */
static int images_read(struct kl_sample_images *s, const struct kl_figure_inputs *inputs,
                       const int64_t *rows, size_t n, struct kl_error *err)
{
    struct kl_images *images = NULL;
    struct kl_sample_paths paths = { 0 };
    *s = (struct kl_sample_images){ 0 };
    int code = open_images(&images, &paths, inputs, err);
    for (size_t k = 0; !code && k < n; k++)
        if (rows[k] < 0 || (size_t)rows[k] >= images->n)
            code = kl_fail(err, KL_EDATA,
                           "--images: %s holds %zu image%s, the report speaks of one with number %lld; "
                           "give all that the features were made from",
                           inputs->images, images->n, kl_s(images->n), (long long)rows[k] + 1);
    if (!code) {
        s->height = images->height, s->width = images->width, s->channels = images->channels;
        s->size = s->height * s->width * s->channels;
        s->pixels = malloc(n * s->size + 1);
        code =
            s->pixels ? read_images(s->pixels, images, rows, n, err) : kl_fail_memory(err, n * s->size);
    }
    kl_ingest_images_close(&images);
    free(paths.text);
    return code;
}

/* ---- samples figure ----
   Sample images with predictions: mistakes first (the most confident ones), then samples that are right,
   of as many classes as there is room for. */

enum { COLUMNS = 6, NARROW = 4, PLACES = 24 };
static const double TEXT = 6.5;

struct report {
    int32_t *labels, *predictions;
    float *probabilities;
    int64_t *index;
    char *names;
    size_t n, c, n_names, name_size;
    char which[KL_WHICH];
};

static int load(struct report *r, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    const struct kl_dataset *p, *set;
    float *all = NULL;
    int32_t *predictions = NULL;
    const size_t replica = (size_t)inputs->replica;
    struct kl_file *file = inputs->file;
    int code = kl_store_file_expect(&p, file, "probabilities", KL_TYPE_F32, 3, err);
    if (!code) code = kl_plot_which_replica(r->which, inputs, p->dims[0], err);
    if (!code) code = kl_store_file_load((void **)&all, file, p, err);
    if (!code)
        code = kl_store_file_load_named((void **)&predictions, &set, file, "predictions", KL_TYPE_I32, 2,
                                        err);
    if (!code)
        code = kl_store_file_load_named((void **)&r->labels, &set, file, "labels", KL_TYPE_I32, 1, err);
    if (!code)
        code = kl_store_file_load_named((void **)&r->index, &set, file, "index", KL_TYPE_I64, 1, err);
    if (!code)
        code = kl_store_file_load_named((void **)&r->names, &set, file, "class_names", KL_TYPE_STRING, 1,
                                        err);
    r->probabilities = all;
    r->predictions = predictions;
    if (code) return code;
    r->n_names = set->dims[0];
    r->name_size = set->item_size;
    r->n = p->dims[1];
    r->c = p->dims[2];
    for (size_t i = 0; i < r->n; i++)
        if (r->labels[i] < 0 || r->predictions[i] < 0 || (size_t)r->predictions[i] >= r->c)
            return kl_fail(err, KL_EDATA, "%s: row %zu has label %d and prediction %d, of %zu class%s",
                           kl_store_file_path(file), i, r->labels[i], r->predictions[i], r->c,
                           r->c == 1 ? "" : "es");
    if (r->n) {
        memmove(all, all + replica * r->n * r->c, r->n * r->c * sizeof *all);
        memmove(predictions, predictions + replica * r->n, r->n * sizeof *predictions);
    }
    return KL_OK;
}

static float confidence(const struct report *r, size_t i)
{
    return r->probabilities[i * r->c + (size_t)r->predictions[i]];
}

static bool is_right(const struct report *r, size_t i)
{
    return r->predictions[i] == r->labels[i];
}

/* The most confident mistakes, for half of the places. Returns how many. */
static size_t choose_wrong(size_t rows[PLACES], const struct report *r)
{
    size_t n = 0;
    while (n < PLACES / 2) {
        size_t best = r->n;
        for (size_t i = 0; i < r->n; i++) {
            bool taken = is_right(r, i);
            for (size_t k = 0; k < n; k++) taken = taken || rows[k] == i;
            if (!taken && (best == r->n || confidence(r, i) > confidence(r, best))) best = i;
        }
        if (best == r->n) break;
        rows[n++] = best;
    }
    return n;
}

void kl_plot_share_places(size_t *quota, const size_t *have, size_t c, size_t places)
{
    for (size_t open = 1; places && open;) {
        open = 0;
        for (size_t k = 0; k < c; k++) open += quota[k] < have[k];
        const size_t given = places < open ? places : open;
        for (size_t k = 0, i = 0; k < c; k++) {
            if (quota[k] == have[k]) continue;
            quota[k] += (i + 1) * given / open - i * given / open;
            i++;
        }
        places -= given;
    }
}

/* Rows to show, *n of them. Rows sorted by class would otherwise show one class alone. */
static int choose(size_t rows[PLACES], size_t *n, const struct report *r, struct kl_error *err)
{
    size_t *have = calloc(2 * r->c + 1, sizeof *have);
    if (!have) return kl_fail_memory(err, 2 * r->c * sizeof *have);
    size_t *const quota = have + r->c;
    *n = choose_wrong(rows, r);
    for (size_t i = 0; i < r->n; i++)
        if (is_right(r, i)) have[r->labels[i]]++;
    kl_plot_share_places(quota, have, r->c, PLACES - *n);
    for (size_t i = 0; i < r->n && *n < PLACES; i++) {
        if (!is_right(r, i) || !quota[r->labels[i]]) continue;
        quota[r->labels[i]]--;
        rows[(*n)++] = i;
    }
    free(have);
    return KL_OK;
}

/* As a picture whose dots are whole blocks, about 250 a side: viewers smooth what they enlarge. */
static void draw_image(cairo_t *cr, double x, double y, double side, const uint8_t *pixels,
                       const struct kl_sample_images *images)
{
    const size_t height = images->height, width = images->width,
                 longest = height > width ? height : width, block = longest < 250 ? 250 / longest : 1;
    const double dot = side / (double)(longest * block);
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(width * block), (int)(height * block));
    unsigned char *data = cairo_image_surface_get_data(surface);
    for (size_t i = 0; data && i < height * block; i++) {
        uint32_t *row = (uint32_t *)(data + i * (size_t)cairo_image_surface_get_stride(surface));
        for (size_t j = 0; j < width * block; j++) {
            const uint8_t *p = pixels + (i / block * width + j / block) * images->channels;
            const bool colour = images->channels == 3;
            row[j] = (uint32_t)p[0] << 16 | (uint32_t)p[colour] << 8 | p[colour ? 2 : 0];
        }
    }
    cairo_surface_mark_dirty(surface);
    cairo_save(cr);
    cairo_translate(cr, x + (side - dot * (double)(width * block)) / 2, y);
    cairo_scale(cr, dot, dot);
    cairo_set_source_surface(cr, surface, 0, 0);
    kl_plot_fill(cr, 0, 0, (double)(width * block), (double)(height * block));
    cairo_restore(cr);
    cairo_surface_destroy(surface);
}

static void draw_sample(cairo_t *cr, const struct report *r, const struct kl_sample_images *images,
                        size_t place, size_t row)
{
    const size_t columns = kl_plot_sheet_of(cr)->narrow ? NARROW : COLUMNS;
    const double step = 62, side = 44, x = 10 + step * (double)(place % columns),
                 y = 16 + 70 * (double)(place / columns), middle = x + side / 2;
    const bool right = is_right(r, row);
    char name[KL_NAME], share[16], text[KL_NAME + 16];
    draw_image(cr, x, y, side, images->pixels + place * images->size, images);
    kl_plot_name(name, r->names, r->n_names, r->name_size, (size_t)r->predictions[row]);
    snprintf(share, sizeof share, " (%.1f %%)", 100 * (double)confidence(r, row));
    /* The name and its share, centred together; of the two only the name is cut. */
    const double rest = kl_plot_text_width(cr, TEXT, share), room = step - 4 - rest,
                 wide = fmin(kl_plot_text_width(cr, TEXT, name), room),
                 between = middle - rest / 2 + wide / 2;
    kl_plot_colour(cr, right ? 0 : 2, 1);
    kl_plot_text_within(cr, between, y + side + 8, TEXT, KL_RIGHT, room, name);
    kl_plot_text(cr, between, y + side + 8, TEXT, KL_LEFT, share);
    if (right) return;
    kl_plot_name(name, r->names, r->n_names, r->name_size, (size_t)r->labels[row]);
    snprintf(text, sizeof text, "is %s", name);
    kl_plot_text_within(cr, middle, y + side + 16, TEXT, KL_CENTRE, step - 4, text);
}

int kl_plot_samples(struct kl_sheet *sheet, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct report r = { 0 };
    struct kl_sample_images images = { 0 };
    size_t rows[PLACES], n = 0;
    int64_t wanted[PLACES] = { 0 };
    int code = load(&r, inputs, err);
    if (!code) code = choose(rows, &n, &r, err);
    for (size_t k = 0; k < n; k++) wanted[k] = r.index[rows[k]];
    if (!code) code = images_read(&images, inputs, wanted, n, err);
    for (size_t k = 0; !code && k < n; k++) draw_sample(sheet->cr, &r, &images, k, rows[k]);
    kl_plot_colour(sheet->cr, 0, 1);
    if (!code && *r.which) kl_plot_text(sheet->cr, 10, 9, 7, KL_LEFT, r.which);
    free(images.pixels);
    free(r.labels), free(r.predictions), free(r.probabilities), free(r.index), free(r.names);
    return code;
}
