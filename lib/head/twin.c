/* SPDX-License-Identifier: MIT
   The structure of a circuit's classical twin. A full matrix seldom has as many entries as a circuit has
   weights, so a twin has some diagonals of it. */
#include "head/twin.h"

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

void kl_head_twin_entry(size_t *i, size_t *j, size_t k, size_t d_out, size_t d_in)
{
    size_t length = larger(d_in, d_out), along = k % length;
    size_t across = (along + k / length) % smaller(d_in, d_out);
    *i = d_out > d_in ? along : across;
    *j = d_out > d_in ? across : along;
}

void kl_head_twin_shape(struct kl_twin *twin, size_t n_in, size_t n_out, size_t count)
{
    *twin = (struct kl_twin){ .n_layers = 1, .hidden = 0 };
    if (count > n_out * (n_in + 1)) {
        const size_t per_unit = n_in + n_out + 1; /* of the hidden layer */
        twin->n_layers = 2;
        twin->hidden = larger(larger(n_in, n_out), (count - n_out + per_unit - 1) / per_unit);
    }
    const size_t d_in[KL_TWIN_LAYERS] = { n_in, twin->hidden },
                 d_out[KL_TWIN_LAYERS] = { twin->hidden ? twin->hidden : n_out, n_out };
    size_t left = count;
    for (int l = 0; l < twin->n_layers; l++) {
        twin->weights[l] = larger(d_in[l], d_out[l]);
        left -= smaller(left, twin->weights[l]);
    }
    for (int l = 0; l < twin->n_layers; l++) {
        twin->biases[l] = smaller(left, d_out[l]);
        left -= twin->biases[l];
    }
    while (left > 0)
        for (int l = 0; l < twin->n_layers; l++) {
            size_t room = d_in[l] * d_out[l] - twin->weights[l];
            size_t diagonal = smaller(smaller(left, room), larger(d_in[l], d_out[l]));
            twin->weights[l] += diagonal;
            left -= diagonal;
        }
}

size_t kl_head_twin_parameters(const struct kl_twin *twin)
{
    size_t n = 0;
    for (int l = 0; l < twin->n_layers; l++) n += twin->weights[l] + twin->biases[l];
    return n;
}
