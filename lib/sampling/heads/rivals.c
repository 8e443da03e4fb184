/* SPDX-License-Identifier: MIT
   The head that is sampled, and what is sampled in its circuit's place to see what the circuit is worth.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/heads/rivals.h"

static int target(struct kl_sampling_rival *r, struct kl_sampling_head_question q, struct kl_error *err)
{
    q.model = r->model;
    q.whiten = true;
    return kl_sampling_head_target_f32(&r->target, &r->head, &q, err);
}

int kl_sampling_rival_head(struct kl_sampling_rival *r, struct kl_head *head,
                           const struct kl_sampling_head_question *question, struct kl_error *err)
{
    struct kl_sampling_head_question q = *question;
    *r = (struct kl_sampling_rival){ .name = kl_core_names[head->model.options.core],
                                     .model = &head->model };
    q.params = head->params;
    return target(r, q, err);
}

/* The reduction's parameters, which have the same names and shapes whatever the core is. */
static int take_reduction(struct kl_sampling_rival *r, const struct kl_head *head, struct kl_error *err)
{
    const struct kl_block *to = &r->own.block, *from = &head->model.block;
    if (!(r->params = calloc(to->size, sizeof *r->params)))
        return kl_fail_memory(err, to->size * sizeof *r->params);
    for (int i = 0; i < 2 * head->model.n_reduce; i++)
        memcpy(r->params + to->tensors[i].offset, head->params + from->tensors[i].offset,
               from->tensors[i].size * sizeof *r->params);
    return KL_OK;
}

/* The angles of all features as features of their own. */
static int take_angles(struct kl_sampling_rival *r, const struct kl_head *head,
                       const struct kl_features *f, struct kl_error *err)
{
    enum { BLOCK = 512 };
    const struct kl_head_model *m = &head->model;
    struct kl_head_work work;
    r->angles = *f;
    r->angles.d = m->n_angles;
    r->angles.x = malloc(f->n * m->n_angles * sizeof *r->angles.x);
    float *logits = malloc(BLOCK * m->n_classes * sizeof *logits);
    int code = r->angles.x && logits ? kl_head_work_init(&work, err)
                                     : kl_fail_memory(err, f->n * m->n_angles * sizeof *logits);
    const bool begun = !code;
    for (size_t from = 0; from < f->n && !code; from += BLOCK) {
        const size_t n = f->n - from < BLOCK ? f->n - from : BLOCK;
        code = kl_head_forward_f32(logits, r->angles.x + from * m->n_angles, NULL, m, head->params,
                                   f->x + from * f->d, n, &work, err);
    }
    if (begun) kl_head_work_free(&work);
    free(logits);
    return code;
}

int kl_sampling_rival_make(struct kl_sampling_rival *r, enum kl_core core, struct kl_head *head,
                           const struct kl_sampling_head_question *question, const char *path,
                           struct kl_error *err)
{
    struct kl_sampling_head_question q = *question;
    const bool angles = core == KL_CORE_NONE && q.part == KL_SAMPLING_TAIL;
    struct kl_head_options o;
    const char *reduction, *classifier;
    json_t *config = NULL;
    *r = (struct kl_sampling_rival){ .name = kl_core_names[core] };
    if (head->model.options.core != KL_CORE_CIRCUIT)
        return kl_fail(err, KL_EUSAGE, "%s: --compare: its core is '%s', expected a circuit", path,
                       kl_core_names[head->model.options.core]);
    int code = kl_json_parse(&config, head->config, path, err);
    if (!code) code = kl_head_config(&o, &reduction, &classifier, config, path, err);
    if (!code && angles) code = take_angles(r, head, q.features, err);
    if (!code) o.core = core;
    if (!code)
        code = kl_head_model_make(&r->own, &o, angles ? head->model.n_angles : head->model.n_features,
                                  head->model.n_classes, err);
    json_decref(config);
    if (code) return code;
    r->model = &r->own;
    if (q.part == KL_SAMPLING_TAIL && !angles) code = take_reduction(r, head, err);
    if (angles) q.features = &r->angles, q.part = KL_SAMPLING_ALL;
    q.params = r->params;
    return code ? code : target(r, q, err);
}

void kl_sampling_rival_close(struct kl_sampling_rival *r)
{
    kl_sampling_head_close_f32(&r->head);
    if (r->model == &r->own) kl_head_model_free(&r->own);
    free(r->angles.x);
    free(r->params);
    *r = (struct kl_sampling_rival){ 0 };
}
