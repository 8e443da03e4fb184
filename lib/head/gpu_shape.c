/* SPDX-License-Identifier: MIT
   A head's model as the GPU wants it: its layers in a row. */
#include "circuit/cuda.h"
#include "head/gpu.h"
#include "head/part.h"

static int refuse(const char *what, struct kl_error *err)
{
    return kl_fail(err, KL_EUSAGE, "%s: not on a GPU; give --device cpu", what);
}

int kl_head_gpu_check(const struct kl_head_model *model, const struct kl_train_options *o,
                      struct kl_error *err)
{
    const enum kl_optimizer_kind kind = o->optimizer.kind;
    struct kl_cuda_head shape;
    struct kl_arena memory;
    if (model->options.grow) return refuse("--grow", err);
    if (model->options.shots) return refuse("--shots", err);
    if (model->options.diff != KL_DIFF_ADJOINT) return refuse("--diff-method other than adjoint", err);
    if (kind != KL_SGD && kind != KL_ADAM && kind != KL_ADAMW)
        return refuse("--optimizer other than adam, adamw or sgd", err);
    int code = kl_arena_init(&memory, 0, err);
    if (!code) code = kl_head_gpu_shape(&shape, model, o, &memory, err);
    kl_arena_free(&memory);
    return code;
}

static struct kl_cuda_layer *next(struct kl_cuda_head *s)
{
    struct kl_cuda_layer *l = &s->layers[s->n_layers++];
    *l = (struct kl_cuda_layer){ .group = s->n_groups };
    return l;
}

/* One chain of linear layers. first: number of its first stream of dropout. */
static void add_chain(struct kl_cuda_head *s, const struct kl_head_model *model,
                      const struct kl_layer *layers, int n, int first)
{
    static const int32_t acts[] = {
        [KL_ACT_NONE] = KL_CUDA_NONE, [KL_ACT_RELU] = KL_CUDA_RELU, [KL_ACT_TANH] = KL_CUDA_TANH
    };
    for (int i = 0; i < n; i++) {
        const struct kl_layer *from = &layers[i];
        struct kl_cuda_layer *l = next(s);
        l->kind = KL_CUDA_LINEAR;
        l->d_in = (int32_t)from->d_in, l->d_out = (int32_t)from->d_out;
        l->act = acts[from->act];
        l->dropout = from->dropout ? first + i + 1 : 0;
        l->weight = (int32_t)model->block.tensors[from->weight].offset;
        l->bias = (int32_t)model->block.tensors[from->bias].offset;
        s->n_groups++;
    }
}

static int add_circuit(struct kl_cuda_head *s, const struct kl_head_model *model,
                       struct kl_arena *memory, struct kl_error *err)
{
    const struct kl_circuit *c = model->circuit;
    int code = kl_circuit_for_cuda(&s->circuit, c, memory, err);
    if (code) return code;
    int32_t *group = kl_arena_take(memory, c->n_weights + 1, sizeof *group);
    if (!group) return kl_fail_memory(err, c->n_weights * sizeof *group);
    const size_t groups = c->n_layers ? c->n_layers : 1;
    for (size_t w = 0, g = 0; w < c->n_weights; w++) {
        while (g < c->n_layers && w >= c->layer_ends[g]) g++;
        group[w] = g < groups ? (int32_t)g : -1; /* learnable scales */
    }
    struct kl_cuda_layer *l = next(s);
    l->kind = KL_CUDA_QUANTUM;
    l->d_in = (int32_t)model->n_angles, l->d_out = (int32_t)model->n_expval;
    l->act = KL_CUDA_NONE;
    l->weight = (int32_t)model->block.tensors[model->vqc].offset;
    s->weight_group = group;
    s->frozen = model->options.core == KL_CORE_FROZEN;
    s->circuit_groups = (int32_t)groups;
    if (!s->frozen) s->n_groups += s->circuit_groups;
    return KL_OK;
}

/* What a twin lacks of its tensors. */
static int mark_absent(struct kl_cuda_head *s, const struct kl_head_model *model,
                       struct kl_arena *memory, struct kl_error *err)
{
    const size_t size = model->block.size;
    if (!model->n_twin) return KL_OK;
    float *there = kl_arena_take(memory, size, sizeof *there);
    uint8_t *absent = kl_arena_take(memory, size, 1);
    if (!there || !absent) return kl_fail_memory(err, size * sizeof *there);
    for (size_t i = 0; i < size; i++) there[i] = 1;
    for (size_t i = 0; i < kl_head_n_parts(model); i++) {
        const struct kl_head_part part = kl_head_part(model, i);
        if (part.chain == KL_CHAIN_TWIN) kl_head_twin_mask_f32(there, model, &part);
    }
    for (size_t i = 0; i < size; i++) absent[i] = there[i] == 0;
    s->absent = absent;
    return KL_OK;
}

int kl_head_gpu_shape(struct kl_cuda_head *s, const struct kl_head_model *model,
                      const struct kl_train_options *o, struct kl_arena *memory, struct kl_error *err)
{
    const double rate = model->options.dropout;
    const int n = model->n_reduce + model->n_twin + model->n_head + (model->circuit != NULL);
    *s = (struct kl_cuda_head){ .n_features = (int32_t)model->n_features,
                                .n_classes = (int32_t)model->n_classes,
                                .batch = 1,
                                .threshold = rate > 0 ? kl_nn_dropout_threshold(rate) : 0,
                                .keep_scale = (float)kl_nn_dropout_scale(rate),
                                .block = model->block.size };
    if (n > KL_CUDA_LAYERS || model->block.size > INT32_MAX) return refuse("so large a head", err);
    if (o) {
        if (o->batch_size > 1 << 16) return refuse("--batch-size above 65536", err);
        s->batch = (int32_t)o->batch_size;
        s->rule = o->optimizer.kind == KL_SGD ? KL_CUDA_SGD : KL_CUDA_ADAM;
        s->clip = (float)o->optimizer.clip;
        s->seed = o->seed;
    }
    add_chain(s, model, model->reduce, model->n_reduce, 0);
    add_chain(s, model, model->twin, model->n_twin, 0);
    int code = mark_absent(s, model, memory, err);
    if (!code && model->circuit) code = add_circuit(s, model, memory, err);
    add_chain(s, model, model->head, model->n_head, KL_MAX_WIDTHS + 1);
    return code;
}
