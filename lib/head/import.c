/* SPDX-License-Identifier: MIT
   A head file from parameters that another program trained. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head/exchange.h"
#include "store/store.h"

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
    int code = kl_head_their_name(names, t->name, im->from->map, err);
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
    int code = kl_head_their_name(name, im->model.block.tensors[0].name, im->from->map, err);
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
    int code = kl_head_import_classes(from, f, err);
    if (!code) code = kl_head_model_make(&im.model, from->options, f->d, f->n_classes, err);
    if (!code && im.model.circuit) kl_circuit_say(from->log, im.model.circuit);
    if (code) return code;
    const struct kl_block *block = &im.model.block;
    im.used = calloc(from->weights->n + 1, sizeof *im.used);
    if (!im.used) code = kl_fail_memory(err, from->weights->n + 1);
    if (!code) code = kl_head_check_map(from->map, block, err);
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
