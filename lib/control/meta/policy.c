/* SPDX-License-Identifier: MIT
   Networks that give pulses: their parameters by the names of a checkpoint, the first values, and the
   file that keeps them. */
#include "control/meta/meta_train.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/meta/meta.h"
#include "control/model/model.h"
#include "kernels/inline/philox.h"

static int check_shape(const struct kl_control_net_shape *s, struct kl_error *err)
{
    const struct {
        const char *name;
        int value, most;
    } counts[] = { { "features", s->features, KL_CONTROL_MAX_UNITS },
                   { "hidden units", s->hidden, KL_CONTROL_MAX_UNITS },
                   { "segments", s->segments, KL_CONTROL_MAX_UNITS },
                   { "controls", s->controls, KL_CONTROL_MAX_CONTROLS } };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].value < 1 || counts[i].value > counts[i].most)
            return kl_fail(err, KL_EUSAGE, "a policy network: found %d %s, expected 1 to %d",
                           counts[i].value, counts[i].name, counts[i].most);
    if (s->hidden_layers < 0 || s->hidden_layers + 2 > KL_CONTROL_MAX_LAYERS)
        return kl_fail(err, KL_EUSAGE, "a policy network: found %d hidden layers, expected 0 to %d",
                       s->hidden_layers, KL_CONTROL_MAX_LAYERS - 2);
    if (!(fabs(s->scale) > 0 && isfinite(s->scale)))
        return kl_fail(err, KL_EUSAGE,
                       "a policy network: found output scale %g, expected a number other than 0",
                       s->scale);
    return KL_OK;
}

/* The number of the tensor MODULE.WHAT; negative: a failure. */
static int add(struct kl_control_net *net, int module, const char *what, int rank, size_t d0, size_t d1,
               struct kl_error *err)
{
    char name[48];
    snprintf(name, sizeof name, "network.%d.%s", module, what);
    const int number = kl_nn_block_add(&net->block, name, rank, d0, d1, err);
    if (number >= 0) net->parameters += (int64_t)net->block.tensors[number].size;
    return number;
}

static int add_layer(struct kl_control_net *net, int l, struct kl_error *err)
{
    const size_t in = (size_t)net->size[l], out = (size_t)net->size[l + 1];
    const bool norm = net->shape.norm && l + 1 < net->layers;
    const int module = net->shape.norm ? 3 * l : 2 * l; /* an activation has a number as well */
    int code = net->at[l].weight = add(net, module, "weight", 2, out, in, err);
    if (code >= 0) code = net->at[l].bias = add(net, module, "bias", 1, out, 1, err);
    net->at[l].norm_weight = net->at[l].norm_bias = -1;
    if (code < 0 || !norm) return code < 0 ? code : KL_OK;
    code = net->at[l].norm_weight = add(net, module + 1, "weight", 1, out, 1, err);
    if (code >= 0) code = net->at[l].norm_bias = add(net, module + 1, "bias", 1, out, 1, err);
    return code < 0 ? code : KL_OK;
}

int kl_control_net_make(struct kl_control_net *net, const struct kl_control_net_shape *shape,
                        struct kl_error *err)
{
    *net = (struct kl_control_net){ .shape = *shape, .layers = shape->hidden_layers + 2 };
    int code = check_shape(shape, err);
    if (code) return code;
    for (int l = 0; l <= net->layers; l++) net->size[l] = shape->hidden;
    net->size[0] = shape->features, net->size[net->layers] = shape->segments * shape->controls;
    for (int l = 0; !code && l < net->layers; l++) code = add_layer(net, l, err);
    return code;
}

void kl_control_net_free(struct kl_control_net *net)
{
    kl_nn_block_free(&net->block);
}

/* ---- first values ---- */

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* The rows of q (rows <= columns), normal numbers at first, orthonormal by modified Gram-Schmidt; its
   R has a positive diagonal, so the rows are uniform on the Stiefel manifold (Mezzadri 2007,
   arXiv:math-ph/0609050). */
static void orthonormal(double *q, size_t rows, size_t columns)
{
    for (size_t i = 0; i < rows; i++) {
        double *row = q + i * columns;
        for (size_t j = 0; j < i; j++) {
            const double *other = q + j * columns, s = dot(row, other, columns);
            for (size_t k = 0; k < columns; k++) row[k] -= s * other[k];
        }
        const double size = 1 / sqrt(dot(row, row, columns));
        for (size_t k = 0; k < columns; k++) row[k] *= size;
    }
}

static void normals(double *to, size_t n, uint64_t seed, uint32_t stream, uint32_t replica)
{
    for (size_t i = 0; i < n; i += 2) {
        uint32_t words[4];
        kl_philox(words, seed, (uint32_t)(i / 2), KL_RANDOM_INIT, stream, replica);
        double two[2];
        kl_control_normals(two, kl_philox_unit(words[0]), kl_philox_unit(words[1]));
        to[i] = two[0];
        if (i + 1 < n) to[i + 1] = two[1];
    }
}

static void init_weight(double *params, const struct kl_tensor *t, double gain, double *q, uint64_t seed,
                        uint32_t stream, uint32_t replica)
{
    const size_t out = t->dims[0], in = t->dims[1];
    const bool turned = out > in; /* then the columns are orthonormal */
    normals(q, t->size, seed, stream, replica);
    orthonormal(q, turned ? in : out, turned ? out : in);
    for (size_t i = 0; i < out; i++)
        for (size_t j = 0; j < in; j++)
            params[t->offset + kl_nn_tensor_index(t, i, j)] =
                gain * q[turned ? j * out + i : i * in + j];
}

size_t kl_control_net_scratch(const struct kl_control_net *net)
{
    size_t most = 0;
    for (int i = 0; i < net->block.n; i++)
        if (net->block.tensors[i].size > most) most = net->block.tensors[i].size;
    return most;
}

void kl_control_net_init(double *params, const struct kl_control_net *net, uint64_t seed,
                         uint32_t replica, double *scratch)
{
    for (size_t i = 0; i < net->block.size; i++) params[i] = 0;
    for (int l = 0; l < net->layers; l++) {
        const double gain = net->shape.norm && l + 1 == net->layers ? 0.1 : 0.5;
        const int scale = net->at[l].norm_weight;
        init_weight(params, &net->block.tensors[net->at[l].weight], gain, scratch, seed, (uint32_t)l,
                    replica);
        for (size_t i = 0; scale >= 0 && i < net->block.tensors[scale].size; i++)
            params[net->block.tensors[scale].offset + i] = 1;
    }
}

void kl_control_net_start(double *params, const struct kl_control_net *net, const double *pulse)
{
    const struct kl_control_net_shape *s = &net->shape;
    double *bias = params + net->block.tensors[net->at[net->layers - 1].bias].offset;
    for (int i = 0; i < s->segments * s->controls; i++) {
        const double u = pulse[i % s->controls] / s->scale;
        bias[i] = s->norm ? atanh(fmax(-0.99, fmin(0.99, u))) : u;
    }
}

/* ---- the file ----
   A policy's file: beside what a training keeps (parameters by the names of a checkpoint, history), the
   network's shape, the family of tasks and the adaptation, which make its numbers mean something. */

static const struct kl_kind_number numbers[] = {
    { .attribute = "n_segments", .title = "segments", .format = "%.0f" },
    { .attribute = "hidden_dim", .title = "hidden units", .format = "%.0f" },
    { .attribute = "n_parameters", .title = "parameters", .format = "%.0f" },
    { .attribute = "method", .title = "method" },
    { .attribute = "inner_steps", .title = "inner steps", .format = "%.0f" },
    { .attribute = "inner_lr", .title = "inner learning rate", .format = "%g" },
    { .attribute = NULL },
};
static const struct kl_kind_history histories[] = {
    { .loss = { "history/train_loss", "loss before adaptation" },
      .judged = { "history/val_post", "validation loss, adapted" },
      .least = true,
      .of = "policy" },
    { .of = NULL },
};
/* For `cache show`: the system, of a family of any. */
static int show(FILE *to, struct kl_file *file, struct kl_error *err)
{
    struct kl_control_policy policy;
    if (!kl_store_file_has_attribute(file, "", "system")) return KL_OK;
    const int code = kl_control_policy_read(&policy, file, 0, err);
    if (!code) {
        fputs("\nin use\n", to);
        kl_control_setup_write(to, &policy.setup, &policy.problem, NULL);
    }
    kl_control_policy_free(&policy);
    return code;
}
const struct kl_kind kl_control_policy_kind = { .name = "policy",
                                                .maker = "qcontrol train",
                                                .numbers = numbers,
                                                .histories = histories,
                                                .write = show };

/* ---- numbers by their names, both ways ---- */

struct entry {
    const char *name;
    double *number; /* or: */
    int *integer;
    bool *truth;
};
enum { MOST = 64 };

static int list(struct entry e[MOST], struct kl_control_net_shape *s, struct kl_control_family *f,
                struct kl_control_inner *i, double *limit)
{
    const struct {
        const char *name;
        struct kl_control_range *range;
    } ranges[] = { { "gamma_deph", &f->dephasing }, { "gamma_relax", &f->relaxation },
                   { "alpha", &f->alpha },          { "A", &f->amplitude },
                   { "omega_c", &f->omega_c },      { "detuning", &f->detuning },
                   { "amplitude", &f->controls },   { "angle", &f->angle } };
    static const char *const ends[][2] = {
        { "gamma_deph_low", "gamma_deph_high" }, { "gamma_relax_low", "gamma_relax_high" },
        { "alpha_low", "alpha_high" },           { "A_low", "A_high" },
        { "omega_c_low", "omega_c_high" },       { "detuning_low", "detuning_high" },
        { "amplitude_low", "amplitude_high" },   { "angle_low", "angle_high" }
    };
    const bool own = !f->setup; /* a family of qubits; what is of a system stands elsewhere */
    int n = 0;
    e[n++] = (struct entry){ "task_feature_dim", .integer = &s->features };
    e[n++] = (struct entry){ "hidden_dim", .integer = &s->hidden };
    e[n++] = (struct entry){ "n_hidden_layers", .integer = &s->hidden_layers };
    e[n++] = (struct entry){ "n_segments", .integer = &s->segments };
    e[n++] = (struct entry){ "n_controls", .integer = &s->controls };
    e[n++] = (struct entry){ "output_scale", .number = &s->scale };
    e[n++] = (struct entry){ "layer_norm", .truth = &s->norm };
    e[n++] = (struct entry){ "limit", .number = limit };
    e[n++] = (struct entry){ "inner_steps", .integer = &i->steps };
    e[n++] = (struct entry){ "inner_lr", .number = &i->lr };
    e[n++] = (struct entry){ "inner_clip", .number = &i->clip };
    e[n++] = (struct entry){ "last_layer", .truth = &i->last_layer };
    if (own) {
        e[n++] = (struct entry){ "psd", .truth = &f->psd };
        e[n++] = (struct entry){ "two_qubits", .truth = &f->two_qubits };
        e[n++] = (struct entry){ "coupling_low", .number = &f->coupling.low };
        e[n++] = (struct entry){ "coupling_high", .number = &f->coupling.high };
    }
    e[n++] = (struct entry){ "diversity_scale", .number = &f->diversity };
    if (own) {
        e[n++] = (struct entry){ "jump_up", .truth = &f->jump_up };
        e[n++] = (struct entry){ "drift_strength", .number = &f->drift };
        e[n++] = (struct entry){ "whole_gate", .truth = &f->whole_gate };
        e[n++] = (struct entry){ "tells_model", .truth = &f->tells_model };
    }
    e[n++] = (struct entry){ "gate_time", .number = &f->duration };
    if (!own) return n;
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
        e[n++] = (struct entry){ ends[k][0], .number = &ranges[k].range->low };
        e[n++] = (struct entry){ ends[k][1], .number = &ranges[k].range->high };
    }
    e[n++] = (struct entry){ "one_over_f", .number = &f->models[0] };
    e[n++] = (struct entry){ "lorentzian", .number = &f->models[1] };
    e[n++] = (struct entry){ "double_exp", .number = &f->models[2] };
    return n;
}

/* Word number `index` of "a|b|c". */
static void word(char to[32], const char *choices, int index)
{
    for (; index > 0; index--) choices = strchr(choices, '|') + 1;
    snprintf(to, 32, "%.*s", (int)strcspn(choices, "|"), choices);
}

static const char acts[] = "none|tanh|relu|elu";
static const struct {
    const char *name, *choices;
} words[] = { { "activation", acts },
              { "method", KL_CONTROL_META_METHODS },
              { "task_dist_type", KL_CONTROL_DISTRIBUTIONS },
              { "target_gate", KL_CONTROL_META_GATES },
              { "task_features", KL_CONTROL_TELLS } };
enum { GATE = 3, WORDS = sizeof words / sizeof *words }; /* GATE: of no system, whose `gate` is any */

int kl_control_policy_write(struct kl_writer *w, const struct kl_control_net *net,
                            const struct kl_control_family *family, const struct kl_control_inner *inner,
                            double limit, const char *precision, const char *model, struct kl_error *err)
{
    struct kl_control_net_shape s = net->shape;
    struct kl_control_family f = *family;
    struct kl_control_inner i = *inner;
    const int chosen[WORDS] = { (int)s.act, (int)i.method, (int)f.distribution, (int)f.gate,
                                (int)f.tells };
    struct entry e[MOST];
    int code = KL_OK;
    const int n = list(e, &s, &f, &i, &limit);
    for (int k = 0; k < n && code >= 0; k++)
        code = e[k].number ? kl_store_writer_number(w, "", e[k].name, *e[k].number, err)
                           : kl_store_writer_integer(w, "", e[k].name,
                                                     e[k].integer ? *e[k].integer : *e[k].truth, err);
    for (int k = 0; k < WORDS && code >= 0; k++) {
        char text[32];
        if (k == GATE && f.setup) continue;
        word(text, words[k].choices, chosen[k]);
        code = kl_store_writer_text(w, "", words[k].name, text, err);
    }
    if (code >= 0) code = kl_store_writer_text(w, "", "precision", precision, err);
    if (code >= 0) code = kl_store_writer_integer(w, "", "shots", f.shots, err);
    if (code >= 0) code = kl_store_writer_integer(w, "", "n_parameters", net->parameters, err);
    return code < 0 || !f.setup ? code : kl_control_family_put(w, &f, model, err);
}

/* ---- reading ---- */

static int read_word(int *index, const struct kl_file *file, int k, struct kl_error *err)
{
    char *text = NULL;
    int code = kl_store_file_text(&text, file, "", words[k].name, err);
    if (code) return code;
    *index = kl_choice(words[k].choices, text);
    if (*index < 0)
        code = kl_fail(err, KL_EDATA, "%s: found %s '%s', expected %s", kl_store_file_path(file),
                       words[k].name, text, words[k].choices);
    free(text);
    return code;
}

static int read_numbers(struct kl_control_policy *p, struct kl_control_net_shape *shape,
                        struct kl_file *file, struct kl_error *err)
{
    struct entry e[MOST];
    double shots = 0;
    int chosen[WORDS] = { 0 }, code = KL_OK;
    const int n = list(e, shape, &p->family, &p->inner, &p->limit);
    for (int k = 0; k < n && !code; k++) {
        double value = 0;
        code = kl_store_file_number(&value, file, "", e[k].name, err);
        if (!code && !isfinite(value))
            code = kl_fail(err, KL_EDATA, "%s: found %s %g, expected a finite number",
                           kl_store_file_path(file), e[k].name, value);
        if (e[k].number) *e[k].number = value;
        else if (e[k].integer) *e[k].integer = (int)fmax(-1, fmin(1e6, value));
        else *e[k].truth = value != 0;
    }
    for (int k = 0; k < WORDS && !code; k++)
        if (k != GATE || !p->family.setup) code = read_word(&chosen[k], file, k, err);
    if (!code) code = kl_store_file_number(&shots, file, "", "shots", err);
    if (code) return code;
    p->family.shots = (int64_t)fmax(1, fmin(1e9, shots));
    shape->act = (enum kl_policy_act)chosen[0];
    p->inner.method = (enum kl_control_meta_method)chosen[1];
    p->family.distribution = (enum kl_control_distribution)chosen[2];
    p->family.gate = (enum kl_control_gate)chosen[3], p->family.tells = (enum kl_control_tells)chosen[4];
    return kl_control_family_check(&p->family, err);
}

/* Tensor i of one replica, in float or double. */
static int read_tensor(struct kl_control_policy *p, struct kl_file *file, int i, int64_t replica,
                       struct kl_error *err)
{
    const struct kl_tensor *t = &p->net.block.tensors[i];
    char name[64];
    const struct kl_dataset *set = NULL;
    void *data = NULL;
    snprintf(name, sizeof name, "params/%s", t->name);
    const struct kl_dataset *found = kl_store_file_find(file, name);
    const enum kl_type type = found && found->type == KL_TYPE_F64 ? KL_TYPE_F64 : KL_TYPE_F32;
    int code = kl_store_file_expect(&set, file, name, type, t->rank + 1, err);
    if (code) return code;
    for (int d = 0; d < t->rank; d++)
        if (set->dims[d + 1] != t->dims[d])
            return kl_fail(err, KL_EDATA,
                           "%s: dataset %s: found %zu values along dimension %d, expected %zu",
                           kl_store_file_path(file), name, set->dims[d + 1], d + 1, t->dims[d]);
    p->replicas = (int64_t)set->dims[0];
    if (replica < 0 || replica >= p->replicas)
        return kl_fail(err, KL_EUSAGE, "%s: found %lld policies, expected number %lld among them",
                       kl_store_file_path(file), (long long)p->replicas, (long long)replica);
    code = kl_store_file_load(&data, file, set, err);
    double *values = code ? NULL : malloc(t->size * sizeof *values);
    if (!code && !values) code = kl_fail_memory(err, t->size * sizeof *values);
    for (size_t k = 0; !code && k < t->size; k++) {
        const size_t at = (size_t)replica * t->size + k;
        values[k] = type == KL_TYPE_F64 ? ((double *)data)[at] : (double)((float *)data)[at];
        if (!isfinite(values[k]))
            code = kl_fail(err, KL_EDATA, "%s: dataset %s: found a value that is not finite",
                           kl_store_file_path(file), name);
    }
    if (!code) kl_nn_tensor_from_file_f64(p->params, t, values);
    free(values), free(data);
    return code;
}

int kl_control_policy_read(struct kl_control_policy *policy, struct kl_file *file, int64_t replica,
                           struct kl_error *err)
{
    struct kl_control_net_shape shape = { 0 };
    *policy = (struct kl_control_policy){ 0 };
    if (kl_store_file_has_attribute(file, "", "system")) policy->family.setup = &policy->setup;
    int code = read_numbers(policy, &shape, file, err);
    if (!code && policy->family.setup) code = kl_control_policy_system(policy, &shape, file, err);
    if (!code) code = kl_control_net_make(&policy->net, &shape, err);
    if (code) return code;
    policy->params = calloc(policy->net.block.size, sizeof *policy->params);
    if (!policy->params) return kl_fail_memory(err, policy->net.block.size * sizeof *policy->params);
    for (int i = 0; i < policy->net.block.n && !code; i++)
        code = read_tensor(policy, file, i, replica, err);
    return code;
}

void kl_control_policy_free(struct kl_control_policy *policy)
{
    kl_control_net_free(&policy->net);
    kl_control_psd_tables_free(&policy->family);
    kl_control_setup_free(&policy->setup);
    json_decref(policy->config);
    free(policy->params), free(policy->model), free(policy->start);
    policy->params = policy->start = NULL, policy->model = NULL, policy->config = NULL;
}
