/* SPDX-License-Identifier: MIT
   Rows of an earlier feature file for images of the same pixels: found by digest, if both files are of
   one network. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "backbone/backbone_int.h"
#include "store/store.h"

enum { DIGEST = 16 };

/* A row's digest and place; in the order of digests. */
struct row {
    unsigned char digest[DIGEST];
    size_t place;
};
struct kl_reuse {
    struct kl_file *file;
    const struct kl_dataset *features;
    struct row *rows;
    size_t n;
};

static int by_digest(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return memcmp(x->digest, y->digest, DIGEST);
}

static bool says(const struct kl_file *file, const char *name, const char *expected)
{
    char *text = NULL;
    const bool same =
        kl_store_file_text(&text, file, "features", name, NULL) == KL_OK && strcmp(text, expected) == 0;
    free(text);
    return same;
}

/* Of one stage at one numerical version? */
static int compare_keys(bool *same, const char *a, const char *b, struct kl_error *err)
{
    static const char *const names[] = { "stage", "schema", "numerical_version" };
    json_t *x = NULL, *y = NULL;
    int code = kl_json_parse(&x, a, "key_parts", err);
    if (!code) code = kl_json_parse(&y, b, "key_parts", err);
    for (size_t i = 0; !code && i < sizeof names / sizeof *names; i++)
        *same = *same && json_equal(json_object_get(x, names[i]), json_object_get(y, names[i]));
    json_decref(x);
    json_decref(y);
    return code;
}

/* Does the file hold what this run would compute? Only fp32 is without regard to an image's place in its
   batch, on either device. */
static int compare(bool *same, const struct kl_file *file, const struct kl_extract *e,
                   struct kl_error *err)
{
    const struct kl_extract_options *o = &e->options;
    *same = strcmp(kl_store_file_kind(file), "features") == 0 && !o->precision &&
            !kl_store_file_has_attribute(file, "features", "precision") &&
            says(file, "backbone", "resnet18") && says(file, "weights_sha256", e->weights->sha256) &&
            says(file, "tap", o->tap) && says(file, "preprocess", e->preprocess);
    return *same ? compare_keys(same, kl_store_file_key_parts(file), o->key_parts, err) : KL_OK;
}

static int load_digests(struct kl_reuse *r, struct kl_error *err)
{
    const struct kl_dataset *d;
    unsigned char(*digests)[DIGEST] = NULL;
    int code =
        kl_store_file_load_named((void **)&digests, &d, r->file, KL_PIXEL_DIGESTS, KL_TYPE_U8, 2, err);
    if (!code && (d->dims[1] != DIGEST || d->rows != r->features->rows))
        code = kl_fail(err, KL_EDATA, "%s: dataset " KL_PIXEL_DIGESTS " has another shape",
                       kl_store_file_path(r->file));
    if (!code && !(r->rows = malloc((d->rows + 1) * sizeof *r->rows)))
        code = kl_fail_memory(err, d->rows * sizeof *r->rows);
    for (size_t i = 0; !code && i < d->rows; i++) {
        memcpy(r->rows[i].digest, digests[i], DIGEST);
        r->rows[i].place = i;
    }
    if (!code) r->n = d->rows;
    if (!code) qsort(r->rows, r->n, sizeof *r->rows, by_digest);
    free(digests);
    return code;
}

/* KL_EDATA: nothing of it can be taken. */
static int open_before(struct kl_reuse *r, const struct kl_extract *e, struct kl_error *err)
{
    bool same = false;
    size_t dims[3], d = 1;
    for (int i = 0, rank = kl_backbone_resnet18_shape(e->net, dims); i < rank; i++) d *= dims[i];
    int code = kl_store_file_open(&r->file, e->options.before, err);
    if (!code) code = compare(&same, r->file, e, err);
    if (!code && !same) code = KL_EDATA;
    if (!code)
        code = kl_store_file_expect(&r->features, r->file, "features",
                                    e->options.half ? KL_TYPE_F16 : KL_TYPE_F32, 2, err);
    if (!code && r->features->dims[1] != d) code = KL_EDATA;
    return code ? code : load_digests(r, err);
}

int kl_backbone_reuse_open(struct kl_reuse **reuse, const struct kl_extract *e, struct kl_error *err)
{
    *reuse = NULL;
    if (!e->options.before) return KL_OK;
    struct kl_reuse *r = calloc(1, sizeof *r);
    if (!r) return kl_fail_memory(err, sizeof *r);
    struct kl_error why = { 0 };
    const int code = open_before(r, e, &why);
    if (!code) {
        *reuse = r;
        return KL_OK;
    }
    kl_backbone_reuse_close(&r);
    return code == KL_ENOMEM ? kl_fail(err, code, "%s", why.text) : KL_OK;
}

int kl_backbone_reuse_row(bool *found, struct kl_reuse *reuse, const unsigned char digest[16], void *row,
                          struct kl_error *err)
{
    struct kl_error why = { 0 };
    struct row wanted = { .place = 0 };
    memcpy(wanted.digest, digest, DIGEST);
    const struct row *r = bsearch(&wanted, reuse->rows, reuse->n, sizeof wanted, by_digest);
    const int code =
        r ? kl_store_file_rows(reuse->file, reuse->features, r->place, 1, row, &why) : KL_OK;
    *found = r && !code;
    return code == KL_ENOMEM ? kl_fail(err, code, "%s", why.text) : KL_OK;
}

void kl_backbone_reuse_say(const struct kl_reuse *reuse, size_t reused, size_t n,
                           const struct kl_log *log)
{
    if (reused)
        kl_note(log, 1, "%zu of %zu images as before, from %s (key %.12s)", reused, n,
                kl_store_file_path(reuse->file), kl_store_file_key(reuse->file));
}

void kl_backbone_reuse_close(struct kl_reuse **reuse)
{
    if (!reuse || !*reuse) return;
    kl_store_file_close(&(*reuse)->file);
    free((*reuse)->rows);
    free(*reuse);
    *reuse = NULL;
}
