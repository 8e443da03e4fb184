/* SPDX-License-Identifier: MIT
   A policy's file: beside what a training keeps (parameters by the names of a checkpoint, history), the
   network's shape, the family of tasks and the adaptation, which make its numbers mean something. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/meta/meta_train.h"

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
const struct kl_kind kl_control_policy_kind = {
    .name = "policy", .maker = "qcontrol train", .numbers = numbers, .histories = histories
};

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
    e[n++] = (struct entry){ "psd", .truth = &f->psd };
    e[n++] = (struct entry){ "two_qubits", .truth = &f->two_qubits };
    e[n++] = (struct entry){ "coupling_low", .number = &f->coupling.low };
    e[n++] = (struct entry){ "coupling_high", .number = &f->coupling.high };
    e[n++] = (struct entry){ "diversity_scale", .number = &f->diversity };
    e[n++] = (struct entry){ "jump_up", .truth = &f->jump_up };
    e[n++] = (struct entry){ "drift_strength", .number = &f->drift };
    e[n++] = (struct entry){ "whole_gate", .truth = &f->whole_gate };
    e[n++] = (struct entry){ "tells_model", .truth = &f->tells_model };
    e[n++] = (struct entry){ "gate_time", .number = &f->duration };
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
enum { WORDS = sizeof words / sizeof *words };

int kl_control_policy_write(struct kl_writer *w, const struct kl_control_net *net,
                            const struct kl_control_family *family, const struct kl_control_inner *inner,
                            double limit, const char *precision, struct kl_error *err)
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
        word(text, words[k].choices, chosen[k]);
        code = kl_store_writer_text(w, "", words[k].name, text, err);
    }
    if (code >= 0) code = kl_store_writer_text(w, "", "precision", precision, err);
    if (code >= 0) code = kl_store_writer_integer(w, "", "shots", f.shots, err);
    if (code >= 0) code = kl_store_writer_integer(w, "", "n_parameters", net->parameters, err);
    return code;
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
    int chosen[WORDS], code = KL_OK;
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
    for (int k = 0; k < WORDS && !code; k++) code = read_word(&chosen[k], file, k, err);
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
    int code = read_numbers(policy, &shape, file, err);
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
    free(policy->params);
    policy->params = NULL;
}
