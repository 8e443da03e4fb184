/* SPDX-License-Identifier: MIT
   Private to lib/backbone/: the network's layers and their folding; extraction; what a GPU needs. */
#ifndef KL_BACKBONE_BACKBONE_INT_H
#define KL_BACKBONE_BACKBONE_INT_H

#include "backbone/backbone.h"
#include "backbone/extract.h"
#include "kernels/conv.h"
#include "kernels/cuda.h"

/* One convolution with its batch normalisation folded in. */
struct kl_folded {
    size_t in, out, size, stride; /* channels, kernel's side */
    size_t in_h, in_w, out_h, out_w;
    char name[32], norm[32]; /* of its weights: "layer1.0.conv1", "layer1.0.bn1" */
    enum kl_conv_kind kind;  /* 3x3, stride 1 */
    float *weights;          /* (points or taps), each (out, in) in panels: kernels/conv.h */
    float *bias;             /* (out) */
};

struct kl_basic_block {
    struct kl_folded conv1, conv2, shortcut; /* shortcut.size 0: the identity */
};

struct kl_resnet18 {
    struct kl_resnet18_options options;
    size_t images;   /* side by side in a block */
    size_t channels; /* planes of the input: 1 or 3 */
    struct kl_folded stem;
    float *stem_bias; /* (64, h, w) of the stem's map: the mean enters only where a tap is inside the
                         image */
    size_t pool_h, pool_w;
    struct kl_basic_block blocks[8];
    size_t n_blocks; /* as many as the tap needs */
    size_t largest;  /* values of the largest map of a block, for n = 1 */
    size_t points;   /* values of the largest transform: points * channels */
};

/* Weights with batch normalisation (eps 1e-5) folded in, laid out for the kernels. */
int kl_backbone_fold(struct kl_folded *conv, const struct kl_weights *weights, struct kl_error *err);
/* The stem for u8 images: (p/255 - mean)/std and, for grey images, the sum over the three filters
   go into the weights. */
int kl_backbone_fold_stem(struct kl_resnet18 *net, const struct kl_weights *weights,
                          struct kl_error *err);

/* expected.c: what the weights may be those of, if not a ResNet-18's, by their blocks or by the name
   that is one too many or absent: " (a ResNet-34?)", or "". */
void kl_backbone_resnet18_guess(char words[96], const struct kl_weights *weights, const char *name);
/* Shared by both: the convolution's tensor, and scale and shift (out values each) of its normalisation.
 */
int kl_backbone_fold_find(const struct kl_weight **w, double *scale, double *shift,
                          const struct kl_folded *conv, size_t in, const struct kl_weights *weights,
                          struct kl_error *err);

enum {
    KL_CONV_COLUMNS =
        64, /* of one product: tiles times the images of a block; few, for the second cache */
    KL_CONV_APART =
        16, /* values between points, lest a tile's 36 points share a set of the first cache */
};

/* ---- What the files of an extraction share ---- */
struct kl_extract_sets {
    int features, labels, index, pixels; /* numbers of the datasets */
};
#define KL_PIXEL_DIGESTS "aside/pixels" /* [n, 16] */

/* ---- Rows of an earlier file of the same network, for images of the same pixels (reuse.c) ----
   open: *reuse is NULL without a file, or where nothing of it can be taken. KL_ENOMEM. */
struct kl_extract;
struct kl_reuse;
int kl_backbone_reuse_open(struct kl_reuse **reuse, const struct kl_extract *e, struct kl_error *err);
/* The row as it is stored; not found: also where it is damaged. By any thread. KL_ENOMEM. */
int kl_backbone_reuse_row(bool *found, struct kl_reuse *reuse, const unsigned char digest[16], void *row,
                          struct kl_error *err);
void kl_backbone_reuse_say(const struct kl_reuse *reuse, size_t reused, size_t n,
                           const struct kl_log *log);
void kl_backbone_reuse_close(struct kl_reuse **reuse);

/* The list beside the weights, "FILE.seen"; none without it. KL_EDATA, KL_ENOMEM.
 */
int kl_backbone_look_open(struct kl_look *look, const char *weights, struct kl_error *err);
/* For a run of so many images. KL_ENOMEM. */
int kl_backbone_look_begin(struct kl_look *look, size_t n_rows, struct kl_error *err);
/* Images [row, row + n) of so many bytes each, by any thread. */
void kl_backbone_look_at(struct kl_look *look, const uint8_t *pixels, size_t row, size_t n,
                         size_t bytes);
/* labels [n_rows]; -1: none. first: the number of the run's first image. KL_ENOMEM. */
int kl_backbone_look_say(struct kl_look *look, const int32_t *labels, size_t first,
                         const struct kl_log *log, struct kl_error *err);
void kl_backbone_look_close(struct kl_look *look);

/* ----  ---- */
enum { KL_BACKBONE_GPU_CONVS = 20 }; /* of ResNet-18, shortcuts included */

/* The network's convolutions in the order in which they run, and their weights
   (kl_backbone_gpu_convs_free). A 3x3 convolution on a map of fewer pixels than taps becomes a matrix
   product: one pixel of all the map's values in, one out, the taps outside left out. */
struct kl_backbone_gpu_convs {
    size_t n;
    struct kl_cuda_conv conv[KL_BACKBONE_GPU_CONVS];
};

#endif
