/* SPDX-License-Identifier: MIT
   Kept draws of a file of chains as heads, and which of a head's parameters are sampled. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head/features.h"
#include "sampling/ensemble/ensemble.h"
#include "store/kind.h"
#include "store/store.h"

/* ---- layout ----
   Which parameters of a head are sampled: their places in the head's block, in the order of files, and
   their priors. */

void kl_sampling_head_prior_default(struct kl_sampling_head_prior *prior)
{
    *prior = (struct kl_sampling_head_prior){ .sigma = 1, .angles = M_PI, .scales = 1 };
}

/* The layout under construction. */
struct building {
    struct kl_sampling_layout *to;
    const struct kl_head_model *model;
    const struct kl_sampling_head_prior *prior;
    bool *absent; /* (block.size) entries that a twin does not have */
};

static void add_tensor(struct building *b, const struct kl_tensor *t, size_t first, size_t fan_in,
                       double sigma)
{
    struct kl_sampling_layout *to = b->to;
    struct kl_sampling_slice *s = &to->slices[to->n_slices++];
    *s = (struct kl_sampling_slice){
        .offset = first, .size = to->size - first, .fan_in = fan_in, .sigma = sigma
    };
    memcpy(s->name, t->name, sizeof s->name);
    for (size_t i = first; i < to->size; i++) to->scale[i] = (float)sigma;
    const bool whole = s->size == t->size;
    s->rank = whole ? t->rank : 1;
    for (int d = 0; d < 4; d++) s->dims[d] = whole ? t->dims[d] : d ? 1 : s->size;
}

/* The entries of a weight or a bias that there are; returns how many. */
static size_t add_entries(struct building *b, const struct kl_tensor *t)
{
    struct kl_sampling_layout *to = b->to;
    const size_t before = to->size;
    for (size_t i = 0; i < t->dims[0]; i++)
        for (size_t j = 0; j < t->dims[1]; j++) {
            const size_t at = t->offset + kl_nn_tensor_index(t, i, j);
            if (!b->absent[at]) to->index[to->size++] = at;
        }
    return to->size - before;
}

/* The bias has the weight's prior, as in torch's Linear. */
static void add_layer(struct building *b, const struct kl_layer *l)
{
    const struct kl_tensor *weight = &b->model->block.tensors[l->weight],
                           *bias = &b->model->block.tensors[l->bias];
    const size_t first = b->to->size, n = add_entries(b, weight), fan_in = (n + l->d_out - 1) / l->d_out;
    const double sigma =
        b->prior->flat ? b->prior->sigma : b->prior->sigma / sqrt((double)(fan_in ? fan_in : 1));
    if (n) add_tensor(b, weight, first, fan_in, sigma);
    if (add_entries(b, bias)) add_tensor(b, bias, first + n, fan_in, sigma);
}

/* Angles and learnable scales, which may alternate: a tensor for each run of one kind. */
static void add_circuit(struct building *b)
{
    const struct kl_circuit *c = b->model->circuit;
    const struct kl_tensor *t = &b->model->block.tensors[b->model->vqc];
    for (size_t w = 0; w < c->n_weights;) {
        const size_t first = b->to->size;
        const bool scale = kl_circuit_is_scale(c, w);
        for (; w < c->n_weights && kl_circuit_is_scale(c, w) == scale; w++)
            b->to->index[b->to->size++] = t->offset + kl_nn_tensor_index(t, w, 0);
        add_tensor(b, t, first, 1, scale ? b->prior->scales : b->prior->angles);
    }
}

/* The reverse of what kl_head_twin_mask keeps. */
static void mark_absent(struct building *b)
{
    const struct kl_head_model *m = b->model;
    for (int i = 0; i < m->n_twin; i++) {
        const struct kl_layer *l = &m->twin[i];
        const struct kl_tensor *w = &m->block.tensors[l->weight], *bias = &m->block.tensors[l->bias];
        for (size_t k = m->shape.weights[i]; k < l->d_in * l->d_out; k++) {
            size_t row, column;
            kl_head_twin_entry(&row, &column, k, l->d_out, l->d_in);
            b->absent[w->offset + kl_nn_tensor_index(w, row, column)] = true;
        }
        for (size_t k = m->shape.biases[i]; k < l->d_out; k++)
            b->absent[bias->offset + kl_nn_tensor_index(bias, k, 0)] = true;
    }
}

static int check(const struct kl_head_model *model, enum kl_sampling_part part,
                 const struct kl_sampling_head_prior *p, struct kl_error *err)
{
    if (!(p->sigma > 0) || !(p->angles > 0) || !(p->scales > 0) ||
        !isfinite(p->sigma + p->angles + p->scales))
        return kl_fail(err, KL_EUSAGE,
                       "deviations of the prior: found %g, %g of angles and %g of scales, expected "
                       "positive numbers",
                       p->sigma, p->angles, p->scales);
    if (part == KL_SAMPLING_CORE && model->options.core != KL_CORE_CIRCUIT &&
        model->options.core != KL_CORE_TWIN)
        return kl_fail(
            err, KL_EUSAGE,
            "the head's core is '%s', which has nothing to sample; take --parameters all or head",
            kl_core_names[model->options.core]);
    return KL_OK;
}

int kl_sampling_layout_make(struct kl_sampling_layout *layout, const struct kl_head_model *model,
                            enum kl_sampling_part part, const struct kl_sampling_head_prior *prior,
                            struct kl_error *err)
{
    *layout = (struct kl_sampling_layout){ 0 };
    int code = check(model, part, prior, err);
    if (code) return code;
    const size_t size = model->block.size, runs = model->circuit ? model->circuit->n_weights : 0,
                 tensors = (size_t)model->block.n + runs;
    struct building b = { layout, model, prior, calloc(size, sizeof *b.absent) };
    layout->index = malloc(size * sizeof *layout->index);
    layout->scale = malloc(size * sizeof *layout->scale);
    layout->slices = calloc(tensors, sizeof *layout->slices);
    if (!b.absent || !layout->index || !layout->scale || !layout->slices) {
        free(b.absent);
        return kl_fail_memory(err, size * sizeof *layout->index);
    }
    mark_absent(&b);
    for (int i = 0; part == KL_SAMPLING_ALL && i < model->n_reduce; i++)
        add_layer(&b, &model->reduce[i]);
    if (part != KL_SAMPLING_CLASSIFIER && model->options.core == KL_CORE_CIRCUIT) add_circuit(&b);
    for (int i = 0; part != KL_SAMPLING_CLASSIFIER && i < model->n_twin; i++)
        add_layer(&b, &model->twin[i]);
    for (int i = 0; part != KL_SAMPLING_CORE && i < model->n_head; i++) add_layer(&b, &model->head[i]);
    free(b.absent);
    return KL_OK;
}

void kl_sampling_layout_free(struct kl_sampling_layout *layout)
{
    free(layout->index);
    free(layout->scale);
    free(layout->slices);
    *layout = (struct kl_sampling_layout){ 0 };
}

/* ---- kept weights of a file of chains ---- */

int kl_sampling_kept_open(struct kl_sampling_kept *kept, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *set;
    *kept = (struct kl_sampling_kept){ .at = -1 };
    if (!kl_store_file_find(file, "kept/weights"))
        return kl_fail(err, KL_EDATA, "%s: found no kept weights, expected some; sample with --keep",
                       kl_store_file_path(file));
    const int code = kl_store_file_expect(&set, file, "kept/weights", KL_TYPE_F32, 4, err);
    if (code) return code;
    kept->chains = (int64_t)set->dims[0], kept->draws = (int64_t)set->dims[1];
    kept->rungs = set->dims[2], kept->size = set->dims[3], kept->weights = set, kept->file = file;
    kept->chain = malloc((set->row_size + 1));
    return kept->chain ? KL_OK : kl_fail_memory(err, set->row_size);
}

void kl_sampling_kept_close(struct kl_sampling_kept *kept)
{
    free(kept->chain);
    kept->chain = NULL;
}

int kl_sampling_kept_read(float *w, struct kl_sampling_kept *kept, size_t rung, int64_t chain,
                          int64_t draw, struct kl_error *err)
{
    int code = KL_OK;
    if (rung >= kept->rungs || chain < 0 || chain >= kept->chains || draw < 0 || draw >= kept->draws)
        return kl_fail(err, KL_EUSAGE,
                       "%s: found %zu temperatures, %lld chains, %lld kept draws, expected temperature "
                       "%zu, chain %lld, draw %lld among them",
                       kl_store_file_path(kept->file), kept->rungs, (long long)kept->chains,
                       (long long)kept->draws, rung, (long long)chain, (long long)draw);
    if (chain != kept->at)
        code = kl_store_file_rows(kept->file, kept->weights, (size_t)chain, 1, kept->chain, err);
    kept->at = code ? -1 : chain;
    if (!code)
        memcpy(w, kept->chain + ((size_t)draw * kept->rungs + rung) * kept->size,
               kept->size * sizeof *w);
    return code;
}

/* ---- kept draws of a file of chains as heads ---- */

static int read_question(struct kl_sampling_heads *h, enum kl_sampling_part *part,
                         struct kl_sampling_head_prior *p, struct kl_file *file, struct kl_error *err)
{
    char *prior = NULL;
    if (!kl_store_file_has_attribute(file, "", KL_HEAD_SAMPLED))
        return kl_fail(
            err, KL_EDATA,
            "%s: chains of a network, expected chains of a head, as sgld head writes them (of a "
            "table too: qtrain --core none, then sgld head)",
            kl_store_file_path(file));
    int code = kl_store_file_text(&h->part, file, "", KL_HEAD_SAMPLED, err);
    if (!code) code = kl_store_file_text(&prior, file, "", "prior", err);
    if (!code) code = kl_store_file_number(&p->sigma, file, "", "prior_sigma", err);
    if (!code) code = kl_store_file_number(&p->angles, file, "", "prior_sigma_angles", err);
    if (!code) code = kl_store_file_number(&p->scales, file, "", "prior_sigma_scales", err);
    const int found = code ? 0 : kl_choice(KL_SAMPLING_PARTS, h->part);
    if (!code && found < 0)
        code = kl_fail(err, KL_EDATA, "%s: " KL_HEAD_SAMPLED ": found '%s', expected " KL_SAMPLING_PARTS,
                       kl_store_file_path(file), h->part);
    if (!code) p->flat = strcmp(prior, "flat") == 0, *part = (enum kl_sampling_part)found;
    free(prior);
    return code;
}

int kl_sampling_head_key_features(struct kl_key *key, const struct kl_file *chains, struct kl_error *err)
{
    json_t *parts = NULL;
    int code = kl_json_parse(&parts, kl_store_file_key_parts(chains), kl_store_file_path(chains), err);
    const char *content = json_string_value(
        json_array_get(json_object_get(json_object_get(parts, "inputs"), "features"), 0));
    if (!code && !content)
        code =
            kl_fail(err, KL_EDATA,
                    "%s: its key names no features, expected chains of a head, as sgld head writes them",
                    kl_store_file_path(chains));
    if (!code) code = kl_store_key_input(key, "features", content, err);
    json_decref(parts);
    return code;
}

/* The temperature at which the chains sample the posterior. */
static int find_posterior(struct kl_sampling_heads *h, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *set;
    double *beta = NULL, n = 0;
    int code = kl_store_file_expect(&set, file, "ladder/beta", KL_TYPE_F64, 1, err);
    if (!code) code = kl_store_file_number(&n, file, "", "n", err);
    if (!code) code = kl_store_file_load((void **)&beta, file, set, err);
    size_t k = 0;
    while (!code && k < set->dims[0] && beta[k] != n) k++;
    if (!code && k == set->dims[0])
        code = kl_fail(err, KL_EDATA, "%s: no temperature beta = %g, the posterior's; add it to --betas",
                       kl_store_file_path(file), n);
    /* Weights are kept of all temperatures, or of the last alone. */
    if (!code && h->kept.rungs == 1 && k + 1 != set->dims[0])
        code = kl_fail(err, KL_EDATA, "%s: weights were kept at beta %g alone, expected %g",
                       kl_store_file_path(file), beta[set->dims[0] - 1], n);
    h->rung = h->kept.rungs == 1 ? 0 : k;
    free(beta);
    return code;
}

static int set(void *context, struct kl_head *head, size_t i, struct kl_error *err)
{
    struct kl_sampling_heads *h = context;
    const int64_t chains = h->kept.chains;
    const int code =
        kl_sampling_kept_read(h->w, &h->kept, h->rung, (int64_t)i % chains, (int64_t)i / chains, err);
    for (size_t k = 0; k < h->layout.size && !code; k++)
        head->params[h->layout.index[k]] = h->layout.scale[k] * h->w[k];
    return code;
}

int kl_sampling_heads_open(struct kl_sampling_heads *h, struct kl_file *file, struct kl_error *err)
{
    enum kl_sampling_part part = KL_SAMPLING_ALL;
    struct kl_sampling_head_prior prior = { 0 };
    struct kl_head *head = NULL;
    *h = (struct kl_sampling_heads){ 0 };
    int code = kl_store_file_check_once(file, err);
    if (!code) code = read_question(h, &part, &prior, file, err);
    if (!code) code = kl_sampling_kept_open(&h->kept, file, err);
    if (!code) code = find_posterior(h, file, err);
    if (!code) code = kl_head_load(&head, file, NULL, 0, NULL, err);
    if (!code) code = kl_sampling_layout_make(&h->layout, &head->model, part, &prior, err);
    if (!code && h->layout.size != h->kept.size)
        code = kl_fail(err, KL_EDATA, "%s: draws of %zu parameters, the head has %zu",
                       kl_store_file_path(file), h->kept.size, h->layout.size);
    if (!code && !(h->w = malloc(h->kept.size * sizeof *h->w)))
        code = kl_fail_memory(err, h->kept.size * sizeof *h->w);
    kl_head_free(&head);
    if (code) return code;
    h->n = (size_t)(h->kept.chains * h->kept.draws);
    h->ensemble = (struct kl_head_ensemble){ h->n, set, h };
    return KL_OK;
}

int kl_sampling_judged_open(struct kl_file **head, struct kl_sampling_heads *draws, const char *path,
                            struct kl_error *err)
{
    int code = kl_store_file_open(head, path, err);
    /* Once more, for its words: standard input can be read once. */
    if (code == KL_EDATA && strcmp(path, "-") != 0)
        return kl_store_file_open_kind(head, path, &kl_head_kind, err);
    if (code || strcmp(kl_store_file_kind(*head), kl_head_kind.name) == 0) return code;
    if (strcmp(kl_store_file_kind(*head), KL_SAMPLING_CHAINS) == 0)
        return kl_sampling_heads_open(draws, *head, err);
    code = kl_store_fail_kind(err, path, kl_store_file_kind(*head), &kl_head_kind);
    kl_store_file_close(head);
    return code;
}

void kl_sampling_heads_close(struct kl_sampling_heads *h)
{
    kl_sampling_kept_close(&h->kept);
    kl_sampling_layout_free(&h->layout);
    free(h->w);
    free(h->part);
    *h = (struct kl_sampling_heads){ 0 };
}
