/* SPDX-License-Identifier: MIT
   Features of a ResNet on a GPU (kernels/cuda/resnet.cu): see kernels/cuda.h. */
#ifndef KL_KERNELS_CUDA_RESNET_H
#define KL_KERNELS_CUDA_RESNET_H

#include <stddef.h>
#include <stdint.h>

struct kl_error;
/* Of what convolutions multiply; sums are float. */
enum kl_cuda_precision { KL_CUDA_FP32, KL_CUDA_TF32, KL_CUDA_BF16, KL_CUDA_FP16 };
enum {
    KL_CUDA_STEM_BLOCKS = 4, /* taps a side of the first convolution, in blocks of 2x2 pixels */
    KL_CUDA_MAPS = 3         /* that the other convolutions read and write */
};
/* out channels of size x size taps on (in_h, in_w, in), zeros around it; then plus bias, plus the map
   `residual` unless it is -1, then ReLU if relu. from, to, residual: three different maps. */
struct kl_cuda_conv {
    int32_t in, out, size, stride, pad, in_h, in_w, out_h, out_w;
    int32_t from, to, residual, relu;
    const float *weights; /* (out, size, size, in) */
    const float *bias;    /* (out) */
};
/* The first convolution, 7x7 of stride 2 with 3 pixels around the image, is one of 4x4 blocks of 2x2
   pixels, of stride 1 with nothing around, so that it has channels enough for tensor cores: block (b, a)
   holds, in the order of its pixels, those from (2b - 4, 2a - 4) on, each as (p - 128) / 128 of its
   channels and a one, and zeros where there is no pixel; of out_h outputs it reads out_h + 3 blocks. It
   goes to map 1, of which the 3x3 maxima of stride 2 become map 0; ReLU stands before them. The last
   one's map, (h, w, c) whatever its convolution calls it, is what features are taken from. */
struct kl_cuda_backbone {
    int32_t precision, height, width, channels; /* channels of the images: 1 or 3 */
    int32_t h, w, c, mean;                      /* features: (c) means over the map, or (c, h, w) */
    int32_t n_convs;
    const struct kl_cuda_conv *convs;
    size_t batch;  /* images that run at once */
    int32_t slots; /* batches between host and GPU at a time */
    /* For tests, which can tell cuDNN nothing: our kernels behind all its convolutions; no graphs. */
    int32_t apart, uncaptured;
};
struct kl_cuda_resnet;

struct kl_cuda_resnet_calls {
    /* Before the first open, in any thread: takes the GPU and, for other precisions than FP32, loads
       cuDNN, which needs up to a second. */
    int (*prepare)(int device, int precision, struct kl_error *err);
    /* A slot holds a batch on its way; different threads may use different slots at once. pixels: its
       images (batch, height, width, channels), to be filled by the caller. start: send images [first,
       first + n), run, fetch; returns before that is done. wait: until it is, and where the features
       (batch, d) lie. Where in a batch an image stands may change its bits, its neighbours do not.
       seconds: of slot 0's batch, as it lies there, on the GPU alone, `repeats` times. say: a line of
       how convolution `number` runs, and where that is n_convs, the batch. */
    int (*open)(struct kl_cuda_resnet **resnet, const struct kl_cuda_backbone *net, int device,
                struct kl_error *err);
    uint8_t *(*pixels)(struct kl_cuda_resnet *resnet, int slot);
    int (*start)(struct kl_cuda_resnet *resnet, int slot, size_t first, size_t n, struct kl_error *err);
    int (*wait)(struct kl_cuda_resnet *resnet, int slot, const float **values, struct kl_error *err);
    int (*seconds)(struct kl_cuda_resnet *resnet, double *seconds, int repeats, struct kl_error *err);
    void (*say)(char *text, size_t size, const struct kl_cuda_resnet *resnet, int number);
    void (*close)(struct kl_cuda_resnet **resnet);
};

#endif
