/* SPDX-License-Identifier: MIT
   backbone: pretrained weights in, ResNet-18 features out (He et al. 2015, arXiv:1512.03385;
   torchvision's layout and names). */
#ifndef KL_BACKBONE_H
#define KL_BACKBONE_H

#include "base/base.h"
#include "weights/weights.h"

/* ---- weights (expected.c; read by weights/) ---- */
/* Side of the images that the weights which ketline ships were trained on (data/backbone/ORIGIN.md). */
enum { KL_SHIPPED_SIDE = 28 };
/* Path of the weights that ketline ships: under $KETLINE_DATA, installed beside the program
   (../share/ketline), or in the source tree. KL_ENOINPUT. */
int kl_backbone_weights_shipped(char *path, size_t size, struct kl_error *err);

/* ---- the network (fold.c, resnet18.c) ---- */
struct kl_resnet18;
enum kl_tap { KL_TAP_LAYER1, KL_TAP_LAYER2, KL_TAP_LAYER3, KL_TAP_LAYER4, KL_TAP_AVGPOOL };
enum kl_pixels { KL_PIXELS_GREY, KL_PIXELS_RGB, KL_PIXELS_NORMALISED /* float (n,3,h,w), for tests */ };

struct kl_resnet18_options {
    size_t height, width; /* >= 28 is meaningful; any size that leaves a map is computed */
    enum kl_pixels pixels;
    enum kl_tap tap;
    float mean[3], std[3]; /* of pixel/255 */
};
void kl_backbone_resnet18_options_default(
    struct kl_resnet18_options *options); /* 28x28 grey, avgpool, ImageNet's mean and std */
/* "0.485,0.456,0.406" of --mean and --std: the numbers, and the shortest text that reads back as the
   same (fold.c). name: for the message. KL_EUSAGE. */
int kl_backbone_resnet18_triple(float triple[3], char text[64], const char *from, bool positive,
                                const char *name, struct kl_error *err);
/* KL_EDATA: the weights have a tensor that a ResNet-18 has not and that could change its features at
   this tap, as those of a ResNet-34 or with squeeze-excitation (expected.c). Others are passed over:
   *n_unused, *unused the first of them, but for fc and layers after the tap. A prefix that a wrapper of
   the network has left ("module.") is found first (kl_weights_find_prefix). */
int kl_backbone_resnet18_expect(struct kl_weights *weights, enum kl_tap tap, size_t *n_unused,
                                const char **unused, struct kl_error *err);
/* Fold batch normalisation (eps 1e-5) into the convolutions, the three stem filters into one for grey
   images (the mean exactly, borders included), and lay the weights out for the kernels. KL_EDATA if a
   tensor is absent or has another shape. weights NULL: shapes alone, for a GPU. */
int kl_backbone_resnet18_create(struct kl_resnet18 **net, const struct kl_weights *weights,
                                const struct kl_resnet18_options *options, struct kl_error *err);
/* Shape of one image's features: avgpool (512); layer k (channels, h, w) row-major. Returns the rank. */
int kl_backbone_resnet18_shape(const struct kl_resnet18 *net, size_t dims[3]);
/* Images that one call should get (a multiple of 16). An image's features do not depend on its place or
   neighbours in a block. */
size_t kl_backbone_resnet18_block(const struct kl_resnet18 *net);
size_t kl_backbone_resnet18_workspace(
    const struct kl_resnet18 *net); /* bytes that kl_backbone_resnet18_run takes from work */
/* features (n, values of an image); images (n,h,w) or (n,h,w,3) uint8, or float (n,3,h,w); n <= block.
   In the calling thread; threads share net and bring their own work, which is reset. KL_ENOMEM. */
int kl_backbone_resnet18_run(const struct kl_resnet18 *net, float *features, const void *images,
                             size_t n, struct kl_arena *work, struct kl_error *err);
void kl_backbone_resnet18_free(struct kl_resnet18 **net);

/* ---- the network on a GPU (gpu.c; docs/cuda.md) ---- */
struct kl_device;
struct kl_backbone_gpu;
#define KL_PRECISIONS "fp32|tf32|bf16|fp16" /* enum kl_precision */
/* Of what is multiplied; sums are float. */
enum kl_precision { KL_FP32, KL_TF32, KL_BF16, KL_FP16 };
/* Starts a thread that takes the GPU and, but for FP32, loads cuDNN, a second's work, while the caller
   reads images and weights. KL_ENOMEM; close it in any case. */
int kl_backbone_gpu_prepare(struct kl_backbone_gpu **gpu, const struct kl_device *device,
                            enum kl_precision precision, struct kl_error *err);
/* A network of the shapes of net (its pixels bytes) there, with room for `slots` batches on their way.
   Where the GPU's memory is too small for a batch it is halved, and log is told. KL_EDEVICE, KL_ENOMEM,
   KL_EDATA. */
int kl_backbone_gpu_open(struct kl_backbone_gpu *gpu, const struct kl_resnet18 *net,
                         const struct kl_weights *weights, size_t images, int slots,
                         const struct kl_log *log, struct kl_error *err);
/* Images of a batch; a power of two. An image's features may depend on its place in a batch, except in
   FP32; never on its neighbours. */
size_t kl_backbone_gpu_batch(const struct kl_backbone_gpu *gpu);
/* The slot's images, to be filled: (batch, h, w) or (batch, h, w, 3). */
uint8_t *kl_backbone_gpu_pixels(struct kl_backbone_gpu *gpu, int slot);
/* The features (batch, values of an image) of the slot's images [first, first + n), which stay until the
   next call for this slot. Threads may use different slots at once. KL_EDEVICE. */
int kl_backbone_gpu_run(struct kl_backbone_gpu *gpu, int slot, size_t first, size_t n,
                        const float **features, struct kl_error *err);
/* Seconds of slot 0's last batch on the GPU, copies apart, `repeats` times. */
int kl_backbone_gpu_seconds(struct kl_backbone_gpu *gpu, double *seconds, int repeats,
                            struct kl_error *err);
/* A line of how a convolution runs, of the batch behind the last one; false: there is none of this
   number. */
bool kl_backbone_gpu_say(char *text, size_t size, const struct kl_backbone_gpu *gpu, int number);
void kl_backbone_gpu_close(struct kl_backbone_gpu **gpu);

#endif
