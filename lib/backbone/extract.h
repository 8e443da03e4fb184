/* SPDX-License-Identifier: MIT
   Images to a feature file. */
#ifndef KL_EXTRACT_H
#define KL_EXTRACT_H

#include <stdatomic.h>

#include "backbone/backbone.h"
#include "ingest/ingest.h"
#include "kernels/device.h"

struct kl_writer;
struct kl_kind;
struct kl_mode;

enum { KL_EXTRACT_BLOCK = 64 }; /* images; shards hold whole blocks */

/* Findings about the pixels of a run (look.c). */
struct kl_look {
    uint64_t *digests; /* [n], rising: of images that the weights were trained on */
    size_t n;
    atomic_size_t images, hits; /* looked at; in the list, which has one in fifty */
    atomic_size_t dark;         /* without a bright pixel */
    unsigned char (*rows)[16];  /* [n_rows], XXH3-128 of each image's pixels; 0: not looked at */
    size_t n_rows;
};

enum kl_split { KL_SPLIT_ALL, KL_SPLIT_TRAIN, KL_SPLIT_TEST };

struct kl_extract_options {
    const char *const *inputs;
    size_t n_inputs;
    struct kl_images_options images; /* but pool and log */
    enum kl_split split;             /* which of them, of each class its share */
    double test_fraction;            /* that test */
    uint64_t seed;                   /* by which they are shared out */
    const char *weights;             /* a file */
    size_t trained_side;             /* of the images that they were trained on, 0: not known */
    struct kl_resnet18_options net;  /* but for what follows from the images */
    const char *tap, *mean, *std;    /* of net, in words, for the attributes */
    const char *device;              /* as --device */
    const char *precision;           /* of KL_PRECISIONS, on a GPU; NULL: fp32, as the CPU computes */
    bool half;                       /* float16 instead of float32 */
    int threads;                     /* 0: what the machine allows */
    const char *before;    /* a feature file, from which rows of the same pixels are taken if its network
                              and this one are the same; NULL: none */
    const char *key_parts; /* with it: of this run */
    size_t shards;         /* of which this run is one, for what it takes; 0: all images */
    const struct kl_log *log; /* told of files left out, of images of another size than the
                                 weights' and of what a stopped run had left */
};
struct kl_extract {
    struct kl_extract_options options;
    struct kl_device device;
    struct kl_pool *pool;
    struct kl_images *images;
    struct kl_weights *weights;
    struct kl_resnet18 *net;
    struct kl_reuse *reuse;      /* of options.before; NULL: nothing of it can be taken */
    struct kl_backbone_gpu *gpu; /* with a slot a thread of the pool; NULL: the CPU computes */
    char preprocess[400];        /* in words */
    /* Of kl_backbone_extract_run, from the caller: */
    size_t first, n; /* the images of this run: a shard (kl_backbone_extract_shard), or all, as they are
                        opened; first is a multiple of the block */
    struct kl_writer *writer; /* of a partial file, without datasets; NULL: nothing is kept */
    const struct kl_watch *watch;
    struct kl_look look;
    size_t kept; /* out: images whose features a stopped run had left */
};
/* extract.c. KL_EDEVICE, KL_ENOMEM, KL_ENOINPUT, KL_EDATA; close it in any case. */
int kl_backbone_extract_open(struct kl_extract *e, const struct kl_extract_options *options,
                             struct kl_error *err);
/* Declare features (n, d), labels, index and class_names, then fill them: each thread reads a block of
   images, computes, writes its rows and journals them. After an error or a stop the journalled rows stay
   with the writer. KL_ESIGNAL if watch says so, and what the parts return. */
int kl_backbone_extract_run(struct kl_extract *e, struct kl_error *err);
void kl_backbone_extract_close(struct kl_extract *e);
/* About how many of the images of a run its weights were trained on; 0: few, if any. */
size_t kl_backbone_look_seen(const struct kl_look *look);
/* Images [*first, *first + *n) of shard `shard` (from 0) of `shards`. KL_EUSAGE: there are fewer blocks
   than shards. */
int kl_backbone_extract_shard(size_t *first, size_t *n, size_t images, size_t shard, size_t shards,
                              struct kl_error *err);
extern const struct kl_kind kl_features_kind; /* what the file shows (store/kind.h) */
extern const struct kl_tool kl_backbone_table_tool;
extern const struct kl_mode kl_backbone_mode_table; /* tables as features (mode_table.c) */

#endif
