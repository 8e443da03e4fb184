/* SPDX-License-Identifier: MIT
   Networks that give pulses: their parameters by the names of a checkpoint, and the first values. */
#include <math.h>
#include <stdio.h>

#include "control/model/normal.h"
#include "control/meta/meta.h"
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
