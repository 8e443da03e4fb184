/* SPDX-License-Identifier: MIT
   A network's parameters between the order of files and that of the kernel. */
#include <string.h>

#include "kernels/inline/real.h"
#include "qrng/classify/network.h"

/* Place in the block of number i of layer l in the file's order: weights [out][in], then biases [out].
 */
static size_t place(const struct kl_mlp *net, int l, size_t i)
{
    const size_t in = (size_t)net->size[l], out = (size_t)net->size[l + 1],
                 width = kl_mlp_width(net->size[l + 1]);
    const bool bias = i >= in * out;
    const size_t unit = bias ? i - in * out : i / in, row = bias ? in : i % in;
    return kl_mlp_layer(net, l) + row * width + unit;
}

static size_t count(const struct kl_mlp *net, int l)
{
    return ((size_t)net->size[l] + 1) * (size_t)net->size[l + 1];
}

void kl_classify_network_from_file(kl_real *block, const kl_real *file, const struct kl_mlp *net)
{
    memset(block, 0, kl_mlp_layer(net, net->n_layers) * sizeof *block);
    for (int l = 0; l < net->n_layers; l++)
        for (size_t i = 0; i < count(net, l); i++) block[place(net, l, i)] = *file++;
}

void kl_classify_network_to_file(kl_real *file, const kl_real *block, const struct kl_mlp *net)
{
    for (int l = 0; l < net->n_layers; l++)
        for (size_t i = 0; i < count(net, l); i++) *file++ = block[place(net, l, i)];
}
