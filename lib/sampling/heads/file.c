/* SPDX-License-Identifier: MIT
   Heads into files of chains. */
#include <stdlib.h>
#include <string.h>

#include "head/features.h"
#include "sampling/heads/heads.h"
#include "store/store.h"

/* A dataset of any type as it is; nothing where there is none. */
static int copy(struct kl_writer *w, struct kl_file *from, const char *name, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(from, name);
    void *data = NULL;
    if (!d) return KL_OK;
    int code = kl_store_file_load(&data, from, d, err);
    if (!code)
        code = kl_store_writer_put(w, name, d->type, d->type == KL_TYPE_STRING ? d->item_size : 0,
                                   d->rank, d->dims, data, err);
    free(data);
    return code < 0 ? code : KL_OK;
}

int kl_sampling_head_save(struct kl_writer *w, const struct kl_head *head, struct kl_file *from,
                          bool split, struct kl_error *err)
{
    const struct kl_block *block = &head->model.block;
    int code = kl_store_writer_text(w, "", "config", head->config, err);
    for (int i = 0; i < block->n && code >= 0; i++) {
        const struct kl_tensor *t = &block->tensors[i];
        const size_t dims[3] = { 1, t->dims[0], t->dims[1] };
        char name[96];
        float *values = malloc(t->size * sizeof *values);
        if (!values) return kl_fail_memory(err, t->size * sizeof *values);
        kl_nn_tensor_to_file_f32(values, t, head->params);
        snprintf(name, sizeof name, "params/%s", t->name);
        code = kl_store_writer_put(w, name, KL_TYPE_F32, 0, 1 + t->rank, dims, values, err);
        free(values);
    }
    if (code >= 0) code = copy(w, from, "class_names", err);
    if (code >= 0 && split) code = copy(w, from, "split/validation", err);
    return code < 0 ? code : kl_head_origin_copy(w, from, err);
}

int kl_sampling_question_save(struct kl_writer *w, const char *part,
                              const struct kl_sampling_head_prior *p, struct kl_error *err)
{
    int code = kl_store_writer_text(w, "", KL_HEAD_SAMPLED, part, err);
    if (!code) code = kl_store_writer_text(w, "", "prior", p->flat ? "flat" : "layer", err);
    if (!code) code = kl_store_writer_number(w, "", "prior_sigma", p->sigma, err);
    if (!code) code = kl_store_writer_number(w, "", "prior_sigma_angles", p->angles, err);
    return code ? code : kl_store_writer_number(w, "", "prior_sigma_scales", p->scales, err);
}
