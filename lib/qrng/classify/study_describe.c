/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <string.h>

#include "qrng/classify/study_int.h"

/* Options of all models, then those of networks. */
static const char *const names[] = { "folds",        "test",     "init",         "keep", "epochs",
                                     "batch-size",   "lr",       "dropout",      "l1",   "clip",
                                     "weight-decay", "patience", "rate-patience" };
enum { OF_ALL = 2 };

/* "batch-size" as batch_size. */
static int put_option(struct kl_writer *w, const char *name, const json_t *value, struct kl_error *err)
{
    char attribute[32];
    snprintf(attribute, sizeof attribute, "%s", name);
    for (char *at = attribute; (at = strchr(at, '-'));) *at = '_';
    if (json_is_string(value))
        return kl_store_writer_text(w, "", attribute, json_string_value(value), err);
    if (json_is_integer(value))
        return kl_store_writer_integer(w, "", attribute, json_integer_value(value), err);
    return json_is_real(value) ? kl_store_writer_number(w, "", attribute, json_real_value(value), err)
                               : KL_OK;
}

static int put_options(const struct kl_judge *j, struct kl_error *err)
{
    json_t *parts = NULL;
    int rc = kl_json_parse(&parts, kl_store_file_key_parts(j->file), kl_store_file_path(j->file), err);
    const size_t n = j->study->network ? sizeof names / sizeof *names : OF_ALL;
    for (size_t i = 0; i < n && !rc; i++)
        rc = put_option(j->w, names[i], json_object_get(json_object_get(parts, "options"), names[i]),
                        err);
    json_decref(parts);
    return rc;
}

/* "100-30-20-3". */
static int put_layers(const struct kl_judge *j, struct kl_error *err)
{
    const struct kl_mlp *net = &j->study->options.net;
    char text[16 * (KL_MLP_LAYERS + 1)] = "";
    size_t at = 0;
    for (int l = 0; l <= net->n_layers; l++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%d", l ? "-" : "", net->size[l]);
    return kl_store_writer_text(j->w, "", "layers", text, err);
}

int kl_judge_describe(const struct kl_judge *j, struct kl_error *err)
{
    const struct kl_bits *b = j->study->bits;
    const size_t devices = (size_t)b->n_devices;
    int rc = kl_store_writer_put(j->w, "labels", KL_TYPE_I32, 0, 1, &b->n_rows, b->device, err);
    if (rc >= 0)
        rc = kl_store_writer_put(j->w, "device_names", KL_TYPE_STRING, KL_BITS_NAME, 1, &devices,
                                 b->names, err);
    rc = rc < 0 ? rc : KL_OK;
    if (!rc) rc = kl_store_writer_text(j->w, "", "model", j->study->v->model, err);
    if (!rc) rc = kl_store_writer_text(j->w, "", "features", j->study->v->features, err);
    if (!rc) rc = kl_store_writer_text(j->w, "", "protocol", j->study->v->protocol, err);
    if (!rc) rc = kl_store_writer_integer(j->w, "", "seed", j->study->v->common.seed, err);
    if (!rc && j->study->network) rc = put_layers(j, err);
    return rc ? rc : put_options(j, err);
}
