/* SPDX-License-Identifier: MIT
   Heads to and from other programs: parameters as tensors of their files, a head file from parameters
   that another program trained. */
#include "head/exchange.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "store/store.h"

/* ---- The classes that weights name beside the features' ---- */

/* As the weights have it, which are written in UTF-8: the name of a folder may hold any bytes. */
static int check_class(const struct kl_head_import *from, const struct kl_features *f, size_t i,
                       struct kl_error *err)
{
    const char *made = from->weights->class_names + i * from->weights->name_size;
    char *name = strndup(f->class_names + i * f->name_size, f->name_size);
    json_t *found = NULL;
    int code = name ? kl_json_string(&found, name, err) : kl_fail_memory(err, f->name_size);
    if (!code && !kl_same_name(made, strlen(made), json_string_value(found), json_string_length(found)))
        code = kl_fail(err, KL_EDATA, "%s: class %zu is '%.200s', in the features it is '%.200s'",
                       from->path, i, made, json_string_value(found));
    json_decref(found);
    free(name);
    return code;
}

/* Compare the classes that the weights name, if they do, with the features', name by name (exchange.c).
   KL_EDATA, KL_ENOMEM. */
static int import_classes(const struct kl_head_import *from, const struct kl_features *f,
                          struct kl_error *err)
{
    const struct kl_weights *w = from->weights;
    int code = KL_OK;
    if (w->odd_names)
        kl_caution(from->log, "%s: class_names is no list of texts: classes are not compared",
                   from->path);
    if (!w->class_names) return KL_OK;
    if (w->n_classes != f->n_classes)
        return kl_fail(err, KL_EDATA, "%s: names %zu classes, the features have %zu", from->path,
                       w->n_classes, f->n_classes);
    for (size_t i = 0; i < f->n_classes && !code; i++) code = check_class(from, f, i, err);
    return code;
}

/* ---- Names of a head's tensors in other programs: a list of OURS=THEIRS ---- */

struct entry {
    const char *ours, *theirs;
    size_t n_ours, n_theirs;
};

/* The entry that begins at *at, which moves behind it; false: there is none, or it has no '='. */
static bool next_entry(struct entry *e, const char **at)
{
    const size_t n = strcspn(*at, ",");
    const char *equals = memchr(*at, '=', n);
    if (!equals) return false;
    *e = (struct entry){ *at, equals + 1, (size_t)(equals - *at), (size_t)(*at + n - equals - 1) };
    *at += n + ((*at)[n] == ',');
    return e->n_ours > 0 && e->n_theirs > 0;
}

/* The rest of the tensor's name behind the entry's: "" for the tensor itself, ".weight" or ".bias" for
   its layer; NULL: another tensor. */
static const char *rest_of(const char *name, const struct entry *e)
{
    if (strncmp(name, e->ours, e->n_ours) != 0) return NULL;
    const char *rest = name + e->n_ours;
    return !*rest || strcmp(rest, ".weight") == 0 || strcmp(rest, ".bias") == 0 ? rest : NULL;
}

static int their_name(char theirs[KL_THEIR_NAME], const char *name, const char *map,
                      struct kl_error *err)
{
    struct entry e, found = { .theirs = name, .n_theirs = strlen(name) };
    const char *rest = "", *fits;
    while (*map && next_entry(&e, &map))
        if ((fits = rest_of(name, &e)) && e.n_ours > found.n_ours) found = e, rest = fits;
    const int n = snprintf(theirs, KL_THEIR_NAME, "%.*s%s", (int)found.n_theirs, found.theirs, rest);
    if (n < KL_THEIR_NAME) return 0;
    return kl_fail(err, KL_EUSAGE, "--map: %s: the name in the file is too long", name);
}

/* Each entry is OURS=THEIRS, and OURS is a tensor or a layer of the model. KL_EUSAGE. */
static int check_map(const char *map, const struct kl_block *block, struct kl_error *err)
{
    struct entry e;
    while (*map) {
        const char *begin = map;
        bool known = false;
        if (!next_entry(&e, &map))
            return kl_fail(err, KL_EUSAGE, "--map: found '%.60s', expected OURS=THEIRS,...", begin);
        for (int t = 0; t < block->n && !known; t++) known = rest_of(block->tensors[t].name, &e);
        if (!known)
            return kl_fail(err, KL_EUSAGE,
                           "--map: %.*s: no tensor or layer of this head, which has %s to %s",
                           (int)(e.n_ours < 60 ? e.n_ours : 60), e.ours, block->tensors[0].name,
                           block->tensors[block->n - 1].name);
    }
    return 0;
}

/* ---- The options of a head that is imported beside those that its weights were made with ---- */

enum { VALUE = 100 };

/* As on the command line; "none" of what is not there. */
static void value_text(char text[VALUE], const json_t *value)
{
    char *dumped = NULL;
    if (json_is_string(value)) snprintf(text, VALUE, "%s", json_string_value(value));
    else if (!value) strcpy(text, "none");
    else {
        dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        snprintf(text, VALUE, "%s", dumped ? dumped : "?");
    }
    free(dumped);
}

static void say(const struct kl_log *log, const char *path, const char *name, const json_t *made,
                const json_t *taken)
{
    char one[VALUE], other[VALUE];
    value_text(one, made);
    value_text(other, taken);
    kl_caution(log, "%s: was made with --%s %s, %s is taken", path, name, one, other);
}

int kl_head_import_options(const struct kl_log *log, const char *path, const char *made,
                           const char *taken, struct kl_error *err)
{
    json_t *one = NULL, *other = NULL, *value;
    const char *name;
    int code = kl_json_parse(&one, made, path, err);
    if (!code) code = kl_json_parse(&other, taken, path, err);
    json_object_foreach(other, name, value)
    {
        if (!code && strcmp(name, "map") != 0 && !json_equal(json_object_get(one, name), value))
            say(log, path, name, json_object_get(one, name), value);
    }
    json_object_foreach(one, name, value)
    {
        if (!code && !json_object_get(other, name)) say(log, path, name, value, NULL);
    }
    json_decref(one);
    json_decref(other);
    return code;
}

/* ---- A head file of another program's parameters ---- */

struct import {
    const struct kl_head_import *from;
    struct kl_head_model model;
    size_t replicas; /* leading dimension of every tensor; 0: they have none */
    bool *used;      /* of the file's tensors */
};

/* "[128, 512]" */
static void shape_text(char text[128], int rank, const size_t *dims)
{
    int n = snprintf(text, 128, "[");
    for (int i = 0; i < rank; i++)
        n += snprintf(text + n, 128 - (size_t)n, i ? ", %zu" : "%zu", dims[i]);
    snprintf(text + n, 128 - (size_t)n, "]");
}

/* Equal but for dimensions of 1, if those do not count. */
static bool same_shape(int rank, const size_t *dims, int want_rank, const size_t *want, bool exact)
{
    int i = 0, k = 0;
    if (exact && rank != want_rank) return false;
    for (;;) {
        while (!exact && i < rank && dims[i] == 1) i++;
        while (!exact && k < want_rank && want[k] == 1) k++;
        if (i == rank || k == want_rank) return i == rank && k == want_rank;
        if (dims[i++] != want[k++]) return false;
    }
}

/* "a, b, c and 9 more"; of names as many as there is room for. */
static void names_text(char *text, size_t size, const struct kl_weights *w)
{
    size_t length = (size_t)snprintf(text, size, "%s", w->n ? "" : "none");
    for (size_t i = 0; i < w->n; i++) {
        const char *name = w->tensors[i].name;
        if (length + strlen(name) + 32 > size) {
            snprintf(text + length, size - length, " and %zu more", w->n - i);
            return;
        }
        length += (size_t)snprintf(text + length, size - length, "%s%s", i ? ", " : "", name);
    }
}

static int check_finite(const struct import *im, const struct kl_weight *w, struct kl_error *err)
{
    for (size_t i = 0; i < w->n; i++)
        if (!isfinite(w->data[i]))
            return kl_fail(err, KL_EDATA, "%s: tensor %s: value %zu is not finite in float32",
                           im->from->path, w->name, i);
    return KL_OK;
}

/* A tensor of the file, by name. */
static int find(const struct kl_weight **found, struct import *im, const struct kl_tensor *t,
                const char *name, struct kl_error *err)
{
    char shape[128], names[400];
    const struct kl_weights *w = im->from->weights;
    *found = kl_weights_find(w, name);
    if (*found) {
        im->used[*found - w->tensors] = true;
        const int code = kl_weights_check_read(w, *found, err);
        return code ? code : check_finite(im, *found, err);
    }
    shape_text(shape, t->rank, t->dims);
    names_text(names, sizeof names, w);
    return kl_fail(err, KL_EDATA,
                   "%s: no tensor %.100s, expected one of shape %s; it holds %s: say which with --map "
                   "%s=NAME",
                   im->from->path, name, shape, names, t->name);
}

static int check_shape(const struct import *im, const struct kl_tensor *t, const struct kl_weight *w,
                       struct kl_error *err)
{
    char found[128], list[128], shape[128];
    size_t dims[3];
    const size_t lead = im->replicas ? 1 : 0;
    const bool circuit = im->model.vqc >= 0 && t == &im->model.block.tensors[im->model.vqc];
    const int rank = circuit ? kl_circuit_weight_shape(dims, &im->from->options->circuit) : 0;
    if (!lead || (w->rank > 0 && w->dims[0] == im->replicas)) {
        const size_t *at = w->dims + lead;
        const int n = w->rank - (int)lead;
        if (same_shape(n, at, t->rank, t->dims, !circuit) ||
            (rank && same_shape(n, at, rank, dims, false)))
            return 0;
    }
    const bool other = strcmp(w->name, t->name) != 0;
    shape_text(found, w->rank, w->dims);
    shape_text(list, t->rank, t->dims);
    shape_text(shape, rank, dims);
    return kl_fail(err, KL_EDATA, "%s: tensor %s has shape %s, expected %s%s%s%s%s%s; check %s",
                   im->from->path, w->name, found, list, rank ? " or " : "", rank ? shape : "",
                   lead ? " behind that of the replicas" : "", other ? " for " : "",
                   other ? t->name : "",
                   circuit ? "--qubits, --layers and --ansatz"
                           : "--qubits, --reduction, --classifier and the features");
}

/* One of our tensors out of several of the file, one after another: values (replicas, size). */
static int join(float *values, struct import *im, const struct kl_tensor *t, char *names,
                struct kl_error *err)
{
    char *rest = NULL;
    size_t at = 0;
    const size_t heads = im->replicas ? im->replicas : 1;
    for (char *name = strtok_r(names, "+", &rest); name; name = strtok_r(NULL, "+", &rest)) {
        const struct kl_weight *w;
        int code = find(&w, im, t, name, err);
        if (code) return code;
        const size_t n = w->n / heads;
        if (w->n % heads || (im->replicas && (w->rank == 0 || w->dims[0] != heads)) || n > t->size - at)
            return kl_fail(err, KL_EDATA, "%s: tensor %s: %zu values are too many for %s with its %zu",
                           im->from->path, name, w->n, t->name, t->size);
        for (size_t r = 0; r < heads; r++)
            memcpy(values + r * t->size + at, w->data + r * n, n * sizeof *values);
        at += n;
    }
    if (at == t->size) return 0;
    return kl_fail(err, KL_EDATA, "%s: the tensors for %s hold %zu values, expected %zu", im->from->path,
                   t->name, at, t->size);
}

static int gather(float *values, struct import *im, const struct kl_tensor *t, struct kl_error *err)
{
    char names[KL_THEIR_NAME];
    const size_t n = (im->replicas ? im->replicas : 1) * t->size;
    const struct kl_weight *w;
    int code = their_name(names, t->name, im->from->map, err);
    if (code) return code;
    if (strchr(names, '+')) return join(values, im, t, names, err);
    code = find(&w, im, t, names, err);
    if (!code) code = check_shape(im, t, w, err);
    if (!code) memcpy(values, w->data, n * sizeof *values);
    return code;
}

/* Angles beyond two turns are rare after training, and plain where they are in degrees. */
static void say_degrees(const struct import *im, const float *values, size_t n)
{
    float most = 0;
    for (size_t i = 0; i < n; i++) most = fmaxf(most, fabsf(values[i]));
    if (most > 4 * M_PI)
        kl_caution(im->from->log,
                   "%s: vqc.weight reaches %.4g: are these degrees? Angles are in radians",
                   im->from->path, most);
}

static int put_tensor(struct kl_writer *writer, struct import *im, const struct kl_tensor *t,
                      struct kl_error *err)
{
    char name[96];
    const size_t heads = im->replicas ? im->replicas : 1, dims[3] = { heads, t->dims[0], t->dims[1] };
    float *values = malloc(heads * t->size * sizeof *values);
    if (!values) return kl_fail_memory(err, heads * t->size * sizeof *values);
    int code = gather(values, im, t, err);
    if (!code && im->model.vqc >= 0 && t == &im->model.block.tensors[im->model.vqc])
        say_degrees(im, values, heads * t->size);
    snprintf(name, sizeof name, "params/%s", t->name);
    if (!code) code = kl_store_writer_put(writer, name, KL_TYPE_F32, 0, 1 + t->rank, dims, values, err);
    free(values);
    return code;
}

/* Several heads have a leading dimension: the first weight then has three. */
static int count_replicas(struct import *im, struct kl_error *err)
{
    char name[KL_THEIR_NAME];
    int code = their_name(name, im->model.block.tensors[0].name, im->from->map, err);
    const struct kl_weight *w = code ? NULL : kl_weights_find(im->from->weights, name);
    if (w && w->rank == 3) im->replicas = w->dims[0];
    if (w && w->rank == 3 && (w->dims[0] == 0 || w->dims[0] > 65536))
        return kl_fail(err, KL_EDATA, "%s: tensor %s: %zu heads, expected 1 to 65536", im->from->path,
                       name, w->dims[0]);
    return code;
}

/* Not an error: the file may hold more than the head. */
static void note_unused(const struct import *im)
{
    const struct kl_weights *w = im->from->weights;
    const char *first = NULL;
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++) {
        if (im->used[i]) continue;
        first = first ? first : w->tensors[i].name;
        n++;
    }
    if (n == 1) kl_caution(im->from->log, "%s: tensor %s is not used", im->from->path, first);
    if (n > 1)
        kl_caution(im->from->log, "%s: %zu tensors are not used, the first is %s", im->from->path, n,
                   first);
}

int kl_head_import(struct kl_writer *writer, const struct kl_head_import *from,
                   const struct kl_features *f, const char *config, struct kl_error *err)
{
    struct import im = { .from = from };
    int code = import_classes(from, f, err);
    if (!code) code = kl_head_model_make(&im.model, from->options, f->d, f->n_classes, err);
    if (!code && im.model.circuit) kl_circuit_say(from->log, im.model.circuit);
    if (code) return code;
    const struct kl_block *block = &im.model.block;
    im.used = calloc(from->weights->n + 1, sizeof *im.used);
    if (!im.used) code = kl_fail_memory(err, from->weights->n + 1);
    if (!code) code = check_map(from->map, block, err);
    if (!code) code = count_replicas(&im, err);
    for (int t = 0; t < block->n && !code; t++) code = put_tensor(writer, &im, &block->tensors[t], err);
    if (!code) code = kl_store_writer_text(writer, "", "config", config, err);
    if (!code)
        code = kl_store_writer_put(writer, "class_names", KL_TYPE_STRING, f->name_size, 1, &f->n_classes,
                                   f->class_names, err);
    if (!code) note_unused(&im);
    free(im.used);
    kl_head_model_free(&im.model);
    return code;
}

/* ---- Parameters of a head file, as tensors for other programs ---- */

/* Replicas [first, first + n) of one tensor; without the leading dimension if n is 0: then one. */
static int export_tensor(struct kl_weights *weights, struct kl_file *file, const struct kl_tensor *t,
                         size_t first, size_t n, struct kl_error *err)
{
    char name[96];
    const struct kl_dataset *d;
    const size_t dims[3] = { n, t->dims[0], t->dims[1] }, rows = n ? n : 1;
    snprintf(name, sizeof name, "params/%s", t->name);
    int code = kl_store_file_expect(&d, file, name, KL_TYPE_F32, 1 + t->rank, err);
    if (code) return code;
    float *values = malloc(rows * t->size * sizeof *values);
    if (!values) return kl_fail_memory(err, rows * t->size * sizeof *values);
    code = kl_store_file_rows(file, d, first, rows, values, err);
    if (!code)
        code = kl_weights_put(weights, t->name, n ? 1 + t->rank : t->rank, n ? dims : dims + 1, values,
                              err);
    free(values);
    return code;
}

int kl_head_export(struct kl_weights **weights, struct kl_file *file, int64_t replica,
                   struct kl_error *err)
{
    struct kl_head *head = NULL;
    struct kl_weights *w = *weights = calloc(1, sizeof *w);
    if (!w) return kl_fail_memory(err, sizeof *w);
    int code =
        kl_head_load(&head, file, NULL, replica < 0 ? 0 : replica, NULL, err); /* checks the shapes */
    const size_t n = !code && replica < 0 ? (size_t)head->n_replicas : 0;
    for (int t = 0; !code && t < head->model.block.n; t++)
        code = export_tensor(w, file, &head->model.block.tensors[t], replica < 0 ? 0 : (size_t)replica,
                             n, err);
    kl_head_free(&head);
    if (code) kl_weights_free(weights);
    return code;
}

/* ---- Exported weights as the bytes of a file, with what they are ---- */

int kl_head_export_bytes(unsigned char **bytes, size_t *n, const struct kl_weights *weights,
                         struct kl_file *head, int64_t replica, enum kl_weights_format format,
                         struct kl_error *err)
{
    const struct kl_dataset *names;
    char which[32] = "all", *config = NULL, *classes = NULL, *features = NULL;
    if (replica >= 0) snprintf(which, sizeof which, "%lld", (long long)replica);
    int code = kl_store_file_text(&config, head, "", "config", err);
    if (!code)
        code = kl_store_file_load_named((void **)&classes, &names, head, "class_names", KL_TYPE_STRING,
                                        1, err);
    if (!code) code = kl_head_origin_text(&features, head, err);
    if (!code) {
        const struct kl_weights_word words[] = { { "created_by", "qconvert " KL_VERSION, 0, 0 },
                                                 { "key", kl_store_file_key(head), 0, 0 },
                                                 { "replica", which, 0, 0 },
                                                 { "config", config, 0, 0 },
                                                 { "features", features, 0, 0 },
                                                 { "class_names", classes, names->dims[0],
                                                   names->item_size } };
        code = kl_weights_make(bytes, n, format, weights, words, sizeof words / sizeof *words, err);
    }
    free(config);
    free(features);
    free(classes);
    return code;
}
