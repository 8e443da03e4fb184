/* SPDX-License-Identifier: MIT
   Folded weights as a GPU has them: channels innermost, no transform. The formulas are fold.c's. */
#include <stdlib.h>
#include <string.h>

#include "backbone/resnet18_int.h"
#include "kernels/cuda.h"

int kl_backbone_fold_gpu(float *to, float *bias, const struct kl_folded *conv,
                         const struct kl_weights *weights, struct kl_error *err)
{
    const struct kl_weight *w;
    const size_t taps = conv->size * conv->size, in = conv->in, out = conv->out;
    double *scale = malloc(2 * out * sizeof *scale);
    int code = scale ? kl_backbone_fold_find(&w, scale, scale + out, conv, in, weights, err)
                     : kl_fail_memory(err, 2 * out * sizeof *scale);
    for (size_t o = 0; !code && o < out; o++) {
        bias[o] = (float)scale[out + o];
        for (size_t i = 0; i < in; i++)
            for (size_t t = 0; t < taps; t++)
                to[(o * taps + t) * in + i] =
                    (float)(scale[o] * (double)w->data[(o * in + i) * taps + t]);
    }
    free(scale);
    return code;
}

/* Where tap t of 7x7 is among 4x4 blocks of 2x2, of `planes` values a pixel: the first row and column of
   pixels are no tap's. */
static size_t block_of(size_t o, size_t t, size_t planes)
{
    const size_t v = t / 7 + 1, u = t % 7 + 1, n = KL_CUDA_STEM_BLOCKS;
    return (((o * n + v / 2) * n + u / 2) * 4 + v % 2 * 2 + u % 2) * planes;
}

int kl_backbone_fold_gpu_stem(float *to, float *bias, const struct kl_resnet18 *net,
                              const struct kl_weights *weights, struct kl_error *err)
{
    const struct kl_resnet18_options *options = &net->options;
    const struct kl_weight *w;
    const size_t planes = net->channels + 1;
    double scale[128];
    int code = kl_backbone_fold_find(&w, scale, scale + 64, &net->stem, 3, weights, err);
    if (code) return code;
    for (size_t o = 0; o < 64; o++) {
        bias[o] = (float)scale[64 + o];
        for (size_t t = 0; t < 49; t++) {
            double sums[4] = { 0 };
            for (size_t c = 0; c < 3; c++) {
                const double factor =
                    scale[o] * (double)w->data[(o * 3 + c) * 49 + t] / (double)options->std[c];
                sums[net->channels == 1 ? 0 : c] += factor * 128 / 255;
                sums[net->channels] += factor * (128.0 / 255 - (double)options->mean[c]);
            }
            for (size_t p = 0; p < planes; p++) to[block_of(o, t, planes) + p] = (float)sums[p];
        }
    }
    return code;
}
