/* SPDX-License-Identifier: MIT
   The datasets of a feature file, and what its attributes say of how it came to be. */
#include <stdio.h>
#include <string.h>

#include "backbone/extract_int.h"
#include "store/kind.h"
#include "store/store.h"

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

int kl_backbone_extract_declare(struct kl_extract_sets *sets, const struct kl_extract *e, size_t d,
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
    int rc = im->n_classes
                 ? kl_store_writer_put(e->writer, "class_names", KL_TYPE_STRING, im->class_name_size, 1,
                                       &im->n_classes, im->class_names, err)
                 : 0;
    if (rc >= 0) rc = describe(e, err);
    return rc < 0 ? rc : 0;
}

static const struct kl_kind_heading headings[] = { { "features", "backbone" },
                                                   { "features", "tap" },
                                                   { "features", "preprocess" },
                                                   { .attribute = NULL } };
/* What features are stands above. */
static const char *const not_on_page[] = { "features/", NULL };
const struct kl_kind kl_features_kind = { .name = "features",
                                          .maker = "extract-features",
                                          .headings = headings,
                                          .classes = "class_names",
                                          .not_on_page = not_on_page };
